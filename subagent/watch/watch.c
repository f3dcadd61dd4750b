#include "watch/watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "watch/saved.h"
#include "watch/wording.h"

struct watch_rule *watches_find(const struct watches *watches, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct watch_rule *)index_find(&watches->rules, key, index_key_text(key, name));
}

/* -- What is watched ------------------------------------------------------------------------ */

static struct series_view view_of(const struct watches *watches, struct series_ref series)
{
    struct series_view view = series.type->view(series.series);
    if (!view.node)
        view.node = watches->alarms->node;
    return view;
}

struct series_view watch_view(const struct watches *watches, const struct watch *watch)
{
    return view_of(watches, watch->series);
}

uint32_t watch_key(uint32_t key[WATCH_KEY_MAX], const char *rule, const char *node,
                   const char *instance)
{
    uint32_t n = index_key_text(key, rule);
    n += index_key_text(key + n, node);
    return n + index_key_end(key + n, instance, INSTANCE_KEY_MAX);
}

static struct watch *find_shown(const struct watches *watches, const char *rule, const char *node,
                                const char *instance)
{
    uint32_t key[WATCH_KEY_MAX];
    uint32_t n = watch_key(key, rule, node, instance);
    return (struct watch *)index_find(&watches->watches, key, n);
}

/* -- What it costs -------------------------------------------------------------------------- */

static size_t cost_of(const struct watch *watch)
{
    return sizeof *watch + watch->node.key_len * sizeof *watch->key +
           (watch->special ? special_octets(watch->special) : 0) +
           (watch->severity != SEVERITY_CLEAR ? sizeof(struct alarm) : 0);
}

static void charge(const struct watch *watch, ptrdiff_t octets)
{
    if (watch->series.type->charge)
        watch->series.type->charge(watch->series.series, octets);
}

/* The alarm of the watch begins or ends. */
static void charge_alarm(const struct watch *watch, enum severity severity)
{
    if (watch->severity == SEVERITY_CLEAR && severity != SEVERITY_CLEAR)
        charge(watch, (ptrdiff_t)sizeof(struct alarm));
    if (watch->severity != SEVERITY_CLEAR && severity == SEVERITY_CLEAR)
        charge(watch, -(ptrdiff_t)sizeof(struct alarm));
}

/* -- Alarms --------------------------------------------------------------------------------- */

static void describe(const struct watch *watch, const struct series_view *view,
                     struct alarm_facts *facts)
{
    const struct threshold_row *row = &watch->rule->row;
    memset(facts, 0, sizeof *facts);
    text_format(facts->node, sizeof facts->node, "%s", view->node);
    memcpy(facts->threshold, row->row.name, sizeof facts->threshold);
    text_format(facts->sensor, sizeof facts->sensor, "%s", view->sensor);
    text_format(facts->instance, sizeof facts->instance, "%s", view->instance);
    alarm_key(facts->key, facts->node, facts->threshold, facts->instance);
}

void watch_describe(const struct watches *watches, const struct watch *watch,
                    struct alarm_facts *facts)
{
    const struct series_view view = watch_view(watches, watch);
    describe(watch, &view, facts);
}

static void log_alarm(const char *what, const struct alarm_facts *facts)
{
    log_info("alarm", "%s %s: %s", what, facts->key, facts->message);
}

static void count_raised(struct watches *watches, struct watch_rule *rule)
{
    watches->n_raised += rule->raised++ == 0;
}

static void count_cleared(struct watches *watches, struct watch_rule *rule)
{
    watches->n_raised -= --rule->raised == 0;
}

