/* For tests: walks over a node, and the list of cells that they must find. */
#ifndef DCAMP_TESTS_WALK_H
#define DCAMP_TESTS_WALK_H

#include "manager.h"

#define CELLS_MAX 4000

struct cells {
    struct mib_oid *oids;
    size_t n;
};

struct cells cells_new(void);
int cells_compare(const struct mib_oid *a, const struct mib_oid *b);
const char *oid_text(const struct mib_oid *oid);
bool is_leaf(const struct mib_info *info);

/* Every cell that GET finds, in the order of the objects and of the rows of each. */
void cells_get(struct node *node, struct cells *cells);

/* One step of a walk: what is found is after where it began, and GET gives the same. */
bool walk_step(struct node *node, struct mib_oid *at);

/* Every cell that a walk finds. */
void cells_walk(struct node *node, struct cells *cells);

#endif
