#include "application/exposed_name.h"

#include <string.h>

#include "unit.h"

static void check_name(const char *series, const struct openmetrics_label *label, size_t n,
                       const struct openmetrics_label *extra, const char *expected)
{
    char name[INSTANCE_SIZE];
    exposed_name(name, "web", series, label, n, extra);
    assert_string_equal(name, expected);
}

static void names(void **state)
{
    static const struct openmetrics_label one[] = {{"code", "200"}},
                                          two[] = {{"z", "1"}, {"a", "2"}};
    static const struct openmetrics_label empty[] = {{"z", ""}, {"a", "2"}}, none[] = {{"a", ""}};
    static const struct openmetrics_label control[] = {{"a", "x\ny\x7f\xc3\xa4"}};
    static const struct openmetrics_label le = {"le", "+Inf"};
    (void)state;
    check_name("up", NULL, 0, NULL, "web:up");
    check_name("hits", one, 1, NULL, "web:hits:code=200");
    check_name("hits", two, 2, NULL, "web:hits:a=2,z=1");
    check_name("hits", empty, 2, NULL, "web:hits:a=2");
    check_name("hits", none, 1, NULL, "web:hits");
    check_name("hits", NULL, 0, &le, "web:hits:le=+Inf");
    check_name("hits", two, 2, &le, "web:hits:a=2,z=1,le=+Inf");
    check_name("hits", control, 1, NULL, "web:hits:a=x?y?\xc3\xa4");
}

static void any_order_is_the_same(void **state)
{
    static const struct openmetrics_label three[6][3] = {
        {{"a", "1"}, {"b", "2"}, {"c", "3"}}, {{"a", "1"}, {"c", "3"}, {"b", "2"}},
        {{"b", "2"}, {"a", "1"}, {"c", "3"}}, {{"b", "2"}, {"c", "3"}, {"a", "1"}},
        {{"c", "3"}, {"a", "1"}, {"b", "2"}}, {{"c", "3"}, {"b", "2"}, {"a", "1"}}};
    (void)state;
    for (size_t i = 0; i < N_OF(three); i++)
        check_name("x", three[i], 3, NULL, "web:x:a=1,b=2,c=3");
}

/* 64 octets fit; of what is longer, the end is a hash, which differs if anything does. */
static void long_names(void **state)
{
    char value[70], name[INSTANCE_SIZE], other[INSTANCE_SIZE];
    struct openmetrics_label label[] = {{"a", value}};
    (void)state;
    memset(value, 'v', sizeof value);
    value[INSTANCE_SIZE - 1 - strlen("web:x:a=")] = '\0';
    exposed_name(name, "web", "x", label, 1, NULL);
    assert_int_equal(strlen(name), INSTANCE_SIZE - 1);
    assert_null(strchr(name, '~'));
    strcat(value, "v");
    exposed_name(name, "web", "x", label, 1, NULL);
    assert_int_equal(strlen(name), INSTANCE_SIZE - 1);
    assert_memory_equal(name, "web:x:a=vvvv", 12);
    assert_int_equal(name[INSTANCE_SIZE - 1 - 9], '~');
    assert_int_equal(strspn(name + INSTANCE_SIZE - 9, "0123456789abcdef"), 8);
    exposed_name(other, "web", "x", label, 1, NULL);
    assert_string_equal(name, other);
    value[strlen(value) - 1] = 'w';
    exposed_name(other, "web", "x", label, 1, NULL);
    assert_string_not_equal(name, other);
    assert_memory_equal(name, other, INSTANCE_SIZE - 1 - 8);
}

/* Control characters of both kinds go, octet by octet; nothing else does. */
static void control_characters(void **state)
{
    (void)state;
    static const struct openmetrics_label labels[] = {
        {"path", "/a|b;c"}, {"path", "a\nb\x7f"}, {"path", "a\xc2\x85z"}};
    check_name("x", &labels[0], 1, NULL, "web:x:path=/a|b;c");
    check_name("x", &labels[1], 1, NULL, "web:x:path=a?b?");
    check_name("x", &labels[2], 1, NULL, "web:x:path=a??z");
}

/* No character is cut in two. */
static void long_names_in_utf8(void **state)
{
    char name[INSTANCE_SIZE];
    (void)state;
    for (size_t before = 0; before < 3; before++) {
        char value[160] = "";
        struct openmetrics_label label[] = {{"a", value}};
        memset(value, 'v', before);
        for (size_t i = before; i + 3 < sizeof value; i += 3)
            memcpy(value + i, "\xe2\x82\xac", 4);
        exposed_name(name, "web", "x", label, 1, NULL);
        const char *end = strchr(name, '~');
        assert_non_null(end);
        assert_int_equal(strlen(end), 9);
        assert_int_equal((size_t)(end - name - 8) % 3, before);
        assert_in_range(end - name, INSTANCE_SIZE - 1 - 9 - 2, INSTANCE_SIZE - 1 - 9);
    }
}

static void units(void **state)
{
    static const struct {
        const char *name, *said, *unit;
    } rows[] = {
        {"wait_seconds", "", "s"},
        {"wait_seconds_total", "", "s"},
        {"wait_seconds", "seconds", "s"},
        {"size_bytes", "", "B"},
        {"heat_celsius", "", "C"},
        {"part_ratio", "", "1"},
        {"orders_total", "", ""},
        {"orders", "", ""},
        {"seconds", "", ""},
        {"_seconds", "", "s"},
        {"total", "", ""},
        {"_total", "", ""},
        {"", "", ""},
        {"seconds_of_day", "", ""},
        {"made_pieces", "pieces", "pieces"},
        {"made_pieces_that_are_very_long", "pieces_that_are_very_long", "pieces_that_are_ver"},
        {"x_a;b", "a;b", "a?b"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        char unit[SAMPLE_UNIT_SIZE];
        const struct openmetrics_family family = {.name = (char *)rows[i].name,
                                                  .unit = (char *)rows[i].said};
        exposed_unit(unit, &family);
        assert_string_equal(unit, rows[i].unit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(any_order_is_the_same),
        cmocka_unit_test(control_characters),
        cmocka_unit_test(long_names),
        cmocka_unit_test(long_names_in_utf8),
        cmocka_unit_test(units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
