/* dcampSensorTable: the rows of the configuration, and what their sensors do. */
#include "agent/tables.h"
#include "dcampd.h"

static const struct sensor *sensor_of(const struct view *view, const void *row)
{
    return measure_find(&view->core->measure, ((const struct row *)row)->name);
}

static bool kind(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct metric *metric = metric_find(((const struct sensor_row *)row)->metric);
    return metric && give_integer(value, metric->kind);
}

static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct sensor_row *config = row;
    const struct metric *metric = metric_find(config->metric);
    if (!metric)
        return false;
    calc_unit(metric, config->calculation, value->room, DECIMAL_SIZE);
    return give_text(value, value->room);
}

static bool series(const struct view *view, const void *row, struct mib_value *value)
{
    const struct sensor *sensor = sensor_of(view, row);
    return give_number(value, sensor ? sensor->n_series : 0);
}

static bool passed(const struct view *view, const void *row, struct mib_value *value)
{
    const struct sensor *sensor = sensor_of(view, row);
    return give_number(value, sensor ? sensor->passed : 0);
}

static bool held(const struct view *view, const void *row, struct mib_value *value)
{
    const struct sensor *sensor = sensor_of(view, row);
    return give_number(value, sensor ? sensor->held : 0);
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    const struct sensor *sensor = sensor_of(view, row);
    if (((const struct row *)row)->status != ROW_ACTIVE)
        return give_integer(value, dcampSensorState_paused);
    if (!sensor || !sensor->sampled)
        return give_integer(value, dcampSensorState_waiting);
    return give_integer(value,
                        sensor->error ? dcampSensorState_unavailable : dcampSensorState_sampling);
}

static struct index *rows(struct dcampd *core)
{
    return &core->config->rows[ROW_SENSOR];
}

static const struct column columns[] = {
    {MIB_dcampSensorMetric, NULL, "metric"},
    {MIB_dcampSensorInstances, NULL, "instances"},
    {MIB_dcampSensorCalculation, NULL, "calculation"},
    {MIB_dcampSensorInterval, NULL, "interval"},
    {MIB_dcampSensorFilter, NULL, "filter"},
    {MIB_dcampSensorKind, kind, NULL},
    {MIB_dcampSensorUnit, unit, NULL},
    {MIB_dcampSensorSeries, series, NULL},
    {MIB_dcampSensorPassed, passed, NULL},
    {MIB_dcampSensorHeld, held, NULL},
    {MIB_dcampSensorState, state, NULL},
    {MIB_dcampSensorStorageType, give_storage, NULL},
    {MIB_dcampSensorRowStatus, give_status, NULL},
};

const struct table table_sensor = {
    .object = MIB_dcampSensorTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_SENSOR,
};
