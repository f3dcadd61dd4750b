#include "agent/tables.h"

#include <math.h>

#include "base/text.h"
#include "daemon/dcampd.h"

const struct table *const dcamp_tables[] = {
    &table_node,
    &table_self,
    &table_resource,
    &table_process,
    &table_sensor,
    &table_value,
    &table_filter,
    &table_report_head,
    &table_report,
    &table_series,
    &table_threshold,
    &table_threshold_state,
    &table_alarm,
    &table_alarm_log,
    &table_sampler,
    &table_child,
    &table_child_value,
    &table_child_alarm,
    &table_child_alarm_head,
    &table_aggregate,
    &table_aggregate_value,
    &table_object,
    &table_maintenance,
    &table_condition,
};

const size_t dcamp_table_count = sizeof dcamp_tables / sizeof *dcamp_tables;

bool give_decimal(struct mib_value *value, double number)
{
    return give_octets(value, value->room, text_from_decimal(value->room, number));
}

bool give_milli(struct mib_value *value, double number)
{
    double thousandths = rint(number * 1000);
    return thousandths >= INT32_MIN && thousandths <= INT32_MAX &&
           give_integer(value, (int64_t)thousandths);
}

bool give_stamp(const struct view *view, struct mib_value *value, uint64_t when_ns)
{
    uint64_t started_ns = view->core->started.mono_ns;
    return give_number(value, when_ns > started_ns ? (when_ns - started_ns) / (NS_PER_S / 100) : 0);
}

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
