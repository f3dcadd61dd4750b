#include "publish/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "publish/places.h"
#include "publish/tiers.h"
#include "publish/undigested.h"

/* A chunk begins at most this long before the last of its points, since it is of one day. */
#define CHUNK_MS DAY_MS

/* One file, and its connection if it was needed already. */
struct history_file {
    char name[DATABASE_NAME_SIZE];
    int64_t end_ms; /* of its month */
    sqlite3 *db;
    struct statements sql; /* of the connection */
    struct undigested undigested;
    bool is_frozen; /* when it was opened, nobody had it open for writing, and it was: */
    struct database_stamp stamp;
};

/* How often a question is asked anew because a file was written while it was read. */
#define QUESTION_TRIES 5

/* How many rows are kept for the next question: enough for a day, in minutes. */
#define SPARE_ROWS 32

struct history {
    struct history_file *files;
    size_t n, room;
    struct row *spare[SPARE_ROWS];
    size_t n_spare;
    int error;     /* of listing the files, and then of the last question */
    size_t n_read; /* files that the last question has read */
    char fault[HISTORY_FAULT_SIZE];
    char directory[];
};

/* A row of cells, of all files. */
struct row {
    int64_t start_ms;
    struct cells cells;
};

/* What was found so far. */
struct reader {
    struct history *history;
    const struct history_question *question;
    const struct tier *tier; /* NULL: points are asked for */
    struct digest digest;
    struct row **rows; /* ascending */
    size_t n_rows, room_rows;
    int error;
};

/* A series that is meant. Series of nodes of other engines, or boots, under the same names are
 * separate ones in the tables. */
struct meant {
    int64_t source, series;
    char path[2 * ALARM_PATH_SIZE]; /* of the node, if others relay it; "": it speaks for itself */
};

/* One file. */
struct file_reader {
    struct reader *reader;
    sqlite3 *db;
    struct statements *sql;
    struct undigested *undigested;
    struct meant *meant;
    size_t n_meant;
    int64_t relayed; /* the series that is looked for in the streams of nodes above */
    int code;        /* what SQLite said */
};

/* In what was digested, all series that are meant have this id. */
#define SERIES 1

/* -- Rows ------------------------------------------------------------------------------------ */

/* NULL: no memory. */
static struct row *new_row(struct history *history)
{
    if (history->n_spare == 0)
        return calloc(1, sizeof(struct row));
    struct row *row = history->spare[--history->n_spare];
    memset(row, 0, sizeof *row);
    return row;
}

static void free_row(struct history *history, struct row *row)
{
    cells_release(&row->cells);
    if (history->n_spare < SPARE_ROWS)
        history->spare[history->n_spare++] = row;
    else
        free(row);
}

/* NULL: no memory. */
static struct cells *row_at(struct reader *reader, int64_t start_ms)
{
    size_t place = reader->n_rows;
    while (place > 0 && reader->rows[place - 1]->start_ms > start_ms)
        place--;
    if (place > 0 && reader->rows[place - 1]->start_ms == start_ms)
        return &reader->rows[place - 1]->cells;
    if (reader->n_rows == reader->room_rows) {
        size_t room = reader->room_rows ? 2 * reader->room_rows : 16;
        void *larger = reallocarray(reader->rows, room, sizeof(struct row *));
        if (!larger)
            return NULL;
        reader->rows = larger;
        reader->room_rows = room;
    }
    struct row *row = new_row(reader->history);
    if (!row)
        return NULL;
    row->start_ms = start_ms;
    memmove(reader->rows + place + 1, reader->rows + place,
            (reader->n_rows - place) * sizeof(struct row *));
    reader->rows[place] = row;
    reader->n_rows++;
    return &row->cells;
}

static void release(struct reader *reader)
{
    for (size_t i = 0; i < reader->n_rows; i++)
        free_row(reader->history, reader->rows[i]);
    free(reader->rows);
    digest_release(&reader->digest);
}

/* A history_again_fn. */
static void forget(void *context)
{
    struct reader *reader = context;
    const struct digest was = reader->digest;
    release(reader);
    reader->digest = (struct digest){.from_ms = was.from_ms, .to_ms = was.to_ms};
    reader->rows = NULL;
    reader->n_rows = reader->room_rows = 0;
    reader->error = 0;
}

