#include <errno.h>
#include <string.h>

#include "calculate/expression.h"
#include "calculate/expression_unit.h"

#include "unit.h"

static const struct {
    const char *name, *unit;
} sensors[] = {
    {"rx", "B/s"},
    {"tx", "B/s"},
    {"free", "B"},
    {"total", "B"},
    {"cpu", "%"},
    {"mem", "%"},
    {"time", "s"},
    {"ops", "ops/s"},
    {"load", ""},
    {"tasks", "tasks"},
    {"r-s", "1/s"},
    {"odd", "per cent"},
    {"empty^", "x"},
    {"s9", "s^9"},
    {"long", "abcdefghijklmnopqrstuvwxyz0"},
    {"u1", "u1*u2*u3*u4*u5*u6*u7*u8"},
    {"u2", "v1*v2*v3*v4*v5*v6*v7*v8"},
};

static const char *unit_of(void *context, const char *name)
{
    unsigned *asked = context;
    if (asked)
        ++*asked;
    for (size_t i = 0; i < sizeof sensors / sizeof sensors[0]; i++)
        if (strcmp(sensors[i].name, name) == 0)
            return sensors[i].unit;
    return NULL;
}

struct row {
    const char *text;
    const char *unit; /* NULL: an error */
    size_t column;
    const char *error;
};

#define DIFFER(a, b) "the units differ: \"" a "\" before this and \"" b "\" after it"

