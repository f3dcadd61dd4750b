#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calculate/calculate.h"

#include "unit.h"

#define S UINT64_C(1000000000)
#define MS UINT64_C(1000000)
#define EXP53 (UINT64_C(1) << 53)

#define COUNTER(bits) .name = "c", .unit = "B", .kind = METRIC_COUNTER, .width = (bits), .scale = 1
#define GAUGE .name = "g", .unit = "B", .kind = METRIC_GAUGE, .scale = 1

static const struct metric plain32 = {COUNTER(32), .base = BASE_NONE};
static const struct metric plain64 = {COUNTER(64), .base = BASE_NONE};
static const struct metric ticks = {.name = "cpu",
                                    .unit = "s",
                                    .kind = METRIC_COUNTER,
                                    .width = 64,
                                    .scale = 0.01,
                                    .base = BASE_FIELD,
                                    .base_scale = 0.01};
static const struct metric mixed = {COUNTER(64), .base = BASE_FIELD,
                                    .base_scale = 4}; /* bytes per four-fold base */
static const struct metric busy = {.name = "disk",
                                   .unit = "s",
                                   .kind = METRIC_COUNTER,
                                   .width = 32,
                                   .scale = 0.001,
                                   .base = BASE_TIME,
                                   .base_scale = 0.001};
static const struct metric gauge = {GAUGE, .base = BASE_NONE};
static const struct metric part = {GAUGE, .base = BASE_FIELD, .base_scale = 1};
static const struct metric kilobytes = {.name = "k",
                                        .unit = "B",
                                        .kind = METRIC_GAUGE,
                                        .scale = 1024,
                                        .base = BASE_FIELD,
                                        .base_scale = 1024};
static const struct metric no_base_scale = {GAUGE, .base = BASE_FIELD, .base_scale = 0};
static const struct metric gauge_of_time = {GAUGE, .base = BASE_TIME, .base_scale = 1};

struct step {
    bool missing;
    uint64_t time_ns, raw, base;
    enum result_state state;
    double value;
};

#define STEPS 5
#define V RESULT_VALID
#define W RESULT_WAITING
#define G RESULT_GAP
#define U RESULT_UNAVAILABLE

struct scenario {
    const char *name;
    const struct metric *metric;
    enum calculation how;
    struct step steps[STEPS]; /* up to one without a state */
};

