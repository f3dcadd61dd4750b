/* How far the records of steps of one shard have been read: which are new, and which are lost
 * because the ring wrapped around before they were read. Pure.
 *
 * Records have numbers from 1 on. A thread takes a number first and then writes the record, so that
 * a record may be missing although later ones are there: it is waited for until the ring has
 * wrapped around. */
#ifndef DCAMP_APPLICATION_STEPS_H
#define DCAMP_APPLICATION_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "libdcamp/segment.h"

/* An all-zero struct is a ring of which nothing was read. */
struct steps {
    uint64_t head;                     /* the highest number that was given out */
    uint64_t base;                     /* the fate of all records up to this number is known */
    uint64_t taken[SEGMENT_RING / 64]; /* bit n % SEGMENT_RING: record n, which is in (base, base +
                                          SEGMENT_RING], was taken */
};

/* The ring has come to another number, which is segment_shard.steps. Returns how many records are
 * lost: they were not taken, and cannot be taken any more. If the number has fallen, it is that of
 * another ring: only what comes after that number is read of it. */
uint64_t steps_advance(struct steps *steps, uint64_t head);

/* All records up to that number count as taken. */
void steps_skip(struct steps *steps, uint64_t head);

/* The records that have to be looked at are steps.base + 1 to steps.head, except for those that
 * were taken. */
bool steps_was_taken(const struct steps *steps, uint64_t number);
void steps_take(struct steps *steps, uint64_t number);

#endif
