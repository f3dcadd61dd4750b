/* What watches leave to the next life of the daemon, and take from the one before. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "watch/watch.h"

/* -- Taking --------------------------------------------------------------------------------- */

static int compare_saved(const void *first, const void *second)
{
    const struct saved_series *a = first, *b = second;
    int order = strcmp(a->threshold, b->threshold);
    if (order == 0)
        order = strcmp(a->node, b->node);
    if (order == 0)
        order = strcmp(a->sensor, b->sensor);
    return order != 0 ? order : strcmp(a->instance, b->instance);
}

void watches_restore(struct watches *watches, struct state *state)
{
    state_release(&watches->saved);
    watches->saved = *state;
    *state = (struct state){.boot = 0};
    if (watches->saved.n_series > 0)
        qsort(watches->saved.series, watches->saved.n_series, sizeof *watches->saved.series,
              compare_saved);
}

/* How it is saved, and looked for; its state apart. */
static struct saved_series name_of(const struct watches *watches, const struct watch *watch)
{
    const struct watched series = watched_by(watches, watch);
    struct saved_series saved = {.taken = false};
    memcpy(saved.threshold, watch->threshold->row.row.name, sizeof saved.threshold);
    if (watch->threshold->of_children)
        text_format(saved.node, sizeof saved.node, "%s", series.node);
    text_format(saved.sensor, sizeof saved.sensor, "%s", series.sensor);
    text_format(saved.instance, sizeof saved.instance, "%s", series.instance);
    return saved;
}

/* Of the alarm of that key, if one is active. It is not where the node has another name since. */
static enum severity alarm_severity(const struct watches *watches, const struct watch *watch)
{
    struct alarm_facts facts;
    watch_describe(watches, watch, &facts);
    const struct alarm *alarm = alarm_find(watches->alarms, facts.key);
    return alarm ? alarm->facts.severity : SEVERITY_CLEAR;
}

void watch_restore(struct watches *watches, struct watch *watch)
{
    const struct state *all = &watches->saved;
    if (all->n_series == 0)
        return;
    struct saved_series wanted = name_of(watches, watch);
    struct saved_series *saved =
        bsearch(&wanted, all->series, all->n_series, sizeof wanted, compare_saved);
    if (!saved || saved->taken)
        return;
    uint64_t age_ns = saved->state.since_ns;
    saved->taken = true;
    watch->state = saved->state;
    watch->state.since_ns = watches->now.mono_ns - age_ns; /* modulo 2^64, as threshold.h has it */
    watch->since_ms = watches->now.wall_ms - (int64_t)(age_ns / NS_PER_MS);
    watch->severity = alarm_severity(watches, watch);
    if (watch->state.phase == PHASE_RAISED && watch->severity == SEVERITY_CLEAR)
        watch->state = (struct threshold_state){.phase = PHASE_UNKNOWN};
    if (watch->severity == SEVERITY_CLEAR)
        return;
    watch->threshold->raised++;
    watches->transitions++;
    if (watch->more)
        watch_more_restore(watch);
    else
        watch->state.phase = PHASE_RAISED;
}

void watch_forget(struct watches *watches, const struct threshold *threshold)
{
    for (size_t i = 0; i < watches->saved.n_series; i++)
        if (strcmp(watches->saved.series[i].threshold, threshold->row.row.name) == 0)
            watches->saved.series[i].taken = true;
}

/* -- What does not come again ---------------------------------------------------------------- */

struct coming {
    struct watches *watches;
    const struct measure *measure;
    const struct children *children;
    struct moment now;
};

/* While its source cannot be read, nobody knows whether an instance of the sensor is there; nor
 * what there is to aggregate, before the children have told what they have. */
static bool own_may_come(const struct coming *coming, const char *name)
{
    const struct sensor *sensor = measure_find(coming->measure, name);
    if (sensor)
        return sensor->error != 0;
    return !coming->watches->children_known &&
           config_find(coming->watches->config, ROW_AGGREGATE, name);
}

/* A child that is lost may have it yet. */
static bool child_may_come(const struct coming *coming, const struct threshold *threshold,
                           const char *node, const char *sensor)
{
    const struct child *child = children_find(coming->children, node);
    if (!child || !watch_is_on_child(threshold, child) ||
        strcmp(threshold->row.sensor, sensor) != 0)
        return false;
    return child->first_ns == 0 || child->silent >= CHILD_LOST_AFTER ||
           coming->now.mono_ns - child->first_ns < CHILD_KNOWN_NS;
}

