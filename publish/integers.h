/* Lists of integers that are near to each other, in few bits: those between two points of time, and
 * those between two values. Pure.
 *
 * Each integer stands for itself, or for its difference from the one before, or for the difference
 * of that from the difference before (order 0, 1 or 2), whichever needs the fewest bits in all.
 * -1, 1, -2, 2, ... become 1, 2, 3, 4, ..., so that small ones have few bits. Each is written in
 * one of four widths that are chosen for the list; its prefix, 0, 10, 110 or 111, says in which. */
#ifndef DCAMP_PUBLISH_INTEGERS_H
#define DCAMP_PUBLISH_INTEGERS_H

#include "base/bits.h"

#define INTEGERS_MAX 1024 /* in a list */

/* How many octets a list needs at most. */
#define INTEGERS_OCTETS(n) (4 + ((n) * (3 + 64) + 7) / 8)

/* Writes n integers, at least one and at most INTEGERS_MAX. */
void integers_put(struct bit_writer *writer, const int64_t *integers, size_t n);

/* Takes n integers. False: the bits are no such list. */
bool integers_take(struct bit_reader *reader, int64_t *integers, size_t n);

#endif
