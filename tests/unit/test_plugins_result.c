#include <stdio.h>
#include <string.h>

#include "printed.h"
#include "unit.h"

static void worst_of_all(void **state)
{
    (void)state;
    static const enum status order[] = {STATUS_OK, STATUS_UNKNOWN, STATUS_WARNING, STATUS_CRITICAL};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            struct result result = {.status = order[i]};
            result_worsen(&result, order[j]);
            assert_int_equal(result.status, order[i > j ? i : j]);
        }
    assert_int_equal(STATUS_OK, 0);
    assert_int_equal(STATUS_WARNING, 1);
    assert_int_equal(STATUS_CRITICAL, 2);
    assert_int_equal(STATUS_UNKNOWN, 3);
}

static void critical_goes_before_warning(void **state)
{
    (void)state;
    struct range warning, critical, none = {0};
    assert_true(range_read("10", &warning) && range_read("20", &critical));
    assert_int_equal(result_judge(&warning, &critical, 10), STATUS_OK);
    assert_int_equal(result_judge(&warning, &critical, 11), STATUS_WARNING);
    assert_int_equal(result_judge(&warning, &critical, 21), STATUS_CRITICAL);
    assert_int_equal(result_judge(&none, &critical, 15), STATUS_OK);
    assert_int_equal(result_judge(&none, &none, 15), STATUS_OK);
    assert_int_equal(result_judge(&critical, &warning, 15), STATUS_CRITICAL);
}

static void a_line_and_no_more(void **state)
{
    (void)state;
    struct result result;
    new_result(&result);
    result_summary(&result, "%s", "fine");
    assert_printed(&result, STATUS_OK, "DCAMP OK: fine\n");
}

static void what_nagios_would_take_for_something_else(void **state)
{
    (void)state;
    struct result result;
    new_result(&result);
    result_worsen(&result, STATUS_CRITICAL);
    result_summary(&result, "a|b\nc\rd\te\x7f"
                            "f\x01 \xc3\xa4");
    result_line(&result, "1|2\n3");
    const struct perfdata perfdata = {.label = "x=y|z'q\n", .value = "1"};
    result_perfdata(&result, &perfdata);
    assert_printed(&result, STATUS_CRITICAL,
                   "DCAMP CRITICAL: a/b c d e f  \xc3\xa4 | 'x_y_z''q_'=1\n1/2 3\n");
}

static void perfdata_of(const char *expected, struct perfdata perfdata)
{
    struct result result;
    new_result(&result);
    char text[256];
    result_summary(&result, "s");
    result_perfdata(&result, &perfdata);
    snprintf(text, sizeof text, "DCAMP OK: s | %s\n", expected);
    assert_printed(&result, STATUS_OK, text);
}

static void perfdata(void **state)
{
    (void)state;
    struct range warning, critical, none = {0};
    assert_true(range_read("@5:10", &warning) && range_read("~:20", &critical));
    perfdata_of("a=1", (struct perfdata){"a", .value = "1"});
    perfdata_of("a=-1.5%", (struct perfdata){"a", .value = "-1.5", .unit = "%"});
    perfdata_of("a=1s", (struct perfdata){"a", .value = "1", .unit = "s"});
    perfdata_of("a=1ms", (struct perfdata){"a", .value = "1", .unit = "ms"});
    perfdata_of("a=1us", (struct perfdata){"a", .value = "1", .unit = "us"});
    perfdata_of("a=1B", (struct perfdata){"a", .value = "1", .unit = "B"});
    perfdata_of("a=1", (struct perfdata){"a", .value = "1", .unit = "B/s"});
    perfdata_of("a=1", (struct perfdata){"a", .value = "1", .unit = "tasks"});
    perfdata_of("a=1c", (struct perfdata){"a", .value = "1", .unit = "B", .counter = true});
    perfdata_of("a=1;@5:10", (struct perfdata){"a", .value = "1", .warning = &warning});
    perfdata_of("a=1;;~:20", (struct perfdata){"a", .value = "1", .critical = &critical});
    perfdata_of("a=1;@5:10;~:20;0;9",
                (struct perfdata){"a", "1", "tasks", false, &warning, &critical, "0", "9"});
    perfdata_of("a=1;;;;9", (struct perfdata){"a", .value = "1", .max = "9"});
    perfdata_of("a=1;;;0", (struct perfdata){"a", .value = "1", .warning = &none, .critical = &none,
                                             .min = "0"});
    perfdata_of("a=U", (struct perfdata){"a", .unit = "%"});
    perfdata_of("a=U;;;0", (struct perfdata){"a", .value = "", .min = "0"});
    perfdata_of("a=U", (struct perfdata){"a", .value = "1 b=2"});
    perfdata_of("a=U", (struct perfdata){"a", .value = "1e5"});
    perfdata_of("'eth 0'=1", (struct perfdata){"eth 0", .value = "1"});
    perfdata_of("'/var/lib'=1", (struct perfdata){"/var/lib", .value = "1"});
    perfdata_of("''=1", (struct perfdata){"", .value = "1"});
    perfdata_of("cpu.busy_x-1=1", (struct perfdata){"cpu.busy_x-1", .value = "1"});
}

static void lines_are_limited(void **state)
{
    (void)state;
    struct result result;
    new_result(&result);
    char expected[512] = "DCAMP OK: s | things=12;;;0\n";
    result_summary(&result, "s");
    result_count(&result, "things", 12, NULL, NULL);
    for (int i = 0; i < 12; i++)
        result_line(&result, "line %d", i);
    for (int i = 0; i < 10; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "line %d\n", i);
    strcat(expected, "and 2 more (-v shows all)\n");
    assert_printed(&result, STATUS_OK, expected);
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    struct result result;
    new_result(&result);
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    result_summary(&result, "%s", text);
    result_line(&result, "%s", text);
    assert_int_equal(strlen(result.summary), SUMMARY_SIZE - 1);
    fflush(result.lines);
    assert_int_equal(result.lines_size, 1024);
    result_free(&result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worst_of_all),
                                       cmocka_unit_test(critical_goes_before_warning),
                                       cmocka_unit_test(a_line_and_no_more),
                                       cmocka_unit_test(what_nagios_would_take_for_something_else),
                                       cmocka_unit_test(perfdata),
                                       cmocka_unit_test(lines_are_limited),
                                       cmocka_unit_test(long_texts_are_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
