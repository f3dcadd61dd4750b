#include "watch/watches.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "watch/watch.h"

void watches_open(struct watches *watches, struct alarms *alarms)
{
    memset(watches, 0, sizeof *watches);
    index_init(&watches->thresholds);
    index_init(&watches->watches);
    watches->alarms = alarms;
}

/* At the end of the daemon: nothing is cleared, the state file has it. */
void watches_close(struct watches *watches)
{
    struct index_node *node;
    while ((node = index_first(&watches->thresholds))) {
        struct watch *watch = ((struct threshold *)node)->watches, *next;
        for (; watch; watch = next) {
            next = watch->next_of_threshold;
            if (watch->shown)
                index_remove(&watches->watches, &watch->node);
            watch_more_end(watch);
            free(watch);
        }
        index_remove(&watches->thresholds, node);
        free(node);
    }
    index_release(&watches->watches);
    index_release(&watches->thresholds);
    state_release(&watches->saved);
}

/* -- What is watched ------------------------------------------------------------------------ */

struct watched watched_own(const struct watches *watches, struct numbered *series)
{
    return (struct watched){.node = watches->config->node.name,
                            .sensor = series->sensor,
                            .instance = series->instance,
                            .unit = series->unit,
                            .result = series->result,
                            .watches = &series->watches,
                            .statistics = series->statistics};
}

struct watched watched_child(struct child_series *series)
{
    return (struct watched){.node = series->child->name,
                            .sensor = series->name->sensor,
                            .instance = series->name->instance,
                            .unit = series->name->unit,
                            .result = &series->result,
                            .watches = &series->watches,
                            .child_windows = series};
}

struct watched watched_by(const struct watches *watches, const struct watch *watch)
{
    return watch->threshold->of_children ? watched_child(watch->series.child)
                                         : watched_own(watches, watch->series.own);
}

uint32_t watch_key(uint32_t key[WATCH_KEY_MAX], const char *threshold, const char *node,
                   const char *instance)
{
    uint32_t n = index_key_text(key, threshold);
    n += index_key_text(key + n, node);
    return n + index_key_end(key + n, instance, CHILD_INSTANCE_KEY_MAX);
}

/* -- Alarms --------------------------------------------------------------------------------- */

void watch_describe(const struct watches *watches, const struct watch *watch,
                    struct alarm_facts *facts)
{
    const struct threshold_row *row = &watch->threshold->row;
    const struct watched series = watched_by(watches, watch);
    memset(facts, 0, sizeof *facts);
    text_format(facts->node, sizeof facts->node, "%s", series.node);
    memcpy(facts->threshold, row->row.name, sizeof facts->threshold);
    text_format(facts->sensor, sizeof facts->sensor, "%s", series.sensor);
    text_format(facts->instance, sizeof facts->instance, "%s", series.instance);
    alarm_key(facts->key, facts->node, facts->threshold, facts->instance);
}

static const char *const sources[] = {
    [INPUT_VALUE] = "",        [INPUT_RATE] = "rate of ",     [INPUT_FORECAST] = "forecast of ",
    [INPUT_MEAN] = "mean of ", [INPUT_STDDEV] = "stddev of ", [INPUT_MIN] = "min of ",
    [INPUT_MAX] = "max of ",   [INPUT_P50] = "p50 of ",       [INPUT_P90] = "p90 of ",
    [INPUT_P95] = "p95 of ",   [INPUT_P99] = "p99 of "};

/* " tasks/s, in 4h, R2 0.98": what the number means. */
static void say_unit(const struct watch *watch, const char *unit, char *text, size_t size)
{
    const struct threshold_row *row = &watch->threshold->row;
    const char *blank = unit[0] && unit[0] != '%' ? " " : "";
    char time[DECIMAL_SIZE];
    if (row->source == INPUT_FORECAST) {
        text_from_millis(time, row->horizon_ms);
        text_format(text, size, "%s%s in %s, R2 %.2f", blank, unit, time,
                    watch->more ? watch->more->confidence : 0);
    } else {
        text_format(text, size, "%s%s%s", blank, unit, row->source == INPUT_RATE ? "/s" : "");
    }
}

