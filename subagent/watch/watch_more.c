/* Watches of rules that are not plain: several limits, other sources than the value, absence,
 * hold-off, dampening, rules that disable each other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "watch/watch.h"
#include "threshold/trend.h"

bool watch_more_begin(const struct watches *watches, struct watch *watch)
{
    const struct threshold *threshold = watch->threshold;
    bool trends = threshold->row.source == INPUT_RATE || threshold->row.source == INPUT_FORECAST;
    struct watch_more *more = watch->more = calloc(1, sizeof *more);
    if (!more)
        return false;
    if (trends)
        more->trend = trend_new(threshold->row.span_ms);
    if (damper_needed(&threshold->damper))
        more->damper = calloc(1, sizeof *more->damper);
    if ((trends && !more->trend) || (damper_needed(&threshold->damper) && !more->damper)) {
        watch_more_end(watch);
        return false;
    }
    for (int i = 0; i < THRESHOLD_LEVELS_MAX - 1; i++)
        more->upper[i].phase = PHASE_UNKNOWN;
    more->valued_ns = watches->now.mono_ns;
    more->not_before_ns = watches->now.mono_ns + threshold->row.hold_off_ms * NS_PER_MS;
    return true;
}

void watch_more_end(struct watch *watch)
{
    if (!watch->more)
        return;
    trend_free(watch->more->trend);
    free(watch->more->damper);
    free(watch->more);
    watch->more = NULL;
}

/* The alarm says which limits had been passed; where not even the first was, there was no value. */
void watch_more_restore(struct watch *watch)
{
    const struct threshold_levels *levels = &watch->threshold->levels;
    for (unsigned i = 1; i < levels->n; i++)
        if (levels->severity[i] <= watch->severity)
            watch->more->upper[i - 1].phase = PHASE_RAISED;
    watch->more->absent = watch->state.phase != PHASE_RAISED &&
                          (levels->n == 1 || watch->severity == levels->severity[0]);
}

/* -- What is compared with the limits ------------------------------------------------------- */

static double statistic(const struct statistics_window *window, enum threshold_source source)
{
    switch (source) {
    case INPUT_MEAN:
        return window->mean;
    case INPUT_STDDEV:
        return statistics_deviation(window);
    case INPUT_MIN:
        return window->min;
    case INPUT_MAX:
        return window->max;
    case INPUT_P50:
        return statistics_quantile(window, 0.50);
    case INPUT_P90:
        return statistics_quantile(window, 0.90);
    case INPUT_P95:
        return statistics_quantile(window, 0.95);
    default:
        return statistics_quantile(window, 0.99);
    }
}

/* The last whole window, and a number that no other one has; NULL: there is none. */
static const struct statistics_window *last_window(const struct watched *watched, uint64_t now_ns,
                                                   uint64_t *number)
{
    if (watched->child_windows) {
        *number = child_series_windows(watched->child_windows);
        return child_series_window(watched->child_windows);
    }
    if (!watched->statistics)
        return NULL;
    struct statistics_view view = statistics_view(watched->statistics, now_ns);
    *number = view.begin_ns + 1;
    return view.complete && view.window->count > 0 ? view.window : NULL;
}

static bool of_window(struct watch *watch, const struct watched *watched, uint64_t now_ns)
{
    struct watch_more *more = watch->more;
    uint64_t number = 0;
    const struct statistics_window *window = last_window(watched, now_ns, &number);
    if (!window || more->window == number)
        return false;
    more->window = number;
    more->input = statistic(window, watch->threshold->row.source);
    return true;
}

/* What does not grow any more has no trend to be confident of, and must be able to clear. */
static bool is_harmless(const struct watch *watch)
{
    const struct threshold_rule *lowest = &watch->threshold->levels.rule[0];
    return !compare(watch->more->input, lowest->op, lowest->clear);
}

static bool of_trend(struct watch *watch, double value, uint64_t now_ns)
{
    const struct threshold_row *row = &watch->threshold->row;
    struct trend_line line;
    trend_add(watch->more->trend, value, now_ns);
    if (!trend_line(watch->more->trend, now_ns, &line))
        return false;
    watch->more->confidence = line.confidence;
    if (row->source == INPUT_RATE) {
        watch->more->input = line.slope;
        return true;
    }
    watch->more->input = line.value + line.slope * row->horizon_ms / 1000;
    return line.confidence >= row->confidence.value || is_harmless(watch);
}

/* False: there is nothing new to compare. */
static bool take_input(struct watch *watch, const struct watched *watched, uint64_t now_ns)
{
    switch (watch->threshold->row.source) {
    case INPUT_VALUE:
        watch->more->input = watched->result->value;
        return true;
    case INPUT_RATE:
    case INPUT_FORECAST:
        return of_trend(watch, watched->result->value, now_ns);
    default:
        return of_window(watch, watched, now_ns);
    }
}

/* -- Other rules ---------------------------------------------------------------------------- */

static bool is_disabled(const struct watches *watches, const struct watch *watch,
                        const struct watched *watched)
{
    const char *name = watch->threshold->row.disabled_by;
    const struct threshold *other = name[0] ? watches_find(watches, name) : NULL;
    if (!other || other->raised == 0)
        return false;
    uint32_t key[WATCH_KEY_MAX];
    size_t n = watch_key(key, name, watched->node, watched->instance);
    const struct watch *same = (struct watch *)index_find(&watches->watches, key, n);
    if (same)
        return same->severity != SEVERITY_CLEAR;
    for (const struct watch *each = other->watches; each; each = each->next_of_threshold)
        if (each->severity != SEVERITY_CLEAR &&
            strcmp(watched_by(watches, each).node, watched->node) == 0)
            return true;
    return false;
}

