/* Makes the file of a run of an hour as big sites have one, and the same values as plain rows of
 * SQLite: runmaker FILE.run NAME SERIES SECONDS SEED [ROWS.db]. Values come each second, and each
 * is like the one before it; every tenth series has windows, too. */
#include <math.h>
#include <sqlite3.h>
#include <stdint.h>
#include <string.h>

#include "runs/file.h"
#include "tests/bench/rounds.h"

#define START_MS INT64_C(1795730400000)
#define MINUTE 60
#define PER_SECOND 20 /* events of a window */

static uint64_t state;

/* Uniform, by D. Lehmer's generator modulo 2^61 - 1. */
static double uniform(void)
{
    state = (uint64_t)((unsigned __int128)state * 437799614237992725 % 2305843009213693951);
    return (double)state / 2305843009213693951.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

struct maker {
    struct run_file *file;
    sqlite3 *rows;
    sqlite3_stmt *insert;
    int seconds;
};

static void write_row(struct maker *maker, int series, int second, double value)
{
    if (!maker->rows)
        return;
    sqlite3_bind_int(maker->insert, 1, series);
    sqlite3_bind_int64(maker->insert, 2, START_MS + second * 1000);
    sqlite3_bind_double(maker->insert, 3, value);
    if (sqlite3_step(maker->insert) != SQLITE_DONE)
        fail("a row is not written");
    sqlite3_reset(maker->insert);
}

static void make_values(struct maker *maker, int64_t id, int series)
{
    struct point points[POINTS_MAX];
    size_t n = 0;
    double noise = 0;
    for (int second = 0; second < maker->seconds; second++) {
        noise = 0.8 * noise + normal();
        double value = round((50 + series % 7 + 2 * noise) * 100) / 100;
        points[n++] = (struct point){START_MS + second * 1000, {RESULT_VALID, value}};
        write_row(maker, series, second, value);
        if (n == POINTS_MAX || second + 1 == maker->seconds) {
            run_file_add_points(maker->file, id, points, n);
            n = 0;
        }
    }
}

static void make_minutes(struct maker *maker, int64_t id)
{
    struct statistics_window window = {.count = 0};
    for (int minute = 0; minute < maker->seconds / MINUTE; minute++) {
        statistics_window_reset(&window);
        for (int i = 0; i < MINUTE * PER_SECOND; i++)
            if (statistics_window_add(&window, 0.01 * exp(0.3 * normal())) != 0)
                fail("no memory");
        run_file_add_minute(maker->file, id, START_MS + minute * MINUTE * INT64_C(1000), &window);
    }
    statistics_window_release(&window);
}

static void make_series(struct maker *maker, int series)
{
    char instance[32];
    bool has_windows = series % 10 == 0;
    snprintf(instance, sizeof instance, "%04d", series);
    const struct run_series words = {.node = "node1",
                                     .sensor = has_windows ? "time" : "level",
                                     .instance = instance,
                                     .metric = has_windows ? "app.time" : "app.value",
                                     .unit = has_windows ? "s" : "1"};
    int64_t id = run_file_add_series(maker->file, &words);
    make_values(maker, id, series);
    if (has_windows)
        make_minutes(maker, id);
}

static void open_rows(struct maker *maker, const char *path)
{
    if (sqlite3_open(path, &maker->rows) != SQLITE_OK ||
        sqlite3_exec(maker->rows,
                     "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
                     "CREATE TABLE value(series INTEGER, time INTEGER, value REAL); BEGIN",
                     NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(maker->rows, "INSERT INTO value VALUES(?, ?, ?)", -1, &maker->insert,
                           NULL) != SQLITE_OK)
        fail(path);
}

static void close_rows(struct maker *maker)
{
    if (!maker->rows)
        return;
    sqlite3_finalize(maker->insert);
    if (sqlite3_exec(maker->rows, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        fail("the rows are not written");
    sqlite3_close(maker->rows);
}

int main(int argc, char **argv)
{
    char error[RUN_ERROR_SIZE];
    struct maker maker = {.rows = NULL};
    if (argc < 6)
        fail("usage: FILE.run NAME SERIES SECONDS SEED [ROWS.db]");
    struct run run = {.start_ms = START_MS};
    snprintf(run.name, sizeof run.name, "%s", argv[2]);
    maker.seconds = (int)number_of(argv[4]);
    state = number_of(argv[5]);
    if (!(maker.file = run_file_create(argv[1], &run, "/", error)) ||
        !run_file_stop(maker.file, START_MS + maker.seconds * INT64_C(1000), error))
        fail(error);
    if (argc > 6)
        open_rows(&maker, argv[6]);
    run_file_begin(maker.file);
    const struct run_node node = {
        .path = "node1", .name = "node1", .last_ms = START_MS + maker.seconds * INT64_C(1000)};
    run_file_add_node(maker.file, &node);
    for (size_t i = 0; i < number_of(argv[3]); i++)
        make_series(&maker, (int)i);
    if (!run_file_commit(maker.file, RUN_STOPPED, error))
        fail(error);
    run_file_close(maker.file);
    close_rows(&maker);
    return 0;
}
