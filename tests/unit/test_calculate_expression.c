#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/expression.h"
#include "calculate/expression_evaluate.h"

#include "unit.h"

/* The sensors of these tests. "gone" exists and has no value. */
static const struct {
    const char *name;
    double value;
} sensors[] = {
    {"a", 2},
    {"b", 3},
    {"c", 5},
    {"zero", 0},
    {"neg", -4},
    {"a-b", 100},
    {"a-", 7},
    {"a-1", 1000},
    {"x.y_z-", 9},
    {"log", 11},
    {"min", 12},
    {"huge", 1e300},
    {"Z9", 13},
    {"nan", NAN},
    {"inf", INFINITY},
    {"-inf", -INFINITY},
    {"n23456789012345678901234567890ab", 14},
};

static bool value_of(void *context, size_t position, const char *name, double *value)
{
    (void)context;
    (void)position;
    for (size_t i = 0; i < sizeof sensors / sizeof sensors[0]; i++)
        if (strcmp(sensors[i].name, name) == 0) {
            *value = sensors[i].value;
            return true;
        }
    return false;
}

static struct expression *parsed(const char *text)
{
    struct expression *e = NULL;
    struct expression_error error = {0};
    if (expression_parse(text, &e, &error) != 0)
        fail_msg("\"%s\", column %zu: %s", text, error.column, error.text);
    assert_non_null(e);
    assert_int_equal(error.column, 0);
    return e;
}

struct result_row {
    const char *text;
    double result; /* not a number: unavailable */
};

#define NONE NAN

static const struct result_row results[] = {
    /* numbers */
    {"0", 0},
    {"7", 7},
    {"007", 7},
    {"3.25", 3.25},
    {"123456789012345", 123456789012345},
    {"0.000001", 0.000001},
    {" \t7\t ", 7},
    /* of a number in percent the value is what is written */
    {"90%", 90},
    {"0%", 0},
    {"2.5%", 2.5},
    {" \t7%\t ", 7},
    {"-5%", -5},
    {"100% * a / c", 40},
    {"100%*a/c", 40},
    {"a + 90%", 92},
    {"90%-a", 88},
    {"90%>a", 1},
    {"(90%)/3", 30},
    {"min(90%,91%)", 90},
    {"50% == 50", 1},
    {"1 / 0%", NONE},
    /* names take what they can */
    {"a", 2},
    {"Z9", 13},
    {"a-b", 100},
    {"a-1", 1000},
    {"a-", 7},
    {"a- + 1", 8},
    {"a -b", -1},
    {"a - b", -1},
    {"a\t-b", -1},
    {"a -1", 1},
    {"a+b", 5},
    {"a*b/c", 1.2},
    {"x.y_z-", 9},
    {"x.y_z-*2", 18},
    {"n23456789012345678901234567890ab", 14},
    {"3-a", 1},
    {"3-1", 2},
    {"(a)-b", -1},
    {"abs(a)-b", -1},
    {"a<b", 1},
    {"(a-)-1", 6},
    /* functions only before a parenthesis */
    {"log", 11},
    {"min + log", 23},
    {"min(log, min)", 11},
    {"min (a, b)", 2},
    {"abs\t(neg)", 4},
    /* precedence */
    {"1 + 2 * 3", 7},
    {"2 * 3 + 1", 7},
    {"(1 + 2) * 3", 9},
    {"10 - 2 * 3", 4},
    {"10 / 5 + 1", 3},
    {"1 + 10 / 5", 3},
    {"1 + 2 < 4", 1},
    {"4 > 1 + 2", 1},
    {"2 * 3 == 6", 1},
    {"6 == 2 * 3", 1},
    {"1 < 2 + 3 * 4", 1},
    {"(1 < 2) + 3", 4},
    {"1 + (2 < 1)", 1},
    {"-2 * 3", -6},
    {"2 * -3", -6},
    {"2 / -4", -0.5},
    {"2 - -3", 5},
    {"2 --3", 5},
    {"-2 - 3", -5},
    {"-(2 - 3)", 1},
    {"--2", 2},
    {"- - -a", -2},
    {"-a * -b", 6},
    {"-1 < 0", 1},
    /* associativity */
    {"10 - 4 - 3", 3},
    {"10 - (4 - 3)", 9},
    {"100 / 10 / 5", 2},
    {"100 / (10 / 5)", 50},
    {"100 / 10 * 5", 50},
    {"2 * 9 / 6", 3},
    {"10 - 4 + 3", 9},
    {"1 - 2 + 3 - 4 + 5", 3},
    {"8 / 2 / 2 / 2", 1},
    /* comparisons */
    {"1 < 2", 1},
    {"2 < 2", 0},
    {"3 < 2", 0},
    {"1 <= 2", 1},
    {"2 <= 2", 1},
    {"3 <= 2", 0},
    {"1 > 2", 0},
    {"2 > 2", 0},
    {"3 > 2", 1},
    {"1 >= 2", 0},
    {"2 >= 2", 1},
    {"3 >= 2", 1},
    {"1 == 2", 0},
    {"2 == 2", 1},
    {"1 != 2", 1},
    {"2 != 2", 0},
    {"1<2", 1},
    {"2<=2", 1},
    {"2>=2", 1},
    {"2==2", 1},
    {"1!=2", 1},
    {"(1 < 2) == (3 < 4)", 1},
    {"(1 < 2) < 2", 1},
    {"zero == -zero", 1},
    /* functions */
    {"min(3, 1)", 1},
    {"min(1, 3)", 1},
    {"max(3, 1)", 3},
    {"max(1, 3)", 3},
    {"min(5, 4, 3, 4, 5)", 3},
    {"max(1, 2, 9, 2, 1)", 9},
    {"max(-1, -2)", -1},
    {"min(a + 1, b * 2, c)", 3},
    {"min(1 < 2, 2)", 1},
    {"max(min(a, b), min(b, c))", 3},
    {"abs(-3)", 3},
    {"abs(3)", 3},
    {"abs(0)", 0},
    {"log(1)", 0},
    {"-min(1, 2)", -1},
    {"min(1, 2) * max(3, 4)", 4},
    {"((((a))))", 2},
    /* 0 has one sign */
    {"-zero", 0},
    {"zero * neg", 0},
    /* unavailable */
    {"gone", NONE},
    {"a + gone", NONE},
    {"gone * 0", NONE},
    {"min(a, gone)", NONE},
    {"1 / 0", NONE},
    {"0 / 0", NONE},
    {"-1 / zero", NONE},
    {"a / (b - 3)", NONE},
    {"1 / (1 / zero)", NONE},
    {"(1 / zero) > 5", NONE},
    {"min(1 / zero, 5)", NONE},
    {"max(0 / zero, 5)", NONE},
    {"log(0)", NONE},
    {"log(-1)", NONE},
    {"log(neg)", NONE},
    {"abs(log(zero))", NONE},
    {"huge * huge", NONE},
    {"1 / (huge * huge)", NONE},
    {"huge * huge > 1", NONE},
    {"-huge * huge", NONE},
    {"huge / 0.0000000001", NONE},
    {"huge / huge", 1},
    {"nan", NONE},
    {"inf", NONE},
    {"0 * inf", NONE},
    {"nan == nan", NONE},
    {"1 / inf", NONE},
};

