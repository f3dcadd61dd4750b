#include "children/polling.h"

#include <string.h>

#include "base/text.h"
#include "children/child.h"
#include "children/device.h"

void child_tell_row(const struct children *children, const struct child *child)
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
    children_send(children, child->id, &message.head);
    explicit_bzero(&message.keys, sizeof message.keys);
    explicit_bzero(&message.next_keys, sizeof message.next_keys);
}

void child_tell_poller(const struct children *children, const struct child *child)
{
    child_tell_row(children, child);
    if (child->device)
        child_device_tell(children, child);
}

void child_forget_at_poller(const struct children *children, const struct child *child)
{
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
