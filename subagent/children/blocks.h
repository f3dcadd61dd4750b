/* Who takes the blocks of children as octets, to hand them on. */
#ifndef DCAMP_CHILDREN_BLOCKS_H
#define DCAMP_CHILDREN_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "collect/message.h"

struct child;
struct children;

/* It is told only of children that are dCAMP nodes, and only what belongs to the boot that told()
 * last reported. */
struct block_taker {
    /* The child has answered that it keeps the blocks from first to last of its present boot, 0:
     * none. The blocks of the answer follow. */
    void (*told)(void *context, const struct child *child, uint32_t first, uint32_t last,
                 uint64_t now_ns);
    /* Whether a block that was read before, and comes again, is wanted again. */
    bool (*wants)(void *context, const struct child *child, uint32_t number);
    /* A valid block: a new one, or one that is wanted again. */
    void (*take)(void *context, const struct child *child, const struct message_block *block);
    /* The child does not exist any more. */
    void (*gone)(void *context, const struct child *child);
    void *context;
};

/* Has the child tell all its blocks again, those that are wanted. Does nothing if there is no child
 * with that id. */
void children_read_blocks_again(struct children *children, uint32_t id);

#endif
