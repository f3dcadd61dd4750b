/* Blocks that children push. They are hints: one is taken only where it is the very next one, and
 * whatever else comes makes the child's poller look, soon but not often. So everything is taken in
 * its order and once, whichever way it comes. */
#include <string.h>

#include "base/text.h"
#include "children/child.h"

/* A boot before the known one is told by a replay or by a node that was restored; of the latter the
 * next poll tells. */
enum child_push child_judge_push(uint32_t known_boot, uint32_t next_block, uint32_t boot,
                                 uint32_t sequence)
{
    if (boot < known_boot || (boot == known_boot && sequence < next_block))
        return CHILD_PUSH_OLD;
    if (boot == known_boot && next_block != 0 && sequence == next_block)
        return CHILD_PUSH_NEXT;
    return CHILD_PUSH_AHEAD;
}

static void tell_poller(const struct children *children, const struct child *child, bool soon)
{
    const struct message_move message = {
        .head = {.kind = MESSAGE_MOVE, .length = sizeof message},
        .id = child->id,
        .report_boot = child->report_boot,
        .next_block = child->alarms.again_until ? 0 : child->next_block,
        .soon = soon,
    };
    /* Blocks that are read again are not to be passed by. */
    if (children->send)
        children->send(children->context, child->id, &message.head);
}

void child_read_again(const struct children *children, const struct child *child)
{
    const struct message_move message = {
        .head = {.kind = MESSAGE_MOVE, .length = sizeof message},
        .id = child->id,
        .report_boot = child->report_boot,
        .again = true,
    };
    if (children->send)
        children->send(children->context, child->id, &message.head);
}

/* The state stays as the polls have it, unless the block makes no sense. */
static void take_next(struct children *children, struct child *child,
                      const struct message_pushed *pushed, struct moment now)
{
    child_take_block(children, child, &pushed->block, now);
    child->pushed++;
    if (child->replays && child->next_block > pushed->last)
        child_end_replay(children, child, now);
    if (child->next_block > pushed->last && child_alarms_caught_up(children, child, now))
        child_read_again(children, child);
    if (child->bad_block && child->state == CHILD_UP)
        child->state = CHILD_REFUSED;
    tell_poller(children, child, false);
    child_look_up(children, child, now.mono_ns);
}

void child_take_push(struct children *children, struct child *child,
                     const struct message_pushed *pushed, struct moment now)
{
    if (pushed->engine_id_len != child->engine_id_len ||
        memcmp(pushed->engine_id, child->engine_id, child->engine_id_len) != 0)
        return; /* of the node that was there before */
    enum child_push push = child_judge_push(child->report_boot, child->next_block,
                                            pushed->report_boot, pushed->block.sequence);
    if (push == CHILD_PUSH_NEXT && child->silent >= CHILD_LOST_AFTER)
        push = CHILD_PUSH_AHEAD; /* its values are compared with nothing until it is back */
    switch (push) {
    case CHILD_PUSH_NEXT:
        take_next(children, child, pushed, now);
        break;
    case CHILD_PUSH_OLD:
        children->pushes.old++;
        break;
    case CHILD_PUSH_AHEAD:
        children->pushes.ahead++;
        tell_poller(children, child, true);
        break;
    }
}

/* -- The receiver --------------------------------------------------------------------------- */

void child_tell_receiver(const struct children *children, const struct child *child)
{
    struct message_sender message = {
        .head = {.kind = MESSAGE_SENDER, .length = sizeof message},
        .id = child->id,
        .engine_id_len = child->engine_id_len,
        .engine_boots = child->engine_boots,
    };
    if (child->device || child_is_refused(child))
        return;
    memcpy(message.credential, child->credential, sizeof message.credential);
    memcpy(message.engine_id, child->engine_id, sizeof message.engine_id);
    if (children->send)
        children->send(children->context, child->id, &message.head);
}

void children_tell_receiver(const struct children *children)
{
    for (struct index_node *node = index_first(&children->index); node; node = index_next(node))
        child_tell_receiver(children, (const struct child *)node);
}
