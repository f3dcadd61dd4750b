#include "runs/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "calculate/histogram_packed.h"
#include "publish/database.h"

#define APPLICATION "1684230766" /* "dcRn" */
#define TABLES_VERSION 1
#define BUSY_MS 5000
#define TIME_MOST_MS INT64_C(253402300799999) /* the end of the year 9999 */
#define PACKED_MAX 16384                      /* octets of a histogram: some 3,000 buckets */

static const char tables[] =
    "PRAGMA application_id=" APPLICATION ";"
    "PRAGMA user_version=1;"
    "CREATE TABLE run(name TEXT NOT NULL, state INTEGER NOT NULL, start INTEGER NOT NULL,"
    " stop INTEGER NOT NULL, directory TEXT NOT NULL);"
    "CREATE TABLE tag(key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE node(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, name TEXT NOT NULL,"
    " last INTEGER NOT NULL);"
    "CREATE TABLE series(id INTEGER PRIMARY KEY, node TEXT NOT NULL, sensor TEXT NOT NULL,"
    " instance TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,"
    " UNIQUE(node, sensor, instance));"
    "CREATE TABLE points(series INTEGER NOT NULL, start INTEGER NOT NULL, octets BLOB NOT NULL);"
    "CREATE TABLE minute(series INTEGER NOT NULL, start INTEGER NOT NULL, count INTEGER NOT NULL,"
    " min REAL NOT NULL, max REAL NOT NULL, mean REAL NOT NULL, m2 REAL NOT NULL,"
    " histogram BLOB NOT NULL);"
    "CREATE TABLE record(series INTEGER NOT NULL, start INTEGER NOT NULL,"
    " duration INTEGER NOT NULL, sequence INTEGER NOT NULL, result INTEGER NOT NULL, cpu INTEGER,"
    " allocated INTEGER);";

struct run_file {
    sqlite3 *db;
    struct statements sql;
    int code; /* the first error of SQLite in a transaction */
    char path[];
};

/* -- Opened and closed ----------------------------------------------------------------------- */

void run_file_close(struct run_file *file)
{
    if (!file)
        return;
    statements_release(&file->sql);
    sqlite3_close(file->db);
    free(file);
}

static bool complain(const struct run_file *file, int code, char error[RUN_ERROR_SIZE])
{
    bool is_broken = code == SQLITE_CORRUPT || code == SQLITE_AUTH || code == SQLITE_ERROR;
    const char *why = code == SQLITE_NOTADB     ? "no file of a run"
                      : code == SQLITE_MISMATCH ? "written by another version of dCAMP"
                      : is_broken               ? "the file is broken"
                                                : sqlite3_errstr(code);
    text_format(error, RUN_ERROR_SIZE, "%s: %s", file->path, why);
    return false;
}

static void note(struct run_file *file, int code)
{
    if (file->code == SQLITE_OK)
        file->code = code;
}

static int number_of(struct run_file *file, const char *sql, int64_t *number)
{
    return statements_find(&file->sql, number, sql, "");
}

static int check_whose(struct run_file *file)
{
    int64_t application = 0, version = 0;
    int code = number_of(file, "PRAGMA application_id", &application);
    if (code == SQLITE_OK)
        code = number_of(file, "PRAGMA user_version", &version);
    if (code != SQLITE_OK)
        return code;
    if (application != strtoll(APPLICATION, NULL, 10))
        return SQLITE_NOTADB;
    return version == TABLES_VERSION ? SQLITE_OK : SQLITE_MISMATCH;
}

/* An authorizer (sqlite3_set_authorizer(3)). The file of a run has only tables; views and triggers
 * are refused, because a file that was mailed could use them to keep its reader busy forever. */
