#include "children/children.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hex.h"
#include "base/text.h"
#include "children/device.h"
#include "children/lost.h"
#include "children/polling.h"
#include "children/push.h"
#include "children/refusal.h"
#include "children/reports.h"

/* If children_watch is called this much later than it is due, the daemon itself was stopped. */
#define STOPPED_NS (5 * NS_PER_S)

void children_open(struct children *children, struct alarms *alarms)
{
    *children = (struct children){.alarms = alarms};
    index_init(&children->index);
    index_init(&children->by_id);
    index_init(&children->below);
}

/* Copies a text of a child, which comes from a field of the same size. */
static void copy_text(char *to, const char *text)
{
    memcpy(to, text, strlen(text) + 1);
}

/* -- What is saved -------------------------------------------------------------------------- */

static void forget_saved_children(struct children *children)
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
    forget_saved_children(children);
    children->saved = state->children;
    children->n_saved = state->n_children;
    state->children = NULL;
    state->n_children = state->children_room = 0;
    if (children->n_saved > 0)
        qsort(children->saved, children->n_saved, sizeof *children->saved, compare_names);
}

int children_save(const struct children *children, struct state *state)
{
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        const struct child *child = (struct child *)node;
        struct saved_child saved = {.engine_boots = child->identity.engine_boots};
        if (!child->contact.known)
            continue;
        copy_text(saved.name, child->name);
        hex_from_octets(saved.engine_id, child->identity.engine_id, child->identity.engine_id_len,
                        HEX_UPPER);
        if (state_add_child(state, &saved) != 0)
            return ENOMEM;
    }
    for (size_t i = 0; i < children->n_saved; i++)
        if (state_add_child(state, &children->saved[i]) != 0)
            return ENOMEM;
    return 0;
}

/* The cursor is not saved, because this daemon knows no values yet, and the child keeps its
 * blocks. */