/* -- One file -------------------------------------------------------------------------------- */

static void note(struct reader *reader, int error)
{
    if (error && reader->error != ENOMEM)
        reader->error = error;
}

/* Runs a statement whose parameters are bound, and resets it; an error is noted. */
static void each_row(struct file_reader *file, sqlite3_stmt *select, int code,
                     void (*take)(struct file_reader *file, sqlite3_stmt *select))
{
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        take(file, select);
        code = SQLITE_OK;
    }
    sqlite3_reset(select);
    if (code != SQLITE_DONE)
        file->code = code;
}

/* NULL: no memory, which is noted. */
static void *grown(struct file_reader *file, void *array, size_t n, size_t size)
{
    void *larger = reallocarray(array, n + 1, size);
    note(file->reader, larger ? 0 : ENOMEM);
    return larger;
}

static void take_series(struct file_reader *file, sqlite3_stmt *select)
{
    struct meant *larger = grown(file, file->meant, file->n_meant, sizeof *file->meant);
    if (!larger)
        return;
    file->meant = larger;
    const char *path = (const char *)sqlite3_column_text(select, 2);
    bool is_relayed = sqlite3_column_int(select, 3);
    struct meant *meant = &larger[file->n_meant++];
    *meant = (struct meant){sqlite3_column_int64(select, 0), sqlite3_column_int64(select, 1), ""};
    text_format(meant->path, sizeof meant->path, "%s", is_relayed && path ? path : "");
}

/* The path of the node that writes the history is empty. It can also be asked for by its name,
 * unless that is the path of another node. */
static void find_series(struct file_reader *file)
{
    const struct history_question *question = file->reader->question;
    sqlite3_stmt *select = statements_get(
        file->sql, "SELECT source.id, series.id, path, length(engine) = 0 FROM source JOIN series "
                   "ON series.source = source.id"
                   " WHERE (path = ?1 OR (path = '' AND name = ?1 AND NOT EXISTS"
                   " (SELECT 1 FROM source WHERE path = ?1))) AND sensor = ?2 AND instance = ?3");
    each_row(file, select,
             database_bind(select, "ttt", question->path, question->sensor, question->instance),
             take_series);
}

static void take_chunk(struct file_reader *file, sqlite3_stmt *select)
{
    struct point points[POINTS_MAX];
    size_t n = 0;
    struct reader *reader = file->reader;
    const char *fault = points_unpack(sqlite3_column_blob(select, 0),
                                      (size_t)sqlite3_column_bytes(select, 0), points, &n);
    note(reader, fault ? EBADMSG : 0);
    for (size_t i = 0; !fault && i < n; i++)
        if (points[i].wall_ms >= reader->question->from_ms &&
            points[i].wall_ms <= reader->question->to_ms)
            note(reader, digest_sample(&reader->digest, SERIES, &points[i]));
}

static void read_day(struct file_reader *file, const char *table)
{
    const struct history_question *question = file->reader->question;
    sqlite3_stmt *select = database_prepare(
        file->db, "SELECT points FROM %s WHERE series = ? AND start BETWEEN ? AND ?", table);
    for (size_t i = 0; i < file->n_meant; i++)
        each_row(file, select,
                 database_bind(select, "iii", file->meant[i].series, question->from_ms - CHUNK_MS,
                               question->to_ms),
                 take_chunk);
    sqlite3_finalize(select);
}

/* Reads the tables of days that may have something of the range; there are few. */
static void take_table(struct file_reader *file, sqlite3_stmt *select)
{
    const struct history_question *question = file->reader->question;
    const char *table = (const char *)sqlite3_column_text(select, 0);
    int64_t end_ms;
    if (table && database_day_end(table, &end_ms) && end_ms > question->from_ms &&
        end_ms - DAY_MS <= question->to_ms)
        read_day(file, table);
}

static void read_days(struct file_reader *file)
{
    sqlite3_stmt *select = statements_get(
        file->sql, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'raw_*'"
                   " ORDER BY name");
    each_row(file, select, select ? SQLITE_OK : SQLITE_ERROR, take_table);
}

