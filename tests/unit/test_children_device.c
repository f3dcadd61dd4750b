/* Children that are devices: what pollers say of them becomes series, values and states. */
#include <math.h>
#include <stdio.h>

#include "switch.h"

/* -- Values ---------------------------------------------------------------------------------- */

static void levels(void **state)
{
    struct polled_switch *place = *state;
    switch_one_object(place, "gauge", "basic");
    const struct child_series *series = switch_series(place, "load", "a");
    assert_result(series, RESULT_WAITING, 0);
    assert_string_equal(series->name->unit, "B");
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 5);
    assert_result(series, RESULT_VALID, 10);
    switch_polled(place, 1000, SAMPLE_SIGNED, (uint64_t)-5);
    assert_result(series, RESULT_VALID, -10);
    switch_polled(place, 1000, SAMPLE_COUNTER64, UINT64_MAX);
    assert_result(series, RESULT_VALID, 2 * (double)INT64_MAX);
    switch_polled(place, 1000, SAMPLE_NONE, 0);
    assert_result(series, RESULT_UNAVAILABLE, 0);
    switch_says(place, (struct sample){.series = 1, .type = SAMPLE_REAL, .real = 1e300});
    switch_sends(place, 1);
    assert_result(series, RESULT_VALID, 2e300);
    switch_says(place, (struct sample){.series = 1, .type = SAMPLE_REAL, .real = 1e308});
    switch_sends(place, 1);
    assert_result(series, RESULT_UNAVAILABLE, 0);
    switch_says(place, (struct sample){.series = 1, .type = SAMPLE_REAL, .real = 0.125});
    switch_sends(place, 1);
    assert_result(series, RESULT_VALID, 0.25);
    assert_int_equal(series->wall_ms, place->polled->now.wall_ms);
    assert_true(child_series_live(series));
}

/* 32 and 64 bits wrap where they do, as the answer's type says; else it was a reset. */
static void rates(void **state)
{
    struct polled_switch *place = *state;
    switch_one_object(place, "counter", "rate");
    const struct child_series *series = switch_series(place, "load", "a");
    assert_string_equal(series->name->unit, "B/s");
    switch_polled(place, 1000, SAMPLE_COUNTER32, 4294967290);
    assert_result(series, RESULT_WAITING, 0);
    switch_polled(place, 2000, SAMPLE_COUNTER32, 4);
    assert_result(series, RESULT_VALID, 10);
    switch_polled(place, 1000, SAMPLE_COUNTER32, 4294967290); /* back by ten */
    assert_result(series, RESULT_VALID, 2.0 * 4294967286);
    switch_polled(place, 1000, SAMPLE_COUNTER32, 2000000000); /* less than half around */
    assert_result(series, RESULT_VALID, 2.0 * 2000000006);
    switch_polled(place, 1000, SAMPLE_COUNTER32, 1000000000);
    assert_result(series, RESULT_GAP, 0);
    switch_polled(place, 1000, SAMPLE_COUNTER64, 2000000100); /* another type: nothing to compare */
    switch_polled(place, 1000, SAMPLE_COUNTER64, 2000000200);
    assert_result(series, RESULT_VALID, 200);
    switch_polled(place, 1000, SAMPLE_COUNTER64, 5);
    assert_result(series, RESULT_GAP, 0);
    switch_polled(place, 1000, SAMPLE_COUNTER64, UINT64_MAX - 5);
    switch_polled(place, 1000, SAMPLE_COUNTER64, 4);
    assert_result(series, RESULT_VALID, 20);
    switch_polled(place, 1000, SAMPLE_SIGNED, (uint64_t)-5); /* no counter */
    assert_result(series, RESULT_UNAVAILABLE, 0);
}

static void fractions(void **state)
{
    struct polled_switch *place = *state;
    static const double numbers[] = {1.25, 3.75, 3.5};
    switch_one_object(place, "gauge", "delta");
    const struct child_series *series = switch_series(place, "load", "a");
    for (size_t i = 0; i < N_OF(numbers); i++) {
        switch_says(place, (struct sample){.series = 1, .type = SAMPLE_REAL, .real = numbers[i]});
        switch_sends(place, 1);
        assert_result(series, i ? RESULT_VALID : RESULT_WAITING,
                      i ? 2 * (numbers[i] - numbers[i - 1]) : 0);
    }
    switch_says(place, (struct sample){.series = 1, .type = SAMPLE_REAL, .real = 1e13});
    switch_sends(place, 1);
    assert_result(series, RESULT_UNAVAILABLE, 0);
}

/* A counter that is told as a fraction begins at 0, and is never below. */
static void counters_in_fractions(void **state)
{
    static const struct {
        double number;
        enum result_state state;
        double value;
    } steps[] = {{0, RESULT_WAITING, 0},       {0, RESULT_VALID, 0},
                 {2.5, RESULT_VALID, 5},       {-0.5, RESULT_UNAVAILABLE, 0},
                 {3.5, RESULT_UNAVAILABLE, 0}, {3.75, RESULT_VALID, 0.5}};
    struct polled_switch *place = *state;
    switch_one_object(place, "counter", "delta");
    const struct child_series *series = switch_series(place, "load", "a");
    for (size_t i = 0; i < N_OF(steps); i++) {
        polled_wait(place->polled, 1000);
        switch_says(place,
                    (struct sample){.series = 1, .type = SAMPLE_REAL, .real = steps[i].number});
        switch_sends(place, 1);
        assert_result(series, steps[i].state, steps[i].value);
    }
}

