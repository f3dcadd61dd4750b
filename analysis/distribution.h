/* How the values of a sample are distributed. Pure. */
#ifndef DCAMP_ANALYSIS_DISTRIBUTION_H
#define DCAMP_ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

/* The probabilities of the quantiles. */
#define DISTRIBUTION_QUANTILES 9
extern const double distribution_probability[DISTRIBUTION_QUANTILES];

struct distribution {
    size_t n;    /* finite values; 0: nothing below is set */
    size_t gaps; /* values that are not finite */
    double mean;
    double deviation;        /* with the divisor n - 1; NAN of one value */
    double skewness, excess; /* of the third and fourth moment, divisor n; NAN of constant values */
    double least, largest;
    double quantile[DISTRIBUTION_QUANTILES]; /* as R's quantile() has them, type 7 */
};

/* Returns 0 or ENOMEM. */
int distribution_of(const double *values, size_t n, struct distribution *out);

/* The finite ones, ascending, to be freed; n becomes their number. NULL without memory. */
double *distribution_sorted(const double *values, size_t *n);

#endif
