#include "runs/tables.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "runs/profile.h"

struct telling {
    const struct print_subject *subject;
    const struct tables_writer *writer;
    const char *title;
    struct tables_row heads, row;
    size_t n_rows; /* rows of the table, including the first one that is left out */
    bool is_out_of_memory;
};

/* -- Tables and rows ------------------------------------------------------------------------- */

static void cell(struct tables_row *row, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void cell(struct tables_row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (row->n < TABLES_CELLS)
        vsnprintf(row->cells[row->n++], WORDING_NAME_SIZE, format, arguments);
    va_end(arguments);
}

static void cell_amount(struct tables_row *row, double value, const char *unit)
{
    char text[WORDING_SIZE] = "-";
    if (isinf(value))
        text_format(text, sizeof text, "no limit");
    else if (!isnan(value))
        wording_amount(value, unit, text);
    cell(row, "%s", text);
}

/* heads: separated by '|'. */
static void begin_table(struct telling *telling, const char *title, const char *heads)
{
    telling->title = title;
    telling->heads.n = telling->n_rows = 0;
    while (heads) {
        const char *next = strchr(heads, '|');
        cell(&telling->heads, "%.*s", next ? (int)(next - heads) : 64, heads);
        heads = next ? next + 1 : NULL;
    }
}

static void end_row(struct telling *telling)
{
    const struct tables_writer *writer = telling->writer;
    if (telling->n_rows == 0)
        writer->begin(writer->context, telling->title, &telling->heads);
    if (telling->n_rows++ < TABLES_ROWS_MAX)
        writer->row(writer->context, &telling->row);
    telling->row.n = 0;
}

/* Rows beyond the limit are not even computed: a run may have thousands of series. */
static bool is_full(const struct telling *telling)
{
    return telling->n_rows > TABLES_ROWS_MAX;
}

static void end_table(struct telling *telling)
{
    const struct tables_writer *writer = telling->writer;
    if (is_full(telling)) {
        cell(&telling->row, "and others");
        writer->row(writer->context, &telling->row);
        telling->row.n = 0;
    }
    if (telling->n_rows > 0)
        writer->end(writer->context);
}

/* -- Series ---------------------------------------------------------------------------------- */

static const struct run *run_of(const struct telling *telling, int side)
{
    return side ? telling->subject->b : telling->subject->a;
}

static const struct run_series *series_of(const struct pair *pair, int side)
{
    return side ? pair->b : pair->a;
}

/* Whether the rates of steps are not known; if so, the titles of tables with such rates say it. */
static bool has_lost(const struct telling *telling)
{
    const struct pairs *pairs = &telling->subject->comparison->pairs;
    for (size_t i = 0; i < pairs->n; i++)
        for (int side = 0; side < 2; side++)
            if (series_of(&pairs->list[i], side) &&
                profile_has_lost(run_of(telling, side), series_of(&pairs->list[i], side)))
                return true;
    return false;
}

/* The names of what the row is about. All sensors of steps tell the same about the steps, so these
 * need no sensor; other rows do. */
static void cell_names(struct telling *telling, int side, const struct run_series *series,
                       bool with_sensor)
{
    const char *node = pairs_node_name(run_of(telling, side), series->node);
    cell(&telling->row, "%s %s%s%s", node, with_sensor ? series->sensor : "",
         with_sensor ? " " : "", series->instance);
    cell(&telling->row, "%c", 'A' + side);
}

static bool is_step(const struct run_series *series)
{
    return series && series->n_records > 0;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The running total of a counter that has grown. */
static bool is_counted(const struct run_series *series)
{
    return estimate_is_count(series) && estimate_is_growing(series->points, series->n_points);
}

/* Levels and shares of JVMs, of processes and of the CPUs. */
static bool is_resource(const struct run_series *series)
{
    return series && series->n_points > 0 && !is_counted(series) &&
           (begins(series->metric, "jvm.") || begins(series->metric, "proc.") ||
            begins(series->metric, "cpu.busy"));
}

static bool is_utilisation(const struct run_series *series)
{
    return series->n_points > 0 && strcmp(series->unit, "%") == 0 &&
           (strcmp(series->metric, "cpu.busy") == 0 || strcmp(series->metric, "disk.busy") == 0);
}

/* -- Steps ----------------------------------------------------------------------------------- */

static void tell_step(struct telling *telling, int side, const struct run_series *step)
{
    struct profile_step profile;
    struct tables_row *row = &telling->row;
    profile_step(step, &profile);
    cell_names(telling, side, step, false);
    cell(row, "%zu", profile.n);
    cell(row, "%zu", profile.n_failed);
    cell_amount(row, profile.runtime, "s");
    cell_amount(row, profile.throughput, "1/s");
    cell_amount(row, profile.arrivals, "1/s");
    cell_amount(row, profile.capacity, "");
    cell_amount(row, profile.cpu, "s");
    cell_amount(row, profile.allocated, "B");
    end_row(telling);
}

static void tell_steps(struct telling *telling)
{
    const struct pairs *pairs = &telling->subject->comparison->pairs;
    begin_table(telling,
                has_lost(telling) ? "Steps; records were lost: of those that were kept" : "Steps",
                "step|run|executions|failed|runtime|throughput|arrivals|capacity|CPU time|memory");
    for (size_t i = 0; i < pairs->n && !is_full(telling); i++)
        for (int side = 0; side < 2; side++)
            if (is_step(series_of(&pairs->list[i], side)))
                tell_step(telling, side, series_of(&pairs->list[i], side));
    end_table(telling);
}

/* -- Sequences and counts -------------------------------------------------------------------- */

/* The series with the times of what this series counts; NULL if there is none. */
static const struct run_series *times_of(const struct run *run, const struct run_series *count)
{
    static const char *const metrics[][2] = {{"app.sequences", "app.sequence.time"},
                                             {"app.latency.count", "app.latency"},
                                             {"app.count", "app.time"}};
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        for (size_t j = 0; strcmp(metrics[i][0], count->metric) == 0 && j < run->n_series; j++) {
            const struct run_series *series = &run->series[j];
            if (strcmp(series->metric, metrics[i][1]) == 0 && strcmp(series->unit, "s") == 0 &&
                strcmp(series->node, count->node) == 0 &&
                strcmp(series->instance, count->instance) == 0 && series->n_points > 0 &&
                !is_counted(series))
                return series;
        }
    return NULL;
}

static void tell_count(struct telling *telling, int side, const struct run_series *series)
{
    const struct run_series *times = times_of(run_of(telling, side), series);
    cell_names(telling, side, series, true);
    cell(&telling->row, "%.0f %s", profile_growth(series), series->unit);
    cell_amount(&telling->row, times ? profile_mean(times, series) : NAN, "s");
    end_row(telling);
}

static void tell_counts(struct telling *telling)
{
    const struct pairs *pairs = &telling->subject->comparison->pairs;
    begin_table(telling, "Sequences, latencies between steps, and what was counted",
                "what|run|count|mean time");
    for (size_t i = 0; i < pairs->n && !is_full(telling); i++)
        for (int side = 0; side < 2; side++) {
            const struct run_series *series = series_of(&pairs->list[i], side);
            if (series && begins(series->metric, "app.") && is_counted(series) &&
                strcmp(series->unit, "s") != 0 && strcmp(series->metric, "app.records") != 0)
                tell_count(telling, side, series);
        }
    end_table(telling);
}

/* -- Capacity -------------------------------------------------------------------------------- */

/* The resource that is full first on the node of the step. NULL if it is not known for any
 * resource; law then says why not for the last one. */
static const struct run_series *full_first(struct telling *telling, const struct run *run,
                                           const struct run_series *step, struct capacity *law)
{
    const struct run_series *first = NULL;
    *law = (struct capacity){.why = "utilisation was not measured"};
    for (size_t i = 0; i < run->n_series; i++) {
        const struct run_series *series = &run->series[i];
        struct capacity one;
        if (!is_utilisation(series) || strcmp(series->node, step->node) != 0)
            continue;
        if (!profile_capacity(step, series, &one)) {
            telling->is_out_of_memory = true;
            return NULL;
        }
        if (one.is_known && (!first || one.load < law->load))
            first = series;
        if (first == series || !first)
            *law = one;
    }
    return first;
}

static const char *doubt_of(const struct capacity *law)
{
    return isinf(law->high)        ? "a guess: chance may be all that it grows by"
           : !law->is_spread       ? "a guess: the loads were too much alike"
           : !law->is_reached      ? "a guess: it was never busy enough"
           : !law->is_linear       ? "a guess: utilisation does not grow along a line"
           : !law->is_proportional ? "holds, with what else is done there"
                                   : "holds";
}

static void tell_capacity(struct telling *telling, int side, const struct run_series *step)
{
    struct capacity law;
    struct tables_row *row = &telling->row;
    const struct run_series *full = full_first(telling, run_of(telling, side), step, &law);
    cell_names(telling, side, step, false);
    cell(row, "%s %s", full ? full->sensor : "-", full ? full->instance : "");
    cell_amount(row, full ? law.load : NAN, "1/s");
    cell_amount(row, full ? law.low : NAN, "1/s");
    cell_amount(row, full ? law.high : NAN, "1/s");
    cell_amount(row, full ? law.most : NAN, "1/s");
    cell(row, "%s%s", full ? "" : "not known: ", full ? doubt_of(&law) : law.why);
    end_row(telling);
}

static void tell_capacities(struct telling *telling)
{
    const struct pairs *pairs = &telling->subject->comparison->pairs;
    begin_table(telling,
                has_lost(telling) ? "Capacity, by the utilisation law; records were lost: too low"
                                  : "Capacity, by the utilisation law",
                "step|run|is full first|at|from (95 %)|to|most seen|the law");
    for (size_t i = 0; i < pairs->n && !is_full(telling); i++)
        for (int side = 0; side < 2; side++)
            if (is_step(series_of(&pairs->list[i], side)))
                tell_capacity(telling, side, series_of(&pairs->list[i], side));
    end_table(telling);
}

/* -- Profiles -------------------------------------------------------------------------------- */

static void tell_profile(struct telling *telling, int side, const struct run_series *series)
{
    struct profile_range range;
    profile_values(series, &range);
    cell_names(telling, side, series, true);
    cell_amount(&telling->row, range.least, series->unit);
    cell_amount(&telling->row, range.mean, series->unit);
    cell_amount(&telling->row, range.most, series->unit);
    end_row(telling);
}

static void tell_profiles(struct telling *telling)
{
    const struct pairs *pairs = &telling->subject->comparison->pairs;
    begin_table(telling, "Profiles of JVMs, processes and CPUs", "what|run|least|mean|most");
    for (size_t i = 0; i < pairs->n && !is_full(telling); i++)
        for (int side = 0; side < 2; side++)
            if (is_resource(series_of(&pairs->list[i], side)))
                tell_profile(telling, side, series_of(&pairs->list[i], side));
    end_table(telling);
}

static void tell_execution(struct telling *telling, const struct pair *step,
                           const struct pair *resource)
{
    double values[2];
    for (int side = 0; side < 2; side++) {
        const struct run_series *executed = series_of(step, side);
        const struct run_series *series = series_of(resource, side);
        values[side] =
            is_step(executed) && is_resource(series) && strcmp(executed->node, series->node) == 0
                ? profile_during(executed, series)
                : NAN;
    }
    if (isnan(values[0]) && isnan(values[1]))
        return;
    const struct run_series *executed = step->a ? step->a : step->b;
    const struct run_series *series = resource->a ? resource->a : resource->b;
    cell(&telling->row, "%s %s", pairs_node_name(run_of(telling, step->a ? 0 : 1), executed->node),
         executed->instance);
    cell(&telling->row, "%s %s", series->sensor, series->instance);
    cell_amount(&telling->row, values[0], series->unit);
    cell_amount(&telling->row, values[1], series->unit);
    end_row(telling);
}

static void tell_executions(struct telling *telling)
{
    const struct pairs *pairs = &telling->subject->comparison->pairs;
    begin_table(telling, "Execution profiles: resources while steps were executed",
                "step|resource|A|B");
    for (size_t i = 0; i < pairs->n; i++) {
        const struct pair *step = &pairs->list[i];
        bool is_one = is_step(step->a) || is_step(step->b);
        for (size_t j = 0; j < pairs->n && is_one && !is_full(telling); j++)
            if (is_resource(pairs->list[j].a) || is_resource(pairs->list[j].b))
                tell_execution(telling, step, &pairs->list[j]);
    }
    end_table(telling);
}

/* -- All ------------------------------------------------------------------------------------- */

bool tables_write(const struct print_subject *subject, bool all, const struct tables_writer *writer)
{
    struct telling telling = {.subject = subject, .writer = writer};
    tell_steps(&telling);
    tell_counts(&telling);
    tell_capacities(&telling);
    if (all) {
        tell_profiles(&telling);
        tell_executions(&telling);
    }
    return !telling.is_out_of_memory;
}