static const struct scenario scenarios[] = {
    {"basic needs one sample", &plain64, CALC_BASIC, {{0, S, 7, 0, V, 7}, {0, 2 * S, 3, 0, V, 3}}},
    {"basic after unavailable", &plain64, CALC_BASIC, {{1, S, 7, 0, U, 0}, {0, 2 * S, 3, 0, V, 3}}},
    {"basic is exact to 2^53",
     &plain64,
     CALC_BASIC,
     {{0, S, EXP53, 0, V, 9007199254740992.0}, {0, S, EXP53 - 1, 0, V, 9007199254740991.0}}},
    {"basic of a counter is unsigned",
     &plain64,
     CALC_BASIC,
     {{0, S, UINT64_MAX, 0, V, 18446744073709551616.0}}},
    {"basic of a gauge is signed",
     &gauge,
     CALC_BASIC,
     {{0, S, (uint64_t)-5, 0, V, -5}, {0, S, (uint64_t)INT64_MIN, 0, V, -9223372036854775808.0}}},
    {"basic is scaled", &kilobytes, CALC_BASIC, {{0, S, 3, 0, V, 3072}}},
    {"delta waits", &plain64, CALC_DELTA, {{0, S, 7, 0, W, 0}, {0, 2 * S, 10, 0, V, 3}}},
    {"delta of nothing", &plain64, CALC_DELTA, {{0, S, 7, 0, W, 0}, {0, 2 * S, 7, 0, V, 0}}},
    {"delta is scaled", &ticks, CALC_DELTA, {{0, S, 7, 0, W, 0}, {0, 2 * S, 107, 0, V, 1}}},
    {"delta needs no time", &plain64, CALC_DELTA, {{0, S, 7, 0, W, 0}, {0, S, 10, 0, V, 3}}},
    {"delta from 0 to 2^53",
     &plain64,
     CALC_DELTA,
     {{0, S, 0, 0, W, 0}, {0, 2 * S, EXP53, 0, V, 9007199254740992.0}}},
    {"delta begins anew after unavailable",
     &plain64,
     CALC_DELTA,
     {{0, S, 7, 0, W, 0},
      {1, 2 * S, 99, 0, U, 0},
      {0, 3 * S, 100, 0, W, 0},
      {0, 4 * S, 101, 0, V, 1}}},
    {"reset to 0, 64 bits, then from the new value",
     &plain64,
     CALC_DELTA,
     {{0, S, 1000000, 0, W, 0},
      {0, 2 * S, 0, 0, G, 0},
      {0, 3 * S, 5, 0, V, 5},
      {0, 4 * S, 4, 0, G, 0},
      {0, 5 * S, 6, 0, V, 2}}},
    {"64 bits do not wrap at 32",
     &plain64,
     CALC_DELTA,
     {{0, S, UINT32_MAX, 0, W, 0}, {0, 2 * S, 0, 0, G, 0}}},
    {"wrap of 64 bits by one",
     &plain64,
     CALC_DELTA,
     {{0, S, UINT64_MAX, 0, W, 0}, {0, 2 * S, 0, 0, V, 1}, {0, 3 * S, 1, 0, V, 1}}},
    {"wrap of 64 bits, longest",
     &plain64,
     CALC_DELTA,
     {{0, S, UINT64_MAX, 0, W, 0}, {0, 2 * S, (UINT64_C(1) << 32) - 2, 0, V, 4294967295.0}}},
    {"wrap of 64 bits, one too far",
     &plain64,
     CALC_DELTA,
     {{0, S, UINT64_MAX, 0, W, 0}, {0, 2 * S, (UINT64_C(1) << 32) - 1, 0, G, 0}}},
    {"wrap of 32 bits by one",
     &plain32,
     CALC_DELTA,
     {{0, S, UINT32_MAX, 0, W, 0}, {0, 2 * S, 0, 0, V, 1}, {0, 3 * S, 1, 0, V, 1}}},
    {"wrap of 32 bits, longest",
     &plain32,
     CALC_DELTA,
     {{0, S, UINT32_MAX, 0, W, 0}, {0, 2 * S, 0x7ffffffe, 0, V, 2147483647.0}}},
    {"wrap of 32 bits, one too far",
     &plain32,
     CALC_DELTA,
     {{0, S, UINT32_MAX, 0, W, 0}, {0, 2 * S, 0x7fffffff, 0, G, 0}, {0, S, 0x80000000, 0, V, 1}}},
    {"reset of 32 bits from low",
     &plain32,
     CALC_DELTA,
     {{0, S, 1000, 0, W, 0}, {0, 2 * S, 10, 0, G, 0}, {0, 3 * S, 15, 0, V, 5}}},
    {"32 bits may rise by more than half",
     &plain32,
     CALC_DELTA,
     {{0, S, 0, 0, W, 0}, {0, 2 * S, UINT32_MAX, 0, V, 4294967295.0}}},
    {"32 bits that were more do not wrap there",
     &plain32,
     CALC_DELTA,
     {{0, S, UINT64_C(0x100000005), 0, W, 0}, {0, 2 * S, 10, 0, G, 0}}},
    {"delta of a gauge falls and rises",
     &gauge,
     CALC_DELTA,
     {{0, S, 10, 0, W, 0},
      {0, S, 4, 0, V, -6},
      {0, S, (uint64_t)-4, 0, V, -8},
      {0, S, 0, 0, V, 4}}},
    {"delta of a gauge over all it can hold",
     &gauge,
     CALC_DELTA,
     {{0, S, (uint64_t)INT64_MIN, 0, W, 0},
      {0, S, INT64_MAX, 0, V, 18446744073709551616.0},
      {0, S, (uint64_t)INT64_MIN, 0, V, -18446744073709551616.0}}},
    {"delta of a gauge begins anew",
     &gauge,
     CALC_DELTA,
     {{0, S, 10, 0, W, 0}, {1, S, 0, 0, U, 0}, {0, S, 4, 0, W, 0}}},
    {"rate", &plain64, CALC_RATE, {{0, S, 100, 0, W, 0}, {0, 11 * S, 200, 0, V, 10}}},
    {"rate in less than a second",
     &plain64,
     CALC_RATE,
     {{0, S, 100, 0, W, 0}, {0, S + 250 * MS, 200, 0, V, 400}}},
    {"rate is scaled", &ticks, CALC_RATE, {{0, S, 0, 0, W, 0}, {0, 3 * S, 200, 0, V, 1}}},
    {"rate of a wrap", &plain32, CALC_RATE, {{0, S, UINT32_MAX, 0, W, 0}, {0, 3 * S, 9, 0, V, 5}}},
    {"rate of a reset, then from the new value",
     &plain64,
     CALC_RATE,
     {{0, S, UINT64_C(1) << 40, 0, W, 0}, {0, 2 * S, 50, 0, G, 0}, {0, 3 * S, 60, 0, V, 10}}},
    {"rate without time",
     &plain64,
     CALC_RATE,
     {{0, S, 1, 0, W, 0}, {0, S, 5, 0, G, 0}, {0, 2 * S, 6, 0, V, 1}}},
    {"rate with time backwards",
     &plain64,
     CALC_RATE,
     {{0, 2 * S, 1, 0, W, 0}, {0, S, 5, 0, G, 0}, {0, 2 * S, 6, 0, V, 1}}},
    {"rate of a gauge", &gauge, CALC_RATE, {{0, S, 10, 0, W, 0}, {0, 3 * S, 4, 0, V, -3}}},
    {"rate begins anew after unavailable",
     &gauge,
     CALC_RATE,
     {{1, S, 0, 0, U, 0}, {0, 2 * S, 4, 0, W, 0}, {0, 3 * S, 5, 0, V, 1}}},
    {"average of a counter",
     &mixed,
     CALC_AVERAGE,
     {{0, S, 100, 10, W, 0}, {0, S, 140, 15, V, 2}, {0, S, 140, 16, V, 0}}},
    {"average: base still",
     &mixed,
     CALC_AVERAGE,
     {{0, S, 100, 10, W, 0}, {0, 2 * S, 140, 10, G, 0}, {0, 3 * S, 148, 11, V, 2}}},
    {"average: base fell",
     &mixed,
     CALC_AVERAGE,
     {{0, S, 100, 10, W, 0}, {0, 2 * S, 140, 9, G, 0}, {0, 3 * S, 148, 11, V, 1}}},
    {"average: base wrapped",
     &mixed,
     CALC_AVERAGE,
     {{0, S, 100, UINT64_MAX, W, 0}, {0, 2 * S, 140, 4, V, 2}}},
    {"average: value reset",
     &mixed,
     CALC_AVERAGE,
     {{0, S, 100, 10, W, 0}, {0, 2 * S, 4, 12, G, 0}, {0, 3 * S, 12, 13, V, 2}}},
    {"average begins anew after unavailable",
     &mixed,
     CALC_AVERAGE,
     {{0, S, 1, 1, W, 0}, {1, S, 2, 2, U, 0}, {0, S, 3, 3, W, 0}, {0, S, 7, 4, V, 1}}},
    {"percent of ticks is exact",
     &ticks,
     CALC_PERCENT,
     {{0, S, 0, 0, W, 0},
      {0, S, 29, 100, V, 29},
      {0, S, 129, 200, V, 100},
      {0, S, 129, 300, V, 0},
      {0, S, 186, 400, V, 57}}},
    {"percent: base still or fell",
     &ticks,
     CALC_PERCENT,
     {{0, S, 1, 10, W, 0}, {0, S, 2, 10, G, 0}, {0, S, 2, 9, G, 0}, {0, S, 3, 11, V, 50}}},
    {"percent of time",
     &busy,
     CALC_PERCENT,
     {{0, S, 0, 0, W, 0}, {0, 2 * S, 1000, 0, V, 100}, {0, 3 * S, 1250, 0, V, 25}}},
    {"percent of time in parts of a millisecond",
     &busy,
     CALC_PERCENT,
     {{0, 0, 0, 0, W, 0}, {0, 2 * MS + MS / 2, 1, 0, V, 40}}},
    {"percent of time over a wrap",
     &busy,
     CALC_PERCENT,
     {{0, S, UINT32_MAX - 99, 0, W, 0}, {0, 2 * S, 400, 0, V, 50}}},
    {"percent without time",
     &busy,
     CALC_PERCENT,
     {{0, S, 0, 0, W, 0}, {0, S, 10, 0, G, 0}, {0, S - 1, 10, 0, G, 0}, {0, 2 * S, 10, 0, V, 0}}},
    {"average of time ignores the base field",
     &busy,
     CALC_AVERAGE,
     {{0, S, 0, 9, W, 0}, {0, 2 * S, 500, 3, V, 0.5}}},
    {"percent of a level needs one sample",
     &part,
     CALC_PERCENT,
     {{0, S, 29, 100, V, 29}, {0, S, 0, 100, V, 0}, {1, S, 0, 0, U, 0}, {0, S, 100, 100, V, 100}}},
    {"percent of a level, scaled", &kilobytes, CALC_PERCENT, {{0, S, 57, 100, V, 57}}},
    {"average of a level", &part, CALC_AVERAGE, {{0, S, 3, 4, V, 0.75}, {0, S, 3, 2, V, 1.5}}},
    {"a negative level", &part, CALC_AVERAGE, {{0, S, (uint64_t)-3, 4, V, -0.75}}},
    {"levels: base 0",
     &part,
     CALC_PERCENT,
     {{0, S, 3, 0, U, 0}, {0, S, 0, 0, U, 0}, {0, S, 1, 4, V, 25}}},
    {"levels: base below 0", &part, CALC_PERCENT, {{0, S, 3, (uint64_t)-4, G, 0}}},
    {"levels: no base scale", &no_base_scale, CALC_PERCENT, {{0, S, 3, 4, G, 0}}},
    {"percent without a base",
     &plain64,
     CALC_PERCENT,
     {{0, S, 3, 4, U, 0}, {0, 2 * S, 3, 4, U, 0}}},
    {"level over time", &gauge_of_time, CALC_AVERAGE, {{0, S, 3, 4, U, 0}}},
    {"no such calculation", &plain64, (enum calculation)6, {{0, S, 3, 4, U, 0}}},
};

