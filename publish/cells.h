/* What is known of the values of a series in equal spans of time, minutes or hours: a row of cells.
 * Cells can be added up, so that a day of many nodes is as exact as an hour of one. Pure but for
 * the memory of the histograms.
 *
 * A cell has two statistics beside each other: of the values that were reported, and of the windows
 * that were. Where there are windows, they are what counts: they have all samples, those that a
 * filter has held back, too, and the values are some of these.
 *
 * As octets, a row is a string of bits (base/bits.h), column by column, so that what is asked for
 * most is read without the rest. Its version in 8 bits; and for the values, and then for the
 * windows: of how many cells there are some, in 6 bits; unless that is 0, the place of the first
 * one in 6 bits, and one bit: 1 where the others follow it without a hole, or else 0, and a bit for
 * each of the 60 places. Then, for the values and for the windows, if there are some:
 *   counts: 1, and one for all: in 6 bits how many bits it has, less 1, and these; or 0, and a list
 *           (publish/integers.h);
 *   least and largest: lists (publish/numbers.h), or where there are at most two, 64 bits for each
 *           double;
 *   mean and m2, likewise: after 1, n times the mean, and n times m2, in units of the last decimal
 *           of the values, and of its square, as whole numbers; after 0, as they are. m2 has 36
 *           bits behind its first one: 11 decimal digits;
 *   histograms: 1 where all cells have one, or 0, and a bit for each.
 * Behind zeros up to the next octet come the histograms of the values, and of the windows, but for
 * those that follow from all values being the same: the length of each, seven bits in an octet, the
 * lowest first, the highest bit of all but the last octet set; and calculate/histogram_packed.h. */
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
 * than room, what was written may be of no use. A mean may come out a few units of its last place
 * away, m2 within 1e-11 of itself; what is written again then stays as it is. A histogram that has
 * not all values of its cell is not written. */
#define CELLS_SLACK 16
size_t cells_pack(const struct cells *cells, uint8_t *octets, size_t room);

/* Adds what the octets say, which may be any, to cells. 0; EBADMSG, with what is wrong in *why;
 * ENOMEM, EOVERFLOW: a part may have been added. */
int cells_add(struct cells *cells, const uint8_t *octets, size_t len, const char **why);

/* The same without histograms, which is most of the work. */
int cells_add_moments(struct cells *cells, const uint8_t *octets, size_t len, const char **why);

#endif
