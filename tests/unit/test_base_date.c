/* Times that people write. */

#include <string.h>

#include "base/text.h"

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
        assert_true(text_to_date(cases[i].text, strlen(cases[i].text), &wall_ms));
        assert_true(wall_ms == cases[i].wall_ms);
        assert_int_equal(text_from_date(text, wall_ms), strlen(cases[i].again));
        assert_string_equal(text, cases[i].again);
    }
    char text[DECIMAL_SIZE];
    assert_int_equal(text_from_date(text, 0), 0);
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
        if (text_to_date(cases[i], strlen(cases[i]), &wall_ms) || wall_ms != 7)
            fail_msg("\"%s\" was taken", cases[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_dates),
        cmocka_unit_test(wrong_dates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
