/* dcampValueTable: the latest value of every series. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "series/measure.h"

static bool valid(const struct series *series)
{
    return series->result.state == RESULT_VALID;
}

static bool text(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    return valid(series) && give_decimal(value, series->result.value);
}

static bool milli(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    return valid(series) && give_milli(value, series->result.value);
}

static bool raw(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    const struct metric *metric = series->sensor->metric;
    return metric && metric->kind == METRIC_COUNTER && !metric->is_real && series->samples > 0 &&
           series->result.state != RESULT_UNAVAILABLE && give_number(value, series->raw);
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, ((const struct series *)row)->result.state);
}

static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct series *)row)->entry.unit);
}

static bool when(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    return series->samples > 0 && give_date(value, series->taken.wall_ms);
}

static bool age(const struct view *view, const void *row, struct mib_value *value)
{
    const struct series *series = row;
    uint64_t age_ms = (view->now.mono_ns - series->taken.mono_ns) / NS_PER_MS;
    return series->samples > 0 && give_number(value, age_ms < UINT32_MAX ? age_ms : UINT32_MAX);
}

static bool samples(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct series *)row)->samples);
}

static bool gaps(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct series *)row)->gaps);
}

static bool number(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, ((const struct series *)row)->entry.number);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    return give_stamp(view, value, ((const struct series *)row)->since_ns);
}

/* The latest complete window, or the open one while none is complete. False: there are no
 * statistics of this series. */
static bool window(const struct view *view, const void *row, struct statistics_view *window)
{
    const struct series *series = row;
    *window = statistics_view(series->entry.statistics, view->now.mono_ns);
    return series->statistics.window_ns != 0;
}

static bool window_begin(const struct view *view, const void *row, struct mib_value *value)
{
    struct statistics_view seen;
    if (!window(view, row, &seen))
        return false;
    int64_t age_ms = (int64_t)((view->now.mono_ns - seen.begin_ns) / NS_PER_MS);
    return give_date(value, view->now.wall_ms - age_ms);
}

static bool window_samples(const struct view *view, const void *row, struct mib_value *value)
{
    struct statistics_view seen;
    if (!window(view, row, &seen))
        return false;
    return give_number(value, seen.window->count < UINT32_MAX ? seen.window->count : UINT32_MAX);
}

/* The window if it has values; NULL: it has none. */
static const struct statistics_window *values(const struct view *view, const void *row)
{
    struct statistics_view seen;
    return window(view, row, &seen) && seen.window->count > 0 ? seen.window : NULL;
}

static bool least(const struct view *view, const void *row, struct mib_value *value)
{
    const struct statistics_window *seen = values(view, row);
    return seen && give_decimal(value, seen->min);
}

static bool largest(const struct view *view, const void *row, struct mib_value *value)
{
    const struct statistics_window *seen = values(view, row);
    return seen && give_decimal(value, seen->max);
}

static bool mean(const struct view *view, const void *row, struct mib_value *value)
{
    const struct statistics_window *seen = values(view, row);
    return seen && give_decimal(value, seen->mean);
}

static bool deviation(const struct view *view, const void *row, struct mib_value *value)
{
    const struct statistics_window *seen = values(view, row);
    return seen && give_decimal(value, statistics_deviation(seen));
}

static bool quantile(const struct view *view, const void *row, double q, struct mib_value *value)
{
    const struct statistics_window *seen = values(view, row);
    return seen && give_decimal(value, statistics_quantile(seen, q));
}

static bool p50(const struct view *view, const void *row, struct mib_value *value)
{
    return quantile(view, row, 0.50, value);
}

static bool p90(const struct view *view, const void *row, struct mib_value *value)
{
    return quantile(view, row, 0.90, value);
}

static bool p95(const struct view *view, const void *row, struct mib_value *value)
{
    return quantile(view, row, 0.95, value);
}

static bool p99(const struct view *view, const void *row, struct mib_value *value)
{
    return quantile(view, row, 0.99, value);
}

/* Reading one of its values asks for a sensor that is sampled on demand. */
static void asked(const struct view *view, const void *row)
{
    struct sensor *sensor = ((const struct series *)row)->sensor;
    if (sensor_ask(view->measure, sensor, view->now.mono_ns))
        view_wake(view);
}

static const struct index *rows(const struct view *view)
{
    return &view->measure->series;
}

static const struct column columns[] = {
    {MIB_dcampValueText, text, NULL},
    {MIB_dcampValueMilli, milli, NULL},
    {MIB_dcampValueRaw, raw, NULL},
    {MIB_dcampValueState, state, NULL},
    {MIB_dcampValueUnit, unit, NULL},
    {MIB_dcampValueTime, when, NULL},
    {MIB_dcampValueAge, age, NULL},
    {MIB_dcampValueSamples, samples, NULL},
    {MIB_dcampValueGaps, gaps, NULL},
    {MIB_dcampValueSeries, number, NULL},
    {MIB_dcampValueWindowBegin, window_begin, NULL},
    {MIB_dcampValueWindowSamples, window_samples, NULL},
    {MIB_dcampValueMin, least, NULL},
    {MIB_dcampValueMax, largest, NULL},
    {MIB_dcampValueMean, mean, NULL},
    {MIB_dcampValueStdDev, deviation, NULL},
    {MIB_dcampValueP50, p50, NULL},
    {MIB_dcampValueP90, p90, NULL},
    {MIB_dcampValueP95, p95, NULL},
    {MIB_dcampValueP99, p99, NULL},
    {MIB_dcampValueSince, since, NULL},
};

const struct table table_value = {
    .object = MIB_dcampValueTable,
    .rows = rows,
    .read = asked,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};
