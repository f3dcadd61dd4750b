/* Rows for COPY in its binary form: nothing in a text can end a column or a row. Pure.
 *
 * The form is that of the manual of PostgreSQL, COPY, "Binary Format". */
#ifndef DCAMP_PUBLISH_POSTGRESQL_ROWS_H
#define DCAMP_PUBLISH_POSTGRESQL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* If all is zero, there are none. If there is no memory, is_short is set, and the rows are of no
 * use any more. */
struct rows {
    uint8_t *octets;
    size_t len, room;
    uint32_t n;
    bool is_short;
};

void rows_release(struct rows *rows);
/* Removes all rows; the memory is kept. */
void rows_clear(struct rows *rows);

/* Begins a row of so many columns, each of which is then put behind it. */
void rows_begin(struct rows *rows, int columns);
void rows_null(struct rows *rows);
void rows_int2(struct rows *rows, int16_t value);
void rows_int4(struct rows *rows, int32_t value);
void rows_int8(struct rows *rows, int64_t value);
void rows_float8(struct rows *rows, double value);
/* As numeric, which holds any of them. */
void rows_uint64(struct rows *rows, uint64_t value);
void rows_bool(struct rows *rows, bool value);
void rows_octets(struct rows *rows, const void *octets, size_t len);
/* Each octet that is not UTF-8, or is NUL, which PostgreSQL does not allow, becomes U+FFFD. */
void rows_text(struct rows *rows, const char *text, size_t len);
/* Milliseconds since 1970; a time before that, or after the year 9999, becomes the nearest of
 * these. */
void rows_time(struct rows *rows, int64_t wall_ms);
void rows_float8_array(struct rows *rows, const double *values, size_t n);
void rows_int8_array(struct rows *rows, const int64_t *values, size_t n);

/* Puts the trailer: no other rows follow. */
void rows_end(struct rows *rows);

/* A text as rows_text() writes it, from malloc(3), with a NUL behind it. NULL: no memory. */
char *rows_clean_text(const char *text, size_t len);

#endif
