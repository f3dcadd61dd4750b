#include "collect/message.h"

#include <string.h>

#include "base/oid.h"

#define ALIGNMENT ((size_t)8)

static size_t padded_length(size_t length)
{
    return (length + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

/* The octets of a text up to its NUL, in a field of size octets: false where there is none. */
static bool is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

/* An octet that is neither 0 nor 1 must not be read as a bool. */
static bool is_bool(const bool *value)
{
    uint8_t octet;
    memcpy(&octet, value, sizeof octet);
    return octet <= 1;
}

static bool credential_is_valid(const struct usm_credential *credential)
{
    return is_text(credential->name, sizeof credential->name) &&
           is_text(credential->user, sizeof credential->user) &&
           is_text(credential->auth_secret, sizeof credential->auth_secret) &&
           is_text(credential->priv_secret, sizeof credential->priv_secret) &&
           is_text(credential->fault, sizeof credential->fault);
}

static bool keys_are_valid(const struct localized_keys *keys)
{
    bool none = keys->engine_id_len == 0;
    return keys->engine_id_len <= ENGINE_ID_MAX && keys->auth_len <= LOCALIZED_KEY_MAX &&
           keys->priv_len <= LOCALIZED_KEY_MAX && (keys->auth_len == 0) == none &&
           (keys->priv_len == 0) == none;
}

static bool child_is_valid(const struct message_child *child)
{
    return is_text(child->address, sizeof child->address) &&
           is_text(child->credential, sizeof child->credential) &&
           child->engine_id_len <= ENGINE_ID_MAX && is_bool(&child->is_device) &&
           keys_are_valid(&child->keys);
}

static bool silent_is_valid(const struct message_silent *silent)
{
    return is_bool(&silent->look_up) && is_text(silent->text, sizeof silent->text);
}

static bool series_is_valid(const struct message_series *series)
{
    return is_bool(&series->exists) && is_text(series->sensor, sizeof series->sensor) &&
           is_text(series->instance, sizeof series->instance) &&
           is_text(series->metric, sizeof series->metric) &&
           is_text(series->unit, sizeof series->unit);
}

static bool sender_is_valid(const struct message_sender *sender)
{
    return is_text(sender->credential, sizeof sender->credential) &&
           sender->engine_id_len <= ENGINE_ID_MAX && keys_are_valid(&sender->keys);
}

static bool pushed_is_valid(const struct message_pushed *pushed)
{
    return pushed->engine_id_len <= ENGINE_ID_MAX &&
           pushed->block.length == pushed->head.length - sizeof *pushed;
}

static bool object_is_valid(const struct message_object *object)
{
    return is_bool(&object->is_scalar) && is_text(object->instances, sizeof object->instances) &&
           object->n_oid >= 2 && object->n_oid <= OID_MAX && object->n_label <= OID_MAX;
}

static bool instance_is_valid(const struct message_instance *instance)
{
    return is_bool(&instance->exists) && is_text(instance->instance, sizeof instance->instance);
}

static bool samples_are_valid(const struct message_samples *samples)
{
    return is_bool(&samples->is_last) && is_bool(&samples->is_all) &&
           is_bool(&samples->has_up_time) && samples->engine_id_len <= ENGINE_ID_MAX;
}

/* Returns the length that the content of a message says it has, for kinds without a fixed one.
 * 0: it makes no sense. */
static size_t whole_size(const struct message *message)
{
    const void *content = message;
    if (message->kind == MESSAGE_OBJECT) {
        const struct message_object *object = content;
        return object_is_valid(object)
                   ? sizeof *object + (object->n_oid + object->n_label) * sizeof *object->arcs
                   : 0;
    }
    if (message->kind == MESSAGE_OBJECTS) {
        const struct message_objects *objects = content;
        return objects->n <= POLL_OBJECTS_MAX
                   ? sizeof *objects + objects->n * sizeof *objects->objects
                   : 0;
    }
    const struct message_samples *samples = content;
    return samples->n <= POLL_SAMPLES_MAX ? sizeof *samples + samples->n * sizeof *samples->samples
                                          : 0;
}

static bool is_of_any_length(uint32_t kind)
{
    return kind == MESSAGE_OBJECT || kind == MESSAGE_OBJECTS || kind == MESSAGE_SAMPLES;
}

static size_t size_of_kind(uint32_t kind)
{
    switch (kind) {
    case MESSAGE_CREDENTIAL:
        return sizeof(struct message_credential);
    case MESSAGE_CHILD:
        return sizeof(struct message_child);
    case MESSAGE_FORGET:
        return sizeof(struct message_forget);
    case MESSAGE_LOOK_UP:
        return sizeof(struct message_look_up);
    case MESSAGE_MOVE:
        return sizeof(struct message_move);
    case MESSAGE_SENDER:
        return sizeof(struct message_sender);
    case MESSAGE_PUSHED:
        return sizeof(struct message_pushed);
    case MESSAGE_DROPPED:
        return sizeof(struct message_dropped);
    case MESSAGE_ANSWER:
        return sizeof(struct message_answer);
    case MESSAGE_SILENT:
        return sizeof(struct message_silent);
    case MESSAGE_SERIES:
        return sizeof(struct message_series);
    case MESSAGE_OBJECT:
        return sizeof(struct message_object);
    case MESSAGE_DROP_OBJECT:
        return sizeof(struct message_drop_object);
    case MESSAGE_OBJECTS:
        return sizeof(struct message_objects);
    case MESSAGE_INSTANCE:
        return sizeof(struct message_instance);
    case MESSAGE_SAMPLES:
        return sizeof(struct message_samples);
    case MESSAGE_FAULT:
        return sizeof(struct message_fault);
    case MESSAGE_ALIVE:
        return sizeof(struct message);
    default:
        return 0;
    }
}

static bool length_is_valid(const struct message *message)
{
    size_t size = size_of_kind(message->kind);
    if (message->kind == MESSAGE_ANSWER || message->kind == MESSAGE_PUSHED)
        return message->length >= size;
    if (is_of_any_length(message->kind))
        return message->length >= size && message->length == whole_size(message);
    return size != 0 && message->length == size;
}

static bool content_is_valid(const struct message *message)
{
    const void *content = message;
    switch (message->kind) {
    case MESSAGE_CREDENTIAL:
        return credential_is_valid(&((const struct message_credential *)content)->credential);
    case MESSAGE_CHILD:
        return child_is_valid(content);
    case MESSAGE_LOOK_UP:
        return ((const struct message_look_up *)content)->n <= POLL_SERIES_MAX;
    case MESSAGE_ANSWER:
        return ((const struct message_answer *)content)->engine_id_len <= ENGINE_ID_MAX;
    case MESSAGE_SENDER:
        return sender_is_valid(content);
    case MESSAGE_PUSHED:
        return pushed_is_valid(content);
    case MESSAGE_SILENT:
        return silent_is_valid(content);
    case MESSAGE_SERIES:
        return series_is_valid(content);
    case MESSAGE_INSTANCE:
        return instance_is_valid(content);
    case MESSAGE_SAMPLES:
        return samples_are_valid(content);
    case MESSAGE_FAULT:
        return is_text(((const struct message_fault *)content)->text,
                       sizeof((const struct message_fault *)content)->text);
    default:
        return true;
    }
}

/* Copies octets to the end of the packet and fills up with zeros: no rest of older packets leaves
 * the process. The room is the caller's to ensure. */
static void append_padded(void *packet, size_t *used, const void *bytes, size_t length)
{
    uint8_t *end = (uint8_t *)packet + *used;
    memcpy(end, bytes, length);
    memset(end + length, 0, padded_length(length) - length);
    *used += padded_length(length);
}

bool message_put(void *packet, size_t *used, const struct message *message)
{
    if (padded_length(message->length) > MESSAGE_PACKET_MAX - *used)
        return false;
    append_padded(packet, used, message, message->length);
    return true;
}

const struct message *message_next(const void *packet, size_t used, size_t *at)
{
    if (*at > used || used - *at < sizeof(struct message))
        return NULL;
    const struct message *message =
        (const void *)__builtin_assume_aligned((const uint8_t *)packet + *at, ALIGNMENT);
    if (message->length > used - *at || padded_length(message->length) > used - *at ||
        !length_is_valid(message) || !content_is_valid(message))
        return NULL;
    *at += padded_length(message->length);
    return message;
}

static size_t block_size(const struct message_block *block)
{
    return padded_length(sizeof *block + block->length);
}

size_t message_put_answer(void *packet, size_t *used, const struct message_answer *answer,
                          const struct message_block *const *blocks)
{
    size_t room = MESSAGE_PACKET_MAX - *used, size = padded_length(sizeof *answer);
    if (room < size)
        return 0;
    uint32_t n = 0;
    while (n < answer->n_blocks && block_size(blocks[n]) <= room - size)
        size += block_size(blocks[n++]);
    if (n == 0 && answer->n_blocks > 0)
        return 0;
    struct message_answer head = *answer;
    head.head = (struct message){.kind = MESSAGE_ANSWER, .length = (uint32_t)size};
    head.n_blocks = n;
    append_padded(packet, used, &head, sizeof head);
    for (uint32_t i = 0; i < n; i++)
        append_padded(packet, used, blocks[i], sizeof *blocks[i] + blocks[i]->length);
    return n;
}

const struct message_block *message_block(const struct message_answer *answer, uint32_t i)
{
    const uint8_t *bytes = (const void *)answer;
    size_t at = padded_length(sizeof *answer), end = answer->head.length;
    for (uint32_t n = 0; n <= i && i < answer->n_blocks; n++) {
        if (at > end || end - at < sizeof(struct message_block))
            return NULL;
        const struct message_block *block =
            (const void *)__builtin_assume_aligned(bytes + at, ALIGNMENT);
        if (block->length > end - at - sizeof *block)
            return NULL;
        if (n == i)
            return block;
        at += block_size(block);
    }
    return NULL;
}
