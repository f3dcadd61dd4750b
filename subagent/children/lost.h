/* The alarm that a child is lost, dcampNodeLost, and that it has joined or is back,
 * dcampNodeJoined. */
#ifndef DCAMP_CHILDREN_LOST_H
#define DCAMP_CHILDREN_LOST_H

#include <stdbool.h>

#include "base/clock.h"

struct child;
struct children;

/* Raises it, with the child's error as the reason. True: that is news, and was logged. */
bool child_announce_lost(struct children *children, const struct child *child, struct moment now);

/* Clears it. A child that was never announced before has joined. */
void child_announce_joined(struct children *children, struct child *child, struct moment now);

/* Clears those of children that there are no more. */
void children_clear_lost(struct children *children, struct moment now);

#endif
