/* Inside alarm/: texts of facts that are fit for publication. */
#ifndef DCAMP_ALARM_FACTS_H
#define DCAMP_ALARM_FACTS_H

#include "alarm/alarm.h"

/* Makes facts whose texts are fit for publication of facts whose texts may be anything. */
void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts);

#endif
