/* The memory of the daemon itself. */
#ifndef DCAMP_DAEMON_FOOTPRINT_H
#define DCAMP_DAEMON_FOOTPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct footprint {
    uint64_t looks;
    uint64_t due_ns;      /* monotonic: when the next look is due */
    uint64_t trimmed_ns;  /* monotonic: when free memory was last given back */
    unsigned long own_kb; /* the smallest size since free memory was last given back */
};

/* Looks if that is due: at the first cycle, five seconds later, and with growing pauses up to a
 * minute. If the daemon has grown by 128 KiB, or by 16 KiB and free memory was last given back more
 * than five minutes ago, a look gives free memory of the heap back to the system. The second look,
 * when every thread runs and every source was read, also gives back what only the start needed.
 * Returns the resident memory in kB; 0: no look was due, or the size is not known. */
unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns);

/* Whether a daemon with so much memory of its own has grown enough to give memory back. Pure. */
bool footprint_has_grown(const struct footprint *footprint, unsigned long own_kb, uint64_t now_ns);

#endif
