/* Conditions: alarms of the alarms of several thresholds. All that counts is which of them have an
 * alarm, so a condition has no state of its own: its state is the alarms of it in the table. */
#ifndef DCAMP_WATCH_CONDITIONS_H
#define DCAMP_WATCH_CONDITIONS_H

#include "watch/watch.h"

struct conditions {
    uint64_t transitions; /* of the watches, when they were last looked at */
    uint32_t serial;      /* of the configuration, likewise */
    bool looked;
};

/* Raises and clears what follows from the alarms of the watches, if anything has changed. While a
 * member that had an alarm before a restart may still get its series, nothing that may depend on it
 * is cleared. */
void conditions_step(struct conditions *conditions, const struct watches *watches,
                     const struct config *config, struct moment now);

#endif
