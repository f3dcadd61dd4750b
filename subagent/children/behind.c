#include "children/behind.h"

#include <string.h>

#include "children/child.h"

#define BEHIND_MAX 16 /* rows may name each other in a circle */

static bool is_behind_child(const struct children *children, const struct child *child,
                            const char *name)
{
    for (int i = 0; child && child->behind && i < BEHIND_MAX; i++) {
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
        n += is_behind_child(children, (const struct child *)node, name);
    return n;
}

bool children_hold(const struct children *children, const struct alarm_facts *facts)
{
    const struct child *child = children_find(children, facts->node);
    if (!child)
        return false;
    if (facts->kind != ALARM_OF_NODE && child_is_lost(child))
        return true;
    for (int i = 0; child->behind && i < BEHIND_MAX; i++) {
        child = children_find(children, child->behind);
        if (!child)
            return false;
        if (child->contact.silent > 0)
            return true;
    }
    return false;
}
