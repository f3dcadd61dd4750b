/* Whether times between arrivals are exponential, as those of a Poisson process are, in which
 * arrivals come one by one, at any time and regardless of the others. Only then can anything be
 * said of a lock or a queue by the formulas that suppose it (application/contention.h). Pure.
 *
 * The times are known as a histogram of our buckets and a sum, which can be merged over threads,
 * processes and nodes. So each result has an error: how far it may be from what the times
 * themselves would give. Times are in seconds, and not negative.
 *
 * The first things to look at are `cv2` and `distance`, which say how far from exponential the
 * times are, whatever their number. The two tests say whether chance alone explains that: with a
 * million times they reject everything that is real. */
#ifndef DCAMP_APPLICATION_FIT_H
#define DCAMP_APPLICATION_FIT_H

#include <stdint.h>

#include "calculate/histogram.h"

/* With fewer times there is no verdict: the formula of the statistic holds from this number on. */
#define FIT_VALUES_MIN 5

/* A bin of the chi-squared test is expected to have at least so many times, if they are exponential
 * (W. G. Cochran: Some Methods for Strengthening the Common Chi-squared Tests. Biometrics 10(4),
 * 1954). */
#define FIT_EXPECTED_MIN 5

/* The level of significance at which the Kolmogorov-Smirnov test rejects that the times are
 * exponential: of data that are exponential, it rejects one in ten, 20, 100. */
enum fit_verdict {
    FIT_NOT_KNOWN, /* there are too few times */
    FIT_NOT_REJECTED,
    FIT_REJECTED_AT_10,
    FIT_REJECTED_AT_5,
    FIT_REJECTED_AT_1,
};

struct fit_times {
    const struct histogram *histogram; /* contains nothing negative */
    uint64_t count;                    /* of the times in the sum; usually equal to that of the */
    double sum;                        /* histogram, but a writer may be between the two */
    double m2; /* the sum of the squares of the differences from the mean, as in struct
                * statistics_window; NAN: not known, so that the buckets are used */
};

/* What is not known is not a number, except for degrees, which is 0 then. */
struct fit {
    uint64_t values; /* how many times are in the histogram */
    double mean;     /* sum / count, in seconds; the exponential is fitted by it */

    /* The squared coefficient of variation, variance / mean^2: 1 for exponential times; less for
     * regular ones, 0 if all are equal; more for times that come in bursts. The error is 0 if m2 is
     * given, and otherwise at most 2.1 % of 1 + cv2. */
    double cv2, cv2_error;

    /* The distance of Kolmogorov and Smirnov from the exponential with that mean: the largest
     * difference between both distribution functions, from 0 to 1. The differences at the borders
     * of the buckets are exact. How much larger it gets inside of a bucket is estimated as for a
     * Brownian motion that is observed in steps, 0.5826 sqrt(q / n) with q the probability of the
     * bucket (M. Broadie, P. Glasserman, S. Kou: A Continuity Correction for Discrete Barrier
     * Options. Mathematical Finance 7(4), 1997), but at most as half of the bucket. The distance of
     * the times themselves is within distance_error, which is at most the largest part of the
     * times, and the largest probability, that one bucket has: 0.0075 for exponential times. */
    double distance, distance_error;

    /* (distance - 0.2 / n) (sqrt n + 0.26 + 0.5 / sqrt n) is above 0.990, 1.094 and 1.308 in 10, 5
     * and 1 % of the cases in which the times are exponential. These are not the usual tables,
     * because the mean comes from the same data (H. W. Lilliefors: On the Kolmogorov-Smirnov Test
     * for the Exponential Distribution with Mean Unknown. JASA 64(325), 1969; M. A. Stephens: EDF
     * Statistics for Goodness of Fit and Some Comparisons. JASA 69(347), 1974). */
    double statistic;
    enum fit_verdict verdict;

    /* The chi-squared test. From 0 on, buckets are put together until FIT_EXPECTED_MIN times are
     * expected in each bin, and the rest at the end belongs to the last bin. The degrees of freedom
     * are bins - 1, less one for the mean; with fewer than three bins, nothing is known. chi2_p is
     * the probability of this value or a larger one if the times are exponential. Because the mean
     * is that of the times and not of the bins, the truth is between bins - 2 and bins - 1 degrees
     * (H. Chernoff, E. L. Lehmann: The Use of Maximum Likelihood Estimates in Chi-squared Tests for
     * Goodness of Fit. Annals of Mathematical Statistics 25(3), 1954): chi2_p is a little too
     * low. */
    double chi2, chi2_p;
    unsigned degrees;
};

/* 0. EDOM, and only the number of values is known: there are negative times, or some beyond
 * HISTOGRAM_MAX; or the mean is impossible for such a histogram, because the two do not belong
 * together. Without times, or if all are 0, it returns 0 as well, and nothing else is known. Takes
 * some 0.1 ms. */
int fit_exponential(const struct fit_times *times, struct fit *fit);

#endif
