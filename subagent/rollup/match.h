/* Which series of which children an aggregate is over, in groups. */
#ifndef DCAMP_ROLLUP_MATCH_H
#define DCAMP_ROLLUP_MATCH_H

#include "aggregate/aggregate.h"
#include "base/table.h"
#include "children/children.h"

struct rollup_value;

struct aggregate_member {
    const struct child *child;
    const struct child_series *series; /* NULL: of a child that has told of none */
    struct rollup_value *value;        /* where each series has a value of its own */
};

/* What becomes one value, or, for top and share, what they are chosen and shared among. */
struct aggregate_group {
    UT_hash_handle hh; /* by name */
    char name[INSTANCE_SIZE];
    size_t first, n; /* of the members */
    bool always;     /* there is a row even without members: some child is there */
    struct aggregate computed;
    struct rollup_value *value;
};

/* Good as long as children->membership stays as it was. All zero octets: nothing. */
struct aggregate_members {
    struct aggregate_member *members; /* group by group */
    size_t n;
    size_t anywhere; /* from here on: children without a series, which are of each group, as nobody
                      * knows which instances they have */
    struct aggregate_group *groups;
    double *values; /* as many as members: to choose the top from */
};

/* 0 or ENOMEM: then there is nothing. */
int aggregate_match(struct aggregate_members *members, const struct aggregate_row *row,
                    const struct children *children);
void aggregate_unmatch(struct aggregate_members *members);

/* The unit of what is computed of them; of values of several units, it is that of the first. NULL:
 * not known yet. */
const char *aggregate_members_unit(const struct aggregate_members *members,
                                   const struct aggregate_row *row);

#endif
