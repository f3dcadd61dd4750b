/* The columns of dcampAlarmTable, for notifications. */
#ifndef DCAMP_AGENT_TABLE_ALARM_H
#define DCAMP_AGENT_TABLE_ALARM_H

#include "agent/mib_value.h"
#include "alarm/alarm.h"

/* A column of dcampAlarmTable, for a row that need not be in the table. */
bool alarm_column(int object, const struct alarm *alarm, struct mib_value *value);

#endif
