#include "polled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static bool can_wait(const struct message *message)
{
    return message->kind == MESSAGE_CHILD || message->kind == MESSAGE_OBJECTS ||
           message->kind == MESSAGE_SENDER;
}

static bool polled_keep(void *context, uint32_t id, const struct message *message)
{
    struct polled *polled = context;
    assert_true(polled->n_sent < SENT_MAX);
    assert_int_equal(((const struct message_forget *)message)->id, id);
    if (can_wait(message) && polled->no_room)
        return false;
    if (can_wait(message) && polled->room > 0 && --polled->room == 0)
        polled->no_room = true;
    if (message->kind == MESSAGE_OBJECTS)
        polled->generation = ((const struct message_objects *)message)->generation;
    /* Of memory that never fails: see tests/unit/scarce.h. */
    polled->sent[polled->n_sent] = aligned_alloc(8, (message->length + 7) & ~7u);
    assert_non_null(polled->sent[polled->n_sent]);
    memcpy(polled->sent[polled->n_sent++], message, message->length);
    return true;
}

void polled_forget_sent(struct polled *polled)
{
    while (polled->n_sent > 0)
        free(polled->sent[--polled->n_sent]);
}

const void *polled_sent(const struct polled *polled, enum message_kind kind, size_t *n)
{
    const void *last = NULL;
    *n = 0;
    for (size_t i = 0; i < polled->n_sent; i++)
        if (polled->sent[i]->kind == kind) {
            last = polled->sent[i];
            ++*n;
        }
    return last;
}

void polled_open(struct polled *polled)
{
    static const struct alarm_limits limits = {
        .log_size = 10000, .rate = 1000, .period_ms = 1000, .queue = 1000};
    polled->alarms = malloc(sizeof *polled->alarms);
    assert_non_null(polled->alarms);
    alarms_open(polled->alarms, &limits, polled->now.mono_ns);
    children_open(&polled->children, polled->alarms);
    polled->children.send = polled_keep;
    polled->children.context = polled;
}

struct polled *polled_new(void)
{
    struct polled *polled = calloc(1, sizeof *polled);
    assert_non_null(polled);
    polled->config = config_new();
    polled->now = (struct moment){.mono_ns = 1000 * NS_PER_S, .wall_ms = INT64_C(1700000000000)};
    polled_open(polled);
    return polled;
}

void polled_free(struct polled *polled)
{
    polled_forget_sent(polled);
    children_close(&polled->children);
    alarms_close(polled->alarms);
    free(polled->alarms);
    config_free(polled->config);
    free(polled);
}

void polled_wait(struct polled *polled, uint64_t ms)
{
    polled->now.mono_ns += ms * NS_PER_MS;
    polled->now.wall_ms += (int64_t)ms;
}

void polled_sync(struct polled *polled)
{
    children_sync(&polled->children, polled->config, polled->now);
}

void polled_set(struct row *row, const char *field, const char *text)
{
    assert_int_equal(field_set_text(row, row_field(row->kind, field), text, strlen(text)),
                     FIELD_OK);
    row->version++; /* as if it had been taken out of the configuration and added again */
}

struct row *polled_row(struct polled *polled, const char *name)
{
    struct row *row = row_new(ROW_CHILD, name);
    polled_set(row, "address", "udp:127.0.0.1:1161");
    polled_set(row, "credential", "lab");
    row->status = ROW_ACTIVE;
    assert_true(config_add(polled->config, row));
    return row;
}

struct child *polled_child(struct polled *polled, const char *name)
{
    if (!config_find(polled->config, ROW_CHILD, name))
        polled_row(polled, name);
    polled_sync(polled);
    struct child *child = children_find(&polled->children, name);
    assert_non_null(child);
    return child;
}

/* -- What a poller says ---------------------------------------------------------------------- */

void answer_give(struct polled *polled, struct answer *answer)
{
    children_message(&polled->children, &answer->head.head, polled->now);
    free(answer);
}

