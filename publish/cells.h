/* What is known of the values of a series in equal spans of time, minutes or hours: a row of cells.
 * Cells can be added up, so that a day of many nodes is as exact as an hour of one. Pure but for
 * the memory of the histograms.
 *
 * A cell has two statistics beside each other: of the values that were reported, and of the windows
 * that were. If there are windows, only they count: they cover all samples, including those that a
 * filter has held back, and the values are some of these samples.
 *
 * As octets, a row is a string of bits (base/bits.h), column by column, so that what is asked for
 * most is read without the rest. It begins with its version in 8 bits. Then, for the values, and
 * again for the windows: in 6 bits, how many cells have any; unless that is 0, the place of the
 * first such cell in 6 bits; and one bit, which is 1 if the others follow it without a hole, or 0
 * if a bit for each of the 60 places follows. Then, for the values and for the windows, if any:
 *   counts: 1, and one count for all: in 6 bits its number of bits, less 1, and these bits; or 0,
 *     and a list (publish/integers.h);
 *   least and largest: lists (publish/numbers.h), or where there are at most two, 64 bits for each
 *     double;
 *   mean and m2, likewise: after 1, n times the mean, and n times m2, as whole numbers of units: of
 *     the last decimal of the values, and of its square; after 0, as they are. m2 has 36
 *     bits behind its first one: 11 decimal digits;
 *   histograms: 1 if all cells have one, or 0, and a bit for each.
 * Zeros up to the next octet follow, and then the histograms of the values and of the windows,
 * except those that follow from all values being equal. Each is its length, seven bits in an octet,
 * the lowest first, with the highest bit of all but the last octet set; and then the octets of
 * calculate/histogram_packed.h. */
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

/* Those statistics of the cell that count; their count may be 0. */
const struct statistics_window *cell_statistics(const struct cell *cell);

/* Writes at most room octets and returns the length of the whole. If that plus CELLS_SLACK is more
 * than room, what was written may be of no use. When it is read again, a mean may be a few units of
 * its last place away, and m2 within 1e-11 of itself; if it is then written again, it stays the
 * same. A histogram that lacks some values of its cell is not written. */
#define CELLS_SLACK 16
size_t cells_pack(const struct cells *cells, uint8_t *octets, size_t room);

/* Adds to cells what the octets say, which are not trusted. 0; EBADMSG, with what is wrong in *why;
 * ENOMEM, EOVERFLOW: a part may have been added. */
int cells_add(struct cells *cells, const uint8_t *octets, size_t len, const char **why);

/* The same without histograms, which are most of the work. */
int cells_add_moments(struct cells *cells, const uint8_t *octets, size_t len, const char **why);

#endif
