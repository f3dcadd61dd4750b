/* What fork(2) does to locks. */
#ifndef DCAMP_LOCK_H
#define DCAMP_LOCK_H

/* Called in the child of fork(2): the next arrival at each lock counts as the first. */
void dcamp_locks_forked(void);

#endif
