/* Quantiles of a sample. Pure. */
#ifndef DCAMP_ANALYSIS_QUANTILE_H
#define DCAMP_ANALYSIS_QUANTILE_H

#include <stddef.h>

/* Ascending; the values are no NANs. */
void quantile_sort(double *values, size_t n);

/* Between the values around the place (n - 1) p, as R's quantile() has it (type 7 of Hyndman, Fan,
 * American Statistician 50, 1996). sorted: ascending; n > 0, 0 <= p <= 1. */
double quantile_of(const double *sorted, size_t n, double p);

#endif
