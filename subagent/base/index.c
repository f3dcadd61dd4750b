#include "base/index.h"

#include <string.h>

static int key_compare(const uint32_t *a, size_t a_len, const uint32_t *b, size_t b_len)
{
    size_t n = a_len < b_len ? a_len : b_len;
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return (a_len > b_len) - (a_len < b_len);
}

static int node_compare(struct index_node *a, struct index_node *b)
{
    return key_compare(a->key, a->key_len, b->key, b->key_len);
}

/* Not RB_GENERATE_STATIC: it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(index_tree, index_node, link, node_compare, __attribute__((__unused__)) static)

void index_init(struct index *index)
{
    index->hash = NULL;
    RB_INIT(&index->tree);
    index->count = 0;
}

void index_release(struct index *index)
{
    HASH_CLEAR(hh, index->hash);
    index_init(index);
}

struct index_node *index_find(const struct index *index, const uint32_t *key, size_t len)
{
    struct index_node *found;
    HASH_FIND(hh, index->hash, key, (unsigned)(len * sizeof *key), found);
    return found;
}

static const UT_hash_bucket *bucket_of(const struct index_query *query)
{
    if (!query->index || !query->index->hash)
        return NULL;
    const UT_hash_table *table = query->index->hash->hh.tbl;
    unsigned number;
    HASH_TO_BKT(query->hash, table->num_buckets, number);
    return &table->buckets[number];
}

static void fetch_bucket(struct index_query *query)
{
    if (!query->index)
        return;
    HASH_VALUE(query->key, query->len * sizeof *query->key, query->hash);
    __builtin_prefetch(bucket_of(query));
}

static void fetch_first_node(const struct index_query *query)
{
    const UT_hash_bucket *bucket = bucket_of(query);
    if (bucket)
        __builtin_prefetch(bucket->hh_head);
}

static void fetch_key(const struct index_query *query)
{
    const UT_hash_bucket *bucket = bucket_of(query);
    const UT_hash_handle *node = bucket ? bucket->hh_head : NULL;
    while (node && node->hashv != query->hash)
        node = node->hh_next;
    if (node)
        __builtin_prefetch(node->key);
}

static void answer(struct index_query *query)
{
    query->found = NULL;
    if (query->index)
        HASH_FIND_BYHASHVALUE(hh, query->index->hash, query->key,
                              (unsigned)(query->len * sizeof *query->key), query->hash,
                              query->found);
}

void index_find_all(struct index_query *queries, size_t n)
{
    const struct index_query *end = queries + n;
    for (struct index_query *query = queries; query < end; query++)
        fetch_bucket(query);
    for (struct index_query *query = queries; query < end; query++)
        fetch_first_node(query);
    for (struct index_query *query = queries; query < end; query++)
        fetch_key(query);
    for (struct index_query *query = queries; query < end; query++)
        answer(query);
}

bool index_add(struct index *index, struct index_node *node)
{
    if (index_find(index, node->key, node->key_len))
        return false;
    HASH_ADD_KEYPTR(hh, index->hash, node->key, (unsigned)(node->key_len * sizeof *node->key),
                    node);
    RB_INSERT(index_tree, &index->tree, node);
    index->count++;
    return true;
}

void index_remove(struct index *index, struct index_node *node)
{
    HASH_DEL(index->hash, node);
    RB_REMOVE(index_tree, &index->tree, node);
    index->count--;
}

struct index_node *index_after(const struct index *index, const uint32_t *key, size_t len)
{
    /* A walk asks for what follows the row it was just given: spare it the descent. */
    struct index_node *exact = index_find(index, key, len);
    if (exact)
        return index_next(exact);
    struct index_node probe = {.key = key, .key_len = len};
    return RB_NFIND(index_tree, (struct index_tree *)&index->tree, &probe);
}

struct index_node *index_first(const struct index *index)
{
    return RB_MIN(index_tree, (struct index_tree *)&index->tree);
}

struct index_node *index_next(struct index_node *node)
{
    return RB_NEXT(index_tree, NULL, node);
}

size_t index_key_text(uint32_t *key, const char *text)
{
    size_t len = strlen(text);
    key[0] = (uint32_t)len;
    for (size_t i = 0; i < len; i++)
        key[i + 1] = (unsigned char)text[i];
    return len + 1;
}
