/* Which processes of the machine use most, at this moment: for who looks once in a while, without a
 * sensor. One look reads one file for each process, and remembers of it two numbers for the next
 * look; names and owners are read only of those that come into a ranking. */
#ifndef DCAMP_SAMPLE_PROCESS_USAGE_H
#define DCAMP_SAMPLE_PROCESS_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/limits.h"

enum usage_order { USAGE_CPU, USAGE_MEMORY, USAGE_ORDERS };

/* Ranks of each order. */
#define USAGE_RANKS 100

struct usage_rank {
    pid_t pid;
    char name[NAME_SIZE];  /* of its executable, as struct process has it */
    char owner[NAME_SIZE]; /* the name of the effective user, or its number */
    uint64_t cpu_milli;    /* since the look before: thousandths of one CPU; 0 in the first look */
    uint64_t cpu_ms;       /* since it was started */
    uint64_t memory_kb;    /* resident */
    uint64_t threads;
};

struct usage_ranking {
    uint64_t
        span_ns; /* since the look before; 0: there was none, and the order by CPU has no rows */
    size_t processes; /* all that were seen */
    size_t n[USAGE_ORDERS];
    struct usage_rank ranks[USAGE_ORDERS][USAGE_RANKS]; /* greatest first, equals by pid */
};

struct process_usage;

/* Looks below root ("/" on a real system). NULL: no memory. */
struct process_usage *process_usage_new(const char *root);
void process_usage_free(struct process_usage *usage);

/* Looks at all processes. The share of a process that began after the look before is all that it
 * has used. 0 or an errno: then the ranking is as it was, and the look counts as none. Processes
 * that cannot be read (hidepid of proc(5), or gone meanwhile) are left out. */
int process_usage_look(struct process_usage *usage, uint64_t now_ns, struct usage_ranking *ranking);

#endif
