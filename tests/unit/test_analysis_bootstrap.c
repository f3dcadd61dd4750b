/* Whether two series differ beyond chance. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/bootstrap.h"
#include "analysis/normal.h"
#include "analysis/random.h"
#include "near.h"
#include "unit.h"

#define MOST 720

/* Each value has part of the one before. */
static void make(double *values, size_t n, double part, double mean, struct random_state *random)
{
    double x = normal_quantile(random_unit(random)) / sqrt(1 - part * part);
    for (size_t i = 0; i < n; i++) {
        values[i] = mean + x;
        x = part * x + normal_quantile(random_unit(random));
    }
}

static struct bootstrap_interval compare(const double *a, size_t n_a, const double *b, size_t n_b,
                                         enum bootstrap_statistic statistic)
{
    struct bootstrap_interval out;
    assert_int_equal(bootstrap_difference(a, n_a, b, n_b, statistic, 0.95, 1, &out), 0);
    return out;
}

/* Equal series differ about one time of twenty, however much their values resemble each other;
 * those that differ by much do so always. */
static void how_often(enum bootstrap_statistic statistic, double part, double differ, int least,
                      int most)
{
    struct random_state random = {7};
    double a[MOST], b[MOST];
    int beyond = 0;
    for (int i = 0; i < 100; i++) {
        make(a, MOST, part, 10, &random);
        make(b, MOST, part, 10 + differ, &random);
        struct bootstrap_interval out = compare(a, MOST, b, MOST, statistic);
        assert_true(out.is_known && out.low <= out.difference && out.difference <= out.high);
        beyond += out.beyond_chance;
    }
    assert_in_range(beyond, least, most);
}

static void equal_and_different(void **state)
{
    (void)state;
    how_often(BOOTSTRAP_MEAN, 0, 0, 1, 10);
    how_often(BOOTSTRAP_MEAN, 0.9, 0, 1, 12);
    how_often(BOOTSTRAP_MEDIAN, 0.5, 0, 1, 12);
    how_often(BOOTSTRAP_P95, 0.5, 0, 0, 12);
    how_often(BOOTSTRAP_P99, 0, 0, 0, 10);
    how_often(BOOTSTRAP_MEAN, 0, 0.4, 100, 100);
    how_often(BOOTSTRAP_MEAN, 0.9, 4, 97, 100);
    how_often(BOOTSTRAP_MEDIAN, 0.5, 1, 97, 100);
    how_often(BOOTSTRAP_P90, 0.5, -1.5, 97, 100);
}

