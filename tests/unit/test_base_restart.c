/* When a process that has ended is started again, and of which somebody is told. */
#include "base/restart.h"

#include "unit.h"

#define S UINT64_C(1000000000)

static void one_that_lives_is_there_again_at_once(void **state)
{
    (void)state;
    struct restart restart = {0};
    uint64_t now = 5 * S;
    for (int i = 0; i < 10; i++) {
        assert_true(restart_is_due(&restart, now));
        restart_started(&restart, now);
        now += RESTART_STEADY_NS;
        assert_true(restart_ended(&restart, now));
    }
}

static void one_that_cannot_live_comes_ever_later(void **state)
{
    (void)state;
    struct restart restart = {0};
    uint64_t now = 1000 * S;
    const uint64_t pauses[] = {1, 2, 4, 8, 16, 32, 64, 64, 64};
    for (size_t i = 0; i < N_OF(pauses); i++) {
        restart_started(&restart, now);
        assert_int_equal(restart_ended(&restart, now + 1), i == 0);
        assert_false(restart_is_due(&restart, now + pauses[i] * S - 1));
        assert_true(restart_is_due(&restart, now + pauses[i] * S));
        now += pauses[i] * S;
    }
    restart_started(&restart, now);
    assert_false(restart_ended(&restart, now + RESTART_STEADY_NS - 1));
    restart_started(&restart, now);
    assert_true(restart_ended(&restart, now + RESTART_STEADY_NS));
    assert_false(restart_is_due(&restart, now + S - 1));
    assert_true(restart_is_due(&restart, now + S));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_lives_is_there_again_at_once),
        cmocka_unit_test(one_that_cannot_live_comes_ever_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
