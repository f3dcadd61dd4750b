/* Whether a message is as recent as it says: RFC 3414, section 3.2, step 7 b, for an engine that is
 * not our own. Pure; it keeps as little as possible for each engine. */
#ifndef DCAMP_SNMPV3_ENGINE_TIME_H
#define DCAMP_SNMPV3_ENGINE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#define ENGINE_TIME_WINDOW 150      /* seconds */
#define ENGINE_BOOTS_MAX 2147483647 /* where an engine's counter stays; then nothing is recent */

struct engine_time {
    uint32_t boots;    /* 0: none known */
    uint32_t time;     /* of the latest message, in seconds since that boot */
    uint64_t heard_ns; /* monotonic: when that message came; 0: no message of this boot has come */
};

/* Takes the boots that were told from elsewhere; if they differ from the known ones, the time is
 * not known any more. */
void engine_time_set_boots(struct engine_time *known, uint32_t boots);

/* The engine's time now, in seconds, estimated from its latest message. */
uint32_t engine_time_estimate(const struct engine_time *known, uint64_t now_ns);

/* To be called before the message is known to be authentic. */
bool engine_time_is_recent(const struct engine_time *known, long boots, long time, uint64_t now_ns);

/* To be called once the message is known to be authentic. */
void engine_time_advance(struct engine_time *known, long boots, long time, uint64_t now_ns);

#endif
