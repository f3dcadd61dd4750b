/* Histograms that can be added up: every node counts in the same logarithmic buckets, so that the
 * sum of the counts of many nodes is the histogram that one node with all their values would have.
 *
 * The scheme is that of DDSketch (C. Masson, J. E. Rim, H. K. Lee: DDSketch: A Fast and
 * Fully-Mergeable Quantile Sketch with Relative-Error Guarantees. PVLDB 12(12), 2019), with alpha =
 * 0.01 and gamma = (1 + alpha) / (1 - alpha) = 101/99, and without its collapsing of buckets.
 * Bucket i counts the values in (gamma^(i-1), gamma^i] and stands for 2 gamma^i / (gamma + 1) =
 * 0.99 gamma^i, which is at most 1 % away from any of them. A second set of buckets mirrors the
 * first for negative values.
 *
 * A magnitude below HISTOGRAM_MIN is taken for 0; one above HISTOGRAM_MAX is counted in the last
 * bucket, and then the 1 % does not hold. Any change of this scheme needs another
 * HISTOGRAM_VERSION. */
#ifndef DCAMP_CALCULATE_HISTOGRAM_H
#define DCAMP_CALCULATE_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_VERSION 1
#define HISTOGRAM_MIN 1e-9
#define HISTOGRAM_MAX 1e18
#define HISTOGRAM_FIRST (-1036) /* the bucket of HISTOGRAM_MIN */
#define HISTOGRAM_LAST 2073     /* the bucket of HISTOGRAM_MAX */

/* The buckets of one sign. There are counters for [base, base + size); those that are not 0 lie in
 * [low, end). */
struct histogram_side {
    uint32_t *counts;
    int base, size;
    int low, end;
};

/* All zero octets are an empty histogram. No bucket counts beyond UINT32_MAX. */
struct histogram {
    uint64_t count; /* of all values */
    uint32_t zero;
    struct histogram_side positive, negative;
};

void histogram_release(struct histogram *histogram);

/* Whether there is anything to release. */
static inline bool histogram_has_memory(const struct histogram *histogram)
{
    return histogram->positive.counts || histogram->negative.counts;
}

/* Empties it. The memory is kept for the next values, unless it is far more than the last ones
 * needed. */
void histogram_reset(struct histogram *histogram);

/* Returns 0; EDOM if the value is not a finite number, EOVERFLOW if the bucket is full, or ENOMEM.
 * After an error, nothing was counted. */
int histogram_add(struct histogram *histogram, double value);

/* The same for n equal values; n is not 0. */
int histogram_add_equal(struct histogram *histogram, double value, uint32_t n);

/* The count of the bucket that a finite value belongs to. */
uint32_t histogram_count_of(const struct histogram *histogram, double value);

/* Adds the counts of the other histogram. EOVERFLOW or ENOMEM: nothing was added. */
int histogram_merge(struct histogram *into, const struct histogram *from);

/* The q-quantile: the value whose rank, from 0 in ascending order, is q (count - 1) rounded down.
 * Not a number if the histogram is empty or q is not in [0, 1]. */
double histogram_quantile(const struct histogram *histogram, double q);

/* How many octets the counters take. */
size_t histogram_octets(const struct histogram *histogram);

/* Compares bucket by bucket; how much memory either has does not matter. */
bool histogram_equal(const struct histogram *a, const struct histogram *b);

/* The bucket of a magnitude that is at least HISTOGRAM_MIN. It is the same on every machine: the
 * borders are constants, and near a border a comparison with it decides. */
int histogram_index(double magnitude);

/* The largest value of a bucket from HISTOGRAM_FIRST to HISTOGRAM_LAST, and the value that it
 * stands for. */
double histogram_border(int index);
double histogram_value(int index);

/* The count of one bucket; index may be any number. */
uint32_t histogram_side_count(const struct histogram_side *side, int index);

/* Counts n more values in one bucket from HISTOGRAM_FIRST to HISTOGRAM_LAST. EOVERFLOW or ENOMEM:
 * nothing was counted. The caller updates the count of the histogram. */
int histogram_side_add(struct histogram_side *side, int index, uint32_t n);

/* How many more octets the counters take after histogram_side_add for that bucket. */
size_t histogram_side_growth(const struct histogram_side *side, int index);

#endif
