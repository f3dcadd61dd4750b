/* Objects of one size that come and go all the time, in slabs of their own: a new object takes the
 * place of one that was given back, so that the heap does not grow by the holes between them. Each
 * object begins at a cache line. (Bonwick, "The slab allocator", USENIX Summer 1994.) */
#ifndef DCAMP_BASE_POOL_H
#define DCAMP_BASE_POOL_H

#include <stddef.h>
#include <sys/queue.h>

struct pool_slab;

struct pool {
    size_t size;                           /* of an object, in octets */
    size_t stride;                         /* from one object to the next, in octets */
    size_t objects;                        /* how many are in a slab */
    LIST_HEAD(pool_slabs, pool_slab) open; /* the slabs that have room */
    struct pool_slabs all;                 /* every slab */
};

/* It takes no memory yet. */
void pool_init(struct pool *pool, size_t size);

/* Releases the pool. All objects must have been given back. */
void pool_release(struct pool *pool);

/* An object whose octets are all zero; NULL: no memory. */
void *pool_take(struct pool *pool);

/* NULL is allowed. A slab without objects goes back to malloc(3), unless it is the only one that
 * has room. */
void pool_give(struct pool *pool, void *object);

/* Prefetches size octets of each object, from octet from on, including objects that were given
 * back. It goes through all objects, so the pool should have few. */
void pool_prefetch(const struct pool *pool, size_t from, size_t size);

#endif
