#include "poller/device_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define ROOM_MIN 16

static const char *label_of(const struct device_row *row)
{
    return (const char *)&row->index[row->n];
}

/* Takes a label. Of a longer one it keeps the end, unless that would begin within a character. */
static bool take_label(char text[ROW_NAME_MAX + 1], const uint8_t *label, size_t len)
{
    const char *from = (const char *)label;
    if (!label || len == 0 || !text_is_printable(from, len))
        return false;
    bool cut = len > ROW_NAME_MAX;
    text[0] = '~';
    memcpy(text + cut, from + (cut ? len - (ROW_NAME_MAX - 1) : 0), cut ? ROW_NAME_MAX - 1 : len);
    size_t n = cut ? ROW_NAME_MAX : len;
    text[n] = '\0';
    return text_is_printable(text, n);
}

static bool make_row_room(struct device_rows *rows)
{
    if (rows->n < rows->room)
        return true;
    size_t room = rows->room ? 2 * rows->room : ROOM_MIN;
    struct device_row **more = reallocarray((void *)rows->at, room, sizeof *rows->at);
    if (!more)
        return false;
    rows->at = more;
    rows->room = room;
    return true;
}

bool rows_add(struct device_rows *rows, const unsigned long *index, size_t n, const uint8_t *label,
              size_t label_len)
{
    char text[ROW_NAME_MAX + 1] = "";
    bool has_label = take_label(text, label, label_len);
    size_t text_size = has_label ? strlen(text) + 1 : 0;
    struct device_row *row =
        make_row_room(rows) ? malloc(sizeof *row + n * sizeof *row->index + text_size) : NULL;
    if (!row)
        return false;
    row->has_label = has_label;
    row->n = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        row->index[i] = (uint32_t)index[i];
    memcpy(&row->index[n], text, text_size);
    rows->at[rows->n++] = row;
    return true;
}

void rows_free(struct device_rows *rows)
{
    while (rows->n > 0)
        free(rows->at[--rows->n]);
    free((void *)rows->at);
    *rows = (struct device_rows){0};
}

void row_name(const struct device_row *row, char name[ROW_NAME_MAX + 1])
{
    if (row->has_label) {
        memcpy(name, label_of(row), strlen(label_of(row)) + 1);
        return;
    }
    /* The name is written from its end on, because the end is what is kept. */
    char digits[12];
    size_t at = ROW_NAME_MAX;
    name[at] = '\0';
    for (size_t i = row->n; i-- > 0;) {
        size_t len = (size_t)snprintf(digits, sizeof digits, "%s%u", i ? "." : "", row->index[i]);
        size_t room = at, part = len <= room ? len : room;
        memcpy(name + at - part, digits + len - part, part);
        at -= part;
        if (part < len) {
            name[0] = '~';
            return;
        }
    }
    memmove(name, name + at, ROW_NAME_MAX - at + 1);
}

int row_compare(const struct device_row *a, const struct device_row *b)
{
    for (uint32_t i = 0; i < a->n && i < b->n; i++)
        if (a->index[i] != b->index[i])
            return a->index[i] < b->index[i] ? -1 : 1;
    return (a->n > b->n) - (a->n < b->n);
}

/* -- Names that are not unique -------------------------------------------------------------- */

struct name_place {
    size_t place;
    char name[ROW_NAME_MAX + 1];
};

static int compare_rows(const void *a, const void *b)
{
    const struct name_place *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->place > y->place) - (x->place < y->place);
}

typedef void duplicate_fn(struct device_rows *rows, size_t place);

static void for_each_duplicate(struct device_rows *rows, struct name_place *names,
                               duplicate_fn *act)
{
    for (size_t i = 0; i < rows->n; i++) {
        names[i].place = i;
        row_name(rows->at[i], names[i].name);
    }
    qsort(names, rows->n, sizeof *names, compare_rows);
    for (size_t i = 1; i < rows->n; i++)
        if (strcmp(names[i].name, names[i - 1].name) == 0)
            act(rows, names[i].place);
}

static void drop_label(struct device_rows *rows, size_t place)
{
    rows->at[place]->has_label = false;
}

static void drop_row(struct device_rows *rows, size_t place)
{
    free(rows->at[place]);
    rows->at[place] = NULL;
}

size_t rows_make_unique(struct device_rows *rows)
{
    size_t before = rows->n, left = 0;
    if (before == 0)
        return 0;
    struct name_place *names = calloc(before, sizeof *names);
    if (!names)
        return SIZE_MAX;
    for_each_duplicate(rows, names, drop_label);
    for_each_duplicate(rows, names, drop_row);
    free(names);
    for (size_t i = 0; i < before; i++)
        if (rows->at[i])
            rows->at[left++] = rows->at[i];
    rows->n = left;
    return before - left;
}
