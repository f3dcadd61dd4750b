/* Whether a sample may have been drawn from a distribution of a family, with the parameters that
 * fit best: Kolmogorov-Smirnov and Anderson-Darling. Pure.
 *
 * The usual tables of these tests are wrong if the parameters come from the same sample: with them,
 * the tests hardly ever reject. So the probabilities are found by simulation: samples of the family
 * are drawn, and each is fitted anew (for the normal distribution this is Lilliefors' test). Both
 * tests assume that values are independent of each other: for an autocorrelated series, the
 * probabilities are too small. */
#ifndef DCAMP_ANALYSIS_FIT_H
#define DCAMP_ANALYSIS_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Nothing is said of fewer values. */
#define FIT_LEAST 8
/* So many samples are simulated; no probability is less than 1 / (FIT_REPLICATES + 1). */
#define FIT_REPLICATES 999

enum fit_family {
    FIT_NORMAL,      /* parameters: mean and standard deviation (divisor n - 1) */
    FIT_EXPONENTIAL, /* rate, which is 1 / mean */
    FIT_LOG_NORMAL,  /* mean and standard deviation of the logarithms */
    FIT_UNIFORM,     /* least and largest, which are left out of the tests */
    FIT_FAMILIES,
};

struct fit {
    bool is_known;       /* otherwise, of the members below, only why is set */
    const char *why;     /* why it is not known; otherwise NULL */
    double parameter[2]; /* the second one is NAN for the exponential distribution */
    double distance;     /* D: the largest difference of the distribution functions */
    double distance_p;   /* how probable a D of this size is, if the sample is of the family */
    double square; /* A^2 of Anderson and Darling, which weights the tails more; may be infinite */
    double square_p;
};

/* "normal", "exponential", "log-normal", "uniform" */
const char *fit_name(enum fit_family family);

/* sorted: ascending and finite, as from distribution_sorted(). Not known if there are fewer than
 * FIT_LEAST values, if all are equal, or if a value cannot be of the family. Returns 0 or
 * ENOMEM. */
int fit_test(const double *sorted, size_t n, enum fit_family family, uint64_t seed,
             struct fit *out);

#endif
