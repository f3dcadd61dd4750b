#include "publish/expiry.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"

#define LOOK_MS MINUTE_MS
#define LOOK_AT_OLD_MS HOUR_MS
#define HOLD_MS HOUR_MS

/* How long readers who began before the end of a month may still look into the inbox of its file.
 */
#define INBOX_MS HOUR_MS

/* Tables that are removed with the minutes. */
static const char *const of_minutes[] = {"minute", "alarm", "step", "top"};

/* What may be removed, the most detailed first. */
enum detail { VALUES, MINUTES, HOURS, DETAILS };

struct look {
    struct expiry *expiry;
    sqlite3 *db; /* of the file that is written */
    const char *file;
    int64_t now_ms;
    bool looks_at_old;
    bool complains;
    bool rows_went[DETAILS]; /* rows of the written file were removed: there was too much */
    bool is_held; /* somebody still reads what was removed from another file: its room is not free
                     yet */
    int code;     /* of SQLite, for the file that is written */
};

static void complain(struct look *look, const char *what, const char *why)
{
    if (!look->expiry->has_complained)
        log_error("history", "%s cannot be removed: %s; it is tried again", what, why);
    look->complains = look->expiry->has_complained = true;
}

static const char *reason_of(int code)
{
    return database_errno(code) == EPROTO ? "it is of another version of dCAMP"
                                          : sqlite3_errstr(code);
}

/* -- What is too old ------------------------------------------------------------------------- */

static int drop(sqlite3 *db, const char *table)
{
    sqlite3_stmt *statement = database_prepare(db, "DROP TABLE %s", table);
    int code = statement ? database_finish(statement) : sqlite3_errcode(db);
    sqlite3_finalize(statement);
    return code;
}

/* Finds the oldest table of a day, if there is one. */
static bool oldest_day(sqlite3 *db, char name[DATABASE_NAME_SIZE], int64_t *end_ms)
{
    sqlite3_stmt *select =
        database_prepare(db,
                         "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'raw_*'"
                         " ORDER BY name LIMIT 1%s",
                         "");
    bool found = select && sqlite3_step(select) == SQLITE_ROW;
    if (found)
        text_format(name, DATABASE_NAME_SIZE, "%s", (const char *)sqlite3_column_text(select, 0));
    sqlite3_finalize(select);
    return found && database_day_end(name, end_ms);
}

static int drop_days(sqlite3 *db, int64_t before_ms, bool *has_dropped)
{
    char name[DATABASE_NAME_SIZE];
    int64_t end_ms;
    int code = SQLITE_OK;
    while (code == SQLITE_OK && oldest_day(db, name, &end_ms) && end_ms < before_ms) {
        code = drop(db, name);
        *has_dropped = true;
    }
    return code;
}

static int drop_minutes(sqlite3 *db, bool *has_dropped)
{
    int code = SQLITE_OK;
    for (size_t i = 0; i < sizeof of_minutes / sizeof *of_minutes && code == SQLITE_OK; i++) {
        if (!database_has_table(db, of_minutes[i]))
            continue;
        code = drop(db, of_minutes[i]);
        *has_dropped = true;
    }
    return code;
}

/* What is in the inbox of a file that is not written any more is in the next file, too. */
static int empty_inbox(sqlite3 *db, bool *has_dropped)
{
    int code = database_run(db, "DELETE FROM inbox");
    *has_dropped |= sqlite3_changes(db) > 0;
    return code;
}

static int expire_tables(const struct look *look, sqlite3 *db, int64_t month_end_ms)
{
    const struct chronicle_settings *settings = look->expiry->settings;
    bool has_dropped = false, is_held;
    int code = drop_days(db, look->now_ms - settings->raw_ms, &has_dropped);
    if (code == SQLITE_OK && db != look->db && month_end_ms + INBOX_MS < look->now_ms)
        code = empty_inbox(db, &has_dropped);
    if (code == SQLITE_OK && db != look->db && month_end_ms + settings->minute_ms < look->now_ms)
        code = drop_minutes(db, &has_dropped);
    return code == SQLITE_OK && has_dropped ? database_shrink(db, &is_held) : code;
}

