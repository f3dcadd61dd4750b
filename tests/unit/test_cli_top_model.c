/* The rows of a screen of dcamp top: order, filter, selection and scrolling. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/top_model.h"

#include "unit.h"

enum { NAME, LEVEL, VALUE, COUNT, FIELDS };

static const struct top_field fields[FIELDS] = {[NAME] = {"name", "NAME", TOP_TEXT, false},
                                                [LEVEL] = {"level", "LEVEL", TOP_LABEL, true},
                                                [VALUE] = {"value", "VALUE", TOP_DECIMAL, true},
                                                [COUNT] = {"count", "COUNT", TOP_NUMBER, true}};

static struct top_model model;

static int model_setup(void **state)
{
    (void)state;
    top_model_init(&model, fields, FIELDS, NAME);
    return 0;
}

static int model_teardown(void **state)
{
    (void)state;
    top_model_release(&model);
    return 0;
}

#define MODEL_TEST(test) cmocka_unit_test_setup_teardown(test, model_setup, model_teardown)

static struct top_row *put(const char *name, int64_t level, const char *label, const char *value)
{
    struct top_row *row = top_model_row(&model, name, strlen(name));
    assert_non_null(row);
    assert_true(top_row_set(row, NAME, true, 0, name, strlen(name)));
    assert_true(top_row_set(row, LEVEL, label != NULL, level, label, label ? strlen(label) : 0));
    assert_true(top_row_set(row, VALUE, value != NULL, 0, value, value ? strlen(value) : 0));
    return row;
}

static void put_some(void)
{
    top_model_begin(&model);
    put("cpu10", 1, "info", "9");
    put("cpu2", 3, "critical", "10");
    put("disk", 2, "warning", "-1.5");
    put("lo", 0, NULL, NULL);
    top_model_end(&model);
    assert_true(top_model_arrange(&model));
}

/* The names that are shown, with blanks between; the selected one in brackets. */
static const char *shown(void)
{
    static char text[2000];
    size_t at = 0;
    text[0] = '\0';
    for (size_t i = 0; i < model.n_shown; i++)
        at += (size_t)snprintf(text + at, sizeof text - at,
                               model.shown[i] == model.selected ? "%s[%s]" : "%s%s", i ? " " : "",
                               model.shown[i]->values[NAME].text);
    return text;
}

static void orders(void **state)
{
    (void)state;
    put_some();
    assert_string_equal(shown(), "[cpu2] cpu10 disk lo"); /* numbers in names as numbers */
    top_model_sort(&model, NAME);
    top_model_arrange(&model);
    assert_string_equal(shown(), "lo disk cpu10 [cpu2]");
    top_model_sort(&model, LEVEL); /* by the number, not by its name; who has none is last */
    top_model_arrange(&model);
    assert_string_equal(shown(), "[cpu2] disk cpu10 lo");
    top_model_sort(&model, LEVEL);
    top_model_arrange(&model);
    assert_string_equal(shown(), "cpu10 disk [cpu2] lo");
    top_model_sort(&model, VALUE); /* decimal texts as numbers */
    top_model_arrange(&model);
    assert_string_equal(shown(), "[cpu2] cpu10 disk lo");
    top_model_sort(&model, COUNT); /* no row has any: in the order of their keys */
    top_model_arrange(&model);
    assert_string_equal(shown(), "cpu10 [cpu2] disk lo");
}

static void next_field(void **state)
{
    (void)state;
    put_some();
    top_model_sort_next(&model, 1);
    assert_int_equal(model.sort, LEVEL);
    top_model_sort_next(&model, -1);
    top_model_sort_next(&model, -1);
    assert_int_equal(model.sort, COUNT);
    top_model_sort_next(&model, 1);
    assert_int_equal(model.sort, NAME);
    assert_false(model.reverse);
}

static void filters(void **state)
{
    static const struct {
        const char *filter, *shown;
    } cases[] = {{"CPU", "[cpu2] cpu10"},
                 {"critical", "[cpu2]"},
                 {"1", "[cpu2] cpu10 disk"},
                 {"nothing", ""},
                 {"", "[cpu2] cpu10 disk lo"}};
    (void)state;
    put_some();
    for (size_t i = 0; i < N_OF(cases); i++) {
        top_model_filter(&model, cases[i].filter);
        top_model_arrange(&model);
        assert_string_equal(shown(), cases[i].shown);
    }
    assert_int_equal(top_model_count(&model), 4);
}

/* A selected row that the filter leaves out gives its place to the one that is there now. */
static void filter_takes_the_selected(void **state)
{
    (void)state;
    put_some();
    top_model_move(&model, 3);
    assert_string_equal(shown(), "cpu2 cpu10 disk [lo]");
    top_model_filter(&model, "cpu");
    top_model_arrange(&model);
    assert_string_equal(shown(), "cpu2 [cpu10]");
}

