/* Aggregates, against computations of their own over all leaves. */

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregates.h"
#include "heap.h"

#define LEAVES_MAX 500

static double value_of(const struct aggregate *aggregate, enum aggregate_function function,
                       double parameter)
{
    double value = -1;
    assert_true(aggregate_value(aggregate, function, parameter, &value));
    return value;
}

static bool has_value(const struct aggregate *aggregate, enum aggregate_function function)
{
    double value = -77;
    bool has = aggregate_value(aggregate, function, 50, &value);
    assert_true(has || value == -77);
    return has;
}

static void add_missing(struct aggregate *aggregate, uint32_t expected)
{
    struct aggregate_input input = {.value = 1e9, .age_ms = 1000000, .expected = expected};
    assert_int_equal(aggregate_add(aggregate, &input), 0);
}

/* -- One level ------------------------------------------------------------------------------- */

static void test_functions(void **state)
{
    (void)state;
    struct aggregate all = {.sum = 0};
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9};
    for (size_t i = 0; i < N_OF(values); i++)
        assert_int_equal(add_value(&all, values[i], 10 * i), 0);
    assert_true(value_of(&all, AGGREGATE_SUM, 0) == 40);
    assert_true(value_of(&all, AGGREGATE_AVG, 0) == 5);
    assert_true(value_of(&all, AGGREGATE_MIN, 0) == 2);
    assert_true(value_of(&all, AGGREGATE_MAX, 0) == 9);
    assert_true(value_of(&all, AGGREGATE_COUNT, 0) == 8);
    assert_true(value_of(&all, AGGREGATE_STDDEV, 0) == 2); /* divided by n, not n - 1 */
    assert_true(value_of(&all, AGGREGATE_PERCENTILE, 0) == 2);
    assert_true(fabs(value_of(&all, AGGREGATE_PERCENTILE, 100) - 9) <= 0.09);
    assert_true(fabs(value_of(&all, AGGREGATE_PERCENTILE, 50) - 4) <= 0.04);
    assert_true(fabs(value_of(&all, AGGREGATE_PERCENTILE, 90) - 7) <= 0.07);
    assert_false(has_value(&all, AGGREGATE_TOP));
    assert_false(has_value(&all, AGGREGATE_SHARE));
    assert_false(has_value(&all, 0));
    assert_int_equal(all.expected, 8);
    assert_int_equal(all.reporting, 8);
    assert_int_equal(all.oldest_ms, 70);
    aggregate_release(&all);
}

static void test_empty(void **state)
{
    (void)state;
    struct aggregate none = {.sum = 0};
    for (int round = 0; round < 2; round++) {
        for (int function = 0; function <= AGGREGATE_SHARE; function++)
            assert_false(has_value(&none, (enum aggregate_function)function));
        assert_true(aggregate_sum(&none) == 0);
        assert_int_equal(none.expected, 3 * round);
        assert_int_equal(none.reporting, 0);
        assert_int_equal(none.oldest_ms, 0);
        add_missing(&none, 1);
        add_missing(&none, 2);
        add_missing(&none, 0);
    }
    aggregate_release(&none);
}

static void test_missing(void **state)
{
    (void)state;
    struct aggregate all = {.sum = 0};
    add_missing(&all, 1);
    assert_int_equal(add_value(&all, -3, 5), 0);
    add_missing(&all, 7);
    assert_int_equal(add_value(&all, 10, 3), 0);
    assert_true(value_of(&all, AGGREGATE_SUM, 0) == 7);
    assert_true(value_of(&all, AGGREGATE_AVG, 0) == 3.5);
    assert_true(value_of(&all, AGGREGATE_MIN, 0) == -3);
    assert_true(value_of(&all, AGGREGATE_COUNT, 0) == 2);
    assert_int_equal(all.expected, 10);
    assert_int_equal(all.reporting, 2);
    assert_int_equal(all.oldest_ms, 5);
    add_missing(&all, UINT32_MAX);
    assert_int_equal(all.expected, UINT32_MAX);
    aggregate_begin(&all);
    assert_int_equal(all.expected, 0);
    assert_int_equal(all.oldest_ms, 0);
    assert_false(has_value(&all, AGGREGATE_SUM));
    assert_int_equal(add_value(&all, 1.5, 1), 0);
    assert_true(value_of(&all, AGGREGATE_SUM, 0) == 1.5);
    assert_true(value_of(&all, AGGREGATE_MAX, 0) == 1.5);
    aggregate_release(&all);
}

