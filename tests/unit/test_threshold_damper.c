/* Which raises are told: dampening and flapping, raise by raise. */

#include "base/clock.h"
#include "threshold/damper.h"

#include "unit.h"

#define T DAMPER_TELL
#define D DAMPER_DAMPENED
#define F DAMPER_FLAPPING

/* 'R' raised, 'C' cleared, '?' only asked; '!' raised, and it is flapping. */
struct step {
    uint64_t s;
    char event;
    enum damper_verdict verdict; /* after it */
};

struct scenario {
    const char *name;
    struct damper_rule rule;
    struct step steps[16]; /* up to one without an event */
};

static const struct scenario scenarios[] = {
    {"each",
     {.dampening = DAMPEN_NONE, .count = 1},
     {{0, 'R', T}, {1, 'C', T}, {1, 'R', T}, {1, 'C', T}}},
    {"once per time",
     {.dampening = DAMPEN_ONCE_PER, .count = 1, .time_ms = 60000},
     {{0, 'R', T},
      {5, 'C', T},
      {10, 'R', D},
      {59, '?', D},
      {60, '?', T}, /* it still stands */
      {61, 'C', T},
      {62, 'R', D}, /* told at 60 */
      {63, 'C', D},
      {119, 'R', D},
      {120, '?', T},
      {121, 'C', T},
      {300, 'R', T}}},
    {"every third",
     {.dampening = DAMPEN_EVERY_NTH, .count = 3},
     {{0, 'R', D},
      {1, 'C', D},
      {2, 'R', D},
      {3, 'C', D},
      {4, 'R', T},
      {5, 'C', T},
      {6, 'R', D},
      {999, '?', D}}},
    {"three within a minute",
     {.dampening = DAMPEN_COUNT_WITHIN, .count = 3, .time_ms = 60000},
     {{0, 'R', D},
      {1, 'C', D},
      {30, 'R', D},
      {31, 'C', D},
      {59, 'R', T},
      {61, 'C', T},
      {62, 'R', T}, /* 30, 59, 62 */
      {63, 'C', T},
      {200, 'R', D}}},
    {"flapping",
     {.dampening = DAMPEN_NONE, .count = 1, .flap_count = 3, .flap_ms = 10000},
     {{0, 'R', T},
      {1, 'C', T},
      {2, 'R', T},
      {3, 'C', F},
      {4, '!', F},
      {5, 'C', F},
      {6, 'R', F},
      {15, '?', F},
      {16, '?', T}, /* so long without a change */
      {17, 'C', T},
      {18, 'R', T}}},
    {"slow changes are not flapping",
     {.dampening = DAMPEN_NONE, .count = 1, .flap_count = 3, .flap_ms = 10000},
     {{0, 'R', T}, {3, 'C', T}, {6, 'R', T}, {10, 'C', T}, {13, 'R', T}, {16, 'C', T}}},
    {"flapping again is told again",
     {.dampening = DAMPEN_NONE, .count = 1, .flap_count = 1, .flap_ms = 10000},
     {{0, 'R', T}, {1, 'C', F}, {2, '!', F}, {13, 'C', T}, {14, '!', F}, {15, 'C', F}}},
    {"the largest count",
     {.dampening = DAMPEN_COUNT_WITHIN, .count = 1, .time_ms = 1},
     {{0, 'R', T}, {1, 'C', T}}},
};

static void play(const struct scenario *scenario)
{
    struct damper damper = {.flapping = false};
    for (size_t i = 0; scenario->steps[i].event; i++) {
        const struct step *step = &scenario->steps[i];
        uint64_t now = (1000 + step->s) * NS_PER_S;
        bool told = false;
        if (step->event == 'R' || step->event == '!')
            told = damper_raise(&scenario->rule, &damper, now);
        else if (step->event == 'C')
            damper_clear(&scenario->rule, &damper, now);
        enum damper_verdict verdict = damper_verdict(&scenario->rule, &damper, now);
        if (verdict != step->verdict || told != (step->event == '!'))
            fail_msg("%s, step %zu: verdict %d, told %d", scenario->name, i + 1, verdict, told);
    }
}

static void scenarios_are_played(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        play(&scenarios[i]);
}

/* The most that can be counted are kept, however many there were. */
static void counts_to_the_end(void **state)
{
    (void)state;
    const struct damper_rule rule = {.dampening = DAMPEN_COUNT_WITHIN,
                                     .count = DAMPER_COUNT_MAX,
                                     .time_ms = 1000000,
                                     .flap_count = DAMPER_COUNT_MAX,
                                     .flap_ms = 1000000};
    struct damper damper = {.flapping = false};
    for (uint32_t i = 1; i <= 10 * DAMPER_COUNT_MAX; i++) {
        uint64_t now = i * NS_PER_S;
        bool flaps = damper_raise(&rule, &damper, now);
        assert_int_equal(damper.holds, i < DAMPER_COUNT_MAX);
        assert_int_equal(flaps, i == DAMPER_COUNT_MAX / 2 + 1);
        damper_clear(&rule, &damper, now);
        uint32_t changes = damper_changes(&rule, &damper, now);
        assert_int_equal(changes, 2 * i <= DAMPER_COUNT_MAX ? 2 * i : DAMPER_COUNT_MAX + 1);
    }
}

/* Once in a minute: just a minute after the last one, the next is told at once. */
static void once_per_to_the_nanosecond(void **state)
{
    (void)state;
    const struct damper_rule rule = {.dampening = DAMPEN_ONCE_PER, .time_ms = 60000};
    for (int early = 0; early < 2; early++) {
        struct damper damper = {.flapping = false};
        uint64_t first = 1000 * NS_PER_S, second = first + 60 * NS_PER_S - (uint64_t)early;
        damper_raise(&rule, &damper, first);
        assert_true(damper.due_ns == first);
        damper_clear(&rule, &damper, first + 1);
        assert_true(damper.was_told && damper.told_ns == first);
        damper_raise(&rule, &damper, second);
        assert_true(damper.due_ns == first + 60 * NS_PER_S);
        damper_clear(&rule, &damper, second);
        assert_true(damper.told_ns == (early ? first : second));
    }
}

static void faults(void **state)
{
    (void)state;
    assert_null(damper_fault(&(struct damper_rule){.dampening = DAMPEN_NONE}));
    assert_null(damper_fault(&(struct damper_rule){.dampening = DAMPEN_EVERY_NTH, .count = 2}));
    assert_non_null(damper_fault(&(struct damper_rule){.dampening = DAMPEN_ONCE_PER}));
    assert_non_null(damper_fault(&(struct damper_rule){.dampening = DAMPEN_COUNT_WITHIN}));
    assert_non_null(damper_fault(&(struct damper_rule){.flap_count = 1}));
    assert_null(damper_fault(&(struct damper_rule){.flap_count = 1, .flap_ms = 1}));
    assert_false(damper_needed(&(struct damper_rule){.dampening = DAMPEN_NONE}));
    assert_true(damper_needed(&(struct damper_rule){.dampening = DAMPEN_EVERY_NTH}));
    assert_true(damper_needed(&(struct damper_rule){.flap_count = 1}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenarios_are_played),
        cmocka_unit_test(counts_to_the_end),
        cmocka_unit_test(once_per_to_the_nanosecond),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