static const struct row rows[] = {
    /* sensors and numbers */
    {"rx", "B/s", 0, NULL},
    {"load", "", 0, NULL},
    {"7", "", 0, NULL},
    {"-rx", "B/s", 0, NULL},
    {"(rx)", "B/s", 0, NULL},
    /* + and - */
    {"rx + tx", "B/s", 0, NULL},
    {"rx - tx", "B/s", 0, NULL},
    {"rx + 5", "B/s", 0, NULL},
    {"5 + rx", "B/s", 0, NULL},
    {"5 - rx", "B/s", 0, NULL},
    {"1 + 2 + rx", "B/s", 0, NULL},
    {"rx + (1 + 2) * 3 / -4", "B/s", 0, NULL},
    {"1 + 2", "", 0, NULL},
    {"cpu + mem", "%", 0, NULL},
    {"100 - cpu", "%", 0, NULL},
    {"load + 1", "", 0, NULL},
    {"load + free / total", "", 0, NULL},
    {"rx + time", NULL, 4, DIFFER("B/s", "s")},
    {"rx - free", NULL, 4, DIFFER("B/s", "B")},
    {"cpu + load", NULL, 5, DIFFER("%", "")},
    {"load + cpu", NULL, 6, DIFFER("", "%")},
    {"1 + rx + time", NULL, 8, DIFFER("B/s", "s")},
    {"rx + tx - (free + total)", NULL, 9, DIFFER("B/s", "B")},
    {"2 * load + cpu", NULL, 10, DIFFER("", "%")},
    {"rx / tx + cpu", NULL, 9, DIFFER("", "%")},
    {"rx / rx + 1", "", 0, NULL},
    /* what has no unit but is not only of numbers does not go with all */
    {"rx + load * 5", NULL, 4, DIFFER("B/s", "")},
    {"rx + 5 * 5", "B/s", 0, NULL},
    /* * and / */
    {"rx * time", "B", 0, NULL},
    {"free / time", "B/s", 0, NULL},
    {"rx / tx", "", 0, NULL},
    {"100 * free / total", "", 0, NULL},
    {"1 / time", "1/s", 0, NULL},
    {"rx * 8", "B/s", 0, NULL},
    {"rx / 1024", "B/s", 0, NULL},
    {"1024 / rx", "s/B", 0, NULL},
    {"rx / time", "B/s^2", 0, NULL},
    {"time * time", "s^2", 0, NULL},
    {"cpu * mem", "%^2", 0, NULL},
    {"ops * time", "ops", 0, NULL},
    {"rx / ops", "B/ops", 0, NULL},
    {"rx * tx / free", "B/s^2", 0, NULL},
    {"r-s * time", "", 0, NULL},
    {"tasks / cpu", "tasks/%", 0, NULL},
    {"s9 / s9 * s9", "s^9", 0, NULL},
    {"s9 * time", NULL, 4, "a unit gets an exponent beyond 9"},
    {"1 / s9 / time", NULL, 8, "a unit gets an exponent beyond 9"},
    {"1 + s9 * time / time", NULL, 8, "a unit gets an exponent beyond 9"},
    /* a number in percent does not go with all */
    {"90%", "%", 0, NULL},
    {"-5%", "%", 0, NULL},
    {"100% * free / total", "%", 0, NULL},
    {"free / total * 100%", "%", 0, NULL},
    {"100% * rx * time / total", "%", 0, NULL},
    {"5% / 5%", "", 0, NULL},
    {"cpu / 5%", "", 0, NULL},
    {"5% * 5%", "%^2", 0, NULL},
    {"free * 5%", "%*B", 0, NULL},
    {"free * 5% / 100%", "B", 0, NULL},
    {"100% - cpu", "%", 0, NULL},
    {"cpu + 5%", "%", 0, NULL},
    {"cpu + 100% * free / total", "%", 0, NULL},
    {"5 + 5%", "%", 0, NULL},
    {"5% + 5", "%", 0, NULL},
    {"2 * 5%", "%", 0, NULL},
    {"cpu > 90%", "", 0, NULL},
    {"90% >= cpu", "", 0, NULL},
    {"100% * free / total > 90%", "", 0, NULL},
    {"90 < 90%", "", 0, NULL},
    {"max(cpu, mem, 5%)", "%", 0, NULL},
    {"abs(-5%)", "%", 0, NULL},
    {"log(5%)", "", 0, NULL},
    {"rx + 5%", NULL, 4, DIFFER("B/s", "%")},
    {"5% + rx", NULL, 4, DIFFER("%", "B/s")},
    {"load > 5%", NULL, 6, DIFFER("", "%")},
    {"free / total > 90%", NULL, 14, DIFFER("", "%")},
    {"5% / 5% + cpu", NULL, 9, DIFFER("", "%")},
    {"1 + 5% + rx", NULL, 8, DIFFER("%", "B/s")},
    {"min(rx, 5%)", NULL, 9, DIFFER("B/s", "%")},
    {"log(5%) + cpu", NULL, 9, DIFFER("", "%")},
    /* functions */
    {"min(rx, tx)", "B/s", 0, NULL},
    {"max(rx, tx, 0)", "B/s", 0, NULL},
    {"max(0, rx)", "B/s", 0, NULL},
    {"max(1, 2)", "", 0, NULL},
    {"rx + max(1, 2)", "B/s", 0, NULL},
    {"min(rx, free)", NULL, 9, DIFFER("B/s", "B")},
    {"max(rx, 1, tx, time)", NULL, 16, DIFFER("B/s", "s")},
    {"max(0, rx, time + free)", NULL, 17, DIFFER("s", "B")},
    {"abs(rx - tx)", "B/s", 0, NULL},
    {"abs(-1) + rx", "B/s", 0, NULL},
    {"log(rx)", "", 0, NULL},
    {"log(rx) + log(time)", "", 0, NULL},
    {"log(rx) + rx", NULL, 9, DIFFER("", "B/s")},
    {"log(2) * time", "s", 0, NULL},
    {"log(2) + time", "s", 0, NULL},
    {"log(rx + time)", NULL, 8, DIFFER("B/s", "s")},
    /* comparisons */
    {"rx < tx", "", 0, NULL},
    {"rx <= 5", "", 0, NULL},
    {"5 > rx", "", 0, NULL},
    {"rx >= tx", "", 0, NULL},
    {"rx == tx", "", 0, NULL},
    {"rx != tx", "", 0, NULL},
    {"(rx > tx) * time", "s", 0, NULL},
    {"(rx > tx) + (time > 5)", "", 0, NULL},
    {"(rx > tx) + time", NULL, 11, DIFFER("", "s")},
    {"(1 > 2) + time", NULL, 9, DIFFER("", "s")},
    {"rx < time", NULL, 4, DIFFER("B/s", "s")},
    {"rx <= time", NULL, 4, DIFFER("B/s", "s")},
    {"rx > time", NULL, 4, DIFFER("B/s", "s")},
    {"rx >= time", NULL, 4, DIFFER("B/s", "s")},
    {"rx == time", NULL, 4, DIFFER("B/s", "s")},
    {"rx != time", NULL, 4, DIFFER("B/s", "s")},
    /* sensors that are not there, units that are none */
    {"none", NULL, 1, "there is no sensor \"none\""},
    {"1 + none", NULL, 5, "there is no sensor \"none\""},
    {"rx-tx", NULL, 1,
     "there is no sensor \"rx-tx\"; a minus after a name needs a blank before it"},
    {"odd", NULL, 1, "the unit \"per cent\" of \"odd\" is not understood"},
    {"2 * odd", NULL, 5, "the unit \"per cent\" of \"odd\" is not understood"},
    {"rx + time + none", NULL, 4, DIFFER("B/s", "s")},
    /* limits */
    {"long * time", "abcdefghijklmnopqrstuvwxyz0*s", 0, NULL},
    {"long * long / time", "abcdefghijklmnopqrstuvwxyz0^2/s", 0, NULL},
    {"long * tasks", NULL, 1, "the unit of the result is longer than 32 characters"},
    {"long * tasks / long", "tasks", 0, NULL},
    {"long * tasks + time", NULL, 14, DIFFER("...", "s")},
    {"time + long * tasks", NULL, 6, DIFFER("s", "...")},
    {"u1 * u2 / u1 / u2", "", 0, NULL},
    {"u1 * u2 * time", NULL, 11, "there are more than 16 base units"},
    {"u1 * u2 * 5%", NULL, 11, "there are more than 16 base units"},
    {"5% * u1 * u2", NULL, 11, "there are more than 16 base units"},
    {"s9 * (1 + 5%) * s9", NULL, 15, "a unit gets an exponent beyond 9"},
};

