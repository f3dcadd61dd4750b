#include "application/trouble.h"

#include "unit.h"

#define S NS_PER_S

static void step(struct trouble *trouble, bool is_there, uint64_t seconds,
                 enum trouble_news expected)
{
    assert_int_equal(trouble_step(trouble, is_there, seconds * S), expected);
}

static void begin_and_end(void **state)
{
    struct trouble trouble = {.is_there = false};
    (void)state;
    step(&trouble, false, 0, TROUBLE_NO_NEWS);
    step(&trouble, true, 5, TROUBLE_BEGINS);
    step(&trouble, true, 6, TROUBLE_NO_NEWS);
    assert_int_equal(trouble.since_ns, 5 * S);
    step(&trouble, false, 9, TROUBLE_IS_OVER);
    step(&trouble, false, 10, TROUBLE_NO_NEWS);
}

/* At the time 0 as well, where it must not be taken for one that was over before. */
static void at_once(void **state)
{
    struct trouble trouble = {.is_there = false};
    (void)state;
    step(&trouble, true, 0, TROUBLE_BEGINS);
    step(&trouble, false, 0, TROUBLE_IS_OVER);
    step(&trouble, true, 0, TROUBLE_NO_NEWS);
}

/* One that comes and goes is said once a minute; one that stays is said when that is over. */
static void soon_again(void **state)
{
    struct trouble trouble = {.is_there = false};
    (void)state;
    step(&trouble, true, 1, TROUBLE_BEGINS);
    step(&trouble, false, 2, TROUBLE_IS_OVER);
    for (uint64_t s = 3; s < 61; s++)
        step(&trouble, s % 2 == 1, s, TROUBLE_NO_NEWS);
    step(&trouble, true, 61, TROUBLE_NO_NEWS);
    step(&trouble, true, 62, TROUBLE_BEGINS);
    assert_int_equal(trouble.since_ns, 61 * S);
    step(&trouble, false, 63, TROUBLE_IS_OVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin_and_end),
        cmocka_unit_test(at_once),
        cmocka_unit_test(soon_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
