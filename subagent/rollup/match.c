#include "rollup/match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ROOM_MIN 64

/* The state of a match: members in the order in which they are found, each with its group. */
struct matching {
    const struct aggregate_row *row;
    struct aggregate_members *members;
    struct found {
        struct aggregate_member member;
        struct aggregate_group *group; /* NULL: it belongs to every group */
    } * found;
    size_t room;
    bool failed; /* no memory */
};

static struct aggregate_group *group_of(struct matching *matching, const char *name)
{
    struct aggregate_group *group;
    HASH_FIND_STR(matching->members->groups, name, group);
    if (group)
        return group;
    group = calloc(1, sizeof *group);
    if (group) {
        text_format(group->name, sizeof group->name, "%s", name);
        HASH_ADD_STR(matching->members->groups, name, group);
        if (table_has(hh, group))
            return group;
    }
    free(group);
    matching->failed = true;
    return NULL;
}

static const char *group_name(enum aggregate_by by, const struct child *child,
                              const struct child_series *series)
{
    switch (by) {
    case AGGREGATE_BY_GROUP:
        return child->group;
    case AGGREGATE_BY_INSTANCE:
        return series ? series->name->instance : NULL;
    case AGGREGATE_BY_CHILD:
        return child->name;
    default:
        return "total";
    }
}

static void add(struct matching *matching, const struct child *child,
                const struct child_series *series)
{
    struct aggregate_members *members = matching->members;
    const char *name = group_name(matching->row->by, child, series);
    struct aggregate_group *group = name ? group_of(matching, name) : NULL;
    if (members->n == matching->room) {
        size_t room = matching->room ? 2 * matching->room : ROOM_MIN;
        struct found *found = reallocarray(matching->found, room, sizeof *found);
        if (!found)
            matching->failed = true;
        if (!found)
            return;
        matching->found = found;
        matching->room = room;
    }
    matching->found[members->n++] = (struct found){{child, series, NULL}, group};
    if (group)
        group->n++;
}

static void add_child(struct matching *matching, const struct child *child)
{
    struct child_series *series = child_series_first(child, matching->row->sensor);
    if (!series)
        add(matching, child, NULL);
    for (; series; series = child_series_next(series))
        if (text_matches(matching->row->instances, series->name->instance))
            add(matching, child, series);
}

/* Puts the members of each group together. */
static int place(struct matching *matching)
{
    struct aggregate_members *members = matching->members;
    members->members = calloc(members->n + 1, sizeof *members->members);
    members->values = calloc(members->n + 1, sizeof *members->values);
    if (!members->members || !members->values)
        return ENOMEM;
    size_t at = 0;
    for (struct aggregate_group *group = members->groups; group; group = group->hh.next) {
        group->first = at;
        at += group->n;
        group->n = 0;
    }
    members->anywhere = at;
    for (size_t i = 0; i < members->n; i++) {
        struct aggregate_group *group = matching->found[i].group;
        members->members[group ? group->first + group->n++ : at++] = matching->found[i].member;
    }
    return 0;
}

int aggregate_match(struct aggregate_members *members, const struct aggregate_row *row,
                    const struct children *children)
{
    struct matching matching = {.row = row, .members = members};
    aggregate_unmatch(members);
    if (row->by == AGGREGATE_BY_ALL && index_first(&children->index) &&
        group_of(&matching, "total"))
        members->groups->always = true;
    for (struct index_node *node = index_first(&children->index); node && !matching.failed;
         node = index_next(node)) {
        const struct child *child = (const struct child *)node;
        if (text_matches(row->children, child->name) && text_matches(row->groups, child->group))
            add_child(&matching, child);
    }
    int error = matching.failed ? ENOMEM : place(&matching);
    free(matching.found);
    if (error)
        aggregate_unmatch(members);
    return error;
}

void aggregate_unmatch(struct aggregate_members *members)
{
    struct aggregate_group *group, *next;
    HASH_ITER(hh, members->groups, group, next)
    {
        HASH_DEL(members->groups, group);
        aggregate_release(&group->computed);
        free(group);
    }
    free(members->members);
    free(members->values);
    *members = (struct aggregate_members){0};
}

const char *aggregate_members_unit(const struct aggregate_members *members,
                                   const struct aggregate_row *row)
{
    for (size_t i = 0; i < members->n; i++)
        if (members->members[i].series)
            return aggregate_unit(row->function, members->members[i].series->name->unit);
    return NULL;
}
