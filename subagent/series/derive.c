#include "series/derive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "calculate/expression_evaluate.h"
#include "calculate/expression_unit.h"

bool derive_begin(struct sensor *sensor)
{
    struct expression_error error;
    return expression_parse(sensor->row.expression, &sensor->expression, &error) == 0;
}

static size_t names_of(const struct sensor *sensor)
{
    return sensor->expression ? expression_name_count(sensor->expression) : 0;
}

/* The sensor that input i names; NULL if there is no such sensor. */
static struct sensor *input_sensor(const struct measure *measure, const struct sensor *sensor,
                                   size_t i)
{
    return measure_find(measure, expression_names(sensor->expression, i));
}

/* One above the highest rank of its inputs; DERIVE_RANK_MAX + 1 is also the rank of sensors in a
 * cycle. */
static unsigned rank_above_inputs(const struct measure *measure, const struct sensor *sensor)
{
    unsigned rank = 1;
    for (size_t i = 0; i < names_of(sensor); i++) {
        const struct sensor *input = input_sensor(measure, sensor, i);
        if (input && input->rank >= rank)
            rank = input->rank + 1;
    }
    return rank <= DERIVE_RANK_MAX ? rank : DERIVE_RANK_MAX + 1;
}

/* Each round gives the right rank to the sensors that are one step further from what is
 * measured. */
