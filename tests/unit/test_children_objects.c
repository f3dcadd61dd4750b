/* What devices are polled for: which objects, when they change, and who is told. */
#include <stdio.h>

#include "switch.h"

/* -- What pollers are told ------------------------------------------------------------------- */

static const struct message_objects *given(struct polled_switch *place)
{
    size_t n;
    return polled_sent(place->polled, MESSAGE_OBJECTS, &n);
}

static size_t told(struct polled_switch *place, enum message_kind kind)
{
    size_t n;
    polled_sent(place->polled, kind, &n);
    return n;
}

static void objects_are_told(void **state)
{
    struct polled_switch *place = *state;
    size_t n;
    switch_object(place->polled, "scalar", "1.3.6.1");
    struct row *row = switch_object(place->polled, "column", ".1.3.6.2");
    polled_set(switch_object(place->polled, "other", "1.3.6.3"), "children", "router");
    polled_set(switch_object(place->polled, "group", "1.3.6.4"), "groups", "wan");
    switch_object(place->polled, "pause", "1.3.6.5")->status = ROW_NOT_IN_SERVICE;
    polled_set(row, "label", "1.3.6.2.7");
    polled_set(row, "instances", "eth*");
    polled_row(place->polled, "node"); /* a dCAMP node has none */
    switch_sync(place);
    assert_int_equal(told(place, MESSAGE_OBJECT), 4);
    assert_int_equal(told(place, MESSAGE_OBJECTS), 1);
    const struct message_object *first = NULL;
    for (size_t i = 0; i < place->polled->n_sent; i++)
        if (place->polled->sent[i]->kind == MESSAGE_OBJECT &&
            ((const struct message_object *)place->polled->sent[i])->n_label)
            first = (const void *)place->polled->sent[i];
    assert_non_null(first);
    assert_int_equal(first->n_oid, 4);
    assert_int_equal(first->n_label, 5);
    assert_int_equal(first->arcs[3], 2);
    assert_int_equal(first->arcs[8], 7);
    assert_string_equal(first->instances, "eth*");
    assert_false(first->is_scalar);
    assert_int_equal(given(place)->n, 2);
    assert_int_equal(given(place)->generation, 1);
    const struct message_child *child = polled_sent(place->polled, MESSAGE_CHILD, &n);
    assert_int_equal(n, 2);
    (void)child;
    /* Nothing has changed: nothing is told. */
    polled_forget_sent(place->polled);
    switch_sync(place);
    assert_int_equal(place->polled->n_sent, 0);
}

/* A changed object is another one; only who has it begins anew. */
static void objects_change(void **state)
{
    struct polled_switch *place = *state;
    struct row *row = switch_object(place->polled, "load", "1.3.6.1");
    struct row *other = switch_object(place->polled, "other", "1.3.6.2");
    switch_sync(place);
    uint32_t id = place->child->id, generation = place->polled->generation;
    switch_says_instance(place, 0, 1, "a");
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 5);
    assert_result(switch_series(place, "load", "a"), RESULT_VALID, 5);
    polled_forget_sent(place->polled);
    polled_set(other, "children", "none");
    switch_sync(place);
    assert_int_equal(place->child->id, id);
    assert_int_equal(place->child->contact.state, CHILD_UP);
    assert_int_equal(place->polled->generation, generation + 1);
    assert_int_equal(told(place, MESSAGE_DROP_OBJECT), 1);
    assert_int_equal(told(place, MESSAGE_OBJECT), 1);
    assert_int_equal(told(place, MESSAGE_CHILD), 0);
    assert_int_equal(given(place)->n, 1);
    assert_result(switch_series(place, "load", "a"), RESULT_WAITING, 0);
    /* What was said before does not count; what is said now does. */
    struct message_instance old = {.head = {.kind = MESSAGE_INSTANCE, .length = sizeof old},
                                   .id = id,
                                   .generation = generation,
                                   .series = 9,
                                   .exists = true,
                                   .instance = "old"};
    children_message(&place->polled->children, &old.head, place->polled->now);
    assert_null(switch_series(place, "load", "old"));
    switch_says_instance(place, 0, 1, "a");
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 6);
    assert_result(switch_series(place, "load", "a"), RESULT_VALID, 6);
    /* A filter is no other object. */
    polled_forget_sent(place->polled);
    struct row *filter = row_new(ROW_FILTER, "still");
    polled_set(filter, "deadband", "100");
    filter->status = ROW_ACTIVE;
    assert_true(config_add(place->polled->config, filter));
    polled_set(row, "filter", "still");
    switch_sync(place);
    assert_int_equal(place->polled->n_sent, 0);
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 7);
    assert_result(switch_series(place, "load", "a"), RESULT_VALID, 6);
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 107);
    assert_result(switch_series(place, "load", "a"), RESULT_VALID, 107);
    assert_int_equal(children_object(&place->polled->children, "load")->held, 1);
    config_remove(place->polled->config, row);
    row_free(row);
    switch_sync(place);
    assert_null(children_object(&place->polled->children, "load"));
    assert_int_equal(given(place)->n, 0);
}

