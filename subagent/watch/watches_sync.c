/* Which thresholds there are, and which series each one is on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "watch/watch.h"

struct threshold *watches_find(const struct watches *watches, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct threshold *)index_find(&watches->thresholds, key, index_key_text(key, name));
}

/* -- Series --------------------------------------------------------------------------------- */

static bool is_on(const struct threshold *threshold, const char *sensor, const char *instance)
{
    return strcmp(threshold->row.sensor, sensor) == 0 &&
           text_matches(threshold->row.instances, instance);
}

/* An empty pattern is any: of_children says that not both are. */
static bool matches(const char *pattern, const char *name)
{
    return !pattern[0] || text_matches(pattern, name);
}

bool watch_is_on_child(const struct threshold *threshold, const struct child *child)
{
    return threshold->of_children && matches(threshold->row.children, child->name) &&
           matches(threshold->row.groups, child->group);
}

void watches_series_begun(struct watches *watches, struct numbered *series)
{
    for (struct index_node *node = index_first(&watches->thresholds); node;
         node = index_next(node)) {
        struct threshold *threshold = (struct threshold *)node;
        if (!threshold->of_children && is_on(threshold, series->sensor, series->instance))
            watch_begin_own(watches, threshold, series);
    }
}

void watches_child_begun(void *context, struct child_series *series)
{
    struct watches *watches = context;
    for (struct index_node *node = index_first(&watches->thresholds); node;
         node = index_next(node)) {
        struct threshold *threshold = (struct threshold *)node;
        if (threshold->of_children &&
            is_on(threshold, series->name->sensor, series->name->instance) &&
            watch_is_on_child(threshold, series->child))
            watch_begin_child(watches, threshold, series);
    }
    if (child_series_current(series))
        watch_step(watches, watched_child(series), NULL);
}

/* -- Thresholds ----------------------------------------------------------------------------- */

static void threshold_end(struct watches *watches, struct threshold *threshold, const char *why)
{
    while (threshold->watches)
        watch_end(watches, threshold->watches, why);
    watch_forget(watches, threshold);
    index_remove(&watches->thresholds, &threshold->node);
    free(threshold);
}

static bool same_levels(const struct threshold_levels *a, const struct threshold_levels *b)
{
    for (unsigned i = 0; i < a->n && a->n == b->n; i++) {
        const struct threshold_rule *p = &a->rule[i], *q = &b->rule[i];
        if (p->op != q->op || p->limit != q->limit || p->clear != q->clear ||
            p->match != q->match || p->window != q->window || p->duration_ms != q->duration_ms)
            return false;
    }
    return a->n == b->n;
}

static bool same_input(const struct threshold_row *a, const struct threshold_row *b)
{
    return strcmp(a->sensor, b->sensor) == 0 && strcmp(a->instances, b->instances) == 0 &&
           strcmp(a->children, b->children) == 0 && strcmp(a->groups, b->groups) == 0 &&
           a->source == b->source && a->span_ms == b->span_ms && a->horizon_ms == b->horizon_ms &&
           a->confidence.value == b->confidence.value;
}

static bool is_special(const struct threshold *threshold)
{
    const struct threshold_row *row = &threshold->row;
    return threshold->levels.n > 1 || row->source != INPUT_VALUE || row->absence_ms ||
           row->hold_off_ms || row->disabled_by[0] || damper_needed(&threshold->damper);
}

/* Another severity of a rule that is else the same: what is raised has it from now on. */
static void take_severity(struct watches *watches, struct threshold *threshold)
{
    enum severity severity = threshold->row.severity;
    for (struct watch *watch = threshold->watches; watch; watch = watch->next_of_threshold) {
        const struct result *result = watched_by(watches, watch).result;
        if (watch->more || watch->severity == SEVERITY_CLEAR || watch->severity == severity)
            continue;
        watch_transit(watches, watch, severity, result->state == RESULT_VALID ? result->value : NAN,
                      "the threshold has another severity");
    }
}

