/* Children, when some allocation fails while they are set up, while an answer with blocks is taken,
 * and while its series are named: nothing is lost for good, and what comes next is taken. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polled.h"
#include "scarce.h"
#include "switch.h"

#define SERIES 40

/* Values of more series than the first room holds. */
static void fill(struct report_ring *ring, double value)
{
    for (uint32_t number = 1; number <= SERIES; number++)
        ring_value(ring, number, value);
}

static void name_all(struct polled *polled, const struct child *child)
{
    char instance[16];
    for (uint32_t number = 1; number <= SERIES; number++) {
        snprintf(instance, sizeof instance, "i%u", number);
        polled_name(polled, child, number, "load", instance);
    }
}

/* All are there, with that value. */
static void assert_all(struct polled *polled, double value, size_t nth)
{
    char instance[16];
    for (uint32_t number = 1; number <= SERIES; number++) {
        snprintf(instance, sizeof instance, "i%u", number);
        const struct child_series *series = series_at(polled, "leaf", "load", instance);
        if (!series)
            fail_msg("allocation %zu: series %u is not there", nth, number);
        if (series->state != RESULT_VALID || series->value != value)
            fail_msg("allocation %zu: series %u has %g, not %g", nth, number, series->value, value);
    }
}

/* One round with the nth allocation failing, then one with memory. Whether any failed. */
static bool two_rounds(size_t nth)
{
    struct polled *polled = polled_new();
    struct report_ring *ring = ring_new(7);
    polled_row(polled, "leaf");
    fill(ring, 1.5);
    struct answer *answer = NULL;
    size_t n;
    scarce_fail(nth);
    polled_sync(polled);
    bool failed = scarce_stop();
    polled_sync(polled); /* as the next SET or reload does */
    struct child *child = children_find(&polled->children, "leaf");
    if (!child)
        fail_msg("allocation %zu: the child is not there", nth);
    answer = answer_of_ring(child, 7, ring, 1);
    size_t rest = nth > scarce_count() ? nth - scarce_count() : SIZE_MAX;
    scarce_fail(failed ? 0 : rest);
    children_message(&polled->children, &answer->head.head, polled->now);
    name_all(polled, child);
    failed |= scarce_stop();
    free(answer);
    uint32_t next = ring->last + 1;
    fill(ring, 2.5);
    polled_wait(polled, 1000);
    const struct message_move *move = polled_sent(polled, MESSAGE_MOVE, &n);
    polled_answer(polled, child, 7, ring, move && move->again ? 1 : next);
    name_all(polled, child);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_all(polled, 2.5, nth);
    ring_free(ring);
    polled_free(polled);
    return failed;
}

static void set_keys(struct polled *polled, const char *key)
{
    static const char *const names[] = {"engine", "auth-key", "priv-key"};
    struct row *row = config_find(polled->config, ROW_CHILD, "leaf");
    for (size_t i = 0; i < N_OF(names); i++)
        assert_int_equal(field_set_text(row, row_field(ROW_CHILD, names[i]),
                                        i == 0 ? "80001f8804" : key, i == 0 ? 10 : strlen(key)),
                         FIELD_OK);
    config_touch(polled->config);
}

/* Keys for a new child, and other ones for it: those of before or those of now, and in the end
 * those of now. */
static void keys_are_old_or_new(void **state)
{
    (void)state;
    bool failed = true;
    size_t nth = 1;
    for (; failed; nth++) {
        struct polled *polled = polled_new();
        polled_row(polled, "leaf");
        set_keys(polled, "01");
        scarce_fail(nth);
        polled_sync(polled);
        scarce_stop();
        struct child *child = children_find(&polled->children, "leaf");
        assert_true(!child || child->keys->auth[0] == 1);
        polled_sync(polled);
        set_keys(polled, "02");
        scarce_go_on();
        polled_sync(polled);
        failed = scarce_stop();
        child = children_find(&polled->children, "leaf");
        assert_true(child->keys->auth[0] == 1 || child->keys->auth[0] == 2);
        polled_sync(polled);
        assert_int_equal(child->keys->auth[0], 2);
        polled_free(polled);
    }
    assert_true(nth > 3);
}

