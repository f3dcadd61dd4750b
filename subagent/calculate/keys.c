#include "calculate/keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void keys_release(struct top_keys *keys)
{
    free(keys->key);
    *keys = (struct top_keys){0};
}

/* -- Orders ------------------------------------------------------------------------------------ */

static int compare_octets(const void *a, const void *b)
{
    const struct top_key *one = a, *other = b;
    return memcmp(one->octets, other->octets, sizeof one->octets);
}

/* The largest count comes first; among equal ones, that with the smaller error. */
static int compare_counts(const void *a, const void *b)
{
    const struct top_key *one = a, *other = b;
    if (one->count != other->count)
        return one->count > other->count ? -1 : 1;
    if (one->error != other->error)
        return one->error < other->error ? -1 : 1;
    return compare_octets(a, b);
}

size_t keys_sort(struct top_key *key, size_t n)
{
    size_t kept = 0;
    if (n == 0) /* key may be NULL */
        return 0;
    qsort(key, n, sizeof *key, compare_octets);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || compare_octets(&key[kept - 1], &key[i]) != 0)
            key[kept++] = key[i];
        else if (key[i].count > key[kept - 1].count)
            key[kept - 1] = key[i];
    return kept;
}

/* -- Merging ----------------------------------------------------------------------------------- */

static uint64_t add(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static struct top_key plus(const struct top_key *key, uint64_t count, uint64_t error)
{
    struct top_key sum = *key;
    sum.count = add(sum.count, count);
    sum.error = add(sum.error, error);
    return sum;
}

/* A key that one side does not have may have had there as much as `absent` of that side. */
static void merge(struct top_key *merged, const struct top_keys *a, const struct top_keys *b)
{
    size_t i = 0, j = 0, n = 0;
    while (i < a->size || j < b->size) {
        int order = i == a->size ? 1 : j == b->size ? -1 : compare_octets(&a->key[i], &b->key[j]);
        if (order < 0)
            merged[n++] = plus(&a->key[i++], b->absent, b->absent);
        else if (order > 0)
            merged[n++] = plus(&b->key[j++], a->absent, a->absent);
        else {
            merged[n++] = plus(&a->key[i++], b->key[j].count, b->key[j].error);
            j++;
        }
    }
}

/* How many different keys both have together. */
static size_t size_of_both(const struct top_keys *a, const struct top_keys *b)
{
    size_t common = 0;
    for (size_t i = 0, j = 0; i < a->size && j < b->size;) {
        int order = compare_octets(&a->key[i], &b->key[j]);
        i += order <= 0;
        j += order >= 0;
        common += order == 0;
    }
    return a->size + b->size - common;
}

/* Gives back the memory behind the last key. */
static void trim(struct top_keys *keys)
{
    struct top_key *smaller = NULL;
    if (keys->size > 0)
        smaller = realloc(keys->key, keys->size * sizeof *smaller);
    else
        free(keys->key);
    if (smaller || keys->size == 0)
        keys->key = smaller;
}

/* Removes the keys with the smallest counts; from then on they are absent keys. */
static void prune(struct top_keys *keys, size_t most)
{
    qsort(keys->key, keys->size, sizeof *keys->key, compare_counts);
    if (keys->key[most].count > keys->absent)
        keys->absent = keys->key[most].count;
    keys->size = most;
    if (most > 0)
        qsort(keys->key, keys->size, sizeof *keys->key, compare_octets);
}

void keys_cut(struct top_keys *keys, size_t most)
{
    if (keys->size <= most)
        return;
    prune(keys, most);
    trim(keys);
}

int keys_merge(struct top_keys *into, const struct top_key *key, size_t n, uint64_t absent)
{
    const struct top_keys from = {.key = (struct top_key *)key, .size = n, .absent = absent};
    struct top_keys sum = {.absent = add(into->absent, absent)};
    sum.size = size_of_both(into, &from);
    if (sum.size > 0) {
        sum.key = malloc(sum.size * sizeof *sum.key);
        if (!sum.key)
            return ENOMEM;
        merge(sum.key, into, &from);
    }
    free(into->key);
    *into = sum;
    keys_cut(into, KEYS_MAX);
    return 0;
}

/* -- The first --------------------------------------------------------------------------------- */

static void insert(struct top_key *most, size_t n, const struct top_key *key)
{
    for (; n > 0 && compare_counts(key, &most[n - 1]) < 0; n--)
        most[n] = most[n - 1];
    most[n] = *key;
}

size_t keys_most(const struct top_keys *keys, struct top_key *most, size_t k, uint64_t *rest)
{
    size_t n = 0;
    *rest = keys->absent;
    for (size_t i = 0; i < keys->size; i++) {
        const struct top_key *left_out = &keys->key[i];
        struct top_key last;
        if (n < k) {
            insert(most, n++, left_out);
            continue;
        }
        if (k > 0 && compare_counts(left_out, &most[k - 1]) < 0) {
            last = most[k - 1];
            insert(most, k - 1, left_out);
            left_out = &last;
        }
        if (left_out->count > *rest)
            *rest = left_out->count;
    }
    return n;
}