/* False: it is another rule, which begins anew. */
static bool take_row(struct threshold *threshold, const struct threshold_row *row)
{
    struct threshold next = {.row = *row};
    config_threshold_levels(row, &next.levels);
    config_damper_rule(row, &next.damper);
    next.is_special = is_special(&next);
    const struct threshold_row *was = &threshold->row;
    if (!same_levels(&threshold->levels, &next.levels) || !same_input(was, row) ||
        was->absence_ms != row->absence_ms || was->hold_off_ms != row->hold_off_ms ||
        threshold->is_special != next.is_special ||
        damper_needed(&threshold->damper) != damper_needed(&next.damper))
        return false;
    threshold->row = next.row;
    threshold->levels = next.levels;
    threshold->damper = next.damper;
    return true;
}

static void end_stale(struct watches *watches, const struct config *config)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&watches->thresholds); node; node = next) {
        struct threshold *threshold = (struct threshold *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_THRESHOLD, threshold->row.row.name);
        if (!row)
            threshold_end(watches, threshold, "the threshold was removed");
        else if (row->status != ROW_ACTIVE)
            threshold_end(watches, threshold, "the threshold is paused");
        else if (!take_row(threshold, (const struct threshold_row *)row))
            threshold_end(watches, threshold, "the threshold was changed");
        else
            take_severity(watches, threshold);
    }
}

static void begin_own(struct watches *watches, struct threshold *threshold,
                      const struct measure *measure)
{
    for (struct index_node *node = index_first(&measure->by_number); node;
         node = index_next(node)) {
        struct numbered *series = (struct numbered *)node;
        if (is_on(threshold, series->sensor, series->instance))
            watch_begin_own(watches, threshold, series);
    }
}

static void begin_child(struct watches *watches, struct threshold *threshold,
                        const struct children *children, const struct child *child)
{
    struct child_series *series = child_series_first(children, child, threshold->row.sensor);
    for (; series; series = child_series_next(series)) {
        if (!text_matches(threshold->row.instances, series->name->instance))
            continue;
        watch_begin_child(watches, threshold, series);
        if (child_series_current(series))
            watch_step(watches, watched_child(series), threshold);
    }
}

static void threshold_begin(struct watches *watches, const struct measure *measure,
                            const struct children *children, const struct threshold_row *row)
{
    struct threshold *threshold = calloc(1, sizeof *threshold);
    if (!threshold)
        return;
    threshold->row = *row;
    threshold->of_children = row->children[0] || row->groups[0];
    config_threshold_levels(row, &threshold->levels);
    config_damper_rule(row, &threshold->damper);
    threshold->is_special = is_special(threshold);
    threshold->node.key = threshold->key;
    threshold->node.key_len = index_key_text(threshold->key, row->row.name);
    index_add(&watches->thresholds, &threshold->node);
    if (!threshold->of_children)
        begin_own(watches, threshold, measure);
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node))
        if (watch_is_on_child(threshold, (const struct child *)node))
            begin_child(watches, threshold, children, (const struct child *)node);
}

static bool any_absence(const struct watches *watches)
{
    for (struct index_node *node = index_first(&watches->thresholds); node; node = index_next(node))
        if (((const struct threshold *)node)->row.absence_ms)
            return true;
    return false;
}

void watches_sync(struct watches *watches, struct measure *measure, const struct children *children,
                  const struct config *config, struct moment now)
{
    watches->now = now;
    watches->config = config;
    end_stale(watches, config);
    for (struct index_node *node = index_first(&config->rows[ROW_THRESHOLD]); node;
         node = index_next(node)) {
        const struct threshold_row *row = (const struct threshold_row *)node;
        if (row->row.status == ROW_ACTIVE && !watches_find(watches, row->row.name))
            threshold_begin(watches, measure, children, row);
    }
    watches->look_for_absences = any_absence(watches);
}
