/* From the spool to the target, in order. */
#ifndef DCAMP_TRAP_DELIVER_H
#define DCAMP_TRAP_DELIVER_H

#include "trapd-handlers/spool.h"
#include "trapd-handlers/target.h"

struct deliverer {
    struct spool *spool;
    struct target *target;
    const char *active_dir; /* where the active alarms are kept */
    struct buffer lines;
    char said[TARGET_WHY_SIZE]; /* what was said last of a target that is down */
};

/* Takes the part of the one that delivers: the active alarms are loaded. False: another process
 * has it, or they cannot be read, which was logged. */
bool deliver_begin(struct deliverer *deliverer);
void deliver_end(struct deliverer *deliverer);

/* The same, but waits for another process: one that delivers a single trap, or ends, has it for no
 * longer than a delivery takes. */
bool deliver_take_over(struct deliverer *deliverer);

/* Delivers what waits, until nothing does or until the target does not take more. Between the
 * two. True: nothing waits. */
bool deliver_waiting(struct deliverer *deliverer, int64_t now_ms);

/* One trap that could not be spooled. */
bool deliver_now(struct deliverer *deliverer, const struct trap *trap);

/* Milliseconds until the next attempt at a target that is down; 0: at once. */
int64_t deliver_pause(const struct deliverer *deliverer, int64_t now_ms);

void deliver_release(struct deliverer *deliverer);

#endif
