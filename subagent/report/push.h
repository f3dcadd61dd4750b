/* Which report blocks are pushed to the parent: a bounded queue of their numbers. Pure.
 *
 * A push is a hint that saves the parent waiting for its next poll. Nothing depends on it: a block
 * that is not pushed is fetched. So blocks that do not fit into the queue are counted and left out,
 * not kept for later. */
#ifndef DCAMP_REPORT_PUSH_H
#define DCAMP_REPORT_PUSH_H

#include <stdbool.h>
#include <stdint.h>

#define PUSH_QUEUE_MAX 16

struct push {
    uint32_t rate; /* blocks per second, and the most at once after a second of rest; 0: none */
    uint64_t credit_ns; /* a block costs a second divided by rate; at most a second is saved up */
    uint64_t credited_ns;
    uint32_t blocks[PUSH_QUEUE_MAX];
    uint32_t first, n; /* in blocks, as a ring: the place of the first, and how many there are */
    uint64_t sent;     /* blocks that went out */
    uint64_t held;     /* blocks that were to be pushed, but are left to be fetched */
};

/* rate: at most NS_PER_S. */
void push_open(struct push *push, uint32_t rate, uint64_t now_ns);

/* The blocks from first to last are to be pushed; none if first > last. */
void push_blocks(struct push *push, uint32_t first, uint32_t last, uint64_t now_ns);

/* The number of the next block to be pushed; 0: none. */
uint32_t push_next(const struct push *push);

/* That block was sent, or will not be. */
void push_done(struct push *push, bool sent);

/* Forgets all blocks that wait to be pushed. */
void push_clear(struct push *push);

#endif
