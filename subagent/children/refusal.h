/* What follows for a child that goes beyond the bound: what it told is dropped, nobody polls it for
 * a while, and the alarm that it is lost says why. Then it gets another trial; each comes later
 * than the one before it. */
#ifndef DCAMP_CHILDREN_REFUSAL_H
#define DCAMP_CHILDREN_REFUSAL_H

#include "base/clock.h"

struct child;
struct children;

/* Refuses the child; without memory for that, the next message of the child tries again. */
void child_refuse(struct children *children, struct child *child, struct moment now);

/* Has it polled again, on trial. */
void child_readmit(struct children *children, struct child *child, struct moment now);

#endif