static void run(const struct scenario *scenario)
{
    struct calc_state state = {0};
    for (int i = 0; i < STEPS && scenario->steps[i].state; i++) {
        const struct step *step = &scenario->steps[i];
        struct observation now = {!step->missing, step->time_ns, step->raw, step->base};
        struct result got = calc_step(scenario->metric, scenario->how, &state, &now);
        if (got.state != step->state || got.value != step->value)
            fail_msg("%s, step %d: state %d value %.17g, expected %d %.17g", scenario->name, i + 1,
                     got.state, got.value, step->state, step->value);
    }
}

static void test_scenarios(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
        run(&scenarios[i]);
}

static double percent_of(const struct metric *metric, uint64_t value, uint64_t base)
{
    struct calc_state state = {0};
    struct observation before = {true, S, 0, 0}, now = {true, 2 * S, value, base};
    calc_step(metric, CALC_PERCENT, &state, &before);
    struct result got = calc_step(metric, CALC_PERCENT, &state, &now);
    assert_int_equal(got.state, RESULT_VALID);
    return got.value;
}

/* The whole is exactly 100 and its parts are less, however large the counts are. */
static void test_percent_never_rounds_above_the_whole(void **unused)
{
    (void)unused;
    uint64_t random = 88172645463325252u;
    for (int i = 0; i < 200000; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        uint64_t base = (random >> (11 + i % 50)) + 1;
        assert_true(percent_of(&ticks, base, base) == 100);
        assert_true(percent_of(&ticks, base - 1, base) <= 100);
    }
}

