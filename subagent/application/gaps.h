/* The parts of a segment that are not read again: entries of tops and records of steps are most of
 * a file, and seldom wanted. A panel keeps its kind and its place as long as the file exists, so
 * that one reading tells the next ones which panels to leave out. Pure. */
#ifndef DCAMP_APPLICATION_GAPS_H
#define DCAMP_APPLICATION_GAPS_H

#include <stddef.h>
#include <stdint.h>

#include "application/segment.h"

/* Reading fewer panels than this is faster than a system call to leave them out. */
#define GAPS_LEAST 8

/* So many panels behind the last one in use are read, to see whether there are more: a few threads
 * may have taken panels at the same time, and the last of these panels may be in use first. */
#define GAPS_MARGIN 16

struct gap {
    uint32_t first, panels;
};

/* An all-zero struct knows nothing: everything is read. */
struct gaps {
    struct gap *gap; /* in order; the last one may have fewer panels than GAPS_LEAST */
    size_t n, room;
    uint32_t panels; /* how many panels are known: up to the last one that was in use */
};

void gaps_release(struct gaps *gaps);

/* Learns of the panels that have come since. ENOMEM: some of them were not learnt, and are read
 * again. */
int gaps_learn(struct gaps *gaps, const struct segment *segment);

#endif
