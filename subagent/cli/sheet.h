/* Rows for people and for programs: a table, tab-separated values, JSON. Pure but for memory.
 *
 * Texts may come from a node: what is not a printable character of UTF-8 becomes '?' when it is put
 * in, whatever comes out later, so that nothing reaches a terminal that it would obey. */
#ifndef DCAMP_CLI_SHEET_H
#define DCAMP_CLI_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum sheet_kind {
    SHEET_TEXT,
    SHEET_NUMBER,
    SHEET_TIME, /* milliseconds since 1970 UTC */
    SHEET_SPAN, /* milliseconds; the table has them in units that fit */
    SHEET_TRUTH /* 0 or 1 */
};

struct sheet_column {
    const char *name;    /* of the column of TSV and the member of JSON */
    const char *heading; /* of the table; NULL: it is not in the table */
    enum sheet_kind kind;
};

/* One value on its way in: text for SHEET_TEXT, number for all others. Empty text, and what is not
 * given, is null in JSON, nothing in TSV and "-" in the table. */
struct sheet_value {
    bool given;
    const char *text;
    size_t len; /* of text, which may have NULs */
    int64_t number;
};

enum sheet_format {
    SHEET_TABLE, /* aligned; local time with its zone */
    SHEET_TSV,   /* a line with the names first; local time with its zone */
    SHEET_JSON   /* an object on each line; times in UTC as RFC 3339 has them */
};

struct sheet;

/* Whether a character of UTF-8 is printable, so that no terminal obeys it. */
bool sheet_is_harmless(const char *at, size_t octets);

/* A copy of a text with what is not printable as '?', for what is told outside of a sheet; the
 * caller frees it. NULL: no memory. */
char *sheet_clean(const char *text, size_t len);

/* The columns must stay where they are. NULL: no memory. */
struct sheet *sheet_new(const struct sheet_column *columns, size_t n);
void sheet_free(struct sheet *sheet);

/* Adds a row: a value for each column. False: no memory. */
bool sheet_add(struct sheet *sheet, const struct sheet_value *values);

/* The headings of the table are left out if there are no rows, or if all of them are empty. False:
 * no memory. */
bool sheet_print(struct sheet *sheet, enum sheet_format format, FILE *to);

/* Removes all rows, so that others can come. These are printed below what was printed: in columns
 * that are as wide, and without headings or names if there were some. */
void sheet_clear(struct sheet *sheet);

#endif
