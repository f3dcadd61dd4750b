/* Conditions: alarms of the alarms of several thresholds. Which of them have one is all that
 * counts, so that a condition has no state of its own: its alarms are what the table has of it. */
#ifndef DCAMP_WATCH_CONDITIONS_H
#define DCAMP_WATCH_CONDITIONS_H

#include "watch/watch.h"

struct conditions {
    uint64_t transitions; /* of the watches, when they were last looked at */
    uint32_t serial;      /* of the configuration, likewise */
    bool looked;
};

/* Raises and clears what follows from the alarms of the watches, where anything has changed. While
 * a member had an alarm before a restart whose series may come yet, what may depend on it is not
 * cleared. */
void conditions_step(struct conditions *conditions, const struct watches *watches,
                     const struct config *config, struct moment now);

#endif