/* What is no number, or too large for statistics, is missing, and changes nothing else. */
static void test_refused(void **state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1.0001e140, -1e141};
    struct aggregate all = {.sum = 0}, child = {.sum = 0};
    assert_int_equal(add_value(&all, 3, 1), 0);
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_int_equal(add_value(&all, bad[i], 1000), EDOM);
    assert_int_equal(add_value(&child, 1, 0), 0);
    struct aggregate_input input = input_of(&child, 0);
    for (size_t i = 0; i < 3; i++) {
        input.sum = bad[i];
        assert_int_equal(aggregate_add(&all, &input), EDOM);
    }
    assert_int_equal(all.expected, 1 + N_OF(bad) + 3);
    assert_int_equal(all.reporting, 1);
    assert_int_equal(all.oldest_ms, 1);
    assert_true(value_of(&all, AGGREGATE_SUM, 0) == 3);
    assert_true(value_of(&all, AGGREGATE_MAX, 0) == 3);
    assert_true(value_of(&all, AGGREGATE_STDDEV, 0) == 0);
    aggregate_release(&all);
    aggregate_release(&child);
}

static void test_too_many(void **state)
{
    (void)state;
    struct aggregate all = {.sum = 0}, child = {.sum = 0};
    assert_int_equal(add_value(&all, 3, 0), 0);
    assert_int_equal(add_value(&child, 1, 0), 0);
    child.values.count = UINT64_MAX; /* no block says so; who makes one up gets no further */
    child.expected = UINT32_MAX;
    struct aggregate_input input = input_of(&child, 0);
    assert_int_equal(aggregate_add(&all, &input), EOVERFLOW);
    assert_true(value_of(&all, AGGREGATE_COUNT, 0) == 1);
    child.values.count = (uint64_t)UINT32_MAX + 5;
    input = input_of(&child, 0);
    assert_int_equal(aggregate_add(&all, &input), 0);
    assert_int_equal(all.reporting, UINT32_MAX);
    aggregate_release(&all);
    aggregate_release(&child);
}

