/* How children are shared out among pollers. */
#include <stdint.h>

#include "collect/load.h"

#include "unit.h"

#define MANY UINT64_MAX /* descriptors */

static bool takes(uint32_t children, uint64_t polls_per_s, uint32_t more_per_s, size_t pollers,
                  uint64_t descriptors)
{
    const struct load load = {.children = children, .polls_per_hour = polls_per_s * 3600};
    return load_takes(&load, more_per_s * 3600, pollers, descriptors);
}

static void polls_of_a_period(void **state)
{
    static const struct {
        uint32_t period_ms, polls_per_hour;
    } rows[] = {
        {0, 3600000}, {1, 3600000}, {7, 514285},  {100, 36000},    {1000, 3600},
        {10000, 360}, {3600000, 1}, {3600001, 0}, {UINT32_MAX, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_int_equal(load_polls_per_hour(rows[i].period_ms), rows[i].polls_per_hour);
}

/* Whatever the others are and however often it polls. */
static void few_children_each(void **state)
{
    static const size_t pollers[] = {0, 1, LOAD_POLLERS - 1, LOAD_POLLERS, 1000};
    (void)state;
    for (size_t i = 0; i < N_OF(pollers); i++) {
        assert_true(takes(0, 0, 1, pollers[i], MANY));
        assert_true(takes(LOAD_CHILDREN - 1, 0, 1, pollers[i], MANY));
        assert_true(takes(LOAD_CHILDREN - 1, 1000000, 1000, pollers[i], MANY));
        assert_int_equal(takes(LOAD_CHILDREN, 0, 1, pollers[i], MANY), pollers[i] >= LOAD_POLLERS);
    }
}

static void many_children_of_many_pollers(void **state)
{
    (void)state;
    assert_false(takes(LOAD_CHILDREN_MAX - 1, 0, 1, LOAD_POLLERS - 1, MANY));
    assert_true(takes(LOAD_CHILDREN_MAX - 1, 0, 1, LOAD_POLLERS, MANY));
    assert_false(takes(LOAD_CHILDREN_MAX, 0, 1, LOAD_POLLERS, MANY));
    assert_false(takes(UINT32_MAX, 0, 0, SIZE_MAX, MANY));
}

static void no_more_than_it_can_do(void **state)
{
    (void)state;
    assert_true(takes(LOAD_CHILDREN, LOAD_POLLS_PER_S - 1, 1, LOAD_POLLERS, MANY));
    assert_false(takes(LOAD_CHILDREN, LOAD_POLLS_PER_S, 1, LOAD_POLLERS, MANY));
    assert_true(takes(LOAD_CHILDREN, LOAD_POLLS_PER_S, 0, LOAD_POLLERS, MANY));
    assert_false(takes(LOAD_CHILDREN, 0, LOAD_POLLS_PER_S + 1, LOAD_POLLERS, MANY));
}

/* A machine that allows few files: a child has a socket. */
static void as_many_as_it_has_descriptors(void **state)
{
    (void)state;
    assert_true(takes(999, 0, 1, 1, 1024)); /* the usual limit is enough for LOAD_CHILDREN */
    assert_true(takes(75, 0, 1, 1, 100));
    assert_false(takes(76, 0, 1, 1, 100));
    assert_false(takes(76, 0, 1, LOAD_POLLERS, 100));
    assert_true(takes(2023, 0, 1, LOAD_POLLERS, 2048));
    assert_false(takes(2024, 0, 1, LOAD_POLLERS, 2048));
    for (uint64_t descriptors = 0; descriptors <= 25; descriptors++) {
        assert_true(takes(0, 0, 1, 1, descriptors));
        assert_false(takes(1, 0, 1, 1, descriptors));
    }
}

static void other_periods(void **state)
{
    static const uint64_t limit = UINT64_C(3600) * LOAD_POLLS_PER_S;
    static const struct {
        struct load load;
        bool is_too_much;
    } rows[] = {
        {{0, 0}, false},
        {{LOAD_CHILDREN, UINT64_MAX}, false},
        {{LOAD_CHILDREN + 1, limit}, false},
        {{LOAD_CHILDREN + 1, limit + 1}, true},
        {{LOAD_CHILDREN_MAX, 0}, false},
        {{LOAD_CHILDREN_MAX, limit + 1}, true},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++)
        assert_int_equal(load_is_too_much(&rows[i].load), rows[i].is_too_much);
}

static void sums(void **state)
{
    (void)state;
    struct load load = {0};
    for (uint32_t i = 0; i < 5000; i++)
        load_add(&load, load_polls_per_hour(1));
    assert_int_equal(load.children, 5000);
    assert_int_equal(load.polls_per_hour, UINT64_C(18000000000));
    for (uint32_t i = 0; i < 5000; i++)
        load_drop(&load, load_polls_per_hour(1));
    assert_int_equal(load.children, 0);
    assert_int_equal(load.polls_per_hour, 0);
}

/* What is promised of 100,000 children, and of fewer: no poller has more than a 25th of them. */
static void how_many_pollers(void **state)
{
    static const struct {
        uint32_t children, period_ms;
        size_t pollers, most;
    } rows[] = {
        {1, 10000, 1, 1},          {1000, 100, 1, 1000},     {1001, 10000, 2, 1000},
        {25000, 10000, 25, 1000},  {25025, 10000, 25, 1001}, {100000, 10000, 25, 4000},
        {100001, 10000, 26, 4000}, {100000, 1000, 25, 4000}, {100000, 500, 50, 2000},
        {100000, 100, 100, 1000},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct load loads[128] = {0};
        uint32_t each = load_polls_per_hour(rows[i].period_ms), most = 0;
        size_t n = 0;
        for (uint32_t child = 0; child < rows[i].children; child++) {
            size_t best = n;
            for (size_t k = 0; k < n; k++)
                if (load_takes(&loads[k], each, n, MANY) &&
                    (best == n || loads[k].children < loads[best].children))
                    best = k;
            n += best == n;
            load_add(&loads[best], each);
        }
        for (size_t k = 0; k < n; k++)
            most = loads[k].children > most ? loads[k].children : most;
        assert_int_equal(n, rows[i].pollers);
        assert_int_equal(most, rows[i].most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polls_of_a_period),
        cmocka_unit_test(few_children_each),
        cmocka_unit_test(many_children_of_many_pollers),
        cmocka_unit_test(no_more_than_it_can_do),
        cmocka_unit_test(as_many_as_it_has_descriptors),
        cmocka_unit_test(other_periods),
        cmocka_unit_test(sums),
        cmocka_unit_test(how_many_pollers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
