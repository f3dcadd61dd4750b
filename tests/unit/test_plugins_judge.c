#include <stdio.h>
#include <string.h>

#include "plugins/judge.h"

#include "printed.h"
#include "unit.h"

/* -- Alarms -- */

static struct alarm_row alarm_of(int severity, const char *node, const char *threshold)
{
    struct alarm_row row = {.severity = severity, .sensor = "cpu.busy", .instance = "total"};
    strcpy(row.node, node);
    strcpy(row.threshold, threshold);
    snprintf(row.key, sizeof row.key, "%s:%s:total", node, threshold);
    snprintf(row.message, sizeof row.message, "%s is hot", threshold);
    strcpy(row.since, "2026-11-20 19:05:08+00:00");
    return row;
}

static const struct alarm_check everything = {
    .least = SEVERITY_INFO, .node = "*", .threshold = "*", .sensor = "*", .instance = "*"};

static void which_alarms(void **state)
{
    (void)state;
    const struct alarm_row row = alarm_of(SEVERITY_WARNING, "web1", "hot");
    const struct {
        struct alarm_check check;
        bool matches;
    } cases[] = {{{SEVERITY_INFO, "*", "*", "*", "*", .warning = {0}}, true},
                 {{SEVERITY_WARNING, "web*", "hot", "cpu.*", "total", .warning = {0}}, true},
                 {{SEVERITY_CRITICAL, "*", "*", "*", "*", .warning = {0}}, false},
                 {{SEVERITY_INFO, "db*", "*", "*", "*", .warning = {0}}, false},
                 {{SEVERITY_INFO, "*", "cold", "*", "*", .warning = {0}}, false},
                 {{SEVERITY_INFO, "*", "*", "mem.*", "*", .warning = {0}}, false},
                 {{SEVERITY_INFO, "*", "*", "*", "!total", .warning = {0}}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(alarm_matches(&cases[i].check, &row), cases[i].matches);
}

static void no_alarms(void **state)
{
    (void)state;
    struct result result;
    new_result(&result);
    judge_alarms(&everything, NULL, 0, &result);
    assert_printed(&result, STATUS_OK,
                   "DCAMP OK: no active alarms | alarms=0;;;0 critical=0;;;0 warning=0;;;0 "
                   "info=0;;;0\n");
}

static void alarms_by_severity(void **state)
{
    (void)state;
    struct alarm_row rows[] = {
        alarm_of(SEVERITY_INFO, "b", "i"), alarm_of(SEVERITY_WARNING, "b", "w"),
        alarm_of(SEVERITY_CRITICAL, "c", "x"), alarm_of(SEVERITY_WARNING, "a", "w")};
    struct result result;
    new_result(&result);
    judge_alarms(&everything, rows, 4, &result);
    assert_printed(&result, STATUS_CRITICAL,
                   "DCAMP CRITICAL: 4 active alarms (1 critical, 2 warning, 1 info): c: x is hot | "
                   "alarms=4;;;0 critical=1;;;0 warning=2;;;0 info=1;;;0\n"
                   "critical: c:x:total: x is hot, since 2026-11-20 19:05:08+00:00\n"
                   "warning: a:w:total: w is hot, since 2026-11-20 19:05:08+00:00\n"
                   "warning: b:w:total: w is hot, since 2026-11-20 19:05:08+00:00\n"
                   "info: b:i:total: i is hot, since 2026-11-20 19:05:08+00:00\n");
    for (int severity = SEVERITY_INFO; severity <= SEVERITY_CRITICAL; severity++) {
        static const enum status expected[] = {
            [SEVERITY_INFO] = STATUS_OK,
            [SEVERITY_WARNING] = STATUS_WARNING,
            [SEVERITY_CRITICAL] = STATUS_CRITICAL,
        };
        struct alarm_row one = alarm_of(severity, "n", "t");
        new_result(&result);
        judge_alarms(&everything, &one, 1, &result);
        assert_int_equal(result.status, expected[severity]);
        result_free(&result);
    }
}

static void alarms_by_number(void **state)
{
    (void)state;
    struct alarm_check check = everything;
    struct alarm_row rows[2] = {alarm_of(SEVERITY_CRITICAL, "a", "x"),
                                alarm_of(SEVERITY_CRITICAL, "b", "x")};
    assert_true(range_read("1", &check.warning));
    struct result result;
    new_result(&result);
    rows[0].since[0] = '\0';
    judge_alarms(&check, rows, 1, &result);
    assert_printed(&result, STATUS_OK,
                   "DCAMP OK: 1 active alarm (1 critical, 0 warning, 0 info): a: x is hot | "
                   "alarms=1;1;;0 critical=1;;;0 warning=0;;;0 info=0;;;0\n"
                   "critical: a:x:total: x is hot\n");
    new_result(&result);
    judge_alarms(&check, rows, 2, &result);
    assert_int_equal(result.status, STATUS_WARNING);
    result_free(&result);
}

/* A severity that the MIB does not have is told, and counts among no others. */
static void strange_severity(void **state)
{
    (void)state;
    struct alarm_row rows[] = {alarm_of(77, "a", "x")};
    struct result result;
    new_result(&result);
    rows[0].since[0] = '\0';
    judge_alarms(&everything, rows, 1, &result);
    assert_printed(&result, STATUS_CRITICAL,
                   "DCAMP CRITICAL: 1 active alarm (0 critical, 0 warning, 0 info): a: x is hot | "
                   "alarms=1;;;0 critical=0;;;0 warning=0;;;0 info=0;;;0\n"
                   "?: a:x:total: x is hot\n");
}

/* -- Children -- */

static struct child_row child(const char *name, const char *child_state)
{
    struct child_row row = {0};
    strcpy(row.name, name);
    strcpy(row.state, child_state);
    return row;
}

static const struct alarms_below none_below;

static void each_state_of_a_child(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum status status;
    } states[] = {{"up", STATUS_OK},
                  {"paused", STATUS_OK},
                  {"late", STATUS_WARNING},
                  {"discovering", STATUS_WARNING},
                  {"down", STATUS_CRITICAL},
                  {"refused", STATUS_CRITICAL},
                  {"wrongKey", STATUS_CRITICAL},
                  {"?", STATUS_UNKNOWN}};
    const struct tree_check check = {0};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        const struct child_row rows[] = {child("a", "up"), child("b", states[i].name)};
        struct result result;
        new_result(&result);
        judge_tree(&check, rows, 2, &none_below, &result);
        assert_int_equal(result.status, states[i].status);
        result_free(&result);
    }
}

