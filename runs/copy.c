#include "runs/copy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/catalog.h"
#include "publish/database.h"
#include "publish/follow.h"
#include "publish/history.h"

#define NS_PER_MS INT64_C(1000000)
#define BACK_MS (10 * MINUTE_MS) /* nobody waits for a sensor with a longer interval */

struct copying {
    struct history *history;
    const struct run *run;
    const char *patterns;
    struct run_file *file;
    struct catalog_nodes nodes;
    size_t n_series;
    int error; /* ENOMEM, or the error of a file of the history */
    /* of the series that is being copied */
    int64_t id;
    struct point points[POINTS_MAX];
    size_t n_points;
    struct run_minute *valued; /* how many values there were in each minute, ascending */
    size_t n_valued, room_valued;
    bool has_more; /* its minutes contain more than its values */
};

static void note(struct copying *copying, int error)
{
    if (error && copying->error != ENOMEM)
        copying->error = error;
}

/* -- How far the history has come ------------------------------------------------------------ */

static void name_of(const struct follow_node *node, char name[COPY_NODE_SIZE])
{
    text_format(name, COPY_NODE_SIZE, "%s", *node->path ? node->path : node->name);
    text_clean(name, COPY_NODE_SIZE, '?');
}

static int64_t last_of(const struct follow *follow, const struct follow_node *node)
{
    int64_t last_ms = INT64_MIN;
    for (size_t i = 0; i < follow_n_series(follow); i++) {
        const struct follow_series *series = follow_series(follow, i);
        if (series->node == node && series->latest.wall_ms > last_ms)
            last_ms = series->latest.wall_ms;
    }
    return last_ms;
}

/* A history_point_fn: the times of the last two values. */
static void take_time(void *context, const struct point *point)
{
    int64_t *times = context;
    times[0] = times[1];
    times[1] = point->wall_ms;
}

/* How long the last two values of a series are apart, in ms; 0 if it is not known. */
static int64_t distance_of(struct history *history, const struct follow_series *series)
{
    int64_t times[2] = {INT64_MIN, INT64_MIN};
    const struct history_question question = {.path = series->node->path,
                                              .sensor = series->sensor,
                                              .instance = series->instance,
                                              .from_ms = series->latest.wall_ms - BACK_MS,
                                              .to_ms = series->latest.wall_ms};
    history_points(history, &question, take_time, times);
    return times[0] == INT64_MIN ? 0 : times[1] - times[0];
}

/* Executions come together with the next value of app.records, which may come long after the next
 * values of other sensors of the node. If a series has already missed a value before the stop, no
 * more will come: its program has ended. */
static void look_at_records(struct history *history, const struct follow_series *series,
                            int64_t last_ms, int64_t stop_ms, struct copy_lag *lag)
{
    int64_t latest_ms = series->latest.wall_ms;
    if (strcmp(series->metric, "app.records") != 0 || latest_ms >= stop_ms ||
        latest_ms < stop_ms - BACK_MS)
        return;
    int64_t distance_ms = distance_of(history, series);
    if (latest_ms + 2 * distance_ms < stop_ms || last_ms >= stop_ms + distance_ms)
        return;
    if (lag->records++ > 0 && latest_ms >= lag->records_ms)
        return;
    lag->records_ms = latest_ms;
    name_of(series->node, lag->records_node);
}

static void look_at(struct history *history, const struct follow *follow, size_t node,
                    int64_t start_ms, int64_t stop_ms, struct copy_lag *lag)
{
    const struct follow_node *at = follow_node(follow, node);
    int64_t last_ms = last_of(follow, at);
    if (last_ms < start_ms)
        return;
    for (size_t i = 0; i < follow_n_series(follow); i++)
        if (follow_series(follow, i)->node == at)
            look_at_records(history, follow_series(follow, i), last_ms, stop_ms, lag);
    if (last_ms >= stop_ms || (lag->nodes++ > 0 && last_ms >= lag->last_ms))
        return;
    lag->last_ms = last_ms;
    name_of(at, lag->node);
}

int copy_look(struct history *history, int64_t start_ms, int64_t stop_ms, struct copy_lag *lag)
{
    struct follow *follow = follow_open();
    *lag = (struct copy_lag){.nodes = 0};
    if (!follow)
        return ENOMEM;
    int error = follow_step(follow, history, stop_ms, NULL, NULL);
    for (size_t i = 0; i < follow_n_nodes(follow); i++)
        look_at(history, follow, i, start_ms, stop_ms, lag);
    follow_close(follow);
    return error;
}

