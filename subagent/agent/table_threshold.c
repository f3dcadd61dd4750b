/* dcampThresholdTable and dcampThresholdStateTable. */
#include "agent/columns.h"
#include "agent/row_error.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "watch/watches.h"

static bool raised(const struct view *view, const void *row, struct mib_value *value)
{
    const struct watch_rule *rule = watches_find(view->watches, ((const struct row *)row)->name);
    return give_number(value, rule ? rule->raised : 0);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_THRESHOLD];
}

static const struct column columns[] = {
    {MIB_dcampThresholdSensor, NULL, "sensor"},
    {MIB_dcampThresholdInstances, NULL, "instances"},
    {MIB_dcampThresholdOperator, NULL, "operator"},
    {MIB_dcampThresholdLimit, NULL, "limit"},
    {MIB_dcampThresholdClear, NULL, "clear"},
    {MIB_dcampThresholdMatch, NULL, "match"},
    {MIB_dcampThresholdWindow, NULL, "window"},
    {MIB_dcampThresholdDuration, NULL, "duration"},
    {MIB_dcampThresholdSeverity, NULL, "severity"},
    {MIB_dcampThresholdDescription, NULL, "description"},
    {MIB_dcampThresholdRaised, raised, NULL},
    {MIB_dcampThresholdError, give_error, NULL},
    {MIB_dcampThresholdStorageType, give_storage, NULL},
    {MIB_dcampThresholdRowStatus, give_status, NULL},
    {MIB_dcampThresholdChildren, NULL, "children"},
    {MIB_dcampThresholdGroups, NULL, "groups"},
    {MIB_dcampThresholdWarningLimit, NULL, "warning-limit"},
    {MIB_dcampThresholdWarningClear, NULL, "warning-clear"},
    {MIB_dcampThresholdCriticalLimit, NULL, "critical-limit"},
    {MIB_dcampThresholdCriticalClear, NULL, "critical-clear"},
    {MIB_dcampThresholdSource, NULL, "source"},
    {MIB_dcampThresholdSpan, NULL, "span"},
    {MIB_dcampThresholdHorizon, NULL, "horizon"},
    {MIB_dcampThresholdConfidence, NULL, "confidence"},
    {MIB_dcampThresholdAbsence, NULL, "absence"},
    {MIB_dcampThresholdNotify, NULL, "notify"},
    {MIB_dcampThresholdRepeat, NULL, "repeat"},
    {MIB_dcampThresholdHoldOff, NULL, "hold-off"},
    {MIB_dcampThresholdDampening, NULL, "dampening"},
    {MIB_dcampThresholdDampeningCount, NULL, "dampening-count"},
    {MIB_dcampThresholdDampeningTime, NULL, "dampening-time"},
    {MIB_dcampThresholdFlapCount, NULL, "flap-count"},
    {MIB_dcampThresholdFlapTime, NULL, "flap-time"},
    {MIB_dcampThresholdDisabledBy, NULL, "disabled-by"},
};

const struct table table_threshold = {
    .object = MIB_dcampThresholdTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_THRESHOLD,
};

static bool phase(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, watch_phase(row));
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_date(value, ((const struct watch *)row)->since_ms);
}

static bool breaches(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value,
                       (uint64_t)__builtin_popcountll(((const struct watch *)row)->state.breached));
}

static const struct index *watch_rows(const struct view *view)
{
    return &view->watches->watches;
}

static const struct column state_columns[] = {
    {MIB_dcampThresholdStatePhase, phase, NULL},
    {MIB_dcampThresholdStateSince, since, NULL},
    {MIB_dcampThresholdStateBreaches, breaches, NULL},
};

const struct table table_threshold_state = {
    .object = MIB_dcampThresholdStateTable,
    .rows = watch_rows,
    .columns = state_columns,
    .n_columns = sizeof state_columns / sizeof *state_columns,
};
