#include "series/measure.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"
#include "base/text.h"
#include "series/derive.h"
#include "series/tell_keys.h"
#include "metric/field.h"

/* How many cache lines of each a pass needs. Where pointers are shorter, it needs less, but that is
 * not a whole number of lines. */
#define SENSOR_LINES (2 * CACHE_LINE)
#define SERIES_LINES (5 * CACHE_LINE)
/* With at most so many series, the larger part of a core's own cache is left to others. */
#define PREFETCH_MOST 512
#define IN_LINES(type, first, behind, lines)                                                       \
    (sizeof(void *) != 8 || (offsetof(type, first) % CACHE_LINE == 0 &&                            \
                             offsetof(type, behind) <= offsetof(type, first) + (lines)))
static_assert(IN_LINES(struct sensor, next, filter.gate_limit, SENSOR_LINES),
              "what a pass needs of a sensor is in few cache lines");
static_assert(IN_LINES(struct series, entry.number, statistics.current, SERIES_LINES),
              "what a pass needs of a series is in few cache lines");

/* -- Caches --------------------------------------------------------------------------------- */

static void prefetch_sensor(const struct sensor *sensor)
{
    if (sensor)
        cache_prefetch(&sensor->next, SENSOR_LINES);
}

static void prefetch_series(const struct series *series)
{
    if (series)
        cache_prefetch(&series->entry.number, SERIES_LINES);
}

void measure_prefetch(const struct measure *measure)
{
    if (measure->series.count > PREFETCH_MOST)
        return;
    pool_prefetch(&measure->sensor_pool, offsetof(struct sensor, next), SENSOR_LINES);
    pool_prefetch(&measure->series_pool, offsetof(struct series, entry.number), SERIES_LINES);
}

/* Used to go through the series of a sensor: the caches fetch the series after this one. */
static struct series *fetched(struct series *series)
{
    if (series)
        prefetch_series(series->next);
    return series;
}

struct sensor *measure_next(struct sensor *sensor)
{
    struct sensor *next = sensor->next;
    if (next && next->next) {
        prefetch_sensor(next->next->next);
        metric_prefetch(next->next->metric);
        prefetch_series(next->next->series);
    }
    return next;
}

/* -- Beginning and end ---------------------------------------------------------------------- */

void measure_open(struct measure *measure, struct publisher *publisher)
{
    memset(measure, 0, sizeof *measure);
    pool_init(&measure->sensor_pool, sizeof(struct sensor));
    pool_init(&measure->series_pool, sizeof(struct series));
    index_init(&measure->sensors);
    index_init(&measure->series);
    measure->publisher = publisher;
    measure_plan(measure);
}

static void sensor_end(struct measure *measure, struct sensor *sensor, const char *why,
                       struct moment now)
{
    sensor_end_series(measure, sensor, why, now);
    struct sensor **link = &measure->all;
    while (*link != sensor)
        link = &(*link)->next;
    *link = sensor->next;
    index_remove(&measure->sensors, &sensor->node);
    expression_free(sensor->expression);
    pool_give(&measure->sensor_pool, sensor);
}

void measure_close(struct measure *measure)
{
    struct index_node *node;
    while ((node = index_first(&measure->sensors)))
        sensor_end(measure, (struct sensor *)node, "the daemon stops", (struct moment){0});
    index_release(&measure->sensors);
    index_release(&measure->series);
    pool_release(&measure->series_pool);
    pool_release(&measure->sensor_pool);
}

/* -- For who looks for series ---------------------------------------------------------------- */

static void find_series(const void *context, const struct series_query *query)
{
    const struct measure *measure = context;
    if (!query->wants(query, NULL, NULL))
        return;
    for (struct index_node *node = index_first(&measure->publisher->dictionary.by_number); node;
         node = index_next(node)) {
        struct dictionary_entry *entry = (struct dictionary_entry *)node;
        if (!entry->is_relayed && strcmp(entry->sensor, query->sensor) == 0)
            query->found(query, dictionary_series(entry));
    }
}

