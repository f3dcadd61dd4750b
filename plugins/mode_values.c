#include "plugins/run.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The columns of sensors and of aggregates, in the same order. */
enum { TEXT, STATE, UNIT, AGE, EXPECTED, MISSING, PER_ROW };

struct value_table {
    const char *what;
    enum mib_object row;   /* a column that exists in each row of the control table */
    enum mib_object count; /* how many values the row has */
    enum mib_object error; /* why it has no values */
    enum mib_object columns[PER_ROW];
    size_t n_columns;
};

static const struct value_table sensors = {.what = "sensor",
                                           .row = MIB_dcampSensorState,
                                           .count = MIB_dcampSensorSeries,
                                           .error = MIB_dcampSensorError,
                                           .columns = {[TEXT] = MIB_dcampValueText,
                                                       [STATE] = MIB_dcampValueState,
                                                       [UNIT] = MIB_dcampValueUnit,
                                                       [AGE] = MIB_dcampValueAge},
                                           .n_columns = 4};
static const struct value_table aggregates = {
    .what = "aggregate",
    .row = MIB_dcampAggregateRowStatus,
    .count = MIB_dcampAggregateValues,
    .error = MIB_dcampAggregateError,
    .columns = {[TEXT] = MIB_dcampAggregateValueText,
                [STATE] = MIB_dcampAggregateValueState,
                [UNIT] = MIB_dcampAggregateValueUnit,
                [AGE] = MIB_dcampAggregateValueAge,
                [EXPECTED] = MIB_dcampAggregateValueExpected,
                [MISSING] = MIB_dcampAggregateValueMissing},
    .n_columns = PER_ROW};

static const struct {
    const char *name;
    enum mib_object column;
} statistics[] = {{"min", MIB_dcampValueMin},   {"max", MIB_dcampValueMax},
                  {"mean", MIB_dcampValueMean}, {"stddev", MIB_dcampValueStdDev},
                  {"p50", MIB_dcampValueP50},   {"p90", MIB_dcampValueP90},
                  {"p95", MIB_dcampValueP95},   {"p99", MIB_dcampValueP99}};

struct values {
    struct run *run;
    struct value_table table;
    struct value_row *rows;
    size_t n;
    size_t expected; /* the number of instances */
    bool counter;
    bool out_of_memory;
    char error[MESSAGE_SIZE];
};

static void choose_table(struct values *values, const struct options *options)
{
    values->table = options->mode == MODE_SENSOR ? sensors : aggregates;
    for (size_t i = 0; options->statistic && i < sizeof statistics / sizeof *statistics; i++)
        if (strcmp(options->statistic, statistics[i].name) == 0)
            values->table.columns[TEXT] = statistics[i].column;
}

/* -- Which instances ------------------------------------------------------------------------- */

/* A pattern that names one instance needs no search for others. */
static bool is_one_instance(const char *pattern)
{
    return *pattern && !strpbrk(pattern, "*?[\\! \t") && strlen(pattern) < INSTANCE_SIZE;
}

static bool add_row(struct values *values, const char *instance)
{
    struct value_row *rows = run_grow(values->rows, values->n, sizeof *rows);
    values->out_of_memory = !rows;
    if (!rows)
        return false;
    values->rows = rows;
    rows[values->n] = (struct value_row){.age_ms = NO_AGE};
    text_format(rows[values->n++].instance, INSTANCE_SIZE, "%s", instance);
    return true;
}

static bool take_instance(void *context, const struct cell *cell)
{
    struct values *values = context;
    char name[NAME_SIZE], instance[INSTANCE_SIZE];
    size_t at = 0;
    if (!cell_index_text(cell, &at, name, sizeof name) ||
        !cell_index_text(cell, &at, instance, sizeof instance) ||
        !text_matches(values->run->options->instances, instance))
        return true;
    return add_row(values, instance);
}

static bool find_instances(struct values *values)
{
    struct cell below;
    cell_start(&below, values->table.columns[STATE]);
    cell_add_text(&below, values->run->options->name);
    if (!client_walk(values->run->client, &below, values->expected, take_instance, values))
        return run_failed(values->run);
    return !values->out_of_memory || run_no_memory(values->run);
}

/* -- Their values ---------------------------------------------------------------------------- */

static void name_cells(const struct values *values, const char *instance, struct cell *cells)
{
    for (size_t i = 0; i < values->table.n_columns; i++) {
        cell_start(&cells[i], values->table.columns[i]);
        cell_add_text(&cells[i], values->run->options->name);
        cell_add_text(&cells[i], instance);
    }
}

