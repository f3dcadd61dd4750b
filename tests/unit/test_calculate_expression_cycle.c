#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/expression.h"
#include "calculate/expression_cycle.h"

#include "unit.h"

#define MANY 5000

struct derived {
    char name[NAME_SIZE];
    struct expression *expression;
};

struct sensors {
    struct derived derived[MANY];
    size_t count;
    unsigned asked;
};

static struct sensors all;

static int empty(void **state)
{
    *state = &all;
    for (size_t i = 0; i < all.count; i++)
        expression_free(all.derived[i].expression);
    all.count = all.asked = 0;
    return 0;
}

static void define(struct sensors *sensors, const char *name, const char *text)
{
    struct expression_error error;
    struct derived *made = &sensors->derived[sensors->count++];
    snprintf(made->name, sizeof made->name, "%s", name);
    if (expression_parse(text, &made->expression, &error) != 0)
        fail_msg("\"%s\", column %zu: %s", text, error.column, error.text);
}

static const struct expression *expression_of(void *context, const char *name)
{
    struct sensors *sensors = context;
    sensors->asked++;
    for (size_t i = 0; i < sensors->count; i++)
        if (strcmp(sensors->derived[i].name, name) == 0)
            return sensors->derived[i].expression;
    return NULL;
}

/* Those named "s" and a number stand at that number. */
static const struct expression *numbered(void *context, const char *name)
{
    struct sensors *sensors = context;
    sensors->asked++;
    size_t i = strtoul(name + 1, NULL, 10);
    return i < sensors->count ? sensors->derived[i].expression : NULL;
}

struct row {
    const char *definitions[8]; /* name, expression, name, expression ... */
    const char *start;
    const char *cycle; /* NULL: none */
};

static const struct row rows[] = {
    {{"a", "b + 1"}, "a", NULL},
    {{"a", "b + 1"}, "b", NULL},
    {{"a", "1 + 1"}, "a", NULL},
    {{"a", "a"}, "a", "a -> a"},
    {{"a", "1 + min(x, y, a)"}, "a", "a -> a"},
    {{"a", "b", "b", "a"}, "a", "a -> b -> a"},
    {{"a", "b", "b", "a"}, "b", "b -> a -> b"},
    {{"a", "x + b", "b", "y + c", "c", "z + a"}, "a", "a -> b -> c -> a"},
    {{"a", "x + b", "b", "y + c", "c", "z + a"}, "c", "c -> a -> b -> c"},
    /* the start need not be part of it */
    {{"a", "b", "b", "c", "c", "b"}, "a", "b -> c -> b"},
    {{"a", "b", "b", "c", "c", "c"}, "a", "c -> c"},
    {{"a", "x", "b", "b"}, "a", NULL},
    /* two ways to the same are none */
    {{"a", "b + c", "b", "d", "c", "d", "d", "x"}, "a", NULL},
    {{"a", "b + c + b + c", "b", "c + c", "c", "x + x"}, "a", NULL},
    {{"a", "b + c", "b", "d", "c", "d", "d", "c"}, "a", "d -> c -> d"},
    {{"a", "b + c", "b", "x", "c", "b + a"}, "a", "a -> c -> a"},
};

static void test_cycles(void **state)
{
    struct sensors *sensors = *state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[MESSAGE_SIZE] = "unchanged";
        empty(state);
        for (size_t d = 0; d < 8 && rows[i].definitions[d]; d += 2)
            define(sensors, rows[i].definitions[d], rows[i].definitions[d + 1]);
        int found = expression_cycle(rows[i].start, expression_of, sensors, text);
        assert_int_equal(found, rows[i].cycle ? ELOOP : 0);
        assert_string_equal(text, rows[i].cycle ? rows[i].cycle : "unchanged");
    }
}

/* Every sensor refers twice to the next two: the ways through them are more than the atoms of the
 * universe, the references are not. */
static void test_each_reference_is_followed_once(void **state)
{
    struct sensors *sensors = *state;
    char name[NAME_SIZE], expression[128], text[MESSAGE_SIZE];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(expression, sizeof expression, "s%d + s%d * s%d", i + 1, i + 2, i + 1);
        define(sensors, name, expression);
    }
    assert_int_equal(expression_cycle("s0", numbered, sensors, text), 0);
    assert_in_range(sensors->asked, MANY, 3 * MANY);
}

static void test_long_chains(void **state)
{
    struct sensors *sensors = *state;
    char name[NAME_SIZE], expression[128], text[MESSAGE_SIZE];
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(expression, sizeof expression, "s%d", (i + 1) % MANY);
        define(sensors, name, expression);
    }
    assert_int_equal(expression_cycle("s0", numbered, sensors, text), ELOOP);
    assert_true(strncmp(text, "s0 -> s1 -> s2 -> ", 18) == 0);
    const char *end = strstr(text, " -> ... -> s0");
    assert_non_null(end);
    assert_string_equal(end, " -> ... -> s0");
    assert_true(strlen(text) > MESSAGE_SIZE - 40);
}

/* Names of every length, cycles of every length around what the text has room for. */
static void test_description_at_the_edge(void **state)
{
    struct sensors *sensors = *state;
    for (int len = 2; len < NAME_SIZE; len++)
        for (int n = 1; n <= 60; n++) {
            char name[NAME_SIZE], next[NAME_SIZE], text[MESSAGE_SIZE], whole[4096] = "";
            empty(state);
            for (int i = 0; i < n; i++) {
                snprintf(name, sizeof name, "s%0*d", len - 1, i);
                snprintf(next, sizeof next, "s%0*d", len - 1, (i + 1) % n);
                define(sensors, name, next);
                strcat(strcat(whole, name), " -> ");
            }
            strcat(whole, sensors->derived[0].name);
            assert_int_equal(
                expression_cycle(sensors->derived[0].name, expression_of, sensors, text), ELOOP);
            assert_true(strlen(text) < MESSAGE_SIZE);
            if (strlen(whole) < MESSAGE_SIZE - 48)
                assert_string_equal(text, whole);
            else if (!strstr(text, " -> ... -> s"))
                assert_string_equal(text, whole);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cycles, empty, empty),
        cmocka_unit_test_setup_teardown(test_each_reference_is_followed_once, empty, empty),
        cmocka_unit_test_setup_teardown(test_long_chains, empty, empty),
        cmocka_unit_test_setup_teardown(test_description_at_the_edge, empty, empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
