#include "children/child.h"

struct child *children_find(const struct children *children, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct child *)index_find(&children->index, key, index_key_text(key, name));
}

void child_give_id(struct children *children, struct child *child)
{
    child->id = ++children->next_id;
    child->by_id.key = &child->id;
    child->by_id.key_len = 1;
    index_add(&children->by_id, &child->by_id);
}

void children_send(const struct children *children, uint32_t id, const struct message *message)
{
    if (children->send)
        children->send(children->context, id, message);
}
