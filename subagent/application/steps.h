/* How far the records of steps of one shard were read: which are new, and which are lost since the
 * ring came round before they were. Pure.
 *
 * Records have numbers from 1 on. A thread takes a number first and writes the record then, so that
 * a record may be missing though later ones are there: it is waited for until the ring has come
 * round. */
#ifndef DCAMP_APPLICATION_STEPS_H
#define DCAMP_APPLICATION_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "libdcamp/segment.h"

/* All zero octets are a ring of which nothing was read. */
struct steps {
    uint64_t head;                     /* the highest number that was given away */
    uint64_t base;                     /* what became of all records up to this number is known */
    uint64_t taken[SEGMENT_RING / 64]; /* bit n % SEGMENT_RING: record n, which is in (base, base +
                                          SEGMENT_RING], was taken */
};

/* The ring has come to another number, which is segment_shard.steps. How many records are lost:
 * they were not taken, and cannot be any more. A number that has fallen is that of another ring: of
 * that one only what comes after that number is read. */
uint64_t steps_advance(struct steps *steps, uint64_t head);

/* All records up to that number count as taken. */
void steps_skip(struct steps *steps, uint64_t head);

/* The records that are worth a look: steps.base + 1 to steps.head, but for those that were taken.
 */
bool steps_was_taken(const struct steps *steps, uint64_t number);
void steps_take(struct steps *steps, uint64_t number);

#endif
