#include "publish/tiers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* -- Chunks ---------------------------------------------------------------------------------- */

/* The key of a chunk is when it begins, or less if another chunk of the series has that key. */
static int insert_chunk(sqlite3 *db, sqlite3_stmt *insert, int64_t series, int64_t start,
                        const uint8_t *octets, size_t len)
{
    for (;; start--) {
        int code = database_bind(insert, "iib", series, start, octets, len);
        if (code == SQLITE_OK)
            code = database_finish(insert);
        if (code != SQLITE_OK || sqlite3_changes(db) == 1)
            return code;
    }
}

/* The end of the samples from i on that belong in one chunk: one series, one day. */
static size_t end_of_chunk(const struct digest *digest, size_t i)
{
    const struct digest_point *first = &digest->samples[i];
    int64_t day_ms = database_floor(first->point.wall_ms, DAY_MS);
    size_t end = i + 1;
    while (end < digest->n_samples && end - i < POINTS_MAX &&
           digest->samples[end].series == first->series &&
           digest->samples[end].point.wall_ms < day_ms + DAY_MS)
        end++;
    return end;
}

static int write_chunk(sqlite3 *db, sqlite3_stmt *insert, const struct digest_point *samples,
                       size_t n, struct points_times *times)
{
    struct point points[POINTS_MAX];
    uint8_t octets[POINTS_OCTETS_MAX];
    for (size_t i = 0; i < n; i++)
        points[i] = samples[i].point;
    size_t len = points_pack_next(points, n, octets, times);
    return insert_chunk(db, insert, samples->series, points->wall_ms, octets, len);
}

static int prepare_day(sqlite3 *db, int64_t day_ms, sqlite3_stmt **insert)
{
    char name[DATABASE_NAME_SIZE];
    database_day_name(day_ms, name);
    sqlite3_stmt *create = database_prepare(
        db,
        "CREATE TABLE IF NOT EXISTS %s(series INTEGER, start INTEGER, points BLOB NOT NULL,"
        " PRIMARY KEY(series, start))",
        name);
    int code = create ? database_finish(create) : sqlite3_errcode(db);
    sqlite3_finalize(create);
    if (code != SQLITE_OK)
        return code;
    *insert = database_prepare(db, "INSERT OR IGNORE INTO %s VALUES(?, ?, ?)", name);
    return *insert ? SQLITE_OK : sqlite3_errcode(db);
}

/* Writes the chunks of one day, so that its table is prepared once. */
static int write_day(sqlite3 *db, const struct digest *digest, int64_t day_ms)
{
    sqlite3_stmt *insert = NULL;
    struct points_times times;
    int code = prepare_day(db, day_ms, &insert);
    times.n = 0;
    for (size_t i = 0, end; code == SQLITE_OK && i < digest->n_samples; i = end) {
        end = end_of_chunk(digest, i);
        if (database_floor(digest->samples[i].point.wall_ms, DAY_MS) == day_ms)
            code = write_chunk(db, insert, &digest->samples[i], end - i, &times);
    }
    sqlite3_finalize(insert);
    return code;
}

/* The first day of samples that is not before a time; INT64_MAX: there is none. */
static int64_t next_day(const struct digest *digest, int64_t from_ms)
{
    int64_t next = INT64_MAX;
    for (size_t i = 0; i < digest->n_samples; i++) {
        int64_t wall_ms = digest->samples[i].point.wall_ms;
        if (wall_ms >= from_ms && wall_ms < next)
            next = database_floor(wall_ms, DAY_MS);
    }
    return next;
}

static int write_days(sqlite3 *db, const struct digest *digest, int64_t from_ms)
{
    int code = SQLITE_OK;
    int64_t day_ms = next_day(digest, database_floor(from_ms, DAY_MS));
    for (; code == SQLITE_OK && day_ms != INT64_MAX; day_ms = next_day(digest, day_ms + DAY_MS))
        code = write_day(db, digest, day_ms);
    return code;
}

/* -- Cells ----------------------------------------------------------------------------------- */

int64_t tiers_window_ms(const struct digest_window *window)
{
    return window->wall_ms - window->window_ms / 2;
}

static int count_value(struct cell *cell, const struct point *point)
{
    int error = 0;
    if (point->result.state == RESULT_VALID)
        error = statistics_window_add(&cell->values, point->result.value);
    return error == ENOMEM ? error : 0; /* a value that is too large is in no statistics */
}

static bool is_in_row(int64_t at_ms, const struct tier *tier, int64_t start_ms)
{
    return at_ms >= start_ms && at_ms < start_ms + tier->row_ms;
}

int tiers_count(const struct digest *digest, const struct tier *tier, int64_t series,
                int64_t start_ms, size_t *sample, size_t *window, struct cells *cells)
{
    int error = 0;
    for (; *sample < digest->n_samples && error == 0; ++*sample) {
        const struct digest_point *at = &digest->samples[*sample];
        if (at->series != series || !is_in_row(at->point.wall_ms, tier, start_ms))
            break;
        error = count_value(&cells->at[(at->point.wall_ms - start_ms) / tier->cell_ms], &at->point);
    }
    for (; *window < digest->n_windows && error == 0; ++*window) {
        const struct digest_window *at = &digest->windows[*window];
        int64_t at_ms = tiers_window_ms(at);
        if (at->series != series || !is_in_row(at_ms, tier, start_ms))
            break;
        error =
            statistics_merge(&cells->at[(at_ms - start_ms) / tier->cell_ms].windows, &at->window);
        if (error == EOVERFLOW)
            error = 0;
    }
    return error;
}