static void the_next_answer_is_taken(void **state)
{
    (void)state;
    size_t nth = 1;
    while (two_rounds(nth))
        nth++;
    assert_true(nth > SERIES);
}

/* -- Blocks ---------------------------------------------------------------------------------- */

#define WINDOWS 4
#define ALARMS 8

/* A child that tells everything once. */
struct leaf {
    struct report_ring *ring;
    struct feed feed;
    struct feed_item alarms[ALARMS];
    uint32_t from; /* the next block that its poller asks for */
};

static void describe(const struct feed_item *item, struct report_alarm *alarm)
{
    (void)item;
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        alarm->text[i].at = "leaf:busy:total";
        alarm->text[i].len = i == REPORT_ALARM_PATH ? 0 : strlen(alarm->text[i].at);
    }
    alarm->index = 1;
    alarm->since_ms = 1700000000000;
}

static void leaf_open(struct leaf *leaf)
{
    *leaf = (struct leaf){.ring = ring_new(7), .from = 1};
    fill(leaf->ring, 1.5);
    for (uint32_t number = 1; number <= WINDOWS; number++)
        ring_window(leaf->ring, number, 1.5);
    feed_open(&leaf->feed);
    leaf->feed.complete = true;
    for (uint32_t i = 0; i < ALARMS; i++)
        feed_add(&leaf->feed, &leaf->alarms[i], i + 1, SEVERITY_WARNING, describe);
    feed_write(&leaf->feed, leaf->ring, 1700000000000);
    assert_int_equal(report_flush(leaf->ring), 0);
}

static void leaf_close(struct leaf *leaf)
{
    feed_close(&leaf->feed);
    ring_free(leaf->ring);
}

static void hear(struct polled *polled, const struct message *message)
{
    scarce_go_on();
    children_message(&polled->children, message, polled->now);
    scarce_stop();
}

static void answer_look_up(struct polled *polled, const struct child *child,
                           const struct message_look_up *ask)
{
    char instance[16];
    for (uint32_t i = 0; i < ask->n; i++) {
        snprintf(instance, sizeof instance, "i%u", ask->series[i]);
        const struct message_series series = series_of(child, ask->series[i], "load", instance);
        hear(polled, &series.head);
    }
}

/* As its poller does: what it has not brought yet, or from the oldest on, as it was told; then the
 * names that are asked for. */
static void poll_leaf(struct polled *polled, const struct child *child, struct leaf *leaf)
{
    size_t n;
    const struct message_move *move = polled_sent(polled, MESSAGE_MOVE, &n);
    if (move && move->again)
        leaf->from = 1;
    polled_forget_sent(polled);
    struct answer *answer = answer_of_ring(child, 7, leaf->ring, leaf->from);
    answer->head.first = 1;
    leaf->from = leaf->ring->last + 1;
    answer->head.last = leaf->ring->last;
    hear(polled, &answer->head.head);
    free(answer);
    const struct message_look_up *ask = polled_sent(polled, MESSAGE_LOOK_UP, &n);
    if (ask)
        answer_look_up(polled, child, ask);
}

/* What the child costs in the end. */
static size_t told_once(size_t nth, bool *failed)
{
    struct polled *polled = polled_new();
    struct leaf leaf;
    leaf_open(&leaf);
    polled_row(polled, "leaf");
    polled_sync(polled);
    const struct child *child = children_find(&polled->children, "leaf");
    scarce_fail(nth);
    scarce_stop();
    for (int i = 0; i < 8; i++) {
        poll_leaf(polled, child, &leaf);
        polled_wait(polled, 20000);
    }
    *failed = scarce_stop();
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_all(polled, 1.5, nth);
    for (uint32_t number = 1; number <= WINDOWS; number++)
        if (!child_series_window(child_series_at(child, number)))
            fail_msg("allocation %zu: the window of series %u is not there", nth, number);
    if (polled->children.below.count != ALARMS || !child->alarms.exact)
        fail_msg("allocation %zu: there are %zu of %d alarms", nth, polled->children.below.count,
                 ALARMS);
    size_t cost = child->cost.memory;
    leaf_close(&leaf);
    polled_free(polled);
    return cost;
}

