/* Polling of a child begins and ends: its poller is told, and the receiver of pushed blocks. */
#ifndef DCAMP_CHILDREN_POLLING_H
#define DCAMP_CHILDREN_POLLING_H

struct child;
struct children;

/* Tells the poller of the child where that is, and how to ask it. One that polls it already goes on
 * with what it has learned. */
void child_tell_row(const struct children *children, const struct child *child);

/* Tells the poller of the child all that it needs to know; if it is a device, also what it is
 * polled for. */
void child_tell_poller(const struct children *children, const struct child *child);

/* Tells the poller that the child is polled no more. */
void child_forget_at_poller(const struct children *children, const struct child *child);

/* The child is polled again, under another id: what was under way when its poller forgot it does
 * not count any more. */
void child_begin_polling(struct children *children, struct child *child);

#endif
