#include "watch/watches.h"

#include <stdlib.h>
#include <string.h>

#include "watch/saved.h"

/* -- Beginning and end ---------------------------------------------------------------------- */

void watches_open(struct watches *watches, struct alarms *alarms)
{
    memset(watches, 0, sizeof *watches);
    index_init(&watches->rules);
    index_init(&watches->watches);
    watches->alarms = alarms;
}

/* The daemon ends: nothing is cleared, because the state file has it. */
void watches_close(struct watches *watches)
{
    struct index_node *node;
    while ((node = index_first(&watches->rules))) {
        struct watch *watch = ((struct watch_rule *)node)->watches, *next;
        for (; watch; watch = next) {
            next = watch->next_of_rule;
            if (watch->shown)
                index_remove(&watches->watches, &watch->node);
            special_free(watch->special);
            free(watch);
        }
        index_remove(&watches->rules, node);
        free(node);
    }
    index_release(&watches->watches);
    index_release(&watches->rules);
    state_release(&watches->saved);
    learned_release(&watches->learned);
}

/* -- Series --------------------------------------------------------------------------------- */

/* All watches of a series take its latest value as a sample. */
static void step_all(struct watches *watches, struct series_ref series, bool window,
                     struct moment now)
{
    struct watch *watch = *series.type->watches(series.series);
    if (!watch)
        return;
    const struct series_view view = watch_view(watches, watch);
    for (; watch; watch = watch->next_of_series)
        (window ? watch_step_window : watch_step)(watches, watch, &view, now);
}

static void series_begun(void *context, struct series_ref series, struct moment now)
{
    struct watches *watches = context;
    const struct series_view view = series.type->view(series.series);
    for (struct index_node *node = index_first(&watches->rules); node; node = index_next(node)) {
        struct watch_rule *rule = (struct watch_rule *)node;
        if (rule_is_on(rule, &view))
            watch_begin(watches, rule, series, now);
    }
    if (view.is_current)
        step_all(watches, series, false, now);
}

static void series_valued(void *context, struct series_ref series, bool window, struct moment now)
{
    step_all(context, series, window, now);
}

/* The keys of the watches stay the same; windows are counted from the beginning again. */
static void series_moved(void *context, struct series_ref from, struct series_ref to)
{
    (void)context;
    struct watch **first = from.type->watches(from.series);
    for (struct watch *watch = *first; watch; watch = watch->next_of_series) {
        watch->series = to;
        if (watch->special)
            watch->special->window = 0;
    }
    *to.type->watches(to.series) = *first;
    *first = NULL;
}

static void series_ended(void *context, struct series_ref series, const char *why,
                         struct moment now)
{
    struct watch **first = series.type->watches(series.series);
    while (*first)
        watch_end(context, *first, true, why, now);
}

static bool series_holds(void *context, struct series_ref series)
{
    (void)context;
    const struct watch *watch = *series.type->watches(series.series);
    while (watch && watch->severity == SEVERITY_CLEAR)
        watch = watch->next_of_series;
    return watch != NULL;
}

/* A rule on windows has seen the latest whole window, other rules have seen the latest value. */
static bool series_breaches(void *context, struct series_ref series, bool window)
{
    (void)context;
    const struct watch *watch = *series.type->watches(series.series);
    for (; watch; watch = watch->next_of_series) {
        bool on_windows = rule_is_on_windows(watch->rule);
        if (watch->severity != SEVERITY_CLEAR && (on_windows || !window))
            return true;
        if ((watch->state.breached & 1) && on_windows == window)
            return true;
    }
    return false;
}

struct series_observer watches_observer(struct watches *watches)
{
    return (struct series_observer){.begun = series_begun,
                                    .valued = series_valued,
                                    .moved = series_moved,
                                    .ended = series_ended,
                                    .holds = series_holds,
                                    .breaches = series_breaches,
                                    .context = watches};
}

/* -- Rules ---------------------------------------------------------------------------------- */

static void rule_end(struct watches *watches, struct watch_rule *rule, const char *why,
                     struct moment now)
{
    while (rule->watches)
        watch_end(watches, rule->watches, false, why, now);
    saved_forget_rule(&watches->saved, rule);
    index_remove(&watches->rules, &rule->node);
    free(rule);
}

static void rule_remove(struct watches *watches, struct watch_rule *rule, struct moment now)
{
    char name[NAME_SIZE];
    memcpy(name, rule->row.row.name, sizeof name);
    rule_end(watches, rule, "the threshold was removed", now);
    learned_forget_rule(&watches->learned, name);
}

static void take_severity(struct watches *watches, struct watch_rule *rule, struct moment now)
{
    for (struct watch *watch = rule->watches; watch; watch = watch->next_of_rule)
        watch_take_severity(watches, watch, now);
}