static void selection_follows_its_row(void **state)
{
    (void)state;
    put_some();
    top_model_move(&model, 2);
    assert_string_equal(shown(), "cpu2 cpu10 [disk] lo");
    top_model_begin(&model);
    put("a", 0, NULL, NULL);
    put("disk", 2, "warning", "5");
    put("cpu2", 3, "critical", "10");
    top_model_end(&model);
    top_model_arrange(&model);
    assert_string_equal(shown(), "a cpu2 [disk]");
    top_model_begin(&model); /* it is gone: what has come into its place */
    put("a", 0, NULL, NULL);
    put("cpu2", 3, "critical", "10");
    top_model_end(&model);
    assert_string_equal(shown(), "a cpu2");
    top_model_arrange(&model);
    assert_string_equal(shown(), "a [cpu2]");
    top_model_begin(&model);
    top_model_end(&model);
    top_model_arrange(&model);
    assert_string_equal(shown(), "");
    assert_null(model.selected);
    top_model_move(&model, 1);
    assert_null(model.selected);
}

/* A round that fails before its end leaves all rows. */
static void round_without_end(void **state)
{
    (void)state;
    put_some();
    top_model_begin(&model);
    put("lo", 0, NULL, NULL);
    top_model_arrange(&model);
    assert_string_equal(shown(), "[cpu2] cpu10 disk lo");
}

static void moves_and_scrolls(void **state)
{
    char name[8];
    (void)state;
    top_model_begin(&model);
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "%d", i);
        put(name, 0, NULL, NULL);
    }
    top_model_end(&model);
    top_model_arrange(&model);
    top_model_fit(&model, 4);
    static const struct {
        long by;
        size_t at, first;
    } moves[] = {{0, 0, 0},   {3, 3, 0},        {1, 4, 1},         {-3, 1, 1}, {-1, 0, 0},
                 {100, 9, 6}, {LONG_MAX, 9, 6}, {-LONG_MAX, 0, 0}, {9, 9, 6},  {-4, 5, 5}};
    for (size_t i = 0; i < N_OF(moves); i++) {
        top_model_move(&model, moves[i].by);
        assert_int_equal(model.at, moves[i].at);
        assert_int_equal(model.first, moves[i].first);
        assert_true(top_model_is_visible(&model, model.at));
        assert_int_equal(top_model_is_visible(&model, 4), model.first <= 4 && model.first > 0);
    }
    top_model_fit(&model, 100); /* there is room for all */
    assert_int_equal(model.first, 0);
    top_model_fit(&model, 1);
    assert_int_equal(model.first, 5);
    top_model_fit(&model, 0);
    assert_false(top_model_is_visible(&model, 5));
}

/* What is no printable character never gets into a row. */
static void hostile_texts(void **state)
{
    (void)state;
    static const char text[] = "\033[2J\xff\x9b\xc2\x9b"
                               "31m\nx";
    top_model_begin(&model);
    struct top_row *row = put("a", 0, NULL, NULL);
    assert_true(top_row_set(row, NAME, true, 0, text, sizeof text - 1));
    assert_string_equal(row->values[NAME].text, "?[2J???31m?x");
}

static void formats(void **state)
{
    static const struct {
        enum top_kind kind;
        int64_t number;
        const char *text;
    } cases[] = {{TOP_NUMBER, -7, "-7"},          {TOP_MILLI, 1234, "123.4"},
                 {TOP_MILLI, 4, "0.4"},           {TOP_KB, 0, "0k"},
                 {TOP_KB, 9999, "9999k"},         {TOP_KB, 10240, "10.0M"},
                 {TOP_KB, 64 << 20, "64.0G"},     {TOP_KB, INT64_MAX, "8589934592.0T"},
                 {TOP_MICROS, 1500, "1.5 ms"},    {TOP_SPAN, 61000, "61 s"},
                 {TOP_TIME, 0, "01-01 00:00:00"}, {TOP_TIME, INT64_MAX, NULL}};
    char text[TOP_TEXT_SIZE];
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct top_field field = {"x", "X", cases[i].kind, false};
        struct top_value value = {.given = true, .number = cases[i].number};
        top_value_format(&field, &value, text);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
        value.given = false;
        top_value_format(&field, &value, text);
        assert_string_equal(text, "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MODEL_TEST(orders),
        MODEL_TEST(next_field),
        MODEL_TEST(filters),
        MODEL_TEST(filter_takes_the_selected),
        MODEL_TEST(selection_follows_its_row),
        MODEL_TEST(round_without_end),
        MODEL_TEST(moves_and_scrolls),
        MODEL_TEST(hostile_texts),
        MODEL_TEST(formats),
    };
    setenv("TZ", "UTC", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
