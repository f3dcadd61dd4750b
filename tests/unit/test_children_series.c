/* What children report: numbers become names by the dictionary, blocks become values, and whatever
 * else comes harms nobody. */
#include <math.h>
#include <stdio.h>

#include "polled.h"

static const struct message_look_up *last_look_up(const struct polled *polled, size_t *n)
{
    return polled_sent(polled, MESSAGE_LOOK_UP, n);
}

static size_t look_ups(const struct polled *polled)
{
    size_t n;
    last_look_up(polled, &n);
    return n;
}

/* -- Values ---------------------------------------------------------------------------------- */

static void values(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    size_t n;
    struct child *child = polled_child(polled, "leaf");
    ring_value(ring, 1, 1.5);
    polled_answer(polled, child, 7, ring, 1);
    const struct message_look_up *asked = last_look_up(polled, &n);
    assert_int_equal(n, 1);
    assert_int_equal(asked->id, child->id);
    assert_int_equal(asked->n, 1);
    assert_int_equal(asked->series[0], 1);
    assert_int_equal(series_count(polled), 0);
    assert_int_equal(child->series.n_named, 0);
    assert_int_equal(child->cursor.next_block, 2);
    uint64_t membership = polled->children.membership;
    polled_name(polled, child, 1, "load", "total");
    const struct child_series *series = series_at(polled, "leaf", "load", "total");
    assert_non_null(series);
    assert_true(polled->children.membership > membership);
    assert_int_equal(child->series.n_named, 1);
    assert_string_equal(series->name->sensor, "load");
    assert_string_equal(series->name->instance, "total");
    assert_string_equal(series->name->unit, "tasks");
    assert_false(series->name->is_aggregate);
    /* The value that came before the name. */
    assert_int_equal(series->state, RESULT_VALID);
    assert_true(series->value == 1.5);
    assert_int_equal(series->wall_ms, INT64_C(1700000000123));
    assert_int_equal(series->heard_ns, polled->now.mono_ns);
    assert_true(child_series_live(series));
    assert_null(child_series_window(series));
    assert_null(child_series_totals(series));
    polled_wait(polled, 1000);
    ring_value(ring, 1, -2);
    polled_answer(polled, child, 7, ring, 2);
    assert_true(series->value == -2);
    assert_int_equal(series->heard_ns, polled->now.mono_ns);
    assert_int_equal(child->cursor.blocks, 2);
    assert_int_equal(look_ups(polled), 1);
    ring_free(ring);
}

static void states_of_values(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    const struct child_series *series = series_at(polled, "leaf", "load", "total");
    static const enum result_state states[] = {RESULT_GAP, RESULT_UNAVAILABLE, RESULT_VALID};
    for (size_t i = 0; i < N_OF(states); i++) {
        const struct result result = {.state = states[i], .value = states[i] == RESULT_VALID};
        report_add(ring, 1, INT64_C(1700000000123), &result);
        report_flush(ring);
        polled_answer(polled, child, 7, ring, child->cursor.next_block);
        assert_int_equal(series->state, states[i]);
        assert_int_equal(child_series_live(series), states[i] == RESULT_VALID);
    }
    polled_silent(polled, child, POLL_TIMEOUT, "");
    assert_true(child_series_live(series)); /* late */
    polled_silent(polled, child, POLL_TIMEOUT, "");
    polled_silent(polled, child, POLL_TIMEOUT, "");
    assert_false(child_series_live(series));
    assert_int_equal(series->state, RESULT_VALID);
    ring_free(ring);
}

/* Records of steps are neither values of their series nor about alarms; what is around them counts.
 */
