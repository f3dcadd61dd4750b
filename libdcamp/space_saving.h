/* Space-Saving: the keys that have most, of any number of keys, in a fixed number of counters (A.
 * Metwally, D. Agrawal, A. El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data
 * Streams. ICDT 2005). Pure; one thread at a time.
 *
 * A key that no counter has takes the one with the smallest count and begins with that count, which
 * is its error: it may have had so much before. So no count is too small, none is too large by more
 * than its error, and no error exceeds the sum of all that was added divided by the counters. */
#ifndef DCAMP_SPACE_SAVING_H
#define DCAMP_SPACE_SAVING_H

#include <stddef.h>
#include <stdint.h>

#define SPACE_SAVING_COUNTERS 1000
#define SPACE_SAVING_KEY 64
#define SPACE_SAVING_CHAINS 2048
#define SPACE_SAVING_GROUP 32
#define SPACE_SAVING_GROUPS ((SPACE_SAVING_COUNTERS + SPACE_SAVING_GROUP - 1) / SPACE_SAVING_GROUP)

/* Keys of up to 56 octets are mostly in the line of the caches that the hash is in. */
struct space_saving_key {
    uint32_t hash;
    uint16_t next; /* of its chain: one more than its index; 0: the last */
    uint8_t length;
    char octets[SPACE_SAVING_KEY];
};

/* All zero octets, but for limit, are an empty one. */
struct space_saving {
    uint32_t limit; /* how many counters there may be: up to SPACE_SAVING_COUNTERS */
    uint32_t size;  /* how many there are */

    /* The smallest count of each group of counters as it once was, and no more than it is now: a
     * count that grows does not touch it. */
    uint64_t lowest[SPACE_SAVING_GROUPS];
    uint64_t count[SPACE_SAVING_COUNTERS];
    uint64_t error[SPACE_SAVING_COUNTERS];
    uint16_t chain[SPACE_SAVING_CHAINS]; /* the first of it, as next */
    struct space_saving_key key[SPACE_SAVING_COUNTERS];
};

/* The same key always gives the same number, with the same seed; nobody who does not know it can
 * make many keys of one number. */
uint32_t dcamp_space_saving_hash(const char *key, size_t length, uint64_t seed);

/* The index of the counter of a key; -1: it has none. */
int dcamp_space_saving_find(const struct space_saving *saving, const char *key, size_t length,
                            uint32_t hash);

/* Adds n to a counter. */
void dcamp_space_saving_add(struct space_saving *saving, int index, uint64_t n);

/* Gives a key that has none a counter with n: a new one, while size is below limit, or else that
 * with the smallest count. Its index; -1 if limit is 0. */
int dcamp_space_saving_take(struct space_saving *saving, const char *key, size_t length,
                            uint32_t hash, uint64_t n);

#endif
