#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/histogram.h"

#include "unit.h"

/* The 1 % of the scheme, and the rounding of a few operations. */
#define ALPHA (0.01 * (1 + 1e-12))
#define N_VALUES 20000

/* xorshift64* (S. Vigna: An experimental exploration of Marsaglia's xorshift generators, 2016). */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return ((double)((*seed * UINT64_C(2685821657736338717)) >> 11) + 0.5) / 9007199254740992.0;
}

/* Magnitudes over the whole range, mostly; sometimes 0, sometimes tiny. */
static double any_value(uint64_t *seed)
{
    double kind = uniform(seed), magnitude = pow(10, -9 + 27 * uniform(seed));
    if (kind < 0.02)
        return 0;
    if (kind < 0.04)
        return 1e-12;
    return kind < 0.4 ? -magnitude : magnitude;
}

static uint64_t fnv(uint64_t hash, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    for (int i = 0; i < 64; i += 8)
        hash = (hash ^ (bits >> i & 0xff)) * UINT64_C(0x100000001b3);
    return hash;
}

/* FNV-1a over the little-endian octets of all borders, computed elsewhere. A machine or compiler
 * for which this fails would count in other buckets than the other nodes. */
static void test_borders_are_the_same_everywhere(void **state)
{
    (void)state;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
        hash = fnv(hash, histogram_border(i));
    assert_true(hash == UINT64_C(0xee3a7937c1810ea3));
    assert_true(histogram_border(0) == 1.0);
    assert_true(histogram_border(1) == 101.0 / 99.0);
}

static void test_borders_are_powers_of_gamma(void **state)
{
    (void)state;
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++) {
        double border = histogram_border(i), exact = (double)powl(101.0L / 99.0L, i);
        assert_true(border > histogram_border(i - 1));
        assert_true(fabs(border - exact) <= 1e-15 * exact);
    }
    assert_true(histogram_border(HISTOGRAM_FIRST - 1) < HISTOGRAM_MIN);
    assert_true(histogram_border(HISTOGRAM_FIRST) >= HISTOGRAM_MIN);
    assert_true(histogram_border(HISTOGRAM_LAST - 1) < HISTOGRAM_MAX);
    assert_true(histogram_border(HISTOGRAM_LAST) >= HISTOGRAM_MAX);
}

static void test_index_at_every_border(void **state)
{
    (void)state;
    for (int i = HISTOGRAM_FIRST; i < HISTOGRAM_LAST; i++) {
        double border = histogram_border(i);
        assert_int_equal(histogram_index(border), i);
        assert_int_equal(histogram_index(nextafter(border, 0)), i);
        assert_int_equal(histogram_index(nextafter(border, INFINITY)), i + 1);
        assert_int_equal(histogram_index(histogram_value(i) > HISTOGRAM_MIN ? histogram_value(i)
                                                                            : HISTOGRAM_MIN),
                         i);
    }
    assert_int_equal(histogram_index(HISTOGRAM_MIN), HISTOGRAM_FIRST);
    assert_int_equal(histogram_index(HISTOGRAM_MAX), HISTOGRAM_LAST);
    assert_int_equal(histogram_index(nextafter(HISTOGRAM_MAX, 0)), HISTOGRAM_LAST);
    assert_int_equal(histogram_index(DBL_MAX), HISTOGRAM_LAST);
    assert_int_equal(histogram_index(INFINITY), HISTOGRAM_LAST);
}

static void test_index_and_value_of_any_magnitude(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int n = 0; n < 300000; n++) {
        double magnitude = pow(10, -9 + 27 * uniform(&seed));
        int i = histogram_index(magnitude);
        assert_in_range(i - HISTOGRAM_FIRST, 0, HISTOGRAM_LAST - HISTOGRAM_FIRST);
        assert_true(magnitude <= histogram_border(i) && magnitude > histogram_border(i - 1));
        assert_true(fabs(histogram_value(i) - magnitude) <= ALPHA * magnitude);
    }
}

