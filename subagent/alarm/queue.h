/* Inside alarm/: the notification queue and its rate limit, a bucket of tokens. */
#ifndef DCAMP_ALARM_QUEUE_H
#define DCAMP_ALARM_QUEUE_H

#include "alarm/alarm.h"

/* The cost of a token, in nanoseconds of credit; 0: there is no limit. */
uint64_t token_cost(const struct alarm_limits *limits);
void bucket_fill(struct alarms *alarms, uint64_t now_ns);
/* After a change of the limits, keeps the whole tokens, as far as they fit. */
void bucket_adapt(struct alarms *alarms, const struct alarm_limits *old);
/* How many tokens there are; SIZE_MAX if there is no limit. */
size_t bucket_tokens(struct alarms *alarms, uint64_t now_ns);
void bucket_take(struct alarms *alarms);

void queue_init(struct alarms *alarms);
void queue_release(struct alarms *alarms);
/* How many more notifications fit into the queue. */
size_t queue_room(const struct alarms *alarms);
/* How many notifications may be pushed now: each needs a token and room in the queue. */
size_t queue_takes(struct alarms *alarms, uint64_t now_ns);
/* Takes over the notification; there must be room for it. */
void queue_push(struct alarms *alarms, struct notification *notification);
/* After a change of the limits: drops the oldest notifications that are too many. */
void queue_trim(struct alarms *alarms);

#endif
