#include "cli/serial.h"

#include "unit.h"

#define LAST UINT32_MAX
#define HALF (UINT32_C(1) << 31)

static void what_is_after(void **state)
{
    (void)state;
    assert_true(serial_is_after(2, 1));
    assert_false(serial_is_after(1, 2));
    assert_false(serial_is_after(7, 7));
    assert_true(serial_is_after(1, LAST));
    assert_false(serial_is_after(LAST, 1));
    assert_true(serial_is_after(HALF, 1));
    assert_false(serial_is_after(HALF + 1, 1)); /* neither is, RFC 1982, section 3.2 */
    assert_false(serial_is_after(1, HALF + 1));
    assert_true(serial_is_after(1, HALF + 2));
}

static void what_is_missing(void **state)
{
    (void)state;
    assert_int_equal(serial_gap(1, 2), 0);
    assert_int_equal(serial_gap(1, 3), 1);
    assert_int_equal(serial_gap(100, 500), 399);
    assert_int_equal(serial_gap(LAST - 1, LAST), 0);
    assert_int_equal(serial_gap(LAST, 1), 0); /* 0 is no number */
    assert_int_equal(serial_gap(LAST, 2), 1);
    assert_int_equal(serial_gap(LAST - 2, 3), 4);
}

static void expect_order(const uint32_t *ascending, const uint32_t *expected, size_t n)
{
    uint32_t numbers[8];
    for (size_t i = 0; i < n; i++)
        numbers[i] = ascending[i];
    serial_order(numbers, n);
    assert_memory_equal(numbers, expected, n * sizeof *numbers);
}

#define ORDER(...)                                                                                 \
    (const uint32_t[])                                                                             \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static void oldest_first(void **state)
{
    (void)state;
    serial_order(NULL, 0);
    expect_order(ORDER(5), ORDER(5), 1);
    expect_order(ORDER(1, 2, 9), ORDER(1, 2, 9), 3);
    expect_order(ORDER(HALF - 1, HALF, HALF + 1), ORDER(HALF - 1, HALF, HALF + 1), 3);
    expect_order(ORDER(1, HALF, HALF + 1), ORDER(HALF + 1, 1, HALF), 3);
    expect_order(ORDER(1, 2, LAST), ORDER(LAST, 1, 2), 3);
    expect_order(ORDER(1, LAST - 2, LAST - 1, LAST), ORDER(LAST - 2, LAST - 1, LAST, 1), 4);
    expect_order(ORDER(3, 4, 5, 6, LAST - 1, LAST), ORDER(LAST - 1, LAST, 3, 4, 5, 6), 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_after),
                                       cmocka_unit_test(what_is_missing),
                                       cmocka_unit_test(oldest_first)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
