#include "cli/sheet.h"

#include <jansson.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "cli/span.h"

#define TIME_SIZE 40
_Static_assert(TIME_SIZE >= SPAN_SIZE, "room for a span");

struct sheet_cell {
    bool given;
    char *text; /* of SHEET_TEXT; clean */
    int64_t number;
};

struct sheet {
    const struct sheet_column *columns;
    size_t n_columns;
    struct sheet_cell *fields; /* row by row */
    size_t n_fields, room;
    size_t *widths; /* of the columns of the table, once they were measured */
    bool headed;    /* the headings are printed */
    bool continued; /* the rows stand below others, which had the headings */
};

struct sheet *sheet_new(const struct sheet_column *columns, size_t n)
{
    struct sheet *sheet = calloc(1, sizeof *sheet);
    if (sheet)
        *sheet = (struct sheet){.columns = columns, .n_columns = n};
    return sheet;
}

void sheet_clear(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->n_fields; i++)
        free(sheet->fields[i].text);
    sheet->n_fields = 0;
    sheet->continued = sheet->headed;
}

void sheet_free(struct sheet *sheet)
{
    if (!sheet)
        return;
    sheet_clear(sheet);
    free(sheet->fields);
    free(sheet->widths);
    free(sheet);
}

/* -- What comes in --------------------------------------------------------------------------- */

/* Unlike text_is_printable, it takes ';' and '|', which mean something in command files only. */
bool sheet_is_harmless(const char *at, size_t octets)
{
    return (octets == 1 && (*at == ';' || *at == '|')) || text_is_printable(at, octets);
}

char *sheet_clean(const char *text, size_t len)
{
    char *copy = malloc(len + 1), *to = copy;
    for (size_t i = 0, octets; copy && i < len; i += octets) {
        octets = text_utf8_length(text + i, len - i);
        if (octets && sheet_is_harmless(text + i, octets)) {
            memcpy(to, text + i, octets);
            to += octets;
        } else {
            octets = octets ? octets : 1;
            *to++ = '?';
        }
    }
    if (copy)
        *to = '\0';
    return copy;
}

static bool make_row_room(struct sheet *sheet)
{
    if (sheet->n_fields + sheet->n_columns <= sheet->room)
        return true;
    size_t room = sheet->room * 2 + sheet->n_columns * 16;
    struct sheet_cell *fields = reallocarray(sheet->fields, room, sizeof *fields);
    if (!fields)
        return false;
    sheet->fields = fields;
    sheet->room = room;
    return true;
}

bool sheet_add(struct sheet *sheet, const struct sheet_value *values)
{
    if (!make_row_room(sheet))
        return false;
    struct sheet_cell *row = sheet->fields + sheet->n_fields;
    bool complete = true;
    for (size_t i = 0; i < sheet->n_columns; i++) {
        bool text = sheet->columns[i].kind == SHEET_TEXT;
        row[i] = (struct sheet_cell){.given = values[i].given && (!text || values[i].len > 0),
                                     .number = values[i].number};
        if (text && row[i].given)
            complete = (row[i].text = sheet_clean(values[i].text, values[i].len)) && complete;
    }
    if (complete) {
        sheet->n_fields += sheet->n_columns;
        return true;
    }
    for (size_t i = 0; i < sheet->n_columns; i++)
        free(row[i].text);
    return false;
}

/* -- What goes out --------------------------------------------------------------------------- */

/* A time that no calendar has is shown as its number. */
static void format_time(char to[TIME_SIZE], int64_t wall_ms, bool universal)
{
    time_t seconds = (time_t)(wall_ms / 1000 - (wall_ms % 1000 < 0));
    unsigned tenths = (unsigned)((wall_ms - (int64_t)seconds * 1000) / 100);
    struct tm tm;
    char whole[TIME_SIZE];
    if (!(universal ? gmtime_r(&seconds, &tm) : localtime_r(&seconds, &tm)))
        text_format(to, TIME_SIZE, "%" PRId64, wall_ms);
    else if (universal && strftime(whole, sizeof whole, "%Y-%m-%dT%H:%M:%S", &tm))
        text_format(to, TIME_SIZE, "%s.%uZ", whole, tenths);
    else
        strftime(to, TIME_SIZE, "%Y-%m-%d %H:%M:%S%z", &tm);
}

/* Returns a value as text, which buffer may hold. */
static const char *field_text(const struct sheet_cell *field, enum sheet_kind kind, bool table,
                              char buffer[TIME_SIZE])
{
    if (!field->given)
        return table ? "-" : "";
    switch (kind) {
    case SHEET_TEXT:
        return field->text;
    case SHEET_TRUTH:
        return field->number ? "yes" : "no";
    case SHEET_TIME:
        format_time(buffer, field->number, false);
        return buffer;
    case SHEET_SPAN:
        if (table)
            span_format(buffer, field->number);
        else
            text_format(buffer, TIME_SIZE, "%" PRId64, field->number);
        return buffer;
    default:
        text_format(buffer, TIME_SIZE, "%" PRId64, field->number);
        return buffer;
    }
}

