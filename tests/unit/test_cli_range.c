/* Of which time the history is asked. */
#include <string.h>

#include "base/text.h"
#include "cli/range.h"
#include "unit.h"

#define NOW_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */

static void bad(const struct command *command, const char *expected)
{
    struct range range;
    char error[512] = "";
    assert_false(range_read(command, NOW_MS, &range, error));
    assert_string_equal(error, expected);
}

static struct range good(const struct command *command)
{
    struct range range;
    char error[512] = "";
    assert_true(range_read(command, NOW_MS, &range, error));
    return range;
}

static void ranges(void **state)
{
    (void)state;
    struct range range = good(&(struct command){0});
    assert_int_equal(range.from_ms, NOW_MS - RANGE_LAST_MS);
    assert_int_equal(range.to_ms, NOW_MS);
    assert_int_equal(range.step_ms, 0);
    range = good(&(struct command){.last = "6h", .step = "10s"});
    assert_int_equal(range.from_ms, NOW_MS - 21600000);
    assert_int_equal(range.step_ms, 10000);
    range = good(&(struct command){.last = "1m", .to = "1970-01-01T00:01:00Z"});
    assert_int_equal(range.from_ms, 0);
    assert_int_equal(range.to_ms, 60000);
    range = good(&(struct command){.from = "2026-11-26T22:00:00+01:00"});
    assert_int_equal(range.from_ms, NOW_MS - 3600000);
    assert_int_equal(range.to_ms, NOW_MS);
}

static void ranges_that_are_none(void **state)
{
    (void)state;
    bad(&(struct command){.last = "6"}, "--last 6: expected a time such as 90s, 6h, 7d or 4w");
    bad(&(struct command){.step = "0s"}, "--step 0s: expected a time such as 90s, 6h, 7d or 4w");
    bad(&(struct command){.from = "yesterday"},
        "--from yesterday: expected a time as 2026-11-26T22:00:00Z");
    bad(&(struct command){.last = "6h", .from = "2026-11-26T22:00:00Z"},
        "--last and --from: one of the two");
    bad(&(struct command){.from = "2026-11-26T22:00:01Z"},
        "--from 2026-11-26T22:00:01Z: that is after the end");
}

static void percentiles(void **state)
{
    (void)state;
    struct range range = good(&(struct command){.percentiles = "0,50,99.9,100"});
    assert_int_equal(range.n_percentiles, 4);
    assert_true(range.percentiles[2] == 99.9);
    static const char *const bads[] = {"101", "-1", "50,", ",50", "x", "1,2,3,4,5,6,7,8,9"};
    for (size_t i = 0; i < N_OF(bads); i++) {
        char error[512];
        const struct command command = {.percentiles = bads[i]};
        assert_false(range_read(&command, NOW_MS, &range, error));
    }
}

static void spans(void **state)
{
    (void)state;
    int64_t ms;
    assert_true(text_to_span("500ms", &ms) && ms == 500);
    assert_true(text_to_span("90d", &ms) && ms == 7776000000);
    assert_true(text_to_span("4w", &ms) && ms == 2419200000);
    static const char *const bads[] = {
        "", "s", "1", "1 s", "-1s", "1y", "1.5h", "1hh", "99999999999999999999s", "9999999w"};
    for (size_t i = 0; i < N_OF(bads); i++)
        assert_false(text_to_span(bads[i], &ms));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges),
        cmocka_unit_test(ranges_that_are_none),
        cmocka_unit_test(percentiles),
        cmocka_unit_test(spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
