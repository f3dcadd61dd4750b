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