static int open_old(const struct look *look, const char *file, sqlite3 **db)
{
    char path[DATABASE_PATH_SIZE];
    text_format(path, sizeof path, "%s/%s", look->expiry->settings->directory, file);
    return database_open_old(path, db);
}

static void expire_old(struct look *look, const char *file, int64_t end_ms)
{
    sqlite3 *db = NULL;
    int code = open_old(look, file, &db);
    if (code == SQLITE_OK)
        code = expire_tables(look, db, end_ms);
    if (code != SQLITE_OK)
        complain(look, file, reason_of(code));
    database_close(db);
}

int64_t expiry_longest_ms(const struct chronicle_settings *settings)
{
    int64_t cells_ms =
        settings->hour_ms > settings->minute_ms ? settings->hour_ms : settings->minute_ms;
    return settings->raw_ms > cells_ms ? settings->raw_ms : cells_ms;
}

/* A database_file_fn. */
static void expire_file(void *context, const char *file, int64_t end_ms)
{
    struct look *look = context;
    const struct chronicle_settings *settings = look->expiry->settings;
    if (strcmp(file, look->file) == 0) {
        look->code = expire_tables(look, look->db, end_ms);
    } else if (end_ms + expiry_longest_ms(settings) < look->now_ms) {
        int error = expiry_remove(settings->directory, file);
        if (error)
            complain(look, file, strerror(error));
    } else if (look->looks_at_old) {
        expire_old(look, file, end_ms);
    }
}

/* -- What is too much ------------------------------------------------------------------------ */

static const char *const ends[] = {"", "-wal", "-shm"};

int expiry_remove(const char *directory, const char *file)
{
    char path[DATABASE_PATH_SIZE];
    int error = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        text_format(path, sizeof path, "%s/%s%s", directory, file, ends[i]);
        if (unlink(path) != 0 && errno != ENOENT && error == 0)
            error = errno;
    }
    return error;
}

struct sizes {
    const char *directory;
    const char *except; /* a file that does not count; NULL: all do */
    uint64_t octets;
};

/* A database_file_fn. */
static void add_octets(void *context, const char *file, int64_t end_ms)
{
    struct sizes *sizes = context;
    char path[DATABASE_PATH_SIZE];
    struct stat status;
    (void)end_ms;
    if (sizes->except && strcmp(sizes->except, file) == 0)
        return;
    for (size_t i = 0; i < 2; i++) {
        text_format(path, sizeof path, "%s/%s%s", sizes->directory, file, ends[i]);
        if (stat(path, &status) == 0)
            sizes->octets += (uint64_t)status.st_size;
    }
}

/* The octets on the disk; if somebody still reads what was removed, those that there will be later.
 */
static uint64_t size_of_all(const struct look *look, bool is_held)
{
    const char *directory = look->expiry->settings->directory;
    struct sizes sizes = {.directory = directory, .except = is_held ? look->file : NULL};
    int64_t octets = 0;
    database_each_file(directory, add_octets, &sizes);
    if (is_held)
        database_size(look->db, &octets);
    return sizes.octets + (uint64_t)octets;
}

/* The oldest file that ends after after_ms. */
struct oldest {
    char file[DATABASE_NAME_SIZE];
    int64_t after_ms, end_ms;
};

/* A database_file_fn. */
static void take_oldest(void *context, const char *file, int64_t end_ms)
{
    struct oldest *oldest = context;
    if (end_ms <= oldest->after_ms || end_ms >= oldest->end_ms)
        return;
    oldest->end_ms = end_ms;
    text_format(oldest->file, sizeof oldest->file, "%s", file);
}

static bool evict_file(struct look *look, const char *file)
{
    int error = expiry_remove(look->expiry->settings->directory, file);
    if (error)
        complain(look, file, strerror(error));
    else
        log_warning("history", "the history exceeds its limit: %s was removed early", file);
    return error == 0;
}

