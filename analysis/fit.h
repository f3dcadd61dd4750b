/* Whether a sample may have been drawn from a distribution of a family, with the parameters that
 * fit best: Kolmogorov-Smirnov and Anderson-Darling. Pure.
 *
 * The usual tables of these tests are wrong where the parameters come from the same sample: they
 * hardly ever reject. So the probabilities are found by simulation: samples of the family, each
 * fitted anew (for the normal distribution this is Lilliefors' test). Both tests assume that values
 * are independent of each other: of an autocorrelated series, probabilities are too small. */
#ifndef DCAMP_ANALYSIS_FIT_H
#define DCAMP_ANALYSIS_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of fewer values nothing is said. */
#define FIT_LEAST 8
/* That many samples are simulated; no probability is less than 1 / (FIT_REPLICATES + 1). */
#define FIT_REPLICATES 999

enum fit_family {
    FIT_NORMAL,      /* parameters: mean and standard deviation (divisor n - 1) */
    FIT_EXPONENTIAL, /* rate, which is 1 / mean */
    FIT_LOG_NORMAL,  /* mean and standard deviation of the logarithms */
    FIT_UNIFORM,     /* least and largest, which the tests leave out */
    FIT_FAMILIES,
};

struct fit {
    bool is_known;       /* else nothing below but why is set */
    const char *why;     /* it is not known; else NULL */
    double parameter[2]; /* of the exponential distribution, the second is NAN */
    double distance;     /* D: the largest difference of the distribution functions */
    double distance_p;   /* how probable so large a D is, if the sample is of the family */
    double square; /* A^2 of Anderson and Darling, which looks at the tails, too; may be infinite */
    double square_p;
};

/* "normal", "exponential", "log-normal", "uniform" */
const char *fit_name(enum fit_family family);

/* sorted: ascending and finite, as from distribution_sorted(). Not known where there are fewer than
 * FIT_LEAST values, where all are equal, or where a value cannot be of the family. Returns 0 or
 * ENOMEM.
 */
int fit_test(const double *sorted, size_t n, enum fit_family family, uint64_t seed,
             struct fit *out);

#endif