static void test_every_whole_percent_is_exact(void **unused)
{
    (void)unused;
    for (uint64_t i = 0; i <= 100; i++) {
        assert_true(percent_of(&ticks, i, 100) == (double)i);
        assert_true(percent_of(&ticks, 3 * i, 300) == (double)i);
    }
}

/* After a reset at any place, no result is more than what was counted since. */
static void test_reset_is_never_a_spike(void **unused)
{
    (void)unused;
    for (int bits = 1; bits < 63; bits++) {
        struct calc_state state = {0};
        struct observation high = {true, S, UINT64_C(1) << bits, 0}, low = {true, 2 * S, 0, 0};
        struct observation next = {true, 3 * S, 3, 0};
        calc_step(&plain64, CALC_RATE, &state, &high);
        assert_int_equal(calc_step(&plain64, CALC_RATE, &state, &low).state, RESULT_GAP);
        assert_true(calc_step(&plain64, CALC_RATE, &state, &next).value == 3);
    }
}

static void test_allowed(void **unused)
{
    (void)unused;
    static const struct {
        const struct metric *metric;
        bool quotients;
    } rows[] = {{&plain64, false}, {&ticks, true}, {&busy, true},
                {&gauge, false},   {&part, true},  {&gauge_of_time, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_true(calc_allowed(rows[i].metric, CALC_BASIC));
        assert_true(calc_allowed(rows[i].metric, CALC_DELTA));
        assert_true(calc_allowed(rows[i].metric, CALC_RATE));
        assert_int_equal(calc_allowed(rows[i].metric, CALC_AVERAGE), rows[i].quotients);
        assert_int_equal(calc_allowed(rows[i].metric, CALC_PERCENT), rows[i].quotients);
        assert_false(calc_allowed(rows[i].metric, (enum calculation)0));
        assert_false(calc_allowed(rows[i].metric, (enum calculation)6));
    }
}

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* Sums and levels that are doubles. A sum may fall, which is no reset. */
static void test_reals(void **unused)
{
    (void)unused;
    static const struct metric sum = {COUNTER(64), .is_real = true, .base = BASE_FIELD,
                                      .base_scale = 1};
    static const struct metric level = {GAUGE, .is_real = true, .base = BASE_NONE};
    static const struct {
        const struct metric *metric;
        enum calculation how;
        double before, now;
        uint64_t base_before, base_now;
        enum result_state state;
        double value;
    } rows[] = {
        {&sum, CALC_BASIC, 1, -2.5, 0, 0, V, -2.5},
        {&sum, CALC_DELTA, 0x1p100, 0x3p100, 0, 0, V, 0x2p100},
        {&sum, CALC_DELTA, 10, -2.5, 0, 0, V, -12.5},
        {&sum, CALC_RATE, 10, 11, 0, 0, V, 0.5},
        {&sum, CALC_RATE, 10, 9, 0, 0, V, -0.5},
        {&sum, CALC_AVERAGE, 10, 16, 5, 9, V, 1.5},
        {&sum, CALC_AVERAGE, 10, 4, 5, 9, V, -1.5},
        {&sum, CALC_AVERAGE, 10, 10, 5, 5, G, 0},
        {&sum, CALC_AVERAGE, 10, 16, 9, 5, G, 0},
        {&sum, CALC_DELTA, -1e308, 1e308, 0, 0, G, 0}, /* more than a double can be */
        {&sum, CALC_DELTA, 1, NAN, 0, 0, G, 0},
        {&sum, CALC_DELTA, INFINITY, INFINITY, 0, 0, G, 0},
        {&sum, CALC_BASIC, 1, NAN, 0, 0, U, 0},
        {&level, CALC_BASIC, 0, 1e-300, 0, 0, V, 1e-300},
        {&level, CALC_BASIC, 0, -INFINITY, 0, 0, U, 0},
        {&level, CALC_DELTA, 5, 2, 0, 0, V, -3},
        {&level, CALC_RATE, 5, 2, 0, 0, V, -1.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct calc_state state = {.primed = false};
        struct observation first = {true, S, bits_of(rows[i].before), rows[i].base_before};
        struct observation second = {true, 3 * S, bits_of(rows[i].now), rows[i].base_now};
        calc_step(rows[i].metric, rows[i].how, &state, &first);
        struct result result = calc_step(rows[i].metric, rows[i].how, &state, &second);
        if (result.state != rows[i].state || result.value != rows[i].value)
            fail_msg("row %zu: %d, %g", i, (int)result.state, result.value);
    }
}

static void test_unit(void **unused)
{
    (void)unused;
    static const struct {
        enum calculation how;
        unsigned size;
        const char *expected;
    } rows[] = {{CALC_BASIC, 16, "B"},   {CALC_DELTA, 16, "B"},   {CALC_RATE, 16, "B/s"},
                {CALC_AVERAGE, 16, "B"}, {CALC_PERCENT, 16, "%"}, {CALC_RATE, 3, "B/"},
                {CALC_RATE, 1, ""}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[17];
        memset(text, 'x', sizeof text);
        calc_unit(&plain64, rows[i].how, text, rows[i].size);
        assert_string_equal(text, rows[i].expected);
        assert_int_equal(text[16], 'x');
    }
    char text[8];
    calc_unit_of("orders", CALC_RATE, text, sizeof text);
    assert_string_equal(text, "orders/");
    calc_unit_of("", CALC_RATE, text, sizeof text);
    assert_string_equal(text, "1/s");
    calc_unit_of("", CALC_DELTA, text, sizeof text);
    assert_string_equal(text, "");
    calc_unit_of("x", CALC_PERCENT, text, sizeof text);
    assert_string_equal(text, "%");
    char untouched = 'x';
    calc_unit(&plain64, CALC_BASIC, &untouched, 0);
    assert_int_equal(untouched, 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenarios),
        cmocka_unit_test(test_percent_never_rounds_above_the_whole),
        cmocka_unit_test(test_every_whole_percent_is_exact),
        cmocka_unit_test(test_reset_is_never_a_spike),
        cmocka_unit_test(test_allowed),
        cmocka_unit_test(test_reals),
        cmocka_unit_test(test_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