static bool may_come(const void *context, const struct series_query *query, const char *node,
                     struct moment now)
{
    (void)now;
    const struct sensor *sensor = node ? NULL : measure_find(context, query->sensor);
    return sensor && sensor->error != 0;
}

struct series_producer measure_producer(const struct measure *measure)
{
    return (struct series_producer){find_series, may_come, measure};
}

/* -- The configuration ----------------------------------------------------------------------- */

/* False: no memory. */
static bool sensor_begin(struct measure *measure, const struct sensor_row *row, uint64_t now_ns)
{
    struct sensor *sensor = pool_take(&measure->sensor_pool);
    if (!sensor)
        return false;
    sensor->row = *row;
    sensor->node.key = sensor->key;
    sensor->node.key_len = index_key_text(sensor->key, sensor->row.row.name);
    sensor->metric = metric_find(row->metric);
    sensor->calculation = row->calculation;
    sensor->interval_ns = row->interval_ms * NS_PER_MS;
    sensor->due_ns = now_ns;
    sensor->since_ns = now_ns;
    sensor->membership = UINT64_MAX; /* matches no set, so that the first pass makes the series */
    if (sensor->metric)
        calc_unit(sensor->metric, row->calculation, sensor->unit, sizeof sensor->unit);
    else if (!derive_begin(sensor)) {
        pool_give(&measure->sensor_pool, sensor);
        return false;
    }
    index_add(&measure->sensors, &sensor->node);
    sensor->next = measure->all;
    measure->all = sensor;
    return true;
}

/* What was told at another level does not count any more. */
static void sensor_take_level(struct sensor *sensor, enum information_level level)
{
    if (sensor->level == level)
        return;
    sensor->level = level;
    for (struct series *series = sensor->series; series; series = series->next)
        series->told = (struct level_state){.told = false};
}

/* Takes those fields of the row that may change without the series beginning anew. */
static void sensor_take_row(struct sensor *sensor, const struct config *config,
                            const struct sensor_row *row)
{
    if (sensor->row.row.version != row->row.version)
        sensor->row = *row;
    sensor->window_ns = row->window_ms * NS_PER_MS;
    sensor->pushes = row->report == REPORT_PUSH;
    sensor_take_level(sensor, row->level);
    sensor->filter = config_filter(config, row->filter);
}

static void remove_stale(struct measure *measure, const struct config *config, struct moment now)
{
    struct index_node *next;
    for (struct index_node *node = index_first(&measure->sensors); node; node = next) {
        struct sensor *sensor = (struct sensor *)node;
        next = index_next(node);
        const struct row *row = config_find(config, ROW_SENSOR, sensor->row.row.name);
        if (!row || row->status != ROW_ACTIVE)
            sensor_end(measure, sensor, "the sensor is no longer active", now);
        else if (row_restarts(&sensor->row.row, row))
            sensor_end(measure, sensor, "the sensor was changed", now);
    }
}

