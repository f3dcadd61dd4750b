#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "threshold/threshold.h"

#include "unit.h"

#define C PHASE_CLEAR
#define P PHASE_PENDING
#define R PHASE_RAISED

/* One sample, the phase after it, and '+' where it raises, '-' where it clears. */
struct step {
    uint64_t ms;
    double value;
    enum threshold_phase phase;
    char event;
};

struct scenario {
    const char *name;
    struct threshold_rule rule;
    enum threshold_phase restored; /* 0: a new state */
    struct step steps[12];         /* up to one without a phase */
};

/* {op, limit, clear, match, window, duration_ms} */
static const struct scenario scenarios[] = {
    {"one sample, no duration: at once",
     {COMPARE_GT, 90, 90, 1, 1, 0},
     0,
     {{0, 90, C, 0}, {1, 91, R, '+'}, {2, 99, R, 0}, {3, 90, C, '-'}, {4, 91, R, '+'}}},
    {"the first sample may raise",
     {COMPARE_GE, 90, 90, 1, 1, 0},
     0,
     {{0, 90, R, '+'}, {1, 89.9, C, '-'}}},
    {"the first sample may pend", {COMPARE_LT, 5, 5, 1, 1, 10}, 0, {{0, 4, P, 0}, {10, 4, R, '+'}}},
    {"the first breach of more is clear",
     {COMPARE_LT, 5, 5, 2, 2, 0},
     0,
     {{0, 4, C, 0}, {1, 4, R, '+'}}},
    {"lt", {COMPARE_LT, 5, 5, 1, 1, 0}, 0, {{0, 5, C, 0}, {1, 4.9, R, '+'}, {2, 5, C, '-'}}},
    {"le", {COMPARE_LE, 5, 5, 1, 1, 0}, 0, {{0, 5.1, C, 0}, {1, 5, R, '+'}, {2, 5.1, C, '-'}}},
    {"eq", {COMPARE_EQ, 1, 1, 1, 1, 0}, 0, {{0, 0, C, 0}, {1, 1, R, '+'}, {2, 2, C, '-'}}},
    {"ne", {COMPARE_NE, 1, 1, 1, 1, 0}, 0, {{0, 1, C, 0}, {1, 0, R, '+'}, {2, 1, C, '-'}}},
    {"hysteresis above",
     {COMPARE_GT, 90, 80, 1, 1, 0},
     0,
     {{0, 85, C, 0},
      {1, 91, R, '+'},
      {2, 90, R, 0},
      {3, 80.5, R, 0},
      {4, 91, R, 0},
      {5, 80, C, '-'},
      {6, 85, C, 0},
      {7, 90, C, 0},
      {8, 90.5, R, '+'}}},
    {"hysteresis below",
     {COMPARE_LE, 10, 20, 1, 1, 0},
     0,
     {{0, 15, C, 0},
      {1, 10, R, '+'},
      {2, 15, R, 0},
      {3, 20, R, 0},
      {4, 20.1, C, '-'},
      {5, 11, C, 0}}},
    {"duration to the millisecond",
     {COMPARE_GT, 90, 90, 1, 1, 1000},
     0,
     {{0, 1, C, 0},
      {500, 95, P, 0},
      {1000, 95, P, 0},
      {1499, 95, P, 0},
      {1500, 95, R, '+'},
      {9999, 95, R, 0},
      {10000, 1, C, '-'}}},
    {"one good sample ends the wait",
     {COMPARE_GT, 90, 90, 1, 1, 1000},
     0,
     {{0, 95, P, 0}, {999, 90, C, 0}, {1000, 95, P, 0}, {1999, 95, P, 0}, {2000, 95, R, '+'}}},
    {"hysteresis does not hold the wait",
     {COMPARE_GT, 90, 80, 1, 1, 1000},
     0,
     {{0, 95, P, 0}, {500, 85, C, 0}, {1000, 95, P, 0}}},
    {"longest duration",
     {COMPARE_GT, 90, 90, 1, 1, UINT32_MAX},
     0,
     {{0, 95, P, 0}, {UINT32_MAX - UINT64_C(1), 95, P, 0}, {UINT32_MAX, 95, R, '+'}}},
    {"2 of 3, with a gap",
     {COMPARE_GT, 90, 90, 2, 3, 0},
     0,
     {{0, 95, C, 0},
      {1, 1, C, 0},
      {2, 95, R, '+'},
      {3, 1, C, '-'},
      {4, 95, R, '+'},
      {5, 95, R, 0},
      {6, 1, R, 0},
      {7, 1, C, '-'}}},
    {"2 of 3, too far apart",
     {COMPARE_GT, 90, 90, 2, 3, 0},
     0,
     {{0, 95, C, 0},
      {1, 1, C, 0},
      {2, 1, C, 0},
      {3, 95, C, 0},
      {4, 1, C, 0},
      {5, 1, C, 0},
      {6, 95, C, 0}}},
    {"2 of 5 before there are 5",
     {COMPARE_GT, 90, 90, 2, 5, 0},
     0,
     {{0, 95, C, 0}, {1, 95, R, '+'}}},
    {"3 of 3 wants them in a row",
     {COMPARE_GT, 90, 90, 3, 3, 0},
     0,
     {{0, 95, C, 0},
      {1, 95, C, 0},
      {2, 1, C, 0},
      {3, 95, C, 0},
      {4, 95, C, 0},
      {5, 95, R, '+'},
      {6, 1, C, '-'}}},
    {"1 of 3 clears when all three are fine",
     {COMPARE_GT, 90, 90, 1, 3, 0},
     0,
     {{0, 95, R, '+'}, {1, 1, R, 0}, {2, 1, R, 0}, {3, 1, C, '-'}}},
    {"2 of 3: unsettled ones keep it, and the clearing sample must be fine",
     {COMPARE_GT, 90, 80, 2, 3, 0},
     0,
     {{0, 95, C, 0}, {1, 95, R, '+'}, {2, 85, R, 0}, {3, 1, R, 0}, {4, 1, C, '-'}, {5, 95, C, 0}}},
    {"2 of 3: the latest is not settled",
     {COMPARE_GT, 90, 80, 2, 3, 0},
     0,
     {{0, 95, C, 0}, {1, 95, R, '+'}, {2, 1, R, 0}, {3, 85, R, 0}, {4, 1, C, '-'}}},
    {"2 of 3 for a duration, with a fine sample between",
     {COMPARE_GT, 90, 90, 2, 3, 10},
     0,
     {{0, 95, C, 0}, {5, 95, P, 0}, {10, 1, P, 0}, {12, 95, P, 0}, {15, 95, R, '+'}}},
    {"2 of 3 for a duration, no more met",
     {COMPARE_GT, 90, 90, 2, 3, 10},
     0,
     {{0, 95, C, 0},
      {5, 95, P, 0},
      {6, 1, P, 0},
      {7, 1, C, 0},
      {20, 95, C, 0},
      {21, 95, P, 0},
      {31, 95, R, '+'}}},
    {"NaN never breaches",
     {COMPARE_NE, 1, 1, 1, 1, 0},
     0,
     {{0, NAN, C, 0}, {1, 2, R, '+'}, {2, NAN, C, '-'}}},
    {"infinity does", {COMPARE_GT, 1e300, 1e300, 1, 1, 0}, 0, {{0, INFINITY, R, '+'}}},
    {"restored as raised, still breached: nothing",
     {COMPARE_GT, 90, 80, 1, 1, 1000},
     PHASE_RAISED,
     {{0, 95, R, 0}, {1, 85, R, 0}, {2, 80, C, '-'}}},
    {"restored as raised, 3 of 5, still breached: nothing",
     {COMPARE_GT, 90, 90, 3, 5, 0},
     PHASE_RAISED,
     {{0, 95, R, 0}, {1, 95, R, 0}, {2, 95, R, 0}, {3, 1, R, 0}, {4, 1, R, 0}, {5, 1, C, '-'}}},
    {"restored as raised, fine now: clears",
     {COMPARE_GT, 90, 80, 1, 1, 0},
     PHASE_RAISED,
     {{0, 1, C, '-'}}},
    {"restored as clear",
     {COMPARE_GT, 90, 80, 1, 1, 0},
     PHASE_CLEAR,
     {{0, 85, C, 0}, {1, 91, R, '+'}}},
};