static void take_cells(struct file_reader *file, sqlite3_stmt *select)
{
    const char *why;
    struct cells *cells = row_at(file->reader, sqlite3_column_int64(select, 0));
    int (*add)(struct cells *, const uint8_t *, size_t, const char **) =
        file->reader->question->only_moments ? cells_add_moments : cells_add;
    note(file->reader, cells ? add(cells, sqlite3_column_blob(select, 1),
                                   (size_t)sqlite3_column_bytes(select, 1), &why)
                             : ENOMEM);
}

static void read_tier(struct file_reader *file)
{
    static const char of_minutes[] =
        "SELECT start, cells FROM minute WHERE series = ? AND start BETWEEN ? AND ?";
    static const char of_hours[] =
        "SELECT start, cells FROM hour WHERE series = ? AND start BETWEEN ? AND ?";
    const struct history_question *question = file->reader->question;
    const struct tier *tier = file->reader->tier;
    if (!database_has_table(file->db, tier->table))
        return;
    sqlite3_stmt *select = statements_get(file->sql, tier == &tier_minute ? of_minutes : of_hours);
    for (size_t i = 0; i < file->n_meant; i++)
        each_row(file, select,
                 database_bind(select, "iii", file->meant[i].series,
                               database_floor(question->from_ms, tier->row_ms), question->to_ms),
                 take_cells);
}

static void take_waiting(struct reader *reader, const struct digest *waiting, int64_t series)
{
    struct digest *digest = &reader->digest;
    size_t i = places_of_id(waiting->samples, waiting->n_samples, sizeof *waiting->samples, series);
    for (; i < waiting->n_samples && waiting->samples[i].series == series; i++) {
        const struct point *point = &waiting->samples[i].point;
        if (point->wall_ms >= digest->from_ms && point->wall_ms <= digest->to_ms)
            note(reader, digest_sample(digest, SERIES, point));
    }
    i = places_of_id(waiting->windows, waiting->n_windows, sizeof *waiting->windows, series);
    for (; i < waiting->n_windows && waiting->windows[i].series == series; i++) {
        const struct digest_window *window = &waiting->windows[i];
        if (window->wall_ms >= digest->from_ms && window->wall_ms <= digest->to_ms)
            note(reader, digest_window(digest, SERIES, window, !reader->question->only_moments));
    }
}

/* Takes what waits in the streams of a source. */
static void read_waiting(struct file_reader *file, int64_t source, int64_t series)
{
    int code;
    const struct digest *waiting =
        undigested_of(file->undigested, file->sql, source, series, &code);
    if (waiting)
        take_waiting(file->reader, waiting, series);
    else
        file->code = code;
}

static void take_relaying(struct file_reader *file, sqlite3_stmt *select)
{
    read_waiting(file, sqlite3_column_int64(select, 0), file->relayed);
}

/* What a node has not told here itself is in the streams of the nodes above it. */
static void read_relayed(struct file_reader *file, const struct meant *meant)
{
    char path[sizeof meant->path], *slash;
    text_format(path, sizeof path, "%s", meant->path);
    file->relayed = meant->series;
    while ((slash = strrchr(path, '/')) != NULL) {
        *slash = '\0';
        sqlite3_stmt *select = statements_get(file->sql, "SELECT id FROM source WHERE path = ?");
        each_row(file, select, database_bind(select, "t", path), take_relaying);
    }
}

static void read_inbox(struct file_reader *file)
{
    for (size_t i = 0; i < file->n_meant; i++) {
        read_waiting(file, file->meant[i].source, file->meant[i].series);
        read_relayed(file, &file->meant[i]);
    }
}

/* -- Files ----------------------------------------------------------------------------------- */

static void path_of(const struct history *history, const struct history_file *file,
                    char path[DATABASE_PATH_SIZE])
{
    text_format(path, DATABASE_PATH_SIZE, "%s/%s", history->directory, file->name);
}

static void disconnect(struct history_file *file)
{
    statements_release(&file->sql);
    undigested_release(&file->undigested);
    database_close(file->db);
    file->db = NULL;
}

static int connect(const struct history *history, struct history_file *file)
{
    char path[DATABASE_PATH_SIZE];
    if (file->db)
        return SQLITE_OK;
    path_of(history, file, path);
    int code = database_read(path, &file->db, &file->is_frozen, &file->stamp);
    file->sql = (struct statements){.db = file->db};
    if (code != SQLITE_OK)
        disconnect(file);
    return code;
}