static void restore_child(const struct children *children, struct child *child)
{
    struct saved_child wanted = {.engine_boots = 0};
    copy_text(wanted.name, child->name);
    const struct saved_child *saved =
        children->n_saved == 0
            ? NULL
            : bsearch(&wanted, children->saved, children->n_saved, sizeof wanted, compare_names);
    if (!saved)
        return;
    child->contact.known = true;
    child->identity.engine_id_len =
        (uint32_t)hex_to_octets(saved->engine_id, child->identity.engine_id, ENGINE_ID_MAX);
    child->identity.engine_boots = saved->engine_boots;
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static uint8_t take_octets(uint8_t *to, const uint8_t *octets, size_t room)
{
    uint8_t len = key_length(octets) <= room ? key_length(octets) : 0;
    if (len > 0)
        memcpy(to, octets + 1, len);
    return len;
}

static struct localized_keys keys_of(const struct child_row *row, const uint8_t *auth,
                                     const uint8_t *priv)
{
    struct localized_keys keys = {.engine_id_len = 0};
    keys.engine_id_len = take_octets(keys.engine_id, row->engine, sizeof keys.engine_id);
    keys.auth_len = take_octets(keys.auth, auth, sizeof keys.auth);
    keys.priv_len = take_octets(keys.priv, priv, sizeof keys.priv);
    return keys;
}

/* False: no memory; then the child keeps the keys that it had. */
static bool child_take_keys(struct child *child, const struct child_row *row, bool *news)
{
    struct localized_keys keys = keys_of(row, row->auth_key, row->priv_key);
    struct localized_keys next = {.engine_id_len = 0};
    if (row->next_auth_key)
        next = keys_of(row, row->next_auth_key, row->next_priv_key);
    *news =
        !localized_keys_same(child->keys, &keys) || !localized_keys_same(child->next_keys, &next);
    bool kept = !*news || localized_keys_keep_two(&child->keys, &keys, &child->next_keys, &next);
    explicit_bzero(&keys, sizeof keys);
    explicit_bzero(&next, sizeof next);
    return kept;
}

static const char *put_text(char **at, const char *text)
{
    size_t size = strlen(text) + 1;
    char *to = memcpy(*at, text, size);
    *at += size;
    return to;
}

/* A child with its texts and its key in one piece; NULL: no memory. */
static struct child *child_new(const struct child_row *row)
{
    size_t key_size = row->row.node.key_len * sizeof(uint32_t);
    struct child *child =
        calloc(1, sizeof *child + key_size + strlen(row->row.name) + strlen(row->group) +
                      strlen(row->address) + strlen(row->credential) + 4);
    if (!child)
        return NULL;
    char *texts = (char *)child->key + key_size;
    child->name = put_text(&texts, row->row.name);
    child->group = put_text(&texts, row->group);
    child->address = put_text(&texts, row->address);
    child->credential = put_text(&texts, row->credential);
    child->node.key = child->key;
    child->node.key_len = index_key_text(child->key, child->name);
    return child;
}

static void child_drop(struct children *children, struct child *child)
{
    localized_keys_drop(&child->keys);
    localized_keys_drop(&child->next_keys);
    child_set_behind(children, child, "");
    free(child);
}

static struct child *child_begin(struct children *children, const struct child_row *row,
                                 uint64_t now_ns)
{
    struct child *child = child_new(row);
    bool keys;
    if (!child)
        return NULL;
    if (!child_set_behind(children, child, row->behind) || !child_take_keys(child, row, &keys) ||
        (row->kind == CHILD_OF_SNMP && !child_device_begin(child))) {
        child_drop(children, child);
        return NULL;
    }
    child->period_ms = row->period_ms;
    child->contact.state = CHILD_DISCOVERING;
    child->contact.since_ns = child->contact.told_ns = now_ns;
    child->cursor.replays = !child->device; /* a device has kept nothing to replay */
    child_series_open(child);
    child_alarms_begin(child);
    index_add(&children->index, &child->node);
    child_give_id(children, child);
    children->membership++;
    return child;
}

static void child_free(struct children *children, struct child *child, const char *why,
                       struct moment now)
{
    if (children->blocks)
        children->blocks->gone(children->blocks->context, child);
    child_device_free(child);
    child_records_end(children, child);
    child_end_series(children, child, why, now);
    child_alarms_end(children, child);
    child_pardon(child);
    index_remove(&children->index, &child->node);
    index_remove(&children->by_id, &child->by_id);
    children->membership++;
    child_say_nothing(child);
    free(child->complaints);
    child_drop(children, child);
}

static void child_end(struct children *children, struct child *child, const char *why,
                      struct moment now)
{
    child_forget_at_poller(children, child);
    children->changes += child->contact.known;
    child_free(children, child, why, now);
}

/* The daemon ends: no alarm is cleared, because the state file has them. */
void children_close(struct children *children)
{
    struct index_node *node;
    children->observer = NULL;
    while ((node = index_first(&children->index)))
        child_free(children, (struct child *)node, "the daemon stops", (struct moment){0});
    children_end_objects(children);
    index_release(&children->index);
    index_release(&children->by_id);
    index_release(&children->below);
    forget_saved_children(children);
}

/* -- The configuration ---------------------------------------------------------------------- */

/* The row that the child began with, limited to the fields whose change restarts the child: full
 * copies of the rows of 10,000 children would take more memory than a collector can spare. */
static struct child_row row_of(const struct child *child)
{
    struct child_row row = {.row.kind = ROW_CHILD,
                            .period_ms = child->period_ms,
                            .kind = child->device ? CHILD_OF_SNMP : CHILD_OF_DCAMP};
    copy_text(row.address, child->address);
    copy_text(row.credential, child->credential);
    copy_text(row.group, child->group);
    if (child->keys) {
        row.engine[0] = child->keys->engine_id_len;
        memcpy(row.engine + 1, child->keys->engine_id, child->keys->engine_id_len);
    }
    return row;
}

static bool child_restarts(const struct child *child, const struct child_row *row)
{
    const struct child_row before = row_of(child);
    return row_restarts(&before.row, &row->row);
}

static void end_stale_children(struct children *children, const struct config *config,
                               struct moment now)
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

/* Goes on with the keys that the row has now. False: no memory. */
static bool renew_keys(struct children *children, struct child *child, const struct child_row *row)
{
    bool news;
    if (!child_take_keys(child, row, &news))
        return false;
    if (news && !child_is_refused(child))
        child_tell_row(children, child);
    if (news)
        child_tell_receiver(children, child);
    return true;
}

/* objects: whether what devices are polled for has changed. */
static bool sync_child(struct children *children, const struct child_row *row, bool objects,
                       struct moment now)
{
    struct child *child = children_find(children, row->row.name);
    bool known = child && child->contact.known;
    if (child && !child_set_behind(children, child, row->behind))
        return false;
    if (child && !child_restarts(child, row)) {
        if (objects && child->device && child_device_choose(children, child, now))
            child_device_tell(children, child);
        return renew_keys(children, child, row);
    }
    if (child)
        child_end(children, child, "the child was changed", now);
    child = child_begin(children, row, now.mono_ns);
    if (!child)
        return false;
    restore_child(children, child);
    child->contact.known |= known;
    if (child->device)
        child_device_choose(children, child, now);
    child_tell_poller(children, child);
    child_tell_receiver(children, child);
    return true;
}

bool children_sync(struct children *children, const struct config *config, struct moment now)
{
    bool whole = true;
    children->bound = config->collect.child_kb * UINT64_C(1024);
    end_stale_children(children, config, now);
    bool objects = children_sync_objects(children, config, now.mono_ns, &whole);
    for (struct index_node *node = index_first(&config->rows[ROW_CHILD]); node;
         node = index_next(node))
        if (((const struct row *)node)->status == ROW_ACTIVE)
            whole &= sync_child(children, (const struct child_row *)node, objects, now);
    if (!whole)
        return false; /* what is known of children that could not begin is kept for them */
    forget_saved_children(children);
    children_clear_lost(children, now);
    return true;
}

/* -- Pollers that come and go --------------------------------------------------------------- */

void children_resend(struct children *children, bool (*of)(void *context, uint32_t id),
                     void *context, struct moment now)
{
    bool told = false;
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        struct child *child = (struct child *)node;
        if (child_is_refused(child) || !of(context, child->id))
            continue;
        if (!told)
            children_tell_objects(children, child->id);
        told = true;
        child->untold.all = true;
        child_tell_waiting(children, child, now);
    }
}

