/* Children that are devices, SNMP agents of any kind: what they are polled for, and values of what
 * they answer. */
#ifndef DCAMP_CHILDREN_DEVICE_H
#define DCAMP_CHILDREN_DEVICE_H

#include <stdbool.h>

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

/* Makes the child a device, which has no objects yet. False: no memory. */
bool child_device_begin(struct child *child);
void child_device_free(struct child *child);

/* Gives the device the objects that match it. True: they are others than before, and it begins
 * anew. */
bool child_device_choose(struct children *children, struct child *child, struct moment now);

/* The device begins anew: what pollers said of its series does not count any more. */
void child_device_renew(struct children *children, struct child *child, struct moment now);

/* Tells its poller what it is polled for, or leaves that in child->untold. */
void child_device_tell(const struct children *children, struct child *child);

/* What its poller says of it: MESSAGE_INSTANCE, MESSAGE_SAMPLES, MESSAGE_FAULT. Anything else, and
 * what was said before the objects changed, does not count. */
void child_device_message(struct children *children, struct child *child,
                          const struct message *message, struct moment now);

#endif
