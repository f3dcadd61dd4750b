/* What a busy time leaves free in the heap goes back to the system. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "daemon/footprint.h"

#include "unit.h"

#define CHUNKS 16384
#define CHUNK 1024
#define KEEP_EVERY 64 /* so that no large part of the heap is free at its end */

static void *chunks[CHUNKS];

static void be_busy(void)
{
    for (size_t i = 0; i < CHUNKS; i++) {
        chunks[i] = malloc(CHUNK);
        assert_non_null(chunks[i]);
        memset(chunks[i], 1, CHUNK);
    }
    for (size_t i = 0; i < CHUNKS; i++) {
        if (i % KEEP_EVERY == 0)
            continue;
        free(chunks[i]);
        chunks[i] = NULL;
    }
}

static void be_done(void)
{
    for (size_t i = 0; i < CHUNKS; i++)
        free(chunks[i]);
    memset((void *)chunks, 0, sizeof chunks);
}

static unsigned long resident_kb(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*u %lu", &pages), 1);
    fclose(file);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
}

static void free_memory_goes_back(void **state)
{
    (void)state;
#ifdef __SANITIZE_ADDRESS__
    skip(); /* its heap is another one */
#endif
    struct footprint footprint = {0};
    uint64_t now_ns = 1000 * NS_PER_S;
    for (unsigned look = 1; look <= 12; look++) {
        unsigned long look_kb = footprint_look(&footprint, now_ns), now_kb = resident_kb();
        if (look != 2) /* that lets go of what only the start needed, and some of it comes back */
            assert_in_range(look_kb, now_kb - now_kb / 8, now_kb + now_kb / 8);
        now_ns += look * 5 * NS_PER_S;
        assert_int_equal(footprint_look(&footprint, now_ns - 1), 0); /* not due */
    }
    be_busy();
    unsigned long busy_kb = resident_kb();
    unsigned long trimmed_kb = footprint_look(&footprint, now_ns);
    be_done();
    assert_true(busy_kb > CHUNKS * CHUNK / 1024);
    assert_true(trimmed_kb < busy_kb - CHUNKS * CHUNK / 1024 / 2);
}

/* What is little waits for five minutes: to give it back costs more than to keep it. */
static void when_it_has_grown(void **state)
{
    (void)state;
    static const struct {
        unsigned long own_kb;
        uint64_t rest_ns; /* since free memory last went back */
        bool grown;
    } cases[] = {
        {999, 300 * NS_PER_S, false},
        {1000, 300 * NS_PER_S, false},
        {1016, 300 * NS_PER_S, false},
        {1017, 300 * NS_PER_S, true},
        {1017, 300 * NS_PER_S - 1, false},
        {1128, 300 * NS_PER_S - 1, false},
        {1129, 300 * NS_PER_S - 1, true},
        {1128, 0, false},
        {1129, 0, true},
    };
    const struct footprint footprint = {.own_kb = 1000, .trimmed_ns = 7000 * NS_PER_S};
    for (size_t i = 0; i < N_OF(cases); i++)
        assert_int_equal(footprint_has_grown(&footprint, cases[i].own_kb,
                                             footprint.trimmed_ns + cases[i].rest_ns),
                         cases[i].grown);
}

/* A look that gives back remembers when it did. */
static void a_look_begins_the_rest(void **state)
{
    (void)state;
    struct footprint footprint = {0};
    uint64_t now_ns = 1000 * NS_PER_S;
    footprint_look(&footprint, now_ns); /* the first one: there was nothing before */
    assert_true(footprint.trimmed_ns == now_ns);
    now_ns = footprint.due_ns;
    footprint_look(&footprint, now_ns); /* the second one always does */
    assert_true(footprint.trimmed_ns == now_ns);
    uint64_t trimmed_ns = now_ns;
    footprint.own_kb += 1 << 20;
    footprint_look(&footprint, footprint.due_ns);
    assert_true(footprint.trimmed_ns == trimmed_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_memory_goes_back),
        cmocka_unit_test(when_it_has_grown),
        cmocka_unit_test(a_look_begins_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
