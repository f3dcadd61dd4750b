/* What alarm.c and queue.c share. */
#ifndef DCAMP_ALARM_INTERNAL_H
#define DCAMP_ALARM_INTERNAL_H

#include "alarm/alarm.h"

/* Logs an event under a new sequence number and notifies of it, if it is one that is notified
 * and the bucket has a token. Fills in sequence and suppressed. False, and no change, without
 * memory. index: of the alarm; 0: the new sequence number becomes it. */
bool alarm_record(struct alarms *alarms, uint32_t index, enum alarm_event event,
                  struct alarm_facts *facts, struct moment now);

/* Facts whose text is fit for publication, from facts whose text may be anything. */
void alarm_facts_clean(struct alarm_facts *clean, const struct alarm_facts *facts);

void bucket_fill(struct alarms *alarms, uint64_t now_ns);
/* After a change of limits: keeps the whole tokens, as far as they fit. */
void bucket_adapt(struct alarms *alarms, const struct alarm_limits *old);
bool bucket_has_token(struct alarms *alarms, uint64_t now_ns);
void bucket_take(struct alarms *alarms);

void queue_init(struct alarms *alarms);
void queue_release(struct alarms *alarms);
/* Takes over the notification. */
void queue_push(struct alarms *alarms, struct notification *notification);
/* Drops the oldest beyond the limit. */
void queue_trim(struct alarms *alarms);

#endif
