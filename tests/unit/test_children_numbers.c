/* Series by number: whatever is added and removed in whatever order, each number is found. */
#include "children/numbers.h"

#include <stdbool.h>
#include <stdlib.h>

#include "children/series.h"

#include "unit.h"

#define NUMBERS 200

static void assert_same(const struct child_list *numbers, const bool there[NUMBERS],
                        uint32_t spread, struct child_series *series)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < NUMBERS; i++) {
        assert_ptr_equal(numbers_find(numbers, i * spread), there[i] ? &series[i] : NULL);
        n += there[i];
    }
    assert_int_equal(numbers->n, n);
    assert_null(numbers_find(numbers, NUMBERS * spread + 1));
    for (uint32_t i = 1; i < numbers->n; i++)
        assert_true(numbers->at[i - 1]->number < numbers->at[i]->number);
}

/* Against a plain list of what is there; spread is the gap between two numbers. */
static void any_order(void **state)
{
    static const uint32_t spreads[] = {1, 2, 7, UINT32_MAX / NUMBERS};
    static struct child_series series[NUMBERS];
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct child_list numbers = {0};
        bool there[NUMBERS] = {false};
        uint32_t spread = spreads[seed % N_OF(spreads)];
        srandom(seed);
        for (int step = 0; step < 500; step++) {
            uint32_t i = (uint32_t)random() % NUMBERS;
            series[i].number = i * spread;
            if (!there[i])
                assert_true(numbers_add(&numbers, &series[i]));
            if (random() % 3 == 0)
                numbers_remove(&numbers, i * spread);
            there[i] = numbers_find(&numbers, i * spread) != NULL;
            assert_true(numbers.room >= numbers.n);
        }
        assert_same(&numbers, there, spread, series);
        list_release(&numbers);
        assert_int_equal(numbers.n + numbers.room, 0);
    }
}

static void ends(void **state)
{
    static struct child_series series[] = {{.number = UINT32_MAX}, {.number = 0}, {.number = 2}};
    struct child_list numbers = {0};
    (void)state;
    assert_null(numbers_find(&numbers, 0));
    assert_null(numbers_find(&numbers, 1));
    numbers_remove(&numbers, 1);
    assert_true(numbers_add(&numbers, &series[0]));
    assert_true(numbers_add(&numbers, &series[1]));
    assert_true(numbers_add(&numbers, &series[2]));
    assert_ptr_equal(numbers_find(&numbers, 0), &series[1]);
    assert_ptr_equal(numbers_find(&numbers, 2), &series[2]);
    assert_ptr_equal(numbers_find(&numbers, UINT32_MAX), &series[0]);
    assert_null(numbers_find(&numbers, 1));
    assert_null(numbers_find(&numbers, UINT32_MAX - 1));
    numbers_remove(&numbers, 1); /* it is not there */
    assert_int_equal(numbers.n, 3);
    list_clear(&numbers);
    assert_null(numbers_find(&numbers, 2));
    assert_true(numbers.room > 0);
    list_release(&numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_order), cmocka_unit_test(ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
