/* What a fork(2) does to locks. */
#ifndef DCAMP_LOCK_H
#define DCAMP_LOCK_H

/* In the child of fork(2): the next arrival at each lock is the first one. */
void dcamp_locks_forked(void);

#endif
