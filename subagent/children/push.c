#include "children/push.h"

#include <string.h>

#include "children/child.h"
#include "children/reports.h"

/* A push does not change the state that follows from the polls, unless its block makes no sense. */
static void take_next(struct children *children, struct child *child,
                      const struct message_pushed *pushed, struct moment now)
{
    child_take_block(children, child, &pushed->block, now);
    child->cursor.pushed++;
    child_catch_up(children, child, pushed->last, now);
    if (child->cursor.bad_block)
        child_not_up(child);
    child_tell_cursor(children, child, false);
    child_look_up(children, child, now.mono_ns);
}

void child_take_push(struct children *children, struct child *child,
                     const struct message_pushed *pushed, struct moment now)
{
    if (child->untold.all)
        return; /* the next poller fetches the block, because it is not told of this one */
    if (pushed->engine_id_len != child->identity.engine_id_len ||
        memcmp(pushed->engine_id, child->identity.engine_id, child->identity.engine_id_len) != 0)
        return; /* it is from the node that was there before */
    enum child_push push = child_judge_push(child->cursor.boot, child->cursor.next_block,
                                            pushed->report_boot, pushed->block.sequence);
    if (push == CHILD_PUSH_NEXT && child_is_lost(child))
        push = CHILD_PUSH_AHEAD; /* no rule looks at the values of a lost child until it is back */
    switch (push) {
    case CHILD_PUSH_NEXT:
        take_next(children, child, pushed, now);
        break;
    case CHILD_PUSH_OLD:
        children->pushes.old++;
        break;
    case CHILD_PUSH_AHEAD:
        children->pushes.ahead++;
        child_tell_cursor(children, child, true);
        break;
    }
}
