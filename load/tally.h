/* The results of operations. Pure except for the memory of the histograms. */
#ifndef DCAMP_LOAD_TALLY_H
#define DCAMP_LOAD_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "calculate/statistics.h"
#include "load/failure.h"

/* Failures of one kind, and the text of the first of them. */
struct tally_failures {
    uint64_t n;
    char example[FAILURE_TEXT];
};

/* All zero octets: it is empty. Times are in seconds, in the histograms of calculate/histogram.h,
 * so that percentiles are off by at most 1 %. */
struct tally {
    uint64_t operations; /* that have ended, including those that failed */
    uint64_t errors;
    uint64_t uncounted;                /* operations without times, because memory ran out */
    struct statistics_window response; /* how long each took */
    struct statistics_window lateness; /* from when each should have begun until it began */
    struct tally_failures failures[FAILURE_KINDS];
};

/* One operation. */
struct tally_operation {
    uint64_t response_ns, lateness_ns;
    const struct failure *failure; /* NULL if it did not fail */
};

void tally_add(struct tally *tally, const struct tally_operation *operation);

/* Adds the other one. */
void tally_merge(struct tally *into, const struct tally *from);

/* The smallest time that at least this share of the operations, from 0 to 1, did not exceed. The
 * rank is rounded up ("nearest rank"), so that for fewer than a hundred operations the longest time
 * is the 99th percentile. NAN without operations. */
double tally_quantile(const struct statistics_window *times, double quantile);

/* Empties it; the memory is kept. */
void tally_reset(struct tally *tally);
void tally_release(struct tally *tally);

#endif
