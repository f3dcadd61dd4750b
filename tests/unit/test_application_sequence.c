/* Figures of steps, and sequences over several nodes whose clocks differ. */
#include "application/sequence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributions.h"
#include "scarce.h"
#include "unit.h"

#define S UINT64_C(1000000000)
#define SETTLE (10 * S)
#define BEGIN (1700000000 * S)

static struct sequences *make(size_t records)
{
    const struct sequence_bounds bounds = {.records = records, .settle_ns = SETTLE};
    struct sequences *sequences = sequences_new(&bounds);
    assert_non_null(sequences);
    return sequences;
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* -- Figures ----------------------------------------------------------------------------------- */

/* In 10 s, 50 begin and 40 end, which took 0.1 s each: 4 s of work. A thread gets 10 of them done
 * in a second, 5 come in one, so that half a thread is busy. */
static void figures_are_what_one_computes_by_hand(void **state)
{
    (void)state;
    const struct step_sums sums = {
        .seconds = 10, .begun = 50, .ended = 40, .failed = 10, .busy_ns = 4 * S};
    struct step_figures figures = step_figures_of(&sums);
    assert_true(near(figures.runtime, 0.1));
    assert_true(near(figures.throughput, 10));
    assert_true(near(figures.arrivals, 5));
    assert_true(near(figures.completions, 4));
    assert_true(near(figures.failures, 0.25));
    assert_true(near(figures.offered_load, 0.5));
}

static void figures_that_are_not_known_are_no_numbers(void **state)
{
    (void)state;
    struct step_figures figures = step_figures_of(&(struct step_sums){.seconds = 10});
    assert_true(figures.arrivals == 0 && figures.completions == 0);
    assert_true(isnan(figures.runtime) && isnan(figures.throughput) && isnan(figures.failures) &&
                isnan(figures.offered_load));
    figures = step_figures_of(&(struct step_sums){.seconds = 10, .begun = 5});
    assert_true(figures.arrivals == 0.5 && isnan(figures.offered_load));
    figures = step_figures_of(&(struct step_sums){.begun = 5, .ended = 5, .busy_ns = S});
    assert_true(isnan(figures.arrivals) && isnan(figures.completions) &&
                isnan(figures.offered_load));
    assert_true(near(figures.runtime, 0.2) && near(figures.throughput, 5));
    figures = step_figures_of(&(struct step_sums){.seconds = 1, .begun = 5, .ended = 5});
    assert_true(figures.runtime == 0 && isnan(figures.throughput) && isnan(figures.offered_load));
    /* What is read is being written: the time has come before the count. */
    figures = step_figures_of(&(struct step_sums){.seconds = 1, .begun = 1, .busy_ns = S});
    assert_true(isnan(figures.runtime) && isnan(figures.throughput));
    figures =
        step_figures_of(&(struct step_sums){.seconds = 1, .begun = 1, .ended = 1, .busy_ns = S});
    assert_true(figures.throughput == 1 && figures.offered_load == 1);
}

/* -- One sequence ------------------------------------------------------------------------------ */

enum { TAKE, COOK, SERVE };

static struct sequence_record record(uint32_t node, uint32_t step, uint64_t sequence, double start,
                                     double duration)
{
    return (struct sequence_record){.node = node,
                                    .step = step,
                                    .sequence = sequence,
                                    .start_ns = BEGIN + (uint64_t)llround(start * 1e9),
                                    .duration_ns = (uint64_t)llround(duration * 1e9)};
}

static void add(struct sequences *sequences, uint64_t now, struct sequence_record record)
{
    sequences_add(sequences, &record, now);
}

static void check_latency(const struct sequences *sequences, uint32_t from, uint32_t to,
                          double seconds, unsigned across, unsigned negative)
{
    const struct sequence_latency *latency = sequences_latency(sequences, from, to);
    assert_non_null(latency);
    assert_int_equal(latency->latency.count, 1);
    if (!near(latency->latency.mean, seconds))
        fail_msg("%u to %u: %.17g, not %.17g", from, to, latency->latency.mean, seconds);
    assert_int_equal(latency->across, across);
    assert_int_equal(latency->negative, negative);
    assert_int_equal(latency->negative_across, negative && across);
}

static void check_totals(const struct sequences *sequences, unsigned complete, unsigned failed,
                         unsigned lost, unsigned waiting)
{
    const struct sequence_totals *totals = sequences_totals(sequences);
    size_t records;
    assert_int_equal(totals->complete, complete);
    assert_int_equal(totals->failed, failed);
    assert_int_equal(totals->lost, lost);
    assert_int_equal(sequences_waiting(sequences, &records), waiting);
    assert_true(records >= waiting);
}

/* 0 s TAKE 1 s, 0.5 s later COOK 3 s on another node, 0.25 s later SERVE 1 s on the first one. */
static const struct {
    uint32_t node, step;
    double start, duration;
} dinner[] = {{1, TAKE, 0, 1}, {2, COOK, 1.5, 3}, {1, SERVE, 4.75, 1}};

static void records_are_put_in_order_whenever_they_come(void **state)
{
    (void)state;
    static const unsigned orders[][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                         {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (size_t order = 0; order < N_OF(orders); order++) {
        struct sequences *sequences = make(100);
        for (unsigned i = 0; i < 3; i++) {
            unsigned which = orders[order][i];
            add(sequences, i * S,
                record(dinner[which].node, dinner[which].step, 4711, dinner[which].start,
                       dinner[which].duration));
        }
        sequences_settle(sequences, 2 * S + SETTLE - 1);
        check_totals(sequences, 0, 0, 0, 1);
        assert_null(sequences_latencies(sequences));
        sequences_settle(sequences, 2 * S + SETTLE);
        check_totals(sequences, 1, 0, 0, 0);
        check_latency(sequences, TAKE, COOK, 0.5, 1, 0);
        check_latency(sequences, COOK, SERVE, 0.25, 1, 0);
        assert_int_equal(HASH_COUNT(sequences_latencies(sequences)), 2);
        assert_true(near(sequences_totals(sequences)->whole.mean, 5.75));
        sequences_free(sequences);
    }
}

/* The clock of the node that cooks is 10 s behind. Where the order of the steps is known, this
 * makes negative latencies; where it is not, COOK seems to come first. Nothing is made 0. */
static void clocks_that_differ_make_negative_latencies(void **state)
{
    (void)state;
    for (unsigned has_places = 0; has_places <= 1; has_places++) {
        struct sequences *sequences = make(100);
        for (unsigned i = 0; i < 2; i++) {
            struct sequence_record one = record(dinner[i].node, dinner[i].step, 1,
                                                dinner[i].start + 20 - 10 * i, dinner[i].duration);
            one.place = has_places ? i : 0;
            add(sequences, 0, one);
        }
        sequences_settle(sequences, SETTLE);
        check_totals(sequences, 1, 0, 0, 0);
        if (has_places)
            check_latency(sequences, TAKE, COOK, -9.5, 1, 1);
        else
            check_latency(sequences, COOK, TAKE, 5.5, 1, 0);
        assert_true(near(sequences_totals(sequences)->whole.mean, has_places ? -5.5 : 9.5));
        assert_int_equal(sequences_totals(sequences)->negative, has_places);
        sequences_free(sequences);
    }
}

/* One step within another, on one node: the inner begins before the outer has ended. */
static void steps_that_overlap_make_them_as_well(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    add(sequences, 0, record(1, COOK, 1, 1, 2));
    add(sequences, 0, record(1, TAKE, 1, 0, 10));
    sequences_settle(sequences, SETTLE);
    check_latency(sequences, TAKE, COOK, -9, 0, 1);
    assert_true(near(sequences_totals(sequences)->whole.mean, 10));
    assert_int_equal(sequences_totals(sequences)->negative, 0);
    sequences_free(sequences);
}

/* One step begins where the other ends, and all of it takes no time: that is not below 0. */
static void none_between_them_is_not_negative(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    add(sequences, 0, record(1, TAKE, 1, 0, 0));
    add(sequences, 0, record(2, COOK, 1, 0, 0));
    sequences_settle(sequences, SETTLE);
    check_latency(sequences, TAKE, COOK, 0, 1, 0);
    assert_int_equal(sequences_totals(sequences)->whole.count, 1);
    assert_int_equal(sequences_totals(sequences)->negative, 0);
    sequences_free(sequences);
}

/* Steps at the same time are in the order of their numbers, whenever they come, and so are nodes.
 */
static void the_order_is_always_the_same(void **state)
{
    (void)state;
    static const uint32_t steps[][2] = {{COOK, TAKE}, {TAKE, COOK}};
    static const uint32_t nodes[][3] = {{1, 1, 2}, {1, 2, 1}, {2, 1, 1}};
    struct sequences *sequences = make(100);
    for (uint64_t i = 0; i < 2; i++)
        for (unsigned which = 0; which < 2; which++)
            add(sequences, 0, record(1, steps[i][which], i + 1, 0, 1));
    for (uint64_t i = 0; i < 3; i++)
        for (unsigned which = 0; which < 3; which++)
            add(sequences, 0, record(nodes[i][which], SERVE, i + 3, 0, 1));
    sequences_settle(sequences, SETTLE);
    assert_int_equal(sequences_latency(sequences, TAKE, COOK)->latency.count, 2);
    assert_null(sequences_latency(sequences, COOK, TAKE));
    assert_int_equal(sequences_latency(sequences, SERVE, SERVE)->latency.count, 6);
    assert_int_equal(sequences_latency(sequences, SERVE, SERVE)->across, 3);
    sequences_free(sequences);
}

/* Two at the last place: the sequence ends with the later one. */
static void the_last_end_is_the_end(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    const double durations[] = {1, 7, 2};
    for (unsigned i = 0; i < 3; i++) {
        struct sequence_record one = record(i, i, 1, i, durations[i]);
        one.place = i > 0;
        add(sequences, 0, one);
    }
    sequences_settle(sequences, SETTLE);
    assert_true(near(sequences_totals(sequences)->whole.mean, 8));
    sequences_free(sequences);
}

static void what_comes_late_is_another_sequence(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    add(sequences, 0, record(1, TAKE, 1, 0, 1));
    sequences_settle(sequences, SETTLE);
    add(sequences, SETTLE + 1, record(1, COOK, 1, 2, 1));
    sequences_settle(sequences, 3 * SETTLE);
    check_totals(sequences, 2, 0, 0, 0);
    assert_null(sequences_latencies(sequences));
    assert_true(near(sequences_totals(sequences)->whole.mean, 1));
    sequences_free(sequences);
}

static void a_sequence_fails_with_one_of_its_steps(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    for (uint64_t sequence = 1; sequence <= 3; sequence++)
        for (unsigned step = 0; step < 3; step++) {
            struct sequence_record one = record(1, step, sequence, step, 1);
            one.result = sequence == 2 ? -1 : sequence == 3 && step == 2;
            add(sequences, 0, one);
        }
    sequences_settle(sequences, SETTLE);
    check_totals(sequences, 3, 2, 0, 0);
    const unsigned failed[] = {1, 1, 2};
    const struct sequence_step *step = sequences_steps(sequences);
    for (unsigned i = 0; i < 3; i++, step = step->hh.next) {
        assert_int_equal(step->step, i);
        assert_int_equal(step->failed, failed[i]);
        assert_int_equal(step->runtime.count, 3);
        assert_true(near(step->runtime.mean, 1));
    }
    assert_null(step);
    sequences_free(sequences);
}

static void number_0_is_no_sequence(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    for (unsigned i = 0; i < 1000; i++)
        add(sequences, 0, record(1, TAKE, 0, i, 1));
    sequences_settle(sequences, SETTLE);
    check_totals(sequences, 0, 0, 0, 0);
    assert_int_equal(sequences_steps(sequences)->runtime.count, 1000);
    sequences_free(sequences);
}

static void anything_may_be_said_of_time(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 1, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
    struct sequences *sequences = make(100);
    uint64_t sequence = 0;
    for (unsigned i = 0; i < 625; i++) {
        struct sequence_record one = {.step = TAKE,
                                      .sequence = ++sequence,
                                      .start_ns = numbers[i % 5],
                                      .duration_ns = numbers[i / 5 % 5]};
        add(sequences, 0, one);
        one.start_ns = numbers[i / 25 % 5];
        one.duration_ns = numbers[i / 125];
        one.place = i % 2;
        add(sequences, 0, one);
        sequences_settle(sequences, SETTLE);
    }
    check_totals(sequences, 625, 0, 0, 0);
    const struct sequence_totals *totals = sequences_totals(sequences);
    assert_int_equal(totals->left_out, 0);
    assert_true(isfinite(totals->whole.min) && isfinite(totals->whole.max));
    assert_true(totals->negative > 0);
    sequences_free(sequences);
}

/* -- Bounds ------------------------------------------------------------------------------------ */

static void there_is_room_for_more_than_one_sequence(void **state)
{
    (void)state;
    const struct sequence_bounds bounds = {.records = SEQUENCE_RECORDS_MAX, .settle_ns = 1};
    assert_null(sequences_new(&bounds));
    sequences_free(NULL);
}

#define ROOM (SEQUENCE_RECORDS_MAX + 6)

/* The oldest is the one that nothing was heard of for the longest time. */
static void the_oldest_go(void **state)
{
    (void)state;
    struct sequences *sequences = make(ROOM);
    for (uint64_t sequence = 1; sequence <= ROOM; sequence++)
        add(sequences, sequence, record(1, TAKE, sequence, 0, 1));
    check_totals(sequences, 0, 0, 0, ROOM);
    add(sequences, ROOM + 1, record(1, COOK, 1, 2, 1)); /* 2 has to go for it */
    check_totals(sequences, 0, 0, 1, ROOM - 1);
    for (uint64_t sequence = ROOM + 1; sequence <= 2 * ROOM - 2; sequence++)
        add(sequences, sequence + 1, record(1, SERVE, sequence, 0, 1));
    check_totals(sequences, 0, 0, ROOM - 1, ROOM - 1);
    sequences_settle(sequences, 10 * SETTLE);
    check_totals(sequences, ROOM - 1, 0, ROOM - 1, 0);
    check_latency(sequences, TAKE, COOK, 1, 0, 0); /* 1 is still there */
    const struct sequence_totals *totals = sequences_totals(sequences);
    assert_int_equal(totals->whole.count, ROOM - 1);
    sequences_free(sequences);
}

static void one_that_is_too_long_is_lost(void **state)
{
    (void)state;
    struct sequences *sequences = make(ROOM);
    size_t records;
    for (unsigned i = 0; i < SEQUENCE_RECORDS_MAX; i++)
        add(sequences, 0, record(1, TAKE, 1, i, 1));
    check_totals(sequences, 0, 0, 0, 1);
    for (unsigned i = 0; i < 1000; i++) {
        add(sequences, i, record(1, TAKE, 1, 99, 1));
        check_totals(sequences, 0, 0, 1, 1);
        sequences_waiting(sequences, &records);
        assert_int_equal(records, 1);
    }
    sequences_settle(sequences, SETTLE);
    check_totals(sequences, 0, 0, 1, 1);
    sequences_settle(sequences, 999 + SETTLE);
    check_totals(sequences, 0, 0, 1, 0);
    assert_null(sequences_latencies(sequences));
    for (unsigned i = 0; i < SEQUENCE_RECORDS_MAX; i++)
        add(sequences, 0, record(1, TAKE, 1, 2 * i, 1));
    sequences_settle(sequences, SETTLE);
    check_totals(sequences, 1, 0, 1, 0);
    assert_int_equal(sequences_latency(sequences, TAKE, TAKE)->latency.count,
                     SEQUENCE_RECORDS_MAX - 1);
    sequences_free(sequences);
}

static void steps_and_latencies_have_a_bound(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    for (uint32_t step = 0; step < SEQUENCE_STEPS_MAX + 9; step++)
        add(sequences, 0, record(1, step, 0, 0, 1));
    assert_int_equal(HASH_COUNT(sequences_steps(sequences)), SEQUENCE_STEPS_MAX);
    assert_int_equal(sequences_totals(sequences)->left_out, 9);
    sequences_begin(sequences);
    uint64_t sequence = 0;
    for (uint32_t from = 0; from < 32; from++)
        for (uint32_t to = 0; to < 17; to++) {
            add(sequences, 0, record(1, from, ++sequence, 0, 1));
            add(sequences, 0, record(1, 100 + to, sequence, 1, 1));
            sequences_settle(sequences, SETTLE);
        }
    check_totals(sequences, 32 * 17, 0, 0, 0);
    assert_int_equal(HASH_COUNT(sequences_latencies(sequences)), SEQUENCE_LATENCIES_MAX);
    assert_int_equal(sequences_totals(sequences)->left_out, 32 * 17 - SEQUENCE_LATENCIES_MAX);
    sequences_free(sequences);
}

static void figures_begin_anew_and_what_waits_stays(void **state)
{
    (void)state;
    struct sequences *sequences = make(100);
    add(sequences, 0, record(1, TAKE, 1, 0, 1));
    add(sequences, 0, record(1, COOK, 1, 2, 1));
    sequences_settle(sequences, SETTLE);
    add(sequences, SETTLE, record(1, TAKE, 2, 0, 1));
    sequences_begin(sequences);
    check_totals(sequences, 0, 0, 0, 1);
    assert_null(sequences_steps(sequences));
    assert_null(sequences_latencies(sequences));
    add(sequences, SETTLE, record(1, COOK, 2, 3, 1));
    sequences_settle(sequences, 2 * SETTLE);
    check_totals(sequences, 1, 0, 0, 0);
    check_latency(sequences, TAKE, COOK, 2, 0, 0);
    sequences_free(sequences);
}

/* -- Anything ---------------------------------------------------------------------------------- */

/* Many sequences at once, in any order, with little room and with much: each is complete or lost in
 * the end, and never are there more records than was said. */
static void each_is_complete_or_lost(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t random = seed, now = 0, begun = 0;
        size_t room = seed % 2 ? 2000 : 100, records;
        struct sequences *sequences = make(room);
        for (unsigned i = 0; i < 20000; i++) {
            now += (uint64_t)(uniform(&random) * 0.2 * (double)S);
            uint64_t sequence = i / 10 + (uint64_t)(uniform(&random) * 100) + 1;
            size_t before = sequences_waiting(sequences, &records);
            uint64_t lost = sequences_totals(sequences)->lost;
            add(sequences, now,
                record(i % 3, i % 7, sequence, 100 * uniform(&random), uniform(&random)));
            size_t after = sequences_waiting(sequences, &records);
            begun += after + (sequences_totals(sequences)->lost - lost) - before;
            assert_true(records <= room && after <= records);
            sequences_settle(sequences, now);
        }
        sequences_settle(sequences, now + SETTLE);
        const struct sequence_totals *totals = sequences_totals(sequences);
        assert_int_equal(totals->complete + totals->lost, begun);
        assert_int_equal(totals->complete, totals->whole.count);
        assert_true((totals->lost > 0) == (room == 100));
        assert_int_equal(totals->left_out, 0);
        assert_int_equal(sequences_waiting(sequences, &records), 0);
        assert_int_equal(records, 0);
        sequences_free(sequences);
    }
}

/* Without memory at one place: what is missing is told. */
static void what_memory_fails_for_is_told(void **state)
{
    (void)state;
    bool failed = true;
    size_t nth = 1;
    for (; failed; nth++) {
        struct sequences *sequences = make(100);
        scarce_fail(nth);
        for (uint64_t sequence = 1; sequence <= 20; sequence++)
            for (unsigned step = 0; step < 3; step++)
                add(sequences, 0, record(1, step, sequence, pow(3, step) * (double)sequence, 1));
        sequences_settle(sequences, SETTLE);
        failed = scarce_stop();
        const struct sequence_totals *totals = sequences_totals(sequences);
        const struct sequence_step *step = sequences_steps(sequences);
        uint64_t told = totals->left_out + totals->whole.count;
        for (; step; step = step->hh.next)
            told += step->runtime.count;
        const struct sequence_latency *latency = sequences_latencies(sequences);
        for (; latency; latency = latency->hh.next)
            told += latency->latency.count;
        /* A sequence that is lost at its first record begins with the next one. */
        assert_true(totals->lost <= 1 && totals->complete == 20);
        assert_int_equal(told, 60 + 20 + 40 - totals->lost);
        assert_true(failed == (totals->left_out + totals->lost > 0));
        sequences_free(sequences);
    }
    assert_true(nth > 10);
}

static void without_memory_there_are_none(void **state)
{
    (void)state;
    const struct sequence_bounds bounds = {.records = 100, .settle_ns = 1};
    for (size_t nth = 1; nth <= 2; nth++) {
        scarce_fail(nth);
        assert_null(sequences_new(&bounds));
        assert_true(scarce_stop());
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_what_one_computes_by_hand),
        cmocka_unit_test(figures_that_are_not_known_are_no_numbers),
        cmocka_unit_test(records_are_put_in_order_whenever_they_come),
        cmocka_unit_test(clocks_that_differ_make_negative_latencies),
        cmocka_unit_test(steps_that_overlap_make_them_as_well),
        cmocka_unit_test(none_between_them_is_not_negative),
        cmocka_unit_test(the_order_is_always_the_same),
        cmocka_unit_test(the_last_end_is_the_end),
        cmocka_unit_test(what_comes_late_is_another_sequence),
        cmocka_unit_test(a_sequence_fails_with_one_of_its_steps),
        cmocka_unit_test(number_0_is_no_sequence),
        cmocka_unit_test(anything_may_be_said_of_time),
        cmocka_unit_test(there_is_room_for_more_than_one_sequence),
        cmocka_unit_test(the_oldest_go),
        cmocka_unit_test(one_that_is_too_long_is_lost),
        cmocka_unit_test(steps_and_latencies_have_a_bound),
        cmocka_unit_test(figures_begin_anew_and_what_waits_stays),
        cmocka_unit_test(each_is_complete_or_lost),
        cmocka_unit_test(what_memory_fails_for_is_told),
        cmocka_unit_test(without_memory_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
