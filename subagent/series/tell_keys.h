/* The keys of tops that programs publish: when they are told to the parent, in the report blocks.
 *
 * Of a sensor on tops that has a window and the information level that histograms need, each series
 * tells the keys that have most once in each window, in one of its passes. They are read for that:
 * the pass that begins a round only says so, the next one has them. A pass tells so many blocks of
 * them; series that had to wait come first, since no round begins before the last one is over. */
#ifndef DCAMP_SERIES_TELL_KEYS_H
#define DCAMP_SERIES_TELL_KEYS_H

#include "series/series.h"

/* A pass of a sensor tells keys until so many blocks are full, and those of one series at least. */
#define TELL_KEYS_BLOCKS 4

/* Begins a round if the last one is over. Returns the newest block, for the next. */
uint32_t tell_keys_begin(struct measure *measure, struct sensor *sensor, struct moment now);

/* Tells the keys of a series, if there is anything to tell and room. */
void tell_keys(struct measure *measure, struct series *series, const struct sample_slot *slot,
               uint32_t newest, struct moment now);

/* Whether keys are to be read in the next pass over the programs: a sensor is due that waits. */
bool tell_keys_wants(struct measure *measure, uint64_t now_ns);

#endif
