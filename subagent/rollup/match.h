/* Which series of which children an aggregate is over, in groups. */
#ifndef DCAMP_ROLLUP_MATCH_H
#define DCAMP_ROLLUP_MATCH_H

#include "aggregate/aggregate.h"
#include "base/table.h"
#include "children/children.h"

struct rollup_value;

struct aggregate_member {
    const struct child *child;
    const struct child_series *series; /* NULL: the child has not told of any */
    struct rollup_value *value;        /* used if each series has a value of its own */
};

/* The members whose values become one value or, for top and share, among which values are chosen or
 * shared. */
struct aggregate_group {
    UT_hash_handle hh; /* by name */
    char name[INSTANCE_SIZE];
    size_t first, n; /* the range among the members */
    bool always;     /* it has a row even without members, because some child is there */
    struct aggregate computed;
    struct rollup_value *value;
};

/* Valid as long as children->membership does not change. All zero octets: there is nothing. */
struct aggregate_members {
    struct aggregate_member *members; /* ordered by group */
    size_t n;
    size_t anywhere; /* from here on: children without a series, which belong to every group,
                      * because nobody knows which instances they have */
    struct aggregate_group *groups;
    double *values; /* as many as members: used to choose the top */
};

/* 0 or ENOMEM; then there are no members. */
int aggregate_match(struct aggregate_members *members, const struct aggregate_row *row,
                    const struct children *children);
void aggregate_unmatch(struct aggregate_members *members);

/* The unit of the result; if the values have several units, it is that of the first. NULL: not
 * known yet. */
const char *aggregate_members_unit(const struct aggregate_members *members,
                                   const struct aggregate_row *row);

#endif
