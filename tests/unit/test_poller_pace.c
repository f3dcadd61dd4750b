#include <stdbool.h>
#include <stdlib.h>

#include "base/clock.h"
#include "poller/pace.h"

#include "unit.h"

#define START (1000 * NS_PER_S)
#define N_CHILDREN 1000

static const uint32_t periods[] = {1, 10, 100, 1000, 7777, 10000, 60000, 3600000, UINT32_MAX};
#define N_PERIODS (sizeof periods / sizeof *periods)

/* The finest grid, and the coarsest. */
static const uint32_t steps[] = {1, 250};
#define N_STEPS (sizeof steps / sizeof *steps)

/* How far from its place a poll may be, at most. */
static uint64_t jitter_of(const struct pace *pace)
{
    return pace->period / 64;
}

static void first_poll_is_soon(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_PERIODS; p++)
        for (uint32_t id = 0; id < N_CHILDREN; id++) {
            struct pace pace;
            pace_init(&pace, id, periods[p], START);
            uint64_t due = pace_due(&pace, 250);
            /* One that is on its place by chance is polled with others. */
            assert_in_range(due, START - 250 * NS_PER_MS, START + NS_PER_S + jitter_of(&pace));
            assert_true(due <= START + pace.period + jitter_of(&pace));
            assert_true(pace_is_turn(&pace, due));
        }
}

static void never_drifts(uint32_t id, uint32_t period_ms, uint32_t step_ms)
{
    struct pace pace;
    pace_init(&pace, id, period_ms, START);
    pace_next(&pace, pace_due(&pace, step_ms));
    uint64_t first = pace.slot, due = pace_due(&pace, step_ms);
    for (uint64_t n = 1; n <= 300; n++) {
        uint64_t late = (uint64_t)random() % (pace.period / 2);
        pace_answered(&pace, late);
        pace_next(&pace, pace_due(&pace, step_ms) + late);
        assert_int_equal(pace.slot, first + n * pace.period);
        uint64_t next = pace_due(&pace, step_ms);
        assert_in_range(next - due, pace.period - jitter_of(&pace), pace.period + jitter_of(&pace));
        due = next;
    }
}

/* Whenever the polls end, the places stay: no drift over many periods, and the distance of two
 * polls is the period within the jitter, whatever the grid. */
static void no_drift(void **state)
{
    (void)state;
    srandom(3);
    for (size_t p = 0; p < N_PERIODS - 1; p++)
        for (uint32_t id = 1; id <= 10; id++)
            for (size_t s = 0; s < N_STEPS; s++)
                never_drifts(id, periods[p], steps[s]);
}

/* The due times of children on their places, without those that are there already. */
static size_t count_due(const uint32_t *period_ms, size_t n_periods, uint32_t step_ms)
{
    static uint64_t due[N_CHILDREN];
    size_t n = 0;
    for (uint32_t id = 1; id <= N_CHILDREN; id++) {
        struct pace pace;
        pace_init(&pace, id, period_ms[id % n_periods], START);
        pace_next(&pace, pace.slot);
        uint64_t at = pace_due(&pace, step_ms);
        assert_in_range(at, pace.slot - step_ms * NS_PER_MS, pace.slot + step_ms * NS_PER_MS / 16);
        assert_true(pace_is_turn(&pace, at));
        assert_false(pace_is_turn(&pace, at - pace.period / 2));
        size_t i = 0;
        while (i < n && due[i] != at)
            i++;
        if (i == n)
            due[n++] = at;
    }
    return n;
}

/* Who falls silent is asked in each period: two requests that nobody answers are over, with some
 * time to spare, before the next poll is due. */
static void failures_cost_no_turn(void **state)
{
    (void)state;
    for (uint32_t id = 1; id <= N_CHILDREN; id++) {
        struct pace pace;
        pace_init(&pace, id, 1000, START);
        pace_next(&pace, pace.slot);
        pace_answered(&pace, NS_PER_MS);
        uint64_t slot = pace.slot, due = pace_due(&pace, 250);
        uint64_t end = due + 2 * pace_timeout(&pace) + 50 * NS_PER_MS;
        pace_failed(&pace);
        pace_next(&pace, end);
        assert_int_equal(pace.slot, slot + pace.period);
        assert_true(pace_due(&pace, 250) >= end);
    }
}

/* Many children have few due times, and children of another period have the same ones: the second
 * poll is half a period to one and a half after the first, which is in the first second. */