static int evict_day(sqlite3 *db, bool *has_gone)
{
    char day[DATABASE_NAME_SIZE];
    int64_t end_ms;
    if (!oldest_day(db, day, &end_ms))
        return SQLITE_OK;
    int code = drop(db, day);
    *has_gone = code == SQLITE_OK;
    if (*has_gone)
        log_warning("history", "the history exceeds its limit: %s was removed early", day);
    return code;
}

/* Removes values or minutes of a file that is not written any more. */
static bool evict_in(struct look *look, const char *file, enum detail detail)
{
    sqlite3 *db = NULL;
    bool has_gone = false;
    int code = open_old(look, file, &db);
    if (code == SQLITE_OK)
        code = detail == VALUES ? evict_day(db, &has_gone) : drop_minutes(db, &has_gone);
    if (code == SQLITE_OK && has_gone)
        code = database_shrink(db, &look->is_held);
    if (code != SQLITE_OK)
        complain(look, file, reason_of(code));
    else if (has_gone && detail == MINUTES)
        log_warning("history", "the history exceeds its limit: minutes of %s were removed early",
                    file);
    database_close(db);
    return has_gone;
}

/* Removes from the oldest file that has any, of those that are not written any more. */
static bool evict_old(struct look *look, enum detail detail)
{
    struct oldest oldest = {.after_ms = INT64_MIN};
    bool has_gone = false;
    while (!has_gone) {
        oldest.end_ms = INT64_MAX;
        database_each_file(look->expiry->settings->directory, take_oldest, &oldest);
        if (oldest.end_ms == INT64_MAX || strcmp(oldest.file, look->file) == 0)
            break;
        has_gone =
            detail == HOURS ? evict_file(look, oldest.file) : evict_in(look, oldest.file, detail);
        oldest.after_ms = oldest.end_ms;
    }
    return has_gone;
}

/* Rows were begun in the order of their times: the first eighth of them is removed, but at most so
 * many, since that is one transaction. */
#define OLDEST_ROWS(table)                                                                         \
    "DELETE FROM " table " WHERE rowid <= (SELECT min(rowid) FROM " table ") + min(50000, "        \
    "((SELECT max(rowid) FROM " table ") - (SELECT min(rowid) FROM " table ")) / 8)"

/* Up to which time: that of the oldest minute that is left; if there are none, the time before
 * which an eighth of the steps, limited as above, began. */
static const char with_minutes[] =
    "SELECT coalesce((SELECT start FROM minute ORDER BY rowid LIMIT 1),"
    " (SELECT start / 1000000 + 1 FROM step ORDER BY start LIMIT 1"
    " OFFSET (SELECT min(50000, count(*) / 8) FROM step)), ?)";

/* What belongs to minutes is removed with them; the starts of steps are in nanoseconds. */
static int evict_with_minutes(const struct look *look)
{
    static const char *const statements[] = {"DELETE FROM step WHERE start < ? * 1000000",
                                             "DELETE FROM top WHERE minute < ?",
                                             "DELETE FROM alarm WHERE cleared < ?"};
    struct statements sql = {.db = look->db};
    int64_t from_ms;
    int code = statements_find(&sql, &from_ms, with_minutes, "i", look->now_ms);
    for (size_t i = 0; i < sizeof statements / sizeof *statements && code == SQLITE_OK; i++)
        code = statements_run(&sql, statements[i], "i", from_ms);
    statements_release(&sql);
    return code;
}

/* Removes minutes or hours of the file that is written. */
static int evict_rows(struct look *look, enum detail detail, bool *has_gone)
{
    int64_t before = sqlite3_total_changes64(look->db);
    int code =
        database_run(look->db, detail == MINUTES ? OLDEST_ROWS("minute") : OLDEST_ROWS("hour"));
    if (code == SQLITE_OK && detail == MINUTES)
        code = evict_with_minutes(look);
    *has_gone = code == SQLITE_OK && sqlite3_total_changes64(look->db) > before;
    look->rows_went[detail] |= *has_gone;
    return code;
}

