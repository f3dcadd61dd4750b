#include "config/state_format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/attributes.h"
#include "base/hex.h"
#include "config/field.h"
#include "config/state_fields.h"
#include "config/xml_write.h"

static void put_row_element(struct output *out, const struct row *row)
{
    open_element(out, row_type(row->kind)->element);
    put_attribute(out, "name", row->name);
    put_fields(out, row, &state_row_fields);
    put_given(out, row, row->given);
    close_element(out);
}

static void write_row(struct output *out, const void *row)
{
    put_row_element(out, row);
}

/* The buffer into which it is written is many times as large as the text, so the text is copied. */
static char *make_row_text(const struct row *row)
{
    size_t len;
    char *text = written(write_row, row, &len);
    char *fitting = text ? realloc(text, len + 1) : NULL;
    return fitting ? fitting : text;
}

/* A row does not change while it is in the configuration. So its text is made once, and a save
 * after one SET costs little more with thousands of rows than with few. The text adds nothing to
 * what the row says; therefore the row is const for those who save. */
static const char *row_text(const struct row *row)
{
    struct row *keeper = (struct row *)row;
    if (!keeper->saved)
        keeper->saved = make_row_text(row);
    return keeper->saved;
}

static void put_raw(struct output *out, const char *text)
{
    out->failed |= xmlTextWriterWriteRaw(out->writer, (const xmlChar *)text) < 0;
}

static bool is_saved(const struct row *row)
{
    bool stays = row->storage == STORAGE_NONVOLATILE || row->storage == STORAGE_PERMANENT;
    return stays && (row->changed || row->origin == 0);
}

/* The row gets a line of its own, because the writer does not indent what it has not written
 * itself. */
static void put_row(struct output *out, const struct row *row)
{
    const char *text = row_text(row);
    out->failed |= !text;
    if (!text)
        return;
    put_raw(out, "\n  ");
    put_raw(out, text);
}

static void put_rows(struct output *out, const struct config *config)
{
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        bool any = false;
        open_element(out, list_element((enum row_kind)kind));
        for (struct index_node *node = index_first(&config->rows[kind]); node;
             node = index_next(node)) {
            if (!is_saved((struct row *)node))
                continue;
            put_row(out, (struct row *)node);
            any = true;
        }
        if (any)
            put_raw(out, "\n ");
        close_element(out);
    }
}

static void put_series(struct output *out, const struct state *state)
{
    open_element(out, "threshold-states");
    for (size_t i = 0; i < state->n_series; i++) {
        open_element(out, "threshold-state");
        put_fields(out, &state->series[i], &state_series_fields);
        close_element(out);
    }
    close_element(out);
}

static void put_children(struct output *out, const struct state *state)
{
    open_element(out, "child-states");
    for (size_t i = 0; i < state->n_children; i++) {
        open_element(out, "child-state");
        put_fields(out, &state->children[i], &state_child_fields);
        close_element(out);
    }
    close_element(out);
}

static struct saved_document saved_document(enum document_kind kind, const struct ordered *document)
{
    const struct order *order = &document->order;
    struct saved_document saved = {
        .kind = kind, .term = order->term, .epoch = order->epoch, .length = order->length};
    memcpy(saved.root, order->root, sizeof saved.root);
    if (order->term > 0 && !order->is_empty)
        hex_from_octets(saved.ordered, order->digest, sizeof order->digest, HEX_UPPER);
    if (document->in_force)
        hex_from_octets(saved.digest, document->in_force->digest, CONFIG_DIGEST, HEX_UPPER);
    saved.serial = document->serial;
    return saved;
}

/* NULL: there are no octets. */
static void put_octets(struct output *out, struct parcel *parcel)
{
    const char *octets = parcel ? parcel_base64(parcel) : "";
    out->failed |= !octets;
    if (octets)
        put_raw(out, octets);
}

static void put_document(struct output *out, enum document_kind kind,
                         const struct ordered *document)
{
    const struct saved_document saved = saved_document(kind, document);
    open_element(out, "document");
    put_fields(out, &saved, &state_document_fields);
    put_octets(out, document->in_force);
    close_element(out);
}

