#include <stdio.h>
#include <string.h>

#include "plugins/judge.h"

#include "printed.h"
#include "unit.h"

static struct value_check check(void)
{
    struct value_check check = {.name = "cpu.busy", .max_age_ms = NO_AGE};
    assert_true(range_read("80", &check.warning) && range_read("~:95", &check.critical));
    return check;
}

static struct value_row row(const char *instance, const char *text)
{
    struct value_row row = {.exists = true, .state = "valid", .unit = "%", .age_ms = 1500};
    strcpy(row.instance, instance);
    strcpy(row.text, text);
    return row;
}

static void judged(const struct value_check *check, struct value_row one, enum status status,
                   const char *expected)
{
    struct result result;
    new_result(&result);
    judge_values(check, &one, 1, &result);
    assert_printed(&result, status, expected);
}

static void one_value(void **state)
{
    (void)state;
    struct value_check c = check();
    judged(&c, row("total", "80"), STATUS_OK,
           "DCAMP OK: cpu.busy total is 80 % | cpu.busy=80%;80;~:95\n");
    judged(&c, row("total", "80.1"), STATUS_WARNING,
           "DCAMP WARNING: cpu.busy total is 80.1 % (limit 80) | cpu.busy=80.1%;80;~:95\n");
    judged(&c, row("total", "95.1"), STATUS_CRITICAL,
           "DCAMP CRITICAL: cpu.busy total is 95.1 % (limit ~:95) | cpu.busy=95.1%;80;~:95\n");
    judged(&c, row("3", "-1"), STATUS_WARNING,
           "DCAMP WARNING: cpu.busy instance 3 is -1 % (limit 80) | 3=-1%;80;~:95\n");
    struct value_check plain = {.name = "x", .max_age_ms = NO_AGE};
    struct value_row unitless = row("total", "5");
    unitless.unit[0] = '\0';
    judged(&plain, unitless, STATUS_OK, "DCAMP OK: x total is 5 | x=5\n");
    plain.counter = true;
    judged(&plain, unitless, STATUS_OK, "DCAMP OK: x total is 5 | x=5c\n");
    plain.statistic = "p95";
    judged(&plain, unitless, STATUS_OK, "DCAMP OK: x (p95) total is 5 | x=5\n");
}

static void no_value(const char *state_name, bool aggregate, bool statistic, const char *why)
{
    struct value_check c = {.name = "s", .aggregate = aggregate, .max_age_ms = NO_AGE};
    struct value_row none = row("total", "");
    char expected[256];
    if (statistic)
        c.statistic = "p95";
    strcpy(none.state, state_name);
    none.exists = *state_name;
    none.expected = 3;
    snprintf(expected, sizeof expected, "DCAMP UNKNOWN: s%s total has no value (%s) | s=U%s\n",
             statistic ? " (p95)" : "", why,
             !aggregate    ? ""
             : *state_name ? " s.missing=0;;;0;3"
                           : " s.missing=U;;;0;3");
    judged(&c, none, STATUS_UNKNOWN, expected);
}

static void reasons(void **state)
{
    (void)state;
    no_value("waiting", false, false, "waiting for the next sample");
    no_value("waiting", true, false, "waiting: not computed yet");
    no_value("gap", false, false, "gap: the counter was reset or its base did not move");
    no_value("unavailable", false, false,
             "unavailable: the kernel does not give it, or it cannot be computed");
    no_value("unavailable", true, false, "unavailable: no child has a value");
    no_value("valid", false, true, "no statistics: there is no window, or no value in it yet");
    no_value("valid", false, false, "the value has just gone");
    no_value("", false, false, "there is no such instance");
    no_value("", true, false, "there is no such instance");
    no_value("strange", false, false, "strange");
}

/* What an agent sends as a value that is none. */
static void text_that_is_no_number(void **state)
{
    (void)state;
    struct value_check c = check();
    judged(&c, row("total", "nan"), STATUS_UNKNOWN,
           "DCAMP UNKNOWN: cpu.busy total has no value (the value has just gone) | "
           "cpu.busy=U;80;~:95\n");
}

static void old_values(void **state)
{
    (void)state;
    struct value_check c = check();
    struct value_row old = row("total", "99");
    c.max_age_ms = 60000;
    old.age_ms = 60000;
    judged(&c, old, STATUS_CRITICAL,
           "DCAMP CRITICAL: cpu.busy total is 99 % (limit ~:95) | cpu.busy=99%;80;~:95\n");
    old.age_ms = 61000;
    judged(&c, old, STATUS_UNKNOWN,
           "DCAMP UNKNOWN: cpu.busy total was 99 %, 61 s ago | cpu.busy=99%;80;~:95\n");
}

