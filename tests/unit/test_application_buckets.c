#include <errno.h>
#include <math.h>
#include <string.h>

#include "application/buckets.h"

#include "scarce.h"
#include "unit.h"

#define ANY 1e9 /* a tolerance that is none */

struct outcome {
    int failed;
    double error;
    size_t at;
    struct histogram histogram;
};

static struct outcome convert(const struct bucket *bucket, size_t n, bool is_non_negative,
                              double tolerance)
{
    struct outcome outcome = {.error = -1};
    outcome.failed = buckets_to_histogram(bucket, n, is_non_negative, tolerance, &outcome.histogram,
                                          &outcome.error, &outcome.at);
    if (outcome.failed) {
        static const struct histogram empty = {0};
        assert_true(histogram_equal(&outcome.histogram, &empty));
    }
    return outcome;
}

static void check_failure(const struct bucket *bucket, size_t n, bool is_non_negative,
                          double tolerance, int wanted, size_t at)
{
    struct outcome outcome = convert(bucket, n, is_non_negative, tolerance);
    assert_int_equal(outcome.failed, wanted);
    if (wanted != EINVAL)
        assert_int_equal(outcome.at, at);
    histogram_release(&outcome.histogram);
}

/* One bucket (low, high] with n values, which all of them are near. */
static void check_bucket(double low, double high, double wanted_error)
{
    const struct bucket bucket[] = {{low, 0}, {high, 7}, {INFINITY, 7}};
    struct outcome outcome = convert(bucket, 3, false, ANY);
    assert_int_equal(outcome.failed, 0);
    assert_true(outcome.histogram.count == 7);
    if (fabs(outcome.error - wanted_error) > 1e-12)
        fail_msg("(%g, %g]: error %g instead of %g", low, high, outcome.error, wanted_error);
    double value = histogram_quantile(&outcome.histogram, 0.5);
    const double truths[] = {nextafter(low, INFINITY), (low + high) / 2, high};
    for (size_t i = 0; i < N_OF(truths); i++)
        assert_true(fabs(value - truths[i]) <= outcome.error * fabs(truths[i]) * (1 + 1e-12));
    histogram_release(&outcome.histogram);
}

static double rule(double low, double high)
{
    return (1 + (high - low) / (high + low)) * 1.01 - 1;
}

static void errors_of_widths(void **state)
{
    (void)state;
    for (double factor = 1.03; factor < 1000; factor *= 1.1)
        for (double low = 1e-9; low * factor < 1e18; low *= 7.3) {
            check_bucket(low, low * factor, rule(low, low * factor));
            check_bucket(-low * factor, -low, rule(low, low * factor));
        }
    assert_true(fabs(rule(1, 1.1) - 0.058) < 1e-3);
    assert_true(fabs(rule(1, 2) - 0.3467) < 1e-3);
    assert_true(fabs(rule(1, 2.5) - 0.4429) < 1e-3);
}

/* Buckets that are those of the scheme, or parts of them. */
static void within_the_scheme(void **state)
{
    (void)state;
    for (int i = HISTOGRAM_FIRST + 1; i < HISTOGRAM_LAST; i++) {
        double low = histogram_border(i - 1), high = histogram_border(i);
        check_bucket(low, high, 0.01);
        check_bucket(low, (low + high) / 2, 0.01);
        const struct bucket bucket[] = {{low, 0}, {high, 3}, {INFINITY, 3}};
        struct outcome outcome = convert(bucket, 3, false, 0.01);
        assert_int_equal(outcome.failed, 0);
        assert_int_equal(histogram_side_count(&outcome.histogram.positive, i), 3);
        histogram_release(&outcome.histogram);
    }
}