/* "Disk is full: fs.used on /" begins each message, so that each names its instance. Returns its
 * length. */
static size_t say_what(const struct watch *watch, struct alarm_facts *facts)
{
    const struct threshold_row *row = &watch->threshold->row;
    bool of_child = watch->threshold->of_children;
    text_format(facts->message, sizeof facts->message, "%s: %s%s on %s%s%s",
                row->description[0] ? row->description : row->row.name, sources[row->source],
                facts->sensor, facts->instance, of_child ? " of " : "",
                of_child ? facts->node : "");
    return strlen(facts->message);
}

static void say_why(const struct watch *watch, const char *why, struct alarm_facts *facts)
{
    size_t len = say_what(watch, facts);
    text_format(facts->message + len, sizeof facts->message - len, ": %s", why);
}

/* how: "is" or "is back at". */
static void say_value(const struct watch *watch, const char *own_unit, const char *how,
                      struct alarm_facts *facts)
{
    char unit[DECIMAL_SIZE + UNIT_SIZE], number[DECIMAL_SIZE];
    size_t len = say_what(watch, facts);
    say_unit(watch, own_unit, unit, sizeof unit);
    /* "> 90" */
    text_from_rounded(number, strtod(facts->value, NULL),
                      strtod(facts->limit + strcspn(facts->limit, " "), NULL));
    text_format(facts->message + len, sizeof facts->message - len, " %s %s%s (limit %s)", how,
                number, unit, facts->limit);
}

/* The limit of the present severity, or of the lowest where there is none. */
static void say_limit(const struct threshold *threshold, enum severity severity,
                      struct alarm_facts *facts)
{
    static const char *const signs[] = {"", ">", ">=", "<", "<=", "=", "!="};
    const struct threshold_row *row = &threshold->row;
    const char *limit = row->limit.text;
    if (severity != row->severity && severity == SEVERITY_WARNING)
        limit = row->warning_limit.text;
    if (severity != row->severity && severity == SEVERITY_CRITICAL)
        limit = row->critical_limit.text;
    text_format(facts->limit, sizeof facts->limit, "%s %s", signs[row->op], limit);
}

static void log_it(const char *what, const struct alarm_facts *facts)
{
    log_info("alarm", "%s %s: %s", what, facts->key, facts->message);
}

static void raise_alarm(struct watches *watches, struct watch *watch, struct alarm_facts *facts)
{
    struct damper *damper = watch->more ? watch->more->damper : NULL;
    const struct damper_rule *rule = &watch->threshold->damper;
    uint64_t now_ns = watches->now.mono_ns;
    bool flaps = damper && damper_raise(rule, damper, now_ns);
    watch->threshold->raised++;
    if (alarm_raise(watches->alarms, facts, watches->now))
        log_it("raised", facts);
    if (!flaps)
        return;
    char why[MESSAGE_SIZE];
    text_format(why, sizeof why, "flapping, %u changes; nothing is told until it is stable",
                damper_changes(rule, damper, now_ns));
    say_why(watch, why, facts);
    if (alarm_flapping(watches->alarms, facts, watches->now))
        log_it("flapping", facts);
}

static void clear_alarm(struct watches *watches, struct watch *watch, struct alarm_facts *facts)
{
    if (watch->more && watch->more->damper)
        damper_clear(&watch->threshold->damper, watch->more->damper, watches->now.mono_ns);
    watch->threshold->raised--;
    if (alarm_clear(watches->alarms, facts, watches->now))
        log_it("cleared", facts);
}

/* Its alarm begins or ends. */
static void charge_alarm(struct child *child, enum severity before, enum severity severity)
{
    if (before == SEVERITY_CLEAR && severity != SEVERITY_CLEAR)
        child_charge(child, sizeof(struct alarm));
    if (before != SEVERITY_CLEAR && severity == SEVERITY_CLEAR)
        child_discharge(child, sizeof(struct alarm));
}

