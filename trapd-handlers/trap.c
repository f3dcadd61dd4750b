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
    [TRAP_ROLE] = MIB_dcampRoleChanged,
};

const char *trap_name(const struct trap *trap)
{
    return mib_objects[notifications[trap->event]].name;
}

const char *trap_rule(const struct trap *trap)
{
    return trap->event == TRAP_SUPPRESSED ? "notifications" : trap->text[TRAP_THRESHOLD];
}

bool trap_is_clear(const struct trap *trap)
{
    return trap->event == TRAP_CLEARED || trap->event == TRAP_JOINED || trap->event == TRAP_ROLE;
}

static const char *label_of(int object, uint32_t number)
{
    const struct mib_info *info = &mib_objects[object];
    for (size_t i = 0; i < info->n_labels; i++)
        if (info->labels[i].value == (int32_t)number)
            return info->labels[i].name;
    return "unknown";
}

const char *trap_severity_name(uint32_t severity)
{
    return label_of(MIB_dcampAlarmSeverity, severity);
}

const char *trap_happened_name(uint32_t happened)
{
    return label_of(MIB_dcampAlarmEvent, happened);
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
