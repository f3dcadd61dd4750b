/* What an alarm of a rule says, in words: pure. */
#ifndef DCAMP_WATCH_WORDING_H
#define DCAMP_WATCH_WORDING_H

#include "alarm/alarm.h"
#include "watch/input.h"

/* The limit of the present severity, or the lowest limit if there is none: "> 90". */
void wording_limit(const struct watch_rule *rule, enum severity severity,
                   struct alarm_facts *facts);

/* The message with a reason in the place of a value; */
void wording_reason(const struct watch_rule *rule, const char *why, struct alarm_facts *facts);

/* or the message with the value and the limit of the facts. how: "is" or "is back at"; special:
 * that of the watch, or NULL. */
void wording_value(const struct watch_rule *rule, const struct series_view *view, const char *how,
                   const struct watch_special *special, struct alarm_facts *facts);

#endif