/* What was counted in fine buckets gives the quantiles of the values themselves. */
static void quantiles(void **state)
{
    enum { N = 400 };
    struct bucket bucket[N + 1];
    (void)state;
    for (int i = 0; i < N; i++)
        bucket[i] = (struct bucket){pow(1.05, i - 200), 0};
    bucket[N] = (struct bucket){INFINITY, 0};
    for (int i = 1; i <= 1000; i++)
        for (int j = 0; j <= N; j++)
            bucket[j].count += i * 0.01 <= bucket[j].bound;
    struct outcome outcome = convert(bucket, N + 1, true, 0.04);
    assert_int_equal(outcome.failed, 0);
    assert_true(outcome.histogram.count == 1000);
    assert_true(outcome.error > 0.03 && outcome.error <= 0.04);
    for (int i = 1; i <= 1000; i++) {
        double truth = i * 0.01, value = histogram_quantile(&outcome.histogram, (i - 1) / 999.0);
        double before = (i > 1 ? i - 1 : i) * 0.01; /* a rank is rounded down */
        assert_true(value <= truth * (1 + outcome.error) && value >= before * (1 - outcome.error));
    }
    histogram_release(&outcome.histogram);
    check_failure(bucket, N + 1, true, 0.03, ERANGE, 106);
}

static void zeros(void **state)
{
    static const struct bucket zero[] = {{0, 5}, {INFINITY, 5}};
    static const struct bucket tiny[] = {{-1e-10, 0}, {0, 1}, {1e-10, 5}, {INFINITY, 5}};
    (void)state;
    struct outcome outcome = convert(zero, 2, true, 0);
    assert_int_equal(outcome.failed, 0);
    assert_int_equal(outcome.histogram.zero, 5);
    assert_true(outcome.histogram.count == 5 && outcome.error == 0);
    histogram_release(&outcome.histogram);
    check_failure(zero, 2, false, ANY, ERANGE, 0);
    outcome = convert(tiny, 4, false, 0);
    assert_int_equal(outcome.failed, 0);
    assert_int_equal(outcome.histogram.zero, 5);
    histogram_release(&outcome.histogram);
}

/* The usual bounds of the clients of Prometheus. Only what lies at their ends is lost to them. */
static void usual_bounds(void **state)
{
    static const double bounds[] = {.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, INFINITY};
    enum { N = N_OF(bounds) };
    (void)state;
    for (size_t full = 0; full < N; full++) {
        struct bucket bucket[N];
        for (size_t i = 0; i < N; i++)
            bucket[i] = (struct bucket){bounds[i], i >= full ? 9 : 0};
        if (full == 0 || full == N - 1) {
            check_failure(bucket, N, true, ANY, ERANGE, full);
            continue;
        }
        struct outcome outcome = convert(bucket, N, true, 0.45);
        assert_int_equal(outcome.failed, 0);
        assert_true(fabs(outcome.error - rule(bounds[full - 1], bounds[full])) < 1e-12);
        histogram_release(&outcome.histogram);
        check_failure(bucket, N, true, 0.3, ERANGE, full);
    }
}

static void too_wide(void **state)
{
    static const struct bucket across[] = {{-1, 0}, {1, 5}, {INFINITY, 5}};
    static const struct bucket up_to_0[] = {{-1, 0}, {0, 5}, {INFINITY, 5}};
    static const struct bucket from_0[] = {{0, 0}, {1, 5}, {INFINITY, 5}};
    static const struct bucket tiny[] = {{1e-10, 0}, {2e-9, 5}, {INFINITY, 5}};
    static const struct bucket endless[] = {{1, 0}, {INFINITY, 5}};
    static const struct bucket beginless[] = {{-1, 3}, {INFINITY, 3}};
    static const struct bucket huge[] = {{9e17, 0}, {1.1e18, 5}, {INFINITY, 5}};
    static const struct bucket none[] = {{-INFINITY, 0}, {-1, 0}, {1, 0}, {INFINITY, 0}};
    static const struct bucket below[] = {{-INFINITY, 2}, {INFINITY, 2}};
    (void)state;
    check_failure(across, 3, false, ANY, ERANGE, 1);
    check_failure(up_to_0, 3, false, ANY, ERANGE, 1);
    check_failure(from_0, 3, false, ANY, ERANGE, 1);
    check_failure(tiny, 3, false, ANY, ERANGE, 1);
    check_failure(endless, 2, false, ANY, ERANGE, 1);
    check_failure(beginless, 2, false, ANY, ERANGE, 0);
    check_failure(beginless, 2, true, ANY, ERANGE, 0);
    check_failure(huge, 3, false, ANY, ERANGE, 1);
    check_failure(below, 2, false, ANY, ERANGE, 0);
    struct outcome outcome = convert(none, 4, false, 0);
    assert_true(outcome.failed == 0 && outcome.error == 0 && outcome.histogram.count == 0);
}

