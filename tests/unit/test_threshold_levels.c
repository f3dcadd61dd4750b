/* Several limits of one rule. */

#include <string.h>

#include "threshold/levels.h"

#include "unit.h"

static struct threshold_levels levels_of(enum compare_operator op, double a, double b, double c)
{
    struct threshold_levels levels = {
        .n = 3, .severity = {SEVERITY_INFO, SEVERITY_WARNING, SEVERITY_CRITICAL}};
    const double limits[] = {a, b, c};
    for (unsigned i = 0; i < 3; i++)
        levels.rule[i] = (struct threshold_rule){
            .op = op, .limit = limits[i], .clear = limits[i], .match = 1, .window = 1};
    return levels;
}

static void highest_level_counts(void **state)
{
    (void)state;
    const struct threshold_levels levels = levels_of(COMPARE_GT, 80, 90, 95);
    struct threshold_state first = {.phase = PHASE_UNKNOWN}, more[2] = {first, first};
    static const struct {
        double value;
        enum severity severity;
    } steps[] = {{80, SEVERITY_CLEAR},    {81, SEVERITY_INFO},      {91, SEVERITY_WARNING},
                 {99, SEVERITY_CRITICAL}, {95, SEVERITY_WARNING},   {85, SEVERITY_INFO},
                 {10, SEVERITY_CLEAR},    {100, SEVERITY_CRITICAL}, {80, SEVERITY_CLEAR}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_int_equal(threshold_levels_step(&levels, &first, more, steps[i].value, i),
                         steps[i].severity);
        assert_int_equal(threshold_levels_severity(&levels, &first, more), steps[i].severity);
    }
}

static void downwards(void **state)
{
    (void)state;
    struct threshold_levels levels = levels_of(COMPARE_LT, 20, 10, 5);
    levels.rule[2].clear = 8;
    struct threshold_state first = {.phase = PHASE_UNKNOWN}, more[2] = {first, first};
    assert_int_equal(threshold_levels_step(&levels, &first, more, 4, 1), SEVERITY_CRITICAL);
    assert_int_equal(threshold_levels_step(&levels, &first, more, 7, 2), SEVERITY_CRITICAL);
    assert_int_equal(threshold_levels_step(&levels, &first, more, 8, 3), SEVERITY_WARNING);
    assert_int_equal(threshold_levels_step(&levels, &first, more, 20, 4), SEVERITY_CLEAR);
}

static void one_level_is_the_plain_rule(void **state)
{
    (void)state;
    struct threshold_levels levels = levels_of(COMPARE_GT, 80, 0, 0);
    struct threshold_state first = {.phase = PHASE_UNKNOWN}, plain = first;
    levels.n = 1;
    for (int i = 0; i < 200; i++) {
        double value = (i * 37) % 100;
        threshold_step(&levels.rule[0], &plain, value, (uint64_t)i);
        assert_int_equal(threshold_levels_step(&levels, &first, NULL, value, (uint64_t)i),
                         plain.phase == PHASE_RAISED ? SEVERITY_INFO : SEVERITY_CLEAR);
        assert_memory_equal(&first, &plain, sizeof first);
    }
}

static void faults(void **state)
{
    (void)state;
    struct threshold_levels levels = levels_of(COMPARE_GT, 80, 90, 95);
    assert_null(threshold_levels_fault(&levels));
    levels.rule[1].clear = 91;
    assert_non_null(threshold_levels_fault(&levels));
    levels = levels_of(COMPARE_GT, 80, 80, 95);
    assert_string_equal(threshold_levels_fault(&levels),
                        "the limit of a higher severity is not beyond that of the lower one");
    levels = levels_of(COMPARE_LE, 80, 90, 95);
    assert_non_null(threshold_levels_fault(&levels));
    levels = levels_of(COMPARE_LE, 80, 20, 5);
    assert_null(threshold_levels_fault(&levels));
    levels = levels_of(COMPARE_EQ, 1, 2, 3);
    assert_non_null(threshold_levels_fault(&levels));
    levels.n = 1;
    assert_null(threshold_levels_fault(&levels));
    levels = levels_of(COMPARE_GT, 80, 90, 95);
    levels.severity[0] = SEVERITY_WARNING;
    assert_string_equal(threshold_levels_fault(&levels),
                        "a limit of its own severity, or of a lower one, is given twice");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_level_counts),
        cmocka_unit_test(downwards),
        cmocka_unit_test(one_level_is_the_plain_rule),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
