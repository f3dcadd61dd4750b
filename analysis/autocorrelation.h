/* How much the values of a series resemble those some steps before. Pure. */
#ifndef DCAMP_ANALYSIS_AUTOCORRELATION_H
#define DCAMP_ANALYSIS_AUTOCORRELATION_H

#include <stddef.h>

/* The autocovariance: the mean of (x[t] - mean) (x[t + lag] - mean). centred holds the values less
 * their mean. The divisor is n, as in R's acf(type = "covariance"), which makes it positive
 * semidefinite. lag < n. */
double autocovariance(const double *centred, size_t n, size_t lag);

/* The autocorrelation r[0] to r[lags], lags < n, as R's acf(na.action = na.pass) computes it: a
 * value that is not finite is a gap, and only pairs without a gap count. r[0] is 1, and all r are
 * between -1 and 1. An r is NAN if there is no pair for it; all are NAN if the values do not vary,
 * or vary too much for a double.
 *
 * band: 95 % of all r of white noise, except r[0], are within +-band, which is 1.96 / sqrt(number
 * of values), as acf() draws it; NAN without values. Returns 0 or ENOMEM. */
int autocorrelation(const double *values, size_t n, size_t lags, double *r, double *band);

#endif
