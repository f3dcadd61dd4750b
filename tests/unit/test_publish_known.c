/* Numbers of names: there are never more than may be, and those that are used stay. */
#include "publish/postgresql/known.h"
#include "unit.h"

#define MOST 1000

static void what_was_added_is_found(void **state)
{
    struct known *known = known_new(MOST);
    int32_t number = 0;
    (void)state;
    assert_false(known_find(known, "a", 1, &number));
    assert_int_equal(known_add(known, "a", 1, 7), 0);
    assert_int_equal(known_add(known, "a\0b", 3, 8), 0);
    assert_int_equal(known_add(known, "", 0, 9), 0);
    assert_true(known_find(known, "a", 1, &number));
    assert_int_equal(number, 7);
    assert_true(known_find(known, "a\0b", 3, &number));
    assert_int_equal(number, 8);
    assert_true(known_find(known, "", 0, &number));
    assert_int_equal(number, 9);
    assert_false(known_find(known, "a\0", 2, &number));
    known_free(known);
    known_free(NULL);
}

/* How many of so many keys it knows; looking for them makes no room for others. */
static unsigned count(struct known *known, int32_t keys)
{
    unsigned n = 0;
    int32_t number;
    for (int32_t i = keys - 1; i >= 0; i--)
        if (known_find(known, &i, sizeof i, &number)) {
            assert_int_equal(number, i);
            n++;
        }
    return n;
}

static void there_are_never_too_many(void **state)
{
    struct known *known = known_new(MOST);
    const int32_t always = -1;
    int32_t number;
    (void)state;
    assert_int_equal(known_add(known, &always, sizeof always, 4711), 0);
    for (int32_t i = 0; i < 20 * MOST; i++) {
        assert_int_equal(known_add(known, &i, sizeof i, i), 0);
        assert_true(known_find(known, &always, sizeof always, &number));
        assert_int_equal(number, 4711);
        for (int32_t back = i < MOST / 8 ? i : MOST / 8; back > 0; back -= 37) {
            int32_t recent = i - back;
            assert_true(known_find(known, &recent, sizeof recent, &number));
        }
    }
    assert_in_range(count(known, 20 * MOST), MOST / 2 - 1, MOST);
    known_free(known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_added_is_found),
        cmocka_unit_test(there_are_never_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
