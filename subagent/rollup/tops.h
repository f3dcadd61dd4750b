/* The keys of tops of many children, merged: those with the largest counts over all of them.
 *
 * Each value of an aggregate, except for those of the functions top and share, has keys if its
 * series do. Counts and errors stay bounds of what was really added for a key on the children that
 * are there: for a child that does not name the key, the most that this child says an absent key
 * may have is added to both. Keys are merged anew when a child has told other ones, at most once in
 * an interval that grows with the number of series, and are then told to the parent of this
 * node. */
#ifndef DCAMP_ROLLUP_TOPS_H
#define DCAMP_ROLLUP_TOPS_H

#include "rollup/value.h"

/* The shortest time between two merges, and how much longer it is for each series. */
#define ROLLUP_TOP_PAUSE_NS NS_PER_S
#define ROLLUP_TOP_PAUSE_OF_SERIES_NS (10 * NS_PER_MS)

/* A row of dcampAggregateTopTable. */
struct rollup_key {
    struct rollup_value *value;
    uint32_t rank;      /* from 1 on */
    bool is_guaranteed; /* no key without a row can have a larger count */
    struct top_key key;
};

/* Its rows are charged to the children (children/bound.h): each row is of a key that at least one
 * of them has told. */
struct rollup_top {
    size_t n;
    struct rollup_key row[];
};

/* Begins a step of the aggregate. Returns the newest block, to be passed to rollup_top_step: a step
 * tells keys until a few blocks are full, and keys that have waited are told before those that were
 * told already. */
uint32_t rollup_tops_begin(const struct rollup_values *values, struct rollup *rollup);

/* Merges the keys of the series of a group into its value, which must be shown, and tells them, if
 * it is time. */
void rollup_top_step(const struct rollup_values *values, struct rollup *rollup,
                     const struct aggregate_group *group, uint32_t newest, struct moment now);

/* The value has no keys any more. */
void rollup_top_forget(struct rollup_value *value);

/* The rows of all values, in the order of the table: the index of a value, then the rank. In this
 * order: the row with an index; the first row behind an index, where len 0 means the first of all;
 * the row behind another one; NULL: there is none. The last writes the index of a row and returns
 * its length. */
const struct rollup_key *rollup_top_find(const struct rollup_values *values, const uint32_t *key,
                                         size_t len);
const struct rollup_key *rollup_top_after(const struct rollup_values *values, const uint32_t *key,
                                          size_t len);
const struct rollup_key *rollup_top_next(const struct rollup_key *row);
size_t rollup_top_key(const struct rollup_key *row, uint32_t *key);

#endif
