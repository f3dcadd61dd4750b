#include "tests/week/checker.h"

#include <math.h>
#include <string.h>

#include "publish/history.h"
#include "tests/bench/rounds.h"
#include "tests/week/world.h"

/* What a series has told, computed again. */
struct told {
    size_t node, series;
    size_t n;
    struct point *points; /* as many as there are steps, or fewer */
};

/* What all series of a node have in common at each step. */
struct moments {
    bool *is_up;
    int64_t *wall_ms;
};

struct comparison {
    const struct told *told;
    const struct tier *tier; /* NULL: points are compared */
    size_t at;               /* index of the next one of told */
    size_t n;                /* that were equal */
    double *room;            /* for the values of a cell */
};

static _Noreturn void differ(const struct told *told, int64_t at_ms, const char *what, double is,
                             double expected)
{
    fprintf(stderr, "node%zu, series %zu, at %lld: %s: %.17g, expected %.17g\n", told->node,
            told->series, (long long)at_ms, what, is, expected);
    exit(1);
}

static void expect(const struct told *told, int64_t at_ms, const char *what, double is,
                   double expected, double within)
{
    if (!(fabs(is - expected) <= within))
        differ(told, at_ms, what, is, expected);
}

/* -- What was told --------------------------------------------------------------------------- */

static struct moments moments_of(size_t node, size_t end)
{
    struct moments moments = {allocate(end, sizeof(bool)), allocate(end, sizeof(int64_t))};
    for (size_t step = 0; step < end; step++) {
        moments.is_up[step] = world_is_up(node, step);
        moments.wall_ms[step] = world_wall_ms(node, step);
    }
    return moments;
}

static void release(struct moments *moments)
{
    free(moments->is_up);
    free(moments->wall_ms);
}

static void tell(struct told *told, const struct moments *moments, size_t first, size_t end)
{
    struct world_series series = world_series(told->node, told->series);
    told->n = 0;
    for (size_t step = 0; step < end; step++) {
        struct result result;
        if (world_step(&series, step, moments->is_up[step], &result) && step >= first)
            told->points[told->n++] = (struct point){moments->wall_ms[step], result};
    }
}

void checker_print(size_t node, size_t number, size_t first, size_t end)
{
    struct moments moments = moments_of(node, end);
    struct told told = {
        .node = node, .series = number, .points = allocate(end, sizeof(struct point))};
    tell(&told, &moments, first, end);
    for (size_t i = 0; i < told.n; i++) {
        printf("%lld\t", (long long)told.points[i].wall_ms);
        if (told.points[i].result.state == RESULT_VALID)
            printf("%.17g\n", told.points[i].result.value);
        else
            puts("null");
    }
    free(told.points);
    release(&moments);
}

/* -- Points ---------------------------------------------------------------------------------- */

/* A history_point_fn. */
static void compare_point(void *context, const struct point *point)
{
    struct comparison *comparison = context;
    const struct told *told = comparison->told;
    if (comparison->at == told->n)
        differ(told, point->wall_ms, "a value that nobody told", point->result.value, NAN);
    const struct point *expected = &told->points[comparison->at++];
    if (point->wall_ms != expected->wall_ms)
        differ(told, expected->wall_ms, "time of a value", (double)point->wall_ms,
               (double)expected->wall_ms);
    if (point->result.state != expected->result.state)
        differ(told, expected->wall_ms, "state", point->result.state, expected->result.state);
    if (memcmp(&point->result.value, &expected->result.value, sizeof(double)) != 0)
        differ(told, expected->wall_ms, "value", point->result.value, expected->result.value);
    comparison->n++;
}

static struct history_question question_of(const struct told *told, const char *path,
                                           const struct world_words *words)
{
    return (struct history_question){.path = path,
                                     .sensor = words->sensor,
                                     .instance = words->instance,
                                     .from_ms = WORLD_START_MS,
                                     .to_ms = told->n ? told->points[told->n - 1].wall_ms : 0};
}

/* Compares all points whose time is from_ms or later. */
static size_t compare_points(struct history *history, const struct told *told, int64_t from_ms)
{
    char path[24];
    struct world_words words = world_words(told->series);
    struct comparison comparison = {.told = told};
    world_node_name(told->node, path);
    struct history_question question = question_of(told, path, &words);
    question.from_ms = from_ms;
    while (comparison.at < told->n && told->points[comparison.at].wall_ms < from_ms)
        comparison.at++;
    if (history_points(history, &question, compare_point, &comparison) != 0)
        fail(history_fault(history));
    if (comparison.at < told->n)
        differ(told, told->points[comparison.at].wall_ms, "a value is missing", NAN,
               told->points[comparison.at].result.value);
    return comparison.n;
}

static struct history *open_history(const char *directory)
{
    int error;
    struct history *history = history_open(directory, &error);
    if (!history)
        fail(strerror(error));
    return history;
}

