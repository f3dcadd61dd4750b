/* Whether times are exponential: against SciPy (fit_truth.py), and as often as is promised. */
#include "application/fit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "calculate/statistics.h"

#include "distributions.h"
#include "fit_truth.h"
#include "unit.h"

/* -- Times, as fit_truth.py draws them --------------------------------------------------------- */

static double draw_exponential(uint64_t *seed)
{
    return -log(uniform(seed));
}

static double draw_erlang(uint64_t *seed)
{
    double sum = draw_exponential(seed);
    sum += draw_exponential(seed);
    return sum + draw_exponential(seed);
}

static double draw_hyperexponential(uint64_t *seed)
{
    double scale = uniform(seed) < 0.1 ? 10 : 0.5;
    return scale * draw_exponential(seed);
}

static double draw_constant(uint64_t *seed)
{
    (void)seed;
    return 0.0042;
}

static double draw_of_pairs(uint64_t *seed)
{
    return uniform(seed) < 0.5 ? 0 : draw_exponential(seed);
}

/* Windows know m2; histograms of programs do not. */
static struct fit fit_window(const struct statistics_window *window, bool with_m2)
{
    struct fit fit;
    const struct fit_times times = {&window->histogram, window->count,
                                    window->mean * (double)window->count,
                                    with_m2 ? window->m2 : NAN};
    assert_int_equal(fit_exponential(&times, &fit), 0);
    assert_int_equal(fit.values, window->count);
    return fit;
}

static void draw_window(struct statistics_window *window, double (*draw)(uint64_t *), uint64_t seed,
                        unsigned n, double scale)
{
    statistics_window_reset(window);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(statistics_window_add(window, scale * draw(&seed)), 0);
}

/* -- Truths ------------------------------------------------------------------------------------ */

static const struct truth {
    const char *name;
    double (*draw)(uint64_t *seed);
    unsigned n;
    double scale, mean, cv2, distance, chi2, p;
    unsigned degrees;
} truths[] = {FIT_TRUTHS};

static bool near(double a, double b, double relative)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) <= relative * fabs(b);
}

static enum fit_verdict verdict_of(double distance, unsigned n)
{
    double t = (distance - 0.2 / n) * (sqrt(n) + 0.26 + 0.5 / sqrt(n));
    if (n < FIT_VALUES_MIN)
        return FIT_NOT_KNOWN;
    if (t > 1.308)
        return FIT_REJECTED_AT_1;
    return t > 1.094 ? FIT_REJECTED_AT_5 : t > 0.990 ? FIT_REJECTED_AT_10 : FIT_NOT_REJECTED;
}

static void check_truth(const struct truth *truth, struct statistics_window *window)
{
    draw_window(window, truth->draw, truth->n, truth->n, truth->scale);
    struct fit fit = fit_window(window, false);
    if (!near(fit.mean, truth->mean, 1e-9) || !near(fit.chi2, truth->chi2, 1e-6) ||
        fabs(fit.cv2 - truth->cv2) > fit.cv2_error + 1e-12 ||
        fabs(fit.distance - truth->distance) > fit.distance_error + 1e-12 ||
        !(near(fit.chi2_p, truth->p, 1e-4) || fabs(fit.chi2_p - truth->p) < 1e-300) ||
        fit.degrees != truth->degrees || fit.verdict != verdict_of(truth->distance, truth->n))
        fail_msg("%s, %u: mean %.17g, cv2 %.17g +- %g, distance %.17g +- %g, %d, chi2 %.17g, %u, "
                 "p %.17g",
                 truth->name, truth->n, fit.mean, fit.cv2, fit.cv2_error, fit.distance,
                 fit.distance_error, fit.verdict, fit.chi2, fit.degrees, fit.chi2_p);
    assert_true(fit.cv2_error <= 0.021 * (1 + fit.cv2));
    fit = fit_window(window, true);
    assert_true(fabs(fit.cv2 - truth->cv2) <= 1e-9 * (1 + truth->cv2) && fit.cv2_error == 0);
}

static void is_what_scipy_says(void **state)
{
    (void)state;
    struct statistics_window window = {0};
    for (size_t i = 0; i < N_OF(truths); i++)
        check_truth(&truths[i], &window);
    statistics_window_release(&window);
}

/* -- Errors ------------------------------------------------------------------------------------ */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Of the values themselves. */
static double distance_of(double *value, unsigned n)
{
    double sum = 0, distance = 0;
    qsort(value, n, sizeof *value, compare);
    for (unsigned i = 0; i < n; i++)
        sum += value[i];
    for (unsigned i = 0; i < n; i++) {
        double fitted = -expm1(-value[i] * n / sum);
        distance = fmax(distance, fmax((i + 1.0) / n - fitted, fitted - (double)i / n));
    }
    return distance;
}