static void fill_row(const struct values *values, struct value_row *row, const struct cell *cells)
{
    row->exists = cells[STATE].kind == CELL_NUMBER;
    run_text(row->state, sizeof row->state, &cells[STATE]);
    run_text(row->text, sizeof row->text, &cells[TEXT]);
    run_text(row->unit, sizeof row->unit, &cells[UNIT]);
    if (cells[AGE].kind == CELL_NUMBER)
        row->age_ms = cells[AGE].number;
    if (values->table.n_columns == PER_ROW) {
        row->expected = (uint32_t)cells[EXPECTED].number;
        row->missing = (uint32_t)cells[MISSING].number;
    }
}

static bool read_rows(struct values *values)
{
    size_t per_row = values->table.n_columns;
    struct cell *cells = calloc(values->n * per_row + 1, sizeof *cells);
    if (!cells)
        return run_no_memory(values->run);
    for (size_t i = 0; i < values->n; i++)
        name_cells(values, values->rows[i].instance, cells + i * per_row);
    bool good = client_get(values->run->client, cells, values->n * per_row);
    for (size_t i = 0; good && i < values->n; i++)
        fill_row(values, &values->rows[i], cells + i * per_row);
    free(cells);
    return good || run_failed(values->run);
}

/* The cells about the sensor or the aggregate itself. */
enum { NODE_NAME, ROW, COUNT, ERROR, KIND, CALCULATION, HEADS };

/* Returns how many cells there are. */
static size_t name_head(const struct values *values, struct cell *cells)
{
    const struct options *options = values->run->options;
    const enum mib_object objects[] = {[ROW] = values->table.row,
                                       [COUNT] = values->table.count,
                                       [ERROR] = values->table.error,
                                       [KIND] = MIB_dcampSensorKind,
                                       [CALCULATION] = MIB_dcampSensorCalculation};
    size_t n = options->mode == MODE_SENSOR ? HEADS : KIND;
    for (size_t i = ROW; i < n; i++) {
        cell_start(&cells[i], objects[i]);
        cell_add_text(&cells[i], options->name);
    }
    return n;
}

static bool take_head(struct values *values, const struct cell *cells)
{
    struct run *run = values->run;
    const struct options *options = run->options;
    bool sensor = options->mode == MODE_SENSOR;
    if (cells[ROW].kind == CELL_MISSING) {
        result_worsen(run->result, STATUS_UNKNOWN);
        result_summary(run->result, "%s has no %s %s", cells[NODE_NAME].text, values->table.what,
                       options->name);
        return false;
    }
    values->expected = (size_t)cells[COUNT].number;
    run_text(values->error, sizeof values->error, &cells[ERROR]);
    values->counter = sensor && cells[KIND].number == dcampSensorKind_counter &&
                      cells[CALCULATION].number == dcampSensorCalculation_basic;
    if (sensor && cells[ROW].number != dcampSensorState_sampling) /* shown if it has no values */
        result_summary(run->result, "sensor %s is %s", options->name, cell_label(&cells[ROW]));
    return true;
}

/* Reads these cells and, if there is only one instance, that one as well. */
static bool read_head(struct values *values, bool one)
{
    struct run *run = values->run;
    struct cell *cells = calloc(HEADS + PER_ROW, sizeof *cells);
    if (!cells)
        return run_no_memory(run);
    size_t n = name_head(values, cells);
    if (one)
        name_cells(values, run->options->instances, cells + n);
    bool good = run_get_node(run, cells, n + (one ? values->table.n_columns : 0)) &&
                take_head(values, cells);
    if (good && one) {
        good = add_row(values, run->options->instances) || run_no_memory(run);
        if (good)
            fill_row(values, values->rows, cells + n);
    }
    free(cells);
    return good;
}

static void judge(const struct values *values)
{
    struct run *run = values->run;
    const struct options *options = run->options;
    const struct value_check check = {.name = options->name,
                                      .error = values->error,
                                      .statistic = options->statistic,
                                      .aggregate = options->mode == MODE_AGGREGATE,
                                      .counter = values->counter,
                                      .all_lines = options->verbose > 0,
                                      .warning = options->warning.range,
                                      .critical = options->critical.range,
                                      .missing_warning = options->missing_warning,
                                      .missing_critical = options->missing_critical,
                                      .max_age_ms = options->max_age_ms};
    if (values->n > 0) {
        judge_values(&check, values->rows, values->n, run->result);
        return;
    }
    result_worsen(run->result, STATUS_UNKNOWN);
    if (!run->result->summary[0])
        result_summary(run->result, "%s %s has no instance '%s'", values->table.what, options->name,
                       options->instances);
}

void mode_values(struct run *run)
{
    struct values values = {.run = run};
    choose_table(&values, run->options);
    bool one = is_one_instance(run->options->instances);
    if (read_head(&values, one) && (one || (find_instances(&values) && read_rows(&values))))
        judge(&values);
    free(values.rows);
}
