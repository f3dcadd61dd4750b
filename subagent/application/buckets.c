#include "application/buckets.h"

#include <errno.h>
#include <math.h>

/* The error of one bucket of the scheme: calculate/histogram.h. */
#define SCHEME_ERROR 0.01

static bool are_buckets(const struct bucket *bucket, size_t n)
{
    if (n == 0 || bucket[n - 1].bound != INFINITY)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (isnan(bucket[i].bound))
            return false;
        if (i > 0 &&
            (bucket[i].bound <= bucket[i - 1].bound || bucket[i].count < bucket[i - 1].count))
            return false;
    }
    return true;
}

/* What the values of one bucket are taken for, magnitudes from low to high, which are greater than
 * 0; low is in it only if it is to be. */
static double error_of(double low, double high, int *index)
{
    *index = histogram_index(high);
    if (histogram_index(nextafter(low, INFINITY)) == *index)
        return SCHEME_ERROR;
    double part = (high - low) / (high + low);
    *index = histogram_index(2 * low / (low + high) * high);
    return (1 + part) * (1 + SCHEME_ERROR) - 1;
}

/* Adds the n values in (low, high] to the histogram; returns the error in *error. */
static int add(struct histogram *histogram, double low, double high, uint32_t n, double *error)
{
    bool is_negative = high < 0;
    double near = is_negative ? -high : low, far = is_negative ? -low : high;
    int index;
    if (fabs(low) < HISTOGRAM_MIN && fabs(high) < HISTOGRAM_MIN) {
        *error = 0;
        if (n > UINT32_MAX - histogram->zero)
            return EOVERFLOW;
        histogram->zero += n;
        histogram->count += n;
        return 0;
    }
    if (!(low < high) || !(near >= HISTOGRAM_MIN) || !(far <= HISTOGRAM_MAX))
        return ERANGE;
    *error = error_of(near, far, &index);
    int failed =
        histogram_side_add(is_negative ? &histogram->negative : &histogram->positive, index, n);
    histogram->count += failed ? 0 : n;
    return failed;
}

static int add_all(const struct bucket *bucket, size_t n, bool is_non_negative, double tolerance,
                   struct histogram *histogram, double *error, size_t *at)
{
    double low = is_non_negative ? 0 : -INFINITY, part = 0;
    uint64_t before = 0;
    *error = 0;
    for (size_t i = 0; i < n; before = bucket[i].count, low = bucket[i].bound, i++) {
        uint64_t count = bucket[i].count - before;
        if (count == 0)
            continue;
        *at = i;
        if (count > UINT32_MAX)
            return EOVERFLOW;
        int failed = add(histogram, low, bucket[i].bound, (uint32_t)count, &part);
        if (failed)
            return failed;
        if (part > tolerance)
            return ERANGE;
        *error = fmax(*error, part);
    }
    return 0;
}

int buckets_to_histogram(const struct bucket *bucket, size_t n, bool is_non_negative,
                         double tolerance, struct histogram *histogram, double *error, size_t *at)
{
    *at = 0;
    if (!are_buckets(bucket, n))
        return EINVAL;
    int failed = add_all(bucket, n, is_non_negative, tolerance, histogram, error, at);
    if (failed)
        histogram_reset(histogram);
    return failed;
}
