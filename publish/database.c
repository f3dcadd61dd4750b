#include "publish/database.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/text.h"

#define APPLICATION 0x6463616d /* "dcam", so that file(1) and we know whose it is */
#define TABLES_VERSION 4       /* of the tables and of what is in them */
#define STRING_OF(number) #number
#define NUMBER(number) STRING_OF(number)

/* How long a statement waits while another process reads what it changes; such reads are short. */
#define BUSY_MS 5000

/* Rows of the series of a node are beside each other: a reader who asks for these series one after
 * the other still reads each page only once. */
#define READER_CACHE "PRAGMA cache_size=-16384"

/* How often it is tried to open a file for reading while its log appears or disappears. */
#define READ_TRIES 5

const struct tier tier_minute = {"minute", MINUTE_MS, HOUR_MS};
const struct tier tier_hour = {"hour", HOUR_MS, HOUR_MS};

/* Rows of cells and chunks are large and come in the order of their times: in tables with a ROWID
 * they fill the pages one after the other, and an index has few pages. In a table without ROWID, a
 * row that is longer than a quarter of a page would have a page of its own. The inbox has the
 * blocks of all streams in the order in which they came, so that a transaction fills few pages. The
 * blocks of one stream are a chain: stream.last is the id of the latest, inbox.before that of the
 * one before it, and 0 ends the chain. A block that is in no chain was digested. */
