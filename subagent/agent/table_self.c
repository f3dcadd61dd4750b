/* The scalars of dcampSelf, and dcampSamplerTable. */
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "agent/tables.h"
#include "agent/view.h"
#include "series/measure.h"
#include "alarm/alarm.h"
#include "children/children.h"
#include "report/push.h"
#include "daemon/costs.h"
#include "daemon/self.h"
#include "daemon/saver.h"

static uint64_t microseconds(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

static bool cpu_time(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    (void)row;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return give_number(value, microseconds(usage.ru_utime) + microseconds(usage.ru_stime));
}

/* The core thread keeps this number, because it has to be read from a file. */
static bool memory(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->memory_kb);
}

static bool cycles(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->cycles);
}

static bool late_cycles(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->late_cycles);
}

static bool samples(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->measure->samples);
}

static bool sample_errors(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->sample_errors);
}

static bool series(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->measure->series.count);
}

static bool requests(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->requests);
}

static bool sets(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->sets);
}

static bool reconnects(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->self->reconnects);
}

static bool sent(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->alarms->sent);
}

static bool queued(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->alarms->queued);
}

static bool suppressed(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->alarms->suppressed);
}

static bool dropped(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->alarms->dropped);
}

static bool unsaved(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->alarms->unsaved);
}

static bool set_error(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_text(value, view->self->refusal.text);
}

static bool set_error_time(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    const struct set_refusal *refusal = &view->self->refusal;
    return refusal->text[0] && give_date(value, refusal->wall_ms);
}

static bool state_dirty(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_truth(value, view_is_dirty(view));
}

static bool state_saved(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    int64_t saved_ms = saver_status(view->saver).saved_ms;
    return saved_ms != 0 && give_date(value, saved_ms);
}

static bool state_errors(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, saver_status(view->saver).errors);
}

static bool pushes_sent(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->push->sent);
}

static bool pushes_held(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->push->held);
}

static bool pushes_old(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->pushes.old);
}

static bool pushes_ahead(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->pushes.ahead);
}

static bool pushes_unknown(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->pushes.unknown);
}

static bool pushes_refused(const struct view *view, const void *row, struct mib_value *value)
{
    (void)row;
    return give_number(value, view->children->pushes.refused);
}

static const struct column columns[] = {
    {MIB_dcampSelfCpuTime, cpu_time, NULL},
    {MIB_dcampSelfMemory, memory, NULL},
    {MIB_dcampSelfCycles, cycles, NULL},
    {MIB_dcampSelfLateCycles, late_cycles, NULL},
    {MIB_dcampSelfSamples, samples, NULL},
    {MIB_dcampSelfSampleErrors, sample_errors, NULL},
    {MIB_dcampSelfSeries, series, NULL},
    {MIB_dcampSelfRequests, requests, NULL},
    {MIB_dcampSelfSets, sets, NULL},
    {MIB_dcampSelfReconnects, reconnects, NULL},
    {MIB_dcampSelfNotificationsSent, sent, NULL},
    {MIB_dcampSelfNotificationsQueued, queued, NULL},
    {MIB_dcampSelfNotificationsSuppressed, suppressed, NULL},
    {MIB_dcampSelfNotificationsDropped, dropped, NULL},
    {MIB_dcampSelfStateDirty, state_dirty, NULL},
    {MIB_dcampSelfStateSaved, state_saved, NULL},
    {MIB_dcampSelfStateErrors, state_errors, NULL},
    {MIB_dcampSelfPushesSent, pushes_sent, NULL},
    {MIB_dcampSelfPushesHeld, pushes_held, NULL},
    {MIB_dcampSelfPushesOld, pushes_old, NULL},
    {MIB_dcampSelfPushesAhead, pushes_ahead, NULL},
    {MIB_dcampSelfPushesUnknown, pushes_unknown, NULL},
    {MIB_dcampSelfPushesRefused, pushes_refused, NULL},
    {MIB_dcampSelfNotificationsUnsaved, unsaved, NULL},
    {MIB_dcampSelfSetError, set_error, NULL},
    {MIB_dcampSelfSetErrorTime, set_error_time, NULL},
};

const struct table table_self = {
    .object = MIB_dcampSelf,
    .columns = columns,
    .n_columns = sizeof columns / sizeof *columns,
};

static const struct sampler_cost *cost_of(const void *row)
{
    return &((const struct cost_row *)row)->cost;
}

static bool passes(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, cost_of(row)->passes);
}

static bool errors(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, cost_of(row)->errors);
}

static bool total_time(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    return give_number(value, cost_of(row)->total_ns / NS_PER_US);
}

static bool last_time(const struct view *view, const void *row, struct mib_value *value)
{
    (void)view;
    uint64_t last_us = cost_of(row)->last_ns / NS_PER_US;
    return give_number(value, last_us < UINT32_MAX ? last_us : UINT32_MAX);
}

static const struct index *samplers(const struct view *view)
{
    return &view->costs->index;
}

static const struct column sampler_columns[] = {
    {MIB_dcampSamplerPasses, passes, NULL},
    {MIB_dcampSamplerErrors, errors, NULL},
    {MIB_dcampSamplerTime, total_time, NULL},
    {MIB_dcampSamplerLast, last_time, NULL},
};

const struct table table_sampler = {
    .object = MIB_dcampSamplerTable,
    .rows = samplers,
    .columns = sampler_columns,
    .n_columns = sizeof sampler_columns / sizeof *sampler_columns,
};
