#include "agent/tables.h"

const struct table *const dcamp_tables[] = {
    &table_node,   &table_self,      &table_resource,  &table_process,
    &table_sensor, &table_value,     &table_filter,    &table_report_head,
    &table_report, &table_series,    &table_threshold, &table_threshold_state,
    &table_alarm,  &table_alarm_log, &table_sampler,
};

const size_t dcamp_table_count = sizeof dcamp_tables / sizeof *dcamp_tables;

bool give_storage(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct row *)row)->storage);
}

bool give_status(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct row *)row)->status);
}