/* With a filter, a child may not tell a value again for hours. */
static void nothing_that_is_told_once_is_lost(void **state)
{
    (void)state;
    bool failed;
    size_t whole = told_once(0, &failed), nth = 1, cost;
    for (failed = true; failed; nth++) {
        cost = told_once(nth, &failed);
        if (cost != whole)
            fail_msg("allocation %zu: it costs %zu, not %zu", nth, cost, whole);
    }
    assert_true(nth > 2 * SERIES + WINDOWS + ALARMS);
}

/* Counts what is told of a watched series. */
struct listener {
    unsigned values, windows;
};

static void hear_value(void *context, struct series_ref series, bool window, struct moment now)
{
    struct listener *listener = context;
    (void)series;
    (void)now;
    ++*(window ? &listener->windows : &listener->values);
}

static void hear_begin(void *context, struct series_ref series, struct moment now)
{
    (void)context;
    (void)series;
    (void)now;
}

static void hear_end(void *context, struct series_ref series, const char *why, struct moment now)
{
    (void)context;
    (void)why;
    (void)now;
    *series.type->watches(series.series) = NULL;
}

static bool hear_hold(void *context, struct series_ref series)
{
    (void)context;
    (void)series;
    return false;
}

/* Of blocks that have room for all that is told in one of them. */
static struct report_ring *ring_of_large_blocks(void)
{
    struct report_ring *ring = calloc(1, sizeof *ring);
    assert_int_equal(report_open(ring, 7, 1000, 1200), 0);
    return ring;
}

/* One block, which has more behind what is watched. */
static void add_samples(struct report_ring *ring)
{
    static const struct result result = {.state = RESULT_VALID, .value = 2.5};
    const int64_t wall_ms = INT64_C(1700000000123);
    struct statistics_window window = {0};
    statistics_window_add(&window, 2.5);
    assert_int_equal(report_add(ring, 1, wall_ms, &result), 0);
    assert_int_equal(report_add_window(ring, 1, wall_ms, 1000, &window), 0);
    for (uint32_t number = 2; number <= SERIES; number++)
        assert_int_equal(report_add(ring, number, wall_ms, &result), 0);
    assert_int_equal(report_flush(ring), 0);
    statistics_window_release(&window);
}

/* Told once of the value and once of the window, however often the block is asked for. */
static bool told_of_one_sample(size_t nth)
{
    struct polled *polled = polled_new();
    struct report_ring *ring = ring_of_large_blocks();
    struct listener listener = {0, 0};
    const struct series_observer observer = {.begun = hear_begin,
                                             .valued = hear_value,
                                             .ended = hear_end,
                                             .holds = hear_hold,
                                             .context = &listener};
    polled->children.observer = &observer;
    struct child *child = reporting_child(polled, "leaf", ring);
    struct child_series *series = child_series_at(child, 1);
    series->watches = (struct watch *)&listener; /* which the observer alone looks into */
    listener = (struct listener){0, 0};
    uint32_t next = ring->last + 1;
    add_samples(ring);
    assert_int_equal(ring->last, next);
    struct answer *answer = answer_of_ring(child, 7, ring, next);
    scarce_fail(nth);
    children_message(&polled->children, &answer->head.head, polled->now);
    bool failed = scarce_stop();
    free(answer);
    polled_wait(polled, 1000);
    polled_answer(polled, child, 7, ring, 1);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_int_equal(child->contact.bad, 0);
    if (listener.values != 1 || listener.windows != 1)
        fail_msg("allocation %zu: told of %u values and %u windows", nth, listener.values,
                 listener.windows);
    series->watches = NULL;
    ring_free(ring);
    polled_free(polled);
    return failed;
}

static void a_sample_counts_once(void **state)
{
    (void)state;
    size_t nth = 1;
    while (told_of_one_sample(nth))
        nth++;
    assert_true(nth > SERIES);
}

/* -- Devices --------------------------------------------------------------------------------- */

