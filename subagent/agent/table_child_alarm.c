/* dcampChildAlarmTable: the active alarms of everything below. */
#include "agent/tables.h"
#include "base/text.h"
#include "agent/view.h"
#include "children/children.h"

#define TEXT(name, which)                                                                          \
    static bool name(const struct view *view, const void *row, struct mib_value *value)            \
    {                                                                                              \
        (void)view;                                                                                \
        return give_text(value, ((const struct child_alarm *)row)->text[which]);                   \
    }

TEXT(key, REPORT_ALARM_KEY)
TEXT(node, REPORT_ALARM_NODE)
TEXT(threshold, REPORT_ALARM_THRESHOLD)
TEXT(sensor, REPORT_ALARM_SENSOR)
TEXT(instance, REPORT_ALARM_INSTANCE)
TEXT(value_text, REPORT_ALARM_VALUE)
TEXT(threshold_text, REPORT_ALARM_LIMIT)
TEXT(message, REPORT_ALARM_MESSAGE)
TEXT(acknowledged, REPORT_ALARM_ACKNOWLEDGED)

static bool path(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct child_alarm *alarm = row;
    const char *rest = alarm->text[REPORT_ALARM_PATH];
    text_format(value->room, sizeof value->room, "%s%s%s", alarm->child->name, *rest ? "/" : "",
                rest);
    return give_text(value, value->room);
}

static bool index_there(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct child_alarm *)row)->index);
}

static bool severity(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct child_alarm *)row)->severity);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_date(value, ((const struct child_alarm *)row)->since_ms);
}

static bool acknowledged_at(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    int64_t wall_ms = ((const struct child_alarm *)row)->acknowledged_ms;
    return wall_ms && give_date(value, wall_ms);
}

static bool unconfirmed(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_truth(value, child_alarm_unconfirmed_ms(row) != 0);
}

static bool unconfirmed_since(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    int64_t wall_ms = child_alarm_unconfirmed_ms(row);
    return wall_ms && give_date(value, wall_ms);
}

static const struct index *rows(const struct view *view)
{
    return &view->children->below;
}

static const struct column columns[] = {
    {MIB_dcampChildAlarmPath, path, NULL},
    {MIB_dcampChildAlarmIndex, index_there, NULL},
    {MIB_dcampChildAlarmKey, key, NULL},
    {MIB_dcampChildAlarmNode, node, NULL},
    {MIB_dcampChildAlarmThreshold, threshold, NULL},
    {MIB_dcampChildAlarmSensor, sensor, NULL},
    {MIB_dcampChildAlarmInstance, instance, NULL},
    {MIB_dcampChildAlarmSeverity, severity, NULL},
    {MIB_dcampChildAlarmSince, since, NULL},
    {MIB_dcampChildAlarmValueText, value_text, NULL},
    {MIB_dcampChildAlarmThresholdText, threshold_text, NULL},
    {MIB_dcampChildAlarmMessage, message, NULL},
    {MIB_dcampChildAlarmAcknowledged, acknowledged, NULL},
    {MIB_dcampChildAlarmAcknowledgedAt, acknowledged_at, NULL},
    {MIB_dcampChildAlarmUnconfirmed, unconfirmed, NULL},
    {MIB_dcampChildAlarmUnconfirmedSince, unconfirmed_since, NULL},
};

const struct table table_child_alarm = {
    .object = MIB_dcampChildAlarmTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};

static bool revision(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->alarm_changes);
}

static const struct column head_columns[] = {{MIB_dcampChildAlarmRevision, revision, NULL}};

const struct table table_child_alarm_head = {
    .object = MIB_dcampChildren,
    .columns = head_columns,
    .n_columns = sizeof head_columns / sizeof *head_columns,
};
