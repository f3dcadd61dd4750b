/* Information levels: every course of breaches, of what filters hold back, and of windows. */
#include "filter/level.h"

#include "unit.h"

#define STEPS 7

/* Each step has two bits: the value breaches; the filter lets it pass. */
static bool breaches_at(unsigned course, int step)
{
    return course >> 2 * step & 1;
}

static bool passes_at(unsigned course, int step)
{
    return course >> (2 * step + 1) & 1;
}

/* By the words of the MIB: it breaches, or it is the first that is told after one that did. */
static bool is_to_be_reported(unsigned course, const bool told[STEPS], int step)
{
    int last = step - 1;
    while (last >= 0 && !told[last])
        last--;
    return breaches_at(course, step) || (last >= 0 && breaches_at(course, last));
}

static void values(void **unused)
{
    (void)unused;
    for (unsigned course = 0; course < 1u << 2 * STEPS; course++) {
        struct level_state state = {.told = false};
        bool told[STEPS];
        for (int step = 0; step < STEPS; step++) {
            bool expected = is_to_be_reported(course, told, step);
            if (level_step(&state, breaches_at(course, step)) != expected)
                fail_msg("course %x, step %d: not %d", course, step, expected);
            told[step] = expected && passes_at(course, step);
            if (told[step])
                level_told(&state);
        }
    }
}

/* Windows of one to three values, of which the value after the end is not one. */
static void windows(void **unused)
{
    (void)unused;
    for (int length = 1; length <= 3; length++)
        for (unsigned course = 0; course < 1u << 12; course++) {
            struct level_state states[LEVEL_PERCENTILE + 1] = {{.told = false}};
            bool in_window = false, itself = course >> 11 & 1;
            for (int step = 0; step < 11; step++) {
                bool breaches = course >> step & 1, ends = step > 0 && step % length == 0;
                for (int level = LEVEL_THRESHOLD; level <= LEVEL_PERCENTILE; level++) {
                    const enum level_report expected[] = {
                        [LEVEL_THRESHOLD] = in_window || itself ? LEVEL_MOMENTS : LEVEL_NOTHING,
                        [LEVEL_BASIC] = LEVEL_MOMENTS,
                        [LEVEL_PERCENTILE] = LEVEL_WHOLE};
                    struct level_state *state = &states[level];
                    level_step(state, breaches);
                    if (ends)
                        assert_int_equal(
                            level_end_window((enum information_level)level, state, itself),
                            expected[level]);
                    level_count(state);
                }
                in_window = (in_window && !ends) || breaches;
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
