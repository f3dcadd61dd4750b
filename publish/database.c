#include "publish/database.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define APPLICATION 0x6463616d /* "dcam", so that file(1) and we know whose it is */
#define STRING_OF(number) #number
#define NUMBER(number) STRING_OF(number)

/* How long a statement waits while another process reads what it changes, which is short. */
#define BUSY_MS 5000

const struct tier tier_minute = {"minute", MINUTE_MS, HOUR_MS};
const struct tier tier_hour = {"hour", HOUR_MS, HOUR_MS};

static const char tables[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS source(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,"
    " boot INTEGER NOT NULL, next INTEGER NOT NULL);"
    "CREATE TABLE IF NOT EXISTS series(id INTEGER PRIMARY KEY, source INTEGER NOT NULL,"
    " sensor TEXT NOT NULL, instance TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL,"
    " UNIQUE(source, sensor, instance));"
    "CREATE TABLE IF NOT EXISTS name(source INTEGER, boot INTEGER, number INTEGER,"
    " series INTEGER NOT NULL, PRIMARY KEY(source, boot, number)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS inbox(source INTEGER, boot INTEGER, number INTEGER,"
    " came INTEGER NOT NULL, block BLOB NOT NULL, PRIMARY KEY(source, boot, number)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS minute(series INTEGER, start INTEGER, cells BLOB NOT NULL,"
    " PRIMARY KEY(series, start)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS hour(series INTEGER, start INTEGER, cells BLOB NOT NULL,"
    " PRIMARY KEY(series, start)) WITHOUT ROWID;"
    "PRAGMA application_id=" NUMBER(APPLICATION) ";"
                                                 "PRAGMA user_version=1;"
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
    *end_ms = ms_of(&calendar); /* of the next month, since the first one is 0 */
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

sqlite3_stmt *database_prepare(sqlite3 *db, const char *format, const char *table)
{
    char sql[512];
    sqlite3_stmt *statement = NULL;
    sqlite3_snprintf(sizeof sql, sql, format, table);
    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    return statement;
}

int database_bind(sqlite3_stmt *statement, const char *kinds, ...)
{
    va_list list;
    int code = statement ? SQLITE_OK : SQLITE_ERROR;
    va_start(list, kinds);
    for (int i = 1; kinds[i - 1] && code == SQLITE_OK; i++) {
        if (kinds[i - 1] == 'i') {
            code = sqlite3_bind_int64(statement, i, va_arg(list, int64_t));
        } else if (kinds[i - 1] == 't') {
            code = sqlite3_bind_text(statement, i, va_arg(list, const char *), -1, SQLITE_STATIC);
        } else {
            const void *octets = va_arg(list, const void *);
            size_t len = va_arg(list, size_t);
            code = sqlite3_bind_blob64(statement, i, octets, len, SQLITE_STATIC);
        }
    }
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
    default:
        return EIO;
    }
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

/* A file that was just made has no number; what has another one is not ours. */
static int check_whose(sqlite3 *db, bool may_write)
{
    int64_t application, version;
    int code = number_of(db, "PRAGMA application_id", &application);
    if (code == SQLITE_OK)
        code = number_of(db, "PRAGMA user_version", &version);
    if (code != SQLITE_OK)
        return code;
    bool is_new = application == 0 && version == 0;
    return (application == APPLICATION && version == 1) || (is_new && may_write) ? SQLITE_OK
                                                                                 : SQLITE_NOTADB;
}

int database_open(const char *path, bool may_write, sqlite3 **db)
{
    int flags = may_write ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    int code = sqlite3_open_v2(path, db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return code;
    sqlite3_busy_timeout(*db, BUSY_MS);
    code = check_whose(*db, may_write);
    if (code == SQLITE_OK && may_write)
        code = database_run(*db, "PRAGMA auto_vacuum=INCREMENTAL; PRAGMA journal_mode=WAL;"
                                 "PRAGMA synchronous=NORMAL; PRAGMA journal_size_limit=4194304;"
                                 "PRAGMA wal_autocheckpoint=8000; PRAGMA cache_size=-32768");
    if (code == SQLITE_OK && may_write)
        code = database_run(*db, tables);
    return code;
}

void database_close(sqlite3 *db)
{
    sqlite3_close(db);
}
