/* Whether two series of measurements differ beyond chance. Values that follow each other resemble
 * each other, so that they say less than as many independent ones; therefore not values are drawn
 * anew, but blocks of them: the circular block bootstrap (Politis, Romano, in: Exploring the Limits
 * of Bootstrap, 1992), which tsboot() of R's package boot is with sim = "fixed". Pure: the same
 * series and seed give the same answer. */
#ifndef DCAMP_ANALYSIS_BOOTSTRAP_H
#define DCAMP_ANALYSIS_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of fewer values nothing is said. */
#define BOOTSTRAP_LEAST 8
/* Of more neither; for each, 24 bytes are needed, and for percentiles 60. */
#define BOOTSTRAP_MOST (1u << 28)

enum bootstrap_statistic {
    BOOTSTRAP_MEAN,
    BOOTSTRAP_MEDIAN,
    BOOTSTRAP_P90, /* percentiles as R's quantile() has them, type 7 */
    BOOTSTRAP_P95,
    BOOTSTRAP_P99,
};

struct bootstrap_interval {
    bool is_known;           /* else nothing below but why is set */
    const char *why;         /* it is not known, in words for people: "too few values"; else NULL */
    double a, b;             /* the statistic of either series */
    double difference;       /* b - a */
    double low, high;        /* where the true difference is, with the probability level */
    bool beyond_chance;      /* 0 is not between them */
    size_t block_a, block_b; /* how many values a block has, by the autocorrelation of the series */
};

/* level, of the interval: above 0, below 1, say 0.95; of m intervals of which none is to be wrong
 * by chance with 0.95, 1 - 0.05 / m. What so rare a tail is follows from the replicates where
 * enough of them lie beyond it, else it is that of a normal distribution through the last one that
 * does. The interval is widened as Student's is, for the number of blocks is small, too: the more,
 * the longer the autocorrelation is. Constant series have an interval of no width.
 *
 * How often equal series are beyond chance all the same, tests/validity/covered.c finds, and
 * doc/validity.md has it: as often as the level says for means; for percentiles of few values that
 * resemble each other for long more often, up to four times.
 *
 * Not known: a series with fewer than BOOTSTRAP_LEAST values, or fewer than 3 expected above the
 * percentile (30 for BOOTSTRAP_P90, 60 for P95, 300 for P99), or more than BOOTSTRAP_MOST, or one
 * that is not finite, or whose sums are not. Gaps are left out by the caller.
 *
 * Returns 0, EINVAL where level or statistic is none, or ENOMEM; then out is as it was. */
int bootstrap_difference(const double *a, size_t n_a, const double *b, size_t n_b,
                         enum bootstrap_statistic statistic, double level, uint64_t seed,
                         struct bootstrap_interval *out);

/* The length of blocks for the mean of a series (Politis, White, Econometric Reviews 23, 2004, with
 * the correction of Patton, Politis, White, 28, 2009), from 1 to n / 4. The values are finite, n >=
 * BOOTSTRAP_LEAST. 0 without memory. */
size_t bootstrap_block_length(const double *values, size_t n);

#endif
