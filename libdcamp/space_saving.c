#include "libdcamp/space_saving.h"

#include <string.h>

/* Four children of each place: half the levels of two, and their counts are neighbours. */
#define ARITY 4

/* Odd, with half of its bits set in no pattern: that of the golden ratio. */
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

uint32_t dcamp_space_saving_hash(const char *key, size_t length, uint64_t seed)
{
    uint64_t hash = seed ^ length * MULTIPLIER, octets;
    for (size_t at = 0; at < length; at += sizeof octets) {
        size_t size = length - at < sizeof octets ? length - at : sizeof octets;
        octets = 0;
        memcpy(&octets, key + at, size);
        hash = (hash ^ octets) * MULTIPLIER;
        hash ^= hash >> 29;
    }
    hash *= MULTIPLIER;
    return (uint32_t)(hash >> 32);
}

/* -- Chains of the keys ------------------------------------------------------------------------ */

int dcamp_space_saving_find(const struct space_saving *saving, const char *key, size_t length,
                            uint32_t hash)
{
    int index = saving->chain[hash % SPACE_SAVING_CHAINS] - 1;
    while (index >= 0) {
        const struct space_saving_counter *counter = &saving->counter[index];
        if (counter->hash == hash && counter->length == length &&
            memcmp(counter->key, key, length) == 0)
            return index;
        index = counter->next - 1;
    }
    return -1;
}

static void chain(struct space_saving *saving, uint16_t index)
{
    struct space_saving_counter *counter = &saving->counter[index];
    uint16_t *first = &saving->chain[counter->hash % SPACE_SAVING_CHAINS];
    counter->next = *first;
    *first = (uint16_t)(index + 1);
}

static void unchain(struct space_saving *saving, uint16_t index)
{
    uint16_t *link = &saving->chain[saving->counter[index].hash % SPACE_SAVING_CHAINS];
    while (*link != index + 1)
        link = &saving->counter[*link - 1].next;
    *link = saving->counter[index].next;
}

/* -- The heap ---------------------------------------------------------------------------------- */

static void sift_up(struct space_saving *saving, uint32_t at)
{
    struct space_saving_place moved = saving->heap[at];
    while (at > 0 && saving->heap[(at - 1) / ARITY].count > moved.count) {
        saving->heap[at] = saving->heap[(at - 1) / ARITY];
        at = (at - 1) / ARITY;
    }
    saving->heap[at] = moved;
}

static uint32_t smallest_child(const struct space_saving *saving, uint32_t at)
{
    uint32_t first = at * ARITY + 1, smallest = first;
    for (uint32_t i = first + 1; i < first + ARITY && i < saving->size; i++)
        if (saving->heap[i].count < saving->heap[smallest].count)
            smallest = i;
    return smallest;
}

static void sift_down(struct space_saving *saving)
{
    struct space_saving_place moved = saving->heap[0];
    uint32_t at = 0;
    while (at * ARITY + 1 < saving->size) {
        uint32_t child = smallest_child(saving, at);
        if (saving->heap[child].count >= moved.count)
            break;
        saving->heap[at] = saving->heap[child];
        at = child;
    }
    saving->heap[at] = moved;
}

/* No place has more than its counter: if that at the top has as much, nobody has less. */
static uint16_t smallest(struct space_saving *saving)
{
    struct space_saving_place *top = &saving->heap[0];
    while (top->count != saving->counter[top->counter].count) {
        top->count = saving->counter[top->counter].count;
        sift_down(saving);
    }
    return top->counter;
}

/* -- Counters ---------------------------------------------------------------------------------- */

void dcamp_space_saving_add(struct space_saving *saving, int index, uint64_t n)
{
    saving->counter[index].count += n;
}

static void set_key(struct space_saving_counter *counter, const char *key, size_t length,
                    uint32_t hash)
{
    memset(counter->key, 0, sizeof counter->key);
    memcpy(counter->key, key, length);
    counter->length = (uint8_t)length;
    counter->hash = hash;
}

static uint16_t append(struct space_saving *saving, uint64_t n)
{
    uint16_t index = (uint16_t)saving->size++;
    saving->counter[index] = (struct space_saving_counter){.count = n};
    saving->heap[index] = (struct space_saving_place){.count = n, .counter = index};
    sift_up(saving, index);
    return index;
}

static uint16_t replace(struct space_saving *saving, uint64_t n)
{
    uint16_t index = smallest(saving);
    struct space_saving_counter *counter = &saving->counter[index];
    unchain(saving, index);
    counter->error = counter->count;
    counter->count += n;
    return index;
}

int dcamp_space_saving_take(struct space_saving *saving, const char *key, size_t length,
                            uint32_t hash, uint64_t n)
{
    if (saving->size == 0 && saving->limit == 0)
        return -1;
    uint16_t index = saving->size < saving->limit ? append(saving, n) : replace(saving, n);
    set_key(&saving->counter[index], key, length, hash);
    chain(saving, index);
    return index;
}
