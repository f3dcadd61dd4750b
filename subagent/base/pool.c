#include "base/pool.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cache.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(object, size) ((void)(object), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(object, size) ((void)(object), (void)(size))
#endif

/* The size of a slab in octets; a slab has room for at least OBJECTS_MIN objects. */
#define SLAB_ROOM ((size_t)16384)
#define OBJECTS_MIN 8

/* What stands behind each object. */
struct tail {
    struct pool_slab *slab;
    struct tail *next; /* the next free object */
};

struct pool_slab {
    LIST_ENTRY(pool_slab) link; /* only while it has room */
    LIST_ENTRY(pool_slab) link_all;
    char *objects; /* the first object */
    struct tail *free;
    size_t used;
    size_t fresh; /* the objects from this one on were never used: their pages take no memory yet */
};

static size_t rounded(size_t size)
{
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static struct tail *tail_of(const struct pool *pool, void *object)
{
    return (struct tail *)((char *)object + pool->stride - sizeof(struct tail));
}

static void *object_of(const struct pool *pool, struct tail *tail)
{
    return (char *)(tail + 1) - pool->stride;
}

void pool_init(struct pool *pool, size_t size)
{
    size_t stride = rounded(size + sizeof(struct tail)), objects = SLAB_ROOM / stride;
    *pool = (struct pool){
        .size = size, .stride = stride, .objects = objects > OBJECTS_MIN ? objects : OBJECTS_MIN};
    LIST_INIT(&pool->open);
    LIST_INIT(&pool->all);
}

static void slab_free(struct pool_slab *slab)
{
    LIST_REMOVE(slab, link);
    LIST_REMOVE(slab, link_all);
    free(slab);
}

void pool_release(struct pool *pool)
{
    while (!LIST_EMPTY(&pool->open))
        slab_free(LIST_FIRST(&pool->open));
}

static struct pool_slab *slab_new(struct pool *pool)
{
    struct pool_slab *slab = malloc(sizeof *slab + CACHE_LINE + pool->objects * pool->stride);
    if (!slab)
        return NULL;
    uintptr_t behind = (uintptr_t)(slab + 1);
    *slab = (struct pool_slab){.objects = (char *)(slab + 1) + (rounded(behind) - behind)};
    LIST_INSERT_HEAD(&pool->open, slab, link);
    LIST_INSERT_HEAD(&pool->all, slab, link_all);
    return slab;
}

static struct tail *take_fresh(const struct pool *pool, struct pool_slab *slab)
{
    struct tail *tail = tail_of(pool, slab->objects + slab->fresh++ * pool->stride);
    tail->slab = slab;
    return tail;
}

void *pool_take(struct pool *pool)
{
    struct pool_slab *slab = LIST_FIRST(&pool->open);
    if (!slab && !(slab = slab_new(pool)))
        return NULL;
    struct tail *tail = slab->free ? slab->free : take_fresh(pool, slab);
    if (tail == slab->free)
        slab->free = tail->next;
    if (++slab->used == pool->objects)
        LIST_REMOVE(slab, link);
    void *object = object_of(pool, tail);
    ASAN_UNPOISON_MEMORY_REGION(object, pool->size);
    return memset(object, 0, pool->size);
}

/* An empty slab can be freed unless it is the only one that has room: new objects will soon be
 * needed. */
static bool is_spare(const struct pool *pool, const struct pool_slab *slab)
{
    return slab->used == 0 && (LIST_FIRST(&pool->open) != slab || LIST_NEXT(slab, link));
}

void pool_give(struct pool *pool, void *object)
{
    if (!object)
        return;
    struct tail *tail = tail_of(pool, object);
    struct pool_slab *slab = tail->slab;
    ASAN_POISON_MEMORY_REGION(object, pool->size);
    if (slab->used-- == pool->objects)
        LIST_INSERT_HEAD(&pool->open, slab, link);
    tail->next = slab->free;
    slab->free = tail;
    if (is_spare(pool, slab))
        slab_free(slab);
}

void pool_prefetch(const struct pool *pool, size_t from, size_t size)
{
    const struct pool_slab *slab;
    LIST_FOREACH(slab, &pool->all, link_all)
    for (size_t i = 0; i < slab->fresh; i++)
        cache_prefetch(slab->objects + i * pool->stride + from, size);
}
