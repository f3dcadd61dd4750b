/* Points of InfluxDB's line protocol: texts are escaped, numbers are exact, gaps are no points. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/influx.h"
#include "unit.h"

static const struct sink_stream stream = {.boot = 1, .path = "", .name = "n", .group = ""};

static struct line value_of(const char *sensor, const char *instance, double value)
{
    return (struct line){.kind = LINE_VALUE,
                         .stream = &stream,
                         .wall_ms = 5,
                         .node = "n",
                         .words = {sensor, instance, "", ""},
                         .state = "valid",
                         .value = value};
}

static void check(const struct line *line, const char *expected)
{
    struct octets text = {0};
    assert_true(influx_add(&text, line));
    octets_add(&text, "", 1);
    assert_false(text.failed);
    assert_string_equal(text.at, expected);
    octets_release(&text);
}

static void check_names(const char *sensor, const char *instance, const char *expected)
{
    struct line line = value_of(sensor, instance, 1);
    check(&line, expected);
}

static void names_are_escaped(void **state)
{
    (void)state;
    check_names("cpu", "", "cpu,node=n value=1 5000000\n");
    check_names("a,b c=d", "a,b c=d",
                "a\\,b\\ c=d,instance=a\\,b\\ c\\=d,node=n value=1 5000000\n");
    check_names("#a#", "#", "?a#,instance=#,node=n value=1 5000000\n");
    check_names("a\nb", "a\r\n\tb", "a?b,instance=a???b,node=n value=1 5000000\n");
    check_names("a\xff", "\xc3", "a?,instance=?,node=n value=1 5000000\n");
    check_names("\"q'", "\xc3\xb6", "\"q',instance=\xc3\xb6,node=n value=1 5000000\n");
}

static void backslashes_are_no_escapes(void **state)
{
    static const char specials[] = ", =\\tnfr";
    (void)state;
    check_names("a\\", "C:\\", "a?,instance=C:?,node=n value=1 5000000\n");
    check_names("a\\b", "C:\\x", "a\\b,instance=C:\\x,node=n value=1 5000000\n");
    check_names("a\\=b", "\\\\", "a?=b,instance=??,node=n value=1 5000000\n");
    for (const char *at = specials; *at; at++) {
        char name[] = {'a', '\\', *at, 'z', '\0'}, expected[128];
        bool escaped = strchr(", =", *at);
        bool stays = *at == '\\'; /* the second one, before z */
        snprintf(expected, sizeof expected, "m,instance=a?%s%cz,node=n value=1 5000000\n",
                 escaped ? "\\" : "", stays ? '\\' : *at);
        check_names("m", name, expected);
    }
}

static void numbers_are_exact(void **state)
{
    static const double values[] = {0.1, 1.0 / 3, 1e300, 4.9406564584124654e-324, -12.5, 1e15};
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        struct octets text = {0};
        struct line line = value_of("m", "", values[i]);
        assert_true(influx_add(&text, &line));
        octets_add(&text, "", 1);
        assert_true(strtod(strchr(strchr(text.at, ' '), '=') + 1, NULL) == values[i]);
        octets_release(&text);
    }
}

static void no_point_of_a_gap(void **state)
{
    struct octets text = {0};
    struct line gap = value_of("m", "", NAN), late = value_of("m", "", 1);
    (void)state;
    late.wall_ms = INT64_MAX;
    assert_false(influx_add(&text, &gap));
    assert_false(influx_add(&text, &late));
    assert_int_equal(text.len, 0);
}

static void windows(void **state)
{
    struct report_window window = {
        .window_ms = 10000, .count = 2, .min = 1, .max = 2, .mean = 1.5, .has_moments = true};
    struct line line = value_of("m", "", NAN);
    (void)state;
    line.kind = LINE_WINDOW;
    line.window = &window;
    line.deviation = 0.5;
    check(&line, "m,node=n count=2i,window_ms=10000i,min=1,max=2,mean=1.5,stddev=0.5 5000000\n");
    window.count = 0;
    check(&line, "m,node=n count=0i,window_ms=10000i 5000000\n");
}

static void texts_of_alarms_are_strings(void **state)
{
    struct report_alarm alarm = {0};
    struct line line = value_of("cpu", "", NAN);
    (void)state;
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++)
        alarm.text[i].at = "";
    alarm.text[REPORT_ALARM_MESSAGE].at = "a\"b\\";
    alarm.text[REPORT_ALARM_MESSAGE].len = 4;
    line.kind = LINE_ALARM;
    line.state = "critical";
    line.alarm = &alarm;
    line.alarm_id = 7;
    check(&line, "dcamp.alarm,id=7,node=n,sensor=cpu "
                 "state=\"critical\",message=\"a\\\"b\\\\\" 5000000\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_escaped), cmocka_unit_test(backslashes_are_no_escapes),
        cmocka_unit_test(numbers_are_exact), cmocka_unit_test(no_point_of_a_gap),
        cmocka_unit_test(windows),           cmocka_unit_test(texts_of_alarms_are_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
