#include "poller/object.h"

#include <stdlib.h>
#include <string.h>

static struct object *find_object(struct object *all, uint32_t id)
{
    struct object *object;
    HASH_FIND(hh, all, &id, sizeof id, object);
    return object;
}

bool object_define(struct object **all, const struct message_object *message)
{
    size_t n = (size_t)message->n_oid + message->n_label;
    if (find_object(*all, message->object))
        return true;
    struct object *object = malloc(sizeof *object + n * sizeof *object->oid);
    if (!object)
        return false;
    *object = (struct object){.id = message->object,
                              .users = 1,
                              .is_scalar = message->is_scalar,
                              .n_oid = message->n_oid,
                              .n_label = message->n_label};
    uint32_t *arcs = (uint32_t *)(object + 1);
    memcpy(arcs, message->arcs, n * sizeof *arcs);
    memcpy(object->instances, message->instances, sizeof object->instances);
    object->oid = arcs;
    object->label = message->n_label ? arcs + message->n_oid : NULL;
    HASH_ADD(hh, *all, id, sizeof object->id, object);
    if (table_has(hh, object))
        return true;
    free(object);
    return false;
}

void object_drop(struct object **all, uint32_t id)
{
    struct object *object = find_object(*all, id);
    if (!object)
        return;
    HASH_DEL(*all, object);
    object_release(object);
}

void object_drop_all(struct object **all)
{
    while (*all)
        object_drop(all, (*all)->id);
}

struct object *object_use(struct object *all, uint32_t id)
{
    struct object *object = find_object(all, id);
    if (object)
        object->users++;
    return object;
}

void object_release(struct object *object)
{
    if (--object->users == 0)
        free(object);
}