static void records_are_no_values(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    const struct child_series *series = series_at(polled, "leaf", "load", "total");
    const struct report_record record = {.sequence = 4711, .duration_ns = 5};
    uint32_t known = child->series.numbers.n;
    for (uint32_t number = 0; number < 3; number++)
        assert_int_equal(report_add_record(ring, number, INT64_C(1700000000123), &record), 0);
    ring_value(ring, 1, 2.5);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    assert_true(series->value == 2.5);
    assert_int_equal(child->series.numbers.n, known);
    assert_int_equal(child->contact.bad, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    ring_free(ring);
}

/* What is fetched again counts once. */
static void blocks_that_come_again(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    ring_value(ring, 1, 2);
    polled_answer(polled, child, 7, ring, 1); /* 1 again, and 2 */
    assert_int_equal(child->cursor.blocks, 2);
    polled_answer(polled, child, 7, ring, 1);
    assert_int_equal(child->cursor.blocks, 2);
    assert_int_equal(child->cursor.next_block, 3);
    struct answer *answer = answer_new(child->id, 7);
    answer->head.lost = 5;
    answer_give(polled, answer);
    assert_int_equal(child->cursor.lost, 5);
    assert_int_equal(child->contact.state, CHILD_UP);
    ring_free(ring);
}

/* -- The dictionary -------------------------------------------------------------------------- */

/* 200 series: no more than one request at once, no more than 64 in one. */
static void many_are_asked_in_turn(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = polled_child(polled, "leaf");
    for (uint32_t i = 1; i <= 200; i++)
        ring_value(ring, i, i);
    for (uint32_t from = 1; from < 200; from += 50)
        polled_answer(polled, child, 7, ring, from);
    assert_int_equal(look_ups(polled), 1);
    size_t requests = 0, n;
    for (uint32_t left = 200; left > 0;) {
        const struct message_look_up ask = *last_look_up(polled, &n);
        assert_int_equal(n, ++requests);
        assert_int_equal(ask.n, left < 64 ? left : 64);
        for (uint32_t i = 0; i < ask.n; i++) {
            char instance[16];
            snprintf(instance, sizeof instance, "i%u", ask.series[i]);
            assert_int_equal(look_ups(polled), requests);
            polled_name(polled, child, ask.series[i], "many", instance);
        }
        left -= ask.n;
    }
    assert_int_equal(requests, 4);
    assert_int_equal(look_ups(polled), 4);
    assert_int_equal(child->series.n_named, 200);
    assert_int_equal(series_count(polled), 200);
    for (uint32_t i = 1; i <= 200; i++) {
        char instance[16];
        snprintf(instance, sizeof instance, "i%u", i);
        assert_true(series_at(polled, "leaf", "many", instance)->value == i);
    }
    ring_free(ring);
}

static void a_look_up_that_is_not_answered(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = polled_child(polled, "leaf");
    ring_value(ring, 1, 1);
    polled_answer(polled, child, 7, ring, 1);
    polled_wait(polled, 9999);
    ring_value(ring, 2, 1);
    polled_answer(polled, child, 7, ring, 2);
    assert_int_equal(look_ups(polled), 1);
    polled_wait(polled, 1);
    polled_answer(polled, child, 7, NULL, 0);
    size_t n;
    assert_int_equal(last_look_up(polled, &n)->n, 2);
    assert_int_equal(n, 2);
    /* Late answers count; those to the second request end it. */
    polled_name(polled, child, 1, "load", "total");
    polled_name(polled, child, 2, "load", "other");
    assert_int_equal(child->dictionary.n_asked, 0);
    assert_int_equal(child->series.n_named, 2);
    ring_free(ring);
}

static void lose_blocks(struct polled *polled, const struct child *child)
{
    struct answer *answer = answer_new(child->id, 7);
    answer->head.lost = 1;
    answer_give(polled, answer);
}

/* Where a block was lost, the dictionary is asked within a minute about what is not reported since.
 */
static void instances_that_are_gone(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    ring_value(ring, 2, 1);
    ring_value(ring, 3, 1);
    polled_answer(polled, child, 7, ring, 2);
    polled_name(polled, child, 2, "rx", "eth0");
    polled_name(polled, child, 3, "rx", "eth1");
    polled_wait(polled, 60000);
    polled_forget_sent(polled);
    lose_blocks(polled, child);
    polled_wait(polled, 30000);
    ring_value(ring, 1, 9);
    polled_answer(polled, child, 7, ring, 4);
    assert_int_equal(look_ups(polled), 0);
    polled_wait(polled, 30000);
    polled_answer(polled, child, 7, NULL, 0);
    size_t n;
    const struct message_look_up *ask = last_look_up(polled, &n);
    assert_int_equal(n, 1);
    assert_int_equal(ask->n, 2);
    assert_int_equal(ask->series[0] + ask->series[1], 2 + 3);
    uint64_t membership = polled->children.membership;
    polled_name(polled, child, 2, NULL, NULL);
    assert_true(polled->children.membership > membership);
    assert_null(series_at(polled, "leaf", "rx", "eth0"));
    polled_name(polled, child, 3, "rx", "eth1");
    assert_non_null(series_at(polled, "leaf", "rx", "eth1"));
    assert_int_equal(child->series.n_named, 2);
    polled_answer(polled, child, 7, NULL, 0);
    polled_wait(polled, 60000);
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(look_ups(polled), 1); /* it is confirmed */
    /* eth0 comes back, under another number. */
    ring_value(ring, 4, 5);
    polled_answer(polled, child, 7, ring, 5);
    polled_name(polled, child, 4, "rx", "eth0");
    assert_true(series_at(polled, "leaf", "rx", "eth0")->value == 5);
    /* And again before anybody noticed that it was gone. */
    ring_value(ring, 5, 6);
    polled_answer(polled, child, 7, ring, 6);
    polled_name(polled, child, 5, "rx", "eth0");
    assert_true(series_at(polled, "leaf", "rx", "eth0")->value == 6);
    assert_int_equal(child->series.n_named, 3);
    assert_int_equal(series_count(polled), 3);
    ring_free(ring);
}

/* Five polls and a minute, whichever is longer: a child that is polled once a minute is not asked
 * about what it reports every two minutes, even where blocks were lost; and what may have ended is
 * asked about at once. */
static void seldom_polled(void **state)
{
    static const struct result gone = {.state = RESULT_UNAVAILABLE};
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    const struct message_look_up *ask;
    size_t n;
    polled->now.mono_ns = NS_PER_S; /* the machine has just started */
    polled_set(polled_row(polled, "leaf"), "period", "60s");
    struct child *child = reporting_child(polled, "leaf", ring);
    ring_value(ring, 2, 1);
    polled_answer(polled, child, 7, ring, 2);
    polled_name(polled, child, 2, "rx", "eth0");
    polled_forget_sent(polled);
    report_add(ring, 1, INT64_C(1700000000123), &gone);
    report_flush(ring);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    ask = last_look_up(polled, &n);
    assert_int_equal(n, 1);
    assert_int_equal(ask->n, 1);
    assert_int_equal(ask->series[0], 1);
    polled_name(polled, child, 1, "load", "total");
    lose_blocks(polled, child);
    for (unsigned minute = 1; minute <= 60; minute++) {
        polled_wait(polled, 60000);
        ring_value(ring, 1, minute);
        if (minute % 2 == 0)
            ring_value(ring, 2, minute);
        polled_answer(polled, child, 7, ring, child->cursor.next_block);
        assert_int_equal(look_ups(polled), 1);
    }
    lose_blocks(polled, child);
    for (unsigned silent = 1; silent <= 20; silent++) {
        polled_wait(polled, 60000);
        ring_value(ring, 1, silent);
        polled_answer(polled, child, 7, ring, child->cursor.next_block);
        assert_int_equal(look_ups(polled), 1 + (silent >= 5));
        if (silent != 5)
            continue;
        ask = last_look_up(polled, &n);
        assert_int_equal(ask->n, 1);
        assert_int_equal(ask->series[0], 2);
        polled_name(polled, child, 2, "rx", "eth0");
    }
    polled_name(polled, child, 2, NULL, NULL);
    assert_null(series_at(polled, "leaf", "rx", "eth0"));
    ring_free(ring);
}

/* Silence is what a filter makes of what does not move: it costs one question in an hour or two,
 * and not all children are asked at the same time. */
static void silence_alone(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    unsigned due_s = (unsigned)(CHILD_CONFIRM_SILENT_S + child->id % CHILD_CONFIRM_SILENT_S), s;
    polled_forget_sent(polled);
    for (s = 1; look_ups(polled) == 0; s++) {
        polled_wait(polled, 1000);
        polled_answer(polled, child, 7, NULL, 0);
        assert_int_equal(look_ups(polled), s >= due_s);
    }
    polled_name(polled, child, 1, "load", "total");
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(look_ups(polled), 1);
    child->id += 1800; /* another child */
    polled_wait(polled, 1000 * due_s);
    assert_false(
        child_series_needs_look(series_at(polled, "leaf", "load", "total"), polled->now.mono_ns));
    polled_wait(polled, 1000 * 1800);
    assert_true(
        child_series_needs_look(series_at(polled, "leaf", "load", "total"), polled->now.mono_ns));
    child->id -= 1800;
    ring_free(ring);
}

/* A child whose blocks are lost all the time: nobody waits for the last one. */
static void losses_that_do_not_end(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    polled_forget_sent(polled);
    for (unsigned s = 0; s < 600; s++) {
        size_t before = look_ups(polled);
        lose_blocks(polled, child);
        if (look_ups(polled) > before)
            polled_name(polled, child, 1, "load", "total");
        assert_in_range(look_ups(polled), s / 61, s / 60);
        polled_wait(polled, 1000);
    }
    ring_free(ring);
}

/* A block that cannot be read may have told of an end. */
static void bad_blocks_are_losses(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    struct answer *answer = answer_new(child->id, 7);
    polled_forget_sent(polled);
    answer_add(answer, child->cursor.next_block, (const uint8_t *)"no block", 8);
    answer_give(polled, answer);
    polled_wait(polled, 59000);
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(look_ups(polled), 0);
    polled_wait(polled, 1000);
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(look_ups(polled), 1);
    ring_free(ring);
}

static void long_instances(void **state)
{
    struct polled *polled = *state;
    static const struct {
        const char *instance, *key;
    } cases[] = {
        {"a23456789012345678901234567890123456789012345678",
         "a23456789012345678901234567890123456789012345678"},
        {"ab3456789012345678901234567890123456789012345678x",
         "~3456789012345678901234567890123456789012345678x"},
        {"1234567890123456789012345678901234567890123456789012345678901234",
         "~89012345678901234567890123456789012345678901234"},
        {"\303\244;|\n", "\303\244;|\n"},
    };
    struct report_ring *ring = ring_new(7);
    struct child *child = polled_child(polled, "leaf");
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        ring_value(ring, i + 1, i);
        polled_answer(polled, child, 7, ring, i + 1);
        polled_name(polled, child, i + 1, "s", cases[i].instance);
        const struct child_series *series = series_at(polled, "leaf", "s", cases[i].key);
        assert_non_null(series);
        assert_string_equal(series->name->instance, cases[i].instance);
    }
    ring_free(ring);
}