bool measure_sync(struct measure *measure, const struct config *config, struct moment now)
{
    bool whole = true;
    remove_stale(measure, config, now);
    for (struct index_node *node = index_first(&config->rows[ROW_SENSOR]); node;
         node = index_next(node)) {
        const struct sensor_row *row = (const struct sensor_row *)node;
        if (row->row.status != ROW_ACTIVE)
            continue;
        if (!measure_find(measure, row->row.name))
            whole &= sensor_begin(measure, row, now.mono_ns);
        struct sensor *sensor = measure_find(measure, row->row.name);
        if (sensor)
            sensor_take_row(sensor, config, row);
    }
    derive_order(measure, now);
    measure->on_demand = false;
    for (struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        measure->on_demand |= sensor->interval_ns == 0;
    for (struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        sensor_ask_inputs(measure, sensor, sensor->due_ns);
    measure_plan(measure);
    return whole;
}

static void plan_sensor(struct measure *measure, const struct sensor *sensor)
{
    uint64_t *due_ns = &measure->due_ns[sensor->metric ? sensor->metric->source : SOURCE_COUNT];
    if (sensor->due_ns < *due_ns)
        *due_ns = sensor->due_ns;
}

void measure_plan(struct measure *measure)
{
    for (int i = 0; i <= SOURCE_COUNT; i++)
        measure->due_ns[i] = UINT64_MAX;
    for (const struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        plan_sensor(measure, sensor);
}

uint64_t measure_due(const struct measure *measure)
{
    uint64_t due = UINT64_MAX;
    for (int i = 0; i <= SOURCE_COUNT; i++)
        due = measure->due_ns[i] < due ? measure->due_ns[i] : due;
    return due;
}

unsigned measure_sources(const struct measure *measure, uint64_t now_ns)
{
    unsigned sources = 0;
    for (int i = 0; i < SOURCE_COUNT; i++)
        if (measure->due_ns[i] <= now_ns)
            sources |= 1u << i;
    return sources;
}

/* Bit 1 << field is set for each field that the calculation needs. */
static uint32_t needed_fields(const struct sensor *sensor)
{
    const struct metric *metric = sensor->metric;
    uint32_t needed = 1u << metric->field;
    if (metric->base == BASE_FIELD && sensor->calculation >= CALC_AVERAGE)
        needed |= 1u << metric->base_field;
    return needed;
}

static int select_source(const struct measure *measure, struct sampler *sampler,
                         enum metric_source source)
{
    const char **patterns = calloc(measure->sensors.count + 1, sizeof *patterns);
    uint32_t fields = 0;
    size_t n = 0;
    if (!patterns)
        return ENOMEM;
    for (const struct sensor *sensor = measure->all; sensor; sensor = sensor->next) {
        if (!sensor->metric || sensor->metric->source != source)
            continue;
        patterns[n++] = sensor->row.instances;
        fields |= needed_fields(sensor);
    }
    int error = sampler_select(sampler, source, patterns, n, fields);
    free((void *)patterns);
    return error;
}

int measure_select(const struct measure *measure, struct sampler *sampler)
{
    int error = 0;
    for (int source = 0; source < SOURCE_COUNT && !error; source++)
        error = select_source(measure, sampler, (enum metric_source)source);
    return error;
}

static bool wanted(const struct sensor *sensor, const struct sample_slot *slot)
{
    return slot->present && (sensor->metric->classes & 1u << slot->class) &&
           !(slot->lacks >> sensor->metric->field & 1) &&
           sampler_selects(sensor->metric->source, sensor->row.instances, slot->name);
}

/* The unit of an instance for what the sensor measures; NULL: the unit is that of the metric. */
static const char *unit_of(const struct sensor *sensor, const struct sample_slot *slot)
{
    return slot->united >> sensor->metric->field & 1 ? slot->unit : NULL;
}

static void end_gone(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                     struct moment now)
{
    struct series **link = &sensor->series;
    while (*link) {
        struct series *series = *link;
        const struct sample_slot *slot = &set->slots[series->slot];
        if (slot->present && slot->incarnation == series->incarnation) {
            link = &series->next;
            continue;
        }
        *link = series->next;
        sensor->n_series--;
        series_end(measure, series, "the instance is gone", now);
    }
}

/* Matches the series of a sensor with the instances of its source. If there was no memory for one,
 * that is done again at the next pass. */
static void match_instances(struct measure *measure, struct sensor *sensor,
                            const struct sample_set *set, struct moment now)
{
    sensor->error = set->error;
    if (set->error || sensor->membership == set->membership)
        return;
    uint64_t starved = measure->starved;
    end_gone(measure, sensor, set, now);
    for (size_t i = 0; i < set->count; i++) {
        const struct sample_slot *slot = &set->slots[i];
        if (!wanted(sensor, slot))
            continue;
        struct series *series = measure_series(measure, sensor->row.row.name, slot->name)
                                    ? NULL
                                    : series_begin(measure, sensor, slot->name,
                                                   unit_of(sensor, slot), set->taken_ns, now);
        if (!series)
            continue;
        series->slot = (uint32_t)i;
        series->incarnation = slot->incarnation;
    }
    sensor->membership = measure->starved == starved ? set->membership : UINT64_MAX;
}

static enum series_lack lack_of(const struct metric *metric, const struct sample_slot *slot,
                                bool available)
{
    if (slot->unborn)
        return LACK_PROCESS;
    if (available)
        return LACK_BASE;
    bool of_io = metric->field == PROCESS_IO_READ || metric->field == PROCESS_IO_WRITE;
    return slot->refused && of_io ? LACK_RIGHT : LACK_VALUE;
}

static bool is_computed(const struct sensor *sensor)
{
    return sensor->metric && sensor->metric->is_computed;
}

/* Takes what has come for a series with a pass, whether the sensor is due or not. */
static void take_in_interval(struct series *series, const struct sample_set *set)
{
    if (set->error == 0)
        interval_take(&series->interval, &set->slots[series->slot]);
}

/* Takes the value that is computed from everything that came since the last one. */
static void take_computed(struct series *series, const struct sample_set *set, struct moment now)
{
    const struct metric *metric = series->sensor->metric;
    double value;
    take_in_interval(series, set);
    bool is_whole = interval_end(&series->interval, metric->field, set->taken_ns, &value);
    struct observation observation = {.available = !set->error && isfinite(value),
                                      .time_ns = set->taken_ns};
    memcpy(&observation.raw, &value, sizeof observation.raw);
    series->raw = observation.raw;
    struct result result = {.state = RESULT_WAITING};
    if (is_whole)
        result = calc_step(metric, series->sensor->calculation, &series->calc, &observation);
    series->lack = LACK_VALUE;
    series_take(series, result, now);
}

static bool has_value(const struct series *series, const struct sample_set *set)
{
    uint32_t needed = needed_fields(series->sensor);
    return !set->error && (set->slots[series->slot].valid & needed) == needed;
}

/* Whether there is another value than at the pass before: if values are not taken by the pass
 * itself, there may be none yet. */
static bool has_news(const struct series *series, const struct sample_set *set)
{
    uint64_t taken_ns = set->slots[series->slot].taken_ns;
    return taken_ns == 0 || !has_value(series, set) || !series->calc.primed ||
           series->calc.time_ns != taken_ns;
}

/* Takes the observation of a series out of the set and calculates its value. */
static void take_observation(struct series *series, const struct sample_set *set, struct moment now)
{
    const struct metric *metric = series->sensor->metric;
    const struct sample_slot *slot = &set->slots[series->slot];
    struct observation observation = {
        .available = has_value(series, set),
        .time_ns = slot->taken_ns ? slot->taken_ns : set->taken_ns,
        .raw = slot->field[metric->field],
        .base = slot->field[metric->base_field],
    };
    if (metric->kind == METRIC_COUNTER && !metric->is_real && observation.raw < series->raw &&
        observation.available)
        series->since_ns = set->taken_ns;
    series->raw = observation.raw;
    struct result result =
        calc_step(metric, series->sensor->calculation, &series->calc, &observation);
    if (slot->unborn && metric->field != PROCESS_COUNT && metric->field != PROCESS_STARTED)
        result = (struct result){.state = RESULT_UNAVAILABLE};
    if (result.state == RESULT_UNAVAILABLE)
        series->lack = lack_of(metric, slot, observation.available);
    series_take(series, result, now);
}

/* What the parent must be told of the window of a series that has ended. */
static enum level_report level_of_window(const struct publisher *publisher, struct series *series,
                                         struct moment now)
{
    enum information_level level = series->sensor->level;
    bool asks = level == LEVEL_THRESHOLD && series->statistics.current.count > 0;
    return level_end_window(level, &series->told,
                            asks && publish_window(publisher, &series->entry, now));
}

/* Reports the window that has ended and that the next value does not belong to, if it has
 * values. */
static void report_ended(const struct publisher *publisher, struct series *series,
                         struct moment now)
{
    struct statistics *statistics = &series->statistics;
    uint64_t end_ns = statistics->begin_ns + statistics->window_ns;
    if (statistics->window_ns == 0 || now.mono_ns < end_ns)
        return;
    statistics_settle(statistics);
    enum level_report what = level_of_window(publisher, series, now);
    if (statistics->current.count == 0 || what == LEVEL_NOTHING)
        return;
    int64_t wall_ms = now.wall_ms - (int64_t)((now.mono_ns - end_ns) / NS_PER_MS);
    series->entry.is_reported = true;
    (what == LEVEL_WHOLE ? report_add_window : report_add_moments)(
        publisher->report, series->entry.number, wall_ms,
        (uint32_t)(statistics->window_ns / NS_PER_MS), &statistics->current);
}

/* Whether the statistics of a sensor are of events, which are read in each pass over its source. */
static bool counts_events(const struct sensor *sensor)
{
    return sensor->calculation == CALC_AVERAGE && sensor->metric && sensor->metric->has_events;
}

/* Counts all events that have come since the pass before. Those from before the sensor existed do
 * not belong to it. */
static void count_events(struct series *series, const struct sample_set *set, struct moment now)
{
    const struct sample_slot *slot = &set->slots[series->slot];
    bool any = !set->error && slot->events && series->sensor->sampled;
    uint64_t window_ns = series->sensor->window_ns;
    if (!any || statistics_add_all(&series->statistics, slot->events, slot->events_mean,
                                   now.mono_ns, window_ns) != 0)
        statistics_advance(&series->statistics, now.mono_ns);
}

/* Takes the value of a series into its window if it is a new one. Before that, a window that has
 * ended is reported. */
static void count_in_window(const struct publisher *publisher, struct series *series,
                            const struct sample_set *set, bool is_new, struct moment now)
{
    uint64_t window_ns = series->sensor->window_ns;
    if (window_ns == 0) {
        if (series->statistics.window_ns != 0)
            statistics_release(&series->statistics);
        return;
    }
    if (publisher->report)
        report_ended(publisher, series, now);
    if (counts_events(series->sensor))
        count_events(series, set, now);
    else if (is_new && series->result.state == RESULT_VALID)
        statistics_add(&series->statistics, series->result.value, now.mono_ns, window_ns);
    else
        statistics_advance(&series->statistics, now.mono_ns);
}

/* -- One pass -------------------------------------------------------------------------------- */

struct sample_publication {
    struct publication publication;
    struct series *series;
    struct report_ring *report;
};

static void report_sample(struct publication *publication, struct moment now)
{
    const struct sample_publication *sample = (struct sample_publication *)publication;
    struct series *series = sample->series;
    if (!sample->report)
        return;
    series->entry.is_reported = true;
    report_add(sample->report, series->entry.number, now.wall_ms, &series->result);
    sample->report->urgent |= series->sensor->pushes;
}

/* Whether a window of events has ended since the last pass and contains any: that is news even if
 * there is no value because no event has come lately. */
static bool has_new_window(struct series *series)
{
    const struct statistics *statistics = &series->statistics;
    if (!counts_events(series->sensor) || !statistics->complete ||
        statistics->begin_ns == series->window_ns)
        return false;
    series->window_ns = statistics->begin_ns;
    return statistics->last.count > 0;
}

static void publish_sample(const struct publisher *publisher, struct series *series,
                           struct moment now)
{
    struct sensor *sensor = series->sensor;
    if (series->result.state == RESULT_WAITING)
        return;
    bool is_valid = series->result.state == RESULT_VALID, is_window = has_new_window(series);
    struct sample_publication sample = {
        .publication = {.result = &series->result,
                        .rule = &sensor->filter,
                        .filter = &series->filter,
                        .passed = &sensor->passed,
                        .held = &sensor->held,
                        .told = sensor->level == LEVEL_THRESHOLD ? &series->told : NULL,
                        .report = report_sample,
                        .series = dictionary_series(&series->entry),
                        .is_watched = series->entry.watches && (is_valid || is_window),
                        .is_window = !is_valid},
        .series = series,
        .report = publisher->report};
    publish(publisher->observer, &sample.publication, now);
}

/* -- Records
 * ------------------------------------------------------------------------------------
 */

static bool has_records(const struct sensor *sensor)
{
    return sensor->metric && sensor->metric->has_records;
}

bool measure_wants_records(const struct measure *measure, enum metric_source source,
                           const char *instance)
{
    for (const struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        if (has_records(sensor) && sensor->metric->source == source &&
            sampler_selects(source, sensor->row.instances, instance))
            return true;
    return false;
}

/* Reports the records of the last pass. Only the first sensor has them, so that the parent gets
 * each record once. */
static void report_records(const struct publisher *publisher, struct series *series,
                           const struct sample_set *set, struct moment now)
{
    struct sample_records *records = set->error ? NULL : set->slots[series->slot].records;
    if (!records || records->is_taken)
        return;
    records->is_taken = true;
    if (!publisher->report)
        return;
    series->entry.is_reported = true;
    publisher->report->urgent |= series->sensor->pushes;
    for (size_t i = 0; i < records->n; i++)
        if (report_add_record(publisher->report, series->entry.number, now.wall_ms,
                              &records->record[i]) != 0)
            ++*records->unreported;
}

void sensor_pass(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                 struct moment now)
{
    if (set)
        match_instances(measure, sensor, set, now);
    else
        derive_match(measure, sensor, now);
    uint32_t newest = tell_keys_begin(measure, sensor, now);
    for (struct series *series = fetched(sensor->series); series; series = fetched(series->next)) {
        if (set && !has_news(series, set)) {
            count_in_window(measure->publisher, series, set, false, now);
            continue;
        }
        if (set)
            (is_computed(sensor) ? take_computed : take_observation)(series, set, now);
        else
            derive_sample(series, now);
        count_in_window(measure->publisher, series, set, true, now);
        publish_sample(measure->publisher, series, now);
        if (has_records(sensor))
            report_records(measure->publisher, series, set, now);
        if (set && !set->error)
            tell_keys(measure, series, &set->slots[series->slot], newest, now);
        if (sensor->level == LEVEL_THRESHOLD)
            level_count(&series->told);
    }
    measure->samples += sensor->n_series;
}

bool sensor_listens(const struct sensor *sensor, unsigned sources)
{
    bool listens = is_computed(sensor) || has_records(sensor) ||
                   (counts_events(sensor) && sensor->window_ns > 0);
    return listens && sources >> sensor->metric->source & 1;
}

void sensor_listen(struct measure *measure, struct sensor *sensor, const struct sample_set *set,
                   struct moment now)
{
    match_instances(measure, sensor, set, now);
    for (struct series *series = fetched(sensor->series); series; series = fetched(series->next))
        if (is_computed(sensor))
            take_in_interval(series, set);
        else if (has_records(sensor))
            report_records(measure->publisher, series, set, now);
        else
            count_in_window(measure->publisher, series, set, false, now);
}

/* -- When ------------------------------------------------------------------------------------ */

uint64_t sensor_schedule(struct sensor *sensor, uint64_t now_ns)
{
    uint64_t interval = sensor->interval_ns;
    uint64_t late = 0;
    if (interval == 0) {
        sensor->sampled = true;
        sensor->due_ns = UINT64_MAX;
        return 0;
    }
    if (sensor->sampled) {
        uint64_t delay = now_ns - sensor->due_ns;
        late = delay / interval + (delay % interval > interval / 2);
    }
    sensor->sampled = true;
    sensor->due_ns = (now_ns / interval + 1) * interval;
    return late;
}

/* Makes a sensor on demand due at that time at the latest. True if that changed something. */
static bool ask_by(struct measure *measure, struct sensor *sensor, uint64_t due_ns)
{
    if (sensor->interval_ns != 0 || sensor->due_ns <= due_ns)
        return false;
    sensor->due_ns = due_ns;
    plan_sensor(measure, sensor);
    sensor_ask_inputs(measure, sensor, due_ns);
    return true;
}

void sensor_ask_inputs(struct measure *measure, const struct sensor *sensor, uint64_t due_ns)
{
    if (!measure->on_demand)
        return;
    for (size_t i = 0; sensor->expression && expression_names(sensor->expression, i); i++) {
        struct sensor *input = measure_find(measure, expression_names(sensor->expression, i));
        if (input && input->rank < sensor->rank)
            ask_by(measure, input, due_ns);
    }
}

bool sensor_ask(struct measure *measure, struct sensor *sensor, uint64_t now_ns)
{
    return ask_by(measure, sensor, (now_ns / MEASURE_ASK_NS + 1) * MEASURE_ASK_NS);
}