static void raise_alarm(struct watches *watches, struct watch *watch, struct alarm_facts *facts,
                        struct moment now)
{
    struct damper *damper = watch->special ? watch->special->damper : NULL;
    const struct damper_rule *rule = &watch->rule->damper;
    bool flaps = damper && damper_raise(rule, damper, now.mono_ns);
    count_raised(watches, watch->rule);
    if (alarm_raise(watches->alarms, facts, now))
        log_alarm("raised", facts);
    if (!flaps)
        return;
    char why[MESSAGE_SIZE];
    text_format(why, sizeof why, "flapping, %u changes; nothing is told until it is stable",
                damper_changes(rule, damper, now.mono_ns));
    wording_reason(watch->rule, why, facts);
    if (alarm_flapping(watches->alarms, facts, now))
        log_alarm("flapping", facts);
}

static void clear_alarm(struct watches *watches, struct watch *watch, struct alarm_facts *facts,
                        struct moment now)
{
    if (watch->special && watch->special->damper)
        damper_clear(&watch->rule->damper, watch->special->damper, now.mono_ns);
    count_cleared(watches, watch->rule);
    if (alarm_clear(watches->alarms, facts, now))
        log_alarm("cleared", facts);
}

/* Changes the severity of its alarm, SEVERITY_CLEAR included. value is what decided; why: a reason
 * that replaces the value, or NULL. */
static void transit(struct watches *watches, struct watch *watch, enum severity severity,
                    double value, const char *why, struct moment now)
{
    const struct series_view view = watch_view(watches, watch);
    enum severity before = watch->severity;
    struct alarm_facts facts;
    describe(watch, &view, &facts);
    facts.severity = severity;
    wording_limit(watch->rule, severity, &facts);
    if (isfinite(value))
        text_from_decimal(facts.value, value);
    if (why)
        wording_reason(watch->rule, why, &facts);
    else
        wording_value(watch->rule, &view, severity == SEVERITY_CLEAR ? "is back at" : "is",
                      watch->special, &facts);
    charge_alarm(watch, severity);
    watch->severity = severity;
    watch->since_ms = now.wall_ms;
    watches->changes++;
    watches->transitions++;
    if (before == SEVERITY_CLEAR)
        raise_alarm(watches, watch, &facts, now);
    else if (severity == SEVERITY_CLEAR)
        clear_alarm(watches, watch, &facts, now);
    else if (alarm_change(watches->alarms, &facts, now))
        log_alarm("changed", &facts);
}

static double value_or_none(const struct result *result)
{
    return result->state == RESULT_VALID ? result->value : (double)NAN;
}

