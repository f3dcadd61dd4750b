#include "children/child.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

bool children_send(const struct children *children, uint32_t id, const struct message *message)
{
    return !children->send || children->send(children->context, id, message);
}

/* -- Why its state is no better -------------------------------------------------------------- */

/* Shown if there is no memory for the real text. */
static const char no_memory[] = "there is no memory for the reason";

const char *child_error(const struct child *child)
{
    return child->contact.error ? child->contact.error : "";
}

void child_say_nothing(struct child *child)
{
    if (child->contact.error != no_memory)
        free((void *)child->contact.error);
    child->contact.error = NULL;
}

/* The text may be the one that was set before, or a part of it. */
void child_say_error(struct child *child, const char *text)
{
    char cut[CHILD_ERROR_SIZE];
    text_format(cut, sizeof cut, "%s", text);
    const char *copy = strdup(cut);
    child_say_nothing(child);
    child->contact.error = copy;
    if (!copy)
        child->contact.error = no_memory;
}

bool child_path(const struct child *child, const char *below, size_t below_len,
                char path[ALARM_PATH_SIZE], size_t *len)
{
    size_t first = strlen(child->name);
    if (first + 1 + below_len >= ALARM_PATH_SIZE)
        return false;
    memcpy(path, child->name, first);
    *len = first;
    if (below_len == 0)
        return true;
    path[first] = '/';
    memcpy(path + first + 1, below, below_len);
    *len += 1 + below_len;
    return true;
}
