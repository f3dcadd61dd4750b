/* The rows of a table of a device, and the names of its instances. Pure but for memory. */
#ifndef DCAMP_POLLER_DEVICE_ROWS_H
#define DCAMP_POLLER_DEVICE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limit for names. It ensures that the names of different rows also differ in the core's keys;
 * of a longer name the end is kept, behind a '~'. */
#define ROW_NAME_MAX 48

struct device_row {
    bool has_label;
    uint32_t n;
    uint32_t index[]; /* followed by the label with its NUL */
};

struct device_rows {
    struct device_row **at; /* by index, ascending */
    size_t n, room;
};

/* Adds a row behind all others. label: the value in its label column, as the device says, or NULL;
 * a label that cannot be shown is left out. False: no memory. */
bool rows_add(struct device_rows *rows, const unsigned long *index, size_t n, const uint8_t *label,
              size_t label_len);
void rows_free(struct device_rows *rows);

/* Writes its label, or else its index: "4.10.0.0.1". */
void row_name(const struct device_row *row, char name[ROW_NAME_MAX + 1]);

/* Rows with the same label as a row before them lose it; rows whose names are still not unique are
 * taken out. Returns how many were taken out; SIZE_MAX: no memory, and nothing changed. */
size_t rows_make_unique(struct device_rows *rows);

/* Negative, 0 or positive: the order of object identifiers. */
int row_compare(const struct device_row *a, const struct device_row *b);

#endif