#define MOST_VALUES 3000

/* Whatever the values: the truth is within the error, and that is small. */
static void the_distance_is_within_its_error(void **state)
{
    (void)state;
    static double value[MOST_VALUES];
    static double (*const draws[])(uint64_t *) = {draw_exponential, draw_erlang,
                                                  draw_constant,    draw_hyperexponential,
                                                  draw_of_pairs,    uniform};
    struct statistics_window window = {0};
    uint64_t seed = 5;
    for (unsigned round = 0; round < 300; round++) {
        unsigned n = 1 + (unsigned)(uniform(&seed) * uniform(&seed) * (MOST_VALUES - 1));
        uint64_t first = seed;
        value[0] = 0;
        for (unsigned i = 0; i < n || value[0] <= 0; i++)
            value[i % n] = draws[round % N_OF(draws)](&seed);
        statistics_window_reset(&window);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(statistics_window_add(&window, value[i]), 0);
        struct fit fit = fit_window(&window, false);
        double truth = distance_of(value, n);
        if (fabs(fit.distance - truth) > fit.distance_error + 1e-9 || fit.distance_error > 0.0075)
            fail_msg("round %u, seed %ju, %u values: %g, not %g +- %g", round, (uintmax_t)first, n,
                     truth, fit.distance, fit.distance_error);
    }
    statistics_window_release(&window);
}

/* -- How often it rejects ---------------------------------------------------------------------- */

struct rates {
    double at[FIT_REJECTED_AT_1 + 1]; /* rejected at this level */
    double chi2;                      /* chi2_p below 0.05 */
};

static struct rates rates_of(double (*draw)(uint64_t *), unsigned n, unsigned rounds)
{
    struct statistics_window window = {0};
    struct rates rates = {.chi2 = 0};
    uint64_t seed = n;
    for (unsigned round = 0; round < rounds; round++) {
        statistics_window_reset(&window);
        for (unsigned i = 0; i < n; i++)
            assert_int_equal(statistics_window_add(&window, 0.001 * draw(&seed)), 0);
        struct fit fit = fit_window(&window, false);
        for (enum fit_verdict level = FIT_REJECTED_AT_10; level <= fit.verdict; level++)
            rates.at[level] += 1.0 / rounds;
        rates.chi2 += (fit.chi2_p < 0.05) / (double)rounds;
    }
    statistics_window_release(&window);
    return rates;
}

/* Within the interval that has 99 of 100 such rates, if it is the true one. */
static void check_rate(double rate, double truth, unsigned n, unsigned rounds)
{
    if (fabs(rate - truth) > 2.576 * sqrt(truth * (1 - truth) / rounds))
        fail_msg("%u values: %g of %u were rejected, not %g", n, rate, rounds, truth);
}

static void exponential_times_are_rejected_as_often_as_the_level_says(void **state)
{
    (void)state;
    static const struct {
        unsigned n, rounds;
    } sizes[] = {{10, 4000}, {50, 4000}, {200, 4000}, {1000, 1000}, {5000, 250}};
    for (size_t i = 0; i < N_OF(sizes); i++) {
        unsigned n = sizes[i].n, rounds = sizes[i].rounds;
        struct rates rates = rates_of(draw_exponential, n, rounds);
        check_rate(rates.at[FIT_REJECTED_AT_10], 0.10, n, rounds);
        check_rate(rates.at[FIT_REJECTED_AT_5], 0.05, n, rounds);
        check_rate(rates.at[FIT_REJECTED_AT_1], 0.01, n, rounds);
        /* Where bins are many: see Chernoff and Lehmann in fit.h. */
        if (n >= 200)
            check_rate(rates.chi2, 0.05, n, rounds);
    }
}

static void other_times_are_rejected(void **state)
{
    (void)state;
    struct rates rates = rates_of(draw_erlang, 100, 200);
    assert_true(rates.at[FIT_REJECTED_AT_1] > 0.99 && rates.chi2 > 0.9);
    rates = rates_of(draw_hyperexponential, 200, 200);
    assert_true(rates.at[FIT_REJECTED_AT_1] > 0.99 && rates.chi2 > 0.9);
    rates = rates_of(draw_of_pairs, 50, 200);
    assert_true(rates.at[FIT_REJECTED_AT_1] > 0.99 && rates.chi2 > 0.99);
}

/* -- What cannot be ---------------------------------------------------------------------------- */

