/* Blocks that children push. They are hints: one is taken only where it is the very next one, and
 * whatever else comes makes the child's poller look, soon but not often. So everything is taken in
 * its order and once, whichever way it comes. */
#ifndef DCAMP_CHILDREN_PUSH_H
#define DCAMP_CHILDREN_PUSH_H

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

void child_take_push(struct children *children, struct child *child,
                     const struct message_pushed *pushed, struct moment now);

#endif
