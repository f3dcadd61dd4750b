/* What programs of benchmarks have in common that measure parts of the code, round by round: two
 * arguments, CPU time, and the line with the median, the least and the greatest round. */
#ifndef DCAMP_TESTS_ROUNDS_H
#define DCAMP_TESTS_ROUNDS_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline _Noreturn void fail(const char *what)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, what);
    exit(1);
}

static inline void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        fail("no memory");
    return memory;
}

static inline size_t number_of(const char *text)
{
    char *rest;
    unsigned long value = strtoul(text, &rest, 10);
    if (*rest != '\0' || value < 1 || value > 1000000)
        fail("usage: SERIES ROUNDS, two numbers from 1 to 1000000");
    return value;
}

/* Of the whole process. */
static inline uint64_t cpu_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000 + (uint64_t)used.tv_nsec;
}

static inline int compare_rounds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the rounds. */
static inline void print_rounds(const char *name, double *ns, size_t rounds)
{
    qsort(ns, rounds, sizeof *ns, compare_rounds);
    printf("%s %.2f %.2f %.2f\n", name, ns[rounds / 2], ns[0], ns[rounds - 1]);
}

#endif
