#include "director/reach.h"

#include <stdbool.h>

#include "base/clock.h"
#include "base/text.h"

/* For how many heartbeats a parent must say it in each look before it counts. */
#define HEARTBEATS 3

/* The longest time between two questions of a poller to a silent child (poller/pace.c), unless the
 * period is longer; and the time that an answer may take. */
#define BACK_OFF (30 * NS_PER_S)
#define ANSWER (5 * NS_PER_S)

/* The pause between the first two moves; it doubles with each further move. */
#define PAUSE (60 * NS_PER_S)
#define DOUBLINGS_MAX 6

/* How long after the latest move everything is forgotten, unless twice the pause is longer: links
 * are repaired. */
#define FORGOTTEN (3600 * NS_PER_S)

void reach_answered(struct reach *reach, uint64_t now_ns)
{
    if (reach->well_ns == 0)
        reach->well_ns = now_ns;
}

void reach_missed(struct reach *reach)
{
    reach->well_ns = 0;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t pause_after(const struct reach *reach)
{
    uint32_t doublings = reach->moves - 1;
    return PAUSE << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

static bool is_forgotten(const struct reach *reach, uint64_t now_ns)
{
    return reach->moves == 0 ||
           now_ns >= reach->avoids_ns + later(FORGOTTEN, 2 * pause_after(reach));
}

static void avoid(struct reach *reach, const char *parent, uint64_t now_ns)
{
    reach->moves = is_forgotten(reach, now_ns) ? 1 : reach->moves + (reach->moves < UINT32_MAX);
    reach->avoids_ns = now_ns;
    text_format(reach->avoids, sizeof reach->avoids, "%s", parent);
    reach->since_ns = reach->told_ns = 0;
}

enum reach_verdict reach_told(struct reach *reach, const char *parent, uint64_t seen_ns,
                              const struct reach_rules *rules, uint64_t now_ns)
{
    uint64_t patience = HEARTBEATS * rules->heartbeat_ns;
    if (reach->told_ns == 0 || now_ns > reach->told_ns + patience)
        reach->since_ns = now_ns;
    reach->told_ns = now_ns;
    uint64_t due_ns = later(reach->since_ns + patience,
                            reach->well_ns + later(BACK_OFF, rules->period_ns) + ANSWER);
    bool is_paused = reach->moves > 0 && now_ns < reach->avoids_ns + pause_after(reach);
    if (reach->well_ns == 0 || now_ns < due_ns || is_paused)
        return REACH_WAIT;
    if (seen_ns < due_ns)
        return REACH_LOOK;
    avoid(reach, parent, now_ns);
    return REACH_MOVE;
}

const char *reach_avoids(const struct reach *reach, uint64_t now_ns)
{
    return is_forgotten(reach, now_ns) ? "" : reach->avoids;
}