static const struct alarms_below some_alarms = {.critical = 2, .info = 11};

static void a_tree(void **state)
{
    (void)state;
    struct tree_check check = {0};
    struct child_row rows[] = {child("a", "up"), child("b", "late"), child("c", "wrongKey"),
                               child("d", "paused")};
    strcpy(rows[2].error, "wrongDigests");
    strcpy(rows[1].last_contact, "then");
    struct result result;
    new_result(&result);
    judge_tree(&check, rows, 4, &some_alarms, &result);
    assert_printed(&result, STATUS_CRITICAL,
                   "DCAMP CRITICAL: 1 of 4 children up, 1 wrongKey, 1 late, 1 paused: c is "
                   "wrongKey: wrongDigests; alarms below: 2 critical, 0 warning, 11 info | "
                   "paused=1;;;0 up=1;;;0 discovering=0;;;0 late=1;;;0 "
                   "wrongKey=1;;;0 refused=0;;;0 down=0;;;0 children=4;;;0 alarms_critical=2;;;0 "
                   "alarms_warning=0;;;0 alarms_info=11;;;0\n"
                   "c: wrongKey: wrongDigests\nb: late, last heard then\n");
    check.all_lines = true;
    new_result(&result);
    judge_tree(&check, rows, 1, &none_below, &result);
    assert_printed(&result, STATUS_OK,
                   "DCAMP OK: 1 of 1 children up | paused=0;;;0 up=1;;;0 discovering=0;;;0 "
                   "late=0;;;0 wrongKey=0;;;0 refused=0;;;0 down=0;;;0 children=1;;;0 "
                   "alarms_critical=0;;;0 alarms_warning=0;;;0 alarms_info=0;;;0\na: up\n");
}

static void no_children(void **state)
{
    (void)state;
    const struct tree_check check = {0};
    struct result result;
    new_result(&result);
    judge_tree(&check, NULL, 0, &none_below, &result);
    assert_int_equal(result.status, STATUS_UNKNOWN);
    assert_string_equal(result.summary, "the node polls no children");
    result_free(&result);
}

/* With limits, only the number of those that are not up counts; who is paused is not polled. */
static void a_tree_by_number(void **state)
{
    (void)state;
    static const struct {
        const char *warning, *critical;
        enum status status;
    } cases[] = {{"1", "2", STATUS_WARNING},     {"2", "3", STATUS_OK},
                 {"0", "1", STATUS_CRITICAL},    {"40%", "50%", STATUS_OK},
                 {"39%", "50%", STATUS_WARNING}, {"10%", "39.9%", STATUS_CRITICAL},
                 {"2", "39%", STATUS_CRITICAL}};
    const struct child_row rows[] = {child("a", "up"), child("b", "down"), child("c", "late"),
                                     child("d", "up"), child("e", "up"),   child("f", "paused")};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tree_check check = {0};
        struct result result;
        new_result(&result);
        assert_true(share_read(cases[i].warning, &check.warning));
        assert_true(share_read(cases[i].critical, &check.critical));
        judge_tree(&check, rows, 6, &none_below, &result);
        assert_int_equal(result.status, cases[i].status);
        result_free(&result);
    }
}