static void figures(void **state)
{
    (void)state;
    double a[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, b[12];
    for (int i = 0; i < 12; i++)
        b[i] = i % 2 ? 101 : 103;
    struct bootstrap_interval out = compare(a, 10, b, 12, BOOTSTRAP_MEAN);
    assert_true(out.is_known && out.a == 5.5 && out.b == 102 && out.difference == 96.5);
    assert_true(out.beyond_chance && !out.why);
    out = compare(b, 12, a, 10, BOOTSTRAP_MEDIAN);
    assert_true(out.a == 102 && out.b == 5.5 && out.difference == -96.5 && out.beyond_chance);
}

/* The same again with the same seed, and nearly the same with another. */
static void seeds(void **state)
{
    (void)state;
    struct random_state random = {3};
    struct bootstrap_interval one, same, other;
    double a[MOST], b[MOST];
    make(a, MOST, 0.7, 0, &random);
    make(b, MOST, 0.7, 0, &random);
    for (int statistic = BOOTSTRAP_MEAN; statistic <= BOOTSTRAP_P99; statistic++) {
        assert_int_equal(bootstrap_difference(a, MOST, b, MOST, statistic, 0.9, 5, &one), 0);
        assert_int_equal(bootstrap_difference(a, MOST, b, MOST, statistic, 0.9, 5, &same), 0);
        assert_int_equal(bootstrap_difference(a, MOST, b, MOST, statistic, 0.9, 6, &other), 0);
        assert_memory_equal(&one, &same, sizeof one);
        assert_true(one.low != other.low);
        assert_near(one.high - one.low, other.high - other.low, 0.2 * (one.high - one.low));
    }
}

/* A rarer error needs a wider interval, also where no replicate shows one so rare. */
static void levels(void **state)
{
    (void)state;
    static const double wanted[] = {0.5, 0.9, 0.99, 0.9999, 0.9999999};
    struct random_state random = {3};
    struct bootstrap_interval out;
    double a[MOST], b[MOST], before = 0;
    make(a, MOST, 0, 0, &random);
    make(b, MOST, 0, 0, &random);
    for (size_t i = 0; i < N_OF(wanted); i++) {
        assert_int_equal(bootstrap_difference(a, MOST, b, MOST, BOOTSTRAP_MEAN, wanted[i], 1, &out),
                         0);
        double width = out.high - out.low;
        assert_true(width > before * 1.1 && width < 12 * sqrt(2. / MOST));
        before = width;
    }
}

static void constant_ones(void **state)
{
    (void)state;
    double a[40], b[33];
    for (int i = 0; i < 40; i++)
        a[i] = 0.1;
    for (int i = 0; i < 33; i++)
        b[i] = 0.1;
    for (int statistic = BOOTSTRAP_MEAN; statistic <= BOOTSTRAP_P90; statistic++) {
        struct bootstrap_interval out = compare(a, 40, b, 33, statistic);
        assert_true(out.is_known && out.difference == 0 && out.low == 0 && out.high == 0);
        assert_false(out.beyond_chance);
    }
    b[20] = 0.2;
    assert_false(compare(a, 40, b, 33, BOOTSTRAP_MEAN).beyond_chance);
    for (int i = 0; i < 33; i++)
        b[i] = 0.3;
    assert_true(compare(a, 40, b, 33, BOOTSTRAP_MEAN).beyond_chance);
}

static void unknown(const double *a, size_t n, enum bootstrap_statistic statistic, const char *why)
{
    double good[400];
    for (int i = 0; i < 400; i++)
        good[i] = i;
    struct bootstrap_interval out = compare(a, n, good, 400, statistic);
    assert_false(out.is_known);
    assert_string_equal(out.why, why);
    assert_string_equal(compare(good, 400, a, n, statistic).why, why);
}

static void not_known(void **state)
{
    (void)state;
    double a[299];
    for (int i = 0; i < 299; i++)
        a[i] = 1;
    unknown(a, 0, BOOTSTRAP_MEAN, "too few values");
    unknown(a, 7, BOOTSTRAP_MEAN, "too few values");
    unknown(a, 29, BOOTSTRAP_P90, "too few values");
    unknown(a, 59, BOOTSTRAP_P95, "too few values");
    unknown(a, 299, BOOTSTRAP_P99, "too few values");
    assert_true(compare(a, 30, a, 30, BOOTSTRAP_P90).is_known);
    unknown(a, BOOTSTRAP_MOST + 1, BOOTSTRAP_MEAN, "too many values");
    a[5] = NAN;
    unknown(a, 20, BOOTSTRAP_MEAN, "a value is not finite");
    a[5] = INFINITY;
    unknown(a, 20, BOOTSTRAP_MEDIAN, "a value is not finite");
    a[5] = 1e200;
    unknown(a, 20, BOOTSTRAP_MEAN, "the values are too large");
    a[5] = -1.7e308;
    a[6] = 1.7e308;
    unknown(a, 20, BOOTSTRAP_MEDIAN, "the values are too large");
}

static void wrong_questions(void **state)
{
    (void)state;
    double a[10] = {0};
    struct bootstrap_interval out;
    static const double levels[] = {0, 1, -1, 2, NAN};
    for (size_t i = 0; i < N_OF(levels); i++)
        assert_int_equal(bootstrap_difference(a, 10, a, 10, BOOTSTRAP_MEAN, levels[i], 1, &out),
                         EINVAL);
    assert_int_equal(bootstrap_difference(a, 10, a, 10, BOOTSTRAP_P99 + 1, 0.9, 1, &out), EINVAL);
}

/* The longer values resemble each other, the longer are blocks; 4 are left at least. */
static void blocks(void **state)
{
    (void)state;
    struct random_state random = {11};
    double a[MOST];
    make(a, MOST, 0, 0, &random);
    assert_in_range(bootstrap_block_length(a, MOST), 1, 6);
    make(a, MOST, 0.5, 0, &random);
    assert_in_range(bootstrap_block_length(a, MOST), 5, 20);
    make(a, MOST, 0.95, 0, &random);
    assert_in_range(bootstrap_block_length(a, MOST), 25, 81);
    for (int i = 0; i < MOST; i++)
        a[i] = i;
    assert_in_range(bootstrap_block_length(a, MOST), 60, 81);
    assert_in_range(bootstrap_block_length(a, 8), 1, 2);
    memset(a, 0, sizeof a);
    assert_int_equal(bootstrap_block_length(a, MOST), 1);
}

/* qt() and qnorm() of R 4.2. */
static void quantiles(void **state)
{
    (void)state;
    assert_near(normal_quantile(0.975), 1.9599639845400545, 1e-14);
    assert_near(normal_quantile(0.01), -2.3263478740408408, 1e-14);
    assert_near(normal_quantile(1e-20), -9.2623400897984052, 1e-13);
    assert_true(normal_quantile(0) == -INFINITY && normal_quantile(1) == INFINITY);
    assert_true(isnan(normal_quantile(-0.1)) && isnan(normal_quantile(NAN)));
    assert_near(normal_probability(-36) * 1e284, 4.182624066, 1e-8);
    assert_near(student_quantile(0.975, 1), 12.706204736432, 1e-9);
    assert_near(student_quantile(0.975, 2), 4.302652729911, 1e-9);
    assert_near(student_quantile(0.025, 3), -3.182446305284, 1e-9);
    assert_near(student_quantile(0.9999, 4), 13.03367172, 1e-7);
    assert_near(student_quantile(0.975, 11.5), 2.189365894, 1e-8);
    assert_near(student_quantile(0.975, 1e9), 1.95996398, 1e-7);
    assert_near(student_quantile(0.975, 2.05), 4.203635183649, 1e-9);
    assert_near(student_quantile(0.975, 1.5), 6.016663104428, 1e-9);
    assert_near(student_quantile(1e-6, 1.2), -40205.49314107, 1e-4);
    assert_near(student_quantile(0.5 + 1e-7, 19.9) / student_quantile(0.5 + 1e-7, 20),
                1.00006273752, 1e-8);
    assert_near(student_quantile(0.9999999, 20), 7.72309967524, 1e-5);
    assert_true(student_quantile(1e-300, 1) < -1e298);
    assert_true(student_quantile(0.5, 5) == 0 && isnan(student_quantile(0.9, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(equal_and_different),
                                       cmocka_unit_test(figures),
                                       cmocka_unit_test(seeds),
                                       cmocka_unit_test(levels),
                                       cmocka_unit_test(constant_ones),
                                       cmocka_unit_test(not_known),
                                       cmocka_unit_test(wrong_questions),
                                       cmocka_unit_test(blocks),
                                       cmocka_unit_test(quantiles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
