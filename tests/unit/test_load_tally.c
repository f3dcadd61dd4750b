/* What came of operations: sums, times, kinds of failures, and how two of them become one. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "load/tally.h"
#include "scarce.h"
#include "unit.h"

static void add(struct tally *tally, uint64_t late_ms, uint64_t long_ms,
                const struct failure *failure)
{
    const struct tally_operation operation = {long_ms * NS_PER_MS, late_ms * NS_PER_MS, failure};
    tally_add(tally, &operation);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 0.0101 * b;
}

/* Failures count in the times, too. */
static void times_are_of_all(void **state)
{
    static const struct failure timeout = {FAILURE_TIMEOUT, "not done within 1 s"};
    struct tally tally = {0};
    (void)state;
    for (uint64_t i = 1; i <= 100; i++)
        add(&tally, 5, i * 10, i > 98 ? &timeout : NULL);
    assert_int_equal(tally.operations, 100);
    assert_int_equal(tally.errors, 2);
    assert_int_equal(tally.uncounted, 0);
    assert_true(is_near(statistics_quantile(&tally.response, 0.5), 0.5));
    assert_true(is_near(statistics_quantile(&tally.response, 0.99), 0.99));
    assert_true(fabs(tally.response.mean - 0.505) < 1e-9 && tally.response.max == 1);
    assert_true(is_near(tally.lateness.max, 0.005));
    tally_release(&tally);
}

/* Of n times, which are 1 ms to n ms, that of the rank ceil(q n). */
static void ranks_are_rounded_up(void **state)
{
    static const double quantiles[] = {0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
    struct tally tally = {0};
    (void)state;
    assert_true(isnan(tally_quantile(&tally.response, 0.5)));
    for (uint64_t n = 1; n <= 1200; n++) {
        add(&tally, 0, n, NULL);
        for (size_t i = 0; i < N_OF(quantiles); i++) {
            double rank = fmax(ceil(quantiles[i] * (double)n), 1);
            assert_true(is_near(tally_quantile(&tally.response, quantiles[i]), rank / 1000));
        }
    }
    tally_release(&tally);
}

static void failures_have_kinds(void **state)
{
    static const struct failure first = {FAILURE_CLOSED, "first"},
                                second = {FAILURE_CLOSED, "second"},
                                status = {FAILURE_STATUS, "HTTP status 500"};
    struct tally tally = {0}, other = {0};
    (void)state;
    add(&tally, 0, 1, &first);
    add(&tally, 0, 1, &second);
    add(&other, 0, 1, &second);
    add(&other, 0, 2, &status);
    add(&other, 0, 3, NULL);
    tally_merge(&tally, &other);
    assert_int_equal(tally.operations, 5);
    assert_int_equal(tally.errors, 4);
    assert_int_equal(tally.failures[FAILURE_CLOSED].n, 3);
    assert_string_equal(tally.failures[FAILURE_CLOSED].example, "first");
    assert_int_equal(tally.failures[FAILURE_STATUS].n, 1);
    assert_string_equal(tally.failures[FAILURE_STATUS].example, "HTTP status 500");
    assert_int_equal(tally.failures[FAILURE_TIMEOUT].n, 0);
    assert_int_equal(tally.response.count, 5);
    assert_true(tally.response.max == 0.003);
    tally_reset(&other);
    assert_int_equal(other.operations + other.errors + other.response.count + other.lateness.count,
                     0);
    assert_int_equal(other.failures[FAILURE_STATUS].n, 0);
    tally_release(&tally);
    tally_release(&other);
}

/* Operations count though their times cannot, and it is said how many those are. */
static void memory_may_fail(void **state)
{
    struct tally tally = {0};
    (void)state;
    scarce_fail(1);
    add(&tally, 1, 10, NULL);
    assert_true(scarce_stop());
    add(&tally, 1, 10, NULL);
    assert_int_equal(tally.operations, 2);
    assert_int_equal(tally.uncounted, 1);
    tally_release(&tally);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_of_all),
        cmocka_unit_test(ranks_are_rounded_up),
        cmocka_unit_test(failures_have_kinds),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
