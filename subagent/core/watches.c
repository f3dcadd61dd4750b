#include "core/watches.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

void watches_open(struct watches *watches, struct alarms *alarms)
{
    memset(watches, 0, sizeof *watches);
    index_init(&watches->thresholds);
    index_init(&watches->watches);
    watches->alarms = alarms;
}

struct threshold *watches_find(const struct watches *watches, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct threshold *)index_find(&watches->thresholds, key, index_key_text(key, name));
}

static void describe(const struct watches *watches, const struct watch *watch,
                     struct alarm_facts *facts)
{
    static const char *const signs[] = {"", ">", ">=", "<", "<=", "=", "!="};
    const struct threshold_row *row = &watch->threshold->row;
    const struct numbered *series = watch->series;
    memset(facts, 0, sizeof *facts);
    memcpy(facts->node, watches->config->node.name, sizeof facts->node);
    memcpy(facts->threshold, row->row.name, sizeof facts->threshold);
    text_format(facts->sensor, sizeof facts->sensor, "%s", series->sensor);
    text_format(facts->instance, sizeof facts->instance, "%s", series->instance);
    facts->severity = row->severity;
    alarm_key(facts->key, facts->node, facts->threshold, facts->instance);
    text_format(facts->limit, sizeof facts->limit, "%s %s", signs[row->op], row->limit.text);
}

/* how: "is" or "is back at". */
static void say(const struct watch *watch, const char *how, struct alarm_facts *facts)
{
    const struct threshold_row *row = &watch->threshold->row;
    const char *unit = watch->series->unit;
    text_format(facts->message, sizeof facts->message, "%s: %s on %s %s %s%s%s (limit %s)",
                row->description[0] ? row->description : row->row.name, facts->sensor,
                facts->instance, how, facts->value, unit[0] && unit[0] != '%' ? " " : "", unit,
                facts->limit);
}

static void raise_alarm(struct watches *watches, struct watch *watch)
{
    struct alarm_facts facts;
    describe(watches, watch, &facts);
    text_from_decimal(facts.value, watch->series->result->value);
    say(watch, "is", &facts);
    if (alarm_raise(watches->alarms, &facts, watches->now))
        log_info("alarm", "raised %s: %s", facts.key, facts.message);
}

/* why: NULL where the value has recovered. */
static void clear_alarm(struct watches *watches, struct watch *watch, const char *why)
{
    struct alarm_facts facts;
    describe(watches, watch, &facts);
    if (watch->series->result->state == RESULT_VALID)
        text_from_decimal(facts.value, watch->series->result->value);
    if (why)
        text_format(facts.message, sizeof facts.message, "%s: cleared, %s",
                    watch->threshold->row.row.name, why);
    else
        say(watch, "is back at", &facts);
    if (alarm_clear(watches->alarms, &facts, watches->now))
        log_info("alarm", "cleared %s: %s", facts.key, facts.message);
}

/* An alarm of that key is active. It is not where the node has another name since. */
static bool has_alarm(const struct watches *watches, const struct watch *watch)
{
    struct alarm_facts facts;
    describe(watches, watch, &facts);
    return alarm_find(watches->alarms, facts.key) != NULL;
}

/* Takes what the state file said of this watch, if it said something. */
static void restore(struct watches *watches, struct watch *watch)
{
    struct state *saved = &watches->saved;
    for (size_t i = 0; i < saved->n_series; i++) {
        struct saved_series *s = &saved->series[i];
        if (strcmp(s->threshold, watch->threshold->row.row.name) != 0 ||
            strcmp(s->instance, watch->series->instance) != 0 ||
            strcmp(s->sensor, watch->series->sensor) != 0)
            continue;
        uint64_t age_ns = s->state.since_ns;
        watch->state = s->state;
        watch->state.since_ns =
            watches->now.mono_ns - age_ns; /* modulo 2^64, as threshold.h has it */
        watch->since_ms = watches->now.wall_ms - (int64_t)(age_ns / NS_PER_MS);
        if (watch->state.phase == PHASE_RAISED && !has_alarm(watches, watch))
            watch->state = (struct threshold_state){.phase = PHASE_UNKNOWN};
        if (watch->state.phase == PHASE_RAISED)
            watch->threshold->raised++;
        saved->series[i] = saved->series[--saved->n_series];
        return;
    }
}

static void watch_begin(struct watches *watches, struct threshold *threshold,
                        struct numbered *series)
{
    const char *name = threshold->row.row.name;
    uint32_t key[NAME_SIZE + INSTANCE_SIZE];
    uint32_t n = index_key_text(key, name);
    n += index_key_text(key + n, series->instance);
    /* A sensor and an aggregate of one name: the first one stands. */
    if (index_find(&watches->watches, key, n))
        return;
    struct watch *watch = calloc(1, sizeof *watch + n * sizeof *watch->key);
    if (!watch)
        return;
    memcpy(watch->key, key, n * sizeof *key);
    watch->node.key = watch->key;
    watch->node.key_len = n;
    watch->threshold = threshold;
    watch->series = series;
    watch->state.phase = PHASE_UNKNOWN;
    watch->since_ms = watches->now.wall_ms;
    watch->next_of_series = series->watches;
    series->watches = watch;
    watch->next_of_threshold = threshold->watches;
    threshold->watches = watch;
    index_add(&watches->watches, &watch->node);
    restore(watches, watch);
}

