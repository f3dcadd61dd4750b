/* What the daemon counts of itself, for dcampSelf, in addition to what the stages count
 * themselves. */
#ifndef DCAMP_DAEMON_SELF_H
#define DCAMP_DAEMON_SELF_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/limits.h"

/* The latest SET that was refused. */
struct set_refusal {
    char text[MESSAGE_SIZE]; /* object, row, error and reason; "": there was none */
    int64_t wall_ms;
    uint64_t logged_ns; /* when a refusal was last logged; 0: never */
    unsigned unlogged;  /* how many were not logged since then */
};

struct self_counters {
    struct set_refusal refusal;                  /* lock */
    uint64_t cycles, late_cycles, sample_errors; /* lock */
    uint64_t sets;                               /* lock */
    uint64_t memory_kb;                          /* lock: the resident memory, as of the last
                                                  * look */
    uint64_t records_left_out;                   /* lock: struct flows, after the last cycle */
    uint64_t records_unreported;                 /* lock: struct relay, likewise */
    atomic_uint_fast64_t requests, reconnects;   /* written by the agent thread */
};

#endif