/* -- Boots ----------------------------------------------------------------------------------- */

static void a_new_boot(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7), *second = ring_new(8);
    struct child *child = reporting_child(polled, "leaf", ring);
    ring_value(ring, 2, 1);
    ring_value(ring, 3, 1);
    polled_answer(polled, child, 7, ring, 2);
    polled_name(polled, child, 2, "gone", "total");
    polled_forget_sent(polled);
    assert_int_equal(child->series.n_named, 2);
    assert_int_equal(polled_sent(polled, MESSAGE_LOOK_UP, &(size_t){0}) != NULL, false);
    /* The numbers mean something else now: 1 is another sensor. */
    ring_value(second, 1, 10);
    ring_value(second, 2, 20);
    polled_answer(polled, child, 8, second, 1);
    assert_int_equal(child->cursor.boot, 8);
    assert_int_equal(child->cursor.next_block, 3);
    const struct child_series *load = series_at(polled, "leaf", "load", "total");
    assert_non_null(load); /* the row stays */
    assert_int_equal(load->state, RESULT_WAITING);
    assert_false(child_series_live(load));
    assert_int_equal(child->series.n_named, 2);
    polled_name(polled, child, 1, "other", "total");
    polled_name(polled, child, 2, "load", "total");
    load = series_at(polled, "leaf", "load", "total");
    assert_true(load->value == 20);
    assert_true(series_at(polled, "leaf", "other", "total")->value == 10);
    assert_non_null(series_at(polled, "leaf", "gone", "total"));
    polled_wait(polled, 60000);
    polled_answer(polled, child, 8, NULL, 0);
    assert_null(series_at(polled, "leaf", "gone", "total"));
    assert_int_equal(child->series.n_named, 2);
    assert_int_equal(series_count(polled), 2);
    ring_free(second);
    ring_free(ring);
}

