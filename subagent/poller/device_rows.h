/* The rows of a table of a device, and the names of its instances. Pure but for memory. */
#ifndef DCAMP_POLLER_DEVICE_ROWS_H
#define DCAMP_POLLER_DEVICE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Names are no longer, so that the names of rows that differ do so in the core's keys, too: what is
 * longer has its end, behind a '~'. */
#define ROW_NAME_MAX 48

struct device_row {
    bool has_label;
    uint32_t n;
    uint32_t index[]; /* and behind it the label, with its NUL */
};

struct device_rows {
    struct device_row **at; /* by index, ascending */
    size_t n, room;
};

/* Adds a row behind all others. label: what its label column has, as the device says, or NULL; one
 * that cannot be shown is left out. False: no memory. */
bool rows_add(struct device_rows *rows, const unsigned long *index, size_t n, const uint8_t *label,
              size_t label_len);
void rows_free(struct device_rows *rows);

/* Writes its label, or else its index: "4.10.0.0.1". */
void row_name(const struct device_row *row, char name[ROW_NAME_MAX + 1]);

/* Rows with the label of one before them lose it; those whose names are still not their own are
 * taken out. Returns how many; SIZE_MAX: no memory, and nothing changed. */
size_t rows_make_unique(struct device_rows *rows);

/* Negative, 0 or positive: the order of object identifiers. */
int row_compare(const struct device_row *a, const struct device_row *b);

#endif