/* Neumaier's own example, and one in which plain addition loses everything. */
static void test_sum_keeps_small_values(void **state)
{
    (void)state;
    const double values[] = {1, 1e100, 1, -1e100};
    struct aggregate all = {.sum = 0};
    for (size_t i = 0; i < N_OF(values); i++)
        assert_int_equal(add_value(&all, values[i], 0), 0);
    assert_true(aggregate_sum(&all) == 2);
    aggregate_begin(&all);
    assert_true(aggregate_sum(&all) == 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(add_value(&all, 0.1, 0), 0);
    assert_true(aggregate_sum(&all) == 100);
    assert_true(value_of(&all, AGGREGATE_AVG, 0) == 0.1);
    aggregate_release(&all);
}

/* -- Order and levels ------------------------------------------------------------------------ */

struct leaves {
    double values[LEAVES_MAX];
    size_t n;
    double scale; /* of the sum of the magnitudes */
};

static struct leaves random_leaves(bool integers)
{
    struct leaves leaves = {.n = 1 + (size_t)(random() % LEAVES_MAX)};
    for (size_t i = 0; i < leaves.n; i++) {
        double value = (double)(random() % 2000000001 - 1000000000);
        leaves.values[i] = integers ? value : value * pow(10, (double)(random() % 12 - 9));
        leaves.scale += fabs(leaves.values[i]);
    }
    return leaves;
}

static void shuffle(struct leaves *leaves)
{
    for (size_t i = leaves->n - 1; i > 0; i--) {
        size_t j = (size_t)random() % (i + 1);
        double value = leaves->values[i];
        leaves->values[i] = leaves->values[j];
        leaves->values[j] = value;
    }
}

static struct aggregate flat(const struct leaves *leaves)
{
    struct aggregate all = {.sum = 0};
    for (size_t i = 0; i < leaves->n; i++)
        assert_int_equal(add_value(&all, leaves->values[i], i), 0);
    return all;
}

/* Two levels of collectors: each takes some of what is left, one of three a collector below. */
static struct aggregate levels(const struct leaves *leaves)
{
    struct aggregate root = {.sum = 0};
    size_t at = 0;
    while (at < leaves->n) {
        struct aggregate collector = {.sum = 0}, below = {.sum = 0};
        for (long k = random() % 40; k > 0 && at < leaves->n; k--, at++)
            assert_int_equal(add_value(random() % 3 ? &collector : &below, leaves->values[at], at),
                             0);
        struct aggregate_input input = input_of(&below, 0);
        assert_int_equal(aggregate_add(&collector, &input), 0);
        input = input_of(&collector, 0);
        assert_int_equal(aggregate_add(&root, &input), 0);
        aggregate_release(&collector);
        aggregate_release(&below);
    }
    return root;
}

static void assert_same(const struct aggregate *one, const struct aggregate *other,
                        const struct leaves *leaves, bool integers)
{
    double scale = leaves->scale;
    assert_true(one->values.count == other->values.count);
    assert_true(one->values.min == other->values.min);
    assert_true(one->values.max == other->values.max);
    assert_true(histogram_equal(&one->values.histogram, &other->values.histogram));
    assert_int_equal(one->expected, other->expected);
    assert_int_equal(one->reporting, other->reporting);
    assert_int_equal(one->oldest_ms, other->oldest_ms);
    if (integers)
        assert_true(aggregate_sum(one) == aggregate_sum(other));
    assert_near(aggregate_sum(one), aggregate_sum(other), scale);
    assert_near(value_of(one, AGGREGATE_AVG, 0), value_of(other, AGGREGATE_AVG, 0), scale);
    assert_near(value_of(one, AGGREGATE_STDDEV, 0), value_of(other, AGGREGATE_STDDEV, 0), scale);
    for (int p = 0; p <= 100; p++)
        assert_true(value_of(one, AGGREGATE_PERCENTILE, p) ==
                    value_of(other, AGGREGATE_PERCENTILE, p));
}

/* Sums of integers by integers, the rest in long double. */
static void assert_exact(const struct aggregate *all, const struct leaves *leaves, bool integers)
{
    int64_t sum = 0;
    long double total = 0, squares = 0;
    for (size_t i = 0; i < leaves->n; i++) {
        sum += integers ? (int64_t)leaves->values[i] : 0;
        total += leaves->values[i];
    }
    for (size_t i = 0; i < leaves->n; i++) {
        long double difference = leaves->values[i] - total / (long double)leaves->n;
        squares += difference * difference;
    }
    if (integers)
        assert_true(value_of(all, AGGREGATE_SUM, 0) == (double)sum);
    assert_near(value_of(all, AGGREGATE_SUM, 0), (double)total, leaves->scale);
    assert_near(value_of(all, AGGREGATE_AVG, 0), (double)(total / (long double)leaves->n),
                leaves->scale);
    assert_near(value_of(all, AGGREGATE_STDDEV, 0), (double)sqrtl(squares / (long double)leaves->n),
                leaves->scale);
    assert_true(value_of(all, AGGREGATE_COUNT, 0) == (double)leaves->n);
}

static void test_order_and_levels(void **state)
{
    (void)state;
    srandom(4);
    for (int round = 0; round < 60; round++) {
        bool integers = round % 2 == 0;
        struct leaves leaves = random_leaves(integers);
        struct aggregate one = flat(&leaves), two = levels(&leaves);
        assert_exact(&one, &leaves, integers);
        assert_exact(&two, &leaves, integers);
        assert_same(&one, &two, &leaves, integers);
        shuffle(&leaves);
        struct aggregate other = flat(&leaves);
        assert_same(&one, &other, &leaves, integers);
        aggregate_release(&one);
        aggregate_release(&two);
        aggregate_release(&other);
    }
}

/* Of a collector without a value the leaves are still expected. */
static void test_level_missing(void **state)
{
    (void)state;
    struct aggregate root = {.sum = 0}, here = {.sum = 0}, gone = {.sum = 0};
    assert_int_equal(add_value(&here, 5, 100), 0);
    add_missing(&here, 1);
    add_missing(&gone, 4);
    struct aggregate_input inputs[] = {input_of(&here, 20), input_of(&gone, 900), {.expected = 3}};
    for (size_t i = 0; i < N_OF(inputs); i++)
        assert_int_equal(aggregate_add(&root, &inputs[i]), 0);
    assert_int_equal(root.expected, 9);
    assert_int_equal(root.reporting, 1);
    assert_int_equal(root.oldest_ms, 120);
    assert_true(value_of(&root, AGGREGATE_SUM, 0) == 5);
    aggregate_release(&root);
    aggregate_release(&here);
    aggregate_release(&gone);
}

/* -- Configuration --------------------------------------------------------------------------- */

static const struct fault_case {
    enum aggregate_function function;
    bool has_parameter;
    double parameter;
    const char *why; /* part of it; NULL: none */
} fault_cases[] = {
    {AGGREGATE_PERCENTILE, false, 0, "from 0 to 100"},
    {AGGREGATE_PERCENTILE, true, 0, NULL},
    {AGGREGATE_PERCENTILE, true, 99.9, NULL},
    {AGGREGATE_PERCENTILE, true, 100, NULL},
    {AGGREGATE_PERCENTILE, true, 100.1, "from 0 to 100"},
    {AGGREGATE_PERCENTILE, true, -0.1, "from 0 to 100"},
    {AGGREGATE_PERCENTILE, true, (double)NAN, "from 0 to 100"},
    {AGGREGATE_TOP, false, 0, "from 1 to 100"},
    {AGGREGATE_TOP, true, 0, "from 1 to 100"},
    {AGGREGATE_TOP, true, 1, NULL},
    {AGGREGATE_TOP, true, 100, NULL},
    {AGGREGATE_TOP, true, 101, "from 1 to 100"},
    {AGGREGATE_TOP, true, 2.5, "whole number"},
    {AGGREGATE_TOP, true, (double)NAN, "from 1 to 100"},
};

static void test_fault(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(fault_cases); i++) {
        const struct fault_case *c = &fault_cases[i];
        const char *why = aggregate_fault(c->function, c->has_parameter, c->parameter);
        assert_true(!why == !c->why);
        if (why)
            assert_non_null(strstr(why, c->why));
    }
    for (int function = AGGREGATE_SUM; function <= AGGREGATE_SHARE; function++) {
        if (function == AGGREGATE_PERCENTILE || function == AGGREGATE_TOP)
            continue;
        assert_null(aggregate_fault((enum aggregate_function)function, false, 0));
        assert_non_null(aggregate_fault((enum aggregate_function)function, true, 5));
    }
}

