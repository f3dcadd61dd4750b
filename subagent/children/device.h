/* Children that are devices, SNMP agents of any kind: what they are polled for, and the values in
 * their answers. */
#ifndef DCAMP_CHILDREN_DEVICE_H
#define DCAMP_CHILDREN_DEVICE_H

#include <stdbool.h>

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

/* Makes the child a device without any objects. False: no memory. */
bool child_device_begin(struct child *child);
void child_device_free(struct child *child);

/* Gives the device the objects that match it. True: they differ from those before, and it begins
 * anew. */
bool child_device_choose(struct children *children, struct child *child, struct moment now);

/* The device begins anew: what pollers said of its series is not valid any more. */
void child_device_renew(struct children *children, struct child *child, struct moment now);

/* Tells its poller what the device is polled for, or notes in child->untold that this must be
 * done. */
void child_device_tell(const struct children *children, struct child *child);

/* Takes what its poller says of it: MESSAGE_INSTANCE, MESSAGE_SAMPLES, MESSAGE_FAULT. Any other
 * message is ignored, and so is what was said before the objects changed. */
void child_device_message(struct children *children, struct child *child,
                          const struct message *message, struct moment now);

#endif
