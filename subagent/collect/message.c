#include "collect/message.h"

#include <stddef.h>
#include <string.h>

#include "base/oid.h"

#define ALIGNMENT ((size_t)8)

static size_t padded_length(size_t length)
{
    return (length + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

bool message_is_text(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

bool message_is_bool(const bool *value)
{
    uint8_t octet;
    memcpy(&octet, value, sizeof octet);
    return octet <= 1;
}

static bool credential_is_valid(const void *message)
{
    const struct usm_credential *credential =
        &((const struct message_credential *)message)->credential;
    return message_is_text(credential->name, sizeof credential->name) &&
           message_is_text(credential->user, sizeof credential->user) &&
           message_is_text(credential->auth_secret, sizeof credential->auth_secret) &&
           message_is_text(credential->priv_secret, sizeof credential->priv_secret) &&
           message_is_text(credential->fault, sizeof credential->fault);
}

static bool keys_are_valid(const struct localized_keys *keys)
{
    bool none = keys->engine_id_len == 0;
    return keys->engine_id_len <= ENGINE_ID_MAX && keys->auth_len <= LOCALIZED_KEY_MAX &&
           keys->priv_len <= LOCALIZED_KEY_MAX && (keys->auth_len == 0) == none &&
           (keys->priv_len == 0) == none;
}

static bool child_is_valid(const void *message)
{
    const struct message_child *child = message;
    return message_is_text(child->address, sizeof child->address) &&
           message_is_text(child->credential, sizeof child->credential) &&
           child->engine_id_len <= ENGINE_ID_MAX && message_is_bool(&child->is_device) &&
           keys_are_valid(&child->keys) && keys_are_valid(&child->next_keys);
}

static bool silent_is_valid(const void *message)
{
    const struct message_silent *silent = message;
    return message_is_bool(&silent->look_up) && message_is_text(silent->text, sizeof silent->text);
}

static bool series_is_valid(const void *message)
{
    const struct message_series *series = message;
    return message_is_bool(&series->exists) &&
           message_is_text(series->sensor, sizeof series->sensor) &&
           message_is_text(series->instance, sizeof series->instance) &&
           message_is_text(series->metric, sizeof series->metric) &&
           message_is_text(series->unit, sizeof series->unit);
}

static bool sender_is_valid(const void *message)
{
    const struct message_sender *sender = message;
    return message_is_text(sender->credential, sizeof sender->credential) &&
           sender->engine_id_len <= ENGINE_ID_MAX && keys_are_valid(&sender->keys) &&
           keys_are_valid(&sender->next_keys);
}

static bool object_is_valid(const struct message_object *object)
{
    return message_is_bool(&object->is_scalar) &&
           message_is_text(object->instances, sizeof object->instances) && object->n_oid >= 2 &&
           object->n_oid <= OID_MAX && object->n_label <= OID_MAX;
}

static bool instance_is_valid(const void *message)
{
    const struct message_instance *instance = message;
    return message_is_bool(&instance->exists) &&
           message_is_text(instance->instance, sizeof instance->instance);
}

static bool samples_are_valid(const void *message)
{
    const struct message_samples *samples = message;
    return message_is_bool(&samples->is_last) && message_is_bool(&samples->is_all) &&
           message_is_bool(&samples->has_up_time) && samples->engine_id_len <= ENGINE_ID_MAX;
}

static bool look_up_is_valid(const void *message)
{
    return ((const struct message_look_up *)message)->n <= POLL_SERIES_MAX;
}

static bool answer_is_valid(const void *message)
{
    return ((const struct message_answer *)message)->engine_id_len <= ENGINE_ID_MAX;
}

static bool fault_is_valid(const void *message)
{
    const struct message_fault *fault = message;
    return message_is_text(fault->text, sizeof fault->text);
}

static size_t object_length(const void *message)
{
    const struct message_object *object = message;
    return object_is_valid(object)
               ? sizeof *object + (object->n_oid + object->n_label) * sizeof *object->arcs
               : 0;
}

static size_t objects_length(const void *message)
{
    const struct message_objects *objects = message;
    return objects->n <= POLL_OBJECTS_MAX ? sizeof *objects + objects->n * sizeof *objects->objects
                                          : 0;
}

static size_t samples_length(const void *message)
{
    const struct message_samples *samples = message;
    return samples->n <= POLL_SAMPLES_MAX ? sizeof *samples + samples->n * sizeof *samples->samples
                                          : 0;
}

uint32_t message_series_length(const struct message_series *series)
{
    return (uint32_t)(offsetof(struct message_series, path) + strlen(series->path) + 1);
}

static size_t series_length(const void *message)
{
    const struct message_series *series = message;
    size_t room = series->head.length - offsetof(struct message_series, path);
    bool is_whole = room <= sizeof series->path && message_is_text(series->path, room);
    return is_whole ? message_series_length(series) : 0;
}

static size_t pushed_length(const void *message)
{
    const struct message_pushed *pushed = message;
    return pushed->engine_id_len <= ENGINE_ID_MAX ? sizeof *pushed + pushed->block.length : 0;
}

static const struct message_type types[] = {
    [MESSAGE_CREDENTIAL] = {sizeof(struct message_credential), .valid = credential_is_valid},
    [MESSAGE_CHILD] = {sizeof(struct message_child), .valid = child_is_valid},
    [MESSAGE_FORGET] = {sizeof(struct message_forget)},
    [MESSAGE_LOOK_UP] = {sizeof(struct message_look_up), .valid = look_up_is_valid},
    [MESSAGE_MOVE] = {sizeof(struct message_move)},
    [MESSAGE_SENDER] = {sizeof(struct message_sender), .valid = sender_is_valid},
    [MESSAGE_OBJECT] = {sizeof(struct message_object), .length = object_length},
    [MESSAGE_DROP_OBJECT] = {sizeof(struct message_drop_object)},
    [MESSAGE_OBJECTS] = {sizeof(struct message_objects), .length = objects_length},
    [MESSAGE_ANSWER] = {sizeof(struct message_answer), .valid = answer_is_valid, .goes_on = true},
    [MESSAGE_SILENT] = {sizeof(struct message_silent), .valid = silent_is_valid},
    [MESSAGE_SERIES] = {offsetof(struct message_series, path) + 1, series_length, series_is_valid},
    [MESSAGE_INSTANCE] = {sizeof(struct message_instance), .valid = instance_is_valid},
    [MESSAGE_SAMPLES] = {sizeof(struct message_samples), samples_length, samples_are_valid},
    [MESSAGE_FAULT] = {sizeof(struct message_fault), .valid = fault_is_valid},
    [MESSAGE_ALIVE] = {sizeof(struct message)},
    [MESSAGE_PUSHED] = {sizeof(struct message_pushed), .length = pushed_length},
    [MESSAGE_DROPPED] = {sizeof(struct message_dropped)},
};

static bool is_valid(const struct message *message, const struct message_types *known)
{
    if (message->kind < known->first || message->kind - known->first >= known->n)
        return false;
    const struct message_type *type = &known->types[message->kind - known->first];
    if (type->size == 0 || message->length < type->size)
        return false;
    size_t length = type->length ? type->length(message) : type->size;
    return (type->goes_on || message->length == length) && (!type->valid || type->valid(message));
}

/* Copies octets to the end of the packet and fills up with zeros, so that no remains of older
 * packets leave the process. The caller ensures that there is room. */
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

bool message_put_octets(void *packet, size_t *used, struct message *message, size_t size,
                        const void *octets, size_t len)
{
    if (padded_length(size + len) > MESSAGE_PACKET_MAX - *used)
        return false;
    uint8_t *end = (uint8_t *)packet + *used;
    message->length = (uint32_t)(size + len);
    memcpy(end, message, size);
    memcpy(end + size, octets, len);
    memset(end + size + len, 0, padded_length(size + len) - size - len);
    *used += padded_length(size + len);
    return true;
}

const struct message *message_next_of(const struct message_types *known, const void *packet,
                                      size_t used, size_t *at)
{
    if (*at > used || used - *at < sizeof(struct message))
        return NULL;
    const struct message *message =
        (const void *)__builtin_assume_aligned((const uint8_t *)packet + *at, ALIGNMENT);
    if (message->length > used - *at || padded_length(message->length) > used - *at ||
        !is_valid(message, known))
        return NULL;
    *at += padded_length(message->length);
    return message;
}

const struct message *message_next(const void *packet, size_t used, size_t *at)
{
    static const struct message_types known = {0, sizeof types / sizeof *types, types};
    return message_next_of(&known, packet, used, at);
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