static char event_sign(enum threshold_event event)
{
    return event == THRESHOLD_RAISE ? '+' : event == THRESHOLD_CLEAR ? '-' : 0;
}

static void run(const struct scenario *scenario, uint64_t start_ns)
{
    struct threshold_state state = {.phase = PHASE_UNKNOWN};
    if (scenario->restored)
        state.phase = scenario->restored;
    assert_null(threshold_fault(&scenario->rule));
    for (size_t i = 0; i < 12 && scenario->steps[i].phase; i++) {
        const struct step *step = &scenario->steps[i];
        struct threshold_state before = state;
        uint64_t now_ns = start_ns + step->ms * NS_PER_MS;
        char event = event_sign(threshold_step(&scenario->rule, &state, step->value, now_ns));
        if (state.phase != step->phase || event != step->event)
            fail_msg("%s, step %zu: phase %d event '%c', expected %d '%c'", scenario->name, i + 1,
                     state.phase, event ? event : ' ', step->phase,
                     step->event ? step->event : ' ');
        assert_int_equal(state.since_ns, state.phase == before.phase ? before.since_ns : now_ns);
    }
}

static void test_scenarios(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        run(&scenarios[i], 0);
        run(&scenarios[i], 123456789 * NS_PER_S + 1);
    }
}

