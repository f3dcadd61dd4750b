/* What a series is like: distribution, line, autocorrelation, season. */
#include <math.h>
#include <stdlib.h>

#include "analysis/autocorrelation.h"
#include "analysis/distribution.h"
#include "analysis/line.h"
#include "analysis/normal.h"
#include "analysis/random.h"
#include "analysis/season.h"
#include "near.h"
#include "unit.h"

static void distributions(void **state)
{
    (void)state;
    double values[] = {4, NAN, 1, 3, INFINITY, 2, 10};
    struct distribution d;
    assert_int_equal(distribution_of(values, N_OF(values), &d), 0);
    assert_int_equal(d.n, 5);
    assert_int_equal(d.gaps, 2);
    assert_near(d.mean, 4, 1e-12);
    assert_near(d.deviation, sqrt(50 / 4.), 1e-12);
    assert_near(d.skewness, 180 / 5. / pow(10, 1.5), 1e-12);
    assert_near(d.excess, 1394 / 5. / 100 - 3, 1e-12);
    assert_true(d.least == 1 && d.largest == 10 && d.quantile[4] == 3);
    assert_near(d.quantile[6], 4 + 0.6 * 6, 1e-12);
}

static void few_values(void **state)
{
    (void)state;
    struct distribution d;
    double one = 7, none = NAN, large[] = {1e300, -1e300, 1e300};
    assert_int_equal(distribution_of(NULL, 0, &d), 0);
    assert_int_equal(d.n, 0);
    assert_int_equal(distribution_of(&none, 1, &d), 0);
    assert_true(d.n == 0 && d.gaps == 1);
    assert_int_equal(distribution_of(&one, 1, &d), 0);
    assert_true(d.mean == 7 && isnan(d.deviation) && isnan(d.skewness) && d.quantile[0] == 7);
    assert_int_equal(distribution_of(large, 3, &d), 0);
    assert_near(d.mean / 1e299, 3.3333333, 1e-6);
    /* Large ones that hardly differ keep their digits. */
    double near[] = {1e15, 1e15 + 1, 1e15 + 2};
    assert_int_equal(distribution_of(near, 3, &d), 0);
    assert_true(d.deviation == 1 && d.mean == 1e15 + 1);
}

static void lines(void **state)
{
    (void)state;
    struct line line = {0};
    assert_true(isnan(line_at(&line, 1)) && line_slope(&line) == 0);
    line_add(&line, 5, 3);
    assert_true(line_at(&line, 100) == 3 && isnan(line_deviation(&line)));
    line_add(&line, 6, 5);
    line_add(&line, 7, 7);
    assert_near(line_at(&line, 0), -7, 1e-12);
    assert_near(line_deviation(&line), 0, 1e-12);
    double values[] = {1, NAN, 5, 7, 10}, rest[5];
    line_remove(values, 5, rest);
    assert_true(isnan(rest[1]));
    assert_near(rest[0] + rest[2] + rest[3] + rest[4], 0, 1e-12);
}

/* acf(c(1, 3, 2, 5, 4)) of R, and with NA for the second by na.action = na.pass. */
static void autocorrelations(void **state)
{
    (void)state;
    double values[] = {1, 3, 2, 5, 4}, r[5], band;
    assert_int_equal(autocorrelation(values, 5, 4, r, &band), 0);
    assert_true(r[0] == 1);
    assert_near(r[1], 0, 1e-12);
    assert_near(r[2], 0.1, 1e-12);
    assert_near(r[3], -0.4, 1e-12);
    assert_near(r[4], -0.2, 1e-12);
    assert_near(band, 1.959963984540054 / sqrt(5), 1e-12);
    values[1] = NAN;
    assert_int_equal(autocorrelation(values, 5, 4, r, &band), 0);
    assert_near(r[1], 0, 1e-12);
    assert_near(r[3], -0.4, 1e-12);
    assert_near(r[4], -0.16, 1e-12);
    assert_near(r[2], 0.1, 1e-12);
    assert_near(band, 1.959963984540054 / 2, 1e-12);
}

