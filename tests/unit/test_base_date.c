/* Times that people write. */

#include <stdlib.h>
#include <string.h>

#include "base/date.h"

#include "unit.h"

static void right_dates(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t wall_ms;
        const char *again;
    } cases[] = {
        {"2026-11-21T22:00:00Z", INT64_C(1795298400000), "2026-11-21T22:00:00Z"},
        {"2026-11-21T22:00Z", INT64_C(1795298400000), "2026-11-21T22:00:00Z"},
        {"2026-11-21T23:00:00+01:00", INT64_C(1795298400000), "2026-11-21T22:00:00Z"},
        {"2026-11-21T17:30-04:30", INT64_C(1795298400000), "2026-11-21T22:00:00Z"},
        {"1970-01-01T00:00:01Z", 1000, "1970-01-01T00:00:01Z"},
        {"2024-02-29T12:00:00Z", INT64_C(1709208000000), "2024-02-29T12:00:00Z"},
        {"9999-12-31T23:59:59Z", INT64_C(253402300799000), "9999-12-31T23:59:59Z"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t wall_ms = -1;
        char text[DECIMAL_SIZE];
        assert_true(date_from_text(cases[i].text, strlen(cases[i].text), &wall_ms));
        assert_true(wall_ms == cases[i].wall_ms);
        assert_int_equal(date_to_text(text, wall_ms), strlen(cases[i].again));
        assert_string_equal(text, cases[i].again);
    }
    char text[DECIMAL_SIZE];
    assert_int_equal(date_to_text(text, 0), 0);
    assert_string_equal(text, "");
}

static void wrong_dates(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "",
        "2026-11-21",
        "2026-11-21T22:00:00", /* whose time? */
        "2026-11-21 22:00:00Z",
        "2026-11-21T22:00:00z",
        "2026-11-31T22:00:00Z",
        "2026-02-29T22:00:00Z",
        "2026-00-10T22:00:00Z",
        "2026-13-10T22:00:00Z",
        "2026-11-21T24:00:00Z",
        "2026-11-21T22:60:00Z",
        "2026-11-21T22:00:60Z",
        "2026-11-21T22:00:00+1:00",
        "2026-11-21T22:00:00+01:60",
        "2026-11-21T22:00:00+24:00",
        "2026-11-21T22:00:00+01:-1",
        "2026-11-21T22:00:00+0100",
        "2026-11-21T22:00:00Z ",
        "2026-11-21T22:00:00ZZ",
        "2026-11-21T22:00:00.5Z",
        "2026-11-21T-2:00:00Z",
        "1969-12-31T23:59:59Z",
        "12026-11-21T22:00:00Z",
        "2026-11-21T22:00:00+01:00+01:00",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t wall_ms = 7;
        if (date_from_text(cases[i], strlen(cases[i]), &wall_ms) || wall_ms != 7)
            fail_msg("\"%s\" was taken", cases[i]);
    }
}

/* -- DateAndTime ---------------------------------------------------------------------------- */

static const struct {
    uint8_t octets[11];
    size_t len;
    const char *text; /* of the milliseconds; NULL: it is no date */
    int ms;
} octets[] = {
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 0, 0}, 11, "2026-11-21T22:00:00Z", 0},
    {{0x07, 0xEA, 11, 21, 23, 30, 0, 9, '+', 1, 30}, 11, "2026-11-21T22:00:00Z", 900},
    {{0x07, 0xEA, 11, 21, 20, 0, 5, 3, '-', 2, 0}, 11, "2026-11-21T22:00:05Z", 300},
    {{0x07, 0xEA, 11, 21, 8, 0, 0, 0, '-', 14, 0}, 11, "2026-11-21T22:00:00Z", 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0}, 8, "2026-11-21T22:00:00Z", 0}, /* as if it were UTC */
    {{0x07, 0xE8, 2, 29, 0, 0, 0, 0, '+', 0, 0}, 11, "2024-02-29T00:00:00Z", 0},
    {{0x07, 0xE0, 12, 31, 23, 59, 60, 0, '+', 0, 0}, 11, "2017-01-01T00:00:00Z", 0},
    {{0x27, 0x0F, 12, 31, 23, 59, 59, 9, '+', 0, 0}, 11, "9999-12-31T23:59:59Z", 900},
    {{0x07, 0xEA, 2, 29, 22, 0, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 31, 22, 0, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 0, 22, 0, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 13, 1, 22, 0, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 0, 1, 22, 0, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 24, 0, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 60, 0, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 61, 0, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 10, '+', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '*', 0, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 15, 0}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 1, 60}, 11, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0, 0, '+', 0}, 10, NULL, 0},
    {{0x07, 0xEA, 11, 21, 22, 0, 0}, 7, NULL, 0},
    {{0}, 8, NULL, 0},
    {{0}, 0, NULL, 0},
};

static void of_octets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof octets / sizeof *octets; i++) {
        struct date date;
        char text[DECIMAL_SIZE];
        int64_t wall_ms = 7;
        bool taken = date_from_octets(octets[i].octets, octets[i].len, &date) &&
                     date_to_millis(&date, &wall_ms);
        if (taken != (octets[i].text != NULL) || (!taken && wall_ms != 7))
            fail_msg("date %zu: taken is %d", i, taken);
        if (!taken)
            continue;
        date_to_text(text, wall_ms);
        assert_string_equal(text, octets[i].text);
        assert_int_equal(wall_ms % 1000, octets[i].ms);
        assert_int_equal(date.has_offset, octets[i].len == 11);
    }
}

/* Before and after summer time begins. */
static void of_this_machine(void **state)
{
    (void)state;
    struct date date = {.year = 2026, .month = 3, .day = 29, .hour = 1, .deci = 4};
    int64_t wall_ms;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    assert_true(date_to_local_millis(&date, &wall_ms));
    assert_true(wall_ms == INT64_C(1774742400400));
    date.hour = 3;
    assert_true(date_to_local_millis(&date, &wall_ms));
    assert_true(wall_ms == INT64_C(1774746000400));
    date.month = 13;
    assert_false(date_to_local_millis(&date, &wall_ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_dates),
        cmocka_unit_test(of_octets),
        cmocka_unit_test(of_this_machine),
        cmocka_unit_test(wrong_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
