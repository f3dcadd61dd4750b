/* Space-Saving: finds the keys with the largest amounts, among any number of keys, with a fixed
 * number of counters (A. Metwally, D. Agrawal, A. El Abbadi: Efficient Computation of Frequent and
 * Top-k Elements in Data Streams. ICDT 2005). Pure; for one thread at a time.
 *
 * A key without a counter takes over the one with the smallest count and begins with that count,
 * which is its error: it may have had so much before. So no count is too small, none is too large
 * by more than its error, and no error exceeds the sum of all that was added divided by the number
 * of counters.
 *
 * The caller keeps the keys and their errors, by the indexes of the counters: the file has them
 * anyway, and the more cache lines an update needs, the longer it takes. */
#ifndef DCAMP_SPACE_SAVING_H
#define DCAMP_SPACE_SAVING_H

#include <stddef.h>
#include <stdint.h>

#define SPACE_SAVING_COUNTERS 1000
#define SPACE_SAVING_CELLS 2048
#define SPACE_SAVING_MARKS 1024 /* more than indexes: the rest of a mark is from the hash */
#define SPACE_SAVING_GROUP 32
#define SPACE_SAVING_GROUPS ((SPACE_SAVING_COUNTERS + SPACE_SAVING_GROUP - 1) / SPACE_SAVING_GROUP)

/* The low bits of a key's hash give the cell of its counter; if that was taken, the counter is in
 * the next cell that was empty. */
struct space_saving_cell {
    uint32_t mark;  /* 22 bits of the hash, and the index of the counter plus 1; 0: empty */
    uint32_t where; /* for the caller: where the key is */
};

/* All zero octets, except limit: it is empty. */
struct space_saving {
    uint32_t limit; /* largest number of counters, up to SPACE_SAVING_COUNTERS */
    uint32_t size;  /* number of counters */

    /* The smallest count of the last search, and the counter that had it. No count is smaller. */
    uint64_t least;
    uint32_t cursor;

    /* For each group of counters, the smallest count at an earlier time, which is at most the
     * present one: it is not updated when a count grows. */
    uint64_t lowest[SPACE_SAVING_GROUPS];
    uint64_t count[SPACE_SAVING_COUNTERS];

    struct space_saving_cell cell[SPACE_SAVING_CELLS];
    uint16_t home[SPACE_SAVING_COUNTERS]; /* the cell that the hash of a counter's key gives */
};

/* The counter of a cell that is not empty. */
static inline uint32_t space_saving_index(const struct space_saving_cell *cell)
{
    return cell->mark % SPACE_SAVING_MARKS - 1;
}

/* The same key always gives the same number with the same seed. Without knowing the seed, nobody
 * can make many keys with the same number. */
uint32_t dcamp_space_saving_hash(const char *key, size_t length, uint64_t seed);

/* The cells of the counters whose keys may have that hash, one by one: the caller compares the
 * keys. *place is the hash at first, and is changed for the next call. Returns NULL if there are no
 * more. */
const struct space_saving_cell *dcamp_space_saving_find(const struct space_saving *saving,
                                                        uint32_t hash, uint32_t *place);

/* Adds n to a counter and returns its new count. */
uint64_t dcamp_space_saving_add(struct space_saving *saving, uint32_t index, uint64_t n);

/* Gives a key without a counter one, with n: a new counter while size is below limit, otherwise the
 * one with the smallest count, which *error becomes. Returns its cell, in which the caller notes
 * where the key is; NULL if limit is 0. */
struct space_saving_cell *dcamp_space_saving_take(struct space_saving *saving, uint32_t hash,
                                                  uint64_t n, uint64_t *error);

#endif
