/* dcampAggregateTable, dcampAggregateValueTable and dcampAggregateTopTable. */
#include <string.h>

#include "agent/columns.h"
#include "agent/row_error.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "rollup/aggregates.h"
#include "rollup/tops.h"

static bool values(const struct view *view, const void *row, struct mib_value *value)
{
    const struct rollup *running =
        aggregates_find(view->aggregates, ((const struct row *)row)->name);
    return give_number(value, running ? running->n_values : 0);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_AGGREGATE];
}

static const struct column columns[] = {
    {MIB_dcampAggregateSensor, NULL, "sensor"},
    {MIB_dcampAggregateFunction, NULL, "function"},
    {MIB_dcampAggregateBy, NULL, "by"},
    {MIB_dcampAggregateParameter, NULL, "parameter"},
    {MIB_dcampAggregateChildren, NULL, "children"},
    {MIB_dcampAggregateGroups, NULL, "groups"},
    {MIB_dcampAggregateInstances, NULL, "instances"},
    {MIB_dcampAggregateInterval, NULL, "interval"},
    {MIB_dcampAggregateFilter, NULL, "filter"},
    {MIB_dcampAggregateReport, NULL, "report"},
    {MIB_dcampAggregateSource, NULL, "source"},
    {MIB_dcampAggregateValues, values, NULL},
    {MIB_dcampAggregateError, give_error, NULL},
    {MIB_dcampAggregateStorageType, give_storage, NULL},
    {MIB_dcampAggregateRowStatus, give_status, NULL},
};

const struct table table_aggregate = {
    .object = MIB_dcampAggregateTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_AGGREGATE,
};

static bool valid(const struct rollup_value *row)
{
    return row->result.state == RESULT_VALID;
}

static bool text(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct rollup_value *own = row;
    return valid(own) && give_decimal(value, own->result.value);
}

static bool milli(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct rollup_value *own = row;
    return valid(own) && give_milli(value, own->result.value);
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct rollup_value *)row)->result.state);
}

static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct rollup_value *)row)->rollup->unit);
}

static bool expected(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct rollup_value *)row)->expected);
}

static bool reporting(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct rollup_value *)row)->reporting);
}

static bool missing(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct rollup_value *own = row;
    return give_number(value, own->expected - own->reporting);
}

static bool give_millis(struct mib_value *value, uint64_t millis)
{
    return give_number(value, millis < UINT32_MAX ? millis : UINT32_MAX);
}

/* If no child has a value, there is no oldest one. */
static bool oldest(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct rollup_value *own = row;
    return own->reporting > 0 && give_millis(value, own->oldest_ms);
}

static bool when(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_date(value, ((const struct rollup_value *)row)->taken.wall_ms);
}

static bool age(const struct view *view, const void *row, struct mib_value *value)
{
    const struct rollup_value *own = row;
    return give_millis(value, (view->now.mono_ns - own->taken.mono_ns) / NS_PER_MS);
}

static bool number(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct rollup_value *)row)->entry.number);
}

static const struct index *value_rows(const struct view *view)
{
    return &view->aggregates->values.shown;
}

static const struct column value_columns[] = {
    {MIB_dcampAggregateValueText, text, NULL},
    {MIB_dcampAggregateValueMilli, milli, NULL},
    {MIB_dcampAggregateValueState, state, NULL},
    {MIB_dcampAggregateValueUnit, unit, NULL},
    {MIB_dcampAggregateValueExpected, expected, NULL},
    {MIB_dcampAggregateValueReporting, reporting, NULL},
    {MIB_dcampAggregateValueMissing, missing, NULL},
    {MIB_dcampAggregateValueOldest, oldest, NULL},
    {MIB_dcampAggregateValueTime, when, NULL},
    {MIB_dcampAggregateValueAge, age, NULL},
    {MIB_dcampAggregateValueSeries, number, NULL},
};

const struct table table_aggregate_value = {
    .object = MIB_dcampAggregateValueTable,
    .rows = value_rows,
    .columns = value_columns,
    .n_columns = sizeof value_columns / sizeof *value_columns,
};

/* -- The keys of tops -------------------------------------------------------------------------- */

static bool key(const struct view *view, const void *row, struct mib_value *value)
{
    const struct top_key *key = &((const struct rollup_key *)row)->key;
    (void)view;
    return give_octets(value, key->octets, strnlen(key->octets, sizeof key->octets));
}

static bool key_count(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct rollup_key *)row)->key.count);
}

static bool key_error(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct rollup_key *)row)->key.error);
}

static bool guaranteed(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_truth(value, ((const struct rollup_key *)row)->is_guaranteed);
}

static const void *find_key(const struct view *view, const uint32_t *instance, size_t len)
{
    return rollup_top_find(&view->aggregates->values, instance, len);
}

static const void *key_after(const struct view *view, const uint32_t *instance, size_t len)
{
    return rollup_top_after(&view->aggregates->values, instance, len);
}

static const void *next_key(const void *row)
{
    return rollup_top_next(row);
}

static size_t instance_of_key(const void *row, uint32_t instance[OID_MAX])
{
    return rollup_top_key(row, instance);
}

static const struct table_finder key_finder = {find_key, key_after, next_key, instance_of_key};

static const struct column key_columns[] = {
    {MIB_dcampAggregateTopKey, key, NULL},
    {MIB_dcampAggregateTopCount, key_count, NULL},
    {MIB_dcampAggregateTopError, key_error, NULL},
    {MIB_dcampAggregateTopGuaranteed, guaranteed, NULL},
};

const struct table table_aggregate_top = {
    .object = MIB_dcampAggregateTopTable,
    .finder = &key_finder,
    .columns = key_columns,
    .n_columns = sizeof key_columns / sizeof *key_columns,
};
