/* Which node gets which place, and when that is reconsidered; and which documents each node then
 * has to have. */
#ifndef DCAMP_DIRECTOR_PLANNING_H
#define DCAMP_DIRECTOR_PLANNING_H

#include "director/state.h"

/* Something that a plan depends on has changed: a new plan is made, soon or at once. */
void planning_soon(struct director *director, uint64_t now);
void planning_now(struct director *director, uint64_t now);

/* Makes a plan if one is due, and the shares of all nodes. True: it has made one. */
bool planning_step(struct director *director, uint64_t now);
uint64_t planning_due(const struct director *director);

/* Tells the target of a node what the node has to have and in which term, depending on whether this
 * director is root, is about to become root, or is neither. */
void planning_want(struct director *director, struct node *node);

#endif