/* A start anew is a gap, whichever way it shows; what looks like one is none. */
static void restarts(void **state)
{
    static const struct {
        uint64_t ms;
        uint32_t boots;
        bool has_up_time;
        uint32_t up_time;
        enum result_state state;
    } steps[] = {
        {1000, 1, true, 4294967200, RESULT_WAITING},
        {1000, 1, true, 4, RESULT_VALID}, /* it wraps after 497 days */
        {1000, 1, true, 104, RESULT_VALID},
        {1000, 2, true, 204, RESULT_GAP}, /* boots */
        {1000, 2, true, 304, RESULT_VALID},
        {1000, 2, true, 50, RESULT_GAP},  /* back */
        {10000, 2, true, 60, RESULT_GAP}, /* has gone on for less than there was time */
        {10000, 2, true, 1060, RESULT_VALID},
        {10000, 2, true, 1960, RESULT_VALID}, /* a slow clock */
        {10000, 2, true, 3160, RESULT_VALID}, /* a fast one */
        {1000, 2, false, 0, RESULT_VALID},    /* not told */
        {1000, 2, true, 3360, RESULT_VALID},
        {1000, 2, true, 3460, RESULT_VALID},
        {1000, 1, false, 0, RESULT_GAP},
        {1000, 1, false, 0, RESULT_VALID},
    };
    struct polled_switch *place = *state;
    switch_one_object(place, "counter", "rate");
    for (size_t i = 0; i < N_OF(steps); i++) {
        place->boots = steps[i].boots;
        place->has_up_time = steps[i].has_up_time;
        place->up_time = steps[i].up_time;
        switch_polled(place, steps[i].ms, SAMPLE_COUNTER64, 1000000 * (i + 1));
        const struct child_series *series = switch_series(place, "load", "a");
        if (series->state != steps[i].state)
            fail_msg("step %zu: state %d", i, series->state);
    }
}

/* A device whose engine always says 0 boots counts none: only sysUpTime tells. */
static void restarts_without_boots(void **state)
{
    static const uint32_t up_times[] = {1000, 1100, 50, 150};
    static const enum result_state states[] = {RESULT_WAITING, RESULT_VALID, RESULT_GAP,
                                               RESULT_VALID};
    static const uint64_t numbers[] = {4294967290, 4294967295, 1000, 1010};
    struct polled_switch *place = *state;
    switch_one_object(place, "counter", "rate");
    place->boots = 0;
    place->has_up_time = true;
    for (size_t i = 0; i < N_OF(up_times); i++) {
        place->up_time = up_times[i];
        switch_polled(place, 1000, SAMPLE_COUNTER32, numbers[i]);
        assert_int_equal(switch_series(place, "load", "a")->state, states[i]);
    }
}

/* It runs for most of a year, and does not say so each time. */
static void up_time_that_is_not_told(void **state)
{
    static const struct {
        bool told;
        uint32_t up_time;
    } steps[] = {{true, 3000000000}, {false, 0}, {true, 3000000200},
                 {false, 0},         {false, 0}, {true, 3000000500}};
    struct polled_switch *place = *state;
    switch_one_object(place, "counter", "rate");
    for (size_t i = 0; i < N_OF(steps); i++) {
        place->has_up_time = steps[i].told;
        place->up_time = steps[i].up_time;
        switch_polled(place, 1000, SAMPLE_COUNTER64, 1000 * i);
        assert_int_equal(switch_series(place, "load", "a")->state,
                         i ? RESULT_VALID : RESULT_WAITING);
    }
}

/* Windows follow each other on the clock, and are whole once the next one has begun. */
static void windows(void **state)
{
    struct polled_switch *place = *state;
    struct row *row = switch_one_object(place, "gauge", "basic");
    polled_set(row, "window", "10s");
    switch_sync(place);
    switch_says_instance(place, 0, 1, "a");
    for (uint64_t i = 1; i <= 9; i++)
        switch_polled(place, 1000, SAMPLE_UNSIGNED, i);
    const struct child_series *series = switch_series(place, "load", "a");
    assert_null(child_series_window(series));
    switch_polled(place, 500, SAMPLE_NONE, 0); /* no value is none of the window */
    switch_polled(place, 500, SAMPLE_UNSIGNED, 100);
    const struct statistics_window *window = child_series_window(series);
    assert_non_null(window);
    assert_int_equal(window->count, 9);
    assert_int_equal(window->histogram.count, 9);
    assert_true(window->min == 2 && window->max == 18);
    assert_true(fabs(window->mean - 10) < 1e-9);
    switch_polled(place, 30000, SAMPLE_UNSIGNED, 7);
    assert_int_equal(child_series_window(series)->count, 1);
    assert_true(child_series_window(series)->max == 200);
}

