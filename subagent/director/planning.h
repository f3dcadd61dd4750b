/* Who gets which place, and when that is thought over; and what each node is to have then. */
#ifndef DCAMP_DIRECTOR_PLANNING_H
#define DCAMP_DIRECTOR_PLANNING_H

#include "director/state.h"

/* Something has changed that a plan depends on: it is made anew, soon or at once. */
void planning_soon(struct director *director, uint64_t now);
void planning_now(struct director *director, uint64_t now);

/* Makes a plan if one is due, and the shares of all nodes. True: it did. */
bool planning_step(struct director *director, uint64_t now);
uint64_t planning_due(const struct director *director);

/* Tells the target of a node what it is to have and in which term, as this director is root, is to
 * become root, or is not. */
void planning_want(struct director *director, struct node *node);

#endif
