#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/log.h"

static void due(void **state)
{
    (void)state;
    static const struct {
        uint64_t logged, now, interval;
        bool due;
    } cases[] = {
        {0, 0, 10, true},
        /* never */ {0, 5, 10, true},
        {1, 1, 10, false},
        {1, 10, 10, false},
        {1, 11, 10, true},
        {1, 12, 10, true},
        {100, 100, 0, true},
        /* no interval */ {UINT64_MAX - 5, UINT64_MAX, 6, false},
        {UINT64_MAX - 6, UINT64_MAX, 6, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(log_due(cases[i].logged, cases[i].now, cases[i].interval), cases[i].due);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(due)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
