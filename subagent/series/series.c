#include "series/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sensor *measure_find(const struct measure *measure, const char *name)
{
    uint32_t key[NAME_SIZE];
    return (struct sensor *)index_find(&measure->sensors, key, index_key_text(key, name));
}

struct series *measure_series(const struct measure *measure, const char *sensor,
                              const char *instance)
{
    uint32_t key[NAME_SIZE + INSTANCE_SIZE];
    uint32_t n = index_key_text(key, sensor);
    n += index_key_text(key + n, instance);
    return (struct series *)index_find(&measure->series, key, n);
}

static void number_series(struct measure *measure, struct series *series)
{
    const struct sensor *sensor = series->sensor;
    struct dictionary_entry *entry = &series->entry;
    entry->sensor = sensor->row.row.name;
    entry->instance = series->instance;
    entry->statistics = &series->statistics;
    entry->metric = sensor->metric ? sensor->metric->name : "";
    entry->unit = series->unit[0] ? series->unit : sensor->unit;
    entry->result = &series->result;
    dictionary_add(&measure->publisher->dictionary, entry);
}

struct series *series_begin(struct measure *measure, struct sensor *sensor, const char *instance,
                            const char *unit, uint64_t since_ns, struct moment now)
{
    struct series *series = pool_take(&measure->series_pool);
    measure->starved += !series;
    if (!series)
        return NULL;
    snprintf(series->instance, sizeof series->instance, "%s", instance);
    if (unit)
        calc_unit_of(unit, sensor->calculation, series->unit, sizeof series->unit);
    series->tail.key = series->instance_key;
    series->tail.len = index_key_text(series->instance_key, series->instance);
    series->node.key = sensor->key;
    series->node.key_len = sensor->node.key_len;
    series->node.tail = &series->tail;
    series->sensor = sensor;
    series->result.state = RESULT_WAITING;
    series->since_ns = since_ns;
    if (!index_add(&measure->series, &series->node)) {
        /* The kernel gave two instances the same name: the first one stays. */
        pool_give(&measure->series_pool, series);
        return NULL;
    }
    number_series(measure, series);
    series->next = sensor->series;
    sensor->series = series;
    sensor->n_series++;
    measure->membership++;
    publish_begin(measure->publisher, &series->entry, now);
    return series;
}

void series_end(struct measure *measure, struct series *series, const char *why, struct moment now)
{
    publish_end(measure->publisher, &series->entry, why, now);
    measure->membership++;
    index_remove(&measure->series, &series->node);
    dictionary_remove(&measure->publisher->dictionary, &series->entry);
    statistics_release(&series->statistics);
    interval_release(&series->interval);
    free((void *)series->inputs);
    pool_give(&measure->series_pool, series);
}

void sensor_end_series(struct measure *measure, struct sensor *sensor, const char *why,
                       struct moment now)
{
    while (sensor->series) {
        struct series *series = sensor->series;
        sensor->series = series->next;
        sensor->n_series--;
        series_end(measure, series, why, now);
    }
}

void series_take(struct series *series, struct result result, struct moment now)
{
    series->result = result;
    series->taken = now;
    series->samples++;
    if (result.state == RESULT_GAP)
        series->gaps++;
}
