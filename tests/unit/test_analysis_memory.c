/* Memory that fails anywhere: it is said, and nothing is lost. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "analysis/autocorrelation.h"
#include "analysis/bootstrap.h"
#include "analysis/distribution.h"
#include "analysis/fit.h"
#include "analysis/forecast.h"
#include "analysis/review.h"
#include "analysis/season.h"
#include "scarce.h"
#include "unit.h"

#define LENGTH 96
static double values[LENGTH];

static int of_means(void)
{
    struct bootstrap_interval out;
    return bootstrap_difference(values, LENGTH, values, LENGTH, BOOTSTRAP_MEAN, 0.9, 1, &out);
}

static int of_medians(void)
{
    struct bootstrap_interval out;
    return bootstrap_difference(values, LENGTH, values, LENGTH, BOOTSTRAP_MEDIAN, 0.9, 1, &out);
}

static int of_blocks(void)
{
    return bootstrap_block_length(values, LENGTH) ? 0 : ENOMEM;
}

static int of_distribution(void)
{
    struct distribution out;
    return distribution_of(values, LENGTH, &out);
}

static int of_autocorrelation(void)
{
    double r[5], band;
    return autocorrelation(values, LENGTH, 4, r, &band);
}

static int of_season(void)
{
    struct season out;
    return season_find(values, LENGTH, &out);
}

static int of_fit(void)
{
    struct fit out;
    double sorted[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    return fit_test(sorted, 10, FIT_NORMAL, 1, &out);
}

static int of_forecast(enum forecast_method method)
{
    struct forecast out;
    int error = forecast_of(method, values, LENGTH, method == FORECAST_LINE ? 0 : 12, 5, 0.9, &out);
    assert_true(out.is_known == !error && (out.points != NULL) == out.is_known);
    forecast_release(&out);
    return error;
}

static int of_holt_winters(void)
{
    return of_forecast(FORECAST_HOLT_WINTERS);
}

static int of_line(void)
{
    return of_forecast(FORECAST_LINE);
}

static int of_review(void)
{
    struct review out;
    int error = review_of(values, LENGTH, &out);
    review_release(&out);
    return error;
}

static void each_allocation(void **state)
{
    (void)state;
    static int (*const asked[])(void) = {
        of_means,  of_medians, of_blocks,       of_distribution, of_autocorrelation,
        of_season, of_fit,     of_holt_winters, of_line,         of_review};
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = (double)i * 3 + (double)((i * i) % 7) + 9 * sin(2 * M_PI * (double)i / 12);
    for (size_t i = 0; i < N_OF(asked); i++) {
        size_t nth = 1;
        bool has_failed = true;
        for (; has_failed; nth++) {
            scarce_fail(nth);
            int error = asked[i]();
            has_failed = scarce_stop();
            assert_int_equal(error, has_failed ? ENOMEM : 0);
        }
        assert_true(nth > 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
