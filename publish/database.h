/* One file of the history as SQLite has it: opened, its tables, and how they are asked. */
#ifndef DCAMP_PUBLISH_DATABASE_H
#define DCAMP_PUBLISH_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATABASE_NAME_SIZE 32 /* of a file, and of a table */
#define DATABASE_PATH_SIZE 4096

#define MINUTE_MS INT64_C(60000)
#define HOUR_MS (60 * MINUTE_MS)
#define DAY_MS (24 * HOUR_MS)

/* Cells of one length: their table, and the spans of a cell and of a row of them. */
struct tier {
    const char *table;
    int64_t cell_ms, row_ms;
};
extern const struct tier tier_minute, tier_hour;

/* The beginning of the span in which a time is; also of one before 1970. */
int64_t database_floor(int64_t ms, int64_t span_ms);

/* The name of the file for what comes at a time, and when its month ends; of the table for what is
 * of a time. False: the name is none of those. */
void database_file_name(int64_t ms, char name[DATABASE_NAME_SIZE]);
bool database_file_end(const char *name, int64_t *end_ms);
void database_day_name(int64_t ms, char name[DATABASE_NAME_SIZE]);
bool database_day_end(const char *name, int64_t *end_ms);

/* The files of a directory, in any order. 0 or an errno. */
typedef void database_file_fn(void *context, const char *name, int64_t end_ms);
int database_each_file(const char *directory, database_file_fn *each, void *context);

/* Opens a file. With may_write it is made, with its tables, if need be. SQLITE_OK, or what SQLite
 * says, SQLITE_NOTADB for a file of something else; *db is to be closed by database_close() in
 * either case. */
int database_open(const char *path, bool may_write, sqlite3 **db);
void database_close(sqlite3 *db);

/* Runs SQL that gives nothing. */
int database_run(sqlite3 *db, const char *sql);

/* Prepares a statement, from a format with at most one %s for the name of a table of ours. NULL:
 * sqlite3_errcode() says why. */
sqlite3_stmt *database_prepare(sqlite3 *db, const char *format, const char *table);

/* Binds the parameters from the first on: "i" an int64_t, "t" a text, "b" octets and a size_t. They
 * must stay until the statement is reset. */
int database_bind(sqlite3_stmt *statement, const char *kinds, ...);

/* Runs it to its end, and resets it. */
int database_finish(sqlite3_stmt *statement);

/* The errno of what SQLite says; EBADMSG: the file is broken. */
int database_errno(int code);

#endif
