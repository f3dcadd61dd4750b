/* dcampDeviationTable. */
#include "agent/row_error.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "config/config.h"

static bool what(const struct view *view, const void *row, struct mib_value *value)
{
    bool is_made = row_of_deviation(row)->origin == 0;
    (void)view;
    return give_integer(value, is_made ? dcampDeviationWhat_added : dcampDeviationWhat_changed);
}

static bool local(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, row_of_deviation(row)->local);
}

static bool error(const struct view *view, const void *row, struct mib_value *value)
{
    return give_error(view, row_of_deviation(row), value);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->deviations;
}

static const struct column columns[] = {
    {MIB_dcampDeviationWhat, what, NULL},
    {MIB_dcampDeviationLocal, local, NULL},
    {MIB_dcampDeviationError, error, NULL},
};

const struct table table_deviation = {
    .object = MIB_dcampDeviationTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .marks = true,
};
