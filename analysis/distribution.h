/* How the values of a sample are distributed. Pure. */
#ifndef DCAMP_ANALYSIS_DISTRIBUTION_H
#define DCAMP_ANALYSIS_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

/* The probabilities of the quantiles. */
#define DISTRIBUTION_QUANTILES 9
extern const double distribution_probability[DISTRIBUTION_QUANTILES];

struct distribution {
    size_t n;    /* finite values; if it is 0, only gaps is set below */
    size_t gaps; /* values that are not finite */
    double mean;
    double deviation;        /* with the divisor n - 1; NAN if there is one value */
    double skewness, excess; /* from the third and fourth moment, divisor n; NAN of equal values */
    double least, largest;
    double quantile[DISTRIBUTION_QUANTILES]; /* as R's quantile() has them, type 7 */
};

/* Returns 0 or ENOMEM. */
int distribution_of(const double *values, size_t n, struct distribution *out);

/* Returns the finite values in ascending order, which the caller frees; *n becomes their number.
 * Returns NULL if memory runs out. */
double *distribution_sorted(const double *values, size_t *n);

#endif
