#include "base/index.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_MIN 8

/* -- Keys ----------------------------------------------------------------------------------- */

size_t index_key_length(const struct index_node *node)
{
    return (size_t)node->key_len + (node->tail ? node->tail->len : 0);
}

void index_key_copy(const struct index_node *node, uint32_t *key)
{
    if (node->key_len > 0)
        memcpy(key, node->key, node->key_len * sizeof *key);
    if (node->tail)
        memcpy(key + node->key_len, node->tail->key, node->tail->len * sizeof *key);
}

static uint32_t part(const struct index_node *node, size_t i)
{
    return i < node->key_len ? node->key[i] : node->tail->key[i - node->key_len];
}

/* The length of a common beginning of both keys; they may differ from there on. */
static size_t same_beginning(const struct index_node *a, const struct index_node *b)
{
    size_t n = a->key_len < b->key_len ? a->key_len : b->key_len, i = 0;
    if (a->key == b->key)
        return n;
    while (i < n && a->key[i] == b->key[i])
        i++;
    return i;
}

static int node_compare(struct index_node *a, struct index_node *b)
{
    size_t a_len = index_key_length(a), b_len = index_key_length(b);
    size_t n = a_len < b_len ? a_len : b_len;
    for (size_t i = same_beginning(a, b); i < n; i++) {
        uint32_t of_a = part(a, i), of_b = part(b, i);
        if (of_a != of_b)
            return of_a < of_b ? -1 : 1;
    }
    return (a_len > b_len) - (a_len < b_len);
}

static bool is_same(const uint32_t *a, const uint32_t *b, size_t n)
{
    return n == 0 || memcmp(a, b, n * sizeof *a) == 0;
}

static bool has_key(const struct index_node *node, const uint32_t *key, size_t len)
{
    return index_key_length(node) == len && is_same(node->key, key, node->key_len) &&
           (!node->tail || is_same(node->tail->key, key + node->key_len, node->tail->len));
}

/* FNV-1a over sub-identifiers instead of octets (G. Fowler, L. C. Noll, K.-P. Vo; RFC 9923); a hash
 * can be continued part by part. The low bits choose the bucket, but the lowest bits of a product
 * depend on too few bits of the factors, so the high bits are folded into them after each step. */
static uint32_t hash_more(uint32_t hash, const uint32_t *key, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        hash = (hash ^ key[i]) * UINT32_C(0x01000193);
        hash ^= hash >> 15;
    }
    return hash;
}

#define HASH_EMPTY UINT32_C(0x811c9dc5)

static uint32_t hash_node(const struct index_node *node)
{
    uint32_t hash = hash_more(HASH_EMPTY, node->key, node->key_len);
    return node->tail ? hash_more(hash, node->tail->key, node->tail->len) : hash;
}

/* RB_GENERATE_STATIC cannot be used: it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(index_tree, index_node, link, node_compare, __attribute__((__unused__)) static)

void index_init(struct index *index)
{
    *index = (struct index){.tree = RB_INITIALIZER(NULL)};
}

void index_release(struct index *index)
{
    free((void *)index->buckets);
    index_init(index);
}

/* -- Look-up -------------------------------------------------------------------------------- */

static struct index_node **bucket_of(const struct index *index, uint32_t hash)
{
    return &index->buckets[hash & (index->n_buckets - 1)];
}

static struct index_node *find_hashed(const struct index *index, const uint32_t *key, size_t len,
                                      uint32_t hash)
{
    struct index_node probe = {.key = key, .key_len = (uint32_t)len};
    if (index->n_buckets == 0)
        return RB_FIND(index_tree, (struct index_tree *)&index->tree, &probe);
    struct index_node *node = *bucket_of(index, hash);
    while (node && (node->hash != hash || !has_key(node, key, len)))
        node = node->next;
    return node;
}