void watch_transit(struct watches *watches, struct watch *watch, enum severity severity,
                   double value, const char *why)
{
    const struct watched series = watched_by(watches, watch);
    enum severity before = watch->severity;
    struct alarm_facts facts;
    watch_describe(watches, watch, &facts);
    facts.severity = severity;
    say_limit(watch->threshold, severity, &facts);
    if (isfinite(value))
        text_from_decimal(facts.value, value);
    if (why)
        say_why(watch, why, &facts);
    else
        say_value(watch, series.unit, severity == SEVERITY_CLEAR ? "is back at" : "is", &facts);
    if (watch->threshold->of_children)
        charge_alarm(watch->series.child->child, before, severity);
    watch->severity = severity;
    watch->since_ms = watches->now.wall_ms;
    watches->changes++;
    watches->transitions++;
    if (before == SEVERITY_CLEAR)
        raise_alarm(watches, watch, &facts);
    else if (severity == SEVERITY_CLEAR)
        clear_alarm(watches, watch, &facts);
    else if (alarm_change(watches->alarms, &facts, watches->now))
        log_it("changed", &facts);
}

/* -- Beginning and end ---------------------------------------------------------------------- */

static void link_watch(struct threshold *threshold, struct watch *watch)
{
    watch->next_of_threshold = threshold->watches;
    watch->link_of_threshold = &threshold->watches;
    if (watch->next_of_threshold)
        watch->next_of_threshold->link_of_threshold = &watch->next_of_threshold;
    threshold->watches = watch;
}

static void unlink_watch(struct watch *watch)
{
    *watch->link_of_threshold = watch->next_of_threshold;
    if (watch->next_of_threshold)
        watch->next_of_threshold->link_of_threshold = watch->link_of_threshold;
}

/* The threshold watches that already: this series, or, where a sensor and an aggregate have one
 * name, another one, which stands. shown: what has the key, or NULL. */
static bool is_watched(const struct watches *watches, const struct threshold *threshold,
                       const struct watched *series, const struct watch *shown)
{
    for (const struct watch *watch = *series->watches; watch; watch = watch->next_of_series)
        if (watch->threshold == threshold)
            return true;
    return shown && strcmp(watched_by(watches, shown).instance, series->instance) == 0;
}

/* Of one on a series of a child. What the special ones have besides is small. */
static size_t cost_of(const struct watch *watch)
{
    return sizeof *watch + watch->node.key_len * sizeof *watch->key +
           (watch->more ? sizeof *watch->more : 0) +
           (watch->severity != SEVERITY_CLEAR ? sizeof(struct alarm) : 0);
}

/* NULL: there is one already, or no memory. */
static struct watch *watch_new(struct watches *watches, struct threshold *threshold,
                               const struct watched *series)
{
    uint32_t key[WATCH_KEY_MAX];
    uint32_t n = watch_key(key, threshold->row.row.name, series->node, series->instance);
    const struct watch *other = (struct watch *)index_find(&watches->watches, key, n);
    if (is_watched(watches, threshold, series, other))
        return NULL;
    struct watch *watch = calloc(1, sizeof *watch + n * sizeof *watch->key);
    if (!watch)
        return NULL;
    watch->threshold = threshold;
    if (threshold->is_special && !watch_more_begin(watches, watch)) {
        free(watch);
        return NULL;
    }
    memcpy(watch->key, key, n * sizeof *key);
    watch->node.key = watch->key;
    watch->node.key_len = n;
    watch->state.phase = PHASE_UNKNOWN;
    watch->severity = SEVERITY_CLEAR;
    watch->since_ms = watches->now.wall_ms;
    watch->next_of_series = *series->watches;
    *series->watches = watch;
    link_watch(threshold, watch);
    watch->shown = index_add(&watches->watches, &watch->node);
    return watch;
}

void watch_begin_own(struct watches *watches, struct threshold *threshold, struct numbered *series)
{
    const struct watched watched = watched_own(watches, series);
    struct watch *watch = watch_new(watches, threshold, &watched);
    if (!watch)
        return;
    watch->series.own = series;
    watch_restore(watches, watch);
}

