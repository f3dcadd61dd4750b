/* dcampValueTable: the latest value of every series. */
#include <math.h>

#include "agent/tables.h"
#include "base/text.h"
#include "dcampd.h"

static bool valid(const struct series *series)
{
    return series->result.state == RESULT_VALID;
}

static bool text(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    return valid(series) &&
           give_octets(value, value->room, text_from_decimal(value->room, series->result.value));
}

static bool milli(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    double thousandths = rint(series->result.value * 1000);
    if (thousandths > INT32_MAX)
        thousandths = INT32_MAX;
    if (thousandths < INT32_MIN)
        thousandths = INT32_MIN;
    return valid(series) && give_integer(value, (int64_t)thousandths);
}

static bool raw(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct series *series = row;
    return series->sensor->metric->kind == METRIC_COUNTER && series->samples > 0 &&
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
    return give_text(value, ((const struct series *)row)->sensor->unit);
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
    return give_number(value, ((const struct series *)row)->number);
}

static struct index *rows(struct dcampd *core)
{
    return &core->measure.series;
}

static const struct column columns[] = {
    {MIB_dcampValueText, text, NULL}, {MIB_dcampValueMilli, milli, NULL},
    {MIB_dcampValueRaw, raw, NULL},   {MIB_dcampValueState, state, NULL},
    {MIB_dcampValueUnit, unit, NULL}, {MIB_dcampValueTime, when, NULL},
    {MIB_dcampValueAge, age, NULL},   {MIB_dcampValueSamples, samples, NULL},
    {MIB_dcampValueGaps, gaps, NULL}, {MIB_dcampValueSeries, number, NULL},
};

const struct table table_value = {
    .object = MIB_dcampValueTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};