struct index_node *index_find(const struct index *index, const uint32_t *key, size_t len)
{
    return find_hashed(index, key, len, hash_more(HASH_EMPTY, key, len));
}

static bool has_bucket(const struct index_query *query)
{
    return query->index && query->index->n_buckets > 0;
}

static void fetch_bucket(struct index_query *query)
{
    query->hash = hash_more(HASH_EMPTY, query->key, query->len);
    if (has_bucket(query))
        __builtin_prefetch((const void *)bucket_of(query->index, query->hash));
}

static void fetch_first_node(const struct index_query *query)
{
    if (has_bucket(query))
        __builtin_prefetch(*bucket_of(query->index, query->hash));
}

static void fetch_key(const struct index_query *query)
{
    const struct index_node *node =
        has_bucket(query) ? *bucket_of(query->index, query->hash) : NULL;
    while (node && node->hash != query->hash)
        node = node->next;
    if (!node)
        return;
    __builtin_prefetch(node->key);
    __builtin_prefetch(node->tail);
}

void index_find_all(struct index_query *queries, size_t n)
{
    struct index_query *end = queries + n;
    for (struct index_query *query = queries; query < end; query++)
        fetch_bucket(query);
    for (struct index_query *query = queries; query < end; query++)
        fetch_first_node(query);
    for (struct index_query *query = queries; query < end; query++)
        fetch_key(query);
    for (struct index_query *query = queries; query < end; query++)
        query->found =
            query->index ? find_hashed(query->index, query->key, query->len, query->hash) : NULL;
}

/* -- Change --------------------------------------------------------------------------------- */

static void put_node(const struct index *index, struct index_node *node)
{
    struct index_node **bucket = bucket_of(index, node->hash);
    node->next = *bucket;
    *bucket = node;
}

/* Makes twice as many buckets and puts all nodes of the tree into them. If there is no memory, the
 * index goes on with the buckets that it has. */
static bool grow_buckets(struct index *index)
{
    struct index grown = *index;
    struct index_node *node;
    grown.n_buckets = index->n_buckets ? 2 * index->n_buckets : BUCKETS_MIN;
    grown.buckets = (struct index_node **)calloc(grown.n_buckets, sizeof *grown.buckets);
    if (!grown.buckets)
        return false;
    RB_FOREACH(node, index_tree, &index->tree)
    put_node(&grown, node);
    free((void *)index->buckets);
    *index = grown;
    return true;
}

bool index_add(struct index *index, struct index_node *node)
{
    if (RB_INSERT(index_tree, &index->tree, node))
        return false;
    node->hash = hash_node(node);
    if ((index->count < index->n_buckets || !grow_buckets(index)) && index->n_buckets > 0)
        put_node(index, node);
    index->count++;
    return true;
}

void index_remove(struct index *index, struct index_node *node)
{
    struct index_node **at = index->n_buckets ? bucket_of(index, node->hash) : NULL;
    while (at && *at != node)
        at = &(*at)->next;
    if (at)
        *at = node->next;
    RB_REMOVE(index_tree, &index->tree, node);
    index->count--;
}

struct index_node *index_after(const struct index *index, const uint32_t *key, size_t len)
{
    /* A walk asks for what follows the row it was just given: this spares it the descent. */
    struct index_node *exact = index_find(index, key, len);
    if (exact)
        return index_next(exact);
    struct index_node probe = {.key = key, .key_len = (uint32_t)len};
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

uint32_t index_key_text(uint32_t *key, const char *text)
{
    uint32_t len = (uint32_t)strlen(text);
    key[0] = len;
    for (uint32_t i = 0; i < len; i++)
        key[i + 1] = (unsigned char)text[i];
    return len + 1;
}

uint32_t index_key_end(uint32_t *key, const char *text, uint32_t max)
{
    size_t len = strlen(text);
    if (len <= max)
        return index_key_text(key, text);
    index_key_text(key, text + len - max);
    key[1] = '~';
    return max + 1;
}
