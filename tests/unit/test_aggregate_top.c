/* Aggregates that have one value for each: the top, and shares. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "aggregates.h"

#define NONE ((double)NAN)

static const struct top_case {
    double values[8];
    uint32_t n, k, found, index[8];
} top_cases[] = {
    {{0}, 0, 3, 0, {0}},
    {{1}, 1, 0, 0, {0}},
    {{1}, 1, 3, 1, {0}},
    {{1, 3, 2}, 3, 1, 1, {1}},
    {{1, 3, 2}, 3, 2, 2, {1, 2}},
    {{1, 3, 2}, 3, 3, 3, {1, 2, 0}},
    {{3, 2, 1}, 3, 2, 2, {0, 1}},
    {{5, 5, 5, 5}, 4, 2, 2, {0, 1}},
    {{5, 7, 5, 7, 5}, 5, 4, 4, {1, 3, 0, 2}},
    {{NONE, 1, NONE, 2}, 4, 3, 2, {3, 1}},
    {{NONE, NONE}, 2, 2, 0, {0}},
    {{-1, -3, -2, 0}, 4, 2, 2, {3, 0}},
    {{-(double)INFINITY, (double)INFINITY}, 2, 2, 2, {1, 0}},
};

static void test_top(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(top_cases); i++) {
        const struct top_case *c = &top_cases[i];
        uint32_t index[8];
        memset(index, 0xff, sizeof index);
        assert_int_equal(aggregate_top(c->values, c->n, c->k, index), c->found);
        assert_memory_equal(index, c->index, c->found * sizeof *index);
        for (size_t rest = c->k; rest < N_OF(index); rest++)
            assert_int_equal(index[rest], UINT32_MAX);
    }
}

struct numbered_value {
    double value;
    uint32_t index;
};

static int by_value(const void *one, const void *other)
{
    const struct numbered_value *a = one, *b = other;
    if (a->value > b->value || b->value > a->value)
        return a->value > b->value ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

static void test_top_random(void **state)
{
    (void)state;
    srandom(5);
    for (int round = 0; round < 200; round++) {
        struct numbered_value sorted[300];
        double values[300];
        uint32_t n = (uint32_t)(random() % 300), k = (uint32_t)(1 + random() % AGGREGATE_TOP_MAX);
        uint32_t index[AGGREGATE_TOP_MAX];
        for (uint32_t i = 0; i < n; i++) {
            values[i] = (double)(random() % 50);
            sorted[i] = (struct numbered_value){values[i], i};
        }
        qsort(sorted, n, sizeof *sorted, by_value);
        uint32_t found = aggregate_top(values, n, k, index);
        assert_int_equal(found, n < k ? n : k);
        for (uint32_t i = 0; i < found; i++)
            assert_int_equal(index[i], sorted[i].index);
    }
}

static void test_share(void **state)
{
    (void)state;
    struct aggregate all = {.sum = 0}, child = {.sum = 0};
    assert_int_equal(add_value(&child, 20, 0), 0);
    assert_int_equal(add_value(&child, 10, 0), 0);
    struct aggregate_input inputs[] = {
        {.has_value = true, .value = 60, .expected = 1},
        {.value = 1000, .expected = 1},
        input_of(&child, 0),
        {.has_value = true, .value = 10, .expected = 1},
    };
    const double shares[] = {60, -1, 30, 10};
    inputs[2].value = 1e6; /* of an aggregate, the leaves count */
    for (size_t i = 0; i < N_OF(inputs); i++)
        assert_int_equal(aggregate_add(&all, &inputs[i]), 0);
    for (size_t i = 0; i < N_OF(inputs); i++) {
        double share = -1;
        assert_true(aggregate_share(&all, &inputs[i], &share) == (i != 1));
        assert_near(share, shares[i], 100);
    }
    aggregate_begin(&all);
    inputs[0].value = 0;
    assert_int_equal(aggregate_add(&all, &inputs[0]), 0);
    double share = -1;
    assert_false(aggregate_share(&all, &inputs[0], &share)); /* of nothing */
    assert_true(share == -1);
    aggregate_release(&all);
    aggregate_release(&child);
}

/* A child that has told of no value has no part of a sum, as one that has not told at all. */
static void test_share_without_values(void **state)
{
    (void)state;
    struct aggregate all = {0}, empty = {0};
    double share = -1;
    assert_int_equal(add_value(&all, 5, 0), 0);
    struct aggregate_input nothing = input_of(&empty, 0);
    assert_false(aggregate_share(&all, &nothing, &share));
    assert_true(share == -1);
    aggregate_release(&all);
    assert_memory_equal(&all, &empty, sizeof all);
    aggregate_release(&empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_top_random),
        cmocka_unit_test(test_share),
        cmocka_unit_test(test_share_without_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
