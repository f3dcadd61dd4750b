#include <math.h>

#include "base/clock.h"
#include "filter/filter.h"

#include "unit.h"

#define V RESULT_VALID
#define W RESULT_WAITING
#define G RESULT_GAP
#define U RESULT_UNAVAILABLE

/* One result that arrives at a time, and whether it passes. */
struct step {
    enum result_state state;
    double value;
    uint64_t ms;
    bool pass;
};

struct scenario {
    const char *name;
    struct filter_rule rule;
    struct step steps[12]; /* up to one without a state */
};

static const struct scenario scenarios[] = {
    {"no rule: everything passes",
     {0},
     {{V, 1, 0, 1}, {V, 1, 0, 1}, {V, 1, 1, 1}, {U, 0, 2, 1}, {U, 0, 3, 1}, {G, 0, 4, 1}}},
    {"COMPARE_NONE is no gate",
     {.gate = COMPARE_NONE, .gate_limit = 90},
     {{V, 1, 0, 1}, {V, 99, 1, 1}, {V, 2, 2, 1}, {V, 2, 3, 1}, {U, 0, 4, 1}, {U, 0, 5, 1}}},
    {"waiting is held and changes nothing",
     {.deadband = 5},
     {{W, 0, 0, 0},
      {V, 1, 1, 1},
      {W, 0, 2, 0},
      {V, 2, 3, 0},
      {U, 0, 4, 1},
      {W, 0, 5, 0},
      {U, 0, 6, 0}}},
    {"waiting waits for the heartbeat too",
     {.heartbeat_ms = 10},
     {{V, 1, 0, 1}, {W, 0, 10, 0}, {W, 0, 20, 0}, {V, 1, 21, 1}}},
    {"throttle to the millisecond",
     {.throttle_ms = 10},
     {{V, 1, 0, 1}, {V, 2, 9, 0}, {V, 3, 10, 1}, {V, 4, 19, 0}, {V, 5, 25, 1}, {V, 6, 34, 0}}},
    {"throttle counts from what passed, not from what was held",
     {.throttle_ms = 10},
     {{V, 1, 0, 1}, {V, 1, 6, 0}, {V, 1, 12, 1}, {V, 1, 18, 0}, {V, 1, 24, 1}}},
    {"a change of state passes the throttle",
     {.throttle_ms = 10},
     {{V, 1, 0, 1},
      {U, 0, 1, 1},
      {U, 0, 2, 0},
      {G, 0, 3, 1},
      {V, 1, 4, 1},
      {V, 1, 13, 0},
      {V, 1, 14, 1}}},
    {"longest throttle",
     {.throttle_ms = UINT32_MAX},
     {{V, 1, 0, 1}, {V, 2, UINT32_MAX - 1, 0}, {V, 3, UINT32_MAX, 1}}},
    {"deadband is inclusive, both ways, around what was reported",
     {.deadband = 2},
     {{V, 10, 0, 1},
      {V, 12, 1, 0},
      {V, 8, 2, 0},
      {V, 12.5, 3, 1},
      {V, 10.5, 4, 0},
      {V, 14.5, 5, 0},
      {V, 10.4, 6, 1}}},
    {"a deadband of 0 holds what has not changed",
     {.still = true},
     {{V, 0, 0, 1},
      {V, 0, 1, 0},
      {V, -0.0, 2, 0},
      {V, 1e-300, 3, 1},
      {V, 1e-300, 4, 0},
      {V, 0, 5, 1},
      {U, 0, 6, 1},
      {U, 0, 7, 0},
      {G, 0, 8, 1},
      {G, 0, 9, 0},
      {V, 0, 10, 1}}},
    {"a deadband of 0 and a heartbeat",
     {.still = true, .heartbeat_ms = 10},
     {{V, 1, 0, 1}, {V, 1, 9, 0}, {V, 1, 10, 1}, {V, 1, 11, 0}, {V, 2, 12, 1}}},
    {"a slow drift leaves the deadband",
     {.deadband = 2},
     {{V, 0, 0, 1},
      {V, 1, 1, 0},
      {V, 2, 2, 0},
      {V, 3, 3, 1},
      {V, 4, 4, 0},
      {V, 5, 5, 0},
      {V, 6, 6, 1}}},
    {"deadband in percent of what was reported",
     {.deadband_percent = 5},
     {{V, 10, 0, 1},
      {V, 10.5, 1, 0},
      {V, 9.5, 2, 0},
      {V, 10.6, 3, 1},
      {V, -100, 4, 1},
      {V, -105, 5, 0},
      {V, -95, 6, 0},
      {V, -105.5, 7, 1}}},
    {"deadband of less than one percent",
     {.deadband_percent = 0.5},
     {{V, 1000, 0, 1}, {V, 1005, 1, 0}, {V, 1005.5, 2, 1}}},
    {"deadband in percent of 0 holds only 0",
     {.deadband_percent = 50},
     {{V, 0, 0, 1}, {V, 0, 1, 0}, {V, 1e-9, 2, 1}}},
    {"either deadband holds",
     {.deadband = 2, .deadband_percent = 10},
     {{V, 1, 0, 1}, {V, 3, 1, 0}, {V, 100, 2, 1}, {V, 110, 3, 0}, {V, 111, 4, 1}}},
    {"deadband repeats no state that is without value",
     {.deadband = 1},
     {{U, 0, 0, 1}, {U, 0, 1, 0}, {V, 0, 2, 1}, {G, 0, 3, 1}, {G, 0, 4, 0}}},
    {"gate: the first, what is inside, and the first outside",
     {.gate = COMPARE_GT, .gate_limit = 90},
     {{V, 10, 0, 1},
      {V, 20, 1, 0},
      {V, 90, 2, 0},
      {V, 91, 3, 1},
      {V, 91, 4, 1},
      {V, 90, 5, 1},
      {V, 50, 6, 0},
      {V, 95, 7, 1},
      {V, 5, 8, 1},
      {V, 5, 9, 0}}},
    {"gate: the first inside",
     {.gate = COMPARE_LT, .gate_limit = 5},
     {{V, 1, 0, 1}, {V, 5, 1, 1}, {V, 5, 2, 0}, {V, 4, 3, 1}}},
    {"gate repeats no state that is without value",
     {.gate = COMPARE_LT, .gate_limit = 5},
     {{U, 0, 0, 1},
      {U, 0, 1, 0},
      {V, 9, 2, 1},
      {V, 9, 3, 0},
      {V, 1, 4, 1},
      {U, 0, 5, 1},
      {U, 0, 6, 0}}},
    {"leaving the gate passes the deadband, coming in does not",
     {.gate = COMPARE_GT, .gate_limit = 90, .deadband = 5},
     {{V, 91, 0, 1}, {V, 93, 1, 0}, {V, 89, 2, 1}, {V, 91, 3, 0}, {V, 95, 4, 1}}},
    {"leaving the gate is late, not lost, under a throttle",
     {.gate = COMPARE_GT, .gate_limit = 90, .throttle_ms = 10},
     {{V, 95, 0, 1}, {V, 50, 5, 0}, {V, 40, 9, 0}, {V, 30, 10, 1}, {V, 30, 20, 0}, {V, 91, 21, 1}}},
    {"heartbeat to the millisecond, against every other rule",
     {.heartbeat_ms = 20,
      .throttle_ms = 1000,
      .deadband = 100,
      .deadband_percent = 100,
      .gate = COMPARE_GT,
      .gate_limit = 90},
     {{V, 1, 0, 1},
      {V, 1, 19, 0},
      {V, 1, 20, 1},
      {V, 1, 39, 0},
      {V, 1, 41, 1},
      {V, 1, 60, 0},
      {V, 1, 61, 1}}},
    {"heartbeat of a state without value",
     {.heartbeat_ms = 20, .deadband = 1},
     {{U, 0, 0, 1}, {U, 0, 19, 0}, {U, 0, 20, 1}, {U, 0, 39, 0}, {U, 0, 40, 1}}},
    {"heartbeat counts from any pass",
     {.heartbeat_ms = 20, .deadband = 1},
     {{V, 0, 0, 1}, {V, 9, 15, 1}, {V, 9, 34, 0}, {V, 9, 35, 1}}},
    {"heartbeat alone holds nothing", {.heartbeat_ms = 20}, {{V, 0, 0, 1}, {V, 0, 1, 1}}},
    {"heartbeat outside the gate leaves it outside",
     {.heartbeat_ms = 20, .gate = COMPARE_GT, .gate_limit = 90},
     {{V, 95, 0, 1}, {V, 10, 20, 1}, {V, 10, 21, 0}, {V, 10, 40, 1}, {V, 10, 41, 0}}},
    {"NaN is outside of every gate",
     {.gate = COMPARE_NE, .gate_limit = 0},
     {{V, 1, 0, 1}, {V, NAN, 1, 1}, {V, NAN, 2, 0}, {V, 2, 3, 1}}},
};