static void begin_anew(struct watch *watch)
{
    watch->state = (struct threshold_state){.phase = PHASE_UNKNOWN};
    for (int i = 0; i < THRESHOLD_LEVELS_MAX - 1; i++)
        watch->more->upper[i] = watch->state;
    watch->more->absent = false;
}

static void disable(struct watches *watches, struct watch *watch)
{
    char why[MESSAGE_SIZE];
    begin_anew(watch);
    if (watch->severity == SEVERITY_CLEAR)
        return;
    text_format(why, sizeof why, "cleared, disabled by %s", watch->threshold->row.disabled_by);
    watch_transit(watches, watch, SEVERITY_CLEAR, watch->more->input, why);
}

/* -- Steps ---------------------------------------------------------------------------------- */

/* While alarms are held off, samples count but no duration ends. */
static enum severity compare_levels(struct watch *watch, uint64_t now_ns)
{
    const struct threshold_levels *levels = &watch->threshold->levels;
    struct threshold_levels held;
    if (watch->severity == SEVERITY_CLEAR && now_ns < watch->more->not_before_ns) {
        held = *levels;
        for (unsigned i = 0; i < held.n; i++)
            held.rule[i].duration_ms = UINT32_MAX;
        levels = &held;
    }
    return threshold_levels_step(levels, &watch->state, watch->more->upper, watch->more->input,
                                 now_ns);
}

void watch_step_special(struct watches *watches, struct watch *watch, const struct watched *watched)
{
    struct watch_more *more = watch->more;
    uint64_t now_ns = watches->now.mono_ns;
    more->valued_ns = now_ns;
    if (is_disabled(watches, watch, watched)) {
        disable(watches, watch);
        return;
    }
    enum threshold_phase before = watch->state.phase;
    enum severity severity = SEVERITY_CLEAR;
    if (take_input(watch, watched, now_ns))
        severity = compare_levels(watch, now_ns);
    else if (!more->absent)
        return;
    more->absent = false;
    if (watch->state.phase != before)
        watch->since_ms = watches->now.wall_ms;
    if (severity == watch->severity)
        return;
    if (severity == SEVERITY_CLEAR)
        more->not_before_ns = now_ns + watch->threshold->row.hold_off_ms * NS_PER_MS;
    watch_transit(watches, watch, severity, more->input, NULL);
}

static bool is_on_windows(const struct watch *watch)
{
    enum threshold_source source = watch->threshold->row.source;
    return source != INPUT_VALUE && source != INPUT_RATE && source != INPUT_FORECAST;
}

void watch_step_windows(struct watches *watches, struct watched watched)
{
    for (struct watch *watch = *watched.watches; watch; watch = watch->next_of_series)
        if (is_on_windows(watch))
            watch_step_special(watches, watch, &watched);
}

/* -- Absence -------------------------------------------------------------------------------- */

static void look_for_absence(struct watches *watches, struct watch *watch)
{
    const struct threshold *threshold = watch->threshold;
    struct watch_more *more = watch->more;
    uint64_t now_ns = watches->now.mono_ns;
    if (watch->severity != SEVERITY_CLEAR || now_ns < more->not_before_ns ||
        now_ns - more->valued_ns < threshold->row.absence_ms * NS_PER_MS)
        return;
    const struct watched series = watched_by(watches, watch);
    if (is_disabled(watches, watch, &series))
        return;
    char why[MESSAGE_SIZE], time[DECIMAL_SIZE];
    text_from_millis(time, threshold->row.absence_ms);
    text_format(why, sizeof why, "no value for %s", time);
    more->absent = true;
    watch_transit(watches, watch, threshold->levels.severity[0], NAN, why);
}

void watches_tick(struct watches *watches, struct moment now)
{
    watches->now = now;
    if (!watches->look_for_absences || now.mono_ns - watches->looked_ns < NS_PER_S)
        return;
    watches->looked_ns = now.mono_ns;
    for (struct index_node *node = index_first(&watches->thresholds); node;
         node = index_next(node)) {
        const struct threshold *threshold = (struct threshold *)node;
        struct watch *watch = threshold->row.absence_ms ? threshold->watches : NULL;
        for (; watch; watch = watch->next_of_threshold)
            look_for_absence(watches, watch);
    }
}

uint64_t watches_due(const struct watches *watches)
{
    return watches->look_for_absences ? watches->looked_ns + NS_PER_S : UINT64_MAX;
}

/* -- Verdicts ------------------------------------------------------------------------------- */

enum damper_verdict watches_verdict(const struct watches *watches, const struct alarm_facts *facts,
                                    uint64_t now_ns)
{
    uint32_t key[WATCH_KEY_MAX];
    size_t n = watch_key(key, facts->threshold, facts->node, facts->instance);
    const struct watch *watch = (struct watch *)index_find(&watches->watches, key, n);
    if (!watch || !watch->more || !watch->more->damper)
        return DAMPER_TELL;
    return damper_verdict(&watch->threshold->damper, watch->more->damper, now_ns);
}
