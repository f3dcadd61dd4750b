/* Polling of a child begins and ends: its poller is told, and the receiver of pushed blocks.
 *
 * Where there is no room for what is told, it waits with the child, and is told as the child is
 * when there is room: whatever changes meanwhile is told once. Of a child that its poller does not
 * know yet, nothing is told before that. */
#ifndef DCAMP_CHILDREN_POLLING_H
#define DCAMP_CHILDREN_POLLING_H

#include <stdbool.h>

#include "base/clock.h"

struct child;
struct children;

/* What waits to be told of a child. */
struct child_untold {
    bool all : 1;     /* its poller does not know it */
    bool row : 1;     /* child_tell_row */
    bool objects : 1; /* child_device_tell */
    bool sender : 1;  /* child_tell_receiver */
};

/* Tells the poller of the child where that is, and how to ask it. One that polls it already goes on
 * with what it has learned. */
void child_tell_row(const struct children *children, struct child *child);

/* Tells the poller of the child, which does not know it, all that it needs to know; if it is a
 * device, also what it is polled for. */
void child_tell_poller(const struct children *children, struct child *child);

/* Tells the poller of the child what waits to be told. False: there is no room for all of it. */
bool child_tell_waiting(struct children *children, struct child *child, struct moment now);

/* Tells the poller that the child is polled no more. Nothing else waits to be told of it. */
void child_forget_at_poller(const struct children *children, struct child *child);

/* The child is polled again, under another id: what was under way when its poller forgot it does
 * not count any more. */
void child_begin_polling(struct children *children, struct child *child);

#endif