/* The poller tells of an instance once for each generation. */
static void tell_switch(struct polled_switch *place, uint32_t *generation)
{
    char name[16];
    scarce_go_on();
    for (uint32_t i = 1; i <= SERIES && *generation != place->polled->generation; i++) {
        snprintf(name, sizeof name, "i%u", i);
        switch_says_instance(place, 0, i, name);
    }
    *generation = place->polled->generation;
    for (uint32_t i = 1; i <= SERIES; i++)
        switch_says(place, (struct sample){.series = i, .type = SAMPLE_UNSIGNED, .number = i});
    switch_sends(place, 1);
    scarce_stop();
    polled_wait(place->polled, 10000);
}

static size_t switch_with(size_t nth, bool *failed)
{
    struct polled_switch *place;
    uint32_t generation = 0;
    switch_setup((void **)&place);
    polled_set(switch_object(place->polled, "load", "1.3.6.1"), "window", "10s");
    scarce_fail(nth);
    switch_sync(place);
    scarce_stop();
    switch_sync(place); /* as the next SET or reload does */
    for (int i = 0; i < 6; i++)
        tell_switch(place, &generation);
    *failed = scarce_stop();
    assert_int_equal(place->child->contact.state, CHILD_UP);
    for (uint32_t i = 1; i <= SERIES; i++) {
        char name[16];
        snprintf(name, sizeof name, "i%u", i);
        const struct child_series *series = switch_series(place, "load", name);
        if (!series || series->state != RESULT_VALID || series->value != i)
            fail_msg("allocation %zu: series %u has no value", nth, i);
        if (!child_series_window(series))
            fail_msg("allocation %zu: series %u has no window", nth, i);
    }
    assert_int_equal(children_object(&place->polled->children, "load")->n_series, SERIES);
    size_t cost = place->child->cost.memory;
    switch_teardown((void **)&place);
    return cost;
}

static void a_device_is_known_whole(void **state)
{
    (void)state;
    bool failed;
    size_t whole = switch_with(0, &failed), nth = 1, cost;
    for (failed = true; failed; nth++) {
        cost = switch_with(nth, &failed);
        if (cost != whole)
            fail_msg("allocation %zu: it costs %zu, not %zu", nth, cost, whole);
    }
    assert_true(nth > 3 * SERIES);
}

/* -- Reasons --------------------------------------------------------------------------------- */

/* Without memory for the reason that is what is said, until there is another one or none. */
static void there_is_a_reason(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    assert_string_equal(child_error(child), "");
    scarce_fail(1);
    child_say_error(child, "a reason");
    assert_true(scarce_stop());
    assert_string_equal(child_error(child), "there is no memory for the reason");
    child_say_error(child, child_error(child));
    assert_string_equal(child_error(child), "there is no memory for the reason");
    child_say_error(child, "another one");
    assert_string_equal(child_error(child), "another one");
    child_say_nothing(child);
    assert_string_equal(child_error(child), "");
    scarce_fail(1);
    child_say_error(child, "a reason"); /* until the child ends */
    assert_true(scarce_stop());
}

/* Whom a child is behind changes, or stays until there is memory for it. */
static void behind_the_old_or_the_new(void **state)
{
    struct polled *polled = *state;
    struct row *row = polled_row(polled, "leaf");
    polled_set(row, "behind", "router");
    polled_sync(polled);
    const struct child *child = children_find(&polled->children, "leaf");
    assert_string_equal(child_behind_name(child), "router");
    polled_set(row, "behind", "switch");
    scarce_fail(1);
    assert_false(children_sync(&polled->children, polled->config, polled->now));
    assert_true(scarce_stop());
    assert_string_equal(child_behind_name(child), "router");
    polled_sync(polled);
    assert_string_equal(child_behind_name(child), "switch");
    polled_set(row, "behind", "");
    polled_sync(polled);
    assert_string_equal(child_behind_name(child), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_old_or_new),
        cmocka_unit_test(the_next_answer_is_taken),
        cmocka_unit_test(nothing_that_is_told_once_is_lost),
        cmocka_unit_test(a_sample_counts_once),
        cmocka_unit_test(a_device_is_known_whole),
        polled_test(there_is_a_reason),
        polled_test(behind_the_old_or_the_new),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
