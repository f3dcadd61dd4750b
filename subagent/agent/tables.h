/* What the tables share with each other and with the notifications. */
#ifndef DCAMP_AGENT_TABLES_H
#define DCAMP_AGENT_TABLES_H

#include "agent/engine.h"

extern const struct table table_node, table_self, table_sampler, table_resource, table_process,
    table_sensor, table_value, table_filter, table_report_head, table_report, table_series,
    table_threshold, table_threshold_state, table_alarm, table_alarm_log, table_child,
    table_child_value, table_child_alarm, table_child_alarm_head, table_aggregate,
    table_aggregate_value, table_object, table_maintenance, table_condition;

/* A column of dcampAlarmTable, for a row that need not be in the table. */
bool alarm_column(int object, const struct alarm *alarm, struct mib_value *value);

/* A number as decimal text, and in thousandths. False: an Integer32 cannot hold these; a wrong
 * number is worse than none. */
bool give_decimal(struct mib_value *value, double number);
bool give_milli(struct mib_value *value, double number);

/* When something happened, by the monotonic clock, as the dcampNodeUpTime of that moment. */
bool give_stamp(const struct view *view, struct mib_value *value, uint64_t when_ns);

/* The columns that every configuration table has. */
bool give_storage(const struct view *view, const void *row, struct mib_value *value);
bool give_status(const struct view *view, const void *row, struct mib_value *value);

/* Why an active row does not work; empty: it does, or is not active. The words are those of
 * dcampd --check-config. */
bool give_error(const struct view *view, const void *row, struct mib_value *value);

#endif
