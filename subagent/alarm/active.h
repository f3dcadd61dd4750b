/* Inside alarm/: the alarms that are active, by their number and by their key. */
#ifndef DCAMP_ALARM_ACTIVE_H
#define DCAMP_ALARM_ACTIVE_H

#include "alarm/alarm.h"

/* Returns NULL if no alarm is active under that key. */
struct alarm *active_find(const struct alarms *alarms, const char *key);

/* Adds an alarm that is not active, in two steps. The first adds it under its key; false, and no
 * change: no memory. The second adds it under its number, and to what the parent is told, and needs
 * no memory. */
bool active_add_key(struct alarms *alarms, struct alarm *alarm);
void active_add(struct alarms *alarms, struct alarm *alarm, uint32_t index);

/* Undoes active_add_key; only before active_add. */
void active_remove_key(struct alarms *alarms, struct alarm *alarm);

/* Removes the alarm and frees it. */
void active_remove(struct alarms *alarms, struct alarm *alarm);

#endif
