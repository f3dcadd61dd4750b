/* How much values of a series resemble those some steps before. Pure. */
#ifndef DCAMP_ANALYSIS_AUTOCORRELATION_H
#define DCAMP_ANALYSIS_AUTOCORRELATION_H

#include <stddef.h>

/* The mean of (x[t] - mean) (x[t + lag] - mean), of values less their mean, with the divisor n, as
 * R's acf(type = "covariance") has it: so it is positive semidefinite. lag < n. */
double autocovariance(const double *centred, size_t n, size_t lag);

/* The autocorrelation r[0] to r[lags], lags < n, as R's acf(na.action = na.pass) has it: a value
 * that is not finite is a gap, and a pair counts that has none. r[0] is 1, and none is beyond 1 or
 * -1. An r is NAN where no pair is, and all are where the values do not vary, or too much for a
 * double.
 *
 * band: of white noise, 95 % of all r but r[0] are within +-band, which is 1.96 / sqrt(number of
 * values), as acf() draws it; NAN without values. Returns 0 or ENOMEM. */
int autocorrelation(const double *values, size_t n, size_t lags, double *r, double *band);

#endif
