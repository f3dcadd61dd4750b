/* dcampSensorTable: the rows of the configuration, and what their sensors do. */
#include "agent/columns.h"
#include "agent/row_error.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "series/measure.h"

static const struct sensor *sensor_of(const struct view *view, const void *row)
{
    return measure_find(view->measure, ((const struct row *)row)->name);
}

static bool kind(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct sensor_row *config = row;
    const struct metric *metric = metric_find(config->metric);
    if (config->expression[0])
        return give_integer(value, METRIC_GAUGE);
    return metric && give_integer(value, metric->kind);
}

/* The unit of an expression is known only while its sensor runs. */
static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    const struct sensor_row *config = row;
    const struct metric *metric = metric_find(config->metric);
    const struct sensor *sensor = metric ? NULL : sensor_of(view, row);
    if (sensor && !sensor->error)
        return give_text(value, sensor->unit);
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

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    const struct sensor *sensor = sensor_of(view, row);
    return sensor && give_stamp(view, value, sensor->since_ns);
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

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_SENSOR];
}

static const struct column columns[] = {
    {MIB_dcampSensorMetric, NULL, "metric"},
    {MIB_dcampSensorInstances, NULL, "instances"},
    {MIB_dcampSensorCalculation, NULL, "calculation"},
    {MIB_dcampSensorInterval, NULL, "interval"},
    {MIB_dcampSensorFilter, NULL, "filter"},
    {MIB_dcampSensorWindow, NULL, "window"},
    {MIB_dcampSensorExpression, NULL, "expression"},
    {MIB_dcampSensorReport, NULL, "report"},
    {MIB_dcampSensorLevel, NULL, "level"},
    {MIB_dcampSensorKind, kind, NULL},
    {MIB_dcampSensorUnit, unit, NULL},
    {MIB_dcampSensorSeries, series, NULL},
    {MIB_dcampSensorPassed, passed, NULL},
    {MIB_dcampSensorHeld, held, NULL},
    {MIB_dcampSensorState, state, NULL},
    {MIB_dcampSensorSince, since, NULL},
    {MIB_dcampSensorError, give_error, NULL},
    {MIB_dcampSensorStorageType, give_storage, NULL},
    {MIB_dcampSensorRowStatus, give_status, NULL},
};

/* Reading this row, or a value of its sensor, asks for a sensor that is sampled on demand. */
static void asked(const struct view *view, const void *row)
{
    bool on_demand = ((const struct sensor_row *)row)->interval_ms == 0;
    struct sensor *sensor =
        on_demand ? measure_find(view->measure, ((const struct row *)row)->name) : NULL;
    if (sensor && sensor_ask(view->measure, sensor, view->now.mono_ns))
        view_wake(view);
}

const struct table table_sensor = {
    .object = MIB_dcampSensorTable,
    .rows = rows,
    .read = asked,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_SENSOR,
};
