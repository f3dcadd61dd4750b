/* Who takes the blocks of children as octets, to hand them on. */
#ifndef DCAMP_CHILDREN_BLOCKS_H
#define DCAMP_CHILDREN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

/* Told of children that are dCAMP nodes, and of nothing that they tell of another boot than they
 * were last told of by told(). */
struct block_taker {
    /* The child has answered that it keeps the blocks from first to last of its present boot, 0:
     * none. The blocks of the answer come next. */
    void (*told)(void *context, const struct child *child, uint32_t first, uint32_t last,
                 uint64_t now_ns);
    /* Whether a block that was read before, and comes again, is wanted once more. */
    bool (*wants)(void *context, const struct child *child, uint32_t number);
    /* A block that is good, a new one or one that is wanted once more. */
    void (*take)(void *context, const struct child *child, const struct message_block *block);
    /* There is no such child any more. */
    void (*gone)(void *context, const struct child *child);
    void *context;
};

/* The child is to tell all its blocks again, those that are wanted. Nothing, if there is no child
 * with that id. */
void children_read_blocks_again(struct children *children, uint32_t id);

#endif
