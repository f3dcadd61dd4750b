/* What came of operations. Pure but for the memory of the histograms. */
#ifndef DCAMP_LOAD_TALLY_H
#define DCAMP_LOAD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "calculate/statistics.h"
#include "load/failure.h"

/* Failures of one kind, and what was said of the first of them. */
struct tally_failures {
    uint64_t n;
    char example[FAILURE_TEXT];
};

/* All zero octets are one without operations. Times are in seconds, in the histograms of
 * calculate/histogram.h: percentiles are at most 1 % away. */
struct tally {
    uint64_t operations; /* that have ended, those that failed, too */
    uint64_t errors;
    uint64_t uncounted;                /* of the operations: no memory for their times */
    struct statistics_window response; /* how long each took */
    struct statistics_window lateness; /* from when each was to begin to when it was begun */
    struct tally_failures failures[FAILURE_KINDS];
};

/* One operation. */
struct tally_operation {
    uint64_t response_ns, lateness_ns;
    const struct failure *failure; /* NULL: it did not fail */
};

void tally_add(struct tally *tally, const struct tally_operation *operation);

/* Adds the other one. */
void tally_merge(struct tally *into, const struct tally *from);

/* The smallest time that so many of the operations did not exceed, from 0 to 1: the rank is rounded
 * up ("nearest rank"), so that of fewer than a hundred operations the longest is the 99th
 * percentile. Not a number without operations. */
double tally_quantile(const struct statistics_window *times, double quantile);

/* Empties it; the memory is kept. */
void tally_reset(struct tally *tally);
void tally_release(struct tally *tally);

#endif
