#include "children/behind.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "children/child.h"

#define BEHIND_MAX 16 /* the limit is needed because rows may name each other in a circle */

/* Which child a child is behind. These structs are ordered by that name. */
struct child_behind {
    RB_ENTRY(child_behind) link;
    const struct child *child; /* NULL: of no child, used as a key to search for the name */
    const char *name;          /* behind the struct */
};

static int compare_behinds(const struct child_behind *a, const struct child_behind *b)
{
    int order = strcmp(a->name, b->name);
    if (order != 0)
        return order;
    uintptr_t x = (uintptr_t)a->child, y = (uintptr_t)b->child;
    return (x > y) - (x < y);
}

/* RB_GENERATE_STATIC is not used, because it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(child_behinds, child_behind, link, compare_behinds,
                     __attribute__((__unused__)) static)

const char *child_behind_name(const struct child *child)
{
    return child->behind ? child->behind->name : "";
}

bool child_set_behind(struct children *children, struct child *child, const char *name)
{
    struct child_behind *behind = NULL;
    if (strcmp(child_behind_name(child), name) == 0)
        return true;
    if (name[0] && !(behind = malloc(sizeof *behind + strlen(name) + 1)))
        return false;
    if (child->behind)
        RB_REMOVE(child_behinds, &children->behinds, child->behind);
    free(child->behind);
    child->behind = behind;
    if (!behind)
        return true;
    behind->child = child;
    behind->name = strcpy((char *)(behind + 1), name);
    RB_INSERT(child_behinds, &children->behinds, behind);
    return true;
}

/* Each child is behind only one other. So on the ways from one child, each of the others is met
 * once, and the child itself is met again if there is a circle. */
static size_t count_behind(const struct children *children, const char *name, const char *first,
                           int steps)
{
    struct child_behinds *all = (struct child_behinds *)&children->behinds;
    const struct child_behind key = {.name = name};
    size_t n = 0;
    struct child_behind *next = RB_NFIND(child_behinds, all, (struct child_behind *)&key);
    for (; next && strcmp(next->name, name) == 0; next = RB_NEXT(child_behinds, all, next)) {
        n++;
        if (steps > 1 && strcmp(next->child->name, first) != 0)
            n += count_behind(children, next->child->name, first, steps - 1);
    }
    return n;
}

size_t children_behind(const struct children *children, const char *name)
{
    return count_behind(children, name, name, BEHIND_MAX);
}

bool children_hold(const struct children *children, const struct alarm_facts *facts)
{
    const struct child *child = children_find(children, facts->node);
    if (!child)
        return false;
    if (facts->kind != ALARM_OF_NODE && child_is_lost(child))
        return true;
    for (int i = 0; child->behind && i < BEHIND_MAX; i++) {
        child = children_find(children, child->behind->name);
        if (!child)
            return false;
        if (child->contact.silent > 0)
            return true;
    }
    return false;
}