static void missing(const char *warning, const char *critical, uint32_t n, enum status status,
                    const char *expected)
{
    struct value_check c = {.name = "all", .aggregate = true, .max_age_ms = NO_AGE};
    struct value_row aggregate = row("total", "7");
    if (*warning)
        assert_true(share_read(warning, &c.missing_warning));
    if (*critical)
        assert_true(share_read(critical, &c.missing_critical));
    aggregate.expected = 20;
    aggregate.missing = n;
    judged(&c, aggregate, status, expected);
}

static void aggregates_with_missing_series(void **state)
{
    (void)state;
    missing("", "", 0, STATUS_OK, "DCAMP OK: all total is 7 % | all=7% all.missing=0;;;0;20\n");
    missing("", "", 9, STATUS_OK,
            "DCAMP OK: all total is 7 %, 9 of 20 missing | all=7% all.missing=9;;;0;20\n");
    missing("1", "5", 1, STATUS_OK,
            "DCAMP OK: all total is 7 %, 1 of 20 missing | all=7% all.missing=1;1;5;0;20\n");
    missing("1", "5", 2, STATUS_WARNING,
            "DCAMP WARNING: all total is 7 %, 2 of 20 missing (limit 1) | all=7% "
            "all.missing=2;1;5;0;20\n");
    missing("1", "5", 6, STATUS_CRITICAL,
            "DCAMP CRITICAL: all total is 7 %, 6 of 20 missing (limit 5) | all=7% "
            "all.missing=6;1;5;0;20\n");
    missing("", "10%", 2, STATUS_OK,
            "DCAMP OK: all total is 7 %, 2 of 20 missing | all=7% all.missing=2;;;0;20\n");
    missing("", "10%", 3, STATUS_CRITICAL,
            "DCAMP CRITICAL: all total is 7 %, 3 of 20 missing (limit 10%) | all=7% "
            "all.missing=3;;;0;20\n");
}

/* A value that is all right does not hide what is missing, nor the other way round. */
static void the_worse_of_value_and_missing(void **state)
{
    (void)state;
    struct value_check c = check();
    struct value_row aggregate = row("total", "99");
    c.aggregate = true;
    assert_true(share_read("0", &c.missing_warning));
    aggregate.expected = 2;
    aggregate.missing = 1;
    judged(&c, aggregate, STATUS_CRITICAL,
           "DCAMP CRITICAL: cpu.busy total is 99 % (limit ~:95), 1 of 2 missing (limit 0) | "
           "cpu.busy=99%;80;~:95 cpu.busy.missing=1;0;;0;2\n");
    aggregate.text[0] = '\0';
    strcpy(aggregate.state, "unavailable");
    aggregate.missing = 2;
    judged(&c, aggregate, STATUS_WARNING,
           "DCAMP WARNING: cpu.busy total has no value (unavailable: no child has a value), 2 of 2 "
           "missing (limit 0) | cpu.busy=U;80;~:95 cpu.busy.missing=2;0;;0;2\n");
}

static void several_instances(void **state)
{
    (void)state;
    struct value_check c = check();
    struct value_row rows[4] = {row("a", "10"), row("b", "30"), row("c", "20"), row("d d", "5")};
    struct result result;
    new_result(&result);
    judge_values(&c, rows, 4, &result);
    assert_printed(&result, STATUS_OK,
                   "DCAMP OK: cpu.busy: all 4 ok, highest: b is 30 % | a=10%;80;~:95 b=30%;80;~:95 "
                   "c=20%;80;~:95 'd d'=5%;80;~:95\n");
    rows[0] = row("a", "");
    strcpy(rows[0].state, "gap");
    rows[1] = row("b", "85");
    rows[3] = row("d", "96");
    new_result(&result);
    judge_values(&c, rows, 4, &result);
    assert_printed(&result, STATUS_CRITICAL,
                   "DCAMP CRITICAL: cpu.busy: 3 of 4 not ok: d is 96 % (limit ~:95) | a=U;80;~:95 "
                   "b=85%;80;~:95 c=20%;80;~:95 d=96%;80;~:95\n"
                   "UNKNOWN: a has no value (gap: the counter was reset or its base did not move)\n"
                   "WARNING: b is 85 % (limit 80)\n"
                   "CRITICAL: d is 96 % (limit ~:95)\n");
    c.all_lines = true;
    new_result(&result);
    judge_values(&c, rows + 1, 2, &result);
    assert_printed(&result, STATUS_WARNING,
                   "DCAMP WARNING: cpu.busy: 1 of 2 not ok: b is 85 % (limit 80) | b=85%;80;~:95 "
                   "c=20%;80;~:95\n"
                   "WARNING: b is 85 % (limit 80), 1.5 s old\n"
                   "OK: c is 20 %, 1.5 s old\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_value),
                                       cmocka_unit_test(reasons),
                                       cmocka_unit_test(text_that_is_no_number),
                                       cmocka_unit_test(old_values),
                                       cmocka_unit_test(aggregates_with_missing_series),
                                       cmocka_unit_test(the_worse_of_value_and_missing),
                                       cmocka_unit_test(several_instances)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
