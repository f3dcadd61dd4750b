/* A figure of a run, such as a mean, a rate or a percentile, and how much it would differ if the
 * run were repeated. Pure.
 *
 * The run is cut into consecutive slots. Each slot contributes a part to a figure, and the figure
 * is the mean of its parts. So an interval of the mean of the parts by block bootstrap
 * (analysis/bootstrap.h) is an interval of the figure. With s the sum of a slot and w the number of
 * its values,
 *   - for a mean R = sum of s / sum of w, the part is R + (s - R w) / mean of w: the linear form
 *     of a ratio (W. G. Cochran: Sampling Techniques, 3rd edition, 1977, section 6.3);
 *   - for a quantile x of q, the part is x - g (k - q w) / mean of w. k is how many values of the
 *     slot are at most x, and g is the slope of the quantile function (R. R. Bahadur: A Note on
 *     Quantiles in Large Samples. Annals of Mathematical Statistics 37, 1966). The slope is taken
 *     over the span within which the quantile may be, given the variance of the parts, as in
 *     R. S. Woodruff: Confidence Intervals for Medians and Other Position Measures. JASA 47, 1952.
 *
 * A percentile is one of all values together; percentiles of slots are never averaged. */
#ifndef DCAMP_RUNS_ESTIMATE_H
#define DCAMP_RUNS_ESTIMATE_H

#include "runs/run.h"

/* At most so many slots: the time for a bootstrap grows with them, and an hour with a value in each
 * second is described as well by quarters of a minute. */
#define ESTIMATE_SLOTS 240
#define ESTIMATE_LEAST 8 /* of fewer values, nothing can be said */

/* So many values have to be beyond a percentile. */
#define ESTIMATE_TAIL 5

enum estimate_fault {
    ESTIMATE_GOOD,
    ESTIMATE_NONE,     /* there are no values */
    ESTIMATE_FEW,      /* too few to say anything */
    ESTIMATE_CONSTANT, /* all values are equal, and so are the parts */
};

struct estimate {
    enum estimate_fault fault; /* value is known except with ESTIMATE_NONE */
    double value;
    uint64_t count; /* the number of values, events or executions */
    size_t n;
    double parts[ESTIMATE_SLOTS];
};

/* The mean of values, each of which stands for an equally long time. */
void estimate_points(const struct run_point *points, size_t n, struct estimate *estimate);

/* By how much a counter grew per second. If it falls, it has begun anew, and the fall is not
 * counted. */
void estimate_growth(const struct run_point *points, size_t n, struct estimate *estimate);

/* Whether the values are the running totals of a counter, not differences, rates or percentages of
 * it: the metric is a counter, and the values fall only where it begins anew, which is far less
 * often than they grow. If nothing was counted, all values may be equal. */
bool estimate_is_count(const struct run_series *series);

/* Whether the unit is that of a rate: "B/s". */
bool estimate_is_rate(const char *unit);

/* Whether any value is larger than the one before. */
bool estimate_is_growing(const struct run_point *points, size_t n);

/* The mean of all samples, or events; and a quantile of them, 0 < q < 1. The values within a bucket
 * of a histogram, which is 2 percent wide, are assumed to be spread evenly. */
void estimate_minutes(const struct run_minute *minutes, size_t n, struct estimate *estimate);
void estimate_minutes_quantile(const struct run_minute *minutes, size_t n, double q,
                               struct estimate *estimate);

/* For executions: the mean and a quantile of their durations in seconds; how many there were per
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
