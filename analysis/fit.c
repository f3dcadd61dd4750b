#include "analysis/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/normal.h"
#include "analysis/quantile.h"
#include "analysis/random.h"

/* A larger sample is compared with simulated ones of this size: at this size, the distributions of
 * the statistics, which are modified for the sample size, have reached their limit. */
#define SIMULATED_MOST 1000

const char *fit_name(enum fit_family family)
{
    static const char *const names[] = {"normal", "exponential", "log-normal", "uniform"};
    return names[family];
}

/* -- The families ----------------------------------------------------------------------------- */

static void fit_mean(const double *x, size_t n, bool is_log, double parameter[2])
{
    double sum = 0, squares = 0, first = is_log ? log(x[0]) : x[0];
    for (size_t i = 0; i < n; i++)
        sum += (is_log ? log(x[i]) : x[i]) - first;
    parameter[0] = first + sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        double from = (is_log ? log(x[i]) : x[i]) - parameter[0];
        squares += from * from;
    }
    parameter[1] = sqrt(squares / (double)(n - 1));
}

static void fit_parameters(const double *x, size_t n, enum fit_family family, double parameter[2])
{
    if (family == FIT_UNIFORM) {
        parameter[0] = x[0];
        parameter[1] = x[n - 1];
        return;
    }
    fit_mean(x, n, family == FIT_LOG_NORMAL, parameter);
    if (family == FIT_EXPONENTIAL) {
        parameter[0] = 1 / parameter[0];
        parameter[1] = NAN;
    }
}

/* The logarithm of the probability of a value below x, or above x. Taking 1 minus the other
 * probability would lose all precision far out in the tails. */
static double log_tail(double x, bool is_below, enum fit_family family, const double parameter[2])
{
    double a = parameter[0], b = parameter[1];
    if (family == FIT_EXPONENTIAL)
        return is_below ? log(-expm1(-a * x)) : -a * x;
    if (family == FIT_UNIFORM)
        return log(is_below ? (x - a) / (b - a) : (b - x) / (b - a));
    double z = ((family == FIT_LOG_NORMAL ? log(x) : x) - a) / b;
    return log(normal_probability(is_below ? z : -z));
}

static double draw(enum fit_family family, struct random_state *random)
{
    double unit = random_unit(random);
    return family == FIT_EXPONENTIAL ? -log(unit)
           : family == FIT_UNIFORM   ? unit
                                     : normal_quantile(unit);
}

/* -- The statistics --------------------------------------------------------------------------- */

struct statistics {
    double distance, square;
};

static struct statistics statistics_of(const double *x, size_t n, enum fit_family family,
                                       const double parameter[2])
{
    struct statistics s = {0, 0};
    double size = (double)n;
    for (size_t i = 0; i < n; i++) {
        double below = log_tail(x[i], true, family, parameter);
        double above = log_tail(x[n - 1 - i], false, family, parameter);
        double p = exp(below);
        s.distance = fmax(s.distance, fmax(p - (double)i / size, (double)(i + 1) / size - p));
        s.square -= (double)(2 * i + 1) * (below + above) / size;
    }
    s.square -= size;
    return s;
}

/* Modified in this way, statistics of samples of different sizes have nearly the same distribution
 * (Stephens, JASA 69, 1974; D'Agostino, Stephens, Goodness-of-Fit Techniques, 1986, chapter 4). */
static struct statistics modify(struct statistics s, size_t n, enum fit_family family)
{
    double size = (double)n, root = sqrt(size);
    if (family == FIT_EXPONENTIAL) {
        s.distance = (s.distance - 0.2 / size) * (root + 0.26 + 0.5 / root);
        s.square *= 1 + 0.6 / size;
    } else if (family == FIT_UNIFORM) {
        s.distance *= root + 0.12 + 0.11 / root;
    } else {
        s.distance *= root - 0.01 + 0.85 / root;
        s.square *= 1 + 0.75 / size + 2.25 / (size * size);
    }
    return s;
}

/* For the uniform distribution, the least and the largest value are the parameters; the values
 * between them are then a sample of it, and only they are tested. */
static struct statistics fit_and_test(const double *x, size_t n, enum fit_family family,
                                      double parameter[2], struct statistics *modified)
{
    fit_parameters(x, n, family, parameter);
    size_t left_out = family == FIT_UNIFORM;
    struct statistics s = statistics_of(x + left_out, n - 2 * left_out, family, parameter);
    *modified = modify(s, n - 2 * left_out, family);
    return s;
}

/* The distributions of the statistics do not depend on the parameters, because these are parameters
 * of location and scale. The logarithms of a log-normal sample are a normal sample. */
static int simulate(size_t n, enum fit_family family, uint64_t seed, struct statistics modified,
                    struct fit *out)
{
    size_t size = n < SIMULATED_MOST ? n : SIMULATED_MOST, distances = 1, squares = 1;
    struct random_state random = {seed};
    double *sample = calloc(size, sizeof *sample);
    if (!sample)
        return ENOMEM;
    if (family == FIT_LOG_NORMAL)
        family = FIT_NORMAL;
    for (size_t i = 0; i < FIT_REPLICATES; i++) {
        struct statistics simulated;
        double parameter[2];
        for (size_t j = 0; j < size; j++)
            sample[j] = draw(family, &random);
        quantile_sort(sample, size);
        fit_and_test(sample, size, family, parameter, &simulated);
        distances += simulated.distance >= modified.distance;
        squares += simulated.square >= modified.square;
    }
    free(sample);
    out->distance_p = (double)distances / (FIT_REPLICATES + 1);
    out->square_p = (double)squares / (FIT_REPLICATES + 1);
    return 0;
}

static const char *refusal(const double *sorted, size_t n, enum fit_family family)
{
    if (n < FIT_LEAST)
        return "too few values";
    if (sorted[0] == sorted[n - 1])
        return "all values are equal";
    if (family == FIT_EXPONENTIAL && sorted[0] < 0)
        return "a value is negative";
    if (family == FIT_LOG_NORMAL && sorted[0] <= 0)
        return "a value is not positive";
    double size = fmax(fabs(sorted[0]), fabs(sorted[n - 1])) * (double)n;
    return isfinite(size * size) ? NULL : "the values are too large";
}

int fit_test(const double *sorted, size_t n, enum fit_family family, uint64_t seed, struct fit *out)
{
    struct fit found = {.why = refusal(sorted, n, family)};
    if (!found.why) {
        struct statistics modified;
        struct statistics s = fit_and_test(sorted, n, family, found.parameter, &modified);
        found.is_known = true;
        found.distance = s.distance;
        found.square = s.square;
        if (simulate(n, family, seed, modified, &found))
            return ENOMEM;
    }
    *out = found;
    return 0;
}