/* Answers of the dictionary that were under way when the child began anew. */
static void names_of_another_boot(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(8);
    struct child *child = polled_child(polled, "leaf");
    ring_value(ring, 1, 1);
    polled_answer(polled, child, 8, ring, 1);
    struct message_series series = series_of(child, 1, "load", "total");
    series.report_boot = 7;
    children_message(&polled->children, &series.head, polled->now);
    assert_int_equal(child->series.n_named, 0);
    series.report_boot = 8;
    children_message(&polled->children, &series.head, polled->now);
    assert_int_equal(child->series.n_named, 1);
    ring_free(ring);
}

/* Boots one after the other, and one that is lower: a child that was restored. */
static void many_boots(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    static const uint32_t boots[] = {7, 8, 9, 3, 4, UINT32_MAX, 1};
    for (size_t i = 0; i < N_OF(boots); i++) {
        struct report_ring *ring = ring_new(boots[i]);
        ring_value(ring, 5, (double)i);
        ring_value(ring, 6, (double)i);
        polled_answer(polled, child, boots[i], ring, 1);
        polled_name(polled, child, 5, "load", "total"); /* 6 stays without a name */
        assert_true(series_at(polled, "leaf", "load", "total")->value == (double)i);
        assert_int_equal(child->series.n_named, 1);
        ring_free(ring);
    }
}

