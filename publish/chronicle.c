#include "publish/chronicle.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/log.h"
#include "base/table.h"
#include "base/text.h"
#include "publish/database.h"
#include "publish/tiers.h"

/* A node whose clock is ahead: what is later than that is left out. */
#define AHEAD_MS HOUR_MS
/* How often it is looked what is too old. */
#define EXPIRE_MS MINUTE_MS

/* Whose blocks come, and how far they were read: of what is committed, and of this transaction. */
struct source {
    UT_hash_handle hh;
    int64_t id;
    uint32_t boot, next;
    uint32_t saved_boot, saved_next;
    bool is_changed, is_saved;   /* is_saved: its row is committed */
    size_t octets, saved_octets; /* in the inbox */
    int64_t oldest_ms;           /* when the oldest of it came */
    char path[];
};

enum statement { ADD_BLOCK, MOVE_SOURCE, FIND_SERIES, ADD_SERIES, ADD_NAME, STATEMENTS };

struct chronicle {
    struct chronicle_settings settings;
    struct chronicle_counters counters;
    sqlite3 *db;
    char name[DATABASE_NAME_SIZE]; /* of its file */
    int64_t end_ms;                /* of its month */
    int lock;
    bool is_begun; /* a transaction */
    struct source *sources;
    struct source *looked_at; /* the one that was digested last */
    int64_t expired_ms;       /* when it was looked last */
    sqlite3_stmt *statements[STATEMENTS];
    char error[CHRONICLE_ERROR_SIZE];
};

static const char *const texts[STATEMENTS] = {
    [ADD_BLOCK] = "INSERT INTO inbox VALUES(?, ?, ?, ?, ?)",
    [MOVE_SOURCE] = "UPDATE source SET boot = ?2, next = ?3 WHERE id = ?1",
    [FIND_SERIES] = "SELECT id FROM series WHERE source = ? AND sensor = ? AND instance = ?",
    [ADD_SERIES] = "INSERT INTO series(source, sensor, instance, metric, unit)"
                   " VALUES(?, ?, ?, ?, ?)",
    [ADD_NAME] = "INSERT OR REPLACE INTO name VALUES(?, ?, ?, ?)",
};

const struct chronicle_counters *chronicle_counters(const struct chronicle *chronicle)
{
    return &chronicle->counters;
}

const char *chronicle_error(const struct chronicle *chronicle)
{
    return chronicle->error;
}

static void path_of(const struct chronicle *chronicle, const char *name,
                    char path[DATABASE_PATH_SIZE])
{
    text_format(path, DATABASE_PATH_SIZE, "%s/%s", chronicle->settings.directory, name);
}

static sqlite3_stmt *statement_of(struct chronicle *chronicle, enum statement which)
{
    if (!chronicle->statements[which])
        chronicle->statements[which] = database_prepare(chronicle->db, "%s", texts[which]);
    return chronicle->statements[which];
}

/* -- Sources --------------------------------------------------------------------------------- */

static void forget_sources(struct chronicle *chronicle)
{
    while (chronicle->sources) {
        struct source *source = chronicle->sources;
        HASH_DEL(chronicle->sources, source);
        free(source);
    }
    chronicle->looked_at = NULL;
}

static struct source *new_source(struct chronicle *chronicle, const char *path)
{
    size_t size = strlen(path) + 1;
    struct source *source = calloc(1, sizeof *source + size);
    if (!source)
        return NULL;
    memcpy(source->path, path, size);
    HASH_ADD_KEYPTR(hh, chronicle->sources, source->path, size - 1, source);
    if (table_has(hh, source))
        return source;
    free(source);
    return NULL;
}