/* What the header says, over plain lists of all samples. */
struct model {
    struct {
        bool breach, unsettled;
    } past[512];
    size_t n;
    enum threshold_phase phase;
    uint64_t since_ms;
};

static enum threshold_event model_step(struct model *m, const struct threshold_rule *rule,
                                       double value, uint64_t now_ms)
{
    uint32_t breach = 0, unsettled = 0;
    m->past[m->n].breach = value > rule->limit;
    m->past[m->n++].unsettled = value > rule->clear;
    for (size_t i = m->n > rule->window ? m->n - rule->window : 0; i < m->n; i++) {
        breach += m->past[i].breach;
        unsettled += m->past[i].unsettled;
    }
    enum threshold_phase before = m->phase;
    if (before == PHASE_RAISED) {
        if (value <= rule->clear && unsettled < rule->match)
            m->phase = PHASE_CLEAR;
    } else if (breach < rule->match) {
        m->phase = PHASE_CLEAR;
    } else {
        if (before != PHASE_PENDING)
            m->since_ms = now_ms;
        m->phase = now_ms - m->since_ms >= rule->duration_ms ? PHASE_RAISED : PHASE_PENDING;
    }
    if (before != PHASE_RAISED && m->phase == PHASE_RAISED)
        return THRESHOLD_RAISE;
    return before == PHASE_RAISED && m->phase == PHASE_CLEAR ? THRESHOLD_CLEAR : THRESHOLD_NOTHING;
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random >> 16;
}

static struct threshold_rule random_rule(uint64_t *random)
{
    static const uint32_t windows[] = {1, 2, 3, 5, 17, 63, 64};
    struct threshold_rule rule = {.op = COMPARE_GT, .limit = 60, .clear = 60};
    rule.clear -= (double)(next_random(random) % 3 * 10);
    rule.window = windows[next_random(random) % 7];
    rule.match = 1 + (uint32_t)(next_random(random) % rule.window);
    rule.duration_ms = (uint32_t)(next_random(random) % 3 * 20);
    return rule;
}

static unsigned compare_with_model(uint64_t *random)
{
    struct threshold_rule rule = random_rule(random);
    struct threshold_state state = {.phase = PHASE_UNKNOWN};
    struct model m = {.phase = PHASE_UNKNOWN};
    unsigned seen = 0;
    uint64_t now_ms = 0, level = 50;
    assert_null(threshold_fault(&rule));
    for (size_t i = 0; i < 512; i++) {
        now_ms += next_random(random) % 20;
        if (next_random(random) % 16 == 0) /* stays high or low for a while */
            level = next_random(random) % 100;
        double value = (double)(level + next_random(random) % 30) - 15;
        enum threshold_event expected = model_step(&m, &rule, value, now_ms);
        assert_int_equal(threshold_step(&rule, &state, value, now_ms * NS_PER_MS), expected);
        assert_int_equal(state.phase, m.phase);
        assert_int_equal(state.samples, m.n < rule.window ? m.n : rule.window);
        assert_int_equal(state.breached & ~state.unsettled, 0);
        seen |= 1U << m.phase | 16U << expected;
    }
    return seen;
}

static void test_random_series_against_a_model(void **unused)
{
    (void)unused;
    uint64_t random = 19991231;
    unsigned seen = 0;
    for (int i = 0; i < 400; i++)
        seen |= compare_with_model(&random);
    /* The comparison is worth something only if everything happened. */
    assert_int_equal(seen, 1 << PHASE_CLEAR | 1 << PHASE_PENDING | 1 << PHASE_RAISED | 7 << 4);
}

/* With the histories, a rule whose window shrinks forgets what is outside of the new one. */
static void test_window_shrinks(void **unused)
{
    (void)unused;
    struct threshold_rule wide = {COMPARE_GT, 90, 90, 3, 64, 0}, narrow = wide;
    struct threshold_state state = {.phase = PHASE_UNKNOWN};
    narrow.window = 3;
    threshold_step(&wide, &state, 95, 0);
    threshold_step(&wide, &state, 95, 1);
    for (int i = 0; i < 70; i++)
        threshold_step(&wide, &state, 1, 2);
    assert_int_equal(state.samples, 64);
    assert_int_equal(state.breached, 0);
    threshold_step(&wide, &state, 95, 3);
    threshold_step(&wide, &state, 95, 3);
    threshold_step(&narrow, &state, 1, 4);
    assert_int_equal(state.samples, 3);
    assert_int_equal(threshold_step(&narrow, &state, 95, 5), THRESHOLD_NOTHING);
    assert_int_equal(state.phase, PHASE_CLEAR);
}

