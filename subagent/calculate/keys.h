/* The keys that have most of something: what several Space-Saving counters say together, of
 * threads, of processes and of processes that have ended. They are merged as in P. K. Agarwal, G.
 * Cormode, Z. Huang, J. M. Phillips, Z. Wei, K. Yi: Mergeable Summaries. PODS 2012. Pure.
 *
 * What was really added for a key is never more than its count, and never less than its count less
 * its error. For a key that is not there at all it is never more than `absent`. */
#ifndef DCAMP_CALCULATE_KEYS_H
#define DCAMP_CALCULATE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdcamp/segment.h"

/* More are never kept: those with the smallest counts go. */
#define KEYS_MAX SEGMENT_TOP_ENTRIES

struct top_key {
    uint64_t count, error;    /* they stay at UINT64_MAX where they would be more */
    char octets[SEGMENT_KEY]; /* padded with zeros; as the program has them, so that they may be any
                                 octets */
};

/* All zero octets are an empty one. */
struct top_keys {
    struct top_key *key; /* by their octets, in ascending order; no two are the same */
    size_t size;
    uint64_t absent;
};

void keys_release(struct top_keys *keys);

/* Puts keys into the order that keys_merge() wants. Of those that stand there twice, the one with
 * the larger count stays. How many there are then. */
size_t keys_sort(struct top_key *key, size_t n);

/* Adds what another counter says. The keys are in order. ENOMEM; then nothing was added. */
int keys_merge(struct top_keys *into, const struct top_key *key, size_t n, uint64_t absent);

/* Keeps at most that many, those with the largest counts; what is said above stays true. */
void keys_cut(struct top_keys *keys, size_t most);

/* The k keys with the largest counts, which come first, where there are so many; the number of
 * them. *rest: no other key can have more than that. So a key belongs to the first k for certain
 * where its count less its error is at least *rest. */
size_t keys_most(const struct top_keys *keys, struct top_key *most, size_t k, uint64_t *rest);

#endif