static const char tables[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS source(id INTEGER PRIMARY KEY, path TEXT NOT NULL,"
    " engine BLOB NOT NULL, name TEXT NOT NULL, node_group TEXT NOT NULL, UNIQUE(path, engine));"
    "CREATE TABLE IF NOT EXISTS stream(id INTEGER PRIMARY KEY, source INTEGER NOT NULL,"
    " boot INTEGER NOT NULL, next INTEGER NOT NULL, came INTEGER NOT NULL, last INTEGER NOT NULL,"
    " UNIQUE(source, boot));"
    "CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, source INTEGER NOT NULL,"
    " sensor TEXT NOT NULL, instance TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,"
    " UNIQUE(source, sensor, instance));"
    "CREATE TABLE IF NOT EXISTS name(stream INTEGER, number INTEGER, series INTEGER NOT NULL,"
    " PRIMARY KEY(stream, number)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS name_series ON name(series);"
    "CREATE TABLE IF NOT EXISTS again(stream INTEGER, number INTEGER, samples INTEGER NOT NULL,"
    " windows INTEGER NOT NULL, PRIMARY KEY(stream, number)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS newest(series INTEGER PRIMARY KEY, samples INTEGER NOT NULL,"
    " windows INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS inbox(id INTEGER PRIMARY KEY, before INTEGER NOT NULL,"
    " number INTEGER NOT NULL, came INTEGER NOT NULL, block BLOB NOT NULL);"
    "CREATE TABLE IF NOT EXISTS minute(series INTEGER, start INTEGER, cells BLOB NOT NULL,"
    " PRIMARY KEY(series, start));"
    "CREATE TABLE IF NOT EXISTS hour(series INTEGER, start INTEGER, cells BLOB NOT NULL,"
    " PRIMARY KEY(series, start));"
    "CREATE TABLE IF NOT EXISTS alarm(id INTEGER PRIMARY KEY, path TEXT NOT NULL,"
    " alarm_key TEXT NOT NULL, since INTEGER NOT NULL, severity INTEGER NOT NULL,"
    " worst INTEGER NOT NULL, changed INTEGER NOT NULL, cleared INTEGER, node TEXT NOT NULL,"
    " threshold TEXT NOT NULL, sensor TEXT NOT NULL, instance TEXT NOT NULL, value TEXT NOT NULL,"
    " limit_value TEXT NOT NULL, message TEXT NOT NULL, acknowledged_by TEXT NOT NULL,"
    " acknowledged INTEGER, unconfirmed INTEGER, UNIQUE(path, alarm_key, since));"
    "CREATE INDEX IF NOT EXISTS alarm_since ON alarm(since);"
    "CREATE INDEX IF NOT EXISTS alarm_cleared ON alarm(cleared);"
    "CREATE TABLE IF NOT EXISTS told(stream INTEGER, number INTEGER, source INTEGER NOT NULL,"
    " alarm INTEGER NOT NULL, hash INTEGER NOT NULL, is_stale INTEGER NOT NULL,"
    " PRIMARY KEY(stream, number)) WITHOUT ROWID;"
    "CREATE INDEX IF NOT EXISTS told_source ON told(source);"
    "CREATE TABLE IF NOT EXISTS step(start INTEGER NOT NULL, series INTEGER NOT NULL,"
    " path TEXT NOT NULL, duration INTEGER NOT NULL, sequence INTEGER NOT NULL,"
    " result INTEGER NOT NULL, cpu INTEGER, allocated INTEGER);"
    "CREATE INDEX IF NOT EXISTS step_start ON step(start);"
    "CREATE INDEX IF NOT EXISTS step_series ON step(series, start);"
    "CREATE INDEX IF NOT EXISTS step_path ON step(path, start);"
    "CREATE TABLE IF NOT EXISTS top(series INTEGER, minute INTEGER, part INTEGER,"
    " latest INTEGER NOT NULL, absent INTEGER NOT NULL, size INTEGER NOT NULL, n INTEGER NOT NULL,"
    " keys BLOB NOT NULL, PRIMARY KEY(series, minute, part)) WITHOUT ROWID;"
    "PRAGMA application_id=" NUMBER(APPLICATION) ";"
                                                 "PRAGMA user_version=" NUMBER(
                                                     TABLES_VERSION) ";"
                                                                     "COMMIT";

/* -- Names ----------------------------------------------------------------------------------- */

int64_t database_floor(int64_t ms, int64_t span_ms)
{
    int64_t rest = ms % span_ms;
    return ms - (rest < 0 ? rest + span_ms : rest);
}

static struct tm calendar_of(int64_t ms)
{
    time_t seconds = (time_t)(database_floor(ms, 1000) / 1000);
    struct tm calendar = {0};
    gmtime_r(&seconds, &calendar);
    return calendar;
}

static int64_t ms_of(struct tm *calendar)
{
    return (int64_t)timegm(calendar) * 1000;
}

void database_file_name(int64_t ms, char name[DATABASE_NAME_SIZE])
{
    struct tm calendar = calendar_of(ms);
    strftime(name, DATABASE_NAME_SIZE, "history-%Y-%m.db", &calendar);
}

void database_day_name(int64_t ms, char name[DATABASE_NAME_SIZE])
{
    struct tm calendar = calendar_of(ms);
    strftime(name, DATABASE_NAME_SIZE, "raw_%Y%m%d", &calendar);
}

bool database_file_end(const char *name, int64_t *end_ms)
{
    char again[DATABASE_NAME_SIZE];
    struct tm calendar = {.tm_mday = 1};
    if (sscanf(name, "history-%4d-%2d.db", &calendar.tm_year, &calendar.tm_mon) != 2)
        return false;
    calendar.tm_year -= 1900;
    *end_ms = ms_of(&calendar); /* of the next month, since tm_mon is 0 in January */
    database_file_name(*end_ms - 1, again);
    return strcmp(name, again) == 0;
}

bool database_day_end(const char *name, int64_t *end_ms)
{
    char again[DATABASE_NAME_SIZE];
    struct tm calendar = {0};
    if (sscanf(name, "raw_%4d%2d%2d", &calendar.tm_year, &calendar.tm_mon, &calendar.tm_mday) != 3)
        return false;
    calendar.tm_year -= 1900;
    calendar.tm_mon--;
    *end_ms = ms_of(&calendar) + DAY_MS;
    database_day_name(*end_ms - 1, again);
    return strcmp(name, again) == 0;
}

uint32_t database_month(sqlite3 *db)
{
    const char *path = sqlite3_db_filename(db, "main");
    const char *name = path ? strrchr(path, '/') : NULL;
    int64_t end_ms = 0;
    return name && database_file_end(name + 1, &end_ms) ? (uint32_t)(end_ms / DAY_MS) : 0;
}

int database_each_file(const char *directory, database_file_fn *each, void *context)
{
    DIR *files = opendir(directory);
    struct dirent *entry;
    int64_t end_ms;
    if (!files)
        return errno;
    while ((entry = readdir(files)))
        if (database_file_end(entry->d_name, &end_ms))
            each(context, entry->d_name, end_ms);
    closedir(files);
    return 0;
}

/* -- Statements ------------------------------------------------------------------------------ */

int database_run(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL);
}

bool database_has_table(sqlite3 *db, const char *table)
{
    return sqlite3_table_column_metadata(db, NULL, table, NULL, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

sqlite3_stmt *database_prepare(sqlite3 *db, const char *format, const char *table)
{
    char sql[512];
    sqlite3_stmt *statement = NULL;
    sqlite3_snprintf(sizeof sql, sql, format, table);
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    return statement;
}

static int bind_list(sqlite3_stmt *statement, const char *kinds, va_list list)
{
    int code = statement ? SQLITE_OK : SQLITE_ERROR;
    for (int i = 1; kinds[i - 1] && code == SQLITE_OK; i++) {
        if (kinds[i - 1] == 'i') {
            code = sqlite3_bind_int64(statement, i, va_arg(list, int64_t));
        } else if (kinds[i - 1] == 't') {
            code = sqlite3_bind_text(statement, i, va_arg(list, const char *), -1, SQLITE_STATIC);
        } else {
            const void *octets = va_arg(list, const void *);
            size_t len = va_arg(list, size_t);
            code = sqlite3_bind_blob64(statement, i, octets ? octets : "", len, SQLITE_STATIC);
        }
    }
    return code;
}

int database_bind(sqlite3_stmt *statement, const char *kinds, ...)
{
    va_list list;
    va_start(list, kinds);
    int code = bind_list(statement, kinds, list);
    va_end(list);
    return code;
}

int database_finish(sqlite3_stmt *statement)
{
    int code;
    do
        code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

int database_errno(int code)
{
    switch (code & 0xff) {
    case SQLITE_OK:
        return 0;
    case SQLITE_NOMEM:
        return ENOMEM;
    case SQLITE_FULL:
        return ENOSPC;
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return EROFS;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return EBADMSG;
    case SQLITE_MISMATCH:
        return EPROTO;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return EBUSY;
    default:
        return EIO;
    }
}

sqlite3_stmt *statements_get(struct statements *sql, const char *text)
{
    for (size_t i = 0; i < sql->n; i++)
        if (sql->at[i].text == text)
            return sql->at[i].statement;
    sqlite3_stmt *statement = NULL;
    sqlite3_prepare_v3(sql->db, text, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL);
    if (!statement || sql->n == STATEMENTS_MAX) {
        sqlite3_finalize(statement);
        return NULL;
    }
    sql->at[sql->n].text = text;
    sql->at[sql->n++].statement = statement;
    return statement;
}

int statements_run(struct statements *sql, const char *text, const char *kinds, ...)
{
    va_list list;
    sqlite3_stmt *statement = statements_get(sql, text);
    va_start(list, kinds);
    int code = bind_list(statement, kinds, list);
    va_end(list);
    return code == SQLITE_OK ? database_finish(statement) : code;
}

int statements_find(struct statements *sql, int64_t *number, const char *text, const char *kinds,
                    ...)
{
    va_list list;
    sqlite3_stmt *statement = statements_get(sql, text);
    *number = 0;
    va_start(list, kinds);
    int code = bind_list(statement, kinds, list);
    va_end(list);
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        *number = sqlite3_column_int64(statement, 0);
        code = SQLITE_OK;
    }
    sqlite3_reset(statement);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

void statements_release(struct statements *sql)
{
    while (sql->n > 0)
        sqlite3_finalize(sql->at[--sql->n].statement);
}

/* -- Files ----------------------------------------------------------------------------------- */

static int number_of(sqlite3 *db, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = database_prepare(db, sql, "");
    *number = 0;
    if (!statement)
        return sqlite3_errcode(db);
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A new file has no numbers yet; a file with another application number is not ours. */
static int check_whose(sqlite3 *db, bool may_write)
{
    int64_t application, version;
    int code = number_of(db, "PRAGMA application_id", &application);
    if (code == SQLITE_OK)
        code = number_of(db, "PRAGMA user_version", &version);
    if (code != SQLITE_OK)
        return code;
    if (application == 0 && version == 0 && may_write)
        return SQLITE_OK;
    if (application != APPLICATION)
        return SQLITE_NOTADB;
    return version == TABLES_VERSION ? SQLITE_OK : SQLITE_MISMATCH;
}

/* SQLite would count all the memory that it uses, under a lock for all threads; nobody here needs
 * that. If the program has used SQLite before, it goes on counting. */
static void count_nothing(void)
{
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int open_file(const char *name, int flags, sqlite3 **db)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, count_nothing);
    return sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL);
}

int database_open(const char *path, bool may_write, sqlite3 **db)
{
    int flags = may_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int code = open_file(path, flags, db);
    if (code != SQLITE_OK)
        return code;
    sqlite3_busy_timeout(*db, BUSY_MS);
    code = check_whose(*db, may_write);
    if (code == SQLITE_OK && may_write)
        code = database_run(
            *db, "PRAGMA page_size=16384; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
                 "PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
                 "PRAGMA journal_size_limit=41943040; PRAGMA secure_delete=OFF;"
                 "PRAGMA wal_autocheckpoint=2000; PRAGMA cache_size=-32768");
    if (code == SQLITE_OK && may_write)
        code = database_run(*db, tables);
    return code;
}

/* -- Reading --------------------------------------------------------------------------------- */

static bool stamp_of(const char *path, struct database_stamp *stamp)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return false;
    *stamp = (struct database_stamp){.size = file.st_size,
                                     .changed_s = file.st_mtim.tv_sec,
                                     .changed_ns = file.st_mtim.tv_nsec,
                                     .file = file.st_ino};
    return true;
}

/* An empty log has nothing that is not in the file, but with a -shm beside it, it may belong to a
 * writer who is about to write. */
static bool has_log(const char *path)
{
    char name[DATABASE_PATH_SIZE + 8];
    struct stat log, shared;
    text_format(name, sizeof name, "%s-wal", path);
    if (stat(name, &log) != 0)
        return false;
    text_format(name, sizeof name, "%s-shm", path);
    return log.st_size > 0 || stat(name, &shared) == 0;
}

bool database_has_changed(const char *path, const struct database_stamp *stamp)
{
    struct database_stamp now;
    return !stamp_of(path, &now) || memcmp(&now, stamp, sizeof now) != 0 || has_log(path);
}

/* Makes a URI of SQLite, in which '?', '#' and '%' of the path must be escaped. False: no room. */
static bool make_uri(const char *path, const char *parameters, char *uri, size_t size)
{
    size_t at = (size_t)snprintf(uri, size, "file:%s", path[0] == '/' ? "//" : "");
    for (; *path && at + 4 < size; path++)
        at += (size_t)snprintf(uri + at, size - at, strchr("?#%", *path) ? "%%%02x" : "%c",
                               (unsigned char)*path);
    at += (size_t)snprintf(uri + at, size - at, "?%s", parameters);
    return !*path && at < size;
}

/* A new connection to a file with a log has to find out what is in the log. For a file that does
 * not change there is nothing to find out, and nothing is locked. */
static int open_as(const char *path, const char *parameters, sqlite3 **db)
{
    char uri[3 * DATABASE_PATH_SIZE + 64];
    *db = NULL;
    if (!make_uri(path, parameters, uri, sizeof uri))
        return SQLITE_CANTOPEN;
    int code = open_file(uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, db);
    if (code != SQLITE_OK)
        return code;
    sqlite3_busy_timeout(*db, BUSY_MS);
    code = check_whose(*db, false);
    return code == SQLITE_OK ? database_run(*db, READER_CACHE) : code;
}

int database_read(const char *path, sqlite3 **db, bool *is_frozen, struct database_stamp *stamp)
{
    int code = SQLITE_CANTOPEN;
    *db = NULL;
    for (int tries = 0; tries < READ_TRIES; tries++) {
        if (!stamp_of(path, stamp))
            return SQLITE_CANTOPEN;
        *is_frozen = !has_log(path);
        code = open_as(path, *is_frozen ? "immutable=1" : "readonly_shm=1", db);
        /* Between the two looks, a log may have disappeared or appeared. */
        if (*is_frozen ? !database_has_changed(path, stamp) : code != SQLITE_CANTOPEN)
            return code;
        database_close(*db);
        *db = NULL;
    }
    return code == SQLITE_OK ? SQLITE_BUSY : code;
}

int database_open_old(const char *path, sqlite3 **db)
{
    int code = open_file(path, SQLITE_OPEN_READWRITE, db);
    return code == SQLITE_OK ? check_whose(*db, false) : code;
}

int database_size(sqlite3 *db, int64_t *octets)
{
    int64_t pages = 0, unused = 0, size = 0;
    int code = number_of(db, "PRAGMA page_count", &pages);
    if (code == SQLITE_OK)
        code = number_of(db, "PRAGMA freelist_count", &unused);
    if (code == SQLITE_OK)
        code = number_of(db, "PRAGMA page_size", &size);
    *octets = code == SQLITE_OK ? (pages - unused) * size : 0;
    return code;
}

int database_shrink(sqlite3 *db, bool *is_held)
{
    int64_t busy = 1;
    int code = database_run(db, "PRAGMA incremental_vacuum");
    sqlite3_busy_timeout(db, 0);
    if (code == SQLITE_OK)
        code = number_of(db, "PRAGMA wal_checkpoint(TRUNCATE)", &busy);
    sqlite3_busy_timeout(db, BUSY_MS);
    *is_held = busy != 0;
    return (code & 0xff) == SQLITE_BUSY ? SQLITE_OK : code;
}

void database_close(sqlite3 *db)
{
    sqlite3_close(db);
}