/* A wait that began five seconds before the clock's zero, as a boot in between makes it. */
static void test_wait_from_before_the_clock(void **unused)
{
    (void)unused;
    struct threshold_rule rule = {COMPARE_GT, 90, 90, 1, 1, 8000};
    struct threshold_state state = {.phase = PHASE_PENDING, .since_ns = 0 - 5 * NS_PER_S};
    assert_int_equal(threshold_step(&rule, &state, 95, 2 * NS_PER_S), THRESHOLD_NOTHING);
    assert_int_equal(threshold_step(&rule, &state, 95, 3 * NS_PER_S - 1), THRESHOLD_NOTHING);
    assert_int_equal(threshold_step(&rule, &state, 95, 3 * NS_PER_S), THRESHOLD_RAISE);
}

static void test_zeroed_state_is_unknown(void **unused)
{
    (void)unused;
    struct threshold_rule rule = {COMPARE_GT, 90, 90, 1, 1, 0};
    struct threshold_state state = {0};
    assert_int_equal(threshold_step(&rule, &state, 1, 7), THRESHOLD_NOTHING);
    assert_int_equal(state.phase, PHASE_CLEAR);
    assert_int_equal(state.since_ns, 7);
}

static void test_fault(void **unused)
{
    (void)unused;
    static const struct {
        struct threshold_rule rule;
        const char *word; /* in the fault; NULL: there is none */
    } rows[] = {
        {{COMPARE_GT, 1, 1, 1, 1, 0}, NULL},
        {{COMPARE_GT, 1, 0, 64, 64, UINT32_MAX}, NULL},
        {{COMPARE_GE, -1, -2, 1, 64, 0}, NULL},
        {{COMPARE_LT, 1, 2, 1, 1, 0}, NULL},
        {{COMPARE_LE, 1, 1, 1, 1, 0}, NULL},
        {{COMPARE_EQ, 1, 1, 1, 1, 0}, NULL},
        {{COMPARE_NE, 0, -0.0, 1, 1, 0}, NULL},
        {{COMPARE_GT, 1, 1.5, 1, 1, 0}, "above"},
        {{COMPARE_GE, 1, 1.5, 1, 1, 0}, "above"},
        {{COMPARE_LT, 1, 0.5, 1, 1, 0}, "below"},
        {{COMPARE_LE, 1, 0.5, 1, 1, 0}, "below"},
        {{COMPARE_EQ, 1, 2, 1, 1, 0}, "differs"},
        {{COMPARE_NE, 1, 0, 1, 1, 0}, "differs"},
        {{COMPARE_NONE, 1, 1, 1, 1, 0}, "operator"},
        {{0, 1, 1, 1, 1, 0}, "operator"},
        {{8, 1, 1, 1, 1, 0}, "operator"},
        {{COMPARE_GT, 1, 1, 0, 1, 0}, "match is"},
        {{COMPARE_GT, 1, 1, 2, 1, 0}, "match is"},
        {{COMPARE_GT, 1, 1, UINT32_MAX, 64, 0}, "match is"},
        {{COMPARE_GT, 1, 1, 0, 0, 0}, "the window is"},
        {{COMPARE_GT, 1, 1, 1, 65, 0}, "the window is"},
        {{COMPARE_GT, 1, 1, 1, UINT32_MAX, 0}, "the window is"},
        {{COMPARE_GT, NAN, 1, 1, 1, 0}, "the limit"},
        {{COMPARE_GT, INFINITY, 1, 1, 1, 0}, "the limit"},
        {{COMPARE_GT, 1, NAN, 1, 1, 0}, "clear is not"},
        {{COMPARE_GT, 1, -INFINITY, 1, 1, 0}, "clear is not"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *fault = threshold_fault(&rows[i].rule);
        if (!fault != !rows[i].word || (fault && !strstr(fault, rows[i].word)))
            fail_msg("rule %zu: %s", i, fault ? fault : "no fault");
    }
}

static void test_severity_text(void **unused)
{
    (void)unused;
    assert_string_equal(severity_text(SEVERITY_CLEAR), "clear");
    assert_string_equal(severity_text(SEVERITY_INFO), "info");
    assert_string_equal(severity_text(SEVERITY_WARNING), "warning");
    assert_string_equal(severity_text(SEVERITY_CRITICAL), "critical");
    assert_string_equal(severity_text((enum severity)0), "unknown");
    assert_string_equal(severity_text((enum severity)5), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_random_series_against_a_model),
        cmocka_unit_test(test_window_shrinks),
        cmocka_unit_test(test_wait_from_before_the_clock),
        cmocka_unit_test(test_zeroed_state_is_unknown),
        cmocka_unit_test(test_fault),
        cmocka_unit_test(test_severity_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