/* node: only of children. */
static bool may_come(const struct coming *coming, const char *name, const char *node,
                     const char *sensor)
{
    const struct threshold *threshold = watches_find(coming->watches, name);
    if (!threshold)
        return false;
    return threshold->of_children ? child_may_come(coming, threshold, node, sensor)
                                  : own_may_come(coming, sensor);
}

static bool has_raised(const struct watches *watches, const struct watch *watch,
                       const struct alarm *alarm)
{
    struct alarm_facts facts;
    if (watch->severity == SEVERITY_CLEAR)
        return false;
    watch_describe(watches, watch, &facts);
    return strcmp(facts.key, alarm->facts.key) == 0;
}

static bool is_watched(const struct watches *watches, const struct alarm *alarm)
{
    const struct alarm_facts *facts = &alarm->facts;
    uint32_t key[WATCH_KEY_MAX];
    size_t n = watch_key(key, facts->threshold, facts->node, facts->instance);
    const struct watch *watch = (struct watch *)index_find(&watches->watches, key, n);
    return watch && has_raised(watches, watch, alarm);
}

/* An alarm has a printable instance: where the kernel's is not, only the key tells whose it is. */
static bool is_watched_by_key(const struct watches *watches, const struct alarm *alarm)
{
    const struct threshold *threshold = watches_find(watches, alarm->facts.threshold);
    const struct watch *watch = threshold ? threshold->watches : NULL;
    while (watch && !has_raised(watches, watch, alarm))
        watch = watch->next_of_threshold;
    return watch != NULL;
}

/* What was saved of series that did not come back is of no use once everything was read. True: some
 * may come yet. */
static bool forget_saved(const struct coming *coming)
{
    struct state *saved = &coming->watches->saved;
    size_t kept = 0;
    for (size_t i = 0; i < saved->n_series; i++) {
        const struct saved_series *each = &saved->series[i];
        if (!each->taken && may_come(coming, each->threshold, each->node, each->sensor))
            saved->series[kept++] = *each;
    }
    saved->n_series = kept;
    return kept > 0;
}

static void end_orphan(const struct coming *coming, const struct alarm *alarm)
{
    struct alarm_facts facts = alarm->facts;
    facts.value[0] = '\0';
    text_format(facts.message, sizeof facts.message,
                "%s: cleared, its series was gone after a restart", facts.threshold);
    alarm_clear(coming->watches->alarms, &facts, coming->now);
}

bool watches_end_orphans(struct watches *watches, const struct measure *measure,
                         const struct children *children, struct moment now)
{
    const struct coming coming = {watches, measure, children, now};
    bool waits = forget_saved(&coming);
    watches->all_began = true;
    struct index_node *next;
    watches->now = now;
    for (struct index_node *node = index_first(&watches->alarms->active); node; node = next) {
        const struct alarm *alarm = (struct alarm *)node;
        const struct alarm_facts *facts = &alarm->facts;
        next = index_next(node);
        if (facts->kind != ALARM_OF_THRESHOLD || is_watched(watches, alarm))
            continue;
        if (may_come(&coming, facts->threshold, facts->node, facts->sensor))
            waits = true;
        else if (!is_watched_by_key(watches, alarm))
            end_orphan(&coming, alarm);
    }
    return waits;
}

/* -- Saving --------------------------------------------------------------------------------- */

static bool worth_saving(const struct watch *watch)
{
    return watch->severity != SEVERITY_CLEAR || watch->state.phase >= PHASE_PENDING ||
           watch->state.breached != 0;
}

static int save_threshold(const struct watches *watches, const struct threshold *threshold,
                          struct state *state, uint64_t now_ns)
{
    for (const struct watch *watch = threshold->watches; watch; watch = watch->next_of_threshold) {
        if (!worth_saving(watch))
            continue;
        struct saved_series saved = name_of(watches, watch);
        saved.state = watch->state;
        saved.state.since_ns = now_ns - watch->state.since_ns;
        if (state_add_series(state, &saved) != 0)
            return ENOMEM;
    }
    return 0;
}

int watches_save(const struct watches *watches, struct state *state, uint64_t now_ns)
{
    for (struct index_node *node = index_first(&watches->thresholds); node; node = index_next(node))
        if (save_threshold(watches, (const struct threshold *)node, state, now_ns) != 0)
            return ENOMEM;
    /* Of those that have not begun yet, what was known stays known. */
    for (size_t i = 0; i < watches->saved.n_series; i++)
        if (!watches->saved.series[i].taken &&
            state_add_series(state, &watches->saved.series[i]) != 0)
            return ENOMEM;
    return 0;
}
