/* The language of scenarios: what is one, how much it stands for, and where and why something is
 * none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "load/scenario.h"
#include "scarce.h"
#include "unit.h"

/* The text in memory of its own, so that a sanitizer sees any octet too far. */
static int parse(struct scenario *scenario, const char *text, size_t len,
                 struct scenario_error *error)
{
    char *copy = malloc(len ? len : 1);
    memcpy(copy, text, len);
    int code = scenario_parse(scenario, copy, len, error);
    free(copy);
    return code;
}

/* "LEAST MOST MEAN DEPTH NAME...", or "LINE:COLUMN: what is wrong". */
static const char *shown(const char *text)
{
    static char said[1024];
    struct scenario scenario;
    struct scenario_error error;
    if (parse(&scenario, text, strlen(text), &error) != 0) {
        snprintf(said, sizeof said, "%zu:%zu: %s", error.line, error.column, error.text);
        return said;
    }
    const struct scenario_node *root = scenario_root(&scenario);
    size_t len = (size_t)snprintf(said, sizeof said, "%ju %ju %g %u", (uintmax_t)root->least,
                                  (uintmax_t)root->most, root->mean, scenario.depth);
    for (uint32_t i = 0; i < scenario.n_names; i++)
        len += (size_t)snprintf(said + len, sizeof said - len, " %s@%zu:%zu", scenario.name[i].text,
                                scenario.name[i].line, scenario.name[i].column);
    scenario_release(&scenario);
    return said;
}

/* A text, and what is shown of it. */
struct example {
    const char *text, *said;
};

static void are_shown(const struct example *examples, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_string_equal(shown(examples[i].text), examples[i].said);
}

/* What is wrong with a text, of which nothing is left. */
static struct scenario_error fault_of(const char *text, size_t len)
{
    struct scenario scenario;
    struct scenario_error error;
    assert_int_equal(parse(&scenario, text, len, &error), EINVAL);
    assert_null(scenario.node);
    return error;
}

/* That of a text that is good; to be released. */
static struct scenario scenario_of(const char *text)
{
    struct scenario scenario;
    struct scenario_error error;
    assert_int_equal(parse(&scenario, text, strlen(text), &error), 0);
    return scenario;
}

static void expressions_stand_for_operations(void **state)
{
    static const struct example good[] = {
        {"once()", "1 1 1 1 once@1:6"},
        {"once(login)", "1 1 1 1 login@1:6"},
        {"once(once)", "1 1 1 1 once@1:6"},
        {"loop(7)", "7 7 7 1 once@1:6"},
        {"loop(7,100)", "7 7 7 1 once@1:6"},
        {"loop(once(a.B_c-9),7)", "7 7 7 2 a.B_c-9@1:11"},
        {"loop(once(a),7,0)", "7 7 7 2 a@1:11"},
        {"loop(0)", "0 0 0 1 once@1:6"},
        {"list(once())", "1 1 1 2 once@1:11"},
        {"list(once(a),once(b),once(a))", "3 3 3 2 a@1:11 b@1:19"},
        {"random(once(),loop(3))", "1 3 2 2 once@1:13"},
        {"loop(list(random(once(), loop(3, 10)), once()), 1000, 50)", "2000 4000 3000 4 once@1:23"},
        {"loop(random(once(), loop(3), loop(0)), 10)", "0 30 13.3333 3 once@1:18"},
        {"loop(1000000000000000000, 1000000000000)",
         "1000000000000000000 1000000000000000000 1e+18 1 once@1:6"},
        {"loop(loop(1000000000), 10000000000)",
         "10000000000000000000 10000000000000000000 1e+19 2 once@1:11"},
        {" \t\r\nonce \n ( \t a\r\n)\n\n", "1 1 1 1 a@3:6"},
        {"loop(007)", "7 7 7 1 once@1:6"},
    };
    (void)state;
    are_shown(good, N_OF(good));
}

#define WORDS "expected once(, list(, random( or loop(, found "
#define BODY "expected how often, from 0 to 10^18, or once(, list(, random( or loop(, found "
#define NAME "expected \")\", or a name of 1 to 32 of the characters A-Z a-z 0-9 . _ -, found "
#define TIMES "expected how often, from 0 to 10^18, found "
#define PAUSE "expected a pause in milliseconds, from 0 to 10^12, found "
#define GREAT "this stands for 2^64 operations or more"