/* Why a file cannot be opened: one of the files that belong to it may be the reason. */
static const char *reason_of(const struct history *history, const struct history_file *file,
                             int code)
{
    static const char *const ends[] = {"", "-wal", "-shm"};
    char path[DATABASE_PATH_SIZE], name[DATABASE_PATH_SIZE + 8];
    path_of(history, file, path);
    for (size_t i = 0; code == SQLITE_CANTOPEN && i < sizeof ends / sizeof *ends; i++) {
        text_format(name, sizeof name, "%s%s", path, ends[i]);
        if (access(name, R_OK) != 0 && (errno == EACCES || i == 0))
            return strerror(errno);
    }
    return code == SQLITE_CANTOPEN   ? "it has a -wal, and no -shm beside it"
           : code == SQLITE_MISMATCH ? "written by another version of dCAMP"
           : code == SQLITE_NOTADB   ? "no file of a history"
                                     : sqlite3_errstr(code);
}

/* Only the first fault is told: it is likely to be the reason for the others. */
static void note_file(struct history *history, const struct history_file *file, int code)
{
    history->n_read += code == SQLITE_OK;
    if (code == SQLITE_OK)
        return;
    if (!history->fault[0] && database_errno(code) != ENOMEM)
        text_format(history->fault, sizeof history->fault, "%s: %s", file->name,
                    reason_of(history, file, code));
    if (history->error != ENOMEM)
        history->error = database_errno(code);
}

/* Only the inbox of the newest file is read: an older one may have the same blocks
 * (publish/chronicle.c). */
static bool is_newest(const struct history *history, const struct history_file *file)
{
    for (size_t i = 0; i < history->n; i++)
        if (history->files[i].end_ms > file->end_ms)
            return false;
    return true;
}

/* A file is read as it was at one moment. What came in a month may be of earlier months, not of
 * later ones. False: it was written meanwhile, though nobody had it open for writing when it was
 * opened. */
static bool visit(struct history *history, struct history_file *file, int64_t from_ms,
                  history_file_fn *each, void *context)
{
    char path[DATABASE_PATH_SIZE];
    if (file->end_ms + HOUR_MS <= from_ms)
        return true;
    int code = connect(history, file);
    if (code == SQLITE_OK)
        code = statements_run(&file->sql, "BEGIN", "");
    if (code == SQLITE_OK) {
        code = each(context, file->db, is_newest(history, file));
        int end = statements_run(&file->sql, "COMMIT", "");
        code = code == SQLITE_OK ? end : code;
    }
    path_of(history, file, path);
    if (file->db && file->is_frozen && database_has_changed(path, &file->stamp)) {
        disconnect(file);
        return false;
    }
    note_file(history, file, code);
    return true;
}

int history_each_file(struct history *history, int64_t from_ms, history_file_fn *each,
                      history_again_fn *again, void *context)
{
    for (int tries = 0; tries < QUESTION_TRIES; tries++) {
        bool is_whole = true;
        history->error = 0;
        history->n_read = 0;
        history->fault[0] = '\0';
        for (size_t i = 0; i < history->n && is_whole; i++)
            is_whole = visit(history, &history->files[i], from_ms, each, context);
        if (is_whole)
            return history->error;
        again(context);
    }
    text_format(history->fault, sizeof history->fault, "files change while they are read");
    return EBUSY;
}

const char *history_fault(const struct history *history)
{
    return history->fault;
}

bool history_has_read(const struct history *history)
{
    return history->n_read > 0;
}

static struct history_file *file_of(struct history *history, const sqlite3 *db)
{
    struct history_file *file = history->files;
    while (file->db != db)
        file++;
    return file;
}

/* A history_file_fn. */
static int read_file(void *context, sqlite3 *db, bool is_newest)
{
    struct reader *reader = context;
    struct history_file *is = file_of(reader->history, db);
    struct file_reader file = {.reader = reader,
                               .db = db,
                               .sql = &is->sql,
                               .undigested = &is->undigested,
                               .code = SQLITE_OK};
    find_series(&file);
    if (file.reader->tier)
        read_tier(&file);
    else
        read_days(&file);
    if (is_newest)
        read_inbox(&file);
    free(file.meant);
    return file.code;
}

