/* Space-Saving: the keys that have most, of any number of keys, in a fixed number of counters (A.
 * Metwally, D. Agrawal, A. El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data
 * Streams. ICDT 2005). Pure; one thread at a time.
 *
 * A key that no counter has takes the one with the smallest count and begins with that count, which
 * is its error: it may have had so much before. So no count is too small, none is too large by more
 * than its error, and no error exceeds the sum of all that was added divided by the counters.
 *
 * The keys and their errors are kept by the caller, by the indexes of the counters: the file has
 * them anyway, and an update takes the longer the more lines of the caches it needs. */
#ifndef DCAMP_SPACE_SAVING_H
#define DCAMP_SPACE_SAVING_H

#include <stddef.h>
#include <stdint.h>

#define SPACE_SAVING_COUNTERS 1000
#define SPACE_SAVING_CELLS 2048
#define SPACE_SAVING_MARKS 1024 /* more than indexes: the rest of a mark is of the hash */
#define SPACE_SAVING_GROUP 32
#define SPACE_SAVING_GROUPS ((SPACE_SAVING_COUNTERS + SPACE_SAVING_GROUP - 1) / SPACE_SAVING_GROUP)

/* The low bits of a key's hash say the cell of its counter; where that is taken, it is the next one
 * that was empty. */
struct space_saving_cell {
    uint32_t mark;  /* 22 bits of the hash and one more than the index of the counter; 0: empty */
    uint32_t where; /* the caller's: where the key is */
};

/* All zero octets, but for limit, are an empty one. */
struct space_saving {
    uint32_t limit; /* how many counters there may be: up to SPACE_SAVING_COUNTERS */
    uint32_t size;  /* how many there are */

    /* The count that was the smallest last, and the counter that had it. No count is smaller. */
    uint64_t least;
    uint32_t cursor;

    /* The smallest count of each group of counters as it once was, and no more than it is now: a
     * count that grows does not touch it. */
    uint64_t lowest[SPACE_SAVING_GROUPS];
    uint64_t count[SPACE_SAVING_COUNTERS];

    struct space_saving_cell cell[SPACE_SAVING_CELLS];
    uint16_t home[SPACE_SAVING_COUNTERS]; /* the cell that the hash of a counter's key says */
};

/* The counter of a cell that is not empty. */
static inline uint32_t space_saving_index(const struct space_saving_cell *cell)
{
    return cell->mark % SPACE_SAVING_MARKS - 1;
}

/* The same key always gives the same number, with the same seed; nobody who does not know it can
 * make many keys of one number. */
uint32_t dcamp_space_saving_hash(const char *key, size_t length, uint64_t seed);

/* The cells of the counters whose keys may have that hash, one after the other: the caller compares
 * the keys. *place is the hash first, and is changed for the next one. NULL: there is none, or no
 * more. */
const struct space_saving_cell *dcamp_space_saving_find(const struct space_saving *saving,
                                                        uint32_t hash, uint32_t *place);

/* Adds n to a counter; its count then. */
uint64_t dcamp_space_saving_add(struct space_saving *saving, uint32_t index, uint64_t n);

/* Gives a key that has none a counter with n: a new one, while size is below limit, or else that
 * with the smallest count, which *error becomes. Its cell, where the caller says where the key is;
 * NULL if limit is 0. */
struct space_saving_cell *dcamp_space_saving_take(struct space_saving *saving, uint32_t hash,
                                                  uint64_t n, uint64_t *error);

#endif