void watch_begin_child(struct watches *watches, struct threshold *threshold,
                       struct child_series *series)
{
    const struct watched watched = watched_child(series);
    struct watch *watch = watch_new(watches, threshold, &watched);
    if (!watch)
        return;
    watch->series.child = series;
    watch_restore(watches, watch);
    child_charge(series->child, cost_of(watch));
}

void watch_end(struct watches *watches, struct watch *watch, const char *why)
{
    const struct watched series = watched_by(watches, watch);
    struct watch **link = series.watches;
    if (watch->severity != SEVERITY_CLEAR) {
        bool valid = series.result->state == RESULT_VALID;
        char text[MESSAGE_SIZE];
        text_format(text, sizeof text, "cleared, %s", why);
        watch_transit(watches, watch, SEVERITY_CLEAR, valid ? series.result->value : NAN, text);
    }
    if (watch->threshold->of_children)
        child_discharge(watch->series.child->child, cost_of(watch));
    for (; *link != watch; link = &(*link)->next_of_series)
        ;
    *link = watch->next_of_series;
    unlink_watch(watch);
    if (watch->shown)
        index_remove(&watches->watches, &watch->node);
    watches->changes++;
    watch_more_end(watch);
    free(watch);
}

void watches_series_ended(struct watches *watches, struct numbered *series, const char *why)
{
    while (series->watches)
        watch_end(watches, series->watches, why);
}

void watches_child_ended(void *watches, struct child_series *series, const char *why)
{
    while (series->watches)
        watch_end(watches, series->watches, why);
}

/* -- Values --------------------------------------------------------------------------------- */

enum threshold_phase watch_phase(const struct watch *watch)
{
    return watch->severity != SEVERITY_CLEAR ? PHASE_RAISED : watch->state.phase;
}

static void step(struct watches *watches, struct watch *watch, double value)
{
    enum threshold_phase before = watch->state.phase;
    enum threshold_event event = threshold_step(&watch->threshold->levels.rule[0], &watch->state,
                                                value, watches->now.mono_ns);
    if (watch->state.phase == before)
        return;
    /* Only what a fresh start would not give again is a reason to write a file. A duration that
     * has begun is saved with what else is; busy machines begin many. */
    watch->since_ms = watches->now.wall_ms;
    if (event == THRESHOLD_RAISE)
        watch_transit(watches, watch, watch->threshold->row.severity, value, NULL);
    else if (event == THRESHOLD_CLEAR)
        watch_transit(watches, watch, SEVERITY_CLEAR, value, NULL);
}

void watch_step(struct watches *watches, struct watched watched, const struct threshold *threshold)
{
    for (struct watch *watch = *watched.watches; watch; watch = watch->next_of_series)
        if (threshold && watch->threshold != threshold)
            continue;
        else if (watch->more)
            watch_step_special(watches, watch, &watched);
        else
            step(watches, watch, watched.result->value);
}

void watches_step(struct watches *watches, struct numbered *series, struct moment now)
{
    watches->now = now;
    if (series->watches && series->result->state == RESULT_VALID)
        watch_step(watches, watched_own(watches, series), NULL);
}

void watches_child_valued(void *context, struct child_series *series, bool window,
                          struct moment now)
{
    struct watches *watches = context;
    watches->now = now;
    if (window)
        watch_step_windows(watches, watched_child(series));
    else
        watch_step(watches, watched_child(series), NULL);
}

bool watches_child_holds(void *watches, const struct child_series *series)
{
    (void)watches;
    const struct watch *watch = series->watches;
    while (watch && watch->severity == SEVERITY_CLEAR)
        watch = watch->next_of_series;
    return watch != NULL;
}

/* Their key stays what it is; windows are counted from the beginning again. */
void watches_child_moved(void *watches, struct child_series *from, struct child_series *to)
{
    (void)watches;
    for (struct watch *watch = from->watches; watch; watch = watch->next_of_series) {
        watch->series.child = to;
        if (watch->more)
            watch->more->window = 0;
    }
    to->watches = from->watches;
    from->watches = NULL;
}
