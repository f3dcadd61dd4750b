/* Quantiles of a sample. Pure. */
#ifndef DCAMP_ANALYSIS_QUANTILE_H
#define DCAMP_ANALYSIS_QUANTILE_H

#include <stddef.h>

/* Sorts in ascending order; no value may be NAN. */
void quantile_sort(double *values, size_t n);

/* Interpolates between the values around the place (n - 1) p, as R's quantile() does (type 7 of
 * Hyndman, Fan, American Statistician 50, 1996). sorted: ascending; n > 0, 0 <= p <= 1. */
double quantile_of(const double *sorted, size_t n, double p);

#endif
