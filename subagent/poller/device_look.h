/* Looking through a device: walks along columns, and the series that result from them. */
#ifndef DCAMP_POLLER_DEVICE_LOOK_H
#define DCAMP_POLLER_DEVICE_LOOK_H

#include "poller/device.h"

/* Tells what is wrong with an object, once until the device is looked through again. */
void device_fault(struct device *device, size_t object, const char *text,
                  const struct device_events *events);

/* A look begins. Instances that were not there, or were refused, may be there again. */
void device_look_begin(struct device *device, uint64_t now);

/* Takes an answer to a GETBULK, as device_answer does. */
const char *device_take_bulk(struct device *device, const struct device_answer *answer,
                             const struct device_events *events, uint64_t now);

#endif
