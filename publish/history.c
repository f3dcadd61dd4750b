#include "publish/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/tiers.h"

/* A chunk begins at most so long before the last of its points: it is of one day. */
#define CHUNK_MS DAY_MS

/* One file, and its connection once it was needed. */
struct history_file {
    char name[DATABASE_NAME_SIZE];
    int64_t end_ms; /* of its month */
    sqlite3 *db;
};

struct history {
    struct history_file *files;
    size_t n, room;
    int error; /* while they are listed */
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

/* One file. */
struct file_reader {
    struct reader *reader;
    sqlite3 *db;
    int64_t source, series;
    uint32_t *names; /* of the series: boot and number, ascending */
    size_t n_names;
};

/* -- Rows ------------------------------------------------------------------------------------ */

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
    struct row *row = calloc(1, sizeof *row);
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
    for (size_t i = 0; i < reader->n_rows; i++) {
        cells_release(&reader->rows[i]->cells);
        free(reader->rows[i]);
    }
    free(reader->rows);
    digest_release(&reader->digest);
}

/* -- One file -------------------------------------------------------------------------------- */

static void note(struct reader *reader, int error)
{
    if (error && reader->error != ENOMEM)
        reader->error = error;
}

/* Runs a statement whose first parameters are bound; what is wrong is noted. */
static void each_row(struct file_reader *file, sqlite3_stmt *select, int code,
                     void (*take)(struct file_reader *file, sqlite3_stmt *select))
{
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        take(file, select);
        code = SQLITE_OK;
    }
    sqlite3_finalize(select);
    if (code != SQLITE_DONE)
        note(file->reader, database_errno(code));
}

static void take_series(struct file_reader *file, sqlite3_stmt *select)
{
    file->source = sqlite3_column_int64(select, 0);
    file->series = sqlite3_column_int64(select, 1);
}

static void find_series(struct file_reader *file)
{
    const struct history_question *question = file->reader->question;
    sqlite3_stmt *select = database_prepare(
        file->db,
        "SELECT source.id, series.id FROM source JOIN series ON series.source = source.id"
        " WHERE path = ? AND sensor = ? AND instance = ?%s",
        "");
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
            note(reader, digest_sample(&reader->digest, file->series, &points[i]));
}

