/* The tables of the DCAMP-MIB. Each is in a file of its own. */
#ifndef DCAMP_AGENT_TABLES_H
#define DCAMP_AGENT_TABLES_H

#include "agent/table.h"

/* All of them, in no particular order. */
extern const struct table *const dcamp_tables[];
extern const size_t dcamp_table_count;

extern const struct table table_node, table_self, table_sampler, table_resource, table_process,
    table_inquiry, table_process_rank, table_sensor, table_value, table_filter, table_report_head,
    table_report, table_series, table_threshold, table_threshold_state, table_alarm,
    table_alarm_log, table_child, table_child_value, table_child_alarm, table_child_alarm_head,
    table_aggregate, table_aggregate_value, table_aggregate_top, table_object, table_maintenance,
    table_condition, table_document, table_tree, table_tree_node, table_tree_head, table_deviation,
    table_kept, table_application_head, table_application, table_application_sensor, table_top,
    table_application_thread, table_sink, table_relay, table_relays;

#endif
