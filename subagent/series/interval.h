/* What came of an instance since the last value of a series that is computed of all of it. */
#ifndef DCAMP_SERIES_INTERVAL_H
#define DCAMP_SERIES_INTERVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/sample.h"

/* All zero octets are one that has not begun. */
struct interval {
    const struct sample_computed *by; /* NULL: not begun */
    void *state;
    uint64_t since_ns; /* monotonic: when the value before was computed; 0: there was none */
};

/* Takes what has come with the pass that the slot is of. Without memory it begins anew with the
 * next one. */
void interval_take(struct interval *interval, const struct sample_slot *slot);

/* Ends the interval, and begins the next one: its value, not a number if that is not known. False:
 * it is the first one, which has begun at some moment before this and has no value. */
bool interval_end(struct interval *interval, unsigned field, uint64_t now_ns, double *value);

void interval_release(struct interval *interval);

#endif
