/* dcampChildTable: the rows of the configuration, and what is known of the children.
 * dcampChildValueTable: what they have reported. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "children/children.h"

/* Returns NULL while the row is not active. */
static const struct child *child_of(const struct view *view, const void *row)
{
    return children_find(view->children, ((const struct row *)row)->name);
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    if (((const struct row *)row)->status != ROW_ACTIVE)
        return give_integer(value, CHILD_PAUSED);
    return give_integer(value, child ? child->contact.state : CHILD_DISCOVERING);
}

static bool error(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return give_text(value, child ? child_error(child) : "");
}

static bool engine_id(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return give_octets(value, child ? (const void *)child->identity.engine_id : "",
                       child ? child->identity.engine_id_len : 0);
}

static bool boot(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return give_number(value, child ? child->cursor.boot : 0);
}

static bool contact(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return child && child->contact.polls > 0 && give_date(value, child->contact.last.wall_ms);
}

static bool round_trip(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return child && child->contact.polls > 0 && give_number(value, child->contact.round_trip_us);
}

#define COUNTER(name, of)                                                                          \
    static bool name(const struct view *view, const void *row, struct mib_value *value)            \
    {                                                                                              \
        const struct child *child = child_of(view, row);                                           \
        return give_number(value, child ? child->of : 0);                                          \
    }

COUNTER(polls, contact.polls)
COUNTER(missed, contact.missed)
COUNTER(blocks, cursor.blocks)
COUNTER(lost_blocks, cursor.lost)
COUNTER(bad_blocks, contact.bad)
COUNTER(n_series, series.n_named)
COUNTER(pushed, cursor.pushed)

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return child && give_stamp(view, value, child->contact.since_ns);
}

static bool alarms_of(const struct view *view, const void *row, uint32_t severity,
                      struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return give_number(value, child ? child_alarms_count(child, severity) : 0);
}

static bool alarms_info(const struct view *view, const void *row, struct mib_value *value)
{
    return alarms_of(view, row, SEVERITY_INFO, value);
}

static bool alarms_warning(const struct view *view, const void *row, struct mib_value *value)
{
    return alarms_of(view, row, SEVERITY_WARNING, value);
}

static bool alarms_critical(const struct view *view, const void *row, struct mib_value *value)
{
    return alarms_of(view, row, SEVERITY_CRITICAL, value);
}

static bool alarms_left_out(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child *child = child_of(view, row);
    return give_number(value, child ? child_alarms_left_out(child) : 0);
}

static const struct index *rows(const struct view *view)
{
    return &view->config->rows[ROW_CHILD];
}

static const struct column columns[] = {
    {MIB_dcampChildAddress, NULL, "address"},
    {MIB_dcampChildCredential, NULL, "credential"},
    {MIB_dcampChildGroup, NULL, "group"},
    {MIB_dcampChildPeriod, NULL, "period"},
    {MIB_dcampChildState, state, NULL},
    {MIB_dcampChildError, error, NULL},
    {MIB_dcampChildEngineId, engine_id, NULL},
    {MIB_dcampChildBoot, boot, NULL},
    {MIB_dcampChildLastContact, contact, NULL},
    {MIB_dcampChildRoundTrip, round_trip, NULL},
    {MIB_dcampChildPolls, polls, NULL},
    {MIB_dcampChildMissed, missed, NULL},
    {MIB_dcampChildBlocks, blocks, NULL},
    {MIB_dcampChildLostBlocks, lost_blocks, NULL},
    {MIB_dcampChildBadBlocks, bad_blocks, NULL},
    {MIB_dcampChildSeries, n_series, NULL},
    {MIB_dcampChildStorageType, give_storage, NULL},
    {MIB_dcampChildRowStatus, give_status, NULL},
    {MIB_dcampChildPushed, pushed, NULL},
    {MIB_dcampChildKind, NULL, "kind"},
    {MIB_dcampChildBehind, NULL, "behind"},
    {MIB_dcampChildSince, since, NULL},
    {MIB_dcampChildAlarmsInfo, alarms_info, NULL},
    {MIB_dcampChildAlarmsWarning, alarms_warning, NULL},
    {MIB_dcampChildAlarmsCritical, alarms_critical, NULL},
    {MIB_dcampChildAlarmsLeftOut, alarms_left_out, NULL},
};

const struct table table_child = {
    .object = MIB_dcampChildTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .is_config = true,
    .kind = ROW_CHILD,
};

/* The value that was heard last can still be read after the child is no longer up. */
static bool valid(const struct child_series *series)
{
    return series->state == RESULT_VALID;
}

static bool text(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct child_series *series = row;
    return valid(series) && give_decimal(value, series->value);
}

static bool milli(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct child_series *series = row;
    return valid(series) && give_milli(value, series->value);
}

static bool value_state(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct child_series *series = row;
    bool stale = valid(series) && !child_series_live(series);
    return give_integer(value, stale ? (int)dcampChildValueState_stale : (int)series->state);
}

static bool unit(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, ((const struct child_series *)row)->name->unit);
}

static bool when(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    const struct child_series *series = row;
    return series->heard_ns > 0 && give_date(value, series->wall_ms);
}

static bool age(const struct view *view, const void *row, struct mib_value *value)
{
    const struct child_series *series = row;
    uint64_t age_ms = (view->now.mono_ns - series->heard_ns) / NS_PER_MS;
    return series->heard_ns > 0 && give_number(value, age_ms < UINT32_MAX ? age_ms : UINT32_MAX);
}

static const void *find_value(const struct view *view, const uint32_t *instance, size_t len)
{
    return children_series_find(view->children, instance, len);
}

static const void *value_after(const struct view *view, const uint32_t *instance, size_t len)
{
    return children_series_after(view->children, instance, len);
}

static const void *next_value(const void *row)
{
    return children_series_next(row);
}

static size_t instance_of_value(const void *row, uint32_t instance[OID_MAX])
{
    return child_series_key(row, instance);
}

static const struct table_finder value_finder = {find_value, value_after, next_value,
                                                 instance_of_value};

static const struct column value_columns[] = {
    {MIB_dcampChildValueText, text, NULL},         {MIB_dcampChildValueMilli, milli, NULL},
    {MIB_dcampChildValueState, value_state, NULL}, {MIB_dcampChildValueUnit, unit, NULL},
    {MIB_dcampChildValueTime, when, NULL},         {MIB_dcampChildValueAge, age, NULL},
};

const struct table table_child_value = {
    .object = MIB_dcampChildValueTable,
    .finder = &value_finder,
    .columns = value_columns,
    .n_columns = sizeof value_columns / sizeof *value_columns,
};