static bool has_table(sqlite3 *db, const char *table)
{
    return sqlite3_table_column_metadata(db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

static void read_day(struct file_reader *file, const char *table)
{
    const struct history_question *question = file->reader->question;
    sqlite3_stmt *select = database_prepare(
        file->db, "SELECT points FROM %s WHERE series = ? AND start BETWEEN ? AND ?", table);
    each_row(
        file, select,
        database_bind(select, "iii", file->series, question->from_ms - CHUNK_MS, question->to_ms),
        take_chunk);
}

/* The tables of days that may have some of it: there are few. */
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
    sqlite3_stmt *select = database_prepare(
        file->db, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'raw_*'%s",
        "");
    each_row(file, select, select ? SQLITE_OK : SQLITE_ERROR, take_table);
}

static void take_cells(struct file_reader *file, sqlite3_stmt *select)
{
    const char *why;
    struct cells *cells = row_at(file->reader, sqlite3_column_int64(select, 0));
    note(file->reader, cells ? cells_add(cells, sqlite3_column_blob(select, 1),
                                         (size_t)sqlite3_column_bytes(select, 1), &why)
                             : ENOMEM);
}

static void read_tier(struct file_reader *file)
{
    const struct history_question *question = file->reader->question;
    const struct tier *tier = file->reader->tier;
    if (!has_table(file->db, tier->table))
        return;
    sqlite3_stmt *select = database_prepare(
        file->db, "SELECT start, cells FROM %s WHERE series = ? AND start BETWEEN ? AND ?",
        tier->table);
    each_row(file, select,
             database_bind(select, "iii", file->series,
                           database_floor(question->from_ms, tier->row_ms), question->to_ms),
             take_cells);
}

static void take_name(struct file_reader *file, sqlite3_stmt *select)
{
    uint32_t *larger = reallocarray(file->names, file->n_names + 1, 2 * sizeof *file->names);
    if (!larger) {
        note(file->reader, ENOMEM);
        return;
    }
    file->names = larger;
    larger[2 * file->n_names] = (uint32_t)sqlite3_column_int64(select, 0);
    larger[2 * file->n_names + 1] = (uint32_t)sqlite3_column_int64(select, 1);
    file->n_names++;
}

/* A digest_name_fn: of a series there are few numbers. */
static int64_t meaning_of(const void *context, uint32_t boot, uint32_t number)
{
    const struct file_reader *file = context;
    for (size_t i = 0; i < file->n_names; i++)
        if (file->names[2 * i] == boot && file->names[2 * i + 1] == number)
            return file->series;
    return 0;
}

static void take_block(struct file_reader *file, sqlite3_stmt *select)
{
    int error = digest_block(&file->reader->digest, sqlite3_column_blob(select, 0),
                             (size_t)sqlite3_column_bytes(select, 0), meaning_of, file);
    note(file->reader, error == EBADMSG ? 0 : error);
}

static void read_inbox(struct file_reader *file)
{
    sqlite3_stmt *select = database_prepare(
        file->db, "SELECT boot, number FROM name WHERE source = ? AND series = ?%s", "");
    each_row(file, select, database_bind(select, "ii", file->source, file->series), take_name);
    select = database_prepare(
        file->db, "SELECT block FROM inbox WHERE source = ? ORDER BY boot, number%s", "");
    each_row(file, select, database_bind(select, "i", file->source), take_block);
    free(file->names);
}

static int connect(const struct history *history, struct history_file *file)
{
    char path[DATABASE_PATH_SIZE];
    if (file->db)
        return SQLITE_OK;
    text_format(path, sizeof path, "%s/%s", history->directory, file->name);
    int code = database_open(path, false, &file->db);
    if (code == SQLITE_OK)
        return code;
    database_close(file->db);
    file->db = NULL;
    return code;
}

/* What came in a month may be of earlier ones, not of later ones. All of a file is read as it was
 * at one moment. */
static void read_file(struct reader *reader, struct history_file *of)
{
    if (of->end_ms + HOUR_MS <= reader->question->from_ms)
        return;
    int code = connect(reader->history, of);
    struct file_reader file = {.reader = reader, .db = of->db};
    if (code == SQLITE_OK)
        code = database_run(file.db, "BEGIN");
    if (code == SQLITE_OK) {
        find_series(&file);
        if (file.series && reader->tier)
            read_tier(&file);
        else if (file.series)
            read_days(&file);
        if (file.series)
            read_inbox(&file);
        code = database_run(file.db, "COMMIT");
    }
    note(reader, database_errno(code));
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
        database_close(history->files[i].db);
    free(history->files);
    free(history);
}

/* What is asked for of cells is all of a cell. */
static void read_all(struct reader *reader)
{
    const struct history_question *question = reader->question;
    reader->digest.from_ms = question->from_ms;
    reader->digest.to_ms = question->to_ms;
    if (reader->tier) {
        reader->digest.from_ms = database_floor(question->from_ms, reader->tier->row_ms);
        reader->digest.to_ms = INT64_MAX;
    }
    for (size_t i = 0; i < reader->history->n; i++)
        read_file(reader, &reader->history->files[i]);
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

/* The numbers of the series differ from file to file only if one was broken: then the cells of the
 * inbox of one do not follow each other, which does not matter. */
static void count_inbox(struct reader *reader)
{
    const struct digest *digest = &reader->digest;
    size_t sample = 0, window = 0;
    int64_t series, start_ms;
    while (!reader->error && tiers_next(digest, reader->tier, sample, window, &series, &start_ms)) {
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
