/* What the core is told of the nodes, and of the director itself. */
#ifndef DCAMP_DIRECTOR_ROWS_H
#define DCAMP_DIRECTOR_ROWS_H

#include "director/state.h"

/* Tells the core of nodes that have changed since it was last told, and what the director is, as
 * far as the outbox takes it. Returns when to call it again. */
uint64_t rows_tell(struct director *director, uint64_t now);

/* Tells the core to forget a node. */
void rows_drop(struct director *director, struct node *node, uint64_t now);

#endif
