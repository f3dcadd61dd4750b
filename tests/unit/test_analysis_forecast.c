/* Holt-Winters and the line, what they foretell, and when they do not. */
#include <math.h>
#include <stdlib.h>

#include "analysis/forecast.h"
#include "analysis/nelder_mead.h"
#include "analysis/normal.h"
#include "analysis/random.h"
#include "near.h"
#include "unit.h"

#define LENGTH 480
#define DAY 24

/* A day's wave with two humps, a slope and noise. */
static void make(double *values, double height, double slope, double noise, uint64_t seed)
{
    struct random_state random = {seed};
    for (size_t i = 0; i < LENGTH + DAY; i++) {
        double angle = 2 * M_PI * (double)i / DAY;
        values[i] = 100 + slope * (double)i + height * (sin(angle) + 0.5 * cos(2 * angle)) +
                    noise * normal_quantile(random_unit(&random));
    }
}

/* HoltWinters(ts(x, frequency = 4), 0.5, 0.4, 0.3) of R 4.2: its coefficients, and predict(, 2). */
static void as_r(void **state)
{
    (void)state;
    double x[] = {10, 14, 8, 20, 12, 15, 9, 23, 13, 18, 10, 25, 16, 19, 12, 28};
    struct holt_winters hw;
    struct holt_winters_parameters parameters = {0.5, 0.4, 0.3, 1};
    assert_int_equal(holt_winters_start(&hw, x, 16, 4, parameters), 0);
    assert_near(hw.level, 12.875, 1e-9); /* l.start, b.start and s.start */
    assert_near(hw.trend, 0.3625, 1e-9);
    assert_near(hw.season[0], -1.84375, 1e-9);
    assert_near(hw.season[3], 6.40625, 1e-9);
    double squares = 0;
    for (size_t i = 4; i < 16; i++) {
        double error = holt_winters_next(&hw, x[i]);
        squares += error * error;
    }
    assert_near(squares, 24.2122553656135, 1e-9);
    assert_near(hw.level, 19.777790533567533, 1e-9);
    assert_near(hw.trend, 0.759629753168363, 1e-9);
    assert_near(holt_winters_ahead(&hw, 1), 18.50932, 1e-5);
    assert_near(holt_winters_ahead(&hw, 2), 22.10529, 1e-5);
    assert_near(holt_winters_ahead(&hw, 6) - holt_winters_ahead(&hw, 2), 4 * hw.trend, 1e-9);
    holt_winters_release(&hw);
}

/* The trend fades; at a gap everything goes on. */
static void damping(void **state)
{
    (void)state;
    double x[] = {0, 1, 1, 2, 2, 3, 3, 4};
    struct holt_winters_parameters parameters = {0, 0, 0, 0.9};
    struct holt_winters hw;
    assert_int_equal(holt_winters_start(&hw, x, 8, 2, parameters), 0);
    double level = hw.level, trend = hw.trend, foretold = holt_winters_ahead(&hw, 3);
    assert_near(holt_winters_ahead(&hw, 2), level + (0.9 + 0.81) * trend + hw.season[1], 1e-12);
    assert_true(holt_winters_next(&hw, NAN) == 0);
    assert_near(holt_winters_ahead(&hw, 2), foretold, 1e-12);
    holt_winters_release(&hw);
}

static void starts(void **state)
{
    (void)state;
    double x[] = {1, NAN, 2, NAN, 3, NAN, 4, 5};
    assert_true(holt_winters_may_start(x, 8, 2));
    assert_false(holt_winters_may_start(x, 7, 2));
    assert_false(holt_winters_may_start(x, 3, 2));
    assert_false(holt_winters_may_start(x, 8, 1));
    assert_false(holt_winters_may_start(x, 8, 0));
    assert_false(holt_winters_may_start(x, 8, SIZE_MAX));
}

static void parameters_are_found(void **state)
{
    (void)state;
    static double values[LENGTH + DAY];
    struct holt_winters_parameters p;
    double squares;
    make(values, 20, 0.1, 1, 1);
    assert_int_equal(holt_winters_fit(values, LENGTH, DAY, false, &p, &squares), 0);
    assert_true(p.phi == 1 && p.alpha >= 0 && p.alpha < 0.3 && p.beta < 0.3 && p.gamma < 0.7);
    assert_in_range(squares, LENGTH * 9 / 10, LENGTH * 3 / 2);
    assert_int_equal(holt_winters_fit(values, LENGTH, DAY, true, &p, NULL), 0);
    assert_true(p.phi >= HOLT_WINTERS_DAMPING && p.phi <= 1);
}

/* Of a wave with noise: values of the next day, of which nine of ten are in their intervals. */
static void a_day_ahead(void **state)
{
    (void)state;
    static double values[LENGTH + DAY];
    int inside = 0, all = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct forecast forecast;
        make(values, 20, 0.05, 2, seed);
        assert_int_equal(
            forecast_of(FORECAST_HOLT_WINTERS, values, LENGTH, DAY, DAY, 0.9, &forecast), 0);
        assert_true(forecast.is_known && forecast.n == DAY && forecast.error < forecast.naive);
        for (size_t i = 0; i < DAY; i++, all++) {
            assert_near(forecast.points[i].value, values[LENGTH + i], 12);
            inside += values[LENGTH + i] >= forecast.points[i].low &&
                      values[LENGTH + i] <= forecast.points[i].high;
        }
        forecast_release(&forecast);
    }
    assert_in_range(inside, all * 84 / 100, all * 96 / 100);
}