static void watch_end(struct watches *watches, struct watch *watch, const char *why)
{
    struct watch **link;
    if (watch->state.phase == PHASE_RAISED) {
        watch->threshold->raised--;
        clear_alarm(watches, watch, why);
    }
    for (link = &watch->series->watches; *link != watch; link = &(*link)->next_of_series)
        ;
    *link = watch->next_of_series;
    for (link = &watch->threshold->watches; *link != watch; link = &(*link)->next_of_threshold)
        ;
    *link = watch->next_of_threshold;
    index_remove(&watches->watches, &watch->node);
    watches->changes++;
    free(watch);
}

static void threshold_end(struct watches *watches, struct threshold *threshold, const char *why)
{
    while (threshold->watches)
        watch_end(watches, threshold->watches, why);
    index_remove(&watches->thresholds, &threshold->node);
    free(threshold);
}

/* At the end of the daemon: nothing is cleared, the state file has it. */
void watches_close(struct watches *watches)
{
    struct index_node *node;
    while ((node = index_first(&watches->watches))) {
        index_remove(&watches->watches, node);
        free(node);
    }
    while ((node = index_first(&watches->thresholds))) {
        index_remove(&watches->thresholds, node);
        free(node);
    }
    index_release(&watches->watches);
    index_release(&watches->thresholds);
    state_release(&watches->saved);
}

static bool applies(const struct threshold *threshold, const struct numbered *series)
{
    return strcmp(threshold->row.sensor, series->sensor) == 0 &&
           text_matches(threshold->row.instances, series->instance);
}

static bool same_rule(const struct threshold *threshold, const struct threshold_row *row,
                      const struct threshold_rule *rule)
{
    const struct threshold_rule *old = &threshold->rule;
    return old->op == rule->op && old->limit == rule->limit && old->clear == rule->clear &&
           old->match == rule->match && old->window == rule->window &&
           old->duration_ms == rule->duration_ms &&
           strcmp(threshold->row.sensor, row->sensor) == 0 &&
           strcmp(threshold->row.instances, row->instances) == 0;
}

static void end_stale(struct watches *watches, const struct config *config)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&watches->thresholds); node; node = next) {
        struct threshold *threshold = (struct threshold *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_THRESHOLD, threshold->row.row.name);
        struct threshold_rule rule;
        if (!row) {
            threshold_end(watches, threshold, "the threshold was removed");
        } else if (row->status != ROW_ACTIVE) {
            threshold_end(watches, threshold, "the threshold is paused");
        } else {
            config_threshold_rule((const struct threshold_row *)row, &rule);
            if (same_rule(threshold, (const struct threshold_row *)row, &rule))
                threshold->row = *(const struct threshold_row *)row;
            else
                threshold_end(watches, threshold, "the threshold was changed");
        }
    }
}

static void threshold_begin(struct watches *watches, struct measure *measure,
                            const struct threshold_row *row)
{
    struct threshold *threshold = calloc(1, sizeof *threshold);
    if (!threshold)
        return;
    threshold->row = *row;
    config_threshold_rule(row, &threshold->rule);
    threshold->node.key = threshold->key;
    threshold->node.key_len = index_key_text(threshold->key, row->row.name);
    index_add(&watches->thresholds, &threshold->node);
    for (struct index_node *node = index_first(&measure->by_number); node; node = index_next(node))
        if (applies(threshold, (struct numbered *)node))
            watch_begin(watches, threshold, (struct numbered *)node);
}

void watches_sync(struct watches *watches, struct measure *measure, const struct config *config,
                  struct moment now)
{
    watches->now = now;
    watches->config = config;
    end_stale(watches, config);
    for (struct index_node *node = index_first(&config->rows[ROW_THRESHOLD]); node;
         node = index_next(node)) {
        const struct threshold_row *row = (const struct threshold_row *)node;
        if (row->row.status == ROW_ACTIVE && !watches_find(watches, row->row.name))
            threshold_begin(watches, measure, row);
    }
}

void watches_series_begun(struct watches *watches, struct numbered *series)
{
    for (struct index_node *node = index_first(&watches->thresholds); node; node = index_next(node))
        if (applies((struct threshold *)node, series))
            watch_begin(watches, (struct threshold *)node, series);
}

void watches_series_ended(struct watches *watches, struct numbered *series, const char *why)
{
    while (series->watches)
        watch_end(watches, series->watches, why);
}

