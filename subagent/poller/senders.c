#include "poller/senders.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static struct sender *find_engine(const struct senders *senders, const uint8_t *id, size_t len)
{
    struct sender *first;
    HASH_FIND(by_engine, senders->engines, id, (unsigned)len, first);
    return first;
}

/* Adds the first of the senders with its engine ID; the others are its twins. False: no memory;
 * then the engine of none of them is known, and what they push is fetched instead. */
static bool add_engine(struct senders *senders, struct sender *first)
{
    HASH_ADD_KEYPTR(by_engine, senders->engines, first->engine_id, first->engine_id_len, first);
    if (table_has(by_engine, first))
        return true;
    for (struct sender *twin; first; first = twin) {
        twin = first->twin;
        first->twin = NULL;
        first->engine_id_len = 0;
    }
    return false;
}

static bool link_engine(struct senders *senders, struct sender *sender)
{
    sender->twin = NULL;
    if (sender->engine_id_len == 0)
        return true;
    struct sender *first = find_engine(senders, sender->engine_id, sender->engine_id_len);
    if (!first)
        return add_engine(senders, sender);
    sender->twin = first->twin;
    first->twin = sender;
    return true;
}

static void unlink_engine(struct senders *senders, struct sender *sender)
{
    if (sender->engine_id_len == 0)
        return;
    struct sender *first = find_engine(senders, sender->engine_id, sender->engine_id_len);
    if (first != sender) {
        while (first->twin != sender)
            first = first->twin;
        first->twin = sender->twin;
        return;
    }
    HASH_DELETE(by_engine, senders->engines, sender);
    if (sender->twin)
        add_engine(senders, sender->twin);
}

static struct sender *find_id(const struct senders *senders, uint32_t id)
{
    struct sender *sender;
    HASH_FIND(by_id, senders->ids, &id, (unsigned)sizeof id, sender);
    return sender;
}

static struct sender *add_sender(struct senders *senders, uint32_t id)
{
    struct sender *sender = calloc(1, sizeof *sender);
    if (!sender)
        return NULL;
    sender->id = id;
    HASH_ADD(by_id, senders->ids, id, (unsigned)sizeof sender->id, sender);
    if (table_has(by_id, sender))
        return sender;
    free(sender);
    return NULL;
}

bool senders_set(struct senders *senders, const struct message_sender *message)
{
    struct sender *sender = find_id(senders, message->id);
    if (!sender)
        sender = add_sender(senders, message->id);
    if (!sender)
        return false;
    bool kept = localized_keys_keep_two(&sender->keys, &message->keys, &sender->next_keys,
                                        &message->next_keys);
    bool same = sender->engine_id_len == message->engine_id_len &&
                memcmp(sender->engine_id, message->engine_id, message->engine_id_len) == 0;
    bool linked = true;
    if (!same) {
        unlink_engine(senders, sender);
        memcpy(sender->engine_id, message->engine_id, message->engine_id_len);
        sender->engine_id_len = message->engine_id_len;
        sender->time = (struct engine_time){0};
        linked = link_engine(senders, sender);
    }
    memcpy(sender->credential, message->credential, sizeof sender->credential);
    engine_time_set_boots(&sender->time, message->engine_boots);
    return linked && kept; /* the keys that were there are of no use for another engine */
}

void senders_forget(struct senders *senders, uint32_t id)
{
    struct sender *sender = find_id(senders, id);
    if (!sender)
        return;
    unlink_engine(senders, sender);
    HASH_DELETE(by_id, senders->ids, sender);
    localized_keys_drop(&sender->keys);
    localized_keys_drop(&sender->next_keys);
    free(sender);
}

void senders_free(struct senders *senders)
{
    struct sender *sender, *next;
    HASH_ITER(by_id, senders->ids, sender, next)
    senders_forget(senders, sender->id);
}

struct sender *senders_find(const struct senders *senders, const uint8_t *engine_id, size_t len)
{
    if (len == 0 || len > ENGINE_ID_MAX)
        return NULL;
    struct sender *first = find_engine(senders, engine_id, len);
    return first && !first->twin ? first : NULL;
}

bool sender_may(struct sender *sender, uint64_t now)
{
    if (sender->packets == 0 || now - sender->second_ns >= NS_PER_S) {
        sender->second_ns = now;
        sender->packets = 0;
    }
    if (sender->packets == SENDER_PACKETS_MAX)
        return false;
    sender->packets++;
    return true;
}
