/* dcampSinkTable: where values are published, and how that goes. */
#include "agent/columns.h"
#include "agent/tables.h"
#include "agent/view.h"
#include "outlet/outlet.h"

static const struct outlet_sink_row *sink_of(const void *row)
{
    return row;
}

static bool kind(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, sink_of(row)->settings.kind);
}

static bool mode(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, sink_of(row)->settings.mode);
}

static bool location(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_text(value, sink_of(row)->settings.location);
}

static bool state(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_integer(value, sink_of(row)->state.state);
}

/* A process that is not there cannot say why, so that this node says it. */
static bool error(const struct view *view, const void *row, struct mib_value *value)
{
    const struct outlet_state *said = &sink_of(row)->state;
    (void)view;
    if (said->state == OUTLET_SINK_ABSENT && !said->error[0])
        return give_text(value, sink_of(row)->connected
                                    ? "its process has not said yet how it goes"
                                    : "no process of dcamp-publish works for it");
    return give_text(value, said->error);
}

static bool blocks(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, sink_of(row)->state.blocks);
}

static bool values(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, sink_of(row)->state.values);
}

static bool dropped(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, sink_of(row)->state.dropped);
}

static bool lost(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, sink_of(row)->lost);
}

static bool nameless(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, sink_of(row)->state.nameless);
}

static bool waiting(const struct view *view, const void *row, struct mib_value *value)
{
    uint64_t n = sink_of(row)->state.waiting;
    (void)view;
    return give_number(value, n < UINT32_MAX ? n : UINT32_MAX);
}

static bool confirmed(const struct view *view, const void *row, struct mib_value *value)
{
    int64_t when_ms = sink_of(row)->confirmed_ms;
    (void)view;
    return when_ms > 0 && give_date(value, when_ms);
}

/* The clock of a child may differ from this one, and this one may have been set since then: a time
 * in the future counts as now. */
static bool delay(const struct view *view, const void *row, struct mib_value *value)
{
    int64_t when_ms = sink_of(row)->confirmed_ms, now_ms = view->now.wall_ms;
    uint64_t age_ms = now_ms > when_ms ? (uint64_t)(now_ms - when_ms) : 0;
    return when_ms > 0 && give_number(value, age_ms < UINT32_MAX ? age_ms : UINT32_MAX);
}

static bool since(const struct view *view, const void *row, struct mib_value *value)
{
    uint64_t since_ns = sink_of(row)->since_ns;
    return since_ns > 0 && give_stamp(view, value, since_ns);
}

static const struct index *rows(const struct view *view)
{
    return &view->outlet->sinks;
}

static const struct column columns[] = {
    {MIB_dcampSinkKind, kind, NULL},         {MIB_dcampSinkMode, mode, NULL},
    {MIB_dcampSinkLocation, location, NULL}, {MIB_dcampSinkState, state, NULL},
    {MIB_dcampSinkError, error, NULL},       {MIB_dcampSinkBlocks, blocks, NULL},
    {MIB_dcampSinkValues, values, NULL},     {MIB_dcampSinkDropped, dropped, NULL},
    {MIB_dcampSinkLost, lost, NULL},         {MIB_dcampSinkNameless, nameless, NULL},
    {MIB_dcampSinkWaiting, waiting, NULL},   {MIB_dcampSinkConfirmed, confirmed, NULL},
    {MIB_dcampSinkDelay, delay, NULL},       {MIB_dcampSinkSince, since, NULL},
};

const struct table table_sink = {
    .object = MIB_dcampSinkTable,
    .rows = rows,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};
