/* The alarm that a child is lost, dcampNodeLost, and the news that it has joined or is back,
 * dcampNodeJoined. */
#ifndef DCAMP_CHILDREN_LOST_H
#define DCAMP_CHILDREN_LOST_H

#include <stdbool.h>

#include "base/clock.h"

struct child;
struct children;

/* Raises the alarm, with the child's error as the reason. True: that is new, and was logged. */
bool child_announce_lost(struct children *children, const struct child *child, struct moment now);

/* Clears the alarm. A child that was never announced before is announced as joined. */
void child_announce_joined(struct children *children, struct child *child, struct moment now);

/* Clears the alarms of children that are no longer in the configuration. */
void children_clear_lost(struct children *children, struct moment now);

#endif
