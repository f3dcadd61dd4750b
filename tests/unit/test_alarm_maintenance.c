/* Maintenance: once, weekly, over midnight, over the changes of summer time. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alarm/maintenance.h"
#include "base/date.h"
#include "base/text.h"

#include "unit.h"

#define HOUR UINT32_C(3600000)

static int64_t at(const char *text)
{
    int64_t wall_ms = 0;
    if (!date_from_text(text, strlen(text), &wall_ms))
        fail_msg("%s is no time", text);
    return wall_ms;
}

static void assert_active(const struct maintenance *m, const char *time, bool active)
{
    if (maintenance_active(m, at(time)) != active)
        fail_msg("%s: %s", time, active ? "not active" : "active");
}

static void once(void **state)
{
    (void)state;
    struct maintenance m = {.begin_ms = at("2026-11-21T22:00:00Z"),
                            .end_ms = at("2026-11-21T23:30:00Z")};
    assert_active(&m, "2026-11-21T21:59:59Z", false);
    assert_active(&m, "2026-11-21T22:00:00Z", true);
    assert_active(&m, "2026-11-22T00:29:59+01:00", true);
    assert_active(&m, "2026-11-21T23:30:00Z", false);
    assert_false(maintenance_active(&m, INT64_MIN));
    assert_false(maintenance_active(&m, INT64_MAX));
    m = (struct maintenance){.begin_ms = at("2026-11-21T22:00:00Z"), .duration_ms = HOUR};
    assert_active(&m, "2026-11-21T22:59:59Z", true);
    assert_active(&m, "2026-11-21T23:00:00Z", false);
}

/* 2026-11-21 is a Saturday. */
static void weekly(void **state)
{
    (void)state;
    struct maintenance m = {
        .days = 1u << 6 | 1u << 0, .minute = 22 * 60 + 30, .duration_ms = 3 * HOUR};
    assert_active(&m, "2026-11-21T22:29:59+01:00", false);
    assert_active(&m, "2026-11-21T22:30:00+01:00", true);
    assert_active(&m, "2026-11-22T01:29:59+01:00", true); /* over midnight */
    assert_active(&m, "2026-11-22T01:30:00+01:00", false);
    assert_active(&m, "2026-11-22T22:30:00+01:00", true);
    assert_active(&m, "2026-11-23T01:00:00+01:00", true); /* Monday, since Sunday */
    assert_active(&m, "2026-11-23T22:45:00+01:00", false);
    assert_active(&m, "2026-11-20T23:00:00+01:00", false); /* Friday */
    m.begin_ms = at("2026-11-22T00:00:00+01:00");
    m.end_ms = at("2026-11-22T23:00:00+01:00");
    assert_active(&m, "2026-11-21T23:00:00+01:00", false);
    assert_active(&m, "2026-11-22T00:30:00+01:00", true);
    assert_active(&m, "2026-11-22T22:59:00+01:00", true);
    assert_active(&m, "2026-11-22T23:01:00+01:00", false);
    struct maintenance all_week = {.days = 1, .duration_ms = MAINTENANCE_LONGEST_MS};
    assert_active(&all_week, "2026-11-21T23:59:59+01:00", true);
    assert_active(&all_week, "2026-11-22T00:00:00+01:00", true);
}

/* Europe/Berlin: 2026-03-29 02:00 becomes 03:00, 2026-10-25 03:00 becomes 02:00. */
static void summer_time(void **state)
{
    (void)state;
    struct maintenance m = {.days = 1, .minute = 60, .duration_ms = 2 * HOUR};
    assert_active(&m, "2026-03-29T00:59:59+01:00", false);
    assert_active(&m, "2026-03-29T01:00:00+01:00", true);
    assert_active(&m, "2026-03-29T03:59:59+02:00", true); /* two hours, not one */
    assert_active(&m, "2026-03-29T04:00:00+02:00", false);
    assert_active(&m, "2026-10-25T00:59:59+02:00", false);
    assert_active(&m, "2026-10-25T01:00:00+02:00", true);
    assert_active(&m, "2026-10-25T02:59:59+02:00", true);
    assert_active(&m, "2026-10-25T02:00:00+01:00", false); /* two hours, not three */
    /* 02:30 is skipped in March: what mktime(3) makes of it is one beginning, and as long. */
    m.minute = 150;
    int64_t begin = at("2026-03-29T00:00:00+01:00"), active_ms = 0;
    for (int64_t ms = begin; ms < begin + 12 * HOUR; ms += 60000)
        active_ms += maintenance_active(&m, ms) ? 60000 : 0;
    assert_int_equal(active_ms, 2 * HOUR);
    begin = at("2026-10-25T00:00:00+02:00"), active_ms = 0;
    for (int64_t ms = begin; ms < begin + 12 * HOUR; ms += 60000)
        active_ms += maintenance_active(&m, ms) ? 60000 : 0;
    assert_int_equal(active_ms, 2 * HOUR);
}

static void times(void **state)
{
    (void)state;
    unsigned n;
    assert_true(maintenance_minute("00:00", &n) && n == 0);
    assert_true(maintenance_minute("23:59", &n) && n == 1439);
    static const char *const bad[] = {
        "24:00", "12:60", "1:00",  "1200",  "12:0",  "12:000", "ab:cd", "",      "-1:00", "12.00",
        "a0:00", "0a:00", "/0:00", "0/:00", "00:0:", ":0:00",  "2/:00", "1::00", "12:1/", "12:1:"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(maintenance_minute(bad[i], &n));
}

static void faults(void **state)
{
    (void)state;
    assert_null(maintenance_fault(&(struct maintenance){.begin_ms = 1, .end_ms = 2}));
    assert_null(maintenance_fault(&(struct maintenance){.begin_ms = 1, .duration_ms = 2}));
    assert_null(maintenance_fault(&(struct maintenance){.days = 1, .duration_ms = 2}));
    assert_non_null(maintenance_fault(&(struct maintenance){.begin_ms = 2, .end_ms = 2}));
    assert_non_null(maintenance_fault(&(struct maintenance){.begin_ms = 2}));
    assert_non_null(maintenance_fault(&(struct maintenance){.end_ms = 2}));
    assert_non_null(maintenance_fault(&(struct maintenance){.duration_ms = 2}));
    assert_non_null(maintenance_fault(&(struct maintenance){.days = 1, .end_ms = 2}));
    assert_non_null(
        maintenance_fault(&(struct maintenance){.begin_ms = 1, .end_ms = 2, .duration_ms = 3}));
    assert_non_null(maintenance_fault(
        &(struct maintenance){.days = 1, .begin_ms = 3, .end_ms = 2, .duration_ms = 3}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(once),  cmocka_unit_test(weekly), cmocka_unit_test(summer_time),
        cmocka_unit_test(times), cmocka_unit_test(faults),
    };
    /* The rules of Europe/Berlin, which need no file. */
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
