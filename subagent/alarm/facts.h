/* Inside alarm/: texts of facts that may be published. */
#ifndef DCAMP_ALARM_FACTS_H
#define DCAMP_ALARM_FACTS_H

#include "alarm/alarm.h"

/* Facts whose text is fit for publication, from facts whose text may be anything. */
void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts);

#endif