static void test_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct expression *e = NULL;
        struct expression_error error = {0};
        char unit[UNIT_SIZE] = "unchanged";
        if (expression_parse(rows[i].text, &e, &error) != 0)
            fail_msg("\"%s\", column %zu: %s", rows[i].text, error.column, error.text);
        int failed = expression_unit(e, unit_of, NULL, unit, &error);
        assert_true(failed == 0 || failed == EINVAL);
        if ((failed == 0) != (rows[i].unit != NULL))
            fail_msg("\"%s\": \"%s\" %s", rows[i].text, unit, error.text);
        if (strcmp(unit, rows[i].unit ? rows[i].unit : "unchanged") != 0)
            fail_msg("\"%s\": unit \"%s\"", rows[i].text, unit);
        if (error.column != rows[i].column || strcmp(error.text, failed ? rows[i].error : "") != 0)
            fail_msg("\"%s\", column %zu: %s", rows[i].text, error.column, error.text);
        expression_free(e);
    }
}

/* As deep a stack as an expression can have. */
static void test_largest_stack(void **state)
{
    (void)state;
    char text[256] = "", unit[UNIT_SIZE];
    for (int i = 0; i < 31; i++)
        strcat(text, "1<1+1*(");
    strcat(text, "1");
    for (int i = 0; i < 31; i++)
        strcat(text, ")");
    struct expression *e = NULL;
    struct expression_error error;
    assert_int_equal(expression_parse(text, &e, &error), 0);
    assert_int_equal(expression_unit(e, unit_of, NULL, unit, &error), 0);
    assert_string_equal(unit, "");
    expression_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_largest_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
