/* Histograms as programs expose them, in buckets of their own, and their conversion. Pure. */
#ifndef DCAMP_APPLICATION_BUCKETS_H
#define DCAMP_APPLICATION_BUCKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calculate/histogram.h"

/* How many values were at most bound: the counts are cumulative, as "le" is. For a span of time,
 * subtract the counts at its beginning from those at its end. */
struct bucket {
    double bound;
    uint64_t count;
};

/* The number of values in a bucket is all that is known of them. So a bucket that has any must be
 * narrow: the values in (a, b], with 0 < a, are taken for 2ab / (a + b), which differs from each by
 * at most (b - a) / (b + a) of it. That is counted in the bucket of our scheme that it falls into,
 * which adds another error of 1 %. Where (a, b] is within one bucket of our scheme, only that 1 %
 * remains. The same holds, mirrored, for a bucket below 0. With bounds that grow by a factor of 1.1
 * the error is 5.8 %; by 2, 35 %; by 2.5, 44 %.
 *
 * If values are not negative, as in histograms with a sum, they may begin at 0: a bucket that ends
 * below HISTOGRAM_MIN is 0. Nothing can be said of values in a bucket that begins at 0 and ends
 * elsewhere, as the first one usually does, or that has no end, as the last one.
 *
 * The bounds ascend, and the last one is infinite; the counts do not fall. The histogram must be
 * empty before; *error is then the largest error of any of its values, as a part of the value, at
 * most tolerance. 0; EINVAL: the buckets are not of this form; ERANGE: a bucket with values is too
 * wide for the tolerance, and *at says which one; EOVERFLOW, ENOMEM. Unless 0 is returned, the
 * histogram is empty again, and the values have to be shown per bucket. */
int buckets_to_histogram(const struct bucket *bucket, size_t n, bool is_non_negative,
                         double tolerance, struct histogram *histogram, double *error, size_t *at);

#endif
