/* dcampMaintenanceTable. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"

static bool covers_now(const struct view *view, const void *row, struct mib_value *value)
{
    const struct maintenance_row *maintenance = row;
    struct maintenance rule;
    config_maintenance(maintenance, &rule);
    return give_truth(value, maintenance->row.status == ROW_ACTIVE &&
                                 maintenance_active(&rule, view->now.wall_ms));
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_MAINTENANCE];
}

static const struct column columns[] = {
    {MIB_dcampMaintenanceNodes, NULL, "nodes"},
    {MIB_dcampMaintenanceThresholds, NULL, "thresholds"},
    {MIB_dcampMaintenanceBegin, NULL, "begin"},
    {MIB_dcampMaintenanceEnd, NULL, "end"},
    {MIB_dcampMaintenanceDuration, NULL, "duration"},
    {MIB_dcampMaintenanceDays, NULL, "days"},
    {MIB_dcampMaintenanceTime, NULL, "time"},
    {MIB_dcampMaintenanceNow, covers_now, NULL},
    {MIB_dcampMaintenanceStorageType, give_storage, NULL},
    {MIB_dcampMaintenanceRowStatus, give_status, NULL},
};

const struct table table_maintenance = {
    .object = MIB_dcampMaintenanceTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_MAINTENANCE,
};