static void test_results(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++) {
        struct expression *e = parsed(results[i].text);
        double result = 4711;
        bool available = expression_evaluate(e, value_of, NULL, &result);
        if (isnan(results[i].result) ? available || result != 4711
                                     : !available || result != results[i].result)
            fail_msg("\"%s\" gives %d, %g", results[i].text, available, result);
        assert_false(available && result == 0 && signbit(result));
        expression_free(e);
    }
}

static void test_log_is_natural(void **state)
{
    (void)state;
    struct expression *e = parsed("log(2.718281828459) + log(c)");
    double result;
    assert_true(expression_evaluate(e, value_of, NULL, &result));
    assert_true(fabs(result - 1 - log(5)) < 1e-11);
    expression_free(e);
}

/* n times the first, the middle, n times the last. */
static void repeat(char *text, int n, const char *first, const char *middle, const char *last)
{
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        strcat(text, first);
    strcat(text, middle);
    for (int i = 0; i < n; i++)
        strcat(text, last);
}

static void check_limit(const char *text, double result, size_t column, const char *message)
{
    struct expression *e = NULL;
    struct expression_error error = {0};
    double value = 0;
    int failed = expression_parse(text, &e, &error);
    if (column > 0) {
        assert_int_equal(failed, EINVAL);
        assert_int_equal(error.column, column);
        assert_string_equal(error.text, message);
        return;
    }
    assert_int_equal(failed, 0);
    assert_true(expression_evaluate(e, value_of, NULL, &value));
    assert_true(value == result);
    expression_free(e);
}

static void test_depth(void **state)
{
    (void)state;
    static const char deep[] = "parentheses, functions and signs are nested more than 32 deep";
    char text[400];
    repeat(text, 32, "(", "1", ")");
    check_limit(text, 1, 0, "");
    repeat(text, 33, "(", "1", ")");
    check_limit(text, 0, 33, deep);
    repeat(text, 32, "-", "1", "");
    check_limit(text, 1, 0, "");
    repeat(text, 33, "-", "1", "");
    check_limit(text, 0, 33, deep);
    repeat(text, 32, "abs(", "1", ")");
    check_limit(text, 1, 0, "");
    repeat(text, 33, "abs(", "1", ")");
    check_limit(text, 0, 129, deep);
    repeat(text, 16, "-(", "1", ")");
    check_limit(text, 1, 0, "");
    repeat(text, 17, "-(", "1", ")");
    check_limit(text, 0, 33, deep);
    repeat(text, 32, "1+(", "1", ")");
    check_limit(text, 33, 0, "");
    /* Side by side is not in each other. */
    repeat(text, 60, "-1+", "1", "");
    check_limit(text, -59, 0, "");
    repeat(text, 40, "(1)+", "1", "");
    check_limit(text, 41, 0, "");
    repeat(text, 30, "abs(1)+", "1", "");
    check_limit(text, 31, 0, "");
}