static void no_autocorrelation(void **state)
{
    (void)state;
    double values[] = {2, 2, 2, NAN}, r[3], band, large[] = {1e300, -1e300, 1e300};
    assert_int_equal(autocorrelation(values, 4, 2, r, &band), 0);
    assert_true(isnan(r[0]) && isnan(r[1]) && isnan(r[2]));
    assert_int_equal(autocorrelation(large, 3, 2, r, &band), 0);
    assert_true(isnan(r[0]) && isnan(r[2]));
    assert_int_equal(autocorrelation(values + 3, 1, 0, r, &band), 0);
    assert_true(isnan(r[0]) && isnan(band));
    assert_int_equal(autocorrelation(values, 1, 0, r, &band), 0);
    assert_true(isnan(r[0]) && isfinite(band));
}

/* The only pair varies more than all values do. */
static void bounded_autocorrelation(void **state)
{
    (void)state;
    double values[18] = {10, 10}, r[2], band;
    for (size_t i = 2; i < 18; i += 2)
        values[i] = NAN;
    assert_int_equal(autocorrelation(values, 18, 1, r, &band), 0);
    assert_true(r[0] == 1 && r[1] == 1);
}

#define LENGTH 1000

/* A wave, a slope, noise, a share of gaps, and how much of a value the next one has. */
struct shape {
    size_t period;
    double height, slope, noise, gaps, part;
};

static struct season season_of(struct shape shape, uint64_t seed)
{
    struct random_state random = {seed};
    struct season season;
    double values[LENGTH], x = 0;
    for (size_t i = 0; i < LENGTH; i++) {
        x = shape.part * x + shape.noise * normal_quantile(random_unit(&random));
        values[i] = 50 + shape.slope * (double)i + x;
        if (shape.period)
            values[i] += shape.height * (sin(2 * M_PI * (double)i / (double)shape.period) +
                                         (i % shape.period == 3));
        if (random_unit(&random) < shape.gaps)
            values[i] = NAN;
    }
    assert_int_equal(season_find(values, LENGTH, &season), 0);
    return season;
}

static void seasons(void **state)
{
    (void)state;
    struct season season = season_of((struct shape){24, 10, 0, 1, 0, 0}, 1);
    assert_true(season.is_known && !season.why && season.period == 24);
    assert_true(season.strength > 0.9 && season.correlation > 0.8);
    season = season_of((struct shape){24, 10, 0.5, 10, 0, 0}, 2);
    assert_true(season.is_known && season.period == 24 && season.strength < 0.6);
    season = season_of((struct shape){100, 10, -1, 5, 0.2, 0.3}, 3);
    assert_true(season.is_known);
    assert_in_range(season.period, 98, 102);
    season = season_of((struct shape){7, 10, 0, 0, 0, 0}, 3);
    assert_true(season.is_known && season.period == 7);
    season = season_of((struct shape){300, 10, 0, 3, 0, 0}, 3);
    assert_true(season.is_known);
    assert_in_range(season.period, 285, 315);
}

static void no_seasons(void **state)
{
    (void)state;
    int found = 0;
    struct season season;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        found += season_of((struct shape){.noise = 1}, seed).is_known;
        found += season_of((struct shape){.noise = 1, .part = 0.9}, seed).is_known;
        found += season_of((struct shape){.noise = 1, .slope = 1}, seed).is_known;
    }
    assert_in_range(found, 0, 3);
    season = season_of((struct shape){.slope = 1, .gaps = 1}, 1);
    assert_string_equal(season.why, "the values do not vary");
    season = season_of((struct shape){0}, 1);
    assert_true(!season.is_known && season.period == 0);
    season = season_of((struct shape){400, 10, 0, 0, 0, 0}, 1);
    assert_false(season.is_known && season.period == 400);
    double values[5] = {1, 2, 1, 2, 1};
    assert_int_equal(season_find(values, 5, &season), 0);
    assert_string_equal(season.why, "too few values");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(distributions),
                                       cmocka_unit_test(few_values),
                                       cmocka_unit_test(lines),
                                       cmocka_unit_test(autocorrelations),
                                       cmocka_unit_test(no_autocorrelation),
                                       cmocka_unit_test(bounded_autocorrelation),
                                       cmocka_unit_test(seasons),
                                       cmocka_unit_test(no_seasons)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