/* The same words, whatever was in their place before. */
static void an_object_stays(void **state)
{
    struct polled_switch *place = *state;
    struct row *row = switch_object(place->polled, "load", "1.3.6.1");
    polled_set(row, "instances", "eth0");
    switch_sync(place);
    polled_forget_sent(place->polled);
    polled_set(row, "instances", "a-longer-name*");
    polled_set(row, "instances", "eth0");
    polled_set(row, "label", "1.3.6.1.4.1");
    polled_set(row, "label", "");
    switch_sync(place);
    assert_int_equal(place->polled->n_sent, 0);
    /* A filter that is not there any more, and a scale, are. */
    polled_set(row, "filter", "none");
    switch_sync(place);
    assert_int_equal(place->polled->n_sent, 0);
    polled_set(row, "scale", "2");
    switch_sync(place);
    assert_int_equal(told(place, MESSAGE_OBJECT), 1);
}

static bool everyone(void *context, uint32_t id)
{
    (void)context;
    (void)id;
    return true;
}

static bool nobody(void *context, uint32_t id)
{
    (void)context;
    (void)id;
    return false;
}

/* A poller that begins anew is told the objects before the devices; no other one is. */
static void resent(void **state)
{
    struct polled_switch *place = *state;
    switch_object(place->polled, "load", "1.3.6.1");
    switch_sync(place);
    switch_says_instance(place, 0, 1, "a");
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 5);
    uint32_t generation = place->polled->generation;
    polled_forget_sent(place->polled);
    children_resend(&place->polled->children, nobody, NULL, place->polled->now);
    assert_int_equal(place->polled->n_sent, 0);
    children_resend(&place->polled->children, everyone, NULL, place->polled->now);
    assert_int_equal(place->polled->n_sent, 3);
    assert_int_equal(place->polled->sent[0]->kind, MESSAGE_OBJECT);
    assert_int_equal(((const struct message_object *)place->polled->sent[0])->to, place->child->id);
    assert_int_equal(place->polled->sent[1]->kind, MESSAGE_CHILD);
    assert_true(((const struct message_child *)place->polled->sent[1])->is_device);
    assert_int_equal(place->polled->sent[2]->kind, MESSAGE_OBJECTS);
    assert_int_equal(given(place)->generation, generation + 1);
    switch_says_instance(place, 0, 1, "b");
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 5);
    assert_null(switch_series(place, "load", "a")); /* all that is there has been said */
    assert_result(switch_series(place, "load", "b"), RESULT_VALID, 5);
}

static void kinds_change(void **state)
{
    struct polled_switch *place = *state;
    switch_object(place->polled, "load", "1.3.6.1");
    switch_sync(place);
    uint32_t id = place->child->id;
    polled_set(config_find(place->polled->config, ROW_CHILD, "switch"), "kind", "dcamp");
    switch_sync(place);
    assert_int_not_equal(place->child->id, id);
    assert_null(place->child->device);
    /* What is of devices does not count of a node, and the other way round. */
    place->child->cursor.boot = place->polled->generation;
    switch_says_instance(place, 0, 1, "a");
    switch_says_fault(place, 0, 1, "f");
    switch_sends(place, 1);
    assert_int_equal(place->child->contact.polls, 0);
    assert_int_equal(series_count(place->polled), 0);
}

/* A poller or receiver that says of a device what only nodes can: nothing comes of it. */
static void not_of_devices(void **state)
{
    struct polled_switch *place = *state;
    struct children *children = &place->polled->children;
    struct moment now = place->polled->now;
    switch_one_object(place, "gauge", "basic");
    switch_polled(place, 1000, SAMPLE_UNSIGNED, 5);
    polled_forget_sent(place->polled);
    uint64_t polls = place->child->contact.polls;
    uint32_t generation = place->polled->generation;
    struct message_series entry = series_of(place->child, 1, NULL, NULL);
    struct message_pushed pushed = {
        .head = {.kind = MESSAGE_PUSHED, .length = sizeof pushed},
        .id = place->child->id,
        .engine_id = "ABCDE",
        .engine_id_len = 5,
        .report_boot = generation + 1,
        .block = {.sequence = 1},
    };
    children_message(children, &entry.head, now);
    children_message(children, &pushed.head, now);
    answer_give(place->polled, answer_new(place->child->id, generation + 1));
    assert_result(switch_series(place, "load", "a"), RESULT_VALID, 10);
    assert_int_equal(children->pushes.ahead, 0);
    assert_int_equal(place->child->contact.polls, polls);
    assert_memory_equal(place->child->identity.engine_id, "ABCDE", 5);
    assert_int_equal(place->polled->n_sent, 0);
}

/* What a poller is told of a device has no place in reports. */
static void no_cursor(void **state)
{
    struct polled_switch *place = *state;
    size_t n;
    switch_one_object(place, "gauge", "basic");
    children_resend(&place->polled->children, everyone, NULL, place->polled->now);
    const struct message_child *child = polled_sent(place->polled, MESSAGE_CHILD, &n);
    assert_true(child->is_device);
    assert_int_equal(child->report_boot, 0);
    assert_int_equal(child->next_block, 0);
}

static void too_many_objects(void **state)
{
    struct polled_switch *place = *state;
    char name[16];
    for (int i = 0; i < POLL_OBJECTS_MAX + 5; i++) {
        snprintf(name, sizeof name, "o%d", i);
        switch_object(place->polled, name, "1.3.6.1");
    }
    switch_sync(place);
    assert_int_equal(given(place)->n, POLL_OBJECTS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        switch_test(objects_are_told), switch_test(objects_change),   switch_test(an_object_stays),
        switch_test(resent),           switch_test(kinds_change),     switch_test(not_of_devices),
        switch_test(no_cursor),        switch_test(too_many_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