static void another_engine_is_another_node(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    struct answer *answer = answer_new(child->id, 7);
    answer->head.engine_id[4] = 99;
    answer_give(polled, answer);
    assert_int_equal(child->identity.engine_id[4], 99);
    assert_int_equal(child->cursor.next_block, 0);
    assert_int_equal(series_at(polled, "leaf", "load", "total")->state, RESULT_WAITING);
    answer = answer_new(child->id, 7);
    answer->head.engine_id_len = 1000; /* no answer of a poller, but no reason to fall over */
    answer_give(polled, answer);
    assert_int_equal(child->identity.engine_id_len, 0);
    ring_free(ring);
}

/* -- Windows --------------------------------------------------------------------------------- */

/* Every other value has a bucket of its own, far from the others. */
static void fill(struct statistics_window *window, int n)
{
    for (int i = 0; i < n; i++)
        assert_int_equal(statistics_window_add(window, (i % 2 ? -1 : 1) * exp(i * 0.1 - 20)), 0);
}

static void check_window(const struct statistics_window *seen, const struct statistics_window *as)
{
    assert_non_null(seen);
    assert_int_equal(seen->count, as->count);
    assert_true(seen->min == as->min && seen->max == as->max && seen->mean == as->mean);
    assert_true(histogram_equal(&seen->histogram, &as->histogram));
}

/* Many buckets do not fit into one block of 256 octets: the window is there with its last part. */
static void windows_in_parts(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    const struct child_series *series = series_at(polled, "leaf", "load", "total");
    struct statistics_window small = {0}, large = {0};
    fill(&small, 3);
    fill(&large, 500);
    assert_int_equal(report_add_window(ring, 1, 1700000010000, 10000, &small), 0);
    assert_int_equal(report_flush(ring), 0);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    check_window(child_series_window(series), &small);
    assert_null(child_series_totals(series));
    uint32_t first = ring->last + 1;
    assert_int_equal(report_add_window(ring, 1, 1700000020000, 10000, &large), 0);
    assert_int_equal(report_flush(ring), 0);
    assert_true(ring->last > first + 1);
    for (uint32_t i = first; i <= ring->last; i++) {
        const struct report_block *block = (struct report_block *)index_find(&ring->index, &i, 1);
        struct answer *answer = answer_new(child->id, 7);
        check_window(child_series_window(series), &small);
        answer_add(answer, i, block->bytes, block->len);
        answer_give(polled, answer);
    }
    check_window(child_series_window(series), &large);
    assert_true(series->value == 1.5); /* a window is no value */
    statistics_window_release(&small);
    statistics_window_release(&large);
    ring_free(ring);
}