static void test_add_counts_in_the_right_place(void **state)
{
    (void)state;
    struct histogram h = {0};
    static const double zeros[] = {0, -0.0, 1e-10, -1e-10, DBL_TRUE_MIN, 0x1.12e0be826d694p-30};
    for (size_t i = 0; i < sizeof zeros / sizeof zeros[0]; i++)
        assert_int_equal(histogram_add(&h, zeros[i]), 0);
    assert_int_equal(h.zero, 6);
    assert_int_equal(histogram_add(&h, 1e-9), 0);
    assert_int_equal(histogram_add(&h, -1e-9), 0);
    assert_int_equal(histogram_add(&h, 1), 0);
    assert_int_equal(histogram_add(&h, -1), 0);
    assert_int_equal(histogram_add(&h, -1), 0);
    assert_int_equal(histogram_add(&h, DBL_MAX), 0);
    assert_int_equal(histogram_add(&h, -1e18), 0);
    assert_int_equal(h.zero, 6);
    assert_int_equal(h.count, 13);
    assert_int_equal(histogram_side_count(&h.positive, HISTOGRAM_FIRST), 1);
    assert_int_equal(histogram_side_count(&h.negative, HISTOGRAM_FIRST), 1);
    assert_int_equal(histogram_side_count(&h.positive, 0), 1);
    assert_int_equal(histogram_side_count(&h.negative, 0), 2);
    assert_int_equal(histogram_side_count(&h.positive, HISTOGRAM_LAST), 1);
    assert_int_equal(histogram_side_count(&h.negative, HISTOGRAM_LAST), 1);
    assert_int_equal(histogram_side_count(&h.positive, HISTOGRAM_LAST + 1), 0);
    assert_int_equal(histogram_side_count(&h.positive, HISTOGRAM_FIRST - 1), 0);
    assert_int_equal(histogram_side_count(&h.positive, 1), 0);
    static const double others[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(histogram_add(&h, others[i]), EDOM);
    assert_int_equal(h.count, 13);
    histogram_release(&h);
    assert_int_equal(h.count, 0);
    assert_null(h.positive.counts);
}

static void test_a_full_bucket_takes_no_more(void **state)
{
    (void)state;
    struct histogram h = {0}, one = {0};
    assert_int_equal(histogram_side_add(&h.positive, 0, UINT32_MAX - 1), 0);
    h.zero = UINT32_MAX - 1;
    h.count = 2 * (uint64_t)(UINT32_MAX - 1);
    uint64_t count = h.count;
    assert_int_equal(histogram_add(&h, 1), 0);
    assert_int_equal(histogram_add(&h, 0), 0);
    assert_int_equal(histogram_add(&h, 1), EOVERFLOW);
    assert_int_equal(histogram_add(&h, 0), EOVERFLOW);
    assert_int_equal(histogram_side_add(&h.positive, 0, UINT32_MAX), EOVERFLOW);
    assert_true(h.count == count + 2);
    assert_int_equal(histogram_side_count(&h.positive, 0), UINT32_MAX);
    assert_int_equal(h.zero, UINT32_MAX);
    /* The last value is one of the upper half. */
    assert_true(histogram_quantile(&h, 0) == 0);
    assert_true(histogram_quantile(&h, 0.49) == 0);
    assert_true(histogram_quantile(&h, 0.51) == histogram_value(0));
    static const double full[] = {1, 0};
    for (size_t i = 0; i < 2; i++) {
        /* What would fit is not added, either. */
        histogram_add(&one, 5);
        histogram_add(&one, full[i]);
        assert_int_equal(histogram_merge(&h, &one), EOVERFLOW);
        assert_true(h.count == count + 2);
        assert_int_equal(histogram_side_count(&h.positive, histogram_index(5)), 0);
        histogram_reset(&one);
    }
    histogram_release(&one);
    histogram_release(&h);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Within 1 % of the value at that rank. */
static void check_quantiles(const struct histogram *h, double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    for (int i = 0; i <= 1000; i++) {
        double q = i / 1000.0, exact = values[(size_t)(q * (double)(n - 1))];
        double ours = histogram_quantile(h, q);
        assert_true(fabs(ours - exact) <= ALPHA * fabs(exact) + HISTOGRAM_MIN);
    }
}

static void test_quantiles_of_random_values(void **state)
{
    (void)state;
    double *values = malloc(N_VALUES * sizeof *values);
    assert_non_null(values);
    uint64_t seed = 2;
    struct histogram h = {0};
    static const size_t sizes[] = {1, 2, 3, 10, 999, N_VALUES};
    for (size_t round = 0; round < 6; round++) {
        for (size_t i = 0; i < sizes[round]; i++) {
            values[i] = any_value(&seed);
            assert_int_equal(histogram_add(&h, values[i]), 0);
        }
        assert_int_equal(h.count, sizes[round]);
        check_quantiles(&h, values, sizes[round]);
        histogram_reset(&h);
    }
    histogram_release(&h);
    free(values);
}

static void test_quantile_ranks(void **state)
{
    (void)state;
    struct histogram h = {0};
    assert_true(isnan(histogram_quantile(&h, 0.5)));
    static const double values[] = {-100, -1, 0, 1, 100};
    for (size_t i = 0; i < 5; i++)
        histogram_add(&h, values[i]);
    static const struct {
        double q, value;
    } rows[] = {{0, -100}, {0.24, -100}, {0.25, -1}, {0.49, -1}, {0.5, 0},
                {0.74, 0}, {0.75, 1},    {0.99, 1},  {1, 100},   {-0.0, -100}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double ours = histogram_quantile(&h, rows[i].q);
        assert_true(fabs(ours - rows[i].value) <= ALPHA * fabs(rows[i].value));
    }
    static const double outside[] = {-0.001, 1.001, NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 5; i++)
        assert_true(isnan(histogram_quantile(&h, outside[i])));
    histogram_release(&h);
}

#define PARTS 7

static void test_merge_of_parts_is_the_whole(void **state)
{
    (void)state;
    uint64_t seed = 3;
    struct histogram whole = {0}, parts[PARTS] = {{0}}, forward = {0}, backward = {0};
    for (int i = 0; i < N_VALUES; i++) {
        double value = any_value(&seed);
        histogram_add(&whole, value);
        /* The last part stays empty. */
        histogram_add(&parts[(int)(uniform(&seed) * (PARTS - 1))], value);
    }
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(histogram_merge(&forward, &parts[i]), 0);
        assert_int_equal(histogram_merge(&backward, &parts[PARTS - 1 - i]), 0);
        assert_true(i + 1 < PARTS - 1 ? !histogram_equal(&forward, &whole)
                                      : histogram_equal(&forward, &whole));
    }
    assert_true(histogram_equal(&backward, &whole));
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++) {
        assert_int_equal(histogram_side_count(&forward.positive, i),
                         histogram_side_count(&whole.positive, i));
        assert_int_equal(histogram_side_count(&forward.negative, i),
                         histogram_side_count(&whole.negative, i));
    }
    /* With itself: twice of everything. */
    assert_int_equal(histogram_merge(&forward, &forward), 0);
    assert_int_equal(histogram_merge(&backward, &whole), 0);
    assert_true(histogram_equal(&forward, &backward));
    assert_int_equal(forward.count, 2 * N_VALUES);
    for (int i = 0; i < PARTS; i++)
        histogram_release(&parts[i]);
    histogram_release(&whole);
    histogram_release(&forward);
    histogram_release(&backward);
}

