/* Objects of one size that come and go all the time, in slabs of their own: what one gives back,
 * the next one gets, so that the heap does not grow by the holes between them, and each begins
 * where a cache line does. (Bonwick, "The slab allocator", USENIX Summer 1994.) */
#ifndef DCAMP_BASE_POOL_H
#define DCAMP_BASE_POOL_H

#include <stddef.h>
#include <sys/queue.h>

struct pool_slab;

struct pool {
    size_t size;                           /* of an object, in octets */
    size_t stride;                         /* from one to the next */
    size_t objects;                        /* in a slab */
    LIST_HEAD(pool_slabs, pool_slab) open; /* the slabs that have room */
    struct pool_slabs all;                 /* every slab */
};

/* Takes no memory yet. */
void pool_init(struct pool *pool, size_t size);

/* Frees the pool. All objects must have been given back. */
void pool_release(struct pool *pool);

/* An object of all zero octets; NULL: no memory. */
void *pool_take(struct pool *pool);

/* NULL is allowed. A slab without objects goes back to malloc(3), but for the last one with room.
 */
void pool_give(struct pool *pool, void *object);

/* Asks memory for size octets of each object, from octet from on; also of objects that were given
 * back. For a pool of few objects: it goes through all. */
void pool_prefetch(const struct pool *pool, size_t from, size_t size);

#endif