/* -- Freshness -- */

static struct sensor_row sensor(const char *name, const char *sensor_state, int64_t interval,
                                int64_t age)
{
    struct sensor_row row = {.interval_ms = interval, .age_ms = age};
    strcpy(row.name, name);
    strcpy(row.state, sensor_state);
    return row;
}

static void freshness_of(struct sensor_row *rows, size_t n, enum status status,
                         const char *expected)
{
    struct freshness_check check = {.node = "web1", .version = "1.0", .up_time_s = 60};
    struct result result;
    new_result(&result);
    assert_true(range_read("5", &check.warning) && range_read("30", &check.critical));
    judge_freshness(&check, rows, n, &result);
    assert_printed(&result, status, expected);
}

static void fresh_and_overdue(void **state)
{
    (void)state;
    struct sensor_row rows[] = {
        sensor("a", "sampling", 1000, 900), sensor("b", "sampling", 10000, 15000),
        sensor("c", "unavailable", 1000, NO_AGE), sensor("d", "sampling", 0, 3600000),
        sensor("e", "paused", 1000, NO_AGE)};
    freshness_of(rows, 5, STATUS_OK,
                 "DCAMP OK: web1 (dcampd 1.0) answers, 2 sensors are fresh | overdue=5s;5;30;0 "
                 "uptime=60s;;;0 sampling=2;;;0 sensors=5;;;0\n");
    rows[1].age_ms = 15100;
    freshness_of(rows, 5, STATUS_WARNING,
                 "DCAMP WARNING: web1 (dcampd 1.0): b is overdue by 5.1 s (limit 5) | "
                 "overdue=5.1s;5;30;0 uptime=60s;;;0 sampling=2;;;0 sensors=5;;;0\n"
                 "WARNING: b is 15.1 s old, every 10.0 s\n");
    rows[0].age_ms = 31001;
    freshness_of(rows, 5, STATUS_CRITICAL,
                 "DCAMP CRITICAL: web1 (dcampd 1.0): a is overdue by 30.0 s (limit 30) | "
                 "overdue=30.001s;5;30;0 uptime=60s;;;0 sampling=2;;;0 sensors=5;;;0\n"
                 "CRITICAL: a is 31.0 s old, every 1.0 s\n"
                 "WARNING: b is 15.1 s old, every 10.0 s\n");
}

static void nothing_to_be_fresh(void **state)
{
    (void)state;
    struct sensor_row rows[] = {sensor("c", "waiting", 1000, NO_AGE)};
    freshness_of(rows, 1, STATUS_UNKNOWN,
                 "DCAMP UNKNOWN: web1 (dcampd 1.0) answers, but no sensor has a value | "
                 "overdue=0s;5;30;0 uptime=60s;;;0 sampling=0;;;0 sensors=1;;;0\n");
}

static void all_sensors(void **state)
{
    (void)state;
    struct freshness_check check = {.node = "n", .version = "1", .all_lines = true};
    struct sensor_row rows[] = {sensor("a", "sampling", 1000, 500),
                                sensor("b", "unavailable", 1000, NO_AGE)};
    struct result result;
    new_result(&result);
    judge_freshness(&check, rows, 2, &result);
    assert_printed(&result, STATUS_OK,
                   "DCAMP OK: n (dcampd 1) answers, 1 sensors are fresh | overdue=0s;;;0 "
                   "uptime=0s;;;0 sampling=1;;;0 sensors=2;;;0\n"
                   "OK: a is 0.5 s old, every 1.0 s\nOK: b is unavailable\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(which_alarms),
                                       cmocka_unit_test(no_alarms),
                                       cmocka_unit_test(alarms_by_severity),
                                       cmocka_unit_test(alarms_by_number),
                                       cmocka_unit_test(strange_severity),
                                       cmocka_unit_test(each_state_of_a_child),
                                       cmocka_unit_test(a_tree),
                                       cmocka_unit_test(no_children),
                                       cmocka_unit_test(a_tree_by_number),
                                       cmocka_unit_test(fresh_and_overdue),
                                       cmocka_unit_test(nothing_to_be_fresh),
                                       cmocka_unit_test(all_sensors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
