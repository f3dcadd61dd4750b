#include "children/objects.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "children/child.h"

struct polled_object *object_hold(struct polled_object *object)
{
    object->users++;
    return object;
}

void object_let_go(struct polled_object *object)
{
    if (--object->users == 0)
        free(object);
}

static struct polled_object *find_object(const struct children *children, const char *name)
{
    struct polled_object *object;
    HASH_FIND_STR(children->objects, name, object);
    return object;
}

const struct polled_object *children_object(const struct children *children, const char *name)
{
    return find_object(children, name);
}

/* -- To the pollers ------------------------------------------------------------------------- */

/* to: a child, if only its poller is to be told; 0: all pollers. */
static void tell_object(const struct children *children, const struct polled_object *object,
                        uint32_t to)
{
    union {
        struct message_object message;
        uint8_t room[sizeof(struct message_object) + 2 * OID_MAX * sizeof(uint32_t)];
    } whole;
    struct message_object *message = &whole.message;
    const struct object_row *row = &object->row;
    *message = (struct message_object){
        .to = to, .object = object->id, .is_scalar = row->type == OBJECT_SCALAR};
    memcpy(message->instances, row->instances, sizeof message->instances);
    message->n_oid = (uint32_t)oid_from_text(row->oid, strlen(row->oid), message->arcs);
    message->n_label =
        (uint32_t)oid_from_text(row->label, strlen(row->label), message->arcs + message->n_oid);
    size_t arcs = message->n_oid + message->n_label;
    message->head = (struct message){
        .kind = MESSAGE_OBJECT, .length = (uint32_t)(sizeof *message + arcs * sizeof(uint32_t))};
    children_send(children, to, &message->head);
}

void children_tell_objects(const struct children *children, uint32_t to)
{
    for (const struct polled_object *object = children->objects; object; object = object->hh.next)
        tell_object(children, object, to);
}

static void end_object(struct children *children, struct polled_object *object)
{
    HASH_DEL(children->objects, object);
    object_let_go(object);
}

static void drop_object(struct children *children, struct polled_object *object)
{
    const struct message_drop_object message = {
        .head = {.kind = MESSAGE_DROP_OBJECT, .length = sizeof message}, .object = object->id};
    children_send(children, 0, &message.head);
    end_object(children, object);
}

void children_end_objects(struct children *children)
{
    while (children->objects)
        end_object(children, children->objects);
}

/* -- The configuration ---------------------------------------------------------------------- */

static bool end_stale_objects(struct children *children, const struct config *config)
{
    struct polled_object *next;
    bool any = false;
    for (struct polled_object *object = children->objects; object; object = next) {
        next = object->hh.next;
        const struct row *row = config_find(config, ROW_OBJECT, object->row.row.name);
        if (row && row->status == ROW_ACTIVE)
            continue;
        drop_object(children, object);
        any = true;
    }
    return any;
}

static void set_object_row(struct polled_object *object, const struct object_row *row,
                           const struct config *config)
{
    memcpy(&object->row, row, sizeof object->row);
    object->filter = config_filter(config, row->filter);
}

/* True: the object is new, or differs from before. If memory runs out, it stays as it was, and
 * *whole becomes false. */
static bool sync_object(struct children *children, const struct object_row *row,
                        const struct config *config, uint64_t now_ns, bool *whole)
{
    struct polled_object *before = find_object(children, row->row.name);
    if (before && !row_restarts(&before->row.row, &row->row)) {
        set_object_row(before, row, config);
        return false;
    }
    struct polled_object *object = calloc(1, sizeof *object);
    *whole &= object != NULL;
    if (!object)
        return false;
    set_object_row(object, row, config);
    object->id = ++children->next_object;
    object->users = 1;
    object->since_ns = before ? before->since_ns : now_ns;
    HASH_ADD_STR(children->objects, row.row.name, object);
    if (!table_has(hh, object)) {
        free(object);
        *whole = false;
        return false;
    }
    if (before) {
        object->passed = before->passed;
        object->held = before->held;
        object->errors = before->errors;
        drop_object(children, before);
    }
    tell_object(children, object, 0);
    return true;
}

bool children_sync_objects(struct children *children, const struct config *config, uint64_t now_ns,
                           bool *whole)
{
    bool any = end_stale_objects(children, config);
    for (struct index_node *node = index_first(&config->rows[ROW_OBJECT]); node;
         node = index_next(node)) {
        const struct object_row *row = (const struct object_row *)node;
        if (row->row.status == ROW_ACTIVE)
            any |= sync_object(children, row, config, now_ns, whole);
    }
    return any;
}