/* -- Values ---------------------------------------------------------------------------------- */

static void write_points(struct copying *copying)
{
    if (copying->n_points > 0)
        run_file_add_points(copying->file, copying->id, copying->points, copying->n_points);
    copying->n_points = 0;
}

static void count_value(struct copying *copying, int64_t ms)
{
    int64_t minute_ms = database_floor(ms, MINUTE_MS);
    if (copying->n_valued == 0 || copying->valued[copying->n_valued - 1].start_ms != minute_ms) {
        void *larger = run_grow(copying->valued, copying->n_valued, &copying->room_valued,
                                sizeof *copying->valued);
        if (!larger) {
            note(copying, ENOMEM);
            return;
        }
        copying->valued = larger;
        copying->valued[copying->n_valued++] = (struct run_minute){.start_ms = minute_ms};
    }
    copying->valued[copying->n_valued - 1].window.count++;
}

/* A history_point_fn. */
static void take_point(void *context, const struct point *point)
{
    struct copying *copying = context;
    if (copying->n_points == POINTS_MAX)
        write_points(copying);
    copying->points[copying->n_points++] = *point;
    if (point->result.state == RESULT_VALID)
        count_value(copying, point->wall_ms);
}

/* -- Minutes --------------------------------------------------------------------------------- */

static bool is_inside(const struct copying *copying, int64_t start_ms)
{
    return start_ms >= copying->run->start_ms && start_ms + MINUTE_MS <= copying->run->stop_ms;
}

static uint64_t valued_in(const struct copying *copying, int64_t start_ms)
{
    size_t low = 0, high = copying->n_valued;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (copying->valued[middle].start_ms < start_ms)
            low = middle + 1;
        else
            high = middle;
    }
    return low < copying->n_valued && copying->valued[low].start_ms == start_ms
               ? copying->valued[low].window.count
               : 0;
}

/* A history_cell_fn. */
static void compare_cell(void *context, int64_t start_ms,
                         const struct statistics_window *statistics)
{
    struct copying *copying = context;
    if (is_inside(copying, start_ms) && statistics->count != valued_in(copying, start_ms))
        copying->has_more = true;
}

/* A history_cell_fn. */
static void take_cell(void *context, int64_t start_ms, const struct statistics_window *statistics)
{
    struct copying *copying = context;
    if (is_inside(copying, start_ms))
        run_file_add_minute(copying->file, copying->id, start_ms, statistics);
}

/* Minutes that contain no more than the values do would only take up space. */
static void copy_minutes(struct copying *copying, struct history_question question)
{
    copying->has_more = false;
    question.only_moments = true;
    note(copying, history_cells(copying->history, &question, &tier_minute, compare_cell, copying));
    question.only_moments = false;
    if (copying->has_more)
        note(copying, history_cells(copying->history, &question, &tier_minute, take_cell, copying));
}

/* -- Series ---------------------------------------------------------------------------------- */

static void copy_series(struct copying *copying, const char *path,
                        const struct catalog_series *series)
{
    const struct run *run = copying->run;
    const struct run_series words = {.node = (char *)path,
                                     .sensor = series->sensor,
                                     .instance = series->instance,
                                     .metric = series->metric,
                                     .unit = series->unit};
    const struct history_question question = {.path = path,
                                              .sensor = series->sensor,
                                              .instance = series->instance,
                                              .from_ms = run->start_ms,
                                              .to_ms = run->stop_ms};
    if (series->last_ms < run->start_ms || series->first_ms > run->stop_ms)
        return;
    copying->id = run_file_add_series(copying->file, &words);
    copying->n_valued = 0;
    copying->n_series++;
    note(copying, history_points(copying->history, &question, take_point, copying));
    write_points(copying);
    copy_minutes(copying, question);
}

static bool is_meant(struct copying *copying, const struct catalog_node *node)
{
    char *words = copying->patterns ? strdup(copying->patterns) : NULL, *rest = words, *word;
    bool found = !copying->patterns;
    if (copying->patterns && !words)
        note(copying, ENOMEM);
    if (!words)
        return found;
    while (!found && (word = strsep(&rest, ",")))
        found = catalog_is_meant(node, word);
    free(words);
    return found;
}

static void copy_node(struct copying *copying, const struct catalog_node *node)
{
    struct catalog_series_list list;
    struct run_node copy = {.path = node->path, .name = node->name, .last_ms = 0};
    note(copying, catalog_series(copying->history, node->path, &list));
    for (size_t i = 0; i < list.n && copying->error != ENOMEM; i++) {
        copy_series(copying, node->path, &list.list[i]);
        if (list.list[i].first_ms <= list.list[i].last_ms && list.list[i].last_ms > copy.last_ms)
            copy.last_ms = list.list[i].last_ms;
    }
    catalog_series_release(&list);
    run_file_add_node(copying->file, &copy);
}

