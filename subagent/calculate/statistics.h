/* Statistics of the values of a series over tumbling windows: [0, w), [w, 2w), ... on the
 * monotonic clock, with w the length of the window. Pure but for the memory of the histograms.
 *
 * Mean and variance are kept by Welford's recurrence (B. P. Welford: Note on a Method for
 * Calculating Corrected Sums of Squares and Products. Technometrics 4(3), 1962) and merged by the
 * formula of T. F. Chan, G. H. Golub and R. J. LeVeque (Updating Formulae and a Pairwise Algorithm
 * for Computing Sample Variances. Stanford STAN-CS-79-773, 1979): neither subtracts large sums from
 * each other, so that a small deviation around a large mean stays right. */
#ifndef DCAMP_CALCULATE_STATISTICS_H
#define DCAMP_CALCULATE_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "calculate/histogram.h"

/* Values of larger magnitude are not counted: the sum of the squares of 2^64 values up to this one
 * is still finite. */
#define STATISTICS_LARGEST 1e140

/* So many values wait and are then counted together. If they were counted one by one, the moments
 * and a bucket of every series would be needed in every second, when they are no longer in the
 * caches. */
#define STATISTICS_WAITING 16

/* What is known of the values of one window. All zero octets are a window without values; then min,
 * max and mean have no meaning. */
struct statistics_window {
    uint64_t count;
    double min, max, mean;
    double m2; /* the sum of the squares of the differences from the mean */
    struct histogram histogram;
};

/* All zero octets are statistics that have not begun. */
struct statistics {
    uint64_t window_ns; /* 0: not begun */
    uint64_t begin_ns;  /* the beginning of the current window, and so the end of the last one */
    bool complete;      /* there is a last window */
    unsigned n_waiting;
    double waiting[STATISTICS_WAITING]; /* they belong to the current window, but are not counted in
                                           it yet */
    struct statistics_window current, last;
};

/* One window, as seen at some time. It points into the statistics: it is valid up to the next call
 * that changes them. */
struct statistics_view {
    bool complete; /* false: the window is still open, or there was never a value */
    uint64_t begin_ns;
    const struct statistics_window *window; /* never NULL; if its count is 0, it has no values */
};

void statistics_release(struct statistics *statistics);

/* Forgets all values. */
void statistics_reset(struct statistics *statistics);

/* Adds the value to the window that now lies in. The first window begins at a multiple of its
 * length, although its values come only from now on; its count tells how many there are. A time
 * before the current window counts as the beginning of that window, and another length of the
 * window begins anew. EINVAL for a window of length 0. EDOM for a value that is not a number or is
 * beyond STATISTICS_LARGEST: it is not added, but the windows have moved on to now all the same. */
int statistics_add(struct statistics *statistics, double value, uint64_t now_ns,
                   uint64_t window_ns);

/* The same for values of which the caller has the histogram and the mean: all of them count. EDOM:
 * the mean is not a number or is beyond STATISTICS_LARGEST; EOVERFLOW, ENOMEM: they are not added.
 */
int statistics_add_all(struct statistics *statistics, const struct histogram *values, double mean,
                       uint64_t now_ns, uint64_t window_ns);

/* Moves on to the window that now lies in without adding a value, if the statistics have begun. */
void statistics_advance(struct statistics *statistics, uint64_t now_ns);

/* Counts the values that wait. A value for which the histogram has no memory or no room is left out
 * of the whole window, including its count. */
void statistics_settle(struct statistics *statistics);

/* The latest window that was complete at that time: the one right before the window that now lies
 * in, with count 0 if it got no value; or the current one while none is complete. Values that wait
 * are counted first. */
struct statistics_view statistics_view(struct statistics *statistics, uint64_t now_ns);

void statistics_window_release(struct statistics_window *window);

/* Copies everything but the histogram from the other window. */
static inline void statistics_set_moments(struct statistics_window *window,
                                          const struct statistics_window *from)
{
    window->count = from->count;
    window->min = from->min;
    window->max = from->max;
    window->mean = from->mean;
    window->m2 = from->m2;
}

/* Empties it; the memory is kept. */
void statistics_window_reset(struct statistics_window *window);

/* EDOM, EOVERFLOW, ENOMEM: the value was not counted. */
int statistics_window_add(struct statistics_window *window, double value);

/* What is known of values from their histogram, which is not empty, and their mean, which is exact.
 * Least and largest value and deviation are those of the values that the buckets stand for; but if
 * the mean lies outside of these, it is taken for the least or the largest value, which is then
 * nearer to the truth. The result shares the histogram's memory, so that it must not be released.
 */
struct statistics_window statistics_of_histogram(const struct histogram *values, double mean);

/* Merges the statistics of both: count, min, max and histogram are exact, mean and deviation are
 * within rounding. EOVERFLOW, ENOMEM: nothing changed. */
int statistics_merge(struct statistics_window *into, const struct statistics_window *from);

/* The standard deviation of the population: the window has all values that there were, so that the
 * sum is divided by n, not n - 1. It is 0 without values. */
double statistics_deviation(const struct statistics_window *window);

/* The same as histogram_quantile, but never outside [min, max]: the quantiles of a constant are
 * exact. */
double statistics_quantile(const struct statistics_window *window, double q);

#endif
