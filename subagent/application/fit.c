#include "application/fit.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "calculate/incomplete_gamma.h"

/* -zeta(1/2) / sqrt(2 pi) */
#define BETWEEN_STEPS 0.5826

/* How much a sum may be off by rounding. */
#define ROUNDING 1e-9

/* A bucket, with the distribution functions of the times and of the exponential at its borders.
 * Times that are 0, or nearer to 0 than buckets reach, are in the first one. The last one has no
 * end. */
struct cell {
    double low, high;
    uint64_t count;
    double times_low, times_high;
    double fitted_low, fitted_high;
    double probability; /* according to the exponential */
};

/* Sums over the buckets: of the times, and of their squares, computed at the borders and at the
 * values that the buckets stand for. */
struct sums {
    double least, most;
    double squares_least, squares, squares_most;
};

struct distance {
    double least, value, most;
};

struct bin {
    double observed, expected;
};

struct chi2 {
    struct bin last, open; /* the last full bin is not included yet, because it may get the rest */
    unsigned bins;
    double sum;
};

static void cell_next(struct cell *cell, int i, const struct fit_times *times, double mean)
{
    const struct histogram *histogram = times->histogram;
    bool is_tail = i > HISTOGRAM_LAST;
    cell->low = cell->high;
    cell->high = is_tail ? INFINITY : histogram_border(i);
    cell->count = is_tail ? 0 : histogram_side_count(&histogram->positive, i);
    if (i == HISTOGRAM_FIRST)
        cell->count += histogram->zero;
    cell->times_low = cell->times_high;
    cell->times_high += (double)cell->count / (double)histogram->count;
    cell->fitted_low = cell->fitted_high;
    cell->fitted_high = -expm1(-cell->high / mean);
    cell->probability = exp(-cell->low / mean) * -expm1(-(cell->high - cell->low) / mean);
}

/* Inside of the bucket, one function may already have grown while the other has not. */
static void add_distance(struct distance *distance, const struct cell *cell, double n)
{
    double at_border =
        fmax(fabs(cell->times_low - cell->fitted_low), fabs(cell->times_high - cell->fitted_high));
    double most = at_border, between = 0;
    if (cell->count > 0) {
        double part = fmin(cell->probability, (double)cell->count / n);
        between = fmin(BETWEEN_STEPS * sqrt(cell->probability / n), part / 2);
        most = fmax(cell->times_high - cell->fitted_low, cell->fitted_high - cell->times_low);
    }
    distance->least = fmax(distance->least, at_border);
    distance->value = fmax(distance->value, at_border + between);
    distance->most = fmax(distance->most, most);
}

static double bin_part(struct bin bin)
{
    double difference = bin.observed - bin.expected;
    return bin.expected > 0 ? difference * difference / bin.expected : 0;
}

static void add_chi2(struct chi2 *chi2, const struct cell *cell, double n)
{
    chi2->open.observed += (double)cell->count;
    chi2->open.expected += n * cell->probability;
    if (chi2->open.expected < FIT_EXPECTED_MIN)
        return;
    chi2->sum += bin_part(chi2->last);
    chi2->last = chi2->open;
    chi2->open = (struct bin){0, 0};
    chi2->bins++;
}

static void end_chi2(struct chi2 *chi2, struct fit *fit)
{
    chi2->last.observed += chi2->open.observed;
    chi2->last.expected += chi2->open.expected;
    if (chi2->bins < 3)
        return;
    fit->chi2 = chi2->sum + bin_part(chi2->last);
    fit->degrees = chi2->bins - 2;
    fit->chi2_p = incomplete_gamma(fit->degrees / 2.0, fit->chi2 / 2);
}

static void judge(struct fit *fit)
{
    double n = (double)fit->values, root = sqrt(n);
    if (fit->values < FIT_VALUES_MIN)
        return;
    fit->statistic = (fit->distance - 0.2 / n) * (root + 0.26 + 0.5 / root);
    fit->verdict = fit->statistic > 1.308   ? FIT_REJECTED_AT_1
                   : fit->statistic > 1.094 ? FIT_REJECTED_AT_5
                   : fit->statistic > 0.990 ? FIT_REJECTED_AT_10
                                            : FIT_NOT_REJECTED;
}

static void compare(const struct fit_times *times, struct fit *fit)
{
    struct cell cell = {.high = 0};
    struct distance distance = {0, 0, 0};
    struct chi2 chi2 = {.bins = 0};
    double n = (double)fit->values;
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST + 1; i++) {
        cell_next(&cell, i, times, fit->mean);
        add_distance(&distance, &cell, n);
        add_chi2(&chi2, &cell, n);
    }
    fit->distance = distance.value;
    fit->distance_error = fmax(distance.most - distance.value, distance.value - distance.least);
    judge(fit);
    end_chi2(&chi2, fit);
}

static struct sums sum_buckets(const struct histogram *histogram)
{
    const struct histogram_side *side = &histogram->positive;
    struct sums sums = {.most = histogram->zero * HISTOGRAM_MIN,
                        .squares_most = histogram->zero * HISTOGRAM_MIN * HISTOGRAM_MIN};
    for (int i = side->low; i < side->end; i++) {
        double count = histogram_side_count(side, i), high = histogram_border(i);
        double low = i == HISTOGRAM_FIRST ? 0 : histogram_border(i - 1);
        double value = histogram_value(i);
        sums.least += count * low;
        sums.most += count * high;
        sums.squares_least += count * low * low;
        sums.squares += count * value * value;
        sums.squares_most += count * high * high;
    }
    return sums;
}

/* If m2 is not known, the squares come from the buckets: of x, the mean square / mean^2 - 1. */
static void vary(const struct fit_times *times, const struct sums *sums, struct fit *fit)
{
    double squared = fit->mean * fit->mean, n = (double)fit->values;
    if (!isnan(times->m2)) {
        fit->cv2 = times->m2 / (double)times->count / squared;
        fit->cv2_error = 0;
        return;
    }
    double least = fmax(sums->squares_least / n / squared - 1, 0);
    double most = fmax(sums->squares_most / n / squared - 1, 0);
    fit->cv2 = fmax(sums->squares / n / squared - 1, 0);
    fit->cv2_error = fmax(most - fit->cv2, fit->cv2 - least);
}

static bool is_possible(const struct fit_times *times, const struct sums *sums, double mean)
{
    const struct histogram *histogram = times->histogram;
    double n = (double)histogram->count;
    if (histogram->negative.low < histogram->negative.end ||
        histogram_side_count(&histogram->positive, HISTOGRAM_LAST) > 0 || times->m2 < 0)
        return false;
    return mean >= sums->least / n * (1 - ROUNDING) && mean <= sums->most / n * (1 + ROUNDING);
}

int fit_exponential(const struct fit_times *times, struct fit *fit)
{
    uint64_t n = times->histogram->count;
    *fit = (struct fit){.values = n,
                        .mean = NAN,
                        .cv2 = NAN,
                        .cv2_error = NAN,
                        .distance = NAN,
                        .distance_error = NAN,
                        .statistic = NAN,
                        .verdict = FIT_NOT_KNOWN,
                        .chi2 = NAN,
                        .chi2_p = NAN};
    if (n == 0 || times->count == 0)
        return 0;
    double mean = times->sum / (double)times->count;
    struct sums sums = sum_buckets(times->histogram);
    if (!is_possible(times, &sums, mean))
        return EDOM;
    fit->mean = mean;
    if (!(mean > 0))
        return 0;
    vary(times, &sums, fit);
    compare(times, fit);
    return 0;
}