static void no_buckets(void **state)
{
    static const struct bucket falls[] = {{1, 5}, {2, 4}, {INFINITY, 5}};
    static const struct bucket same[] = {{1, 5}, {1, 5}, {INFINITY, 5}};
    static const struct bucket back[] = {{2, 5}, {1, 5}, {INFINITY, 5}};
    static const struct bucket open[] = {{1, 5}, {2, 5}};
    static const struct bucket nan[] = {{NAN, 0}, {INFINITY, 5}};
    static const struct bucket twice[] = {{INFINITY, 5}, {INFINITY, 5}};
    (void)state;
    check_failure(falls, 0, false, ANY, EINVAL, 0);
    check_failure(falls, 3, false, ANY, EINVAL, 0);
    check_failure(same, 3, false, ANY, EINVAL, 0);
    check_failure(back, 3, false, ANY, EINVAL, 0);
    check_failure(open, 2, false, ANY, EINVAL, 0);
    check_failure(nan, 2, false, ANY, EINVAL, 0);
    check_failure(twice, 2, false, ANY, EINVAL, 0);
}

/* Of one bucket of the scheme as of one of these; and what was counted before the failure goes. */
static void too_many(void **state)
{
    const struct bucket one[] = {
        {1, 0}, {1.01, 1}, {1.02, UINT64_C(4294967297)}, {INFINITY, UINT64_C(4294967297)}};
    const struct bucket sum[] = {{1, 0},
                                 {1.005, UINT32_MAX},
                                 {1.01, UINT64_C(4294967296)},
                                 {INFINITY, UINT64_C(4294967296)}};
    const struct bucket zero[] = {
        {0, UINT32_MAX}, {1e-12, UINT64_C(4294967296)}, {INFINITY, UINT64_C(4294967296)}};
    const struct bucket full[] = {{1, 0}, {1.01, UINT32_MAX}, {INFINITY, UINT32_MAX}};
    (void)state;
    check_failure(one, 4, false, ANY, EOVERFLOW, 2);
    check_failure(sum, 4, false, ANY, EOVERFLOW, 2);
    check_failure(zero, 3, true, ANY, EOVERFLOW, 1);
    struct outcome outcome = convert(full, 3, false, ANY);
    assert_int_equal(outcome.failed, 0);
    assert_true(outcome.histogram.count == UINT32_MAX);
    histogram_release(&outcome.histogram);
}

static void memory(void **state)
{
    static const struct bucket bucket[] = {{-2, 0}, {-1.9, 1}, {1, 1}, {1.1, 2}, {INFINITY, 2}};
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        scarce_fail(n);
        check_failure(bucket, N_OF(bucket), false, ANY, ENOMEM, n == 1 ? 1 : 3);
        assert_true(scarce_stop());
    }
    scarce_fail(3);
    check_failure(bucket, N_OF(bucket), false, ANY, 0, 3);
    assert_false(scarce_stop());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_of_widths), cmocka_unit_test(within_the_scheme),
        cmocka_unit_test(quantiles),        cmocka_unit_test(zeros),
        cmocka_unit_test(usual_bounds),     cmocka_unit_test(too_wide),
        cmocka_unit_test(no_buckets),       cmocka_unit_test(too_many),
        cmocka_unit_test(memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