static int refuse_programs(void *context, int action, const char *a, const char *b,
                           const char *database, const char *by)
{
    (void)context;
    (void)a;
    (void)b;
    (void)database;
    return by || action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

static struct run_file *open_file(const char *path, int flags, char error[RUN_ERROR_SIZE])
{
    size_t size = strlen(path) + 1;
    struct run_file *file = calloc(1, sizeof *file + size);
    if (!file) {
        text_format(error, RUN_ERROR_SIZE, "no memory");
        return NULL;
    }
    memcpy(file->path, path, size);
    int code = access(path, R_OK) == 0
                   ? sqlite3_open_v2(path, &file->db, flags | SQLITE_OPEN_NOMUTEX, NULL)
                   : SQLITE_CANTOPEN;
    file->sql.db = file->db;
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(file->db, BUSY_MS);
        sqlite3_db_config(file->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_set_authorizer(file->db, refuse_programs, NULL);
        return file;
    }
    if (code == SQLITE_CANTOPEN && access(path, R_OK) != 0)
        text_format(error, RUN_ERROR_SIZE, "%s: %s", path, strerror(errno));
    else
        complain(file, code, error);
    run_file_close(file);
    return NULL;
}

struct run_file *run_file_open(const char *path, bool may_write, char error[RUN_ERROR_SIZE])
{
    struct run_file *file =
        open_file(path, may_write ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, error);
    int code = file ? check_whose(file) : SQLITE_OK;
    if (code == SQLITE_OK)
        return file;
    complain(file, code, error);
    run_file_close(file);
    return NULL;
}

static int write_start(struct run_file *file, const struct run *run, const char *directory)
{
    int code = database_run(file->db, "BEGIN IMMEDIATE");
    if (code == SQLITE_OK)
        code = database_run(file->db, tables);
    if (code == SQLITE_OK)
        code = statements_run(&file->sql, "INSERT INTO run VALUES(?, ?, ?, 0, ?)", "tiit",
                              run->name, (int64_t)RUN_STARTED, run->start_ms, directory);
    for (size_t i = 0; i < run->n_tags && code == SQLITE_OK; i++)
        code = statements_run(&file->sql, "INSERT OR REPLACE INTO tag VALUES(?, ?)", "tt",
                              run->tags[i].key, run->tags[i].value);
    return code == SQLITE_OK ? database_run(file->db, "COMMIT") : code;
}

/* Creating the file decides whether the name is taken: of two runs of one name, one is started. */
struct run_file *run_file_create(const char *path, const struct run *run, const char *directory,
                                 char error[RUN_ERROR_SIZE])
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        text_format(error, RUN_ERROR_SIZE, "%s: %s", path,
                    errno == EEXIST ? "there is a run of that name" : strerror(errno));
        return NULL;
    }
    close(fd);
    struct run_file *file = open_file(path, SQLITE_OPEN_READWRITE, error);
    int code = file ? write_start(file, run, directory) : SQLITE_OK;
    if (file && code == SQLITE_OK)
        return file;
    if (file)
        complain(file, code, error);
    run_file_close(file);
    unlink(path);
    return NULL;
}

/* -- Written --------------------------------------------------------------------------------- */

bool run_file_stop(struct run_file *file, int64_t stop_ms, char error[RUN_ERROR_SIZE])
{
    int code = statements_run(&file->sql, "UPDATE run SET state = ?, stop = ?", "ii",
                              (int64_t)RUN_STOPPING, stop_ms);
    return code == SQLITE_OK || complain(file, code, error);
}

void run_file_begin(struct run_file *file)
{
    file->code = database_run(file->db, "PRAGMA cache_size=-32768; BEGIN IMMEDIATE;"
                                        "DELETE FROM node; DELETE FROM series; DELETE FROM points;"
                                        "DELETE FROM minute; DELETE FROM record");
}

bool run_file_commit(struct run_file *file, enum run_state state, char error[RUN_ERROR_SIZE])
{
    if (file->code == SQLITE_OK)
        note(file, statements_run(&file->sql, "UPDATE run SET state = ?", "i", (int64_t)state));
    if (file->code == SQLITE_OK)
        note(file, database_run(file->db, "COMMIT"));
    if (file->code == SQLITE_OK)
        return true;
    database_run(file->db, "ROLLBACK");
    return complain(file, file->code, error);
}

void run_file_add_node(struct run_file *file, const struct run_node *node)
{
    note(file,
         statements_run(&file->sql, "INSERT OR REPLACE INTO node(path, name, last) VALUES(?, ?, ?)",
                        "tti", node->path, node->name, node->last_ms));
}

int64_t run_file_add_series(struct run_file *file, const struct run_series *series)
{
    int64_t id = 0;
    note(file, statements_find(&file->sql, &id,
                               "INSERT INTO series(node, sensor, instance, metric, unit)"
                               " VALUES(?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET unit = unit"
                               " RETURNING id",
                               "ttttt", series->node, series->sensor, series->instance,
                               series->metric, series->unit));
    return id;
}