/* Removes something. False: nothing more can be removed. */
static bool evict(struct look *look)
{
    bool has_gone = false;
    for (enum detail detail = VALUES; detail < DETAILS && !has_gone && look->code == SQLITE_OK;
         detail++) {
        has_gone = evict_old(look, detail);
        if (!has_gone)
            look->code = detail == VALUES ? evict_day(look->db, &has_gone)
                                          : evict_rows(look, detail, &has_gone);
    }
    look->expiry->evicted += has_gone;
    return has_gone;
}

/* A database_file_fn. The room of what was removed from another file earlier may be free now. */
static void shrink_old(void *context, const char *file, int64_t end_ms)
{
    struct look *look = context;
    sqlite3 *db = NULL;
    bool is_held = false;
    (void)end_ms;
    if (strcmp(file, look->file) == 0)
        return;
    if (open_old(look, file, &db) == SQLITE_OK && database_shrink(db, &is_held) == SQLITE_OK)
        look->is_held |= is_held;
    database_close(db);
}

static void tell_rows(const struct look *look)
{
    if (look->rows_went[MINUTES])
        log_warning("history",
                    "the history exceeds its limit: the oldest minutes of %s were removed",
                    look->file);
    if (look->rows_went[HOURS])
        log_warning("history", "the history exceeds its limit: the oldest hours of %s were removed",
                    look->file);
}

/* Nothing more is removed while room that was made is only not free yet. */
static void limit_octets(struct look *look)
{
    uint64_t most = look->expiry->settings->octets;
    bool is_held = false;
    if (most == 0 || size_of_all(look, false) <= most)
        return;
    look->code = database_shrink(look->db, &is_held);
    database_each_file(look->expiry->settings->directory, shrink_old, look);
    while (look->code == SQLITE_OK && !look->is_held && size_of_all(look, is_held) > most &&
           evict(look))
        look->code = database_shrink(look->db, &is_held);
    tell_rows(look);
    if (look->code == SQLITE_OK && (is_held || look->is_held))
        complain(look, "what exceeds the limit", "somebody reads it");
}

static bool is_time(int64_t looked_ms, int64_t span_ms, int64_t now_ms)
{
    return looked_ms == 0 || now_ms < looked_ms || now_ms - looked_ms >= span_ms;
}

bool expiry_is_due(const struct expiry *expiry, int64_t now_ms)
{
    return is_time(expiry->looked_ms, LOOK_MS, now_ms);
}

/* Whether the clock is believed, so that what is too old by it may be removed. */
static bool believes(struct expiry *expiry, int64_t now_ms)
{
    if (expiry->looked_ms != 0 && now_ms - expiry->looked_ms > HOLD_MS) {
        expiry->believed_ms = now_ms + HOLD_MS;
        log_warning("history",
                    "the clock was put ahead by %jd s: nothing is too old for the next hour",
                    (intmax_t)((now_ms - expiry->looked_ms) / 1000));
    }
    if (now_ms < expiry->believed_ms - HOLD_MS) /* the clock was put back */
        expiry->believed_ms = 0;
    return now_ms >= expiry->believed_ms;
}

int expiry_look(struct expiry *expiry, sqlite3 *db, const char *file, int64_t now_ms)
{
    struct look look = {.expiry = expiry, .db = db, .file = file, .now_ms = now_ms};
    if (!expiry_is_due(expiry, now_ms))
        return SQLITE_OK;
    bool believed = believes(expiry, now_ms);
    expiry->looked_ms = now_ms;
    look.looks_at_old = is_time(expiry->looked_at_old_ms, LOOK_AT_OLD_MS, now_ms);
    if (look.looks_at_old)
        expiry->looked_at_old_ms = now_ms;
    if (believed)
        database_each_file(expiry->settings->directory, expire_file, &look);
    if (look.code == SQLITE_OK)
        limit_octets(&look);
    if (look.looks_at_old && !look.complains)
        expiry->has_complained = false;
    return look.code;
}
