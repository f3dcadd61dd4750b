/* What of a segment is not read again: entries of tops and records of steps are most of a file, and
 * wanted seldom. A panel keeps its kind and its place for as long as the file is there, so that
 * what one reading has seen tells the next ones which panels to leave out. Pure. */
#ifndef DCAMP_APPLICATION_GAPS_H
#define DCAMP_APPLICATION_GAPS_H

#include <stddef.h>
#include <stdint.h>

#include "application/segment.h"

/* Fewer panels than these are read sooner than a system call is made to leave them out. */
#define GAPS_LEAST 8

/* So many panels behind the last one that was in use are read, to see whether there are more: a few
 * threads may have taken panels at the same time, of which the last ones are in use first. */
#define GAPS_MARGIN 16

struct gap {
    uint32_t first, panels;
};

/* All zero octets know nothing: all is read. */
struct gaps {
    struct gap *gap; /* in order; the last one may have fewer panels than GAPS_LEAST */
    size_t n, room;
    uint32_t panels; /* what these are is known: up to the last one that was in use */
};

void gaps_release(struct gaps *gaps);

/* Learns of the panels that have come since. ENOMEM: not of all of them, which are read again then.
 */
int gaps_learn(struct gaps *gaps, const struct segment *segment);

#endif