void run_file_add_points(struct run_file *file, int64_t series, const struct point *points,
                         size_t n)
{
    uint8_t octets[POINTS_OCTETS_MAX];
    size_t len = points_pack(points, n, octets);
    note(file, statements_run(&file->sql, "INSERT INTO points VALUES(?, ?, ?)", "iib", series,
                              points[0].wall_ms, octets, len));
}

static int bind_moments(sqlite3_stmt *insert, const struct statistics_window *window)
{
    double mean = fmin(fmax(window->mean, window->min), window->max); /* rounding may take the mean
                                                                       * out of the range */
    const double moments[] = {window->min, window->max, mean, window->m2};
    int code = insert ? SQLITE_OK : SQLITE_ERROR;
    for (int i = 0; i < 4 && code == SQLITE_OK; i++)
        code = sqlite3_bind_double(insert, 4 + i, moments[i]);
    return code;
}

void run_file_add_minute(struct run_file *file, int64_t series, int64_t start_ms,
                         const struct statistics_window *window)
{
    uint8_t octets[PACKED_MAX];
    size_t len = histogram_pack(&window->histogram, octets, sizeof octets);
    sqlite3_stmt *insert =
        statements_get(&file->sql, "INSERT INTO minute VALUES(?, ?, ?, ?, ?, ?, ?, ?)");
    int code = bind_moments(insert, window);
    if (code == SQLITE_OK)
        code = database_bind(insert, "iii", series, start_ms, (int64_t)window->count);
    if (code == SQLITE_OK)
        code = sqlite3_bind_blob(insert, 8, octets, len <= sizeof octets ? (int)len : 0,
                                 SQLITE_STATIC);
    note(file, code == SQLITE_OK ? database_finish(insert) : code);
}

static int bind_known(sqlite3_stmt *insert, int place, int64_t value)
{
    return value >= 0 ? sqlite3_bind_int64(insert, place, value) : sqlite3_bind_null(insert, place);
}

void run_file_add_record(struct run_file *file, int64_t series,
                         const struct run_file_record *record)
{
    sqlite3_stmt *insert =
        statements_get(&file->sql, "INSERT INTO record VALUES(?, ?, ?, ?, ?, ?, ?)");
    int code = database_bind(insert, "iiiii", series, record->start_ns, record->duration_ns,
                             record->sequence, record->result);
    if (code == SQLITE_OK)
        code = bind_known(insert, 6, record->cpu_ns);
    if (code == SQLITE_OK)
        code = bind_known(insert, 7, record->allocated);
    note(file, code == SQLITE_OK ? database_finish(insert) : code);
}

void run_file_forget_records(struct run_file *file)
{
    note(file, database_run(file->db, "DELETE FROM record"));
}

/* -- Read ------------------------------------------------------------------------------------ */

struct reading {
    struct run_file *file;
    struct run *run;
    char **directory;
    int64_t last_id; /* of the series; these come in the order of their numbers */
    struct {
        int64_t id;
        size_t place;
    } * places; /* ascending by id */
    size_t n_places, room_places;
};

/* Takes a row; returns SQLITE_ROW, or an error. */
typedef int take_fn(struct reading *reading, sqlite3_stmt *select);