static void end_stale_rules(struct watches *watches, const struct config *config, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&watches->rules); node; node = next) {
        struct watch_rule *rule = (struct watch_rule *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_THRESHOLD, rule->row.row.name);
        if (!row)
            rule_remove(watches, rule, now);
        else if (row->status != ROW_ACTIVE)
            rule_end(watches, rule, "the threshold is paused", now);
        else if (rule->row.row.version == row->version)
            continue; /* this is so for nearly all, of which there are very many */
        else if (!rule_take_row(rule, (const struct threshold_row *)row))
            rule_end(watches, rule, "the threshold was changed", now);
        else
            take_severity(watches, rule, now);
    }
}

/* A rule that looks for its series. */
struct rule_search {
    struct series_query query;
    struct watches *watches;
    struct watch_rule *rule;
    struct moment now;
};

static bool wants_node(const struct series_query *query, const char *node, const char *group)
{
    return rule_is_on_node(((const struct rule_search *)query)->rule, node, group);
}

/* A value that a series already has may be its first sample. */
static void found_series(const struct series_query *query, struct series_ref series)
{
    const struct rule_search *search = (const struct rule_search *)query;
    const struct series_view own = series.type->view(series.series);
    if (!rule_is_on(search->rule, &own))
        return;
    struct watch *watch = watch_begin(search->watches, search->rule, series, search->now);
    if (!watch || !own.is_current)
        return;
    const struct series_view view = watch_view(search->watches, watch);
    watch_step(search->watches, watch, &view, search->now);
}

static void look_for_series(struct watches *watches, const struct series_producer *producers,
                            size_t n, struct watch_rule *rule, struct moment now)
{
    const struct rule_search search = {
        .query = {.sensor = rule->row.sensor, .wants = wants_node, .found = found_series},
        .watches = watches,
        .rule = rule,
        .now = now};
    rule->starved = false;
    for (size_t i = 0; i < n; i++)
        producers[i].find(producers[i].context, &search.query);
}

static struct watch_rule *rule_begin(struct watches *watches, const struct threshold_row *row)
{
    struct watch_rule *rule = rule_new(row);
    if (!rule)
        return NULL;
    index_add(&watches->rules, &rule->node);
    learned_forget_others(&watches->learned, rule);
    return rule;
}

static bool any_absence(const struct watches *watches)
{
    for (struct index_node *node = index_first(&watches->rules); node; node = index_next(node))
        if (((const struct watch_rule *)node)->row.absence_ms)
            return true;
    return false;
}

void watches_sync(struct watches *watches, const struct series_producer *producers, size_t n,
                  const struct config *config, struct moment now)
{
    end_stale_rules(watches, config, now);
    watches->starved = false;
    for (struct index_node *node = index_first(&config->rows[ROW_THRESHOLD]); node;
         node = index_next(node)) {
        const struct threshold_row *row = (const struct threshold_row *)node;
        if (row->row.status != ROW_ACTIVE)
            continue;
        struct watch_rule *rule = watches_find(watches, row->row.name);
        bool looks = !rule || rule->starved;
        if (!rule)
            rule = rule_begin(watches, row);
        watches->starved |= !rule;
        if (rule && looks)
            look_for_series(watches, producers, n, rule, now);
    }
    watches->look_for_absences = any_absence(watches);
}

/* -- Time ----------------------------------------------------------------------------------- */

void watches_tick(struct watches *watches, struct moment now)
{
    if (!watches->look_for_absences || now.mono_ns - watches->looked_ns < NS_PER_S)
        return;
    watches->looked_ns = now.mono_ns;
    for (struct index_node *node = index_first(&watches->rules); node; node = index_next(node)) {
        const struct watch_rule *rule = (const struct watch_rule *)node;
        struct watch *watch = rule->row.absence_ms ? rule->watches : NULL;
        for (; watch; watch = watch->next_of_rule)
            watch_look_for_absence(watches, watch, now);
    }
}

uint64_t watches_due(const struct watches *watches)
{
    return watches->look_for_absences ? watches->looked_ns + NS_PER_S : UINT64_MAX;
}

/* -- What holds alarms back ------------------------------------------------------------------ */

enum damper_verdict watches_verdict(const struct watches *watches, const struct alarm_facts *facts,
                                    uint64_t now_ns)
{
    uint32_t key[WATCH_KEY_MAX];
    size_t n = watch_key(key, facts->threshold, facts->node, facts->instance);
    const struct watch *watch = (struct watch *)index_find(&watches->watches, key, n);
    if (!watch || !watch->special || !watch->special->damper)
        return DAMPER_TELL;
    return damper_verdict(&watch->rule->damper, watch->special->damper, now_ns);
}
