/* Histograms as programs expose them, in buckets of their own, and what can be made of them. Pure.
 */
#ifndef DCAMP_APPLICATION_BUCKETS_H
#define DCAMP_APPLICATION_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/histogram.h"

/* How many values were at most bound: cumulative, as "le" is. For a span of time, take the counts
 * at its begin off those at its end. */
struct bucket {
    double bound;
    uint64_t count;
};

/* The number of values in a bucket is all that is known of them. So a bucket that has any must be
 * narrow: those in (a, b], with 0 < a, are taken for 2ab / (a + b), which is at most a part of
 * (b - a) / (b + a) of each away from it, and that is counted in the bucket of our scheme that it
 * falls into, which is another 1 % away. Where (a, b] is within one bucket of our scheme, it is
 * exact: 1 % is all. The same is for a bucket below 0, mirrored. With bounds that grow by 1.1 the
 * error is 5.8 %; by 2, 35 %; by 2.5, 44 %.
 *
 * Values that are not negative, which histograms with a sum have, may begin at 0: a bucket that
 * ends below HISTOGRAM_MIN is 0. Nothing can be said of values in a bucket that begins at 0 and
 * ends elsewhere, as the first one usually does, or that has no end, as the last one.
 *
 * The bounds ascend, and the last one is infinite; the counts do not fall. The histogram is empty
 * before; *error is then the largest error of any of its values, as a part of the value, at most
 * tolerance. 0; EINVAL: they are no such buckets; ERANGE: a bucket with values is too wide for
 * that, and *at says which one; EOVERFLOW, ENOMEM. But for 0, the histogram is empty again, and the
 * values are to be shown per bucket. */
int buckets_to_histogram(const struct bucket *bucket, size_t n, bool is_non_negative,
                         double tolerance, struct histogram *histogram, double *error, size_t *at);

#endif
