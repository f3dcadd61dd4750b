/* The memory of the daemon itself. */
#ifndef DCAMP_CORE_FOOTPRINT_H
#define DCAMP_CORE_FOOTPRINT_H

#include <stdint.h>

struct footprint {
    uint64_t looks;
    uint64_t due_ns;       /* monotonic: of the next look */
    uint64_t gave_back_ns; /* likewise: when free memory went back to the system */
};

/* Looks if it is due: at the first cycle, five seconds later, and with growing pauses up to a
 * minute. At the second look, when every thread runs and every source was read, gives back what
 * only the start needed; at each look of the first minutes, when children are met and dictionaries
 * are fetched, and then every five minutes, what is free in the heap. Resident memory in kB; 0: not
 * due, or unknown. */
unsigned long footprint_look(struct footprint *footprint, uint64_t now_ns);

#endif
