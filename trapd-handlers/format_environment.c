/* The environment of dcamp-trap exec. */
#include <inttypes.h>
#include <string.h>

#include "trapd-handlers/format.h"

static void put(struct buffer *buffer, const char *name, const char *value)
{
    buffer_text(buffer, name);
    buffer_text(buffer, "=");
    buffer_clean(buffer, value, "", ' ');
    buffer_put(buffer, "", 1);
}

static void put_number(struct buffer *buffer, const char *name, uint32_t number)
{
    buffer_format(buffer, "%s=%" PRIu32, name, number);
    buffer_put(buffer, "", 1);
}

static void put_time(struct buffer *buffer, const char *name, int64_t millis)
{
    buffer_format(buffer, "%s=", name);
    if (millis > 0)
        format_time(buffer, millis);
    buffer_put(buffer, "", 1);
}

void format_environment(struct buffer *buffer, const struct trap *trap)
{
    put(buffer, "DCAMP_EVENT", trap_name(trap));
    put(buffer, "DCAMP_ALARM_EVENT", trap_happened_name(trap->happened));
    put(buffer, "DCAMP_STATE", trap_is_clear(trap) ? "clear" : "raised");
    put(buffer, "DCAMP_KEY", trap->text[TRAP_KEY]);
    put(buffer, "DCAMP_NODE", trap->text[TRAP_NODE]);
    put(buffer, "DCAMP_RULE", trap_rule(trap));
    put(buffer, "DCAMP_INSTANCE", trap->text[TRAP_INSTANCE]);
    put(buffer, "DCAMP_SENSOR", trap->text[TRAP_SENSOR]);
    put(buffer, "DCAMP_VALUE", trap->text[TRAP_VALUE]);
    put(buffer, "DCAMP_LIMIT", trap->text[TRAP_LIMIT]);
    put(buffer, "DCAMP_SEVERITY", trap_severity_name(trap->severity));
    put_number(buffer, "DCAMP_SEQUENCE", trap->sequence);
    put_number(buffer, "DCAMP_SUPPRESSED", trap->suppressed);
    put_time(buffer, "DCAMP_SINCE", trap->since_ms);
    put_time(buffer, "DCAMP_RECEIVED", trap->received_ms);
    put(buffer, "DCAMP_MESSAGE", trap->text[TRAP_MESSAGE]);
    put(buffer, "DCAMP_ADDRESS", trap->address);
    put(buffer, "DCAMP_SOURCE", trap->source);
}