void checker_points(const char *directory, size_t node, size_t series, size_t first, size_t end)
{
    struct history *history = open_history(directory);
    struct moments moments = moments_of(node, end);
    struct told told = {
        .node = node, .series = series, .points = allocate(end, sizeof(struct point))};
    tell(&told, &moments, first, end);
    if (told.n > 0)
        compare_points(history, &told, told.points[0].wall_ms);
    free(told.points);
    release(&moments);
    history_close(history);
}

/* -- Cells ----------------------------------------------------------------------------------- */

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The values of the next cell that has some, in ascending order. Returns their number; 0: there is
 * no such cell any more. */
static size_t next_cell(struct comparison *comparison, int64_t *start_ms)
{
    const struct told *told = comparison->told;
    size_t n = 0;
    for (; comparison->at < told->n; comparison->at++) {
        const struct point *point = &told->points[comparison->at];
        if (point->result.state != RESULT_VALID)
            continue;
        int64_t cell_ms = database_floor(point->wall_ms, comparison->tier->cell_ms);
        if (n > 0 && cell_ms != *start_ms)
            break;
        *start_ms = cell_ms;
        comparison->room[n++] = point->result.value;
    }
    qsort(comparison->room, n, sizeof(double), order);
    return n;
}

static void expect_moments(const struct told *told, int64_t at_ms,
                           const struct statistics_window *is, const double *values, size_t n)
{
    long double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        sum += values[i];
    long double mean = sum / n;
    for (size_t i = 0; i < n; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    double largest = fmax(fabs(values[0]), fabs(values[n - 1]));
    expect(told, at_ms, "count", (double)is->count, (double)n, 0);
    expect(told, at_ms, "minimum", is->min, values[0], 0);
    expect(told, at_ms, "maximum", is->max, values[n - 1], 0);
    expect(told, at_ms, "mean", is->mean, (double)mean, 1e-13 * largest);
    expect(told, at_ms, "m2", is->m2, (double)squares,
           1e-9 * (double)squares + 1e-13 * largest * largest * (double)n);
}

/* A history_cell_fn. */
static void compare_cell(void *context, int64_t start_ms, const struct statistics_window *is)
{
    static const double quantiles[] = {0.05, 0.5, 0.95};
    struct comparison *comparison = context;
    int64_t expected_ms = INT64_MAX;
    size_t n = next_cell(comparison, &expected_ms);
    const double *values = comparison->room;
    expect(comparison->told, start_ms, "time of a cell", (double)start_ms, (double)expected_ms, 0);
    expect_moments(comparison->told, start_ms, is, values, n);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        double expected = values[(size_t)(quantiles[i] * (double)(n - 1))];
        expect(comparison->told, start_ms, "quantile", statistics_quantile(is, quantiles[i]),
               expected, 0.01 * (1 + 1e-9) * fabs(expected));
    }
    comparison->n++;
}

static size_t compare_cells(struct history *history, const struct told *told,
                            const struct tier *tier)
{
    char path[24];
    struct world_words words = world_words(told->series);
    struct comparison comparison = {
        .told = told, .tier = tier, .room = allocate(WORLD_HOUR + 1, sizeof(double))};
    world_node_name(told->node, path);
    const struct history_question question = question_of(told, path, &words);
    int64_t missing_ms;
    if (history_cells(history, &question, tier, compare_cell, &comparison) != 0)
        fail(history_fault(history));
    if (next_cell(&comparison, &missing_ms) > 0)
        differ(told, missing_ms, "a cell is missing", NAN, NAN);
    free(comparison.room);
    return comparison.n;
}

/* -- All ------------------------------------------------------------------------------------- */

struct totals {
    size_t values, points, minutes, hours;
    size_t raw; /* in tables of days that are still there */
};

static void count(struct totals *totals, const struct told *told, int64_t raw_ms)
{
    totals->values += told->n;
    for (size_t i = told->n; i-- > 0 && told->points[i].wall_ms >= database_floor(raw_ms, DAY_MS);)
        totals->raw++;
}

void checker_run(const char *directory, size_t nodes, size_t steps)
{
    struct history *history = open_history(directory);
    struct told told = {.points = allocate(steps, sizeof(struct point))};
    int64_t raw_ms = WORLD_START_MS + (int64_t)steps * WORLD_STEP_MS - WEEK_RAW_MS;
    struct totals totals = {0};
    if (raw_ms < WORLD_START_MS)
        raw_ms = WORLD_START_MS;
    for (told.node = 0; told.node < nodes; told.node++) {
        struct moments moments = moments_of(told.node, steps);
        for (told.series = 0; told.series < WORLD_SERIES; told.series++) {
            tell(&told, &moments, 0, steps);
            count(&totals, &told, raw_ms);
            totals.points += compare_points(history, &told, raw_ms);
            totals.minutes += compare_cells(history, &told, &tier_minute);
            totals.hours += compare_cells(history, &told, &tier_hour);
        }
        release(&moments);
    }
    printf("told %zu\nkept %zu\npoints %zu\nminutes %zu\nhours %zu\n", totals.values, totals.raw,
           totals.points, totals.minutes, totals.hours);
    free(told.points);
    history_close(history);
}