static void a_line_ahead(void **state)
{
    (void)state;
    static double values[LENGTH + DAY];
    struct forecast forecast;
    make(values, 0, 0.5, 1, 3);
    for (size_t i = 10; i < LENGTH; i += 7)
        values[i] = NAN;
    assert_int_equal(forecast_of(FORECAST_LINE, values, LENGTH, 0, 50, 0.9, &forecast), 0);
    assert_true(forecast.is_known && forecast.n == 50);
    assert_near(forecast.slope, 0.5, 0.01);
    for (size_t i = 0; i < 50; i++) {
        double expected = 100 + 0.5 * (double)(LENGTH + i);
        assert_near(forecast.points[i].value, expected, 1);
        assert_true(forecast.points[i].low < expected && forecast.points[i].high > expected);
    }
    forecast_release(&forecast);
}

/* A sensor that is new in the time that is asked for: the first trials have nothing to go by. */
static void a_late_beginning(void **state)
{
    (void)state;
    static double values[LENGTH + DAY];
    struct forecast forecast;
    make(values, 0, 0.5, 1, 3);
    for (size_t i = 0; i < 2 * LENGTH / 3 + 20; i++)
        values[i] = NAN;
    assert_int_equal(forecast_of(FORECAST_LINE, values, LENGTH, 0, 10, 0.9, &forecast), 0);
    assert_true(forecast.is_known && isfinite(forecast.error));
    for (size_t i = 0; i < 10; i++) {
        const struct forecast_point *point = &forecast.points[i];
        double expected = 100 + 0.5 * (double)(LENGTH + i);
        assert_true(isfinite(point->low) && isfinite(point->high));
        assert_true(point->low < expected && point->high > expected);
    }
    forecast_release(&forecast);
}

/* So far ahead that the last third says nothing of it, there is a value without an interval. */
static void far_ahead(void **state)
{
    (void)state;
    static double values[LENGTH + DAY];
    struct forecast forecast;
    make(values, 0, 0.5, 1, 3);
    assert_int_equal(forecast_of(FORECAST_LINE, values, LENGTH, 0, 300, 0.9, &forecast), 0);
    assert_true(forecast.is_known && isfinite(forecast.points[100].low));
    assert_true(isnan(forecast.points[150].low) && isnan(forecast.points[150].high));
    assert_near(forecast.points[299].value, 100 + 0.5 * (LENGTH + 299), 2);
    forecast_release(&forecast);
}

static void unknown(enum forecast_method method, const double *values, size_t n, size_t period,
                    const char *why)
{
    struct forecast forecast;
    assert_int_equal(forecast_of(method, values, n, period, 10, 0.9, &forecast), 0);
    assert_false(forecast.is_known);
    assert_null(forecast.points);
    assert_string_equal(forecast.why, why);
    forecast_release(&forecast);
}

static void not_known(void **state)
{
    (void)state;
    static double values[LENGTH + DAY];
    make(values, 20, 0, 1, 1);
    unknown(FORECAST_LINE, values, 0, 0, "too few values");
    unknown(FORECAST_LINE, values, 23, 0, "too few values");
    unknown(FORECAST_HOLT_WINTERS, values, LENGTH, 0, "there is no season");
    unknown(FORECAST_HOLT_WINTERS, values, LENGTH, 121, "too few seasons");
    unknown(FORECAST_HOLT_WINTERS, values, 95, DAY, "too few seasons");
    unknown(FORECAST_LINE, values, LENGTH, DAY,
            "it does no better than the value one season before");
    values[3] = 1e200;
    unknown(FORECAST_LINE, values, LENGTH, 0, "the values are too large");
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = 5;
    unknown(FORECAST_LINE, values, LENGTH, 0, "it does no better than the last value");
    unknown(FORECAST_HOLT_WINTERS, values, LENGTH, DAY,
            "it does no better than the value one season before");
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = NAN;
    unknown(FORECAST_HOLT_WINTERS, values, LENGTH, DAY, "too few values");
    struct random_state random = {1};
    double x = 0;
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = x += normal_quantile(random_unit(&random));
    unknown(FORECAST_LINE, values, LENGTH, 0, "it does no better than the last value");
}

/* The banana of Rosenbrock, 1960; where it is not a number, it is avoided. */
static double banana(const double *at, void *context)
{
    (void)context;
    double a = 1 - at[0], b = at[1] - at[0] * at[0];
    return at[0] > 1.5 ? NAN : a * a + 100 * b * b;
}

static void a_least(void **state)
{
    (void)state;
    double at[] = {-1.2, 1};
    double least = nelder_mead(banana, NULL, at, 2, 0.5, 1e-14, 2000);
    assert_true(least < 1e-8);
    assert_near(at[0], 1, 1e-3);
    assert_near(at[1], 1, 1e-3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_r),        cmocka_unit_test(damping),
        cmocka_unit_test(starts),      cmocka_unit_test(parameters_are_found),
        cmocka_unit_test(a_day_ahead), cmocka_unit_test(a_line_ahead),
        cmocka_unit_test(far_ahead),   cmocka_unit_test(not_known),
        cmocka_unit_test(a_least),     cmocka_unit_test(a_late_beginning)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
