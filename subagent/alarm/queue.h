/* Inside alarm/: the notification queue and its rate limit, a bucket of tokens. */
#ifndef DCAMP_ALARM_QUEUE_H
#define DCAMP_ALARM_QUEUE_H

#include "alarm/alarm.h"

/* What a token costs, in nanoseconds of credit; 0: there is no limit. */
uint64_t token_cost(const struct alarm_limits *limits);
void bucket_fill(struct alarms *alarms, uint64_t now_ns);
/* Keeps the whole tokens after a change of limits, as far as they fit. */
void bucket_adapt(struct alarms *alarms, const struct alarm_limits *old);
/* SIZE_MAX without a limit. */
size_t bucket_tokens(struct alarms *alarms, uint64_t now_ns);
void bucket_take(struct alarms *alarms);

void queue_init(struct alarms *alarms);
void queue_release(struct alarms *alarms);
/* How many more fit. */
size_t queue_room(const struct alarms *alarms);
/* How many notifications may be pushed now: there must be a token and room for each. */
size_t queue_takes(struct alarms *alarms, uint64_t now_ns);
/* Takes over the notification; there must be room. */
void queue_push(struct alarms *alarms, struct notification *notification);
/* After a change of the limits: drops the oldest beyond the new one. */
void queue_trim(struct alarms *alarms);

#endif
