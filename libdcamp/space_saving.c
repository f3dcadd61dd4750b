#include "libdcamp/space_saving.h"

#include <string.h>

/* Odd, with half of its bits set in no pattern: that of the golden ratio. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/* Both halves of a product: each bit of a factor changes bits on all sides of it, how many depends
 * on the other factor. */
static uint64_t fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Both factors of each round are secret: with a factor that is known, what one block leaves behind
 * could be taken off by the next one, whatever the seed is. */
uint32_t dcamp_space_saving_hash(const char *key, size_t length, uint64_t seed)
{
    uint64_t secret = (seed ^ MULTIPLIER) | 1, octets;
    uint64_t hash = seed ^ length * MULTIPLIER;
    for (size_t at = 0; at < length; at += sizeof octets) {
        size_t size = length - at < sizeof octets ? length - at : sizeof octets;
        octets = 0;
        memcpy(&octets, key + at, size);
        hash = fold(hash ^ octets, secret);
    }
    return (uint32_t)(hash ^ hash >> 32);
}

/* -- Chains of the keys ------------------------------------------------------------------------ */

int dcamp_space_saving_find(const struct space_saving *saving, const char *key, size_t length,
                            uint32_t hash)
{
    int index = saving->chain[hash % SPACE_SAVING_CHAINS] - 1;
    while (index >= 0) {
        const struct space_saving_key *other = &saving->key[index];
        if (other->hash == hash && other->length == length &&
            memcmp(other->octets, key, length) == 0)
            return index;
        index = other->next - 1;
    }
    return -1;
}

static void chain(struct space_saving *saving, uint16_t index)
{
    uint16_t *first = &saving->chain[saving->key[index].hash % SPACE_SAVING_CHAINS];
    saving->key[index].next = *first;
    *first = (uint16_t)(index + 1);
}

static void unchain(struct space_saving *saving, uint16_t index)
{
    uint16_t *link = &saving->chain[saving->key[index].hash % SPACE_SAVING_CHAINS];
    while (*link != index + 1)
        link = &saving->key[*link - 1].next;
    *link = saving->key[index].next;
}

/* -- The smallest count ------------------------------------------------------------------------ */

static uint32_t index_of_least(const uint64_t *values, uint32_t n)
{
    uint64_t least = values[0];
    uint32_t index = 0;
    for (uint32_t i = 1; i < n; i++) {
        index = values[i] < least ? i : index;
        least = values[i] < least ? values[i] : least;
    }
    return index;
}

/* The group that seems to have it may have grown meanwhile, and then another one is looked at. */
static uint16_t smallest(struct space_saving *saving)
{
    for (;;) {
        uint32_t groups = (saving->size + SPACE_SAVING_GROUP - 1) / SPACE_SAVING_GROUP;
        uint32_t group = index_of_least(saving->lowest, groups), first = group * SPACE_SAVING_GROUP;
        uint32_t n =
            saving->size - first < SPACE_SAVING_GROUP ? saving->size - first : SPACE_SAVING_GROUP;
        uint32_t index = first + index_of_least(&saving->count[first], n);
        if (saving->count[index] == saving->lowest[group])
            return (uint16_t)index;
        saving->lowest[group] = saving->count[index];
    }
}

/* -- Counters ---------------------------------------------------------------------------------- */

void dcamp_space_saving_add(struct space_saving *saving, int index, uint64_t n)
{
    saving->count[index] += n;
}

static uint16_t append(struct space_saving *saving, uint64_t n)
{
    uint32_t index = saving->size++, group = index / SPACE_SAVING_GROUP;
    saving->count[index] = n;
    saving->error[index] = 0;
    if (index % SPACE_SAVING_GROUP == 0 || n < saving->lowest[group])
        saving->lowest[group] = n;
    return (uint16_t)index;
}

static uint16_t replace(struct space_saving *saving, uint64_t n)
{
    uint16_t index = smallest(saving);
    unchain(saving, index);
    saving->error[index] = saving->count[index];
    saving->count[index] += n;
    return index;
}

int dcamp_space_saving_take(struct space_saving *saving, const char *key, size_t length,
                            uint32_t hash, uint64_t n)
{
    if (saving->size == 0 && saving->limit == 0)
        return -1;
    uint16_t index = saving->size < saving->limit ? append(saving, n) : replace(saving, n);
    struct space_saving_key *taken = &saving->key[index];
    *taken = (struct space_saving_key){.hash = hash, .length = (uint8_t)length};
    memcpy(taken->octets, key, length);
    chain(saving, index);
    return index;
}
