/* Values of one series with their times, in few octets, and exactly: a chunk. Pure.
 *
 * A chunk is a string of bits (base/bits.h): its version in 8 bits, and, each in 11 bits, how
 * many points there are and how many runs of points without a value. Of each run, how many points
 * are between the run before and it, and how many are in it, less 1, in 10 bits each; and one bit:
 * 0 for gaps, 1 for what is unavailable. Then the times in milliseconds (publish/integers.h).
 * Where there are values, these come at the end (publish/numbers.h). */
#ifndef DCAMP_PUBLISH_POINTS_H
#define DCAMP_PUBLISH_POINTS_H

#include <stddef.h>
#include <stdint.h>

#include "calculate/calculate.h"
#include "publish/integers.h"

#define POINTS_MAX INTEGERS_MAX /* in a chunk */

/* How many octets a chunk has at most. */
#define POINTS_OCTETS_MAX (16 + 3 * POINTS_MAX + 2 * INTEGERS_OCTETS(POINTS_MAX))

struct point {
    int64_t wall_ms;
    /* Any state except RESULT_WAITING; a valid value is finite, others are 0. */
    struct result result;
};

/* Writes n points, at least one and at most POINTS_MAX, to room for POINTS_OCTETS_MAX octets, and
 * returns how many octets it has written. Points may be in any order; ascending ones take least. */
size_t points_pack(const struct point *points, size_t n, uint8_t *octets);

/* The times that were packed last, and their bits: the series of a node usually have the same
 * times. If all is zero, there are none. */
struct points_times {
    size_t n, bits;
    int64_t at[POINTS_MAX];
    uint8_t octets[INTEGERS_OCTETS(POINTS_MAX) + sizeof(uint64_t)];
};

/* Gives the same octets, sooner if the times are those of the call before. */
size_t points_pack_next(const struct point *points, size_t n, uint8_t *octets,
                        struct points_times *times);

/* Reads the points of a chunk, in the order in which they were packed, into room for POINTS_MAX.
 * NULL, or what is wrong with the octets, which are not trusted. */
const char *points_unpack(const uint8_t *octets, size_t len, struct point *points, size_t *n);

#endif
