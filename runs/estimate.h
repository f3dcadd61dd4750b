/* A figure of a run, a mean, a rate or a percentile, and how far it would be another one if the run
 * were done again. Pure.
 *
 * The run is cut into slots that follow each other. A figure is made of what the slots contribute:
 * its parts, whose mean it is, so that an interval of the mean of the parts by block bootstrap
 * (analysis/bootstrap.h) is one of the figure. With s the sum of a slot and w how many are in it,
 *   - of a mean R = sum of s / sum of w the part is R + (s - R w) / mean of w: the linear form of a
 *     ratio (W. G. Cochran: Sampling Techniques, 3rd edition, 1977, section 6.3);
 *   - of a quantile x of q the part is x - g (k - q w) / mean of w, with k how many of the slot are
 *     at most x and g the slope of the quantile function (R. R. Bahadur: A Note on Quantiles in
 *     Large Samples. Annals of Mathematical Statistics 37, 1966), which is taken over the span in
 *     which the quantile may be by the variance of the parts, as in R. S. Woodruff: Confidence
 *     Intervals for Medians and Other Position Measures. JASA 47, 1952.
 *
 * A percentile is that of all values together; percentiles of slots are never averaged. */
#ifndef DCAMP_RUNS_ESTIMATE_H
#define DCAMP_RUNS_ESTIMATE_H

#include "runs/run.h"

/* So many slots, or fewer: what a bootstrap takes grows with them, and an hour of values in each
 * second is known as well by its quarters of a minute. */
#define ESTIMATE_SLOTS 240
#define ESTIMATE_LEAST 8 /* of fewer nothing can be said */

/* Beyond a percentile there must be so many values. */
#define ESTIMATE_TAIL 5

enum estimate_fault {
    ESTIMATE_GOOD,
    ESTIMATE_NONE,     /* there are no values */
    ESTIMATE_FEW,      /* too few to say anything */
    ESTIMATE_CONSTANT, /* all are equal: parts are, too */
};

struct estimate {
    enum estimate_fault fault; /* value is known but for ESTIMATE_NONE */
    double value;
    uint64_t count; /* of values, events or executions that it is of */
    size_t n;
    double parts[ESTIMATE_SLOTS];
};

/* The mean of values, each of which stands for the same time. */
void estimate_points(const struct run_point *points, size_t n, struct estimate *estimate);

/* By how much a counter grew in a second. What it falls by is a new beginning, and counts as
 * nothing. */
void estimate_growth(const struct run_point *points, size_t n, struct estimate *estimate);

/* Whether values are those of a counter as it counts, neither differences nor rates or percents of
 * it: of a metric that is one, they fall only where it begins anew, by far less often than they
 * grow. All may be equal, where nothing was counted. */
bool estimate_is_count(const struct run_series *series);

/* Whether the unit is that of a rate: "B/s". */
bool estimate_is_rate(const char *unit);

/* Whether a value is larger than the one before. */
bool estimate_is_growing(const struct run_point *points, size_t n);

/* The mean of all samples, or events; and a quantile of them, 0 < q < 1. Values of a bucket of a
 * histogram are taken to be spread evenly over it, which is 2 percent wide. */
void estimate_minutes(const struct run_minute *minutes, size_t n, struct estimate *estimate);
void estimate_minutes_quantile(const struct run_minute *minutes, size_t n, double q,
                               struct estimate *estimate);

/* Of executions: the mean and a quantile of their durations in seconds; how many there were in a
 * second; which part failed, in percent. */
void estimate_durations(const struct run *run, const struct run_series *step,
                        struct estimate *estimate);
/* sorted: the durations, ascending. */
void estimate_durations_quantile(const struct run *run, const struct run_series *step,
                                 const double *sorted, double q, struct estimate *estimate);
void estimate_throughput(const struct run *run, const struct run_series *step,
                         struct estimate *estimate);
void estimate_failures(const struct run *run, const struct run_series *step,
                       struct estimate *estimate);

#endif
