/* Parameters of questions to the REST interface: what is wrong is said once, and names the place.
 */
#include <string.h>

#include "unit.h"
#include "web/changes.h"
#include "web/request.h"

#define NOW_MS INT64_C(1795730400123)

static struct request ask(const char *name, const char *value)
{
    struct request request = {.path = "/api/v1/values", .now_ms = NOW_MS};
    if (name)
        request.parameter[request.n++] = (struct request_parameter){.name = name, .value = value};
    return request;
}

static void test_text(void **state)
{
    (void)state;
    struct request request = ask("node", "a");
    assert_string_equal(request_text(&request, "node", "none"), "a");
    assert_string_equal(request_text(&request, "other", "none"), "none");
    assert_true(request_end(&request));
    request.parameter[request.n++] = (struct request_parameter){.name = "node", .value = "b"};
    assert_string_equal(request_text(&request, "node", "none"), "a");
    assert_false(request_end(&request));
    assert_string_equal(request.error, "node is there twice");
}

static void test_each(void **state)
{
    (void)state;
    struct request request = ask("node", "a");
    request.parameter[request.n++] = (struct request_parameter){.name = "x", .value = "-"};
    request.parameter[request.n++] = (struct request_parameter){.name = "node", .value = "b"};
    size_t place = 0;
    assert_string_equal(request_each(&request, "node", &place), "a");
    assert_string_equal(request_each(&request, "node", &place), "b");
    assert_null(request_each(&request, "node", &place));
    assert_false(request_end(&request));
    assert_string_equal(request.error, "/api/v1/values has no parameter 'x'");
}

static void test_number(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "0", "11", "1x", " 1", "+1", "1.0", "-1", "99999999999999999999", "0x1", "1 "};
    struct request request = ask("n", "10");
    assert_int_equal(request_number(&request, "n", 1, 10, 5), 10);
    assert_int_equal(request_number(&request, "m", 1, 10, 5), 5);
    assert_true(request_end(&request));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        request = ask("n", wrong[i]);
        request_number(&request, "n", 1, 10, 5);
        assert_false(request_end(&request));
        assert_non_null(strstr(request.error, ": expected a whole number from 1 to 10"));
    }
}

static void test_time(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "", "now", "-1", "1.5", "2026-11-27", "2026-13-01T00:00:00Z", "253402300800000"};
    struct request request = ask("at", "1795730400000");
    assert_int_equal(request_time(&request, "at", 7), 1795730400000);
    request = ask("at", "2026-11-26T22:00:00Z");
    assert_int_equal(request_time(&request, "at", 7), 1795730400000);
    assert_int_equal(request_time(&request, "to", 7), 7);
    assert_true(request_end(&request));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        request = ask("at", wrong[i]);
        request_time(&request, "at", 7);
        assert_false(request_end(&request));
        assert_memory_equal(request.error, "at=", 3);
    }
}

static void test_range(void **state)
{
    (void)state;
    int64_t from_ms, to_ms;
    struct request request = ask(NULL, NULL);
    request_range(&request, 1000, &from_ms, &to_ms);
    assert_int_equal(from_ms, NOW_MS - 1000);
    assert_int_equal(to_ms, NOW_MS);
    request = ask("last", "2h");
    request_range(&request, 1000, &from_ms, &to_ms);
    assert_int_equal(from_ms, NOW_MS - 7200000);
    assert_true(request_end(&request));
    request.parameter[request.n++] = (struct request_parameter){.name = "to", .value = "5"};
    request_range(&request, 1000, &from_ms, &to_ms);
    assert_false(request_end(&request));
    assert_string_equal(request.error, "last cannot be combined with from or to");
    request = ask("from", "1795730400124");
    request_range(&request, 1000, &from_ms, &to_ms);
    assert_false(request_end(&request));
    assert_string_equal(request.error, "from is later than to");
    request = ask("last", "2 hours");
    request_range(&request, 1000, &from_ms, &to_ms);
    assert_false(request_end(&request));
    assert_string_equal(request.error, "last=2 hours: expected a duration as 90s, 6h, 7d or 4w");
}

static void test_span(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "0s", "-1s", "1", "1.5s", "1 h", "36526d", "1y"};
    struct request request = ask("step", "5m");
    assert_int_equal(request_span(&request, "step", 7), 300000);
    assert_int_equal(request_span(&request, "other", 7), 7);
    assert_true(request_end(&request));
    request = ask("last", "730d"); /* so long hours are kept */
    assert_int_equal(request_span(&request, "last", 7), 63072000000);
    request = ask("last", "9w");
    assert_int_equal(request_span(&request, "last", 7), 5443200000);
    assert_true(request_end(&request));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        request = ask("step", wrong[i]);
        request_span(&request, "step", 7);
        assert_false(request_end(&request));
        assert_memory_equal(request.error, "step=", 5);
    }
}

/* What somebody has sent cannot write to a terminal, and is cut. */
static void test_hostile(void **state)
{
    (void)state;
    char text[400];
    memset(text, '\033', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct request request = ask(text, "1");
    assert_false(request_end(&request));
    assert_null(strchr(request.error, '\033'));
    assert_true(strlen(request.error) < 100);
}

static struct statistics_window window(uint64_t count, double mean, double deviation)
{
    return (struct statistics_window){.count = count,
                                      .min = mean - deviation,
                                      .max = mean + deviation,
                                      .mean = mean,
                                      .m2 = (double)count * deviation * deviation};
}

static void test_score(void **state)
{
    (void)state;
    struct statistics_window before = window(90, 10, 2), after = window(90, 16, 2);
    assert_float_equal(changes_score(&before, &after), 3, 1e-9);
    assert_float_equal(changes_score(&after, &before), -3, 1e-9);
    before = window(90, 10, 0);
    after = window(90, 10, 0);
    assert_float_equal(changes_score(&before, &after), 0, 0);
    after = window(90, 20, 0); /* a hundredth of 20 */
    assert_float_equal(changes_score(&before, &after), 50, 1e-9);
    after.count = 0;
    assert_float_equal(changes_score(&before, &after), 0, 0);
    before = window(1, 0, 0);
    after = window(1, 0, 0);
    assert_float_equal(changes_score(&before, &after), 0, 0);
}

static void test_largest(void **state)
{
    (void)state;
    struct change list[3];
    struct changes changes = {.list = list, .room = 3};
    static const double scores[] = {1, 0, -5, 2, 0.5, 7, -2};
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++)
        changes_take(&changes, &(struct change){.series = i, .score = scores[i]});
    assert_int_equal(changes.n, 3);
    assert_int_equal(list[0].series, 5);
    assert_int_equal(list[1].series, 2);
    assert_int_equal(list[2].series, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),    cmocka_unit_test(test_each),
        cmocka_unit_test(test_number),  cmocka_unit_test(test_time),
        cmocka_unit_test(test_range),   cmocka_unit_test(test_span),
        cmocka_unit_test(test_hostile), cmocka_unit_test(test_score),
        cmocka_unit_test(test_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