static void test_reset_keeps_only_memory(void **state)
{
    (void)state;
    struct histogram h = {0}, fresh = {0};
    histogram_add(&h, 1e-9);
    histogram_add(&h, 1e18);
    histogram_add(&h, -5);
    histogram_add(&h, 0);
    const uint32_t *memory = h.positive.counts;
    histogram_reset(&h);
    assert_true(histogram_equal(&h, &fresh));
    histogram_add(&h, 5);
    histogram_add(&fresh, 5);
    assert_ptr_equal(h.positive.counts, memory);
    assert_true(histogram_equal(&h, &fresh));
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
        assert_int_equal(histogram_side_count(&h.positive, i), i == histogram_index(5));
    histogram_release(&h);
    histogram_release(&fresh);
}

/* One wide window leaves no more than the next ones need. */
static void test_reset_lets_go_of_what_was_too_wide(void **state)
{
    (void)state;
    struct histogram h = {0}, fresh = {0};
    histogram_add(&h, 5);
    int narrow = h.positive.size;
    histogram_add(&h, 1e-9);
    histogram_add(&h, 1e18);
    histogram_reset(&h); /* so much was needed */
    assert_true(h.positive.size > HISTOGRAM_LAST - HISTOGRAM_FIRST);
    histogram_add(&h, 5);
    histogram_reset(&h);
    histogram_add(&h, 5);
    histogram_add(&fresh, 5);
    assert_int_equal(h.positive.size, narrow);
    assert_true(histogram_equal(&h, &fresh));
    histogram_release(&h);
    histogram_release(&fresh);
}

/* In several orders, so that the counters grow at both ends. */
static void test_growth_keeps_the_counts(void **state)
{
    (void)state;
    static const int steps[] = {1, -1, 37, -37, 1000, -1000};
    for (size_t s = 0; s < 6; s++) {
        struct histogram h = {0};
        const int n = HISTOGRAM_LAST - HISTOGRAM_FIRST + 1;
        int at = 0, step = (steps[s] + n) % n, added = 0;
        do {
            assert_int_equal(
                histogram_side_add(&h.positive, HISTOGRAM_FIRST + at, (uint32_t)(at + 1)), 0);
            at = (at + step) % n;
            added++;
        } while (at != 0);
        int seen = 0;
        for (int i = 0; i < n; i++) {
            uint32_t count = histogram_side_count(&h.positive, HISTOGRAM_FIRST + i);
            assert_true(count == 0 || count == (uint32_t)(i + 1));
            seen += count > 0;
        }
        assert_int_equal(seen, added);
        assert_in_range(h.positive.size, 1, n + 31); /* whole steps of 32 */
        histogram_release(&h);
    }
}

/* Values wander over the whole range, in windows and within one: every bucket has its count, and as
 * much memory does as when they stay where they are. */
