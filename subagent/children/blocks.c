#include "children/blocks.h"

#include "children/child.h"

void children_read_blocks_again(struct children *children, uint32_t id)
{
    struct child *child = child_by_id(index_find(&children->by_id, &id, 1));
    if (!child || child->cursor.boot == 0)
        return;
    child->cursor.again_until = child->cursor.next_block;
    child_read_again(children, child);
}
