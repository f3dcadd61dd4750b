/* dcampRelayTable, and the scalars about all of its rows. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "relay/relays.h"

/* Returns NULL while the row is not active. */
static const struct relay_rule *rule_of(const struct view *view, const void *row)
{
    return relays_find(view->relays, ((const struct row *)row)->name);
}

static bool series(const struct view *view, const void *row, struct mib_value *value)
{
    const struct relay_rule *rule = rule_of(view, row);
    return give_number(value, rule ? rule->n_series : 0);
}

static bool passed(const struct view *view, const void *row, struct mib_value *value)
{
    const struct relay_rule *rule = rule_of(view, row);
    return give_number(value, rule ? rule->passed : 0);
}

static bool held(const struct view *view, const void *row, struct mib_value *value)
{
    const struct relay_rule *rule = rule_of(view, row);
    return give_number(value, rule ? rule->held : 0);
}

static bool dropped(const struct view *view, const void *row, struct mib_value *value)
{
    const struct relay_rule *rule = rule_of(view, row);
    return give_number(value, rule ? rule->dropped : 0);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    const struct relay_rule *rule = rule_of(view, row);
    return rule && give_stamp(view, value, rule->since_ns);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_RELAY];
}

static const struct column columns[] = {
    {MIB_dcampRelaySensors, NULL, "sensors"},
    {MIB_dcampRelayNodes, NULL, "nodes"},
    {MIB_dcampRelayInstances, NULL, "instances"},
    {MIB_dcampRelayFilter, NULL, "filter"},
    {MIB_dcampRelaySeries, series, NULL},
    {MIB_dcampRelayPassed, passed, NULL},
    {MIB_dcampRelayHeld, held, NULL},
    {MIB_dcampRelayDropped, dropped, NULL},
    {MIB_dcampRelaySince, since, NULL},
    {MIB_dcampRelayStorageType, give_storage, NULL},
    {MIB_dcampRelayRowStatus, give_status, NULL},
};

const struct table table_relay = {
    .object = MIB_dcampRelayTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_RELAY,
};

/* -- All of them ------------------------------------------------------------------------------ */

static bool left_out(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->relays->left_out);
}

static bool lost(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->relays->lost);
}

static const struct column all_columns[] = {
    {MIB_dcampRelaysLeftOut, left_out, NULL},
    {MIB_dcampRelaysLost, lost, NULL},
};

const struct table table_relays = {
    .object = MIB_dcampRelays,
    .columns = all_columns,
    .n_columns = sizeof all_columns / sizeof *all_columns,
};
