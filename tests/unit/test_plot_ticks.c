/* Where axes have their marks, and what stands there. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "plot/ticks.h"
#include "unit.h"

static void marks(double least, double largest, const char *unit, const char *expected)
{
    struct ticks_values ticks;
    char list[512], text[TICKS_TEXT];
    ticks_of_values(&ticks, least, largest, unit, 5);
    strcpy(list, ticks.unit);
    for (int i = 0; i < ticks_count(&ticks); i++) {
        ticks_text(&ticks, i, text);
        strcat(strcat(list, " "), text);
    }
    assert_string_equal(list, expected);
    assert_true(ticks.least <= least && ticks.largest >= largest);
}

static void values(void **state)
{
    (void)state;
    marks(0, 100, "%", "% 0 20 40 60 80 100");
    marks(10, 98, "%", "% 0 20 40 60 80 100");
    marks(97.2, 98.1, "%", "% 97.2 97.4 97.6 97.8 98.0 98.2");
    marks(-3, 7, "", " -4 -2 0 2 4 6 8");
    marks(0, 6.5 * 1073741824, "bytes", "GiB 0 2 4 6 8");
    marks(0, 4e6, "bytes/s", "MiB/s 0 1 2 3 4");
    marks(0, 45000, "ops", "kops 0 10 20 30 40 50");
    marks(5, 5, "%", "% 4.4 4.6 4.8 5.0 5.2 5.4 5.6");
    marks(0, 0, "%", "% -1.0 -0.5 0.0 0.5 1.0");
}

static void times(int64_t from_s, int64_t to_s, const char *expected)
{
    struct ticks_time ticks[TICKS_MAX];
    char list[2048] = "";
    size_t n = ticks_of_time(ticks, from_s * 1000, to_s * 1000, 6);
    assert_in_range(n, 1, 6);
    for (size_t i = 0; i < n; i++) {
        assert_in_range(ticks[i].ms, from_s * 1000, to_s * 1000);
        strcat(strcat(list, i ? " " : ""), ticks[i].text);
        if (ticks[i].below[0])
            strcat(strcat(strcat(list, "("), ticks[i].below), ")");
    }
    assert_string_equal(list, expected);
}

static void times_of_the_zone_here(void **state)
{
    (void)state;
    setenv("TZ", "UTC", 1);
    tzset();
    times(1795730400, 1795730450,
          "22:00:00(2026-11-26 UTC) 22:00:10 22:00:20 22:00:30 22:00:40 "
          "22:00:50");
    times(1795730401, 1795744801, "23:00(2026-11-26 UTC) 00:00(2026-11-27) 01:00 02:00");
    times(1795730400, 1795730400 + 40 * 86400, "12-03(2026) 12-10 12-17 12-24 12-31");
    setenv("TZ", "Europe/Berlin", 1);
    tzset();
    /* Clocks go back at 03:00 of 2026-10-25: the marks stay at round times of the day. */
    times(1792879200, 1792879200 + 2 * 86400,
          "00:00(2026-10-25 CEST) 12:00 00:00(2026-10-26) 12:00");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(times_of_the_zone_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
