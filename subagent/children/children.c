#include "children/children.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "children/child.h"

void children_open(struct children *children, struct alarms *alarms)
{
    *children = (struct children){.alarms = alarms};
    index_init(&children->index);
    index_init(&children->by_id);
    index_init(&children->values);
    index_init(&children->below);
}

struct child *children_find(const struct children *children, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct child *)index_find(&children->index, key, index_key_text(key, name));
}

/* -- What is saved -------------------------------------------------------------------------- */

static void forget_saved(struct children *children)
{
    free(children->saved);
    children->saved = NULL;
    children->n_saved = 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct saved_child *)a)->name, ((const struct saved_child *)b)->name);
}

void children_restore(struct children *children, struct state *state)
{
    forget_saved(children);
    children->saved = state->children;
    children->n_saved = state->n_children;
    state->children = NULL;
    state->n_children = state->children_room = 0;
    if (children->n_saved > 0)
        qsort(children->saved, children->n_saved, sizeof *children->saved, compare_names);
}

static void put_hex(char *text, const uint8_t *octets, size_t n)
{
    text[0] = '\0';
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02X", octets[i]);
}

static uint32_t take_hex(uint8_t octets[ENGINE_ID_MAX], const char *text)
{
    uint32_t n = 0;
    while (n < ENGINE_ID_MAX && sscanf(text + (size_t)2 * n, "%2hhX", &octets[n]) == 1)
        n++;
    return n;
}

int children_save(const struct children *children, struct state *state)
{
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        const struct child *child = (struct child *)node;
        struct saved_child saved = {.engine_boots = child->engine_boots};
        if (!child->known)
            continue;
        memcpy(saved.name, child->name, sizeof saved.name);
        put_hex(saved.engine_id, child->engine_id, child->engine_id_len);
        if (state_add_child(state, &saved) != 0)
            return ENOMEM;
    }
    for (size_t i = 0; i < children->n_saved; i++)
        if (state_add_child(state, &children->saved[i]) != 0)
            return ENOMEM;
    return 0;
}

/* The cursor is not saved: this daemon knows no values yet, and the child keeps its blocks. */
static void restore(const struct children *children, struct child *child)
{
    struct saved_child wanted = {.engine_boots = 0};
    memcpy(wanted.name, child->name, sizeof wanted.name);
    const struct saved_child *saved =
        children->n_saved == 0
            ? NULL
            : bsearch(&wanted, children->saved, children->n_saved, sizeof wanted, compare_names);
    if (!saved)
        return;
    child->known = true;
    child->engine_id_len = take_hex(child->engine_id, saved->engine_id);
    child->engine_boots = saved->engine_boots;
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static void tell_poller(const struct children *children, const struct child *child)
{
    struct message_child message = {
        .head = {.kind = MESSAGE_CHILD, .length = sizeof message},
        .id = child->id,
        .period_ms = child->period_ms,
        .engine_id_len = child->engine_id_len,
        .engine_boots = child->engine_boots,
        .report_boot = child->device ? 0 : child->report_boot,
        .next_block = child->next_block,
        .is_device = child->device != NULL,
    };
    memcpy(message.address, child->address, sizeof message.address);
    memcpy(message.credential, child->credential, sizeof message.credential);
    memcpy(message.engine_id, child->engine_id, sizeof message.engine_id);
    if (children->send) {
        children->send(children->context, child->id, &message.head);
        if (child->device)
            child_device_tell(children, child);
    }
}

void child_forget_at_poller(const struct children *children, const struct child *child)
{
    const struct message_forget message = {
        .head = {.kind = MESSAGE_FORGET, .length = sizeof message}, .id = child->id};
    if (children->send)
        children->send(children->context, child->id, &message.head);
}

static void give_id(struct children *children, struct child *child)
{
    child->id = ++children->next_id;
    child->by_id.key = &child->id;
    child->by_id.key_len = 1;
    index_add(&children->by_id, &child->by_id);
}

/* With another id: what was under way when it was forgotten says nothing of it any more. */
void child_begin_polling(struct children *children, struct child *child)
{
    index_remove(&children->by_id, &child->by_id);
    give_id(children, child);
    tell_poller(children, child);
    child_tell_receiver(children, child);
}

static struct child *child_begin(struct children *children, const struct child_row *row,
                                 uint64_t now_ns)
{
    struct child *child = calloc(1, sizeof *child);
    if (!child || (row->kind == CHILD_OF_SNMP && !child_device_begin(child))) {
        free(child);
        return NULL; /* begun at the next change of the configuration */
    }
    memcpy(child->name, row->row.name, sizeof child->name);
    memcpy(child->group, row->group, sizeof child->group);
    memcpy(child->address, row->address, sizeof child->address);
    memcpy(child->credential, row->credential, sizeof child->credential);
    memcpy(child->behind, row->behind, sizeof child->behind);
    child->period_ms = row->period_ms;
    child->state = CHILD_DISCOVERING;
    child->since_ns = child->told_ns = now_ns;
    child->replays = !child->device; /* a device has kept nothing */
    TAILQ_INIT(&child->unnamed);
    TAILQ_INIT(&child->named);
    TAILQ_INIT(&child->former);
    child_alarms_begin(child);
    child->node.key = child->key;
    child->node.key_len = index_key_text(child->key, child->name);
    index_add(&children->index, &child->node);
    give_id(children, child);
    children->membership++;
    return child;
}

static void child_free(struct children *children, struct child *child, const char *why,
                       struct moment now)
{
    child_device_free(child);
    child_end_series(children, child, why, now);
    child_alarms_end(children, child);
    child_pardon(child);
    index_remove(&children->index, &child->node);
    index_remove(&children->by_id, &child->by_id);
    children->membership++;
    free(child->complaints);
    free(child);
}

static void child_end(struct children *children, struct child *child, const char *why,
                      struct moment now)
{
    child_forget_at_poller(children, child);
    children->changes += child->known;
    child_free(children, child, why, now);
}

/* At the end of the daemon: no alarm is cleared, the state file has them. */
void children_close(struct children *children)
{
    struct index_node *node;
    children->observer = NULL;
    while ((node = index_first(&children->index)))
        child_free(children, (struct child *)node, "the daemon stops", (struct moment){0});
    children_end_objects(children);
    index_release(&children->index);
    index_release(&children->by_id);
    index_release(&children->values);
    index_release(&children->below);
    forget_saved(children);
}

/* -- The configuration ---------------------------------------------------------------------- */

static bool same_child(const struct child *child, const struct child_row *row)
{
    return strcmp(child->address, row->address) == 0 &&
           strcmp(child->credential, row->credential) == 0 &&
           strcmp(child->group, row->group) == 0 && child->period_ms == row->period_ms &&
           (child->device != NULL) == (row->kind == CHILD_OF_SNMP);
}

static void end_stale(struct children *children, const struct config *config, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&children->index); node; node = next) {
        struct child *child = (struct child *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_CHILD, child->name);
        if (!row)
            child_end(children, child, "the child was removed", now);
        else if (row->status != ROW_ACTIVE)
            child_end(children, child, "the child is paused", now);
    }
}

