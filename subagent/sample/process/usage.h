/* Which processes of the machine use most at this moment, for callers who look once in a while,
 * without a sensor. One look reads one file for each process, and keeps a few numbers of it for the
 * next look; names and owners are read only for those that come into a ranking. */
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
    char name[NAME_SIZE];  /* of its executable, as in struct process */
    char owner[NAME_SIZE]; /* the name of the effective user, or its number */
    uint64_t cpu_milli;    /* thousandths of one CPU since the look before; 0 in the first look */
    uint64_t cpu_ms;       /* CPU time since it was started */
    uint64_t memory_kb;    /* resident */
    uint64_t threads;
};

struct usage_ranking {
    uint64_t
        span_ns; /* since the look before; 0: there was none, and the order by CPU has no rows */
    size_t processes; /* how many were seen */
    size_t n[USAGE_ORDERS];
    struct usage_rank ranks[USAGE_ORDERS][USAGE_RANKS]; /* the greatest first, equal ones by pid */
};

struct process_usage;

/* Looks below root ("/" on a real system). NULL: no memory. */
struct process_usage *process_usage_new(const char *root);
void process_usage_free(struct process_usage *usage);

/* Looks at all processes. For a process that began after the look before, the share is all that it
 * has used. Returns 0 or an errno: then the ranking is as it was, and the look does not count.
 * Processes that cannot be read (hidepid of proc(5), or gone meanwhile) are left out. */
int process_usage_look(struct process_usage *usage, uint64_t now_ns, struct usage_ranking *ranking);

#endif
