/* An ordered index of rows: look-up in O(1), successor of any key in O(log n), successor of a row
 * in O(1) amortized. Every table of the MIB is walked by such an index.
 *
 * A key is the instance part of an OID, as sub-identifiers: the order of the keys is the
 * lexicographic order of RFC 2578, section 7.7. Rows embed a struct index_node; the index owns
 * neither the rows nor their keys, and both must outlive their membership.
 *
 * Where there are very many rows, their keys take most of the memory. Therefore a key may be in two
 * parts, so that rows share what they have in common: they share the beginning by pointing to the
 * same key, and the end by pointing to the same tail. */
#ifndef DCAMP_BASE_INDEX_H
#define DCAMP_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <bsd/sys/tree.h>

struct index_tail {
    const uint32_t *key;
    uint32_t len; /* in sub-identifiers */
};

struct index_node {
    const uint32_t *key;
    const struct index_tail *tail; /* the end of the key; NULL: the key is whole */
    uint32_t key_len;              /* in sub-identifiers, without the tail */
    uint32_t hash;                 /* of the whole key; used by the index only, like what follows */
    struct index_node *next;       /* in the same bucket */
    RB_ENTRY(index_node) link;
};

RB_HEAD(index_tree, index_node);

struct index {
    struct index_node **buckets;
    size_t n_buckets; /* a power of two; 0: none yet */
    struct index_tree tree;
    size_t count;
};

void index_init(struct index *index);

/* Frees what the index itself holds; the rows are the caller's. */
void index_release(struct index *index);

/* Adds a node whose key, key_len and tail are set. False, and no change, if the key is taken. */
bool index_add(struct index *index, struct index_node *node);
void index_remove(struct index *index, struct index_node *node);

struct index_node *index_find(const struct index *index, const uint32_t *key, size_t len);

/* One of several look-ups that are made together. */
struct index_query {
    const struct index *index; /* NULL: nothing is looked up */
    const uint32_t *key;
    size_t len;
    struct index_node *found; /* the answer */
    uint32_t hash;            /* of the key; used by index_find_all only */
};

/* Does the same as index_find for each query, but in less time: a large index does not fit into the
 * caches, and here all queries wait for memory at the same time. */
void index_find_all(struct index_query *queries, size_t n);

/* The first node with a key greater than the given one; with len 0, the first of all. */
struct index_node *index_after(const struct index *index, const uint32_t *key, size_t len);

struct index_node *index_first(const struct index *index);
struct index_node *index_next(struct index_node *node);

/* The whole key: its length in sub-identifiers, and a copy of it, for which key has room. */
size_t index_key_length(const struct index_node *node);
void index_key_copy(const struct index_node *node, uint32_t *key);

/* Writes text as a length-prefixed index component (RFC 2578, section 7.7) and returns the number
 * of sub-identifiers, strlen(text) + 1. The caller ensures that there is room. */
uint32_t index_key_text(uint32_t *key, const char *text);

/* The same for at most max octets: of a longer text the end is written, behind a '~'. */
uint32_t index_key_end(uint32_t *key, const char *text, uint32_t max);

#endif