static void run(const struct scenario *scenario, uint64_t start_ns)
{
    struct filter_state state = {0};
    for (size_t i = 0; i < 12 && scenario->steps[i].state; i++) {
        const struct step *step = &scenario->steps[i];
        struct filter_state before = state;
        struct result result = {step->state, step->value};
        uint64_t now_ns = start_ns + step->ms * NS_PER_MS;
        if (filter_step(&scenario->rule, &state, &result, now_ns) != step->pass)
            fail_msg("%s, step %zu: expected %s", scenario->name, i + 1,
                     step->pass ? "pass" : "hold");
        if (step->pass) {
            assert_true(state.reported);
            assert_int_equal(state.last_ns, now_ns);
            assert_int_equal(state.last_state, step->state);
        } else {
            assert_memory_equal(&state, &before, sizeof state);
        }
    }
}

static void test_scenarios(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        run(&scenarios[i], 0);
        run(&scenarios[i], 123456789 * NS_PER_S + 999999);
    }
}

static void test_one_nanosecond_short(void **unused)
{
    (void)unused;
    const struct filter_rule throttle = {.throttle_ms = 10},
                             beat = {.heartbeat_ms = 10, .deadband = 1};
    const struct filter_rule *const rules[] = {&throttle, &beat};
    for (size_t i = 0; i < 2; i++) {
        struct filter_state state = {0};
        struct result result = {RESULT_VALID, 1};
        assert_true(filter_step(rules[i], &state, &result, 7));
        assert_false(filter_step(rules[i], &state, &result, 7 + 10 * NS_PER_MS - 1));
        assert_true(filter_step(rules[i], &state, &result, 7 + 10 * NS_PER_MS));
    }
}

static void test_compare(void **unused)
{
    (void)unused;
    static const struct {
        enum compare_operator op;
        bool less, equal, greater;
    } rows[] = {
        {COMPARE_NONE, 0, 0, 0}, {COMPARE_GT, 0, 0, 1}, {COMPARE_GE, 0, 1, 1},
        {COMPARE_LT, 1, 0, 0},   {COMPARE_LE, 1, 1, 0}, {COMPARE_EQ, 0, 1, 0},
        {COMPARE_NE, 1, 0, 1},   {0, 0, 0, 0},          {8, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        enum compare_operator op = rows[i].op;
        assert_int_equal(compare(-1.5, op, -1.25), rows[i].less);
        assert_int_equal(compare(0, op, -0.0), rows[i].equal);
        assert_int_equal(compare(INFINITY, op, 1e308), rows[i].greater);
        assert_int_equal(compare(nextafter(1, 2), op, 1), rows[i].greater);
        assert_false(compare(NAN, op, 1));
        assert_false(compare(1, op, NAN));
        assert_false(compare(NAN, op, NAN));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_one_nanosecond_short),
        cmocka_unit_test(test_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
