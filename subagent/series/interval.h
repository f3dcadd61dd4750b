/* What came of an instance since the last value of a series that is computed from everything that
 * comes. */
#ifndef DCAMP_SERIES_INTERVAL_H
#define DCAMP_SERIES_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/sample.h"

/* If all octets are zero, it has not begun. */
struct interval {
    const struct sample_computed *by; /* NULL: not begun */
    void *state;
    uint64_t since_ns; /* monotonic: when the previous value was computed; 0: there was none */
};

/* Takes what has come with the pass that the slot belongs to. If memory runs out, it begins anew
 * with the next pass. */
void interval_take(struct interval *interval, const struct sample_slot *slot);

/* Ends the interval and begins the next one. value: the interval's value, not a number if that is
 * not known. False: this is the first interval, which has no value because it began at an unknown
 * moment before this one. */
bool interval_end(struct interval *interval, unsigned field, uint64_t now_ns, double *value);

void interval_release(struct interval *interval);

#endif
