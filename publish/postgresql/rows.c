#include "publish/postgresql/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define OID_INT8 20
#define OID_FLOAT8 701
#define EPOCH_MS INT64_C(946684800000)     /* 2000-01-01, from which PostgreSQL counts */
#define LATEST_MS INT64_C(253402300799999) /* the end of 9999 */
#define REPLACEMENT "\xef\xbf\xbd"

static const char header[19] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0";

void rows_release(struct rows *rows)
{
    free(rows->octets);
    *rows = (struct rows){.octets = NULL};
}

void rows_clear(struct rows *rows)
{
    rows->len = 0;
    rows->n = 0;
    rows->is_short = false;
}

/* NULL: no memory. */
static uint8_t *grow(struct rows *rows, size_t len)
{
    size_t room = rows->room ? rows->room : 4096;
    while (room - rows->len < len)
        room *= 2;
    if (room > rows->room) {
        uint8_t *larger = realloc(rows->octets, room);
        if (!larger) {
            rows->is_short = true;
            return NULL;
        }
        rows->octets = larger;
        rows->room = room;
    }
    rows->len += len;
    return rows->octets + rows->len - len;
}

static void put(struct rows *rows, const void *octets, size_t len)
{
    uint8_t *to = rows->is_short ? NULL : grow(rows, len);
    if (to && len)
        memcpy(to, octets, len);
}

static void put_number(struct rows *rows, uint64_t number, unsigned len)
{
    uint8_t octets[8];
    for (unsigned i = 0; i < len; i++)
        octets[i] = (uint8_t)(number >> (8 * (len - 1 - i)));
    put(rows, octets, len);
}

static void put_column(struct rows *rows, uint64_t number, unsigned len)
{
    put_number(rows, len, 4);
    put_number(rows, number, len);
}

void rows_begin(struct rows *rows, int columns)
{
    if (rows->n++ == 0)
        put(rows, header, sizeof header);
    put_number(rows, (uint64_t)columns, 2);
}

void rows_end(struct rows *rows)
{
    put_number(rows, UINT64_MAX, 2);
}

void rows_null(struct rows *rows)
{
    put_number(rows, UINT64_MAX, 4);
}

void rows_int2(struct rows *rows, int16_t value)
{
    put_column(rows, (uint64_t)value, 2);
}

void rows_int4(struct rows *rows, int32_t value)
{
    put_column(rows, (uint64_t)value, 4);
}

void rows_int8(struct rows *rows, int64_t value)
{
    put_column(rows, (uint64_t)value, 8);
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void rows_float8(struct rows *rows, double value)
{
    put_column(rows, bits_of(value), 8);
}

/* Writes digits to the base 10,000, the first of which is not 0: how many there are, the exponent
 * of the first, sign and scale, which are 0, and the digits. */
void rows_uint64(struct rows *rows, uint64_t value)
{
    uint16_t digits[5];
    unsigned n = 0;
    for (; value > 0; value /= 10000)
        digits[n++] = (uint16_t)(value % 10000);
    put_number(rows, 8 + 2 * n, 4);
    put_number(rows, n, 2);
    put_number(rows, n > 0 ? n - 1 : 0, 2);
    put_number(rows, 0, 4);
    while (n > 0)
        put_number(rows, digits[--n], 2);
}

void rows_bool(struct rows *rows, bool value)
{
    put_column(rows, value, 1);
}

void rows_octets(struct rows *rows, const void *octets, size_t len)
{
    put_number(rows, len, 4);
    put(rows, octets, len);
}

/* -- Text ------------------------------------------------------------------------------------ */

/* Returns how long the text becomes; to may be NULL. */
static size_t clean(char *to, const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len;) {
        size_t step = text[i] ? text_utf8_length(text + i, len - i) : 0;
        const char *from = step ? text + i : REPLACEMENT;
        size_t octets = step ? step : strlen(REPLACEMENT);
        if (to)
            memcpy(to + n, from, octets);
        n += octets;
        i += step ? step : 1;
    }
    return n;
}

void rows_text(struct rows *rows, const char *text, size_t len)
{
    size_t n = clean(NULL, text, len);
    put_number(rows, n, 4);
    char *to = rows->is_short ? NULL : (char *)grow(rows, n);
    if (to)
        clean(to, text, len);
}

char *rows_clean_text(const char *text, size_t len)
{
    size_t n = clean(NULL, text, len);
    char *to = malloc(n + 1);
    if (!to)
        return NULL;
    clean(to, text, len);
    to[n] = '\0';
    return to;
}

/* -- Times and arrays ------------------------------------------------------------------------ */

void rows_time(struct rows *rows, int64_t wall_ms)
{
    int64_t ms = wall_ms < 0 ? 0 : wall_ms > LATEST_MS ? LATEST_MS : wall_ms;
    rows_int8(rows, (ms - EPOCH_MS) * 1000);
}

/* One dimension, without NULL, counted from 1 on; an empty array has no dimension. */
static void begin_array(struct rows *rows, uint32_t type, size_t n)
{
    put_number(rows, n ? 20 + 12 * n : 12, 4);
    put_number(rows, n ? 1 : 0, 4);
    put_number(rows, 0, 4);
    put_number(rows, type, 4);
    if (n) {
        put_number(rows, n, 4);
        put_number(rows, 1, 4);
    }
}

void rows_float8_array(struct rows *rows, const double *values, size_t n)
{
    begin_array(rows, OID_FLOAT8, n);
    for (size_t i = 0; i < n; i++)
        put_column(rows, bits_of(values[i]), 8);
}

void rows_int8_array(struct rows *rows, const int64_t *values, size_t n)
{
    begin_array(rows, OID_INT8, n);
    for (size_t i = 0; i < n; i++)
        put_column(rows, (uint64_t)values[i], 8);
}
