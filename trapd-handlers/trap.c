#include "trapd-handlers/trap.h"

#include <string.h>

#include "base/text.h"
#include "dcamp_mib.h"

static const int notifications[TRAP_EVENTS] = {
    [TRAP_RAISED] = MIB_dcampAlarmRaised,
    [TRAP_CLEARED] = MIB_dcampAlarmCleared,
    [TRAP_SUPPRESSED] = MIB_dcampAlarmsSuppressed,
    [TRAP_JOINED] = MIB_dcampNodeJoined,
    [TRAP_LOST] = MIB_dcampNodeLost,
};

const char *trap_name(const struct trap *trap)
{
    return mib_objects[notifications[trap->event]].name;
}

static const char *after_colon(const char *text)
{
    const char *colon = strchr(text, ':');
    return colon ? colon + 1 : NULL;
}

struct trap_part trap_rule(const struct trap *trap)
{
    static const char summary[] = "notifications";
    if (trap->event == TRAP_SUPPRESSED)
        return (struct trap_part){summary, sizeof summary - 1};
    const char *rule = after_colon(trap->text[TRAP_KEY]);
    if (!rule)
        return (struct trap_part){trap->text[TRAP_KEY], strlen(trap->text[TRAP_KEY])};
    return (struct trap_part){rule, strcspn(rule, ":")};
}

struct trap_part trap_instance(const struct trap *trap)
{
    const char *rule = after_colon(trap->text[TRAP_KEY]);
    const char *instance = rule ? after_colon(rule) : NULL;
    return (struct trap_part){instance ? instance : "", instance ? strlen(instance) : 0};
}

bool trap_is_clear(const struct trap *trap)
{
    return trap->event == TRAP_CLEARED || trap->event == TRAP_JOINED;
}

const char *trap_severity_name(uint32_t severity)
{
    const struct mib_info *info = &mib_objects[MIB_dcampAlarmSeverity];
    for (size_t i = 0; i < info->n_labels; i++)
        if (info->labels[i].value == (int32_t)severity)
            return info->labels[i].name;
    return "unknown";
}

/* FNV-1a with 64 bits (draft-eastlake-fnv). */
static uint64_t add_octets(uint64_t hash, const void *octets, size_t len)
{
    const unsigned char *at = octets;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash;
}

uint64_t trap_digest(const struct trap *trap)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    hash = add_octets(hash, &trap->event, sizeof trap->event);
    hash = add_octets(hash, &trap->sequence, sizeof trap->sequence);
    hash = add_octets(hash, &trap->since_ms, sizeof trap->since_ms);
    hash = add_octets(hash, trap->address, strlen(trap->address) + 1);
    for (size_t i = 0; i < TRAP_TEXTS; i++)
        hash = add_octets(hash, trap->text[i], strlen(trap->text[i]) + 1);
    return hash ? hash : 1;
}
