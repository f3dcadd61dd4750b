#include "director/announced.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"

/* The pause between two questions to the same address. */
#define PAUSE (5 * NS_PER_S)

void announced_open(struct announced *announced, uint64_t seed)
{
    *announced = (struct announced){.due_ns = UINT64_MAX, .seed = seed};
    TAILQ_INIT(&announced->all);
}

static void forget(struct announced *announced, struct announced_place *place)
{
    HASH_DELETE(hh, announced->by_address, place);
    TAILQ_REMOVE(&announced->all, place, all);
    announced->n--;
    free(place);
}

void announced_close(struct announced *announced)
{
    while (!TAILQ_EMPTY(&announced->all))
        forget(announced, TAILQ_FIRST(&announced->all));
}

/* -- Packets --------------------------------------------------------------------------------- */

/* A leaky bucket: each packet costs a time, and the bucket holds the time of the burst. */
static bool has_room(const struct announced_bucket *bucket, uint64_t cost_ns, uint32_t burst,
                     uint64_t now_ns)
{
    return bucket->full_ns <= now_ns || bucket->full_ns - now_ns + cost_ns <= cost_ns * burst;
}

static void take_room(struct announced_bucket *bucket, uint64_t cost_ns, uint64_t now_ns)
{
    bucket->full_ns = (bucket->full_ns > now_ns ? bucket->full_ns : now_ns) + cost_ns;
}

/* FNV-1a, and the end of MurmurHash3: neighbouring addresses do not share a bucket just because
 * they are neighbours. */
static struct announced_bucket *bucket_of(struct announced *announced, const void *source,
                                          size_t len)
{
    uint64_t hash = UINT64_C(14695981039346656037) ^ announced->seed;
    for (size_t i = 0; i < len; i++)
        hash = (hash ^ ((const uint8_t *)source)[i]) * UINT64_C(1099511628211);
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    return &announced->sources[(hash ^ hash >> 33) % ANNOUNCED_SOURCES];
}

/* A source that sends too many packets uses up nothing of what all sources share. */
bool announced_may(struct announced *announced, const void *source, size_t len, uint64_t now_ns)
{
    static const uint64_t cost = NS_PER_S / ANNOUNCED_RATE;
    static const uint64_t source_cost = NS_PER_S / ANNOUNCED_SOURCE_RATE;
    struct announced_bucket *own = bucket_of(announced, source, len);
    if (!has_room(own, source_cost, ANNOUNCED_SOURCE_BURST, now_ns))
        return false;
    take_room(own, source_cost, now_ns);
    if (!has_room(&announced->bucket, cost, ANNOUNCED_BURST, now_ns))
        return false;
    take_room(&announced->bucket, cost, now_ns);
    return true;
}

/* -- Addresses ------------------------------------------------------------------------------- */

static struct announced_place *find(const struct announced *announced, const char *address)
{
    struct announced_place *place;
    HASH_FIND(hh, announced->by_address, address, strlen(address), place);
    return place;
}

static struct announced_place *add(struct announced *announced, const char *address)
{
    struct announced_place *place = calloc(1, sizeof *place);
    if (!place)
        return NULL;
    text_format(place->address, sizeof place->address, "%s", address);
    HASH_ADD_KEYPTR(hh, announced->by_address, place->address, strlen(place->address), place);
    if (!table_has(hh, place)) {
        free(place);
        return NULL;
    }
    TAILQ_INSERT_TAIL(&announced->all, place, all);
    if (++announced->n > ANNOUNCED_MAX)
        forget(announced, TAILQ_FIRST(&announced->all));
    return place;
}

static void plan(struct announced *announced, struct announced_place *place, uint64_t due_ns)
{
    place->due_ns = due_ns;
    if (due_ns < announced->due_ns)
        announced->due_ns = due_ns;
}

/* An address that is being asked, or was just asked, is not asked more often because of another
 * announcement. */
static bool remember(struct announced *announced, const char *address, const char *group,
                     bool was_known, uint64_t now_ns)
{
    struct announced_place *place = find(announced, address);
    bool is_asked = place && place->tries > 0;
    if (!place)
        place = add(announced, address);
    if (!place)
        return false;
    text_format(place->group, sizeof place->group, "%s", group);
    place->was_known = was_known;
    TAILQ_REMOVE(&announced->all, place, all);
    TAILQ_INSERT_TAIL(&announced->all, place, all);
    place->tries = is_asked ? 1 : 0;
    if (!is_asked)
        plan(announced, place, now_ns);
    return true;
}

bool announced_hear(struct announced *announced, const char *address, const char *group,
                    uint64_t now_ns)
{
    return remember(announced, address, group, false, now_ns);
}

bool announced_known(struct announced *announced, const char *address, const char *group,
                     uint64_t now_ns)
{
    return remember(announced, address, group, true, now_ns);
}

static void find_due(struct announced *announced)
{
    const struct announced_place *place;
    announced->due_ns = UINT64_MAX;
    TAILQ_FOREACH(place, &announced->all, all)
    if (place->due_ns < announced->due_ns)
        announced->due_ns = place->due_ns;
}

const struct announced_place *announced_next(struct announced *announced, uint64_t now_ns)
{
    struct announced_place *place;
    if (now_ns < announced->due_ns)
        return NULL;
    TAILQ_FOREACH(place, &announced->all, all)
    if (place->due_ns <= now_ns)
        break;
    if (place) {
        place->tries++;
        place->due_ns = now_ns + PAUSE * place->tries;
    } else {
        find_due(announced);
    }
    return place;
}

uint64_t announced_due(const struct announced *announced)
{
    return announced->due_ns;
}

void announced_forget(struct announced *announced, const char *address)
{
    struct announced_place *place = find(announced, address);
    if (place)
        forget(announced, place);
}

bool announced_is_gone(struct announced *announced, const char *address)
{
    struct announced_place *place = find(announced, address);
    bool is_gone = place && place->tries >= ANNOUNCED_TRIES;
    if (is_gone)
        forget(announced, place);
    return is_gone;
}

void announced_hurry(struct announced *announced, uint64_t now_ns)
{
    struct announced_place *place;
    TAILQ_FOREACH(place, &announced->all, all)
    {
        place->tries = 0;
        plan(announced, place, now_ns);
    }
}