static void test_length(void **state)
{
    (void)state;
    static const char length[] = "the expression is longer than 255 characters";
    char text[400];
    /* As many values as there can be. */
    repeat(text, 127, "1+", "1", "");
    assert_int_equal(strlen(text), EXPRESSION_TEXT_MAX);
    check_limit(text, 128, 0, "");
    strcat(text, " ");
    check_limit(text, 0, 256, length);
    repeat(text, 125, "", "max(1", ",2");
    assert_int_equal(strlen(text), EXPRESSION_TEXT_MAX);
    text[254] = ')';
    text[253] = '2';
    text[252] = ' ';
    check_limit(text, 2, 0, "");
    repeat(text, 255, " ", "", "");
    text[254] = '7';
    check_limit(text, 7, 0, "");
    /* As high a stack as there can be: each level holds a value of each precedence. */
    repeat(text, 31, "1<1+1*(", "1", ")");
    check_limit(text, 1, 0, "");
}

/* Different names, two octets each: "a1+b1+...". */
static void many_names(char *text, int n)
{
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        sprintf(text + strlen(text), "%s%c%d", i ? "+" : "", 'A' + i % 20, i / 20);
}

static void test_number_of_names(void **state)
{
    (void)state;
    char text[400];
    struct expression *e;
    struct expression_error error;
    many_names(text, EXPRESSION_NAMES_MAX);
    strcat(text, "+A0+B0");
    e = parsed(text);
    assert_string_equal(expression_names(e, 0), "A0");
    assert_string_equal(expression_names(e, 31), "L1");
    assert_null(expression_names(e, 32));
    assert_int_equal(expression_name_count(e), 32);
    expression_free(e);
    many_names(text, EXPRESSION_NAMES_MAX + 1);
    assert_int_equal(expression_parse(text, &e, &error), EINVAL);
    assert_int_equal(error.column, 97);
    assert_string_equal(error.text, "there are more than 32 sensors");
}

static void test_names_once_in_order(void **state)
{
    (void)state;
    struct expression *e = parsed("b * 2 + log(a) - min(c, b, x.y) / a - log");
    static const char *const names[] = {"b", "a", "c", "x.y", "log"};
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(expression_names(e, i), names[i]);
    assert_int_equal(expression_name_count(e), 5);
    assert_null(expression_names(e, 5));
    assert_null(expression_names(e, SIZE_MAX));
    expression_free(e);
    e = parsed("1 + 2%");
    assert_int_equal(expression_name_count(e), 0);
    assert_null(expression_names(e, 0));
    expression_free(e);
    expression_free(NULL);
}

/* Answers by position alone; fails where a position comes twice, not in order or with the name of
 * another. */
struct inputs {
    const struct expression *expression;
    size_t asked;
    size_t missing; /* the position without a value */
};

static const double by_position[] = {2, 3, 5};

static bool value_at(void *context, size_t position, const char *name, double *value)
{
    struct inputs *inputs = context;
    assert_int_equal(position, inputs->asked++);
    assert_ptr_equal(name, expression_names(inputs->expression, position));
    assert_true(position < expression_name_count(inputs->expression));
    *value = by_position[position];
    return position != inputs->missing;
}

static void test_each_input_is_asked_for_once_by_position(void **state)
{
    (void)state;
    struct expression *e = parsed("x * x + y * x - max(y, x, z)");
    /* It changes nothing: the same again. */
    for (int round = 0; round < 2; round++) {
        struct inputs inputs = {.expression = e, .missing = SIZE_MAX};
        double result = 0;
        assert_true(expression_evaluate(e, value_at, &inputs, &result));
        assert_int_equal(inputs.asked, 3);
        assert_true(result == 5);
    }
    for (size_t missing = 0; missing < 3; missing++) {
        struct inputs inputs = {.expression = e, .missing = missing};
        double result = 4711;
        assert_false(expression_evaluate(e, value_at, &inputs, &result));
        assert_int_equal(inputs.asked, missing + 1);
        assert_true(result == 4711);
    }
    expression_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_results),
        cmocka_unit_test(test_log_is_natural),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_number_of_names),
        cmocka_unit_test(test_names_once_in_order),
        cmocka_unit_test(test_each_input_is_asked_for_once_by_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
