/* Blocks that children push. They are hints: a block is taken only if it is exactly the next one,
 * and any other makes the child's poller ask soon, but not often. So every block is taken once and
 * in order, whichever way it comes. */
#ifndef DCAMP_CHILDREN_PUSH_H
#define DCAMP_CHILDREN_PUSH_H

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

void child_take_push(struct children *children, struct child *child,
                     const struct message_pushed *pushed, struct moment now);

#endif
