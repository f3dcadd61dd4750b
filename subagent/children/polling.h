/* Polling of a child begins and ends: its poller is told, and the receiver of pushed blocks. */
#ifndef DCAMP_CHILDREN_POLLING_H
#define DCAMP_CHILDREN_POLLING_H

struct child;
struct children;

/* All that its poller needs to know of it; of a device, what it is polled for as well. */
void child_tell_poller(const struct children *children, const struct child *child);

/* It is polled no more. */
void child_forget_at_poller(const struct children *children, const struct child *child);

/* With another id: what was under way when it was forgotten says nothing of it any more. */
void child_begin_polling(struct children *children, struct child *child);

#endif