/* Adds a row as it is in the file. A broken row is not added, and this is logged: a new one is
 * begun. */
static int read_row(sqlite3_stmt *select, int64_t series, int64_t start_ms, struct cells *cells,
                    struct tiers *tiers)
{
    const char *why;
    int error = 0, code = database_bind(select, "ii", series, start_ms);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(select);
    if (code == SQLITE_ROW)
        error = cells_add(cells, sqlite3_column_blob(select, 0),
                          (size_t)sqlite3_column_bytes(select, 0), &why);
    sqlite3_reset(select);
    if (error == ENOMEM)
        return SQLITE_NOMEM;
    if (error == EBADMSG) {
        log_warning("history", "a row of series %lld is broken, and begun anew: %s",
                    (long long)series, why);
        tiers->broken_rows++;
        cells_release(cells);
        memset(cells, 0, sizeof *cells);
    }
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

static int replace_row(sqlite3_stmt *replace, int64_t series, int64_t start_ms,
                       const uint8_t *octets, size_t len)
{
    int code = database_bind(replace, "iib", series, start_ms, octets, len);
    return code == SQLITE_OK ? database_finish(replace) : code;
}

/* Most rows fit into this at once. */
#define ROW_OCTETS 16384

static int write_row(sqlite3_stmt *replace, int64_t series, int64_t start_ms,
                     const struct cells *cells)
{
    uint8_t octets[ROW_OCTETS];
    size_t len = cells_pack(cells, octets, sizeof octets);
    if (len + CELLS_SLACK <= sizeof octets)
        return replace_row(replace, series, start_ms, octets, len);
    uint8_t *more = malloc(len + CELLS_SLACK);
    if (!more)
        return SQLITE_NOMEM;
    cells_pack(cells, more, len + CELLS_SLACK);
    int code = replace_row(replace, series, start_ms, more, len);
    free(more);
    return code;
}

bool tiers_next(const struct digest *digest, const struct tier *tier, size_t sample, size_t window,
                int64_t *series, int64_t *start_ms)
{
    *series = *start_ms = INT64_MAX;
    if (sample < digest->n_samples) {
        *series = digest->samples[sample].series;
        *start_ms = database_floor(digest->samples[sample].point.wall_ms, tier->row_ms);
    }
    if (window < digest->n_windows) {
        const struct digest_window *at = &digest->windows[window];
        int64_t row_ms = database_floor(tiers_window_ms(at), tier->row_ms);
        if (at->series < *series || (at->series == *series && row_ms < *start_ms)) {
            *series = at->series;
            *start_ms = row_ms;
        }
    }
    return sample < digest->n_samples || window < digest->n_windows;
}

static int write_rows(const struct digest *digest, const struct tier *tier, sqlite3_stmt *select,
                      sqlite3_stmt *replace, struct tiers *tiers)
{
    size_t sample = 0, window = 0;
    int code = SQLITE_OK;
    int64_t series, start_ms;
    while (code == SQLITE_OK && tiers_next(digest, tier, sample, window, &series, &start_ms)) {
        struct cells cells = {0};
        code = read_row(select, series, start_ms, &cells, tiers);
        if (code == SQLITE_OK &&
            tiers_count(digest, tier, series, start_ms, &sample, &window, &cells) != 0)
            code = SQLITE_NOMEM;
        if (code == SQLITE_OK)
            code = write_row(replace, series, start_ms, &cells);
        cells_release(&cells);
    }
    return code;
}

static int write_tier(sqlite3 *db, const struct digest *digest, const struct tier *tier,
                      struct tiers *tiers)
{
    sqlite3_stmt *select =
        database_prepare(db, "SELECT cells FROM %s WHERE series = ? AND start = ?", tier->table);
    sqlite3_stmt *replace = database_prepare(db,
                                             "INSERT INTO %s VALUES(?, ?, ?)"
                                             " ON CONFLICT DO UPDATE SET cells = excluded.cells",
                                             tier->table);
    int code =
        select && replace ? write_rows(digest, tier, select, replace, tiers) : sqlite3_errcode(db);
    sqlite3_finalize(select);
    sqlite3_finalize(replace);
    return code;
}

int tiers_write(sqlite3 *db, const struct digest *digest, struct tiers *tiers)
{
    int code = SQLITE_OK;
    if (tiers->has_raw)
        code = write_days(db, digest, tiers->raw_from_ms);
    if (code == SQLITE_OK && tiers->has_minutes)
        code = write_tier(db, digest, &tier_minute, tiers);
    if (code == SQLITE_OK && tiers->has_hours)
        code = write_tier(db, digest, &tier_hour, tiers);
    return code;
}
