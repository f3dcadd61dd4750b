/* dcampObjectTable. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "children/children.h"

/* Returns NULL while the row is not active. */
static const struct polled_object *object_of(const struct view *view, const void *row)
{
    return children_object(view->children, ((const struct row *)row)->name);
}

static bool series(const struct view *view, const void *row, struct mib_value *value)
{
    const struct polled_object *object = object_of(view, row);
    return give_number(value, object ? object->n_series : 0);
}

static bool errors(const struct view *view, const void *row, struct mib_value *value)
{
    const struct polled_object *object = object_of(view, row);
    return give_number(value, object ? object->errors : 0);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    const struct polled_object *object = object_of(view, row);
    return object && give_stamp(view, value, object->since_ns);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_OBJECT];
}

static const struct column columns[] = {
    {MIB_dcampObjectOid, NULL, "oid"},
    {MIB_dcampObjectType, NULL, "type"},
    {MIB_dcampObjectKind, NULL, "kind"},
    {MIB_dcampObjectUnit, NULL, "unit"},
    {MIB_dcampObjectScale, NULL, "scale"},
    {MIB_dcampObjectCalculation, NULL, "calculation"},
    {MIB_dcampObjectChildren, NULL, "children"},
    {MIB_dcampObjectGroups, NULL, "groups"},
    {MIB_dcampObjectInstances, NULL, "instances"},
    {MIB_dcampObjectWindow, NULL, "window"},
    {MIB_dcampObjectFilter, NULL, "filter"},
    {MIB_dcampObjectLabel, NULL, "label"},
    {MIB_dcampObjectSeries, series, NULL},
    {MIB_dcampObjectErrors, errors, NULL},
    {MIB_dcampObjectSince, since, NULL},
    {MIB_dcampObjectStorageType, give_storage, NULL},
    {MIB_dcampObjectRowStatus, give_status, NULL},
};

const struct table table_object = {
    .object = MIB_dcampObjectTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_OBJECT,
};