/* Counts characters, which are columns of a terminal but for those that are wide or have no
 * width. */
static size_t characters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void widen(size_t *width, const char *text)
{
    size_t needed = characters(text);
    if (needed > *width)
        *width = needed;
}

static void measure(const struct sheet *sheet)
{
    char buffer[TIME_SIZE];
    for (size_t i = 0; i < sheet->n_columns; i++)
        widen(&sheet->widths[i], sheet->columns[i].heading ? sheet->columns[i].heading : "");
    for (size_t i = 0; i < sheet->n_fields; i++) {
        size_t column = i % sheet->n_columns;
        widen(&sheet->widths[column],
              field_text(&sheet->fields[i], sheet->columns[column].kind, true, buffer));
    }
}

/* Numbers stand on the right. The last column is not filled up. */
static void print_aligned(const char *text, size_t width, bool right, bool last, FILE *to)
{
    size_t missing = width - characters(text);
    fprintf(to, "%*s%s", right ? (int)missing : 0, "", text);
    if (!last)
        fprintf(to, "%*s  ", right ? 0 : (int)missing, "");
}

/* Prints a row; NULL: the headings. */
static void print_table_row(const struct sheet *sheet, const struct sheet_cell *row, FILE *to)
{
    char buffer[TIME_SIZE];
    size_t last = sheet->n_columns;
    while (last > 0 && !sheet->columns[last - 1].heading)
        last--;
    for (size_t i = 0; i < last; i++) {
        const struct sheet_column *column = &sheet->columns[i];
        if (column->heading)
            print_aligned(row ? field_text(&row[i], column->kind, true, buffer) : column->heading,
                          sheet->widths[i],
                          column->kind == SHEET_NUMBER || column->kind == SHEET_SPAN, i + 1 == last,
                          to);
    }
    putc('\n', to);
}

static bool has_headings(const struct sheet *sheet)
{
    bool some = false;
    for (size_t i = 0; i < sheet->n_columns; i++)
        some = some || (sheet->columns[i].heading && sheet->columns[i].heading[0]);
    return some;
}

static bool print_table(struct sheet *sheet, FILE *to)
{
    if (!sheet->widths)
        sheet->widths = calloc(sheet->n_columns + 1, sizeof *sheet->widths);
    if (!sheet->widths)
        return false;
    measure(sheet);
    if (sheet->n_fields > 0 && !sheet->continued && has_headings(sheet))
        print_table_row(sheet, NULL, to);
    sheet->headed = sheet->headed || sheet->n_fields > 0;
    for (size_t i = 0; i < sheet->n_fields; i += sheet->n_columns)
        print_table_row(sheet, &sheet->fields[i], to);
    return true;
}

static bool print_tsv(struct sheet *sheet, FILE *to)
{
    char buffer[TIME_SIZE];
    for (size_t i = 0; !sheet->continued && i < sheet->n_columns; i++)
        fprintf(to, "%s%c", sheet->columns[i].name, i + 1 < sheet->n_columns ? '\t' : '\n');
    sheet->headed = true;
    for (size_t i = 0; i < sheet->n_fields; i++) {
        size_t column = i % sheet->n_columns;
        fprintf(to, "%s%c",
                field_text(&sheet->fields[i], sheet->columns[column].kind, false, buffer),
                column + 1 < sheet->n_columns ? '\t' : '\n');
    }
    return true;
}

static json_t *field_json(const struct sheet_cell *field, enum sheet_kind kind)
{
    char buffer[TIME_SIZE];
    if (!field->given)
        return json_null();
    switch (kind) {
    case SHEET_TEXT:
        return json_string(field->text);
    case SHEET_TRUTH:
        return json_boolean(field->number);
    case SHEET_TIME:
        format_time(buffer, field->number, true);
        return json_string(buffer);
    default:
        return json_integer(field->number);
    }
}

static bool print_json(const struct sheet *sheet, FILE *to)
{
    bool good = true;
    for (size_t row = 0; good && row < sheet->n_fields; row += sheet->n_columns) {
        json_t *object = json_object();
        for (size_t i = 0; good && i < sheet->n_columns; i++)
            good = json_object_set_new(
                       object, sheet->columns[i].name,
                       field_json(&sheet->fields[row + i], sheet->columns[i].kind)) == 0;
        char *line = good ? json_dumps(object, JSON_COMPACT | JSON_PRESERVE_ORDER) : NULL;
        good = line != NULL;
        if (line)
            fprintf(to, "%s\n", line);
        free(line);
        json_decref(object);
    }
    return good;
}

bool sheet_print(struct sheet *sheet, enum sheet_format format, FILE *to)
{
    switch (format) {
    case SHEET_TSV:
        return print_tsv(sheet, to);
    case SHEET_JSON:
        return print_json(sheet, to);
    default:
        return print_table(sheet, to);
    }
}
