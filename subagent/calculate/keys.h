/* The keys that have most of something: the merged counts of several Space-Saving counters, of
 * threads, of processes and of processes that have ended. They are merged as in P. K. Agarwal, G.
 * Cormode, Z. Huang, J. M. Phillips, Z. Wei, K. Yi: Mergeable Summaries. PODS 2012. Pure.
 *
 * What was really added for a key is never more than its count, and never less than its count minus
 * its error. For a key that is not in the list it is never more than `absent`. */
#ifndef DCAMP_CALCULATE_KEYS_H
#define DCAMP_CALCULATE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libdcamp/segment.h"

/* At most so many keys are kept: those with the smallest counts are removed. */
#define KEYS_MAX SEGMENT_TOP_ENTRIES

struct top_key {
    uint64_t count, error;    /* they stay at UINT64_MAX if they would exceed it */
    char octets[SEGMENT_KEY]; /* padded with zeros; they come from the program, so that they may be
                                 any octets */
};

/* All zero octets are an empty list. */
struct top_keys {
    struct top_key *key; /* in ascending order of their octets; no two are the same */
    size_t size;
    uint64_t absent;
};

void keys_release(struct top_keys *keys);

/* Puts keys into the order that keys_merge() requires. Of a key that occurs twice, the entry with
 * the larger count stays. Returns how many there are then. */
size_t keys_sort(struct top_key *key, size_t n);

/* Adds the keys of another counter, which are in order. ENOMEM: nothing was added. */
int keys_merge(struct top_keys *into, const struct top_key *key, size_t n, uint64_t absent);

/* Keeps at most that many keys, those with the largest counts; what is said above about counts and
 * `absent` stays true. */
void keys_cut(struct top_keys *keys, size_t most);

/* Finds the k keys with the largest counts, the largest first, or fewer if there are not so many;
 * returns how many. *rest: no other key can have more than that. So a key certainly belongs to the
 * first k if its count minus its error is at least *rest. */
size_t keys_most(const struct top_keys *keys, struct top_key *most, size_t k, uint64_t *rest);

#endif