static void polls_coincide(void **state)
{
    (void)state;
    static const uint32_t second[] = {1000}, odd[] = {1000, 500, 2000, 20000}, short_one[] = {100};
    assert_in_range(count_due(second, 1, 250), 4, 9);
    assert_in_range(count_due(second, 1, 25), 40, 81);
    assert_in_range(count_due(short_one, 1, 25), 4, 45);
    assert_in_range(count_due(odd, 4, 250), 80, 140);
    assert_in_range(count_due(second, 1, 1), 450, N_CHILDREN);
}

/* On each place of the grid there are about as many. */
static void load_is_spread(void **state)
{
    (void)state;
    unsigned quarters[4] = {0};
    for (uint32_t id = 1; id <= N_CHILDREN; id++) {
        struct pace pace;
        pace_init(&pace, id, 1000, START);
        pace_next(&pace, pace.slot);
        quarters[pace_due(&pace, 250) / (250 * NS_PER_MS) % 4]++;
    }
    for (size_t i = 0; i < 4; i++)
        assert_in_range(quarters[i], 200, 300);
}

/* A few polls are put together as far as that is of use, and the more there are the finer is the
 * grid. */
static void steps_by_load(void **state)
{
    (void)state;
    static const struct {
        uint64_t polls_per_second;
        uint32_t step_ms;
    } cases[] = {{0, 250},   {1, 250},   {100, 250}, {399, 250}, {400, 125}, {999, 125},
                 {1000, 50}, {2000, 25}, {10000, 5}, {49999, 5}, {50000, 1}, {10000000, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(pace_step(cases[i].polls_per_second * 3600), cases[i].step_ms);
}

/* The second poll comes half a period to one and a half after the first. */
static void first_place_of_the_grid(void **state)
{
    (void)state;
    for (size_t p = 0; p < N_PERIODS; p++)
        for (uint32_t id = 0; id < N_CHILDREN; id++) {
            struct pace pace;
            pace_init(&pace, id, periods[p], START);
            uint64_t first = pace.slot;
            pace_next(&pace, first + 1);
            assert_in_range(pace.slot - first, pace.period / 2, pace.period + pace.period / 2);
        }
}

/* In each tenth of the period there is about a tenth of the children. */
static void spread(void **state)
{
    (void)state;
    unsigned tenths[10] = {0};
    for (uint32_t id = 1; id <= N_CHILDREN; id++) {
        struct pace pace;
        pace_init(&pace, id, 10000, START);
        tenths[pace.phase / NS_PER_S]++;
    }
    for (size_t i = 0; i < 10; i++)
        assert_in_range(tenths[i], 60, 140);
}

static void places_in_the_past_are_left_out(void **state)
{
    (void)state;
    struct pace pace;
    pace_init(&pace, 5, 1000, START);
    pace_next(&pace, START + NS_PER_S);
    uint64_t slot = pace.slot;
    pace_next(&pace, slot + 5 * NS_PER_S);
    assert_int_equal(pace.slot, slot + 6 * NS_PER_S);
    pace_next(&pace, pace.slot + 5 * NS_PER_S + 1);
    assert_int_equal(pace.slot, slot + 12 * NS_PER_S);
}

/* The distance of the polls of a child that never answers, in periods. */
static void back_off(void **state)
{
    (void)state;
    static const struct {
        uint32_t period_ms;
        uint64_t distances[8];
    } cases[] = {
        {1000, {1, 1, 2, 4, 8, 10, 10, 10}}, /* 10 periods */
        {10000, {1, 1, 2, 3, 3, 3, 3, 3}},   /* 30 seconds */
        {60000, {1, 1, 1, 1, 1, 1, 1, 1}},   /* a period of its own is longer */
        {100, {1, 1, 2, 4, 8, 10, 10, 10}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pace pace;
        pace_init(&pace, 5, cases[i].period_ms, START);
        pace_next(&pace, START + NS_PER_S);
        for (size_t n = 0; n < 8; n++) {
            uint64_t slot = pace.slot;
            pace_failed(&pace);
            pace_next(&pace, slot + pace.period / 4);
            assert_int_equal(pace.slot - slot, cases[i].distances[n] * pace.period);
        }
        uint64_t slot = pace.slot;
        pace_answered(&pace, 1000);
        pace_next(&pace, slot + 1);
        assert_int_equal(pace.slot - slot, pace.period);
    }
}

static void timeouts(void **state)
{
    (void)state;
    static const struct {
        uint32_t period_ms, failures;
        uint64_t round_trip_ms, expected_ms;
    } cases[] = {
        {100, 0, 0, 400},         {1000, 0, 0, 400},           {3000, 0, 0, 750},
        {60000, 0, 0, 5000},      {1000, 0, 100, 400},         {1000, 0, 400, 800},
        {1000, 0, 9000, 5000},    {1000, 1, 0, 800},           {1000, 2, 0, 1600},
        {1000, 3, 0, 3200},       {1000, 1, 1, 400},           {1000, 2, 1, 400},
        {1000, 3, 1, 800},        {5000, 2, 1, 1250},          {1000, 4, 0, 5000},
        {1000, 1000000, 0, 5000}, {1000, UINT32_MAX, 0, 5000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pace pace;
        pace_init(&pace, 5, cases[i].period_ms, START);
        pace.failures = cases[i].failures;
        pace.round_trip = cases[i].round_trip_ms * NS_PER_MS;
        assert_int_equal(pace_timeout(&pace), cases[i].expected_ms * NS_PER_MS);
    }
}

static void round_trips_are_smoothed(void **state)
{
    (void)state;
    struct pace pace;
    pace_init(&pace, 5, 1000, START);
    pace_answered(&pace, 8000);
    assert_int_equal(pace.round_trip, 8000);
    pace_answered(&pace, 16000);
    assert_int_equal(pace.round_trip, 9000);
    for (int i = 0; i < 200; i++)
        pace_answered(&pace, 16000);
    assert_in_range(pace.round_trip, 15900, 16000);
}

static void another_period(void **state)
{
    (void)state;
    struct pace pace;
    pace_init(&pace, 5, 10000, START);
    pace_failed(&pace);
    pace_set_period(&pace, 1000, START);
    assert_int_equal(pace.failures, 1);
    assert_in_range(pace.slot, START + 1, START + NS_PER_S);
    pace_set_period(&pace, 0, START);
    assert_int_equal(pace.period, NS_PER_MS);
}

static void timers_are_in_order(void **state)
{
    (void)state;
    struct timer_list list = RB_INITIALIZER(&list);
    struct timer *timers = calloc(N_CHILDREN, sizeof *timers);
    srandom(4);
    assert_null(timer_first(&list));
    for (uint32_t i = 0; i < N_CHILDREN; i++) {
        timers[i].id = i;
        timer_clear(&list, &timers[i]);                         /* of one that is not in the list */
        timer_set(&list, &timers[i], (uint64_t)random() % 100); /* many of one time, and 0 */
        timer_set(&list, &timers[i], (uint64_t)random() % 100);
    }
    for (uint32_t i = 0; i < N_CHILDREN; i += 2)
        timer_clear(&list, &timers[i]);
    uint64_t at = 0;
    size_t n = 0;
    for (struct timer *timer; (timer = timer_first(&list)); n++) {
        assert_true(timer->at >= at);
        assert_int_equal(timer->id % 2, 1);
        at = timer->at;
        timer_clear(&list, timer);
    }
    assert_int_equal(n, N_CHILDREN / 2);
    free(timers);
}

/* However often it is asked for. */
static void out_of_turn(void **state)
{
    (void)state;
    struct pace pace;
    uint64_t now = START, last = 0;
    pace_init(&pace, 1, 60000, START);
    uint64_t due = pace_due(&pace, 250);
    srandom(1);
    for (int i = 0; i < 10000; i++) {
        uint64_t at = pace_hurry(&pace, now);
        assert_true(at >= now);
        assert_true(last == 0 || at >= last + PACE_HURRY_NS);
        assert_true(at <= now || at == last + PACE_HURRY_NS); /* and no later than need be */
        last = at;
        now = at + (uint64_t)random() % (2 * PACE_HURRY_NS);
    }
    assert_int_equal(pace_due(&pace, 250), due); /* its place is where it was */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_poll_is_soon),
        cmocka_unit_test(no_drift),
        cmocka_unit_test(failures_cost_no_turn),
        cmocka_unit_test(polls_coincide),
        cmocka_unit_test(load_is_spread),
        cmocka_unit_test(steps_by_load),
        cmocka_unit_test(first_place_of_the_grid),
        cmocka_unit_test(spread),
        cmocka_unit_test(places_in_the_past_are_left_out),
        cmocka_unit_test(back_off),
        cmocka_unit_test(timeouts),
        cmocka_unit_test(round_trips_are_smoothed),
        cmocka_unit_test(another_period),
        cmocka_unit_test(timers_are_in_order),
        cmocka_unit_test(out_of_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
