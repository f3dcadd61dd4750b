/* dcampAlarmTable and dcampAlarmLogTable. */
#include "agent/table_alarm.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "alarm/alarm.h"

/* The facts stand at the same offset in alarms and in log entries: their getters serve both
 * tables. */
_Static_assert(offsetof(struct alarm, facts) == offsetof(struct alarm_entry, facts),
               "alarms and log entries begin alike");

static const struct alarm_facts *facts_of(const void *row)
{
    return &((const struct alarm *)row)->facts;
}

static bool key(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->key);
}

static bool node(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->node);
}

static bool sensor(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->sensor);
}

static bool instance(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->instance);
}

static bool threshold(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->threshold);
}

static bool value_text(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->value);
}

static bool threshold_text(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->limit);
}

static bool severity_word(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, severity_text(facts_of(row)->severity));
}

static bool severity(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, facts_of(row)->severity);
}

static bool sequence(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, facts_of(row)->sequence);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_date(value, facts_of(row)->since_ms);
}

static bool suppressed(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, facts_of(row)->suppressed);
}

static bool message(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, facts_of(row)->message);
}

static bool event(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, facts_of(row)->event);
}

static const struct alarm *alarm_of(const void *row)
{
    return row;
}

static bool acknowledged(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, alarm_of(row)->memory.acknowledged);
}

static bool acknowledge(const struct view *view, const void *row, const char *text)
{
    return alarm_acknowledge(view->alarms, alarm_of(row)->facts.key, text, view->now);
}

static bool acknowledged_at(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return alarm_of(row)->memory.acknowledged_at &&
           give_date(value, alarm_of(row)->memory.acknowledged_ms);
}

static bool alarm_held(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, alarm_of(row)->hold);
}

static const struct index *alarms(const struct view *view)
{
    return &view->alarms->active;
}

static const struct column alarm_columns[] = {
    {MIB_dcampAlarmKey, key, NULL},
    {MIB_dcampAlarmNode, node, NULL},
    {MIB_dcampAlarmSensor, sensor, NULL},
    {MIB_dcampAlarmValueText, value_text, NULL},
    {MIB_dcampAlarmThresholdText, threshold_text, NULL},
    {MIB_dcampAlarmSeverityText, severity_word, NULL},
    {MIB_dcampAlarmSeverity, severity, NULL},
    {MIB_dcampAlarmSequence, sequence, NULL},
    {MIB_dcampAlarmSince, since, NULL},
    {MIB_dcampAlarmSuppressed, suppressed, NULL},
    {MIB_dcampAlarmMessage, message, NULL},
    {MIB_dcampAlarmInstance, instance, NULL},
    {MIB_dcampAlarmThreshold, threshold, NULL},
    {MIB_dcampAlarmAcknowledge, acknowledged, NULL},
    {MIB_dcampAlarmAcknowledgedAt, acknowledged_at, NULL},
    {MIB_dcampAlarmHeld, alarm_held, NULL},
    {MIB_dcampAlarmEvent, event, NULL},
};

const struct table table_alarm = {
    .object = MIB_dcampAlarmTable,
    .rows = alarms,
    .columns = alarm_columns,
    .n_columns = sizeof alarm_columns / sizeof *alarm_columns,
    .acts = MIB_dcampAlarmAcknowledge,
    .act = acknowledge,
};

bool alarm_column(int object, const struct alarm *alarm, struct mib_value *value)
{
    for (size_t i = 0; i < table_alarm.n_columns; i++)
        if ((int)alarm_columns[i].object == object)
            return alarm_columns[i].get(NULL, alarm, value);
    return false;
}

static bool when(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_date(value, ((const struct alarm_entry *)row)->wall_ms);
}

static bool notified(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_truth(value, ((const struct alarm_entry *)row)->notified);
}

static bool entry_held(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct alarm_entry *)row)->hold);
}

static const struct index *entries(const struct view *view)
{
    return &view->alarms->log;
}

static const struct column log_columns[] = {
    {MIB_dcampAlarmLogTime, when, NULL},
    {MIB_dcampAlarmLogEvent, event, NULL},
    {MIB_dcampAlarmLogNotified, notified, NULL},
    {MIB_dcampAlarmLogKey, key, NULL},
    {MIB_dcampAlarmLogNode, node, NULL},
    {MIB_dcampAlarmLogThreshold, threshold, NULL},
    {MIB_dcampAlarmLogSensor, sensor, NULL},
    {MIB_dcampAlarmLogInstance, instance, NULL},
    {MIB_dcampAlarmLogValueText, value_text, NULL},
    {MIB_dcampAlarmLogThresholdText, threshold_text, NULL},
    {MIB_dcampAlarmLogSeverity, severity, NULL},
    {MIB_dcampAlarmLogSuppressed, suppressed, NULL},
    {MIB_dcampAlarmLogMessage, message, NULL},
    {MIB_dcampAlarmLogHeld, entry_held, NULL},
};

const struct table table_alarm_log = {
    .object = MIB_dcampAlarmLogTable,
    .rows = entries,
    .columns = log_columns,
    .n_columns = sizeof log_columns / sizeof *log_columns,
};
