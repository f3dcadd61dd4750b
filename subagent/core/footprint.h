/* The memory of the daemon itself. */
#ifndef DCAMP_CORE_FOOTPRINT_H
#define DCAMP_CORE_FOOTPRINT_H

#include <stdint.h>

struct footprint {
    uint64_t looks;
    uint64_t due_ns;       /* monotonic: of the next look */
    uint64_t gave_back_ns; /* likewise: when free memory went back to the system */
};

/* Looks if it is due: every minute, and five seconds after the first time. Gives back what the start
 * needed (at the second look, when every thread runs and every source was read), and later, every
 * five minutes, what a busy time needed. Resident memory in kB; 0: not due, or unknown. */
unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns);

#endif
