#include "snmpv3/engine_time.h"

#include "base/clock.h"

void engine_time_set_boots(struct engine_time *known, uint32_t boots)
{
    if (known->boots != boots)
        *known = (struct engine_time){.boots = boots};
}

uint32_t engine_time_estimate(const struct engine_time *known, uint64_t now_ns)
{
    uint64_t since = now_ns > known->heard_ns ? now_ns - known->heard_ns : 0;
    uint64_t time = known->heard_ns ? known->time + since / NS_PER_S : 0;
    return time < ENGINE_BOOTS_MAX ? (uint32_t)time : ENGINE_BOOTS_MAX;
}

bool engine_time_is_recent(const struct engine_time *known, long boots, long time, uint64_t now_ns)
{
    if (boots < 0 || boots >= ENGINE_BOOTS_MAX || time < 0 || time > ENGINE_BOOTS_MAX ||
        (uint64_t)boots < known->boots)
        return false;
    return (uint64_t)boots > known->boots ||
           (uint64_t)time + ENGINE_TIME_WINDOW >= engine_time_estimate(known, now_ns);
}

/* An older message within the window does not set the time back. */
void engine_time_advance(struct engine_time *known, long boots, long time, uint64_t now_ns)
{
    if ((uint64_t)boots == known->boots && known->heard_ns && (uint64_t)time <= known->time)
        return;
    *known = (struct engine_time){
        .boots = (uint32_t)boots, .time = (uint32_t)time, .heard_ns = now_ns ? now_ns : 1};
}
