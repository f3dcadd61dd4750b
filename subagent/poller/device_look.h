/* What device.c and device_look.c share. */
#ifndef DCAMP_POLLER_DEVICE_LOOK_H
#define DCAMP_POLLER_DEVICE_LOOK_H

#include "poller/device.h"

/* Told once until the device is looked through again. */
void device_fault(struct device *device, size_t object, const char *text,
                  const struct device_events *events);

/* All columns have been walked. */
void device_look_end(struct device *device, uint64_t now);

/* An answer to a GETBULK, as device_answer. */
const char *device_take_bulk(struct device *device, const struct device_answer *answer,
                             const struct device_events *events, uint64_t now);

#endif