static void test_values_that_drift(void **state)
{
    (void)state;
    struct histogram h = {0};
    uint64_t seed = 7;
    const int spread = 40;
    int center = HISTOGRAM_FIRST + spread;
    for (int step = 3; center > HISTOGRAM_FIRST + spread / 2; center += step) {
        static uint32_t expected[HISTOGRAM_LAST - HISTOGRAM_FIRST + 1];
        memset(expected, 0, sizeof expected);
        for (int i = 0; i < 60; i++) {
            int index = center + (int)(spread * (uniform(&seed) - 0.5));
            assert_int_equal(histogram_add(&h, histogram_value(index)), 0);
            expected[index - HISTOGRAM_FIRST]++;
        }
        for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
            assert_int_equal(histogram_side_count(&h.positive, i), expected[i - HISTOGRAM_FIRST]);
        assert_in_range(h.positive.size, spread, 4 * spread);
        if (center > HISTOGRAM_LAST - spread)
            step = -5;
        histogram_reset(&h);
    }
    histogram_release(&h);
}

static void test_equal_sees_every_difference(void **state)
{
    (void)state;
    static const double values[] = {0, 1, -1, 1.03, 7};
    for (size_t i = 0; i < 5; i++) {
        struct histogram a = {0}, b = {0};
        histogram_add(&a, 1);
        histogram_add(&b, 1);
        assert_true(histogram_equal(&a, &b));
        histogram_add(&a, values[i]);
        assert_false(histogram_equal(&a, &b));
        histogram_add(&b, i == 1 ? 1.03 : 1);
        assert_false(histogram_equal(&a, &b));
        histogram_release(&a);
        histogram_release(&b);
    }
}

/* The bucket of the least value counts as well as that of the largest. */
static void test_equal_sees_either_end(void **state)
{
    (void)state;
    struct histogram few = {0}, more = {0};
    histogram_add(&few, 5);
    histogram_add(&few, 5);
    histogram_add(&more, 5);
    histogram_add(&more, 7);
    assert_false(histogram_equal(&few, &more)); /* they begin with the same bucket */
    assert_false(histogram_equal(&more, &few));
    histogram_reset(&few);
    histogram_add(&few, 7);
    histogram_add(&few, 7);
    assert_false(histogram_equal(&few, &more)); /* they end with the same one */
    assert_false(histogram_equal(&more, &few));
    histogram_release(&few);
    histogram_release(&more);
}

/* Counters that nothing has been counted in serve elsewhere: no memory is asked for. */
static void test_counters_move(void **state)
{
    (void)state;
    struct histogram h = {0};
    histogram_add(&h, 1);
    const uint32_t *counters = h.positive.counts;
    for (double value = 1e-8; value < 1e17; value *= 1000) {
        histogram_reset(&h);
        assert_int_equal(histogram_add(&h, value), 0);
        assert_ptr_equal(h.positive.counts, counters);
        assert_int_equal(histogram_side_count(&h.positive, histogram_index(value)), 1);
    }
    histogram_release(&h);
}

/* There is room on both sides of the first value, so that values around it find their counters. */
static void test_room_on_both_sides(void **state)
{
    (void)state;
    for (int first = 0; first < 64; first++) {
        struct histogram_side side = {0};
        assert_int_equal(histogram_side_add(&side, first, 1), 0);
        const uint32_t *counters = side.counts;
        for (int i = 1; i <= 16; i++) {
            assert_int_equal(histogram_side_add(&side, first - i, 1), 0);
            assert_int_equal(histogram_side_add(&side, first + i, 1), 0);
        }
        assert_ptr_equal(side.counts, counters);
        free(side.counts);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_borders_are_the_same_everywhere),
        cmocka_unit_test(test_borders_are_powers_of_gamma),
        cmocka_unit_test(test_index_at_every_border),
        cmocka_unit_test(test_index_and_value_of_any_magnitude),
        cmocka_unit_test(test_add_counts_in_the_right_place),
        cmocka_unit_test(test_a_full_bucket_takes_no_more),
        cmocka_unit_test(test_quantiles_of_random_values),
        cmocka_unit_test(test_quantile_ranks),
        cmocka_unit_test(test_merge_of_parts_is_the_whole),
        cmocka_unit_test(test_reset_keeps_only_memory),
        cmocka_unit_test(test_reset_lets_go_of_what_was_too_wide),
        cmocka_unit_test(test_growth_keeps_the_counts),
        cmocka_unit_test(test_values_that_drift),
        cmocka_unit_test(test_equal_sees_every_difference),
        cmocka_unit_test(test_equal_sees_either_end),
        cmocka_unit_test(test_counters_move),
        cmocka_unit_test(test_room_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