static int each_row(struct reading *reading, const char *sql, take_fn *take)
{
    sqlite3_stmt *select = statements_get(&reading->file->sql, sql);
    if (!select)
        return sqlite3_errcode(reading->file->db);
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = take(reading, select);
    sqlite3_reset(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static char *text_of(sqlite3_stmt *select, int column)
{
    const char *text = (const char *)sqlite3_column_text(select, column);
    return strdup(text ? text : "");
}

static bool is_time(int64_t ms)
{
    return ms >= 0 && ms <= TIME_MOST_MS;
}

static int take_run(struct reading *reading, sqlite3_stmt *select)
{
    struct run *run = reading->run;
    const char *name = (const char *)sqlite3_column_text(select, 0);
    int64_t state = sqlite3_column_int64(select, 1);
    if (!name || !run_is_name(name) || state < RUN_STARTED || state > RUN_INTERRUPTED)
        return SQLITE_CORRUPT;
    text_format(run->name, sizeof run->name, "%s", name);
    run->state = (enum run_state)state;
    run->start_ms = sqlite3_column_int64(select, 2);
    run->stop_ms = sqlite3_column_int64(select, 3);
    if (!is_time(run->start_ms) || !is_time(run->stop_ms))
        return SQLITE_CORRUPT;
    if (reading->directory && !(*reading->directory = text_of(select, 4)))
        return SQLITE_NOMEM;
    return run->state == RUN_STARTED || run->start_ms <= run->stop_ms ? SQLITE_ROW : SQLITE_CORRUPT;
}

static int take_tag(struct reading *reading, sqlite3_stmt *select)
{
    struct run *run = reading->run;
    if (run->n_tags == RUN_TAGS_MAX)
        return SQLITE_CORRUPT;
    struct run_tag *tag = &run->tags[run->n_tags++];
    *tag = (struct run_tag){text_of(select, 0), text_of(select, 1)};
    return tag->key && tag->value ? SQLITE_ROW : SQLITE_NOMEM;
}

static int take_node(struct reading *reading, sqlite3_stmt *select)
{
    struct run *run = reading->run;
    void *nodes = run_grow(run->nodes, run->n_nodes, &run->room_nodes, sizeof *run->nodes);
    if (!nodes)
        return SQLITE_NOMEM;
    run->nodes = nodes;
    struct run_node *node = &run->nodes[run->n_nodes++];
    *node =
        (struct run_node){text_of(select, 0), text_of(select, 1), sqlite3_column_int64(select, 2)};
    return !node->path || !node->name ? SQLITE_NOMEM
           : is_time(node->last_ms)   ? SQLITE_ROW
                                      : SQLITE_CORRUPT;
}

static int take_series(struct reading *reading, sqlite3_stmt *select)
{
    struct run *run = reading->run;
    void *list = run_grow(run->series, run->n_series, &run->room_series, sizeof *run->series);
    if (!list)
        return SQLITE_NOMEM;
    run->series = list;
    list = run_grow(reading->places, reading->n_places, &reading->room_places,
                    sizeof *reading->places);
    if (!list)
        return SQLITE_NOMEM;
    reading->places = list;
    reading->places[reading->n_places].id = sqlite3_column_int64(select, 0);
    reading->places[reading->n_places++].place = run->n_series;
    struct run_series *series = &run->series[run->n_series++];
    *series = (struct run_series){.node = text_of(select, 1),
                                  .sensor = text_of(select, 2),
                                  .instance = text_of(select, 3),
                                  .metric = text_of(select, 4),
                                  .unit = text_of(select, 5)};
    return series->node && series->sensor && series->instance && series->metric && series->unit
               ? SQLITE_ROW
               : SQLITE_NOMEM;
}

/* Returns NULL if there is no such series. */
static struct run_series *series_of(struct reading *reading, sqlite3_stmt *select)
{
    int64_t id = sqlite3_column_int64(select, 0);
    size_t low = 0, high = reading->n_places;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (reading->places[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < reading->n_places && reading->places[low].id == id
               ? &reading->run->series[reading->places[low].place]
               : NULL;
}

static int add_point(struct run_series *series, const struct point *point)
{
    if (point->result.state != RESULT_VALID) {
        series->n_gaps++;
        return SQLITE_ROW;
    }
    if (!isfinite(point->result.value) || !is_time(point->wall_ms))
        return SQLITE_CORRUPT;
    void *points =
        run_grow(series->points, series->n_points, &series->room_points, sizeof *series->points);
    if (!points)
        return SQLITE_NOMEM;
    series->points = points;
    series->points[series->n_points++] = (struct run_point){point->wall_ms, point->result.value};
    return SQLITE_ROW;
}

static int take_points(struct reading *reading, sqlite3_stmt *select)
{
    struct point points[POINTS_MAX];
    size_t n = 0;
    struct run_series *series = series_of(reading, select);
    if (!series || points_unpack(sqlite3_column_blob(select, 1),
                                 (size_t)sqlite3_column_bytes(select, 1), points, &n))
        return SQLITE_CORRUPT;
    int code = SQLITE_ROW;
    for (size_t i = 0; i < n && code == SQLITE_ROW; i++)
        code = add_point(series, &points[i]);
    return code;
}

static bool is_sane(const struct statistics_window *window)
{
    return window->count > 0 && window->count <= INT64_MAX && isfinite(window->min) &&
           isfinite(window->max) && isfinite(window->mean) && isfinite(window->m2) &&
           window->min <= window->mean && window->mean <= window->max && window->m2 >= 0;
}

static int take_minute(struct reading *reading, sqlite3_stmt *select)
{
    struct run_series *series = series_of(reading, select);
    struct run_minute minute = {.start_ms = sqlite3_column_int64(select, 1),
                                .window = {.count = (uint64_t)sqlite3_column_int64(select, 2),
                                           .min = sqlite3_column_double(select, 3),
                                           .max = sqlite3_column_double(select, 4),
                                           .mean = sqlite3_column_double(select, 5),
                                           .m2 = sqlite3_column_double(select, 6)}};
    const char *why;
    if (!series || !is_time(minute.start_ms) || !is_sane(&minute.window))
        return SQLITE_CORRUPT;
    void *minutes = run_grow(series->minutes, series->n_minutes, &series->room_minutes,
                             sizeof *series->minutes);
    if (!minutes)
        return SQLITE_NOMEM;
    series->minutes = minutes;
    int len = sqlite3_column_bytes(select, 7);
    int error = len ? histogram_unpack(&minute.window.histogram, sqlite3_column_blob(select, 7),
                                       (size_t)len, &why)
                    : 0;
    if (error)
        return error == ENOMEM ? SQLITE_NOMEM : SQLITE_CORRUPT;
    series->minutes[series->n_minutes++] = minute;
    return SQLITE_ROW;
}

static int64_t known_or_none(sqlite3_stmt *select, int column)
{
    bool is_known = sqlite3_column_type(select, column) == SQLITE_INTEGER;
    return is_known ? sqlite3_column_int64(select, column) : -1;
}

static int take_record(struct reading *reading, sqlite3_stmt *select)
{
    struct run_series *series = series_of(reading, select);
    int64_t start_ns = sqlite3_column_int64(select, 1);
    int64_t duration_ns = sqlite3_column_int64(select, 2);
    if (!series || duration_ns < 0 || start_ns < 0)
        return SQLITE_CORRUPT;
    void *records = run_grow(series->records, series->n_records, &series->room_records,
                             sizeof *series->records);
    if (!records)
        return SQLITE_NOMEM;
    series->records = records;
    series->records[series->n_records++] =
        (struct run_record){.start_ns = start_ns,
                            .seconds = (double)duration_ns * 1e-9,
                            .result = (int32_t)sqlite3_column_int64(select, 3),
                            .cpu_ns = known_or_none(select, 4),
                            .allocated = known_or_none(select, 5)};
    return SQLITE_ROW;
}

static int read_measured(struct reading *reading)
{
    static const struct {
        const char *sql;
        take_fn *take;
    } parts[] = {
        {"SELECT path, name, last FROM node ORDER BY path", take_node},
        {"SELECT id, node, sensor, instance, metric, unit FROM series ORDER BY id", take_series},
        {"SELECT series, octets FROM points ORDER BY rowid", take_points},
        {"SELECT series, start, count, min, max, mean, m2, histogram FROM minute ORDER BY rowid",
         take_minute},
        {"SELECT series, start, duration, result, cpu, allocated FROM record ORDER BY rowid",
         take_record},
    };
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && code == SQLITE_OK; i++)
        code = each_row(reading, parts[i].sql, parts[i].take);
    return code;
}

bool run_file_read(struct run_file *file, bool all, struct run *run, char **directory,
                   char error[RUN_ERROR_SIZE])
{
    struct reading reading = {.file = file, .run = run, .directory = directory};
    *run = (struct run){0};
    if (directory)
        *directory = NULL;
    int code =
        each_row(&reading, "SELECT name, state, start, stop, directory FROM run LIMIT 1", take_run);
    if (code == SQLITE_OK && !run->name[0])
        code = SQLITE_CORRUPT;
    if (code == SQLITE_OK)
        code = each_row(&reading, "SELECT key, value FROM tag ORDER BY key", take_tag);
    if (code == SQLITE_OK && all)
        code = read_measured(&reading);
    free(reading.places);
    return code == SQLITE_OK || complain(file, code, error);
}
