#include <assert.h>
#include <cbor.h>
#include <errno.h>
#include <string.h>

#include "base/item.h"
#include "report/block.h"

/* Array of 3, absent, size, array of three items for each key. */
#define START_MAX (BLOCK_START_MAX + 1 + 9 + 3 + 3)
/* The octets with their head, count, error. */
#define KEY_MAX (2 + SEGMENT_KEY + 9 + 9)
static_assert(REPORT_BLOCK_MIN - BLOCK_HEAD_MAX >= START_MAX + KEY_MAX,
              "a key at least fits into an empty block");

/* -- Writing ----------------------------------------------------------------------------------- */

static size_t put_key(uint8_t at[KEY_MAX], const struct top_key *key)
{
    size_t len = strnlen(key->octets, sizeof key->octets);
    size_t n = cbor_encode_bytestring_start(len, at, KEY_MAX);
    memcpy(at + n, key->octets, len);
    n += len;
    n += cbor_encode_uint(key->count, at + n, KEY_MAX - n);
    return n +
           cbor_encode_uint(key->error < key->count ? key->error : key->count, at + n, KEY_MAX - n);
}

static size_t put_start(uint8_t at[START_MAX], const struct block_before *before,
                        const struct block_keys *left, int32_t dt, int n_keys)
{
    size_t n = block_put_start(at, before, left->series, dt);
    n += cbor_encode_array_start(BLOCK_KEYS_ITEMS, at + n, START_MAX - n);
    n += cbor_encode_uint(left->keys->absent, at + n, START_MAX - n);
    n += cbor_encode_uint(left->keys->size, at + n, START_MAX - n);
    return n + cbor_encode_array_start(3 * (size_t)n_keys, at + n, START_MAX - n);
}

/* How many of the remaining keys fit. */
static int count_fitting(size_t room, const struct block_keys *left)
{
    uint8_t key[KEY_MAX];
    size_t used = START_MAX;
    int to = left->next;
    for (; to < (int)left->keys->size; to++) {
        used += put_key(key, &left->keys->key[to]);
        if (used > room)
            break;
    }
    return to - left->next;
}

size_t block_put_keys(uint8_t *at, size_t room, struct block_before *before,
                      struct block_keys *left, int32_t dt)
{
    uint8_t part[START_MAX > KEY_MAX ? START_MAX : KEY_MAX];
    int n_keys = count_fitting(room, left);
    if (room < START_MAX || (n_keys == 0 && left->keys->size > 0))
        return 0;
    size_t n = put_start(part, before, left, dt, n_keys);
    before->series = left->series;
    memcpy(at, part, n);
    for (int i = 0; i < n_keys; i++) {
        size_t len = put_key(part, &left->keys->key[left->next++]);
        memcpy(at + n, part, len);
        n += len;
    }
    left->is_written = left->next == (int)left->keys->size;
    return n;
}

/* -- Reading ----------------------------------------------------------------------------------- */

static bool take_uint(struct item_reader *items, uint64_t *number)
{
    struct item item;
    if (item_take(items, &item) != 0 || item.kind != ITEM_UINT)
        return false;
    *number = item.number;
    return true;
}

static const char *take_key(struct item_reader *items, struct top_key *key)
{
    struct item item;
    if (item_take(items, &item) != 0 || item.kind != ITEM_OCTETS ||
        item.number > sizeof key->octets || memchr(item.text, 0, item.number))
        return "a key is not a string of up to 64 octets other than 0";
    *key = (struct top_key){.count = 0};
    memcpy(key->octets, item.text, item.number);
    if (!take_uint(items, &key->count) || !take_uint(items, &key->error))
        return "the count or error of a key is not a number";
    return key->error <= key->count ? NULL : "the error of a key is above its count";
}

static const char *take_keys(struct item_reader *items, uint64_t n)
{
    struct top_key before = {.count = 0}, key;
    for (uint64_t i = 0; i < n; i++) {
        const char *why = take_key(items, &key);
        if (why)
            return why;
        if (i > 0 && memcmp(before.octets, key.octets, sizeof key.octets) >= 0)
            return "keys are not in ascending order";
        before = key;
    }
    return NULL;
}

const char *block_take_keys(struct item_reader *items, struct report_keys *keys)
{
    struct item item;
    uint64_t size;
    if (!take_uint(items, &keys->absent) || !take_uint(items, &size))
        return "what absent keys have, or how many keys there are, is not a number";
    if (size > REPORT_KEYS_MAX)
        return "there are more keys than there may be";
    if (item_take(items, &item) != 0 || item.kind != ITEM_ARRAY || item.number % 3 != 0 ||
        item.number / 3 > size || (item.number == 0) != (size == 0))
        return "keys are not an array of three for each, of 1 to as many as there are";
    *keys = (struct report_keys){.absent = keys->absent,
                                 .size = (size_t)size,
                                 .n = (size_t)item.number / 3,
                                 .octets = items->at,
                                 .len = items->left};
    const char *why = take_keys(items, keys->n);
    keys->len -= items->left;
    return why;
}

void report_keys_read(const struct report_keys *keys, struct top_key *key)
{
    struct item_reader items = {keys->octets, keys->len};
    for (size_t i = 0; i < keys->n; i++)
        take_key(&items, &key[i]);
}
