#include "plugins/run.h"

#include <stdlib.h>

#include "base/text.h"

/* At least as many as conf/dcamp.xml has. */
#define EXPECTED 50

struct sensors {
    struct run *run;
    struct sensor_row *rows;
    size_t n;
    bool out_of_memory;
};

static bool take_sensor(void *context, const struct cell *cell)
{
    struct sensors *sensors = context;
    struct sensor_row row = {.age_ms = NO_AGE};
    size_t at = 0;
    if (cell->kind != CELL_NUMBER || !cell_index_text(cell, &at, row.name, sizeof row.name))
        return true;
    row.interval_ms = cell->number;
    struct sensor_row *rows = run_grow(sensors->rows, sensors->n, sizeof *rows);
    sensors->out_of_memory = !rows;
    if (!rows)
        return false;
    sensors->rows = rows;
    rows[sensors->n++] = row;
    return true;
}

/* Drops sensors on demand, because reading one would have it sampled. */
static size_t take_those_that_sample(struct sensors *sensors)
{
    size_t n = 0;
    for (size_t i = 0; i < sensors->n; i++)
        if (sensors->rows[i].interval_ms > 0)
            sensors->rows[n++] = sensors->rows[i];
    return n;
}

/* A sample takes all instances of a sensor together: the age of the first is that of all. */
static bool read_ages(struct sensors *sensors)
{
    size_t n = sensors->n;
    struct cell *cells = calloc(2 * n + 1, sizeof *cells);
    if (!cells)
        return run_no_memory(sensors->run);
    for (size_t i = 0; i < n; i++) {
        cell_start(&cells[i], MIB_dcampValueAge);
        cell_add_text(&cells[i], sensors->rows[i].name);
        cell_start(&cells[n + i], MIB_dcampSensorState);
        cell_add_text(&cells[n + i], sensors->rows[i].name);
    }
    bool good = client_get_next(sensors->run->client, cells, n) &&
                client_get(sensors->run->client, cells + n, n);
    for (size_t i = 0; good && i < n; i++) {
        if (cells[i].kind == CELL_NUMBER)
            sensors->rows[i].age_ms = cells[i].number;
        run_text(sensors->rows[i].state, sizeof sensors->rows[i].state, &cells[n + i]);
    }
    free(cells);
    return good || run_failed(sensors->run);
}

static bool find_sensors(struct sensors *sensors)
{
    struct cell column;
    cell_start(&column, MIB_dcampSensorInterval);
    if (!client_walk(sensors->run->client, &column, EXPECTED, take_sensor, sensors))
        return run_failed(sensors->run);
    if (sensors->out_of_memory)
        return run_no_memory(sensors->run);
    sensors->n = take_those_that_sample(sensors);
    return true;
}

void mode_freshness(struct run *run)
{
    enum { NODE_NAME, NODE_VERSION, NODE_UP_TIME, SCALARS };
    struct sensors sensors = {.run = run};
    struct cell *cells = calloc(SCALARS, sizeof *cells);
    if (!cells) {
        run_no_memory(run);
        return;
    }
    cell_scalar(&cells[NODE_VERSION], MIB_dcampNodeVersion);
    cell_scalar(&cells[NODE_UP_TIME], MIB_dcampNodeUpTime);
    if (run_get_node(run, cells, SCALARS) && find_sensors(&sensors) && read_ages(&sensors)) {
        const struct freshness_check check = {.warning = run->options->warning.range,
                                              .critical = run->options->critical.range,
                                              .node = cells[NODE_NAME].text,
                                              .version = cells[NODE_VERSION].text,
                                              .up_time_s =
                                                  (uint64_t)cells[NODE_UP_TIME].number / 100,
                                              .all_lines = run->options->verbose > 0};
        judge_freshness(&check, sensors.rows, sensors.n, run->result);
    }
    free(sensors.rows);
    free(cells);
}