/* objects: what devices are polled for has changed. */
static void sync_row(struct children *children, const struct child_row *row, bool objects,
                     struct moment now)
{
    struct child *child = children_find(children, row->row.name);
    bool known = child && child->known;
    if (child)
        memcpy(child->behind, row->behind, sizeof child->behind);
    if (child && same_child(child, row)) {
        if (objects && child->device && child_device_choose(children, child, now) && children->send)
            child_device_tell(children, child);
        return;
    }
    if (child)
        child_end(children, child, "the child was changed", now);
    child = child_begin(children, row, now.mono_ns);
    if (!child)
        return;
    restore(children, child);
    child->known |= known;
    if (child->device)
        child_device_choose(children, child, now);
    tell_poller(children, child);
    child_tell_receiver(children, child);
}

void children_sync(struct children *children, const struct config *config, struct moment now)
{
    children->bound = config->collect.child_kb * UINT64_C(1024);
    end_stale(children, config, now);
    bool objects = children_sync_objects(children, config, now.mono_ns);
    for (struct index_node *node = index_first(&config->rows[ROW_CHILD]); node;
         node = index_next(node))
        if (((const struct row *)node)->status == ROW_ACTIVE)
            sync_row(children, (const struct child_row *)node, objects, now);
    forget_saved(children);
    children_end_alarms(children, now);
}

/* -- For who looks for series ---------------------------------------------------------------- */

static void find_series(const void *context, const struct series_query *query)
{
    const struct children *children = context;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        const struct child *child = (const struct child *)node;
        struct child_series *series = NULL;
        if (query->wants(query, child->name, child->group))
            series = child_series_first(children, child, query->sensor);
        for (; series; series = child_series_next(series))
            query->found(query, child_series_ref(series));
    }
}

static bool may_come(const void *context, const struct series_query *query, const char *node,
                     struct moment now)
{
    const struct child *child = node ? children_find(context, node) : NULL;
    if (!child || !query->wants(query, child->name, child->group))
        return false;
    return child->first_ns == 0 || child->silent >= CHILD_LOST_AFTER ||
           now.mono_ns - child->first_ns < CHILD_KNOWN_NS;
}

struct series_producer children_producer(const struct children *children)
{
    return (struct series_producer){find_series, may_come, children};
}

/* -- What is behind what --------------------------------------------------------------------- */

#define BEHIND_MAX 16 /* rows may name each other in a circle */

static bool is_behind(const struct children *children, const struct child *child, const char *name)
{
    for (int i = 0; child && child->behind[0] && i < BEHIND_MAX; i++) {
        if (strcmp(child->behind, name) == 0)
            return true;
        child = children_find(children, child->behind);
    }
    return false;
}

size_t children_behind(const struct children *children, const char *name)
{
    size_t n = 0;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node))
        n += is_behind(children, (const struct child *)node, name);
    return n;
}

bool children_hold(const struct children *children, const struct alarm_facts *facts)
{
    const struct child *child = children_find(children, facts->node);
    if (!child)
        return false;
    if (facts->kind != ALARM_OF_NODE && child->silent >= CHILD_LOST_AFTER)
        return true;
    for (int i = 0; child->behind[0] && i < BEHIND_MAX; i++) {
        child = children_find(children, child->behind);
        if (!child)
            return false;
        if (child->silent > 0)
            return true;
    }
    return false;
}

/* -- Pollers that come and go --------------------------------------------------------------- */

void children_resend(struct children *children, bool (*of)(void *context, uint32_t id),
                     void *context, struct moment now)
{
    bool told = false;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        struct child *child = (struct child *)node;
        if (!of(context, child->id))
            continue;
        if (!told)
            children_tell_objects(children, child->id);
        told = true;
        child->n_asked = 0; /* whom it was asked knows nothing of it */
        if (child->device)
            child_device_renew(children, child, now);
        tell_poller(children, child);
    }
}

void children_unpolled(struct children *children, bool (*of)(void *context, uint32_t id),
                       void *context, const char *why)
{
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        struct child *child = (struct child *)node;
        if (child->state != CHILD_UP || !of(context, child->id))
            continue;
        child->state = CHILD_LATE;
        text_format(child->error, sizeof child->error, "%s", why);
    }
}