/* -- All files ------------------------------------------------------------------------------- */

/* A database_file_fn. */
static void list_file(void *context, const char *name, int64_t end_ms)
{
    struct history *history = context;
    if (history->n == history->room) {
        size_t room = history->room ? 2 * history->room : 8;
        void *larger = reallocarray(history->files, room, sizeof *history->files);
        if (!larger) {
            history->error = ENOMEM;
            return;
        }
        history->files = larger;
        history->room = room;
    }
    struct history_file *file = &history->files[history->n++];
    *file = (struct history_file){.end_ms = end_ms};
    text_format(file->name, sizeof file->name, "%s", name);
}

/* The oldest first, so that most of what is read is in the order of its times. */
static int order_files(const void *a, const void *b)
{
    const struct history_file *one = a, *other = b;
    return (one->end_ms > other->end_ms) - (one->end_ms < other->end_ms);
}

struct history *history_open(const char *directory, int *error)
{
    size_t size = strlen(directory) + 1;
    struct history *history = calloc(1, sizeof *history + size);
    *error = ENOMEM;
    if (!history)
        return NULL;
    memcpy(history->directory, directory, size);
    *error = database_each_file(directory, list_file, history);
    if (!*error)
        *error = history->error;
    if (history->n > 0)
        qsort(history->files, history->n, sizeof *history->files, order_files);
    if (!*error)
        return history;
    history_close(history);
    return NULL;
}

void history_close(struct history *history)
{
    if (!history)
        return;
    for (size_t i = 0; i < history->n; i++)
        disconnect(&history->files[i]);
    for (size_t i = 0; i < history->n_spare; i++)
        free(history->spare[i]);
    free(history->files);
    free(history);
}

/* For cells, the range is extended so that each cell is complete. */
static void read_all(struct reader *reader)
{
    const struct history_question *question = reader->question;
    reader->digest.from_ms = question->from_ms;
    reader->digest.to_ms = question->to_ms;
    if (reader->tier) {
        reader->digest.from_ms = database_floor(question->from_ms, reader->tier->row_ms);
        reader->digest.to_ms = INT64_MAX;
    }
    note(reader, history_each_file(reader->history, question->from_ms, read_file, forget, reader));
    digest_end(&reader->digest);
}

int history_points(struct history *history, const struct history_question *question,
                   history_point_fn *each, void *context)
{
    struct reader reader = {.history = history, .question = question};
    read_all(&reader);
    for (size_t i = 0; i < reader.digest.n_samples; i++)
        each(context, &reader.digest.samples[i].point);
    release(&reader);
    return reader.error;
}

/* The ids of a series differ from file to file only if one file was broken: then the cells of the
 * inbox of one do not follow each other, which does not matter. */
static void count_inbox(struct reader *reader)
{
    const struct digest *digest = &reader->digest;
    size_t sample = 0, window = 0;
    int64_t series, start_ms;
    while (reader->error != ENOMEM &&
           tiers_next(digest, reader->tier, sample, window, &series, &start_ms)) {
        struct cells *cells = row_at(reader, start_ms);
        note(reader,
             cells ? tiers_count(digest, reader->tier, series, start_ms, &sample, &window, cells)
                   : ENOMEM);
    }
}

int history_cells(struct history *history, const struct history_question *question,
                  const struct tier *tier, history_cell_fn *each, void *context)
{
    struct reader reader = {.history = history, .question = question, .tier = tier};
    read_all(&reader);
    count_inbox(&reader);
    for (size_t i = 0; i < reader.n_rows; i++)
        for (int c = 0; c < CELLS_MAX && c < tier->row_ms / tier->cell_ms; c++) {
            const struct statistics_window *statistics =
                cell_statistics(&reader.rows[i]->cells.at[c]);
            int64_t start_ms = reader.rows[i]->start_ms + c * tier->cell_ms;
            if (statistics->count > 0 && start_ms + tier->cell_ms > question->from_ms &&
                start_ms <= question->to_ms)
                each(context, start_ms, statistics);
        }
    release(&reader);
    return reader.error;
}
