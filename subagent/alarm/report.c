/* What the report blocks say of an active alarm. */
#include <string.h>

#include "alarm/internal.h"

static void put(struct report_alarm *report, enum report_alarm_text which, const char *text)
{
    report->text[which].at = text;
    report->text[which].len = strlen(text);
}

void alarm_describe(const struct feed_item *item, struct report_alarm *report)
{
    const struct alarm *alarm = (const void *)((const char *)item - offsetof(struct alarm, fed));
    const struct alarm_facts *facts = &alarm->facts;
    report->index = alarm->index;
    report->since_ms = facts->since_ms;
    report->acknowledged_ms = alarm->memory.acknowledged_at ? alarm->memory.acknowledged_ms : 0;
    put(report, REPORT_ALARM_PATH, "");
    put(report, REPORT_ALARM_KEY, facts->key);
    put(report, REPORT_ALARM_NODE, facts->node);
    put(report, REPORT_ALARM_THRESHOLD, facts->threshold);
    put(report, REPORT_ALARM_SENSOR, facts->sensor);
    put(report, REPORT_ALARM_INSTANCE, facts->instance);
    put(report, REPORT_ALARM_VALUE, facts->value);
    put(report, REPORT_ALARM_LIMIT, facts->limit);
    put(report, REPORT_ALARM_MESSAGE, facts->message);
    put(report, REPORT_ALARM_ACKNOWLEDGED, alarm->memory.acknowledged);
}