/* -- States ---------------------------------------------------------------------------------- */

static void states(void **state)
{
    struct polled_switch *place = *state;
    switch_one_object(place, "gauge", "basic");
    assert_int_equal(place->child->contact.state, CHILD_DISCOVERING);
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 1);
    assert_int_equal(place->child->contact.state, CHILD_UP);
    assert_told(place->polled, "switch:node-lost:", 0, 1);
    assert_int_equal(place->child->contact.polls, 1);
    assert_int_equal(place->child->identity.engine_id_len, 5);
    assert_int_equal(place->child->identity.engine_boots, 1);
    assert_int_equal(place->child->contact.round_trip_us, 9);
    for (int i = 0; i < 3; i++)
        polled_silent(place->polled, place->child, POLL_TIMEOUT, "no answer");
    assert_int_equal(place->child->contact.state, CHILD_DOWN);
    assert_false(child_series_live(switch_series(place, "load", "a")));
    assert_told(place->polled, "switch:node-lost:", 1, 1);
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 2);
    assert_int_equal(place->child->contact.state, CHILD_UP);
    assert_told(place->polled, "switch:node-lost:", 1, 2);
    polled_silent(place->polled, place->child, POLL_GARBAGE, "not what was asked for");
    assert_int_equal(place->child->contact.state, CHILD_REFUSED);
    polled_silent(place->polled, place->child, POLL_WRONG_KEY, "wrong");
    assert_int_equal(place->child->contact.state, CHILD_WRONG_KEY);
    assert_int_equal(place->child->cursor.blocks, 0);
    assert_int_equal(place->child->cursor.lost, 0);
}

/* Until it was not told again in a whole look. */
static void faults(void **state)
{
    struct polled_switch *place = *state;
    switch_one_object(place, "gauge", "basic");
    switch_says_fault(place, 0, 1, "its value is not a number");
    switch_sends(place, 1);
    assert_int_equal(place->child->contact.state, CHILD_UP);
    assert_string_equal(child_error(place->child), "object load: its value is not a number");
    assert_int_equal(place->child->contact.bad, 1);
    assert_int_equal(children_object(&place->polled->children, "load")->errors, 1);
    switch_sends(place, 1);
    switch_sends(place, 1);
    assert_string_equal(child_error(place->child), "object load: its value is not a number");
    switch_says_fault(place, 0, 2, "again");
    switch_sends(place, 2);
    switch_sends(place, 2);
    assert_string_equal(child_error(place->child), "object load: again");
    switch_sends(place, 3);
    assert_string_equal(child_error(place->child), "object load: again");
    switch_sends(place, 3);
    assert_string_equal(child_error(place->child), "");
    assert_int_equal(place->child->contact.bad, 2);
    switch_says_fault(place, 1, 3, "no such object");
    switch_says_fault(place, UINT32_MAX, 3, "no such object");
    assert_int_equal(place->child->contact.bad, 2);
}

/* -- What makes no sense --------------------------------------------------------------------- */

static void nonsense(void **state)
{
    struct polled_switch *place = *state;
    switch_one_object(place, "gauge", "basic");
    switch_says_instance(place, 1, 2, "b"); /* no such object */
    switch_says_instance(place, UINT32_MAX, 2, "b");
    switch_says_instance(place, 0, 1, "c"); /* a number that is taken */
    switch_says_instance(place, 0, 5, NULL);
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 1);
    switch_says(place, (struct sample){.series = 77, .type = SAMPLE_UNSIGNED, .number = 1});
    switch_says(place, (struct sample){.series = 1, .type = 99, .number = 1});
    switch_sends(place, 1);
    assert_int_equal(series_count(place->polled), 1);
    assert_result(switch_series(place, "load", "a"), RESULT_UNAVAILABLE, 0);
    switch_says_instance(place, 0, 3, "");
    assert_int_equal(series_count(place->polled), 1);
    switch_says_instance(place, 0, 1, NULL);
    assert_int_equal(series_count(place->polled), 0);
    assert_int_equal(children_object(&place->polled->children, "load")->n_series, 0);
    switch_says_instance(place, 0, 4, "a");
    assert_non_null(switch_series(place, "load", "a"));
}

static void too_many_series(void **state)
{
    struct polled_switch *place = *state;
    char name[16];
    switch_one_object(place, "gauge", "basic");
    for (uint32_t i = 2; i <= CHILD_SERIES_MAX + 10; i++) {
        snprintf(name, sizeof name, "i%u", i);
        switch_says_instance(place, 0, i, name);
    }
    assert_int_equal(place->child->series.n_named, CHILD_SERIES_MAX);
    assert_int_equal(series_count(place->polled), CHILD_SERIES_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        switch_test(levels),
        switch_test(rates),
        switch_test(fractions),
        switch_test(restarts),
        switch_test(restarts_without_boots),
        switch_test(up_time_that_is_not_told),
        switch_test(counters_in_fractions),
        switch_test(windows),
        switch_test(states),
        switch_test(faults),
        switch_test(nonsense),
        switch_test(too_many_series),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