static int take_source(struct chronicle *chronicle, sqlite3_stmt *row)
{
    const char *path = (const char *)sqlite3_column_text(row, 1);
    struct source *source = path ? new_source(chronicle, path) : NULL;
    if (!source)
        return SQLITE_NOMEM;
    source->id = sqlite3_column_int64(row, 0);
    source->saved_boot = source->boot = (uint32_t)sqlite3_column_int64(row, 2);
    source->saved_next = source->next = (uint32_t)sqlite3_column_int64(row, 3);
    source->is_saved = true;
    source->octets = (size_t)sqlite3_column_int64(row, 4);
    source->saved_octets = source->octets;
    source->oldest_ms = sqlite3_column_int64(row, 5);
    return SQLITE_OK;
}

static int read_sources(struct chronicle *chronicle)
{
    sqlite3_stmt *select =
        database_prepare(chronicle->db,
                         "SELECT id, path, source.boot, next, total(length(block)), min(came)"
                         " FROM source LEFT JOIN inbox ON source.id = inbox.source GROUP BY id%s",
                         "");
    int code = select ? SQLITE_ROW : sqlite3_errcode(chronicle->db);
    while (code == SQLITE_ROW && (code = sqlite3_step(select)) == SQLITE_ROW) {
        int taken = take_source(chronicle, select);
        code = taken == SQLITE_OK ? code : taken;
    }
    sqlite3_finalize(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* -- Files ----------------------------------------------------------------------------------- */

static void close_file(struct chronicle *chronicle)
{
    for (int i = 0; i < STATEMENTS; i++)
        sqlite3_finalize(chronicle->statements[i]);
    memset(chronicle->statements, 0, sizeof chronicle->statements);
    database_close(chronicle->db);
    chronicle->db = NULL;
    chronicle->is_begun = false;
}

/* Its sources stay as they are known, unless there are none yet. */
static int open_file(struct chronicle *chronicle, const char *name)
{
    char path[DATABASE_PATH_SIZE];
    text_format(chronicle->name, sizeof chronicle->name, "%s", name);
    database_file_end(chronicle->name, &chronicle->end_ms);
    path_of(chronicle, name, path);
    int code = database_open(path, true, &chronicle->db);
    if (code == SQLITE_OK && !chronicle->sources)
        code = read_sources(chronicle);
    return code;
}

static void set_aside(struct chronicle *chronicle, int64_t now_ms)
{
    char path[DATABASE_PATH_SIZE], other[DATABASE_PATH_SIZE + 64];
    static const char *const ends[] = {"", "-wal", "-shm"};
    close_file(chronicle);
    chronicle->counters.broken++;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        path_of(chronicle, chronicle->name, path);
        text_format(other, sizeof other, "%s.broken-%lld%s", path, (long long)now_ms, ends[i]);
        strncat(path, ends[i], sizeof path - strlen(path) - 1);
        if (rename(path, other) != 0 && errno != ENOENT)
            log_error("history", "%s: it is broken, and cannot be renamed: %s", path,
                      strerror(errno));
        else if (i == 0)
            log_error("history", "%s: the file is broken; it is kept as %s, and a new one begun",
                      path, other);
    }
}

/* In a new file, the sources go on where they were. */
static int write_sources(struct chronicle *chronicle)
{
    sqlite3_stmt *insert =
        database_prepare(chronicle->db, "INSERT OR REPLACE INTO source VALUES(?, ?, ?, ?)%s", "");
    int code =
        insert ? database_run(chronicle->db, "BEGIN IMMEDIATE") : sqlite3_errcode(chronicle->db);
    for (struct source *at = chronicle->sources; at && code == SQLITE_OK; at = at->hh.next) {
        at->boot = at->saved_boot;
        at->next = at->saved_next;
        at->octets = at->saved_octets = 0;
        code =
            database_bind(insert, "itii", at->id, at->path, (int64_t)at->boot, (int64_t)at->next);
        if (code == SQLITE_OK)
            code = database_finish(insert);
    }
    sqlite3_finalize(insert);
    return code == SQLITE_OK ? database_run(chronicle->db, "COMMIT") : code;
}

static int begin_anew(struct chronicle *chronicle, int64_t now_ms)
{
    char name[DATABASE_NAME_SIZE];
    set_aside(chronicle, now_ms);
    database_file_name(now_ms, name);
    int code = open_file(chronicle, name);
    return code == SQLITE_OK ? write_sources(chronicle) : code;
}

/* How far it was read, and what is in the inbox, is as it was at the last commit. */
static void undo_source(struct chronicle *chronicle, struct source *source)
{
    source->boot = source->saved_boot;
    source->next = source->saved_next;
    source->octets = source->saved_octets;
    source->is_changed = false;
    if (source->is_saved)
        return;
    if (chronicle->looked_at == source)
        chronicle->looked_at = NULL;
    HASH_DEL(chronicle->sources, source);
    free(source);
}

static void undo_sources(struct chronicle *chronicle)
{
    struct source *source = chronicle->sources;
    while (source) {
        struct source *next = source->hh.next;
        undo_source(chronicle, source);
        source = next;
    }
}

/* What failed is undone; what is broken is replaced. Returns the errno. */
static int fail(struct chronicle *chronicle, int code, int64_t now_ms)
{
    if (code == SQLITE_ERROR && chronicle->db) /* a statement that could not be prepared */
        code = sqlite3_errcode(chronicle->db);
    text_format(chronicle->error, sizeof chronicle->error, "%s: %s", chronicle->name,
                code == SQLITE_NOMEM ? "no memory"
                : chronicle->db      ? sqlite3_errmsg(chronicle->db)
                                     : sqlite3_errstr(code));
    if (chronicle->db && !sqlite3_get_autocommit(chronicle->db))
        database_run(chronicle->db, "ROLLBACK");
    chronicle->is_begun = false;
    undo_sources(chronicle);
    int error = database_errno(code);
    if (error != EBADMSG)
        return error;
    code = begin_anew(chronicle, now_ms);
    return code == SQLITE_OK ? EBADMSG : code == SQLITE_NOMEM ? ENOMEM : EIO;
}

struct newest {
    char name[DATABASE_NAME_SIZE];
    int64_t end_ms;
};

static void take_newest(void *context, const char *name, int64_t end_ms)
{
    struct newest *newest = context;
    if (end_ms <= newest->end_ms)
        return;
    newest->end_ms = end_ms;
    text_format(newest->name, sizeof newest->name, "%s", name);
}

/* The newest one, or the first. */
static int open_newest(struct chronicle *chronicle, int64_t now_ms)
{
    struct newest newest = {.end_ms = INT64_MIN};
    database_each_file(chronicle->settings.directory, take_newest, &newest);
    if (newest.end_ms == INT64_MIN)
        database_file_name(now_ms, newest.name);
    int code = open_file(chronicle, newest.name);
    if (database_errno(code) != EBADMSG)
        return code;
    forget_sources(chronicle);
    return begin_anew(chronicle, now_ms);
}

struct chronicle *chronicle_open(const struct chronicle_settings *settings, int64_t now_ms,
                                 char error[CHRONICLE_ERROR_SIZE])
{
    struct chronicle *chronicle = calloc(1, sizeof *chronicle);
    pid_t holder = 0;
    if (!chronicle) {
        text_format(error, CHRONICLE_ERROR_SIZE, "no memory");
        return NULL;
    }
    chronicle->settings = *settings;
    int code = directory_lock(settings->directory, &chronicle->lock, &holder);
    if (code == EBUSY)
        text_format(error, CHRONICLE_ERROR_SIZE, "%s: process %d writes there", settings->directory,
                    (int)holder);
    else if (code)
        text_format(error, CHRONICLE_ERROR_SIZE, "%s: %s", settings->directory, strerror(code));
    if (code) {
        free(chronicle);
        return NULL;
    }
    code = open_newest(chronicle, now_ms);
    if (code == SQLITE_OK)
        return chronicle;
    fail(chronicle, code, now_ms);
    text_format(error, CHRONICLE_ERROR_SIZE, "%s/%s", settings->directory, chronicle->error);
    chronicle_close(chronicle);
    return NULL;
}

void chronicle_close(struct chronicle *chronicle)
{
    if (!chronicle)
        return;
    close_file(chronicle);
    forget_sources(chronicle);
    close(chronicle->lock);
    free(chronicle);
}

int chronicle_cursors(struct chronicle *chronicle, chronicle_cursor_fn *each, void *context)
{
    for (struct source *at = chronicle->sources; at; at = at->hh.next)
        each(context, at->path, at->saved_boot, at->saved_next);
    return 0;
}

/* -- What comes ------------------------------------------------------------------------------ */

static int begin(struct chronicle *chronicle)
{
    if (chronicle->is_begun)
        return SQLITE_OK;
    int code = database_run(chronicle->db, "BEGIN IMMEDIATE");
    chronicle->is_begun = code == SQLITE_OK;
    return code;
}

static int add_source(struct chronicle *chronicle, const char *path, struct source **source)
{
    sqlite3_stmt *insert = database_prepare(chronicle->db,
                                            "INSERT INTO source(path, boot, next) VALUES(?, 0, 0)"
                                            " ON CONFLICT DO UPDATE SET boot = 0%s",
                                            "");
    int code = database_bind(insert, "t", path);
    if (code == SQLITE_OK)
        code = database_finish(insert);
    sqlite3_finalize(insert);
    *source = code == SQLITE_OK ? new_source(chronicle, path) : NULL;
    if (!*source)
        return code == SQLITE_OK ? SQLITE_NOMEM : code;
    sqlite3_stmt *select =
        database_prepare(chronicle->db, "SELECT id FROM source WHERE path = ?%s", "");
    code = database_bind(select, "t", path);
    if (code == SQLITE_OK)
        code = sqlite3_step(select);
    (*source)->id = code == SQLITE_ROW ? sqlite3_column_int64(select, 0) : 0;
    sqlite3_finalize(select);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

/* A new source is made in the transaction that is under way: undo_source() forgets it, if that is
 * undone. */
static int source_of(struct chronicle *chronicle, const char *path, struct source **source)
{
    HASH_FIND_STR(chronicle->sources, path, *source);
    if (*source)
        return SQLITE_OK;
    return add_source(chronicle, path, source);
}

static int series_of(struct chronicle *chronicle, int64_t source,
                     const struct chronicle_words *words, int64_t *series)
{
    sqlite3_stmt *find = statement_of(chronicle, FIND_SERIES),
                 *add = statement_of(chronicle, ADD_SERIES);
    int code = database_bind(find, "itt", source, words->sensor, words->instance);
    if (code == SQLITE_OK)
        code = sqlite3_step(find);
    if (code == SQLITE_ROW)
        *series = sqlite3_column_int64(find, 0);
    if (find)
        sqlite3_reset(find);
    if (code != SQLITE_DONE)
        return code == SQLITE_ROW ? SQLITE_OK : code;
    code = database_bind(add, "itttt", source, words->sensor, words->instance, words->metric,
                         words->unit);
    if (code == SQLITE_OK)
        code = database_finish(add);
    *series = sqlite3_last_insert_rowid(chronicle->db);
    return code;
}

int chronicle_name(struct chronicle *chronicle, const char *path, uint32_t boot, uint32_t number,
                   const struct chronicle_words *words)
{
    struct source *source = NULL;
    int64_t series = 0;
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = source_of(chronicle, path, &source);
    if (code == SQLITE_OK)
        code = series_of(chronicle, source->id, words, &series);
    if (code == SQLITE_OK)
        code = database_bind(statement_of(chronicle, ADD_NAME), "iiii", source->id, (int64_t)boot,
                             (int64_t)number, series);
    if (code == SQLITE_OK)
        code = database_finish(statement_of(chronicle, ADD_NAME));
    return code == SQLITE_OK ? 0 : fail(chronicle, code, 0);
}

static int insert_block(struct chronicle *chronicle, struct source *source, uint32_t boot,
                        uint32_t number, const uint8_t *octets, size_t len, int64_t now_ms)
{
    sqlite3_stmt *add = statement_of(chronicle, ADD_BLOCK);
    int code = database_bind(add, "iiiib", source->id, (int64_t)boot, (int64_t)number, now_ms,
                             octets, len);
    if (code == SQLITE_OK)
        code = database_finish(add);
    if (code != SQLITE_OK)
        return code;
    source->oldest_ms = source->octets ? source->oldest_ms : now_ms;
    source->octets += len;
    source->boot = boot;
    source->next = number + 1;
    source->is_changed = true;
    return SQLITE_OK;
}

int chronicle_block(struct chronicle *chronicle, const char *path, uint32_t boot, uint32_t number,
                    const uint8_t *octets, size_t len, int64_t now_ms)
{
    struct source *source = NULL;
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = source_of(chronicle, path, &source);
    chronicle->counters.blocks++;
    if (code == SQLITE_OK && source->boot == boot && number < source->next) {
        chronicle->counters.doubles++;
        return 0;
    }
    if (code == SQLITE_OK)
        code = insert_block(chronicle, source, boot, number, octets, len, now_ms);
    return code == SQLITE_OK ? 0 : fail(chronicle, code, now_ms);
}

static int move_sources(struct chronicle *chronicle)
{
    int code = SQLITE_OK;
    for (struct source *at = chronicle->sources; at && code == SQLITE_OK; at = at->hh.next) {
        if (!at->is_changed)
            continue;
        code = database_bind(statement_of(chronicle, MOVE_SOURCE), "iii", at->id, (int64_t)at->boot,
                             (int64_t)at->next);
        if (code == SQLITE_OK)
            code = database_finish(statement_of(chronicle, MOVE_SOURCE));
    }
    return code;
}

int chronicle_commit(struct chronicle *chronicle)
{
    if (!chronicle->is_begun)
        return 0;
    int code = move_sources(chronicle);
    if (code == SQLITE_OK)
        code = database_run(chronicle->db, "COMMIT");
    if (code != SQLITE_OK)
        return fail(chronicle, code, 0);
    chronicle->is_begun = false;
    for (struct source *at = chronicle->sources; at; at = at->hh.next) {
        at->saved_boot = at->boot;
        at->saved_next = at->next;
        at->saved_octets = at->octets;
        at->is_changed = false;
        at->is_saved = true;
    }
    return 0;
}

/* -- Digesting ------------------------------------------------------------------------------- */

/* What the numbers of one source mean, by boot and number. */
struct names {
    struct meaning {
        uint32_t boot, number;
        int64_t series;
    } * at;
    size_t n, room;
};

static int read_names(struct chronicle *chronicle, int64_t source, struct names *names)
{
    sqlite3_stmt *select = database_prepare(chronicle->db,
                                            "SELECT boot, number, series FROM name WHERE source = ?"
                                            " ORDER BY boot, number%s",
                                            "");
    int code = database_bind(select, "i", source);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        code = SQLITE_OK;
        if (names->n == names->room) {
            size_t room = names->room ? 2 * names->room : 64;
            void *larger = reallocarray(names->at, room, sizeof *names->at);
            if (!larger) {
                code = SQLITE_NOMEM;
                break;
            }
            names->at = larger;
            names->room = room;
        }
        names->at[names->n++] = (struct meaning){(uint32_t)sqlite3_column_int64(select, 0),
                                                 (uint32_t)sqlite3_column_int64(select, 1),
                                                 sqlite3_column_int64(select, 2)};
    }
    sqlite3_finalize(select);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A digest_name_fn. */
static int64_t meaning_of(const void *context, uint32_t boot, uint32_t number)
{
    const struct names *names = context;
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const struct meaning *at = &names->at[middle];
        if (at->boot == boot && at->number == number)
            return at->series;
        if (at->boot < boot || (at->boot == boot && at->number < number))
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static int read_inbox(struct chronicle *chronicle, int64_t source, const struct names *names,
                      struct digest *digest)
{
    sqlite3_stmt *select = database_prepare(
        chronicle->db, "SELECT block FROM inbox WHERE source = ? ORDER BY boot, number%s", "");
    int code = database_bind(select, "i", source);
    while (code == SQLITE_OK && (code = sqlite3_step(select)) == SQLITE_ROW) {
        int error = digest_block(digest, sqlite3_column_blob(select, 0),
                                 (size_t)sqlite3_column_bytes(select, 0), meaning_of, names);
        chronicle->counters.bad += error == EBADMSG;
        code = error == ENOMEM ? SQLITE_NOMEM : SQLITE_OK;
    }
    sqlite3_finalize(select);
    digest_end(digest);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int run_of_source(struct chronicle *chronicle, const char *sql, const struct source *source)
{
    sqlite3_stmt *statement = database_prepare(chronicle->db, "%s", sql);
    int code = database_bind(statement, "ii", source->id, (int64_t)source->boot);
    if (code == SQLITE_OK)
        code = database_finish(statement);
    sqlite3_finalize(statement);
    return code;
}

/* In a transaction. Names of an earlier boot are of no use without its blocks. */
static int digest_inbox(struct chronicle *chronicle, const struct source *source, int64_t now_ms,
                        struct digest *digest)
{
    struct names names = {0};
    int code = read_names(chronicle, source->id, &names);
    if (code == SQLITE_OK)
        code = read_inbox(chronicle, source->id, &names, digest);
    free(names.at);
    if (code == SQLITE_OK)
        code = tiers_write(chronicle->db, digest, now_ms - chronicle->settings.raw_ms);
    if (code == SQLITE_OK)
        code = run_of_source(chronicle, "DELETE FROM inbox WHERE source = ?1 AND ?2 = ?2", source);
    if (code == SQLITE_OK)
        code = run_of_source(chronicle, "DELETE FROM name WHERE source = ?1 AND boot < ?2", source);
    return code == SQLITE_OK ? database_run(chronicle->db, "COMMIT") : code;
}

static int digest_source(struct chronicle *chronicle, struct source *source, int64_t now_ms)
{
    struct digest digest = {.from_ms = now_ms - chronicle->settings.hour_ms,
                            .to_ms = now_ms + AHEAD_MS};
    int code = begin(chronicle);
    if (code == SQLITE_OK)
        code = digest_inbox(chronicle, source, now_ms, &digest);
    if (code == SQLITE_OK) {
        chronicle->is_begun = false;
        source->octets = source->saved_octets = 0;
        chronicle->counters.samples += digest.n_samples;
        chronicle->counters.windows += digest.n_windows;
        chronicle->counters.nameless += digest.nameless;
        chronicle->counters.beyond += digest.beyond;
    }
    digest_release(&digest);
    return code;
}

static bool is_due(const struct chronicle *chronicle, const struct source *source, int64_t now_ms,
                   bool all)
{
    if (source->octets == 0)
        return false;
    return all || source->octets >= chronicle->settings.inbox_octets ||
           now_ms - source->oldest_ms >= chronicle->settings.inbox_ms;
}

/* The next one that is due, each in its turn; NULL: none. */
static struct source *next_due(struct chronicle *chronicle, int64_t now_ms, bool all)
{
    struct source *at = chronicle->looked_at;
    for (unsigned n = HASH_COUNT(chronicle->sources); n > 0; n--) {
        at = at && at->hh.next ? at->hh.next : chronicle->sources;
        if (is_due(chronicle, at, now_ms, all))
            return at;
    }
    return NULL;
}

/* -- What goes ------------------------------------------------------------------------------- */

static int drop(sqlite3 *db, const char *table)
{
    sqlite3_stmt *statement = database_prepare(db, "DROP TABLE %s", table);
    int code = statement ? database_finish(statement) : sqlite3_errcode(db);
    sqlite3_finalize(statement);
    return code;
}

/* The oldest table of a day, if there is one. */
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

/* Gives the room of what was dropped back to the file system. */
static int shrink(sqlite3 *db)
{
    int code = database_run(db, "PRAGMA incremental_vacuum");
    return code == SQLITE_OK ? database_run(db, "PRAGMA wal_checkpoint(TRUNCATE)") : code;
}

struct expiry {
    struct chronicle *chronicle;
    int64_t now_ms;
    uint64_t octets; /* of all files */
    int code;
};

static void remove_file(struct chronicle *chronicle, const char *name)
{
    char path[DATABASE_PATH_SIZE];
    static const char *const ends[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        path_of(chronicle, name, path);
        strncat(path, ends[i], sizeof path - strlen(path) - 1);
        unlink(path);
    }
}

static int expire_tables(const struct expiry *expiry, sqlite3 *db, int64_t month_end_ms)
{
    const struct chronicle_settings *settings = &expiry->chronicle->settings;
    char name[DATABASE_NAME_SIZE];
    int64_t end_ms;
    int code = SQLITE_OK;
    bool has_dropped = false;
    while (code == SQLITE_OK && oldest_day(db, name, &end_ms) &&
           end_ms + settings->raw_ms < expiry->now_ms) {
        code = drop(db, name);
        has_dropped = true;
    }
    if (code == SQLITE_OK && month_end_ms + settings->minute_ms < expiry->now_ms &&
        sqlite3_table_column_metadata(db, NULL, "minute", NULL, NULL, NULL, NULL, NULL, NULL) ==
            SQLITE_OK) {
        code = drop(db, "minute");
        has_dropped = true;
    }
    return code == SQLITE_OK && has_dropped ? shrink(db) : code;
}

/* A database_file_fn. A file that has gone wrong is left: who opens it for reading says so. */
static void expire_file(void *context, const char *name, int64_t end_ms)
{
    struct expiry *expiry = context;
    struct chronicle *chronicle = expiry->chronicle;
    char path[DATABASE_PATH_SIZE];
    sqlite3 *db = NULL;
    if (strcmp(name, chronicle->name) == 0) {
        expiry->code = expire_tables(expiry, chronicle->db, end_ms);
    } else if (end_ms + chronicle->settings.hour_ms < expiry->now_ms) {
        remove_file(chronicle, name);
    } else if (end_ms + chronicle->settings.raw_ms < expiry->now_ms) {
        path_of(chronicle, name, path);
        if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
            SQLITE_OK)
            expire_tables(expiry, db, end_ms);
        sqlite3_close(db);
    }
}

static void add_octets(void *context, const char *name, int64_t end_ms)
{
    struct expiry *expiry = context;
    char path[DATABASE_PATH_SIZE];
    struct stat file;
    (void)end_ms;
    path_of(expiry->chronicle, name, path);
    if (stat(path, &file) == 0)
        expiry->octets += (uint64_t)file.st_size;
    strncat(path, "-wal", sizeof path - strlen(path) - 1);
    if (stat(path, &file) == 0)
        expiry->octets += (uint64_t)file.st_size;
}

static void take_oldest(void *context, const char *name, int64_t end_ms)
{
    struct newest *oldest = context;
    if (end_ms >= oldest->end_ms)
        return;
    oldest->end_ms = end_ms;
    text_format(oldest->name, sizeof oldest->name, "%s", name);
}

/* The oldest day of the file that is written, or the oldest other file. False: there is nothing. */
static bool evict(struct chronicle *chronicle, int *code)
{
    char name[DATABASE_NAME_SIZE];
    struct newest oldest = {.end_ms = INT64_MAX};
    int64_t end_ms;
    database_each_file(chronicle->settings.directory, take_oldest, &oldest);
    if (oldest.end_ms < chronicle->end_ms) {
        log_warning("history", "there is more than may be: %s goes before its time", oldest.name);
        remove_file(chronicle, oldest.name);
    } else if (oldest_day(chronicle->db, name, &end_ms)) {
        log_warning("history", "there is more than may be: %s goes before its time", name);
        *code = drop(chronicle->db, name);
        if (*code == SQLITE_OK)
            *code = shrink(chronicle->db);
    } else {
        return false;
    }
    chronicle->counters.evicted++;
    return true;
}

static int limit_octets(struct chronicle *chronicle)
{
    int code = SQLITE_OK;
    struct expiry expiry = {.chronicle = chronicle};
    if (chronicle->settings.octets == 0)
        return code;
    database_each_file(chronicle->settings.directory, add_octets, &expiry);
    if (expiry.octets > chronicle->settings.octets) {
        code = shrink(chronicle->db); /* what is written twice does not count */
        expiry.octets = 0;
        database_each_file(chronicle->settings.directory, add_octets, &expiry);
    }
    while (code == SQLITE_OK && expiry.octets > chronicle->settings.octets &&
           evict(chronicle, &code)) {
        expiry.octets = 0;
        database_each_file(chronicle->settings.directory, add_octets, &expiry);
    }
    return code;
}

static int expire(struct chronicle *chronicle, int64_t now_ms)
{
    struct expiry expiry = {.chronicle = chronicle, .now_ms = now_ms};
    if (now_ms - chronicle->expired_ms < EXPIRE_MS && now_ms >= chronicle->expired_ms)
        return SQLITE_OK;
    chronicle->expired_ms = now_ms;
    database_each_file(chronicle->settings.directory, expire_file, &expiry);
    return expiry.code == SQLITE_OK ? limit_octets(chronicle) : expiry.code;
}

/* -- Months ---------------------------------------------------------------------------------- */

/* What a new file has from the start: the sources go on where they were, and all series are there,
 * by the same numbers. */
static int copy_names(struct chronicle *chronicle, const char *old)
{
    sqlite3_stmt *attach = database_prepare(chronicle->db, "ATTACH ? AS old%s", "");
    int code = database_bind(attach, "t", old);
    if (code == SQLITE_OK)
        code = database_finish(attach);
    sqlite3_finalize(attach);
    if (code == SQLITE_OK)
        code = write_sources(chronicle);
    if (code == SQLITE_OK)
        code = database_run(chronicle->db, "INSERT INTO series SELECT * FROM old.series;"
                                           "INSERT INTO name SELECT * FROM old.name;"
                                           "DETACH old");
    return code;
}

/* It gets its name when it is whole: a file without its sources would have all told again. */
static int begin_month(struct chronicle *chronicle, int64_t now_ms)
{
    char name[DATABASE_NAME_SIZE], next[DATABASE_NAME_SIZE + 8];
    char old[DATABASE_PATH_SIZE], made[DATABASE_PATH_SIZE], path[DATABASE_PATH_SIZE];
    database_file_name(now_ms, name);
    text_format(next, sizeof next, "%s.new", name);
    path_of(chronicle, chronicle->name, old);
    path_of(chronicle, next, made);
    path_of(chronicle, name, path);
    close_file(chronicle);
    remove_file(chronicle, next);
    int code = database_open(made, true, &chronicle->db);
    if (code == SQLITE_OK)
        code = copy_names(chronicle, old);
    close_file(chronicle);
    if (code == SQLITE_OK && rename(made, path) != 0)
        code = SQLITE_IOERR;
    text_format(next, sizeof next, "%s", chronicle->name);
    int opened = open_file(chronicle, code == SQLITE_OK ? name : next);
    return code == SQLITE_OK ? opened : code;
}

int chronicle_step(struct chronicle *chronicle, int64_t now_ms, bool all, bool *more)
{
    *more = false;
    int error = chronicle_commit(chronicle);
    if (error)
        return error;
    bool ends = now_ms >= chronicle->end_ms;
    struct source *source = next_due(chronicle, now_ms, all || ends);
    int code = source ? digest_source(chronicle, source, now_ms) : SQLITE_OK;
    chronicle->looked_at = source ? source : chronicle->looked_at;
    *more = code == SQLITE_OK && next_due(chronicle, now_ms, all || ends);
    if (code == SQLITE_OK && ends && !*more)
        code = begin_month(chronicle, now_ms);
    if (code == SQLITE_OK)
        code = expire(chronicle, now_ms);
    return code == SQLITE_OK ? 0 : fail(chronicle, code, now_ms);
}