/* One part is lost: what comes of the rest is left out, and the next window is good again. */
static void windows_with_a_hole(void **state)
{
    struct polled *polled = *state;
    struct statistics_window large = {0};
    fill(&large, 500);
    for (uint32_t hole = 0; hole < 3; hole++) {
        struct report_ring *ring = ring_new(7);
        char name[8];
        snprintf(name, sizeof name, "leaf%u", hole);
        struct child *child = reporting_child(polled, name, ring);
        const struct child_series *series = series_at(polled, name, "load", "total");
        assert_int_equal(report_add_window(ring, 1, 1700000010000, 10000, &large), 0);
        assert_int_equal(report_flush(ring), 0);
        uint32_t last = ring->last;
        for (uint32_t i = 2; i <= last; i++) {
            const struct report_block *block =
                (struct report_block *)index_find(&ring->index, &i, 1);
            struct answer *answer = answer_new(child->id, 7);
            if (i != 2 + hole)
                answer_add(answer, i, block->bytes, block->len);
            answer_give(polled, answer);
        }
        assert_null(child_series_window(series));
        assert_int_equal(report_add_window(ring, 1, 1700000020000, 10000, &large), 0);
        assert_int_equal(report_flush(ring), 0);
        polled_answer(polled, child, 7, ring, last + 1);
        check_window(child_series_window(series), &large);
        ring_free(ring);
    }
    statistics_window_release(&large);
}

static void aggregates_carry_totals(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = polled_child(polled, "leaf");
    struct statistics_window window = {0}, none = {0};
    fill(&window, 4);
    const double sum = window.mean * 4;
    const struct report_totals totals = {.sum = sum, .expected = 5, .oldest_ms = 700},
                               empty = {.sum = 0, .expected = 5};
    assert_int_equal(report_add_aggregate(ring, 1, 1700000010000, 5000, &window, &totals), 0);
    assert_int_equal(report_flush(ring), 0);
    polled_answer(polled, child, 7, ring, 1);
    struct message_series name = series_of(child, 1, "all", "all");
    snprintf(name.metric, sizeof name.metric, SERIES_AGGREGATE);
    children_message(&polled->children, &name.head, polled->now);
    const struct child_series *series = series_at(polled, "leaf", "all", "all");
    assert_true(series->name->is_aggregate);
    check_window(child_series_window(series), &window);
    assert_true(child_series_totals(series)->sum == sum);
    assert_int_equal(child_series_totals(series)->expected, 5);
    assert_int_equal(child_series_totals(series)->oldest_ms, 700);
    assert_int_equal(report_add_aggregate(ring, 1, 1700000011000, 5000, &none, &empty), 0);
    assert_int_equal(report_flush(ring), 0);
    polled_answer(polled, child, 7, ring, 2);
    assert_null(child_series_window(series));
    assert_int_equal(child_series_totals(series)->expected, 5);
    statistics_window_release(&window);
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(values),
        polled_test(states_of_values),
        polled_test(records_are_no_values),
        polled_test(blocks_that_come_again),
        polled_test(many_are_asked_in_turn),
        polled_test(a_look_up_that_is_not_answered),
        polled_test(instances_that_are_gone),
        polled_test(seldom_polled),
        polled_test(silence_alone),
        polled_test(losses_that_do_not_end),
        polled_test(bad_blocks_are_losses),
        polled_test(long_instances),
        polled_test(a_new_boot),
        polled_test(names_of_another_boot),
        polled_test(many_boots),
        polled_test(another_engine_is_another_node),
        polled_test(windows_in_parts),
        polled_test(windows_with_a_hole),
        polled_test(aggregates_carry_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
