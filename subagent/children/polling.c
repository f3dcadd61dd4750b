#include "children/polling.h"

#include <string.h>

#include "base/text.h"
#include "children/child.h"
#include "children/device.h"

/* False: there is no room. */
static bool send_row(const struct children *children, const struct child *child)
{
    struct message_child message = {
        .head = {.kind = MESSAGE_CHILD, .length = sizeof message},
        .id = child->id,
        .period_ms = child->period_ms,
        .engine_id_len = child->identity.engine_id_len,
        .engine_boots = child->identity.engine_boots,
        .report_boot = child->device ? 0 : child->cursor.boot,
        .next_block = child->cursor.next_block,
        .is_device = child->device != NULL,
    };
    text_format(message.address, sizeof message.address, "%s", child->address);
    text_format(message.credential, sizeof message.credential, "%s", child->credential);
    memcpy(message.engine_id, child->identity.engine_id, sizeof message.engine_id);
    if (child->keys)
        message.keys = *child->keys;
    if (child->next_keys)
        message.next_keys = *child->next_keys;
    bool told = children_send(children, child->id, &message.head);
    explicit_bzero(&message.keys, sizeof message.keys);
    explicit_bzero(&message.next_keys, sizeof message.next_keys);
    return told;
}

void child_tell_row(const struct children *children, struct child *child)
{
    if (!child->untold.all)
        child->untold.row = !send_row(children, child);
}

/* Whether its poller knows the child now. If so, its objects may still have to be told, but nothing
 * else. */
static bool introduce(const struct children *children, struct child *child)
{
    child->untold.all = !send_row(children, child);
    child->untold.row = child->untold.objects = false;
    return !child->untold.all;
}

void child_tell_poller(const struct children *children, struct child *child)
{
    if (introduce(children, child) && child->device)
        child_device_tell(children, child);
}

/* The new poller knows nothing of what another one was asked, or has said, before. */
static void begin_with_poller(struct children *children, struct child *child, struct moment now)
{
    if (!introduce(children, child))
        return;
    child->dictionary.n_asked = 0;
    if (child->device)
        child_device_renew(children, child, now);
    child->untold.objects = child->device != NULL;
}

bool child_tell_waiting(struct children *children, struct child *child, struct moment now)
{
    if (child->untold.all)
        begin_with_poller(children, child, now);
    if (child->untold.row)
        child_tell_row(children, child);
    if (child->untold.objects)
        child_device_tell(children, child);
    return !child->untold.all && !child->untold.row && !child->untold.objects;
}

void child_forget_at_poller(const struct children *children, struct child *child)
{
    child->untold = (struct child_untold){.all = false};
    const struct message_forget message = {
        .head = {.kind = MESSAGE_FORGET, .length = sizeof message}, .id = child->id};
    children_send(children, child->id, &message.head);
}

void child_begin_polling(struct children *children, struct child *child)
{
    index_remove(&children->by_id, &child->by_id);
    child_give_id(children, child);
    child_tell_poller(children, child);
    child_tell_receiver(children, child);
}
