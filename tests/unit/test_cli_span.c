#include "cli/span.h"

#include "unit.h"

static void spans(void **state)
{
    (void)state;
    static const struct {
        int64_t millis;
        const char *text;
    } cases[] = {{-1, "0.0 s"},
                 {0, "0.0 s"},
                 {999, "0.9 s"},
                 {9999, "9.9 s"},
                 {10000, "10 s"},
                 {119999, "119 s"},
                 {120000, "2 min"},
                 {3599999, "59 min"},
                 {3600000, "1 h"},
                 {3660000, "1 h 1 min"},
                 {86399999, "23 h 59 min"},
                 {86400000, "1 d"},
                 {90000000, "1 d 1 h"},
                 {INT64_MAX, "106751991167 d 7 h"}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        char text[SPAN_SIZE];
        span_format(text, cases[i].millis);
        assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spans)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
