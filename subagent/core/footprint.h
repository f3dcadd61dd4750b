/* The memory of the daemon itself. */
#ifndef DCAMP_CORE_FOOTPRINT_H
#define DCAMP_CORE_FOOTPRINT_H

#include <stdint.h>

struct footprint {
    uint64_t looks;
    uint64_t gave_back_ns; /* monotonic: when free memory went back to the system */
};

/* Resident memory in kB; 0: unknown. Gives back what the start needed (at the second look, when
 * every thread runs and every source was read), and later, every few minutes, what a busy time
 * needed. To be called now and then: it opens a file. */
unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns);

#endif
