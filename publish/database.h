/* One file of the history in SQLite: how it is opened, its tables, and how they are asked. */
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

/* The beginning of the span that contains a time, which may be before 1970. */
int64_t database_floor(int64_t ms, int64_t span_ms);

/* The name of the file for what comes at a time, and when the month of a file ends; the name of the
 * table for the values of a time, and when its day ends. False: the name is none of these. */
void database_file_name(int64_t ms, char name[DATABASE_NAME_SIZE]);
bool database_file_end(const char *name, int64_t *end_ms);
void database_day_name(int64_t ms, char name[DATABASE_NAME_SIZE]);
bool database_day_end(const char *name, int64_t *end_ms);

/* Tells the files of a directory, in any order. 0 or an errno. */
typedef void database_file_fn(void *context, const char *name, int64_t end_ms);
int database_each_file(const char *directory, database_file_fn *each, void *context);

/* Opens a file. With may_write it is made, with its tables, if need be. SQLITE_OK, or an error of
 * SQLite: SQLITE_NOTADB for a file of something else, SQLITE_MISMATCH for one of another version of
 * dCAMP, which is left untouched. *db is to be closed by database_close() in any case. */
int database_open(const char *path, bool may_write, sqlite3 **db);

/* The same for a reader. No file is made or changed, so that a reader is not in the way of the
 * writer and needs no rights to write. A file that a writer has open is read together with its log
 * (-wal and -shm, which must both be readable). A file that nobody has open has no log: *is_frozen
 * is true, and it is read as if it could not change. The reader must then call
 * database_has_changed() afterwards, because what it read may be wrong if the file has changed.
 * SQLITE_CANTOPEN: for example, there is a log without a -shm. SQLITE_MISMATCH: another version of
 * dCAMP has written the file. */
struct database_stamp {
    int64_t size, changed_s, changed_ns;
    uint64_t file;
};
int database_read(const char *path, sqlite3 **db, bool *is_frozen, struct database_stamp *stamp);
bool database_has_changed(const char *path, const struct database_stamp *stamp);

void database_close(sqlite3 *db);

/* Opens a file that was written earlier, in order to remove something from it. */
int database_open_old(const char *path, sqlite3 **db);

/* How many octets the file has, with those in its journal, but without free pages. */
int database_size(sqlite3 *db, int64_t *octets);

/* Gives the room of what was removed back to the file system. *is_held: the journal could not be
 * emptied, since somebody reads it; this does not wait for them. */
int database_shrink(sqlite3 *db, bool *is_held);

/* Runs SQL that returns no rows. */
int database_run(sqlite3 *db, const char *sql);

/* The month of an open file: larger for a later one; 0: its name has none. */
uint32_t database_month(sqlite3 *db);

/* Whether the file has a table: those of minutes, alarms, steps and tops are removed before it. */
bool database_has_table(sqlite3 *db, const char *table);

/* Prepares a statement, from a format with at most one %s for the name of a table of ours. NULL:
 * sqlite3_errcode() says why. */
sqlite3_stmt *database_prepare(sqlite3 *db, const char *format, const char *table);

/* Binds the parameters from the first on: "i" an int64_t, "t" a text, "b" octets and a size_t. They
 * must stay until the statement is reset. */
int database_bind(sqlite3_stmt *statement, const char *kinds, ...);

/* Runs a statement to its end, and resets it. */
int database_finish(sqlite3_stmt *statement);

/* The errno for an error of SQLite; EBADMSG: the file is broken; EPROTO: it is of another version.
 */
int database_errno(int code);

/* The statements of one connection that are used again and again, found by the addresses of their
 * texts, which are constants. If all octets except db are zero, there are none yet. */
#define STATEMENTS_MAX 64
struct statements {
    sqlite3 *db;
    size_t n;
    struct {
        const char *text;
        sqlite3_stmt *statement;
    } at[STATEMENTS_MAX];
};

/* The statement, reset; NULL as above. */
sqlite3_stmt *statements_get(struct statements *sql, const char *text);

/* Binds the parameters, runs the statement to its end, and resets it. */
int statements_run(struct statements *sql, const char *text, const char *kinds, ...);

/* Likewise; gives the integer in the first column of its row, or 0 if there is no row. */
int statements_find(struct statements *sql, int64_t *number, const char *text, const char *kinds,
                    ...);

/* Frees the statements, not the connection. */
void statements_release(struct statements *sql);

#endif