void children_tell_receiver(struct children *children)
{
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node))
        child_tell_receiver(children, (struct child *)node);
}

static struct index_node *first_by_id(const struct children *children, uint32_t id)
{
    struct index_node *node = index_find(&children->by_id, &id, 1);
    return node ? node : index_after(&children->by_id, &id, 1);
}

void children_tell_on(struct children *children, bool (*of)(void *context, uint32_t id),
                      void *context, uint32_t from, struct moment now)
{
    for (struct index_node *node = first_by_id(children, from); node; node = index_next(node)) {
        struct child *child = child_by_id(node);
        bool waits = child->untold.all || child->untold.row || child->untold.objects;
        if (waits && of(context, child->id) && !child_tell_waiting(children, child, now))
            return;
    }
}

void children_tell_receiver_on(struct children *children, uint32_t from)
{
    for (struct index_node *node = first_by_id(children, from); node; node = index_next(node)) {
        struct child *child = child_by_id(node);
        if (child->untold.sender)
            child_tell_receiver(children, child);
        if (child->untold.sender)
            return;
    }
}

void children_unpolled(struct children *children, bool (*of)(void *context, uint32_t id),
                       void *context, const char *why)
{
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        struct child *child = (struct child *)node;
        if (of(context, child->id))
            child_not_polled(child, why);
    }
}

/* -- What pollers say ----------------------------------------------------------------------- */

static void count_dropped(struct children *children, const struct message_dropped *dropped)
{
    children->pushes.unknown += dropped->unknown;
    children->pushes.refused += dropped->refused;
}

/* A message that only nodes can cause is ignored for a device, and the other way round. */
static void take_child_message(struct children *children, struct child *child,
                               const struct message *message, struct moment now)
{
    const void *content = message;
    if (message->kind == MESSAGE_SILENT)
        return child_take_silence(children, child, content, now);
    if (child->device)
        return child_device_message(children, child, message, now);
    switch (message->kind) {
    case MESSAGE_ANSWER:
        return child_take_answer(children, child, content, now);
    case MESSAGE_SERIES:
        return child_take_name(children, child, content, now);
    case MESSAGE_PUSHED:
        return child_take_push(children, child, content, now);
    default:
        return;
    }
}

/* All messages except MESSAGE_DROPPED have the id of the child behind their head. */
void children_message(struct children *children, const struct message *message, struct moment now)
{
    uint32_t id = ((const struct message_forget *)message)->id;
    if (message->kind == MESSAGE_DROPPED) {
        count_dropped(children, (const struct message_dropped *)message);
        return;
    }
    struct child *child = child_by_id(index_find(&children->by_id, &id, 1));
    if (!child || child_is_refused(child))
        return;
    if (message->kind != MESSAGE_PUSHED)
        child->contact.told_ns = now.mono_ns;
    take_child_message(children, child, message, now);
    if (child_is_beyond(children, child))
        child_refuse(children, child, now);
}

/* -- What pollers do not say ---------------------------------------------------------------- */

/* Returns when the child is to be looked at again. */
static uint64_t watch_child(struct children *children, struct child *child, struct moment now)
{
    if (child_is_refused(child) && now.mono_ns < child_refused_until(child))
        return child_refused_until(child);
    if (child_is_refused(child))
        child_readmit(children, child, now);
    return child_watch_poller(children, child, now);
}

/* While all children answer, none can be late for some time. So they are seldom looked at, and then
 * at a whole second, at which sensors are due, too, so that this thread does not wake up for it
 * alone. */
uint64_t children_watch(struct children *children, struct moment now)
{
    uint64_t due = (now.mono_ns + CHILD_WATCH_NS) / NS_PER_S * NS_PER_S;
    if (now.mono_ns < children->watch_ns)
        return children->watch_ns;
    bool was_stopped = children->watch_ns && now.mono_ns > children->watch_ns + STOPPED_NS;
    struct index_node *after;
    for (struct index_node *node = index_first(&children->by_id); node; node = after) {
        struct child *child = child_by_id(node);
        after = index_next(node);
        if (was_stopped)
            child->contact.told_ns = now.mono_ns; /* messages from that time are still to be read */
        uint64_t next = watch_child(children, child, now);
        due = next < due ? next : due;
    }
    if (due < now.mono_ns + NS_PER_S)
        due = now.mono_ns + NS_PER_S;
    return children->watch_ns = due;
}

void children_down(const struct children *children, char *text, size_t size)
{
    size_t len = 0;
    text[0] = '\0';
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node)) {
        const struct child *child = (const struct child *)node;
        if (child->contact.state != CHILD_DOWN || child->device)
            continue;
        size_t next = len + (len > 0) + strlen(child->name);
        if (next >= size)
            return;
        text_format(text + len, size - len, "%s%s", len > 0 ? " " : "", child->name);
        len = next;
    }
}
