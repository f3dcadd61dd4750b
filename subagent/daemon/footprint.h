/* The memory of the daemon itself. */
#ifndef DCAMP_DAEMON_FOOTPRINT_H
#define DCAMP_DAEMON_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct footprint {
    uint64_t looks;
    uint64_t due_ns;      /* monotonic: of the next look */
    uint64_t trimmed_ns;  /* monotonic: when free memory last went back */
    unsigned long own_kb; /* the least since free memory last went back */
};

/* Looks if it is due: at the first cycle, five seconds later, and with growing pauses up to a
 * minute. When the daemon has grown by 128 KiB, or by 16 KiB since free memory went back more than
 * five minutes ago, a look gives back to the system what is free in the heap. The second look, when
 * every thread runs and every source was read, also gives back what only the start needed. Returns
 * the resident memory in kB; 0: not due, or unknown. */
unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns);

/* Whether a daemon with so much memory of its own has grown enough for that. Pure. */
bool footprint_has_grown(const struct footprint *footprint, unsigned long own_kb, uint64_t now_ns);

#endif