static unsigned find_ranks(const struct measure *measure)
{
    unsigned highest = 0;
    for (struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        sensor->rank = sensor->metric ? 0 : 1;
    bool moved = true;
    for (unsigned round = 0; moved && round <= DERIVE_RANK_MAX; round++) {
        moved = false;
        for (struct sensor *sensor = measure->all; sensor; sensor = sensor->next) {
            unsigned rank = sensor->metric ? 0 : rank_above_inputs(measure, sensor);
            moved |= rank != sensor->rank;
            sensor->rank = rank;
            highest = rank > highest ? rank : highest;
        }
    }
    return highest;
}

/* Sensors of the same rank keep their order. */
static void sort_by_rank(struct measure *measure, unsigned highest)
{
    struct sensor *sorted = NULL, **tail = &sorted;
    for (unsigned rank = 0; rank <= highest; rank++)
        for (struct sensor **link = &measure->all; *link;) {
            struct sensor *sensor = *link;
            if (sensor->rank != rank) {
                link = &sensor->next;
                continue;
            }
            *link = sensor->next;
            *tail = sensor;
            tail = &sensor->next;
        }
    *tail = NULL;
    measure->all = sorted;
}

static const char *unit_of_input(void *context, const char *name)
{
    const struct sensor *sensor = measure_find(context, name);
    return sensor && !(sensor->expression && sensor->error) ? sensor->unit : NULL;
}

/* A series has one unit from its beginning to its end, because its windows and the dictionary state
 * it. */
static void check(struct measure *measure, struct sensor *sensor, struct moment now)
{
    struct expression_error error;
    int before = sensor->error;
    char unit[UNIT_SIZE];
    memcpy(unit, sensor->unit, sizeof unit);
    sensor->error = sensor->expression ? 0 : ENOMEM;
    if (sensor->rank > DERIVE_RANK_MAX) {
        sensor->error = ELOOP;
        text_format(error.text, sizeof error.text,
                    "it derives from itself, or over more than %d others", DERIVE_RANK_MAX);
    } else if (sensor->expression) {
        error.column = 1;
        sensor->error =
            expression_unit(sensor->expression, unit_of_input, measure, sensor->unit, &error);
    }
    if (sensor->error && sensor->error != before && sensor->expression)
        log_warning("core", "sensor \"%s\" is unavailable: expression: %s", sensor->row.row.name,
                    error.text);
    if (strcmp(unit, sensor->unit) != 0)
        sensor_end_series(measure, sensor, "its unit has changed", now);
}

void derive_order(struct measure *measure, struct moment now)
{
    unsigned highest = find_ranks(measure);
    if (highest == 0)
        return;
    sort_by_rank(measure, highest);
    measure->membership++; /* whatever changed, everything in it is matched again */
    for (struct sensor *sensor = measure->all; sensor; sensor = sensor->next)
        if (!sensor->metric)
            check(measure, sensor, now);
}

/* NULL: the sensor has no series for the instance. A sensor whose only series is that of the whole
 * machine has that one for all instances; where "total" is one of several, as with CPUs, it does
 * not stand in for another. */
static struct series *input_for(const struct measure *measure, const char *sensor,
                                const char *instance)
{
    struct series *series = measure_series(measure, sensor, instance);
    if (series)
        return series;
    series = measure_series(measure, sensor, METRIC_NODE_INSTANCE);
    return series && series->sensor->n_series == 1 ? series : NULL;
}

/* Finds the series that each name refers to for an instance. False: one of them has none. */
static bool resolve(const struct measure *measure, const struct sensor *sensor,
                    const char *instance, struct series **inputs)
{
    for (size_t i = 0; i < names_of(sensor); i++) {
        inputs[i] = input_for(measure, expression_names(sensor->expression, i), instance);
        if (!inputs[i])
            return false;
    }
    return true;
}

static void match_instance(struct measure *measure, struct sensor *sensor, const char *instance,
                           struct moment now)
{
    size_t n = names_of(sensor);
    struct series *inputs[EXPRESSION_NAMES_MAX];
    if (!text_matches(sensor->row.instances, instance) ||
        measure_series(measure, sensor->row.row.name, instance) ||
        !resolve(measure, sensor, instance, inputs))
        return;
    struct series **kept = malloc((n + 1) * sizeof *kept);
    struct series *series =
        kept ? series_begin(measure, sensor, instance, NULL, now.mono_ns, now) : NULL;
    measure->starved += !kept;
    if (!series) {
        free((void *)kept);
        return;
    }
    memcpy((void *)kept, (void *)inputs, n * sizeof *kept);
    series->inputs = kept;
}

static void end_gone(struct measure *measure, struct sensor *sensor, struct moment now)
{
    struct series **link = &sensor->series;
    while (*link) {
        struct series *series = *link;
        if (!sensor->error && resolve(measure, sensor, series->instance, series->inputs)) {
            link = &series->next;
            continue;
        }
        *link = series->next;
        sensor->n_series--;
        series_end(measure, series, "what it derives from is gone", now);
    }
}

void derive_match(struct measure *measure, struct sensor *sensor, struct moment now)
{
    if (sensor->membership == measure->membership)
        return;
    uint64_t starved = measure->starved;
    end_gone(measure, sensor, now);
    size_t n = sensor->error ? 0 : names_of(sensor);
    for (size_t i = 0; i < n; i++) {
        const struct sensor *input = input_sensor(measure, sensor, i);
        for (struct series *series = input ? input->series : NULL; series; series = series->next)
            match_instance(measure, sensor, series->instance, now);
    }
    if (!sensor->error && names_of(sensor) == 0)
        match_instance(measure, sensor, METRIC_NODE_INSTANCE, now);
    sensor->membership = measure->starved == starved ? measure->membership : UINT64_MAX;
}

static bool value_of_input(void *context, size_t i, const char *name, double *value)
{
    (void)name;
    const struct series *series = context;
    const struct result *input = &series->inputs[i]->result;
    *value = input->value;
    return input->state == RESULT_VALID;
}

/* The state that best explains why there is no value: an input that waits or has a gap will have a
 * value at the next sample. */
static enum result_state state_without_value(const struct series *series)
{
    enum result_state state = RESULT_VALID;
    for (size_t i = 0; i < names_of(series->sensor); i++)
        if (series->inputs[i]->result.state > state)
            state = series->inputs[i]->result.state;
    return state == RESULT_VALID ? RESULT_UNAVAILABLE : state;
}

void derive_sample(struct series *series, struct moment now)
{
    struct result result = {.state = RESULT_VALID};
    if (!expression_evaluate(series->sensor->expression, value_of_input, series, &result.value))
        result = (struct result){.state = state_without_value(series)};
    series_take(series, result, now);
}