static void step(struct watches *watches, struct watch *watch)
{
    enum threshold_phase before = watch->state.phase;
    enum threshold_event event = threshold_step(&watch->threshold->rule, &watch->state,
                                                watch->series->result->value, watches->now.mono_ns);
    if (watch->state.phase == before)
        return;
    watch->since_ms = watches->now.wall_ms;
    /* Only what a fresh start would not give again is a reason to write a file. A duration that
     * has begun is saved with what else is; busy machines begin many. */
    if (before == PHASE_RAISED || watch->state.phase == PHASE_RAISED)
        watches->changes++;
    if (event == THRESHOLD_RAISE) {
        watch->threshold->raised++;
        raise_alarm(watches, watch);
    } else if (event == THRESHOLD_CLEAR) {
        watch->threshold->raised--;
        clear_alarm(watches, watch, NULL);
    }
}

void watches_step(struct watches *watches, struct numbered *series, struct moment now)
{
    watches->now = now;
    if (series->result->state != RESULT_VALID)
        return;
    for (struct watch *watch = series->watches; watch; watch = watch->next_of_series)
        step(watches, watch);
}

static bool has_raised(const struct watches *watches, const struct watch *watch,
                       const struct alarm *alarm)
{
    struct alarm_facts facts;
    if (watch->state.phase != PHASE_RAISED)
        return false;
    describe(watches, watch, &facts);
    return strcmp(facts.key, alarm->facts.key) == 0;
}

/* An alarm has a printable instance: where the kernel's is not, only the key tells whose it is. */
static bool is_watched(const struct watches *watches, const struct alarm *alarm)
{
    uint32_t key[NAME_SIZE + INSTANCE_SIZE];
    uint32_t n = index_key_text(key, alarm->facts.threshold);
    n += index_key_text(key + n, alarm->facts.instance);
    const struct watch *watch = (struct watch *)index_find(&watches->watches, key, n);
    if (watch && has_raised(watches, watch, alarm))
        return true;
    const struct threshold *threshold = watches_find(watches, alarm->facts.threshold);
    watch = threshold ? threshold->watches : NULL;
    while (watch && !has_raised(watches, watch, alarm))
        watch = watch->next_of_threshold;
    return watch != NULL;
}

/* While its source cannot be read, nobody knows whether an instance of the sensor is there; nor
 * what there is to aggregate, before the children have told what they have. */
static bool may_come(const struct watches *watches, const struct measure *measure, const char *name)
{
    const struct sensor *sensor = measure_find(measure, name);
    if (sensor)
        return sensor->error != 0;
    return !watches->children_known && config_find(watches->config, ROW_AGGREGATE, name);
}

static bool is_orphan(const struct watches *watches, const struct measure *measure,
                      const struct alarm *alarm)
{
    if (alarm->facts.kind != ALARM_OF_THRESHOLD || is_watched(watches, alarm))
        return false;
    return !may_come(watches, measure, alarm->facts.sensor) ||
           !watches_find(watches, alarm->facts.threshold);
}

/* What was saved of series that did not come back is of no use once everything was read. */
static void forget_saved(struct watches *watches, const struct measure *measure)
{
    struct state *saved = &watches->saved;
    size_t kept = 0;
    for (size_t i = 0; i < saved->n_series; i++)
        if (may_come(watches, measure, saved->series[i].sensor))
            saved->series[kept++] = saved->series[i];
    saved->n_series = kept;
}

void watches_end_orphans(struct watches *watches, const struct measure *measure, struct moment now)
{
    forget_saved(watches, measure);
    struct index_node *next;
    watches->now = now;
    for (struct index_node *node = index_first(&watches->alarms->active); node; node = next) {
        const struct alarm *alarm = (struct alarm *)node;
        next = index_next(node);
        if (!is_orphan(watches, measure, alarm))
            continue;
        struct alarm_facts facts = alarm->facts;
        facts.value[0] = '\0';
        text_format(facts.message, sizeof facts.message,
                    "%s: cleared, its series was gone after a restart", facts.threshold);
        alarm_clear(watches->alarms, &facts, now);
    }
}

static bool worth_saving(const struct watch *watch)
{
    return watch->state.phase >= PHASE_PENDING || watch->state.breached != 0;
}

int watches_save(const struct watches *watches, struct state *state, uint64_t now_ns)
{
    for (struct index_node *node = index_first(&watches->watches); node; node = index_next(node)) {
        const struct watch *watch = (struct watch *)node;
        if (!worth_saving(watch))
            continue;
        struct saved_series s = {.state = watch->state};
        memcpy(s.threshold, watch->threshold->row.row.name, sizeof s.threshold);
        text_format(s.sensor, sizeof s.sensor, "%s", watch->series->sensor);
        text_format(s.instance, sizeof s.instance, "%s", watch->series->instance);
        s.state.since_ns = now_ns - watch->state.since_ns;
        if (state_add_series(state, &s) != 0)
            return ENOMEM;
    }
    /* Of those that have not begun yet, what was known stays known. */
    for (size_t i = 0; i < watches->saved.n_series; i++)
        if (state_add_series(state, &watches->saved.series[i]) != 0)
            return ENOMEM;
    return 0;
}
