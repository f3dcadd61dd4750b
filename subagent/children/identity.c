#include "children/identity.h"

#include <string.h>

#include "base/text.h"
#include "children/child.h"

bool child_take_engine(struct children *children, struct child *child,
                       const uint8_t engine_id[ENGINE_ID_MAX], uint32_t engine_id_len,
                       uint32_t engine_boots)
{
    uint32_t len = engine_id_len <= ENGINE_ID_MAX ? engine_id_len : 0;
    bool same = child->identity.engine_id_len == len &&
                memcmp(child->identity.engine_id, engine_id, len) == 0;
    bool other = !same && child->identity.engine_id_len > 0;
    bool news = !same || child->identity.engine_boots != engine_boots;
    memcpy(child->identity.engine_id, engine_id, len);
    child->identity.engine_id_len = len;
    child->identity.engine_boots = engine_boots;
    children->changes += news;
    if (news)
        child_tell_receiver(children, child);
    return other;
}

void child_tell_receiver(const struct children *children, struct child *child)
{
    struct message_sender message = {
        .head = {.kind = MESSAGE_SENDER, .length = sizeof message},
        .id = child->id,
        .engine_id_len = child->identity.engine_id_len,
        .engine_boots = child->identity.engine_boots,
    };
    if (child->device || child_is_refused(child))
        return;
    text_format(message.credential, sizeof message.credential, "%s", child->credential);
    memcpy(message.engine_id, child->identity.engine_id, sizeof message.engine_id);
    if (child->keys)
        message.keys = *child->keys;
    if (child->next_keys)
        message.next_keys = *child->next_keys;
    child->untold.sender = !children_send(children, child->id, &message.head);
    explicit_bzero(&message.keys, sizeof message.keys);
    explicit_bzero(&message.next_keys, sizeof message.next_keys);
}
