/* The keys of tops that programs publish: when they are told to the parent, in the report blocks.
 *
 * This concerns sensors on tops that have a window and the information level that histograms need.
 * Each of their series tells the keys with the largest counts once per window, in one of its
 * passes. The keys are read for that only: the pass that begins a round just asks for them, and the
 * next one has them. A pass tells only so many blocks of keys; series that had to wait come first,
 * because no round begins before the last one is over. */
#ifndef DCAMP_SERIES_TELL_KEYS_H
#define DCAMP_SERIES_TELL_KEYS_H

#include "series/series.h"

/* A pass of a sensor tells keys until so many blocks are full, but at least those of one series. */
#define TELL_KEYS_BLOCKS 4

/* Begins a round if the last one is over. Returns the newest block, to be passed to tell_keys(). */
uint32_t tell_keys_begin(struct measure *measure, struct sensor *sensor, struct moment now);

/* Tells the keys of a series, if there is anything to tell and room. */
void tell_keys(struct measure *measure, struct series *series, const struct sample_slot *slot,
               uint32_t newest, struct moment now);

/* Whether keys must be read in the next pass over the programs, because a sensor whose keys wait is
 * due. */
bool tell_keys_wants(struct measure *measure, uint64_t now_ns);

#endif
