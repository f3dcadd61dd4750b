#include "children/cursor.h"

#include "children/child.h"

/* A boot before the known one comes from a replayed packet or from a node that was restored from a
 * backup; in the latter case the next poll shows it. */
enum child_push child_judge_push(uint32_t known_boot, uint32_t next_block, uint32_t boot,
                                 uint32_t sequence)
{
    if (boot < known_boot || (boot == known_boot && sequence < next_block))
        return CHILD_PUSH_OLD;
    if (boot == known_boot && next_block != 0 && sequence == next_block)
        return CHILD_PUSH_NEXT;
    return CHILD_PUSH_AHEAD;
}

/* While blocks are read again, the poller must not skip any of them. */
void child_tell_cursor(const struct children *children, const struct child *child, bool soon)
{
    const struct message_move message = {
        .head = {.kind = MESSAGE_MOVE, .length = sizeof message},
        .id = child->id,
        .report_boot = child->cursor.boot,
        .next_block =
            child->alarms.again_until || child->cursor.again_until ? 0 : child->cursor.next_block,
        .soon = soon,
    };
    children_send(children, child->id, &message.head);
}

void child_read_from(const struct children *children, const struct child *child, uint32_t block)
{
    const struct message_move message = {
        .head = {.kind = MESSAGE_MOVE, .length = sizeof message},
        .id = child->id,
        .report_boot = child->cursor.boot,
        .from = block,
        .again = true,
    };
    children_send(children, child->id, &message.head);
}

void child_read_again(const struct children *children, const struct child *child)
{
    const struct message_move message = {
        .head = {.kind = MESSAGE_MOVE, .length = sizeof message},
        .id = child->id,
        .report_boot = child->cursor.boot,
        .again = true,
    };
    children_send(children, child->id, &message.head);
}
