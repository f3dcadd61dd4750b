/* Whether a sample may be of a family of distributions. */
#include <math.h>
#include <stdlib.h>

#include "analysis/fit.h"
#include "analysis/normal.h"
#include "analysis/quantile.h"
#include "analysis/random.h"
#include "near.h"
#include "unit.h"

static double draw(enum fit_family family, struct random_state *random)
{
    double u = random_unit(random);
    return family == FIT_EXPONENTIAL  ? -3 * log(u)
           : family == FIT_UNIFORM    ? 5 + 2 * u
           : family == FIT_LOG_NORMAL ? exp(1 + 0.8 * normal_quantile(u))
                                      : 100 + 20 * normal_quantile(u);
}

static struct fit test_of(enum fit_family drawn, enum fit_family tested, size_t n, uint64_t seed)
{
    struct random_state random = {seed};
    struct fit fit;
    double *sample = calloc(n, sizeof *sample);
    assert_non_null(sample);
    for (size_t i = 0; i < n; i++)
        sample[i] = draw(drawn, &random);
    quantile_sort(sample, n);
    assert_int_equal(fit_test(sample, n, tested, 1, &fit), 0);
    free(sample);
    return fit;
}

/* What is of the family is rejected one time of twenty, for the parameters are fitted, too; what is
 * of another is rejected. */
static void families(void **state)
{
    (void)state;
    for (int drawn = 0; drawn < FIT_FAMILIES; drawn++)
        for (int tested = 0; tested < FIT_FAMILIES; tested++) {
            int by_distance = 0, by_square = 0, runs = 10;
            for (int i = 0; i < runs; i++) {
                struct fit fit = test_of(drawn, tested, 400, (uint64_t)i + 5);
                assert_true(fit.is_known);
                by_distance += fit.distance_p < 0.05;
                by_square += fit.square_p < 0.05;
            }
            bool is_same = drawn == tested;
            assert_in_range(by_distance, is_same ? 0 : runs / 2, is_same ? 3 : runs);
            assert_in_range(by_square, is_same ? 0 : runs / 2, is_same ? 3 : runs);
        }
}

/* Large samples are compared with those of 1,000 values. */
static void large_samples(void **state)
{
    (void)state;
    for (int family = 0; family < FIT_FAMILIES; family++) {
        int rejected = 0;
        for (int i = 0; i < 20; i++)
            rejected += test_of(family, family, 5000, (uint64_t)i + 77).distance_p < 0.05;
        assert_in_range(rejected, 0, 4);
        assert_true(test_of(family, (family + 1) % FIT_FAMILIES, 5000, 1).distance_p <= 0.001);
    }
}

/* ks.test(x, "pnorm", mean(x), sd(x)) and so on of R 4.2; A^2 by its formula. */
static void figures(void **state)
{
    (void)state;
    double x[] = {0.5, 1.1, 1.3, 1.7, 2.4, 2.6, 3.9, 4.2, 6.8, 9.5};
    struct fit fit;
    assert_int_equal(fit_test(x, 10, FIT_NORMAL, 1, &fit), 0);
    assert_near(fit.parameter[0], 3.4, 1e-12);
    assert_near(fit.parameter[1], 2.834313556, 1e-6);
    assert_near(fit.distance, 0.2111261179, 1e-9);
    assert_near(fit.square, 0.5459113018, 1e-9);
    assert_int_equal(fit_test(x, 10, FIT_EXPONENTIAL, 1, &fit), 0);
    assert_near(fit.parameter[0], 1 / 3.4, 1e-12);
    assert_near(fit.distance, 0.1764093245, 1e-6);
    assert_true(isnan(fit.parameter[1]));
    assert_int_equal(fit_test(x, 10, FIT_UNIFORM, 1, &fit), 0);
    assert_true(fit.parameter[0] == 0.5 && fit.parameter[1] == 9.5);
    assert_near(fit.distance, 0.4638888889, 1e-9);
    assert_string_equal(fit_name(FIT_LOG_NORMAL), "log-normal");
}

static void unknown(double *x, size_t n, enum fit_family family, const char *why)
{
    struct fit fit;
    assert_int_equal(fit_test(x, n, family, 1, &fit), 0);
    assert_false(fit.is_known);
    assert_string_equal(fit.why, why);
}

static void not_known(void **state)
{
    (void)state;
    double x[10] = {-2, 0, 1, 2, 3, 4, 5, 6, 7, 8}, same[10] = {0}, large[10] = {0};
    struct fit fit;
    large[9] = 1e200;
    unknown(x, 0, FIT_NORMAL, "too few values");
    unknown(x, 7, FIT_UNIFORM, "too few values");
    unknown(same, 10, FIT_NORMAL, "all values are equal");
    unknown(x, 10, FIT_EXPONENTIAL, "a value is negative");
    unknown(x, 10, FIT_LOG_NORMAL, "a value is not positive");
    unknown(x + 1, 9, FIT_LOG_NORMAL, "a value is not positive");
    unknown(large, 10, FIT_NORMAL, "the values are too large");
    assert_int_equal(fit_test(x + 1, 9, FIT_EXPONENTIAL, 1, &fit), 0);
    assert_true(fit.is_known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(families), cmocka_unit_test(large_samples),
                                       cmocka_unit_test(figures), cmocka_unit_test(not_known)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
