#include <time.h>

#include "dcamp_mib.h"
#include "trapd-handlers/format.h"

enum service_state format_state(uint32_t severity)
{
    if (severity == dcampAlarmSeverity_critical)
        return SERVICE_CRITICAL;
    return severity == dcampAlarmSeverity_warning ? SERVICE_WARNING : SERVICE_OK;
}

const char *format_state_name(enum service_state state)
{
    static const char *const names[] = {"OK", "WARNING", "CRITICAL"};
    return names[state];
}

void format_time(struct buffer *buffer, int64_t millis)
{
    time_t seconds = (time_t)(millis / 1000);
    char text[64];
    struct tm tm;
    if (!gmtime_r(&seconds, &tm) || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm) == 0) {
        buffer->failed = true;
        return;
    }
    buffer_format(buffer, "%s.%03dZ", text, (int)(millis % 1000));
}