static void put_previous(struct output *out, const struct ordered *document)
{
    struct saved_previous saved = {.serial = document->previous_serial};
    if (!document->previous)
        return;
    hex_from_octets(saved.digest, document->previous->digest, CONFIG_DIGEST, HEX_UPPER);
    open_element(out, "previous");
    put_fields(out, &saved, &state_previous_fields);
    put_octets(out, document->previous);
    close_element(out);
}

static void put_documents(struct output *out, const struct state *state)
{
    open_element(out, "documents");
    for (size_t i = 0; i < DOCUMENT_KINDS; i++)
        if (state->documents[i].order.term > 0)
            put_document(out, (enum document_kind)(i + 1), &state->documents[i]);
    put_previous(out, &state->documents[DOCUMENT_TREE - 1]);
    close_element(out);
}

static void put_active(struct output *out, const struct alarms *alarms)
{
    open_element(out, "alarms");
    for (struct index_node *node = index_first(&alarms->active); node; node = index_next(node)) {
        const struct alarm *alarm = (struct alarm *)node;
        open_element(out, "alarm");
        put_fields(out, alarm, &state_alarm_fields);
        put_fields(out, &alarm->facts, &state_facts_fields);
        close_element(out);
    }
    close_element(out);
}

static void put_log(struct output *out, const struct alarms *alarms)
{
    open_element(out, "log");
    for (struct index_node *node = index_first(&alarms->log); node; node = index_next(node)) {
        const struct alarm_entry *entry = (struct alarm_entry *)node;
        const struct saved_entry saved = {.number = entry->sequence,
                                          .wall_ms = entry->wall_ms,
                                          .notified = entry->notified,
                                          .hold = entry->hold};
        open_element(out, "entry");
        put_fields(out, &saved, &state_entry_fields);
        put_fields(out, &entry->facts, &state_facts_fields);
        close_element(out);
    }
    close_element(out);
}

static void put_queue(struct output *out, const struct alarms *alarms)
{
    open_element(out, "queue");
    for (const struct notification *each = alarms->queue_head; each; each = each->next) {
        open_element(out, "notification");
        put_fields(out, each, &state_notification_fields);
        put_fields(out, &each->facts, &state_facts_fields);
        close_element(out);
    }
    close_element(out);
}

static void put_clear(void *context, const struct notification *notification, enum severity told)
{
    struct output *out = context;
    const struct saved_clear saved = {.told = told};
    open_element(out, "notification");
    put_fields(out, &saved, &state_clear_fields);
    put_fields(out, notification, &state_notification_fields);
    put_fields(out, &notification->facts, &state_facts_fields);
    close_element(out);
}

/* Writes the clears that receivers have not been told of. */
static void put_clears(struct output *out, const struct alarms *alarms)
{
    open_element(out, "clears");
    alarms_each_clear(alarms, out, put_clear);
    close_element(out);
}

struct document {
    const struct state *state;
    const struct config *config;
    const struct alarms *alarms;
};

static void write_document(struct output *out, const void *what)
{
    const struct document *document = what;
    const struct state *state = document->state;
    const struct alarms *alarms = document->alarms;
    struct state_head head = {.version = 1,
                              .boot = state->boot,
                              .sequence = alarms->sequence,
                              .reserved = state->reserved,
                              .held = alarms->held,
                              .top_size = state->top_size,
                              .serial = document->config->serial};
    uint8_t digest[CONFIG_DIGEST];
    config_digest(document->config, digest);
    hex_from_octets(head.digest, digest, sizeof digest, HEX_UPPER);
    put_declaration(out);
    open_element(out, STATE_ROOT);
    put_fields(out, &head, &state_head_fields);
    put_rows(out, document->config);
    put_documents(out, state);
    put_series(out, state);
    put_children(out, state);
    put_active(out, alarms);
    put_log(out, alarms);
    put_queue(out, alarms);
    put_clears(out, alarms);
    close_element(out);
    out->failed |= xmlTextWriterEndDocument(out->writer) < 0;
}

char *state_format(const struct state *state, const struct config *config,
                   const struct alarms *alarms, size_t *len)
{
    const struct document document = {state, config, alarms};
    return written(write_document, &document, len);
}
