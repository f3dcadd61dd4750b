#include "child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dcamp_mib.h"
#include "values.h"

/* RFC 3411, SnmpEngineID: the enterprise with the first bit set, 5 for octets of its own choice. */
static void name_engine(struct sim_child *child)
{
    const struct mib_info *mib = &mib_objects[MIB_dcampMIB];
    uint32_t enterprise = mib->oid[mib->oid_len - 2];
    uint32_t parts[] = {htonl(enterprise | UINT32_C(0x80000000)), htonl(child->number),
                        htonl(child->generation)};
    memcpy(child->engine_id, parts, 4);
    child->engine_id[4] = 5;
    memcpy(child->engine_id + 5, parts + 1, 8);
    child->engine_id_len = 13;
}

static bool localize(const struct sim *sim, struct sim_child *child, const struct usm_keys *master)
{
    return usm_localize(&sim->usm, master, child->engine_id, child->engine_id_len, &child->keys);
}

int child_new_engine(struct sim *sim, struct sim_child *child)
{
    child->generation++;
    name_engine(child);
    return localize(sim, child, &sim->master) ? 0 : EIO;
}

void child_clone(struct sim_child *child, const struct sim_child *from)
{
    memcpy(child->engine_id, from->engine_id, from->engine_id_len);
    child->engine_id_len = from->engine_id_len;
    child->keys = from->keys;
}

int child_rekey(struct sim *sim, struct sim_child *child, const char *auth, const char *priv)
{
    struct usm_keys master;
    return usm_master(&sim->usm, auth, priv, &master) && localize(sim, child, &master) ? 0 : EIO;
}

uint32_t child_engine_time(const struct sim_child *child, struct moment now)
{
    return (uint32_t)((now.mono_ns - child->engine_start_ns) / NS_PER_S);
}

static int report_values(const struct sim *sim, struct sim_child *child, int64_t wall_ms)
{
    const struct sim_options *options = &sim->options;
    uint32_t n = options->series;
    for (uint32_t place = 0; place < n; place++) {
        if (child->full_ms != wall_ms &&
            !sim_changes(place, n, options->share, child->full_period_ms, wall_ms))
            continue;
        struct result result = {RESULT_VALID, sim_value(child->number, place, wall_ms)};
        uint32_t series = sim_series_number(place, child->boot, n);
        if (report_add(&child->ring, series, wall_ms, &result) != 0)
            return ENOMEM;
    }
    return 0;
}

/* Windows that ended since the last report. Those of the time without reports are not made up. */
static int report_windows(const struct sim *sim, struct sim_child *child, int64_t wall_ms)
{
    const struct sim_options *options = &sim->options;
    int64_t end = wall_ms - wall_ms % options->window_ms;
    int error = 0;
    if (child->last_ms == 0 || child->last_ms >= end)
        return 0;
    for (uint32_t place = 0; place < options->window_series && error == 0; place++) {
        struct statistics_window window = {0};
        uint32_t series = sim_series_number(place, child->boot, options->series);
        error = sim_window(child->number, place, end, &window);
        if (error == 0)
            error = report_add_window(&child->ring, series, end, options->window_ms, &window);
        statistics_window_release(&window);
    }
    return error;
}

static int make_report(const struct sim *sim, struct sim_child *child, int64_t wall_ms)
{
    if (child->full_next || wall_ms != child->last_ms + child->full_period_ms) {
        child->full_next = false;
        child->full_ms = wall_ms;
        child->full_period_ms = child->period_ms;
    }
    int error = report_windows(sim, child, wall_ms);
    if (error == 0)
        error = report_values(sim, child, wall_ms);
    child->last_ms = wall_ms;
    return error ? error : report_flush(&child->ring);
}

static void plan_report(struct sim *sim, struct sim_child *child, struct moment now)
{
    if (child->period_ms == 0) {
        event_cancel(sim, &child->tick);
        return;
    }
    int64_t next = sim_report_time(child->number, child->period_ms, now.wall_ms) + child->period_ms;
    event_plan(sim, &child->tick, now.mono_ns + (uint64_t)(next - now.wall_ms) * NS_PER_MS);
}

static void tick(struct sim *sim, struct event *event, struct moment now)
{
    struct sim_child *child =
        (struct sim_child *)((char *)event - offsetof(struct sim_child, tick));
    int64_t wall_ms = sim_report_time(child->number, child->period_ms, now.wall_ms);
    if (wall_ms > child->last_ms && make_report(sim, child, wall_ms) != 0)
        fprintf(stderr, "dcamp-sim: child %u: no memory for a report\n", child->number);
    plan_report(sim, child, now);
}

void child_set_period(struct sim *sim, struct sim_child *child, uint32_t period_ms,
                      struct moment now)
{
    child->period_ms = period_ms;
    child->full_next = true;
    plan_report(sim, child, now);
}

int child_start(struct sim *sim, struct sim_child *child, uint32_t engine_boots, uint32_t boot,
                struct moment now)
{
    const struct sim_options *options = &sim->options;
    report_close(&child->ring);
    if (report_open(&child->ring, boot, options->keep, options->block_bytes) != 0)
        return ENOMEM;
    child->engine_boots = engine_boots;
    child->engine_start_ns = now.mono_ns;
    child->boot = boot;
    child->full_next = true;
    child->last_ms = 0;
    uint32_t period_ms = child->period_ms ? child->period_ms : 1;
    int error = make_report(sim, child, sim_report_time(child->number, period_ms, now.wall_ms));
    plan_report(sim, child, now);
    return error;
}

int child_open(struct sim *sim, struct sim_child *child, uint32_t number, struct moment now)
{
    const struct sim_options *options = &sim->options;
    *child = (struct sim_child){
        .number = number,
        .tick.fire = tick,
        .period_ms = options->period_ms,
    };
    int error = child_new_engine(sim, child);
    return error ? error : child_start(sim, child, options->boots, options->boots, now);
}

void child_close(struct sim *sim, struct sim_child *child)
{
    event_cancel(sim, &child->tick);
    if (child->ring.draft)
        report_close(&child->ring);
    free(child->replay.bytes);
    *child = (struct sim_child){0};
}

int64_t child_reported(const struct sim *sim, const struct sim_child *child, uint32_t place)
{
    const struct sim_options *options = &sim->options;
    int64_t at = child->last_ms;
    while (at > child->full_ms &&
           !sim_changes(place, options->series, options->share, child->full_period_ms, at))
        at -= child->full_period_ms;
    return at;
}
