/* Whether times between arrivals are exponential, as those of a Poisson process are: the arrivals
 * come one by one, whenever they like and whoever is there. Only where they do can anything be said
 * of a lock or a queue by the formulas that suppose it (application/contention.h). Pure.
 *
 * The times are known as a histogram of our buckets and a sum, which is what can be merged over
 * threads, processes and nodes. So each result has an error: how far it may be from what the times
 * themselves would give. Times are in seconds, and not negative.
 *
 * What to look at first are `cv2` and `distance`, which say how far from exponential the times are,
 * whatever their number. The two tests say whether chance alone explains that: with a million times
 * they reject everything that is real. */
#ifndef DCAMP_APPLICATION_FIT_H
#define DCAMP_APPLICATION_FIT_H

#include <stdint.h>

#include "calculate/histogram.h"

/* Fewer times have no verdict: the formula of the statistic holds from here on. */
#define FIT_VALUES_MIN 5

/* A bin of the chi-squared test has at least that many times, if they are exponential (W. G.
 * Cochran: Some Methods for Strengthening the Common Chi-squared Tests. Biometrics 10(4), 1954). */
#define FIT_EXPECTED_MIN 5

/* At which level of significance the Kolmogorov-Smirnov test rejects that they are exponential: of
 * data that are, it rejects one in ten, 20, 100. */
enum fit_verdict {
    FIT_NOT_KNOWN, /* too few */
    FIT_NOT_REJECTED,
    FIT_REJECTED_AT_10,
    FIT_REJECTED_AT_5,
    FIT_REJECTED_AT_1,
};

struct fit_times {
    const struct histogram *histogram; /* nothing negative in it */
    uint64_t count;                    /* of the times that are in the sum; usually that of the */
    double sum;                        /* histogram, but a writer may be between the two */
    double m2; /* the sum of the squares of the differences from the mean, as struct
                  statistics_window has it; NAN: not known, and the buckets are asked */
};

/* What is not known is not a number, but for degrees, which then are 0. */
struct fit {
    uint64_t values; /* how many times are in the histogram */
    double mean;     /* sum / count, in seconds; it is what the exponential is fitted by */

    /* The squared coefficient of variation, variance / mean^2: 1 of exponential times; less of
     * regular ones, 0 where all are equal; more of times that come in bursts. The error is 0 where
     * m2 is given, and otherwise 2.1 % of 1 + cv2 at the most. */
    double cv2, cv2_error;

    /* The distance of Kolmogorov and Smirnov from the exponential with that mean: the largest
     * difference between both distribution functions, from 0 to 1. The differences at the borders
     * of the buckets are exact. What it grows to inside of a bucket is estimated as for a Brownian
     * motion that is looked at in steps, 0.5826 sqrt(q / n) with q the probability of the bucket
     * (M. Broadie, P. Glasserman, S. Kou: A Continuity Correction for Discrete Barrier Options.
     * Mathematical Finance 7(4), 1997), but as half of the bucket at the most. The distance of the
     * times themselves is within distance_error, which is at most the largest part of the times,
     * and the largest probability, that one bucket has: 0.0075 of exponential times. */
    double distance, distance_error;

    /* (distance - 0.2 / n) (sqrt n + 0.26 + 0.5 / sqrt n) is above 0.990, 1.094 and 1.308 in 10, 5
     * and 1 % of the cases in which they are exponential: not the usual tables, since the mean
     * comes from the same data (H. W. Lilliefors: On the Kolmogorov-Smirnov Test for the
     * Exponential Distribution with Mean Unknown. JASA 64(325), 1969; M. A. Stephens: EDF
     * Statistics for Goodness of Fit and Some Comparisons. JASA 69(347), 1974). */
    double statistic;
    enum fit_verdict verdict;

    /* The chi-squared test. From 0 on, buckets are put together until FIT_EXPECTED_MIN times are
     * expected in each bin, and what is left at the end belongs to the last one. The degrees of
     * freedom are bins - 1, less one for the mean; without two bins more than these, nothing is
     * known. chi2_p is the probability of so much and more if they are exponential. Since the mean
     * is that of the times and not of the bins, the truth is between bins - 2 and bins - 1 degrees
     * (H. Chernoff, E. L. Lehmann: The Use of Maximum Likelihood Estimates in Chi-squared Tests for
     * Goodness of Fit. Annals of Mathematical Statistics 25(3), 1954): chi2_p is a little too low.
     */
    double chi2, chi2_p;
    unsigned degrees;
};

/* 0. EDOM, with nothing known but the number of values: there are negative times, or some beyond
 * HISTOGRAM_MAX; or the mean is not one that such a histogram can have, since they do not belong
 * together. Without times, or where all are 0, it is 0 as well, and nothing else is known. Takes
 * some 0.1 ms. */
int fit_exponential(const struct fit_times *times, struct fit *fit);

#endif
