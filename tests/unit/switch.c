#include "switch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

struct row *switch_object(struct polled *polled, const char *name, const char *oid)
{
    struct row *row = row_new(ROW_OBJECT, name);
    polled_set(row, "oid", oid);
    polled_set(row, "window", "none");
    row->status = ROW_ACTIVE;
    assert_true(config_add(polled->config, row));
    return row;
}

static struct child *find_child(struct polled_switch *place)
{
    return place->child = children_find(&place->polled->children, "switch");
}

int switch_setup(void **state)
{
    struct polled_switch *place = calloc(1, sizeof *place);
    place->polled = polled_new();
    place->boots = 1;
    struct row *row = polled_row(place->polled, "switch");
    polled_set(row, "kind", "snmp");
    polled_set(row, "group", "lan");
    *state = place;
    return 0;
}

int switch_teardown(void **state)
{
    struct polled_switch *place = *state;
    polled_free(place->polled);
    free(place);
    return 0;
}

void switch_sync(struct polled_switch *place)
{
    polled_sync(place->polled);
    find_child(place);
}

/* -- What a poller says ---------------------------------------------------------------------- */

void switch_says_instance(struct polled_switch *place, uint32_t object, uint32_t series,
                          const char *name)
{
    struct message_instance message = {
        .head = {.kind = MESSAGE_INSTANCE, .length = sizeof message},
        .id = place->child->id,
        .generation = place->polled->generation,
        .series = series,
        .object = object,
        .exists = name != NULL,
    };
    text_format(message.instance, sizeof message.instance, "%s", name ? name : "");
    children_message(&place->polled->children, &message.head, place->polled->now);
}

void switch_says_fault(struct polled_switch *place, uint32_t object, uint32_t cycle,
                       const char *text)
{
    struct message_fault message = {.head = {.kind = MESSAGE_FAULT, .length = sizeof message},
                                    .id = place->child->id,
                                    .generation = place->polled->generation,
                                    .object = object,
                                    .cycle = cycle};
    text_format(message.text, sizeof message.text, "%s", text);
    children_message(&place->polled->children, &message.head, place->polled->now);
}

void switch_says(struct polled_switch *place, struct sample sample)
{
    place->samples.message.samples[place->samples.message.n++] = sample;
}

void switch_sends(struct polled_switch *place, uint32_t cycle)
{
    struct message_samples *message = &place->samples.message;
    message->head = (struct message){
        .kind = MESSAGE_SAMPLES,
        .length = (uint32_t)(sizeof *message + message->n * sizeof *message->samples)};
    message->id = place->child->id;
    message->generation = place->polled->generation;
    message->round_trip_us = 9;
    message->engine_id_len = 5;
    memcpy(message->engine_id, "ABCDE", 5);
    message->engine_boots = place->boots;
    message->has_up_time = place->has_up_time;
    message->up_time = place->up_time;
    message->is_last = message->is_all = true;
    message->cycle = cycle;
    message->arrived_ns = place->polled->now.mono_ns;
    children_message(&place->polled->children, &message->head, place->polled->now);
    memset(&place->samples, 0, sizeof place->samples);
}

void switch_polled(struct polled_switch *place, uint64_t ms, enum sample_type type, uint64_t number)
{
    polled_wait(place->polled, ms);
    switch_says(place, (struct sample){.series = 1, .type = type, .number = number});
    switch_sends(place, 1);
}

const struct child_series *switch_series(struct polled_switch *place, const char *sensor,
                                         const char *instance)
{
    uint32_t key[3 * INSTANCE_SIZE];
    size_t n = index_key_text(key, "switch");
    n += index_key_text(key + n, sensor);
    n += index_key_text(key + n, instance);
    return children_series_find(&place->polled->children, key, n);
}

void assert_result(const struct child_series *series, enum result_state state, double value)
{
    assert_non_null(series);
    if (series->state != state ||
        (state == RESULT_VALID && fabs(series->value - value) > 1e-9 * fabs(value)))
        fail_msg("state %d, value %.17g", series->state, series->value);
}

struct row *switch_one_object(struct polled_switch *place, const char *kind,
                              const char *calculation)
{
    struct row *row = switch_object(place->polled, "load", "1.3.6.1");
    polled_set(row, "kind", kind);
    polled_set(row, "calculation", calculation);
    polled_set(row, "unit", "B");
    polled_set(row, "scale", "2");
    switch_sync(place);
    switch_says_instance(place, 0, 1, "a");
    return row;
}
