#include <math.h>
#include <string.h>

#include "plugins/judge.h"
#include "plugins/range.h"

#include "unit.h"

/* Every form that the guidelines have, with its bounds. */
static void forms(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double start, end;
        bool inside;
    } cases[] = {{"10", 0, 10, false},
                 {"0", 0, 0, false},
                 {"10:", 10, INFINITY, false},
                 {":10", 0, 10, false},
                 {"~:10", -INFINITY, 10, false},
                 {"~:", -INFINITY, INFINITY, false},
                 {"10:20", 10, 20, false},
                 {"10:10", 10, 10, false},
                 {"-20:-10.5", -20, -10.5, false},
                 {"-1:", -1, INFINITY, false},
                 {"@10", 0, 10, true},
                 {"@10:20", 10, 20, true},
                 {"@~:0", -INFINITY, 0, true},
                 {"@10:", 10, INFINITY, true},
                 {"0.000001:1000000000000", 0.000001, 1e12, false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct range range = {0};
        assert_true(range_read(cases[i].text, &range));
        assert_true(range.given);
        assert_true(range.start == cases[i].start);
        assert_true(range.end == cases[i].end);
        assert_int_equal(range.inside, cases[i].inside);
        assert_string_equal(range.text, cases[i].text);
    }
}

static void what_is_no_range(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",     "@",    ":",     "@:",   "~",   "@~",    "10:~",   "20:10", "@20:10", "-1",
        "a",    "10a",  "1:2:3", "1 :2", " 1",  "1,5",   "1e3",    "0x10",  "inf",    "nan",
        "~~:1", "@@10", "~1:2",  "1:@2", "10%", "--1:2", "1:2\n",  "1..2",  "+:1",    "-:1",
        "1:2:", "::",   ":-1",   "1;2",  "1|2", "\xff",  "10:20 ", "@ 1",   "~ :1",   ":~"};
    for (size_t i = 0; i < N_OF(bad); i++) {
        struct range range = {.given = true, .start = 5, .text = "kept"};
        if (range_read(bad[i], &range))
            fail_msg("'%s' is taken for a range", bad[i]);
        assert_true(range.given && range.start == 5);
        assert_string_equal(range.text, "kept");
    }
    char text[RANGE_SIZE + 1];
    struct range range;
    memset(text, '0', RANGE_SIZE);
    text[RANGE_SIZE] = '\0';
    assert_false(range_read(text, &range));
}

/* All small bounds against all small values, by the definition. */
static void every_value_against_every_range(void **state)
{
    (void)state;
    for (int start = -3; start <= 3; start++)
        for (int end = start; end <= 3; end++)
            for (int inside = 0; inside <= 1; inside++) {
                struct range range;
                char text[32];
                snprintf(text, sizeof text, "%s%d:%d", inside ? "@" : "", start, end);
                assert_true(range_read(text, &range));
                for (double value = -4; value <= 4; value += 0.5) {
                    bool within = value >= start && value <= end;
                    assert_int_equal(range_alerts(&range, value), inside ? within : !within);
                }
            }
}

static void bounds_that_are_open(void **state)
{
    (void)state;
    struct range low, high, both, none = {0};
    assert_true(range_read("10:", &low) && range_read("~:10", &high) && range_read("~:", &both));
    assert_true(range_alerts(&low, 9.999) && range_alerts(&low, -1e18));
    assert_false(range_alerts(&low, 10) || range_alerts(&low, 1e18));
    assert_true(range_alerts(&high, 10.001));
    assert_false(range_alerts(&high, 10) || range_alerts(&high, -1e18));
    assert_false(range_alerts(&both, -1e18) || range_alerts(&both, 1e18));
    assert_false(range_alerts(&none, 0) || range_alerts(&none, 1e18));
    assert_true(range_read("@~:", &both));
    assert_true(range_alerts(&both, 0));
}

static void shares(void **state)
{
    (void)state;
    struct share_range share;
    assert_true(share_read("10", &share));
    assert_false(share.percent || share_alerts(&share, 10, 1000));
    assert_true(share_alerts(&share, 11, 1000));
    assert_true(share_read("10%", &share));
    assert_true(share.percent);
    assert_string_equal(share.range.text, "10");
    assert_false(share_alerts(&share, 100, 1000));
    assert_true(share_alerts(&share, 101, 1000));
    assert_false(share_alerts(&share, 0, 0));
    assert_true(share_read("@20:30%", &share));
    assert_true(share_alerts(&share, 1, 4));
    assert_false(share_alerts(&share, 2, 4));
    static const char *const bad[] = {"", "%", "10%%", "10 %", "%10", "a%", "10%:20"};
    for (size_t i = 0; i < N_OF(bad); i++)
        assert_false(share_read(bad[i], &share));
    char text[RANGE_SIZE + 1];
    memset(text, '0', RANGE_SIZE);
    text[RANGE_SIZE] = '\0';
    assert_false(share_read(text, &share));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forms), cmocka_unit_test(what_is_no_range),
                                       cmocka_unit_test(every_value_against_every_range),
                                       cmocka_unit_test(bounds_that_are_open),
                                       cmocka_unit_test(shares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