/* -- Executions of steps --------------------------------------------------------------------- */

static bool has_node(struct copying *copying, const char *path)
{
    for (size_t i = 0; i < copying->nodes.n; i++)
        if (strcmp(copying->nodes.list[i].path, path) == 0)
            return is_meant(copying, &copying->nodes.list[i]);
    return !copying->patterns;
}

static int64_t integer_or(sqlite3_stmt *select, int column, int64_t other)
{
    return sqlite3_column_type(select, column) == SQLITE_NULL
               ? other
               : sqlite3_column_int64(select, column);
}

/* A step of a node below is reported by the node above: it is a series of the node below. */
static void take_step(struct copying *copying, sqlite3_stmt *select)
{
    const char *texts[5];
    for (int i = 0; i < 5; i++)
        if (!(texts[i] = (const char *)sqlite3_column_text(select, i)))
            return;
    const struct run_series words = {.node = (char *)texts[0],
                                     .sensor = (char *)texts[1],
                                     .instance = (char *)texts[2],
                                     .metric = (char *)texts[3],
                                     .unit = (char *)texts[4]};
    const struct run_file_record record = {.start_ns = sqlite3_column_int64(select, 5),
                                           .duration_ns = sqlite3_column_int64(select, 6),
                                           .sequence = sqlite3_column_int64(select, 7),
                                           .result = sqlite3_column_int64(select, 8),
                                           .cpu_ns = integer_or(select, 9, -1),
                                           .allocated = integer_or(select, 10, -1)};
    if (has_node(copying, texts[0]) && record.duration_ns >= 0)
        run_file_add_record(copying->file, run_file_add_series(copying->file, &words), &record);
}

/* A history_file_fn. An execution is in the run if it began during the run and was recorded, even
 * if it ended later. */
static int read_steps(void *context, sqlite3 *db, bool is_newest)
{
    struct copying *copying = context;
    (void)is_newest;
    if (!database_has_table(db, "step"))
        return SQLITE_OK;
    sqlite3_stmt *select = database_prepare(
        db,
        "SELECT step.path, sensor, instance, metric, unit, start, duration, sequence, result, cpu,"
        " allocated FROM step JOIN series ON series.id = step.series"
        " WHERE start BETWEEN ? AND ? ORDER BY start%s",
        "");
    int code = database_bind(select, "ii", copying->run->start_ms * NS_PER_MS,
                             copying->run->stop_ms * NS_PER_MS);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        take_step(copying, select);
        code = SQLITE_OK;
    }
    sqlite3_finalize(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A history_again_fn. */
static void forget_steps(void *context)
{
    struct copying *copying = context;
    run_file_forget_records(copying->file);
}

/* -- All ------------------------------------------------------------------------------------- */

static void copy_all(struct copying *copying)
{
    run_file_begin(copying->file);
    copying->n_series = 0;
    note(copying, catalog_nodes(copying->history, &copying->nodes));
    for (size_t i = 0; i < copying->nodes.n && copying->error != ENOMEM; i++)
        if (is_meant(copying, &copying->nodes.list[i]))
            copy_node(copying, &copying->nodes.list[i]);
    note(copying, history_each_file(copying->history, copying->run->start_ms, read_steps,
                                    forget_steps, copying));
    catalog_nodes_release(&copying->nodes);
    free(copying->valued);
}

bool copy_run(struct history *history, const struct run *run, const char *nodes,
              struct run_file *file, enum run_state state, size_t *n_series,
              char warning[RUN_ERROR_SIZE], char error[RUN_ERROR_SIZE])
{
    struct copying *copying = calloc(1, sizeof *copying);
    warning[0] = '\0';
    int fault = ENOMEM;
    if (copying) {
        *copying =
            (struct copying){.history = history, .run = run, .patterns = nodes, .file = file};
        copy_all(copying);
        *n_series = copying->n_series;
        fault = copying->error;
    }
    free(copying);
    if (fault == ENOMEM) {
        text_format(error, RUN_ERROR_SIZE, "no memory");
        return false;
    }
    if (fault)
        text_format(warning, RUN_ERROR_SIZE, "%s",
                    *history_fault(history) ? history_fault(history) : strerror(fault));
    return run_file_commit(file, state, error);
}
