/* Whether two series of measurements differ beyond chance. Values that follow each other resemble
 * each other, so that they say less than as many independent ones. Therefore blocks of values are
 * resampled instead of single values: this is the circular block bootstrap (Politis, Romano, in:
 * Exploring the Limits of Bootstrap, 1992), the same as tsboot() of R's package boot with sim =
 * "fixed". Pure: the same series and seed give the same answer. */
#ifndef DCAMP_ANALYSIS_BOOTSTRAP_H
#define DCAMP_ANALYSIS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nothing is said of fewer values. */
#define BOOTSTRAP_LEAST 8
/* Nor of more. Each value needs 24 bytes, or 60 for percentiles. */
#define BOOTSTRAP_MOST (1u << 28)

enum bootstrap_statistic {
    BOOTSTRAP_MEAN,
    BOOTSTRAP_MEDIAN,
    BOOTSTRAP_P90, /* percentiles as R's quantile() has them, type 7 */
    BOOTSTRAP_P95,
    BOOTSTRAP_P99,
};

struct bootstrap_interval {
    bool is_known;           /* otherwise, of the members below, only why is set */
    const char *why;         /* why it is not known, in words for people; otherwise NULL */
    double a, b;             /* the statistic of each series */
    double difference;       /* b - a */
    double low, high;        /* the true difference is between these, with the probability level */
    bool beyond_chance;      /* 0 is not between them */
    size_t block_a, block_b; /* values in a block, by the autocorrelation of the series */
};

/* level: the confidence level of the interval, above 0 and below 1, say 0.95. If none of m
 * intervals is to be wrong by chance with probability 0.95, it is 1 - 0.05 / m. The quantile for
 * such a tail is taken from the replicates if enough of them are beyond it; otherwise from a normal
 * distribution through the last quantile for which enough are. The interval is widened as Student's
 * is, because the number of blocks is small, too; the more, the longer the autocorrelation is.
 * Constant series have an interval of width 0.
 *
 * tests/validity/covered.c finds how often equal series are reported as different; the results are
 * in doc/validity.md. For means, it is as often as the level says; for percentiles of few values
 * with a long autocorrelation more often, up to four times.
 *
 * Not known: a series with fewer than BOOTSTRAP_LEAST values, or fewer than 3 expected above the
 * percentile (30 for BOOTSTRAP_P90, 60 for P95, 300 for P99), or more than BOOTSTRAP_MOST, or with
 * a value that is not finite, or whose sums are not. The caller leaves out gaps.
 *
 * Returns 0; EINVAL if level or statistic is not valid; or ENOMEM. On an error, out is
 * unchanged. */
int bootstrap_difference(const double *a, size_t n_a, const double *b, size_t n_b,
                         enum bootstrap_statistic statistic, double level, uint64_t seed,
                         struct bootstrap_interval *out);

/* The block length for the mean of a series (Politis, White, Econometric Reviews 23, 2004, with the
 * correction of Patton, Politis, White, 28, 2009), from 1 to n / 4. The values are finite, n >=
 * BOOTSTRAP_LEAST. Returns 0 if memory runs out. */
size_t bootstrap_block_length(const double *values, size_t n);

#endif