static void errors_have_their_place(void **state)
{
    static const struct example bad[] = {
        {"", "1:1: " WORDS "the end"},
        {"  \n  ", "2:3: " WORDS "the end"},
        {"twice()", "1:1: " WORDS "\"twice\""},
        {"Once()", "1:1: " WORDS "\"Once\""},
        {"onc", "1:1: " WORDS "\"onc\""},
        {"oncee()", "1:1: " WORDS "\"oncee\""},
        {"7", "1:1: " WORDS "\"7\""},
        {"(once())", "1:1: " WORDS "\"(\""},
        {"\x01", "1:1: " WORDS "the octet 0x01"},
        {"\xc3\xa4", "1:1: " WORDS "the octet 0xc3"},
        {"once", "1:5: expected \"(\", found the end"},
        {"once[]", "1:5: expected \"(\", found \"[\""},
        {"once(", "1:6: " NAME "the end"},
        {"once(,", "1:6: " NAME "\",\""},
        {"once(a", "1:7: expected \")\", found the end"},
        {"once(a b)", "1:8: expected \")\", found \"b\""},
        {"once(a,b)", "1:7: expected \")\", found \",\""},
        {"once(123456789012345678901234567890123)",
         "1:6: " NAME "\"12345678901234567890123456789012\""},
        {"once()once()", "1:7: expected the end of the expression, found \"once\""},
        {"once(),once()", "1:7: expected the end of the expression, found \",\""},
        {"once())", "1:7: expected the end of the expression, found \")\""},
        {"list()", "1:6: " WORDS "\")\""},
        {"list", "1:5: expected \"(\", found the end"},
        {"list(once()", "1:12: expected \",\" or \")\", found the end"},
        {"list(once(),", "1:13: " WORDS "the end"},
        {"list(once(),)", "1:13: " WORDS "\")\""},
        {"list(once() once())", "1:13: expected \",\" or \")\", found \"once\""},
        {"list(once(),\n  once(;))", "2:8: " NAME "\";\""},
        {"list(5)", "1:6: " WORDS "\"5\""},
        {"random()", "1:8: " WORDS "\")\""},
        {"random(once(),once()", "1:21: expected \",\" or \")\", found the end"},
        {"loop()", "1:6: " BODY "\")\""},
        {"loop(", "1:6: " BODY "the end"},
        {"loop(-1)", "1:6: " BODY "\"-1\""},
        {"loop(1x)", "1:6: " TIMES "\"1x\""},
        {"loop(1.5)", "1:6: " TIMES "\"1.5\""},
        {"loop(1e3)", "1:6: " TIMES "\"1e3\""},
        {"loop(1000000000000000001)", "1:6: " TIMES "\"1000000000000000001\""},
        {"loop(99999999999999999999999999999999999999)",
         "1:6: " TIMES "\"99999999999999999999999999999999\""},
        {"loop(1", "1:7: expected \",\" or \")\", found the end"},
        {"loop(1,", "1:8: " PAUSE "the end"},
        {"loop(1,)", "1:8: " PAUSE "\")\""},
        {"loop(1,-1)", "1:8: " PAUSE "\"-1\""},
        {"loop(1,1000000000001)", "1:8: " PAUSE "\"1000000000001\""},
        {"loop(1,once())", "1:8: " PAUSE "\"once\""},
        {"loop(1,2,3)", "1:9: expected \",\" or \")\", found \",\""},
        {"loop(once())", "1:12: expected \",\" and how often, found \")\""},
        {"loop(once(),)", "1:13: " TIMES "\")\""},
        {"loop(once(),once())", "1:13: " TIMES "\"once\""},
        {"loop(once(),2,3,4)", "1:16: expected \",\" or \")\", found \",\""},
        {"loop(loop(1000000000000000000),1000000000000000000)", "1:1: " GREAT},
        {"list(once(),\n loop(loop(loop(1000000000), 1000000000),1000000000))", "2:2: " GREAT},
        {"list(loop(loop(10000000000),1000000000),loop(loop(10000000000),1000000000))",
         "1:1: " GREAT},
    };
    (void)state;
    are_shown(bad, N_OF(bad));
}

/* Columns are characters, not octets; nothing of a strange octet is printed. */
static void columns_are_characters(void **state)
{
    const char text[] = "once()\0x";
    (void)state;
    assert_string_equal(shown("once() \xc3\xa4\xc3\xb6 x"),
                        "1:8: expected the end of the expression, found the octet 0xc3");
    const struct scenario_error error = fault_of(text, sizeof text - 1);
    assert_string_equal(error.text, "expected the end of the expression, found the octet 0x00");
    assert_int_equal(error.column, 7);
}