static void check_not_known(const struct fit *fit, double mean)
{
    assert_true(isnan(mean) ? isnan(fit->mean) : fit->mean == mean);
    const double numbers[] = {fit->cv2,       fit->cv2_error, fit->distance, fit->distance_error,
                              fit->statistic, fit->chi2,      fit->chi2_p};
    for (size_t i = 0; i < N_OF(numbers); i++)
        assert_true(isnan(numbers[i]));
    assert_int_equal(fit->verdict, FIT_NOT_KNOWN);
    assert_int_equal(fit->degrees, 0);
}

static void without_times_nothing_is_known(void **state)
{
    (void)state;
    struct fit fit;
    struct histogram histogram = {0};
    struct fit_times times = {&histogram, 0, 0, NAN};
    assert_int_equal(fit_exponential(&times, &fit), 0);
    assert_int_equal(fit.values, 0);
    check_not_known(&fit, NAN);
    histogram_add(&histogram, 1);
    assert_int_equal(fit_exponential(&times, &fit), 0);
    check_not_known(&fit, NAN);
    histogram_release(&histogram);
}

static void of_times_that_are_all_0_nothing_is_known(void **state)
{
    (void)state;
    struct fit fit;
    struct histogram histogram = {0};
    for (int i = 0; i < 100; i++)
        histogram_add(&histogram, 0);
    const struct fit_times times = {&histogram, 100, 0, 0};
    assert_int_equal(fit_exponential(&times, &fit), 0);
    assert_int_equal(fit.values, 100);
    check_not_known(&fit, 0);
    histogram_release(&histogram);
}

static void check_refused(double value, double sum, double m2)
{
    struct fit fit;
    struct histogram histogram = {0};
    for (int i = 0; i < 10; i++)
        histogram_add(&histogram, 1);
    histogram_add(&histogram, value);
    const struct fit_times times = {&histogram, 11, sum, m2};
    assert_int_equal(fit_exponential(&times, &fit), EDOM);
    assert_int_equal(fit.values, 11);
    check_not_known(&fit, NAN);
    histogram_release(&histogram);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    check_refused(-1, 9, NAN);
    check_refused(2e18, 2e18 + 10, NAN);
    check_refused(1, 11 * 0.97, NAN); /* a mean that no such times have */
    check_refused(1, 11 * 1.021, NAN);
    check_refused(1, -11, NAN);
    check_refused(1, NAN, NAN);
    check_refused(1, INFINITY, NAN);
    check_refused(1, 11, -1e-9);
}

/* A writer was between the histogram and the count: the mean is a possible one all the same. */
static void one_more_in_the_sum_does_no_harm(void **state)
{
    (void)state;
    struct statistics_window window = {0};
    struct fit before, after;
    draw_window(&window, draw_exponential, 7, 1000, 1);
    before = fit_window(&window, false);
    const struct fit_times times = {&window.histogram, 1001, window.mean * 1000 + 2, NAN};
    assert_int_equal(fit_exponential(&times, &after), 0);
    assert_int_equal(after.values, 1000);
    assert_int_equal(after.verdict, before.verdict);
    assert_true(fabs(after.distance - before.distance) < 0.001);
    statistics_window_release(&window);
}

/* Two nodes together are one with all times. */
static void histograms_are_merged_first(void **state)
{
    (void)state;
    struct statistics_window window[3] = {{0}};
    uint64_t seed = 11;
    for (unsigned i = 0; i < 2000; i++) {
        double value = draw_hyperexponential(&seed);
        assert_int_equal(statistics_window_add(&window[i % 2], value), 0);
        assert_int_equal(statistics_window_add(&window[2], value), 0);
    }
    assert_int_equal(statistics_merge(&window[0], &window[1]), 0);
    struct fit merged = fit_window(&window[0], true), whole = fit_window(&window[2], true);
    assert_true(near(merged.distance, whole.distance, 1e-9));
    assert_true(near(merged.chi2, whole.chi2, 1e-9));
    assert_true(near(merged.cv2, whole.cv2, 1e-9));
    for (size_t i = 0; i < N_OF(window); i++)
        statistics_window_release(&window[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_what_scipy_says),
        cmocka_unit_test(the_distance_is_within_its_error),
        cmocka_unit_test(exponential_times_are_rejected_as_often_as_the_level_says),
        cmocka_unit_test(other_times_are_rejected),
        cmocka_unit_test(without_times_nothing_is_known),
        cmocka_unit_test(of_times_that_are_all_0_nothing_is_known),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(one_more_in_the_sum_does_no_harm),
        cmocka_unit_test(histograms_are_merged_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