static void test_unit(void **state)
{
    (void)state;
    for (int function = AGGREGATE_SUM; function <= AGGREGATE_SHARE; function++) {
        const char *expected = function == AGGREGATE_COUNT   ? ""
                               : function == AGGREGATE_SHARE ? "%"
                                                             : "B/s";
        assert_string_equal(aggregate_unit((enum aggregate_function)function, "B/s"), expected);
    }
}

static void play_aggregate(void)
{
    struct aggregate all = {.sum = 0};
    add_value(&all, 1, 0);
    add_value(&all, -1e9, 0);
    aggregate_begin(&all);
    add_value(&all, 7, 0);
    aggregate_release(&all);
}

static void test_gives_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play_aggregate);
}

/* A child of one leaf has its share as one of many has. */
static void test_share_of_a_single_leaf(void **state)
{
    (void)state;
    struct aggregate all = {.sum = 0}, child = {.sum = 0};
    double share = 0;
    add_value(&child, 3, 0);
    add_value(&all, 1, 0);
    struct aggregate_input input = input_of(&child, 0);
    assert_int_equal(aggregate_add(&all, &input), 0);
    assert_true(aggregate_share(&all, &input, &share));
    assert_true(share == 75);
    aggregate_begin(&child);
    input = input_of(&child, 0);
    assert_false(aggregate_share(&all, &input, &share));
    aggregate_release(&all);
    aggregate_release(&child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_functions),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_sum_keeps_small_values),
        cmocka_unit_test(test_order_and_levels),
        cmocka_unit_test(test_level_missing),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_unit),
        cmocka_unit_test(test_gives_back),
        cmocka_unit_test(test_share_of_a_single_leaf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