void watch_take_severity(struct watches *watches, struct watch *watch, struct moment now)
{
    enum severity severity = watch->rule->row.severity;
    const struct result result = watch_view(watches, watch).result;
    if (!watch->special && watch->severity != SEVERITY_CLEAR && watch->severity != severity)
        transit(watches, watch, severity, value_or_none(&result),
                "the threshold has another severity", now);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static void link_to_rule(struct watch_rule *rule, struct watch *watch)
{
    watch->next_of_rule = rule->watches;
    watch->link_of_rule = &rule->watches;
    if (watch->next_of_rule)
        watch->next_of_rule->link_of_rule = &watch->next_of_rule;
    rule->watches = watch;
}

static void unlink_from_rule(struct watch *watch)
{
    *watch->link_of_rule = watch->next_of_rule;
    if (watch->next_of_rule)
        watch->next_of_rule->link_of_rule = watch->link_of_rule;
}

static void unlink_from_series(struct watch *watch)
{
    struct watch **link = watch->series.type->watches(watch->series.series);
    while (*link != watch)
        link = &(*link)->next_of_series;
    *link = watch->next_of_series;
}

/* Whether the rule watches that already: this series or, if a sensor and an aggregate have the same
 * name, another one, which then keeps the watch. */
static bool is_watched(const struct watches *watches, const struct watch_rule *rule,
                       struct series_ref series, const struct series_view *view)
{
    const struct watch *watch = *series.type->watches(series.series);
    for (; watch; watch = watch->next_of_series)
        if (watch->rule == rule)
            return true;
    const struct watch *shown = find_shown(watches, rule->row.row.name, view->node, view->instance);
    return shown && strcmp(watch_view(watches, shown).instance, view->instance) == 0;
}

static struct watch *watch_new(struct watches *watches, struct watch_rule *rule,
                               struct series_ref series, const struct series_view *view,
                               struct moment now)
{
    uint32_t key[WATCH_KEY_MAX];
    uint32_t n = watch_key(key, rule->row.row.name, view->node, view->instance);
    struct watch *watch = calloc(1, sizeof *watch + n * sizeof *watch->key);
    if (!watch)
        return NULL;
    if (rule->is_special && !(watch->special = special_new(rule, now.mono_ns))) {
        free(watch);
        return NULL;
    }
    struct watch **first = series.type->watches(series.series);
    memcpy(watch->key, key, n * sizeof *key);
    watch->rule = rule;
    watch->series = series;
    watch->node.key = watch->key;
    watch->node.key_len = n;
    watch->state.phase = PHASE_UNKNOWN;
    watch->severity = SEVERITY_CLEAR;
    watch->since_ms = now.wall_ms;
    watch->next_of_series = *first;
    *first = watch;
    link_to_rule(rule, watch);
    watch->shown = index_add(&watches->watches, &watch->node);
    return watch;
}

/* The alarm says which limits had been passed; if not even the first one was, the alarm was for the
 * lack of a value. */
static void restore_special(struct watch *watch)
{
    const struct threshold_levels *levels = &watch->rule->levels;
    for (unsigned i = 1; i < levels->n; i++)
        if (levels->severity[i] <= watch->severity)
            watch->special->upper[i - 1].phase = PHASE_RAISED;
    watch->special->absent = watch->state.phase != PHASE_RAISED &&
                             (levels->n == 1 || watch->severity == levels->severity[0]);
}

/* If the node has got another name since, its alarm does not exist. */
static void restore(struct watches *watches, struct watch *watch, struct saved_series *saved,
                    const struct series_view *view, struct moment now)
{
    struct alarm_facts facts;
    uint64_t age_ns = saved->state.since_ns;
    describe(watch, view, &facts);
    const struct alarm *alarm = alarm_find(watches->alarms, facts.key);
    saved->taken = true;
    watch->state = saved->state;
    watch->state.since_ns = now.mono_ns - age_ns; /* modulo 2^64, as threshold.h has it */
    watch->since_ms = now.wall_ms - (int64_t)(age_ns / NS_PER_MS);
    watch->severity = alarm ? alarm->facts.severity : SEVERITY_CLEAR;
    if (watch->state.phase == PHASE_RAISED && watch->severity == SEVERITY_CLEAR)
        watch->state = (struct threshold_state){.phase = PHASE_UNKNOWN};
    if (watch->severity == SEVERITY_CLEAR)
        return;
    count_raised(watches, watch->rule);
    watches->transitions++;
    if (watch->special)
        restore_special(watch);
    else
        watch->state.phase = PHASE_RAISED;
}

/* The model of its season is the one that is known from before, or a new one begins. */
static void resume_season(struct watches *watches, struct watch *watch,
                          const struct series_view *view)
{
    if (!watch->special || !watch->special->season)
        return;
    struct season *season = learned_take(&watches->learned, watch->rule, view);
    if (!season)
        return;
    season_free(watch->special->season);
    watch->special->season = season;
}

/* Keeps the model, because the series may come again, and a rule that has changed goes on. */
static void keep_season(struct watches *watches, struct watch *watch, bool series_ends,
                        struct moment now)
{
    if (!watch->special || !watch->special->season)
        return;
    const struct series_view view = watch_view(watches, watch);
    const struct saved_series name = saved_name(watch->rule, &view);
    if (series_ends)
        learned_keep_ended(&watches->learned, &name, watch->special->season, now);
    else
        learned_keep(&watches->learned, &name, watch->special->season);
    watch->special->season = NULL;
}

struct watch *watch_begin(struct watches *watches, struct watch_rule *rule,
                          struct series_ref series, struct moment now)
{
    const struct series_view view = view_of(watches, series);
    if (is_watched(watches, rule, series, &view))
        return NULL;
    struct watch *watch = watch_new(watches, rule, series, &view, now);
    rule->starved |= !watch;
    watches->starved |= !watch;
    if (!watch)
        return NULL;
    struct saved_series *saved = saved_find(&watches->saved, rule, &view);
    if (saved)
        restore(watches, watch, saved, &view, now);
    resume_season(watches, watch, &view);
    charge(watch, (ptrdiff_t)cost_of(watch));
    watch_take_severity(watches, watch, now); /* the rule may have got another severity in the file
                                               * since */
    return watch;
}

void watch_end(struct watches *watches, struct watch *watch, bool series_ends, const char *why,
               struct moment now)
{
    if (watch->severity != SEVERITY_CLEAR) {
        const struct result result = watch_view(watches, watch).result;
        char text[MESSAGE_SIZE];
        text_format(text, sizeof text, "cleared, %s", why);
        transit(watches, watch, SEVERITY_CLEAR, value_or_none(&result), text, now);
    }
    charge(watch, -(ptrdiff_t)cost_of(watch));
    keep_season(watches, watch, series_ends, now);
    unlink_from_series(watch);
    unlink_from_rule(watch);
    if (watch->shown)
        index_remove(&watches->watches, &watch->node);
    watches->changes++;
    special_free(watch->special);
    free(watch);
}

/* -- Plain rules ---------------------------------------------------------------------------- */

enum threshold_phase watch_phase(const struct watch *watch)
{
    return watch->severity != SEVERITY_CLEAR ? PHASE_RAISED : watch->state.phase;
}

static void step_plain(struct watches *watches, struct watch *watch, double value,
                       struct moment now)
{
    enum threshold_phase before = watch->state.phase;
    enum threshold_event event =
        threshold_step(&watch->rule->levels.rule[0], &watch->state, value, now.mono_ns);
    if (watch->state.phase == before)
        return;
    /* Only what a fresh start would not produce again is a reason to write a file. A duration that
     * has begun is saved when something else is; busy machines begin many. */
    watch->since_ms = now.wall_ms;
    if (event == THRESHOLD_RAISE)
        transit(watches, watch, watch->rule->row.severity, value, NULL, now);
    else if (event == THRESHOLD_CLEAR)
        transit(watches, watch, SEVERITY_CLEAR, value, NULL, now);
}

/* -- Rules that disable each other ----------------------------------------------------------- */

static bool is_disabled(const struct watches *watches, const struct watch *watch,
                        const struct series_view *view)
{
    const char *name = watch->rule->row.disabled_by;
    const struct watch_rule *other = name[0] ? watches_find(watches, name) : NULL;
    if (!other || other->raised == 0)
        return false;
    const struct watch *same = find_shown(watches, name, view->node, view->instance);
    if (same)
        return same->severity != SEVERITY_CLEAR;
    for (const struct watch *each = other->watches; each; each = each->next_of_rule)
        if (each->severity != SEVERITY_CLEAR &&
            strcmp(watch_view(watches, each).node, view->node) == 0)
            return true;
    return false;
}

static void begin_anew(struct watch *watch)
{
    watch->state = (struct threshold_state){.phase = PHASE_UNKNOWN};
    for (int i = 0; i < THRESHOLD_LEVELS_MAX - 1; i++)
        watch->special->upper[i] = watch->state;
    watch->special->absent = false;
}

static void disable(struct watches *watches, struct watch *watch, struct moment now)
{
    char why[MESSAGE_SIZE];
    begin_anew(watch);
    if (watch->severity == SEVERITY_CLEAR)
        return;
    text_format(why, sizeof why, "cleared, disabled by %s", watch->rule->row.disabled_by);
    transit(watches, watch, SEVERITY_CLEAR, watch->special->input, why, now);
}

/* -- Special rules --------------------------------------------------------------------------- */

/* While alarms are held off, samples count, but no duration ends. */
static enum severity compare_levels(struct watch *watch, uint64_t now_ns)
{
    const struct threshold_levels *levels = &watch->rule->levels;
    struct watch_special *special = watch->special;
    struct threshold_levels held;
    if (watch->severity == SEVERITY_CLEAR && now_ns < special->not_before_ns) {
        held = *levels;
        for (unsigned i = 0; i < held.n; i++)
            held.rule[i].duration_ms = UINT32_MAX;
        levels = &held;
    }
    return threshold_levels_step(levels, &watch->state, special->upper, special->input, now_ns);
}

static void hold_off(struct watch *watch, struct moment now)
{
    watch->special->not_before_ns = now.mono_ns + watch->rule->row.hold_off_ms * NS_PER_MS;
}

/* What is usual is not known, and may not be for days: an alarm that is active would stay until
 * then, and samples from before must not be counted together with those from after that. */
static void await_season(struct watches *watches, struct watch *watch, struct moment now)
{
    if (watch->state.phase != PHASE_UNKNOWN)
        watch->since_ms = now.wall_ms;
    begin_anew(watch);
    if (watch->severity == SEVERITY_CLEAR)
        return;
    hold_off(watch, now);
    transit(watches, watch, SEVERITY_CLEAR, NAN, "cleared, what is usual is being learnt", now);
}

static void step_special(struct watches *watches, struct watch *watch,
                         const struct series_view *view, struct moment now)
{
    struct watch_special *special = watch->special;
    special->valued_ns = now.mono_ns;
    if (is_disabled(watches, watch, view)) {
        disable(watches, watch, now);
        return;
    }
    enum threshold_phase before = watch->state.phase;
    enum severity severity = SEVERITY_CLEAR;
    bool has_input = special_take_input(special, watch->rule, watch->series, view, now);
    if (!has_input && special_learns(special)) {
        await_season(watches, watch, now);
        return;
    }
    if (has_input)
        severity = compare_levels(watch, now.mono_ns);
    else if (!special->absent)
        return;
    special->absent = false;
    if (watch->state.phase != before)
        watch->since_ms = now.wall_ms;
    if (severity == watch->severity)
        return;
    if (severity == SEVERITY_CLEAR)
        hold_off(watch, now);
    transit(watches, watch, severity, special->input, NULL, now);
}

void watch_step(struct watches *watches, struct watch *watch, const struct series_view *view,
                struct moment now)
{
    if (watch->special)
        step_special(watches, watch, view, now);
    else
        step_plain(watches, watch, view->result.value, now);
}

void watch_step_window(struct watches *watches, struct watch *watch, const struct series_view *view,
                       struct moment now)
{
    if (rule_is_on_windows(watch->rule))
        step_special(watches, watch, view, now);
}

/* -- Absence -------------------------------------------------------------------------------- */

void watch_look_for_absence(struct watches *watches, struct watch *watch, struct moment now)
{
    const struct watch_rule *rule = watch->rule;
    struct watch_special *special = watch->special;
    if (watch->severity != SEVERITY_CLEAR || now.mono_ns < special->not_before_ns ||
        now.mono_ns - special->valued_ns < rule->row.absence_ms * NS_PER_MS)
        return;
    const struct series_view view = watch_view(watches, watch);
    if (is_disabled(watches, watch, &view))
        return;
    char why[MESSAGE_SIZE], time[DECIMAL_SIZE];
    text_from_millis(time, rule->row.absence_ms);
    text_format(why, sizeof why, "no value for %s", time);
    special->absent = true;
    transit(watches, watch, rule->levels.severity[0], NAN, why, now);
}