/* Each octet cut off of a good one is an error at the end of what is left. */
static void what_is_cut_is_an_error_at_its_end(void **state)
{
    static const char whole[] = "loop(list(random(once(a), loop(3, 10)), once()), 1000, 50)";
    (void)state;
    for (size_t len = 0; len < sizeof whole - 1; len++) {
        const struct scenario_error error = fault_of(whole, len);
        assert_in_range(error.column, 1, len + 1);
        assert_non_null(strstr(error.text, "expected"));
    }
}

static char *nested(size_t depth)
{
    char *text = malloc(depth * strlen("list()") + strlen("once()") + 1), *at = text;
    for (size_t i = 0; i < depth; i++)
        at = stpcpy(at, "list(");
    at = stpcpy(at, "once()");
    memset(at, ')', depth);
    at[depth] = '\0';
    return text;
}

static void depth_has_an_end(void **state)
{
    char *good = nested(SCENARIO_DEPTH_MAX - 1), *bad = nested(SCENARIO_DEPTH_MAX),
         *worse = nested(100000);
    (void)state;
    struct scenario scenario = scenario_of(good);
    assert_int_equal(scenario.depth, SCENARIO_DEPTH_MAX);
    scenario_release(&scenario);
    assert_string_equal(shown(bad), "1:1281: more than 256 expressions are in each other");
    assert_string_equal(shown(worse), "1:1281: more than 256 expressions are in each other");
    free(good);
    free(bad);
    free(worse);
}

/* "list(once(n0),once(n1),...)", or without names. */
static char *listed(bool is_named, size_t n)
{
    char *text = malloc(n * 16 + 16), *at = stpcpy(text, "list(");
    for (size_t i = 0; i < n; i++) {
        at = stpcpy(at, i ? ",once(" : "once(");
        if (is_named)
            at += sprintf(at, "n%zu", i);
        at = stpcpy(at, ")");
    }
    strcpy(at, ")");
    return text;
}

static void sizes_have_an_end(void **state)
{
    char *many = listed(false, 100000), *names = listed(true, SCENARIO_NAMES_MAX),
         *more = listed(true, SCENARIO_NAMES_MAX + 1);
    (void)state;
    struct scenario scenario = scenario_of(many);
    assert_int_equal(scenario_root(&scenario)->most, 100000);
    scenario_release(&scenario);
    scenario = scenario_of(names);
    assert_int_equal(scenario.n_names, SCENARIO_NAMES_MAX);
    scenario_release(&scenario);
    assert_non_null(strstr(shown(more), "there are more than 256 names of operations"));
    char *huge = calloc(1, SCENARIO_TEXT_MAX + 1);
    memset(huge, ' ', SCENARIO_TEXT_MAX + 1);
    assert_string_equal(fault_of(huge, SCENARIO_TEXT_MAX + 1).text,
                        "the expression is longer than 1 MiB");
    assert_int_equal(fault_of(huge, SCENARIO_TEXT_MAX).column, SCENARIO_TEXT_MAX + 1);
    free(huge);
    free(many);
    free(names);
    free(more);
}

/* Without memory for any part of it nothing is left, and it is said. */
static void memory_may_fail(void **state)
{
    static const char text[] =
        "list(once(a),random(once(b),loop(once(c),3),loop(4)),list(once(d)))";
    struct scenario scenario;
    struct scenario_error error;
    bool has_failed = true;
    (void)state;
    for (size_t nth = 1; has_failed; nth++) {
        scarce_fail(nth);
        int code = scenario_parse(&scenario, text, sizeof text - 1, &error);
        has_failed = scarce_stop();
        assert_int_equal(code, has_failed ? ENOMEM : 0);
        assert_string_equal(error.text, has_failed ? "out of memory" : "");
        assert_true(!has_failed || !scenario.node);
    }
    scenario_release(&scenario);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_stand_for_operations),
        cmocka_unit_test(errors_have_their_place),
        cmocka_unit_test(columns_are_characters),
        cmocka_unit_test(what_is_cut_is_an_error_at_its_end),
        cmocka_unit_test(depth_has_an_end),
        cmocka_unit_test(sizes_have_an_end),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
