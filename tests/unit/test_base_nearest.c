#include <string.h>

#include "base/limits.h"
#include "base/nearest.h"

#include "unit.h"

static void one_name(void **state)
{
    static const struct {
        const char *text, *name;
        size_t distance; /* 99: it is not near */
    } rows[] = {
        {"limit", "limit", 0},
        {"limit", "limits", 1},
        {"limits", "limit", 1},
        {"limit", "lamit", 1},
        {"limit", "ilmit", 2},
        {"kitten", "sitting", 3},
        {"abcd", "abxy", 2}, /* half of it */
        {"abcd", "axyz", 99},
        {"abcde", "abcxy", 2},
        {"abcde", "abxyz", 99},
        {"ab", "abcd", 2},
        {"ab", "abcde", 99},
        {"", "", 0},
        {"", "a", 99},
        {"a", "", 99},
        {"12345678901234567890123456789012", "12345678901234567890123456789012", 0},
        {"123456789012345678901234567890123", "12345678901234567890123456789012", 99},
        {"12345678901234567890123456789012", "123456789012345678901234567890123", 99},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct nearest nearest = {.text = rows[i].text};
        nearest_offer(&nearest, rows[i].name);
        if ((nearest.best != NULL) != (rows[i].distance != 99))
            fail_msg("row %zu", i);
        if (nearest.best)
            assert_int_equal(nearest.distance, rows[i].distance);
    }
}

/* The first one of those that are equally near. */
static void several_names(void **state)
{
    static const char *const names[] = {"severity", "sensors", "sensor", "censor", "sensod"};
    (void)state;
    struct nearest nearest = {.text = "senso"};
    for (size_t i = 0; i < N_OF(names); i++)
        nearest_offer(&nearest, names[i]);
    assert_ptr_equal(nearest.best, names[2]);
    assert_int_equal(nearest.distance, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_name),
        cmocka_unit_test(several_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