struct answer *answer_of_ring(const struct child *child, uint32_t boot,
                              const struct report_ring *ring, uint32_t from)
{
    struct answer *answer = answer_new(child->id, boot);
    for (struct index_node *node = ring ? index_first(&ring->index) : NULL; node;
         node = index_next(node)) {
        const struct report_block *block = (struct report_block *)node;
        if (block->sequence >= from)
            answer_add(answer, block->sequence, block->bytes, block->len);
    }
    return answer;
}

void polled_answer(struct polled *polled, const struct child *child, uint32_t boot,
                   const struct report_ring *ring, uint32_t from)
{
    answer_give(polled, answer_of_ring(child, boot, ring, from));
}

void polled_silent(struct polled *polled, const struct child *child, enum poll_failure failure,
                   const char *text)
{
    struct message_silent silent = {.head = {.kind = MESSAGE_SILENT, .length = sizeof silent},
                                    .id = child->id,
                                    .failure = failure};
    snprintf(silent.text, sizeof silent.text, "%s", text);
    children_message(&polled->children, &silent.head, polled->now);
}

struct message_series series_of(const struct child *child, uint32_t number, const char *sensor,
                                const char *instance)
{
    struct message_series series = {.head = {.kind = MESSAGE_SERIES, .length = sizeof series},
                                    .id = child->id,
                                    .report_boot = child->cursor.boot,
                                    .series = number,
                                    .exists = sensor != NULL,
                                    .metric = "load.1",
                                    .unit = "tasks"};
    snprintf(series.sensor, sizeof series.sensor, "%s", sensor ? sensor : "");
    snprintf(series.instance, sizeof series.instance, "%s", instance ? instance : "");
    return series;
}

void polled_name(struct polled *polled, const struct child *child, uint32_t number,
                 const char *sensor, const char *instance)
{
    struct message_series series = series_of(child, number, sensor, instance);
    children_message(&polled->children, &series.head, polled->now);
}

/* -- What the child has ---------------------------------------------------------------------- */

const struct child_series *series_at(const struct polled *polled, const char *child,
                                     const char *sensor, const char *instance)
{
    uint32_t key[2 * NAME_SIZE + INSTANCE_SIZE];
    size_t n = index_key_text(key, child);
    n += index_key_text(key + n, sensor);
    n += index_key_text(key + n, instance);
    return children_series_find(&polled->children, key, n);
}

size_t series_count(const struct polled *polled)
{
    size_t n = 0;
    const struct child_series *series = children_series_after(&polled->children, NULL, 0);
    for (; series; series = children_series_next(series))
        n++;
    return n;
}

struct child *reporting_child(struct polled *polled, const char *name, struct report_ring *ring)
{
    struct child *child = polled_child(polled, name);
    ring_value(ring, 1, 1.5);
    polled_answer(polled, child, 7, ring, 1);
    polled_name(polled, child, 1, "load", "total");
    return child;
}

/* -- What happened --------------------------------------------------------------------------- */

static size_t entries_of(const struct polled *polled, const char *key, int event)
{
    size_t n = 0;
    for (struct index_node *i = index_first(&polled->alarms->log); i; i = index_next(i)) {
        const struct alarm_entry *entry = (struct alarm_entry *)i;
        n += strcmp(entry->facts.key, key) == 0 && (int)entry->facts.event == event;
    }
    return n;
}

void assert_told(const struct polled *polled, const char *key, size_t lost, size_t joined)
{
    assert_int_equal(entries_of(polled, key, ALARM_RAISED), lost);
    assert_int_equal(entries_of(polled, key, ALARM_CLEARED), joined);
    size_t notified = 0;
    alarms_tick(polled->alarms, polled->now); /* at the end of the cycle */
    for (const struct notification *n = alarms_peek(polled->alarms); n; n = n->next)
        notified += strcmp(n->facts.key, key) == 0;
    assert_int_equal(notified, lost + joined);
}

int polled_setup(void **state)
{
    *state = polled_new();
    return 0;
}

int polled_teardown(void **state)
{
    polled_free(*state);
    return 0;
}
