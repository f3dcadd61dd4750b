/* The keys of tops of many children, merged: what has most over all of them.
 *
 * Each value of an aggregate, but for those of top and share, has them where its series do. Counts
 * and errors stay bounds of what was really added for a key on the children that are there: of a
 * child that does not name it, as much as that child says that an absent key may have is added to
 * both. They are merged anew when a child has told others, at most once in a while that grows with
 * the number of series, and then told to the parent of this node. */
#ifndef DCAMP_ROLLUP_TOPS_H
#define DCAMP_ROLLUP_TOPS_H

#include "rollup/value.h"

/* At most once in so long, and that much longer for each series, they are merged. */
#define ROLLUP_TOP_PAUSE_NS NS_PER_S
#define ROLLUP_TOP_PAUSE_OF_SERIES_NS (10 * NS_PER_MS)

/* A row of dcampAggregateTopTable. */
struct rollup_key {
    struct rollup_value *value;
    uint32_t rank;      /* from 1 on */
    bool is_guaranteed; /* no key without a row can have more */
    struct top_key key;
};

/* Its rows are in the accounts of the children (children/bound.h): a row is of a key that one of
 * them has told at least. */
struct rollup_top {
    size_t n;
    struct rollup_key row[];
};

/* Begins a step of the aggregate. Returns the newest block, for rollup_top_step: a step tells keys
 * until few blocks are full, and what has waited is told before what was told already. */
uint32_t rollup_tops_begin(const struct rollup_values *values, struct rollup *rollup);

/* Merges the keys of the series of a group into its value, which is shown, and tells them, if it is
 * time. */
void rollup_top_step(const struct rollup_values *values, struct rollup *rollup,
                     const struct aggregate_group *group, uint32_t newest, struct moment now);

/* The value has no keys any more. */
void rollup_top_forget(struct rollup_value *value);

/* The rows of all values, in the order of the table: the index of a value, then the rank. That of
 * an index; the first one behind an index, with len 0 the first of all; the one behind another.
 * NULL: there is none. The index of a row, and its length. */
const struct rollup_key *rollup_top_find(const struct rollup_values *values, const uint32_t *key,
                                         size_t len);
const struct rollup_key *rollup_top_after(const struct rollup_values *values, const uint32_t *key,
                                          size_t len);
const struct rollup_key *rollup_top_next(const struct rollup_key *row);
size_t rollup_top_key(const struct rollup_key *row, uint32_t *key);

#endif
