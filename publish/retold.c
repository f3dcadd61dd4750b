#include "publish/retold.h"

#include <stdlib.h>
#include <string.h>

#include "publish/places.h"

void retold_release(struct retold *retold)
{
    free(retold->at);
    *retold = (struct retold){0};
}

bool retold_is_told(const struct retold_until *until, const struct report_entry *entry)
{
    return entry->wall_ms <= (entry->kind == REPORT_WINDOW ? until->window_ms : until->sample_ms);
}

static size_t place_of(const struct retold *retold, uint32_t number)
{
    return places_of_number(retold->at, retold->n, sizeof *retold->at, number);
}

bool retold_has(const struct retold *retold, const struct report_entry *entry)
{
    size_t place = retold->n > 0 ? place_of(retold, entry->series) : 0;
    return place < retold->n && retold->at[place].number == entry->series &&
           retold_is_told(&retold->at[place].until, entry);
}

static int put(struct retold *retold, uint32_t number, const struct retold_until *until)
{
    size_t place = place_of(retold, number);
    if (place == retold->n || retold->at[place].number != number) {
        void *larger = reallocarray(retold->at, retold->n + 1, sizeof *retold->at);
        if (!larger)
            return SQLITE_NOMEM;
        retold->at = larger;
        memmove(retold->at + place + 1, retold->at + place,
                (retold->n - place) * sizeof *retold->at);
        retold->n++;
    }
    retold->at[place] = (struct retold_number){number, *until};
    return SQLITE_OK;
}

int retold_read(struct retold *retold, struct statements *sql, int64_t stream)
{
    sqlite3_stmt *select = statements_get(
        sql, "SELECT number, samples, windows FROM again WHERE stream = ? ORDER BY number");
    int code = database_bind(select, "i", stream);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW)
        code = put(retold, (uint32_t)sqlite3_column_int64(select, 0),
                   &(struct retold_until){sqlite3_column_int64(select, 1),
                                          sqlite3_column_int64(select, 2)});
    sqlite3_reset(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int find_newest(struct statements *sql, int64_t series, struct retold_until *until,
                       bool *is_found)
{
    sqlite3_stmt *select =
        statements_get(sql, "SELECT samples, windows FROM newest WHERE series = ?");
    int code = database_bind(select, "i", series);
    if (code == SQLITE_OK)
        code = sqlite3_step(select);
    *is_found = code == SQLITE_ROW;
    if (*is_found)
        *until =
            (struct retold_until){sqlite3_column_int64(select, 0), sqlite3_column_int64(select, 1)};
    sqlite3_reset(select);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

int retold_begin(struct retold *retold, struct statements *sql, int64_t stream, uint32_t number,
                 int64_t series, int64_t now_ms)
{
    struct retold_until until;
    bool is_found;
    int code = find_newest(sql, series, &until, &is_found);
    if (code != SQLITE_OK || !is_found)
        return code;
    until.sample_ms = until.sample_ms < now_ms ? until.sample_ms : now_ms;
    until.window_ms = until.window_ms < now_ms ? until.window_ms : now_ms;
    code = statements_run(sql, "INSERT OR REPLACE INTO again VALUES(?, ?, ?, ?)", "iiii", stream,
                          (int64_t)number, until.sample_ms, until.window_ms);
    return code == SQLITE_OK ? put(retold, number, &until) : code;
}

int retold_forget(struct statements *sql, int64_t stream)
{
    return statements_run(sql, "DELETE FROM again WHERE stream = ?", "i", stream);
}

/* The latest times of the next series, behind whose last entries *sample and *window are then. */
static int64_t take_series(const struct digest *digest, size_t *sample, size_t *window,
                           struct retold_until *until)
{
    int64_t series = INT64_MAX;
    *until = (struct retold_until){INT64_MIN, INT64_MIN};
    if (*sample < digest->n_samples)
        series = digest->samples[*sample].series;
    if (*window < digest->n_windows && digest->windows[*window].series < series)
        series = digest->windows[*window].series;
    for (; *sample < digest->n_samples && digest->samples[*sample].series == series; ++*sample)
        until->sample_ms = digest->samples[*sample].point.wall_ms;
    for (; *window < digest->n_windows && digest->windows[*window].series == series; ++*window)
        until->window_ms = digest->windows[*window].wall_ms;
    return series;
}

int retold_note(struct statements *sql, int64_t source, const struct digest *digest)
{
    static const char text[] =
        "INSERT INTO newest SELECT id, ?2, ?3 FROM series WHERE id = ?1 AND source <> ?4"
        " ON CONFLICT(series) DO UPDATE SET samples = max(samples, excluded.samples),"
        " windows = max(windows, excluded.windows)";
    size_t sample = 0, window = 0;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && (sample < digest->n_samples || window < digest->n_windows)) {
        struct retold_until until;
        int64_t series = take_series(digest, &sample, &window, &until);
        code = statements_run(sql, text, "iiii", series, until.sample_ms, until.window_ms, source);
    }
    return code;
}

int retold_teller(struct statements *sql, int64_t series, int64_t stream, uint32_t number,
                  int64_t behind, int64_t *teller)
{
    return statements_find(sql, teller,
                           "SELECT stream FROM name WHERE series = ?1 AND stream > ?2"
                           " AND NOT (stream = ?3 AND number = ?4) ORDER BY stream LIMIT 1",
                           "iiii", series, behind, stream, (int64_t)number);
}
