/* Inside alarm/: the log of what happened to alarms. */
#ifndef DCAMP_ALARM_HISTORY_H
#define DCAMP_ALARM_HISTORY_H

#include "alarm/alarm.h"

/* Logs an event under a new sequence number; event and number are entered into the facts, too.
 * False, and no change: no memory. */
bool history_add(struct alarms *alarms, enum alarm_event event, struct alarm_facts *facts,
                 struct moment now);
/* Returns NULL if the log does not go back that far. */
struct alarm_entry *history_find(const struct alarms *alarms, uint32_t sequence);
/* Notes why receivers are not told of an event. */
void history_hold(struct alarms *alarms, uint32_t sequence, enum alarm_hold hold);
void history_trim(struct alarms *alarms);
void history_release(struct alarms *alarms);

#endif
