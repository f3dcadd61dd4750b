#include "alarm/active.h"

#include <stdlib.h>
#include <string.h>

struct alarm *active_find(const struct alarms *alarms, const char *key)
{
    struct alarm *alarm;
    HASH_FIND(by_key, alarms->by_key, key, (unsigned)strlen(key), alarm);
    return alarm;
}

bool active_add_key(struct alarms *alarms, struct alarm *alarm)
{
    HASH_ADD_KEYPTR(by_key, alarms->by_key, alarm->facts.key, (unsigned)strlen(alarm->facts.key),
                    alarm);
    return table_has(by_key, alarm);
}

void active_remove_key(struct alarms *alarms, struct alarm *alarm)
{
    HASH_DELETE(by_key, alarms->by_key, alarm);
}

static void put_text(struct report_alarm *report, enum report_alarm_text which, const char *text)
{
    report->text[which].at = text;
    report->text[which].len = strlen(text);
}

/* What the report blocks say of an active alarm. */
static void describe_active(const struct feed_item *item, struct report_alarm *report)
{
    const struct alarm *alarm = (const void *)((const char *)item - offsetof(struct alarm, fed));
    const struct alarm_facts *facts = &alarm->facts;
    report->index = alarm->index;
    report->since_ms = facts->since_ms;
    report->acknowledged_ms = alarm->memory.acknowledged_at ? alarm->memory.acknowledged_ms : 0;
    put_text(report, REPORT_ALARM_PATH, "");
    put_text(report, REPORT_ALARM_KEY, facts->key);
    put_text(report, REPORT_ALARM_NODE, facts->node);
    put_text(report, REPORT_ALARM_THRESHOLD, facts->threshold);
    put_text(report, REPORT_ALARM_SENSOR, facts->sensor);
    put_text(report, REPORT_ALARM_INSTANCE, facts->instance);
    put_text(report, REPORT_ALARM_VALUE, facts->value);
    put_text(report, REPORT_ALARM_LIMIT, facts->limit);
    put_text(report, REPORT_ALARM_MESSAGE, facts->message);
    put_text(report, REPORT_ALARM_ACKNOWLEDGED, alarm->memory.acknowledged);
}

void active_add(struct alarms *alarms, struct alarm *alarm, uint32_t index)
{
    alarm->index = index;
    alarm->node.key = &alarm->index;
    alarm->node.key_len = 1;
    index_add(&alarms->active, &alarm->node);
    feed_add(alarms->feed, &alarm->fed, index, alarm->facts.severity, describe_active);
}

void active_remove(struct alarms *alarms, struct alarm *alarm)
{
    alarms->repeating -= alarm->repeat_ms != 0;
    feed_remove(alarms->feed, &alarm->fed);
    active_remove_key(alarms, alarm);
    index_remove(&alarms->active, &alarm->node);
    free(alarm);
}
