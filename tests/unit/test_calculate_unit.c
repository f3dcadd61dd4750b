#include <stdio.h>
#include <string.h>

#include "calculate/unit.h"

#include "unit.h"

/* The text that is printed for it; NULL: refused. */
static const struct {
    const char *text, *printed;
} rows[] = {
    {"", ""},
    {"B", "B"},
    {"%", "%"},
    {"B/s", "B/s"},
    {"ops/s", "ops/s"},
    {"1/s", "1/s"},
    {"1", ""},
    {"1*1/1", ""},
    {"1*B", "B"},
    {"s*B", "B*s"},
    {"B*s", "B*s"},
    {"B/s/s", "B/s^2"},
    {"B/s^2", "B/s^2"},
    {"B*s^-1", "B/s"},
    {"s^-1*B", "B/s"},
    {"s^-2", "1/s^2"},
    {"1/s^-2", "s^2"},
    {"1/s/m", "1/m/s"},
    {"s*s*s", "s^3"},
    {"s^4*s^5", "s^9"},
    {"s/s", ""},
    {"B/s*s", "B"},
    {"B/B/s", "1/s"},
    {"a*c*b/z/y", "a*b*c/y/z"},
    {"\xc2\xb0"
     "C",
     "\xc2\xb0"
     "C"},
    {"m2", "m2"},
    {"a-b.c_d", "a-b.c_d"},
    {"abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnopqrstuvwxyz012345"},
    {"s^9*s^-9", ""},
    {"abcdefghijklmnopqrstuvwxyz0123456", NULL},
    {"abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz", NULL},
    {"s^10", NULL},
    {"s^5*s^5", NULL},
    {"s^-5/s^5", NULL},
    {"s^0", NULL},
    {"s^", NULL},
    {"s^-", NULL},
    {"s^x", NULL},
    {"s^+1", NULL},
    {"s^--1", NULL},
    {"s^^2", NULL},
    {"s^2^2", NULL},
    {"1^2", NULL},
    {"^2", NULL},
    {"/s", NULL},
    {"*s", NULL},
    {"B/", NULL},
    {"B*", NULL},
    {"B//s", NULL},
    {"B*/s", NULL},
    {"B / s", NULL},
    {" B", NULL},
    {"B ", NULL},
    {"B\t", NULL},
    {"B\n", NULL},
    {"a b", NULL},
    {"B/(s*s)", NULL},
    {"(B)", NULL},
    {"10", NULL},
    {"2s", NULL},
    {"100/s", NULL},
    {"a;b", NULL},
    {"\x80", NULL},
    {"a\xc3", NULL},
};

static void test_parse_and_print(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct unit_names names = {0};
        struct unit unit = {{0}}, again;
        char text[UNIT_SIZE] = "x";
        bool parsed = unit_parse(&names, rows[i].text, &unit);
        if (parsed != (rows[i].printed != NULL))
            fail_msg("\"%s\" gives %d", rows[i].text, parsed);
        if (!parsed) {
            assert_true(unit_equal(&unit, &(struct unit){{0}}));
            continue;
        }
        assert_true(unit_print(&names, &unit, text));
        assert_string_equal(text, rows[i].printed);
        assert_true(unit_parse(&names, text, &again));
        assert_true(unit_equal(&unit, &again));
    }
}

static const struct {
    const char *a;
    int sign;
    const char *b, *product; /* NULL: refused */
} products[] = {
    {"B", 1, "s", "B*s"},      {"B", -1, "s", "B/s"},         {"B/s", 1, "s", "B"},
    {"B/s", -1, "s", "B/s^2"}, {"B/s", -1, "B/s", ""},        {"", 1, "", ""},
    {"", 1, "B", "B"},         {"", -1, "B", "1/B"},          {"B", -1, "", "B"},
    {"%", 1, "%", "%^2"},      {"ops/s", -1, "B/s", "ops/B"}, {"s^9", -1, "s^9", ""},
    {"s^9", 1, "s", NULL},     {"s^-9", -1, "s", NULL},       {"a/s^9", 1, "b/s", NULL},
};

static void test_multiply(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        struct unit_names names = {0};
        struct unit a, b, product = {{1}};
        char text[UNIT_SIZE];
        assert_true(unit_parse(&names, products[i].a, &a));
        assert_true(unit_parse(&names, products[i].b, &b));
        bool done = unit_multiply(&a, &b, products[i].sign, &product);
        assert_int_equal(done, products[i].product != NULL);
        if (done)
            assert_true(unit_print(&names, &product, text));
        else
            assert_true(unit_equal(&product, &(struct unit){{1}}));
        if (done)
            assert_string_equal(text, products[i].product);
        /* The result may take the place of an operand. */
        assert_int_equal(unit_multiply(&a, &b, products[i].sign, &a), done);
        assert_true(!done || unit_equal(&a, &product));
    }
}

static void test_names_are_limited(void **state)
{
    (void)state;
    struct unit_names names = {0};
    struct unit unit;
    char text[UNIT_SIZE];
    for (int i = 0; i < UNIT_NAMES_MAX; i++) {
        snprintf(text, sizeof text, "u%d", i);
        assert_true(unit_parse(&names, text, &unit));
        assert_int_equal(unit.exponent[i], 1);
    }
    assert_int_equal(names.count, UNIT_NAMES_MAX);
    assert_true(unit_parse(&names, "u15/u0", &unit));
    assert_false(unit_parse(&names, "another", &unit));
    assert_int_equal(unit.exponent[15], 1);
    assert_int_equal(unit.exponent[0], -1);
}

/* 32 octets fit, 33 do not. */
static void test_what_is_too_long_to_print(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool fits;
    } lengths[] = {
        {"abcdefghijklmno*abcdefghijklmnop", true}, {"abcdefghijklmnop*abcdefghijklmnoq", false},
        {"abcdefghijklmnopqrstuvwxyz0123^2", true}, {"abcdefghijklmnopqrstuvwxyz01234^2", false},
        {"1/abcdefghijklmnopqrstuvwxyz0123", true}, {"1/abcdefghijklmnopqrstuvwxyz01234", false},
    };
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        struct unit_names names = {0};
        struct unit unit;
        char text[UNIT_SIZE] = "x";
        assert_int_equal(strlen(lengths[i].text), lengths[i].fits ? 32 : 33);
        assert_true(unit_parse(&names, lengths[i].text, &unit));
        assert_int_equal(unit_print(&names, &unit, text), lengths[i].fits);
        assert_string_equal(text, lengths[i].fits ? lengths[i].text : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse_and_print),
        cmocka_unit_test(test_multiply),
        cmocka_unit_test(test_names_are_limited),
        cmocka_unit_test(test_what_is_too_long_to_print),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
