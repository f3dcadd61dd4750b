/* Polling of a child begins and ends: its poller is told, and the receiver of pushed blocks.
 *
 * If there is no room for a message, the child notes that it waits. When there is room, the state
 * of that moment is told, so that several changes meanwhile are told once. Nothing is told of a
 * child before its poller knows the child itself. */
#ifndef DCAMP_CHILDREN_POLLING_H
#define DCAMP_CHILDREN_POLLING_H

#include <stdbool.h>

#include "base/clock.h"

struct child;
struct children;

/* What waits to be told of a child. */
struct child_untold {
    bool all : 1;     /* its poller does not know the child */
    bool row : 1;     /* child_tell_row */
    bool objects : 1; /* child_device_tell */
    bool sender : 1;  /* child_tell_receiver */
};

/* Tells the poller of the child where the child is, and how to ask it. A poller that polls it
 * already keeps what it has learned. */
void child_tell_row(const struct children *children, struct child *child);

/* Tells a poller that does not know the child yet everything that it needs to know; if the child is
 * a device, also what it is polled for. */
void child_tell_poller(const struct children *children, struct child *child);

/* Tells the poller of the child what waits to be told. False: there is no room for all of it. */
bool child_tell_waiting(struct children *children, struct child *child, struct moment now);

/* Tells the poller that the child is not polled any more. Nothing else waits to be told of it. */
void child_forget_at_poller(const struct children *children, struct child *child);

/* The child is polled again, under another id: what was under way when its poller forgot it is not
 * valid any more. */
void child_begin_polling(struct children *children, struct child *child);

#endif
