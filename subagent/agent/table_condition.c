/* dcampConditionTable. */
#include "agent/columns.h"
#include "agent/row_error.h"
#include "agent/tables.h"

#include <string.h>

#include "agent/view.h"
#include "alarm/alarm.h"

static bool raised(const struct view *view, const void *row, struct mib_value *value)
{
    uint64_t n = 0;
    for (struct index_node *node = index_first(&view->alarms->active); node;
         node = index_next(node)) {
        const struct alarm_facts *facts = &((const struct alarm *)node)->facts;
        n += facts->kind == ALARM_OF_CONDITION &&
             strcmp(facts->threshold, ((const struct row *)row)->name) == 0;
    }
    return give_number(value, n);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_CONDITION];
}

static const struct column columns[] = {
    {MIB_dcampConditionThresholds, NULL, "thresholds"},
    {MIB_dcampConditionRequire, NULL, "require"},
    {MIB_dcampConditionBy, NULL, "by"},
    {MIB_dcampConditionSeverity, NULL, "severity"},
    {MIB_dcampConditionRepeat, NULL, "repeat"},
    {MIB_dcampConditionDescription, NULL, "description"},
    {MIB_dcampConditionRaised, raised, NULL},
    {MIB_dcampConditionError, give_error, NULL},
    {MIB_dcampConditionStorageType, give_storage, NULL},
    {MIB_dcampConditionRowStatus, give_status, NULL},
};

const struct table table_condition = {
    .object = MIB_dcampConditionTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_CONDITION,
};
