/* What happens to a child that exceeds the bound: what it told is dropped, nobody polls it for a
 * while, and the alarm that it is lost says why. Then it is tried again; each trial comes later
 * than the one before. */
#ifndef DCAMP_CHILDREN_REFUSAL_H
#define DCAMP_CHILDREN_REFUSAL_H

#include "base/clock.h"

struct child;
struct children;

/* Refuses the child. If memory for that runs out, it is tried again at the child's next message. */
void child_refuse(struct children *children, struct child *child, struct moment now);

/* Has it polled again, on trial. */
void child_readmit(struct children *children, struct child *child, struct moment now);

#endif
