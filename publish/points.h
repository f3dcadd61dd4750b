/* Values of one series with their times, in few octets, and exactly: a chunk. Pure.
 *
 * A chunk is a string of bits (publish/bits.h): its version in 8 bits, and, each in 11 bits, how
 * many points there are and how many runs of points without a value. Of each run, how many points
 * are between the run before and it, and how many are in it, less 1, in 10 bits each; and one bit:
 * 0 for gaps, 1 for what is unavailable. Then the times in milliseconds (publish/integers.h).
 * Where there are values, 5 bits say how they are integers, 6 bits how many zeros at the end of all
 * of these are left out, and then these come:
 *   0 to 15: the value is the integer divided by ten to that power;
 *   16: the integer has the bits of the double; of a negative one, those of its magnitude inverted.
 * So what was measured in counts, hundredths or pages has few digits, and what was computed with
 * all bits of a double keeps them. */
#ifndef DCAMP_PUBLISH_POINTS_H
#define DCAMP_PUBLISH_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "calculate/calculate.h"
#include "publish/integers.h"

#define POINTS_MAX INTEGERS_MAX /* in a chunk */

/* So many octets a chunk has at most. */
#define POINTS_OCTETS_MAX (16 + 3 * POINTS_MAX + 2 * INTEGERS_OCTETS(POINTS_MAX))

struct point {
    int64_t wall_ms;
    /* Of any state but RESULT_WAITING; a value is finite, of others it is 0. */
    struct result result;
};

/* Writes n points, at least one and at most POINTS_MAX, to room for POINTS_OCTETS_MAX octets, and
 * returns how many these are. They may be in any order; ascending ones take least. */
size_t points_pack(const struct point *points, size_t n, uint8_t *octets);

/* The points of a chunk, in the order in which they were packed, into room for POINTS_MAX. NULL, or
 * what is wrong with the octets, which may be any. */
const char *points_unpack(const uint8_t *octets, size_t len, struct point *points, size_t *n);

#endif
