/* What is known of the values of a series in equal spans of time, minutes or hours: a row of cells.
 * Cells can be added up, so that a day of many nodes is as exact as an hour of one. Pure but for
 * the memory of the histograms.
 *
 * A cell has two statistics beside each other: of the values that were reported, and of the windows
 * that were. Where there are windows, they are what counts: they have all samples, those that a
 * filter has held back, too, and the values are some of these.
 *
 * As octets, a row is numbers of CBOR (base/item.h), without arrays around them: its version, how
 * many cells it has, and of each, in ascending order, its place, and twice: the form of the
 * statistics; unless that is CELL_NONE, their count and minimum; of those that are not all equal,
 * maximum, mean and m2, too; of those, with a histogram, its length and its octets
 * (calculate/histogram_packed.h). */
#ifndef DCAMP_PUBLISH_CELLS_H
#define DCAMP_PUBLISH_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "calculate/statistics.h"

#define CELLS_MAX 60 /* in a row */

struct cell {
    struct statistics_window values, windows;
};

/* All zero octets are a row without values. */
struct cells {
    struct cell at[CELLS_MAX];
};

void cells_release(struct cells *cells);

/* What counts of it; its count may be 0. */
const struct statistics_window *cell_statistics(const struct cell *cell);

/* Writes at most room octets and returns the length of all; if CELLS_SLACK more than that is more
 * than room, what was written may be of no use. */
#define CELLS_SLACK 16
size_t cells_pack(const struct cells *cells, uint8_t *octets, size_t room);

/* Adds what the octets say, which may be any, to cells. 0; EBADMSG, with what is wrong in *why;
 * ENOMEM, EOVERFLOW: a part may have been added. */
int cells_add(struct cells *cells, const uint8_t *octets, size_t len, const char **why);

#endif
