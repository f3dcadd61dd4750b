/* The report blocks, their head and their dictionary. */
#include "agent/tables.h"
#include "agent/view.h"
#include "report/report.h"
#include "series/dictionary.h"

static bool boot(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->boot);
}

static bool first(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->report->first);
}

static bool last(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->report->last);
}

static const struct column head_columns[] = {
    {MIB_dcampReportBoot, boot, NULL},
    {MIB_dcampReportFirst, first, NULL},
    {MIB_dcampReportLast, last, NULL},
};

const struct table table_report_head = {
    .object = MIB_dcampReports,
    .columns = head_columns,
    .n_columns = sizeof head_columns / sizeof *head_columns,
};

static bool block(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct report_block *report = row;
    return give_octets(value, report->bytes, report->len);
}

static const struct index *blocks(const struct view *view)
{
    return &view->report->index;
}

static const struct column block_columns[] = {{MIB_dcampReportBlock, block, NULL}};

const struct table table_report = {
    .object = MIB_dcampReportTable,
    .rows = blocks,
    .columns = block_columns,
    .n_columns = sizeof block_columns / sizeof *block_columns,
};

static bool sensor(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct dictionary_entry *)row)->sensor);
}

static bool instance(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct dictionary_entry *)row)->instance);
}

static bool metric(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct dictionary_entry *)row)->metric);
}

static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct dictionary_entry *)row)->unit);
}

static bool path(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, dictionary_path(row));
}

static const struct index *dictionary(const struct view *view)
{
    return &view->dictionary->by_number;
}

static const struct column series_columns[] = {
    {MIB_dcampSeriesSensor, sensor, NULL}, {MIB_dcampSeriesInstance, instance, NULL},
    {MIB_dcampSeriesMetric, metric, NULL}, {MIB_dcampSeriesUnit, unit, NULL},
    {MIB_dcampSeriesPath, path, NULL},
};

const struct table table_series = {
    .object = MIB_dcampSeriesTable,
    .rows = dictionary,
    .columns = series_columns,
    .n_columns = sizeof series_columns / sizeof *series_columns,
};
