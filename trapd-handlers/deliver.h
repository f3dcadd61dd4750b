/* Delivers from the spool to the target, in order. */
#ifndef DCAMP_TRAP_DELIVER_H
#define DCAMP_TRAP_DELIVER_H

#include "trapd-handlers/spool.h"
#include "trapd-handlers/target.h"

struct deliverer {
    struct spool *spool;
    struct target *target;
    const char *active_dir; /* where the active alarms are kept */
    struct buffer lines;
    char said[TARGET_WHY_SIZE]; /* the last message that was logged about a target that is down */
};

/* Makes this process the one that delivers, and loads the active alarms. Returns false if another
 * process delivers, or if they cannot be read, which was logged. */
bool deliver_begin(struct deliverer *deliverer);
void deliver_end(struct deliverer *deliverer);

/* The same, but waits for another process: a process that delivers a single trap, or is ending,
 * takes no longer than one delivery. */
bool deliver_take_over(struct deliverer *deliverer);

/* Delivers what waits, until nothing is left or the target takes no more. To be called between
 * deliver_begin() and deliver_end(). Returns true if nothing waits. */
bool deliver_waiting(struct deliverer *deliverer, int64_t now_ms);

/* Delivers one trap that could not be spooled. */
bool deliver_now(struct deliverer *deliverer, const struct trap *trap);

/* Milliseconds until the next attempt at a target that is down; 0 means at once. */
int64_t deliver_pause(const struct deliverer *deliverer, int64_t now_ms);

void deliver_release(struct deliverer *deliverer);

#endif
