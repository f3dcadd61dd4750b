#include "publish/queue.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void stream_key_set(struct stream_key *key, const char *path, uint32_t boot,
                    const uint8_t *engine_id, size_t engine_id_len)
{
    memset(key, 0, sizeof *key);
    key->boot = boot;
    key->engine_id_len = (uint32_t)engine_id_len;
    if (engine_id_len > 0)
        memcpy(key->engine_id, engine_id, engine_id_len);
    strncpy(key->path, path, sizeof key->path - 1);
}

/* -- Streams --------------------------------------------------------------------------------- */

void queue_open(struct queue *queue)
{
    *queue = (struct queue){0};
    TAILQ_INIT(&queue->ready);
    TAILQ_INIT(&queue->waiting);
    TAILQ_INIT(&queue->given);
}

void queue_close(struct queue *queue)
{
    queue_take_back(queue);
    while (queue->by_key)
        queue_remove_stream(queue, queue->by_key);
}

struct stream *queue_find(const struct queue *queue, const struct stream_key *key)
{
    struct stream *stream;
    HASH_FIND(by_key, queue->by_key, key, sizeof *key, stream);
    return stream;
}

struct stream *queue_find_id(const struct queue *queue, uint32_t id)
{
    struct stream *stream;
    HASH_FIND(by_id, queue->by_id, &id, sizeof id, stream);
    return stream;
}

struct stream *queue_stream(struct queue *queue, const struct stream_key *key)
{
    struct stream *stream = queue_find(queue, key);
    if (stream)
        return stream;
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    TAILQ_INIT(&stream->waiting);
    stream->key = *key;
    stream->shown = (struct sink_stream){.boot = key->boot,
                                         .path = stream->key.path,
                                         .name = stream->name,
                                         .group = stream->group,
                                         .engine_id = stream->key.engine_id,
                                         .engine_id_len = key->engine_id_len};
    HASH_ADD(by_key, queue->by_key, key, sizeof stream->key, stream);
    if (table_has(by_key, stream))
        return stream;
    free(stream);
    return NULL;
}

int queue_set_id(struct queue *queue, struct stream *stream, uint32_t id)
{
    if (stream->id != 0)
        HASH_DELETE(by_id, queue->by_id, stream);
    stream->by_id.tbl = NULL;
    stream->id = id;
    if (id == 0)
        return 0;
    HASH_ADD(by_id, queue->by_id, id, sizeof stream->id, stream);
    if (table_has(by_id, stream))
        return 0;
    stream->id = 0;
    return ENOMEM;
}

static void be_old(struct queue *queue, struct stream *stream)
{
    if (stream->is_newest)
        HASH_DELETE(by_path, queue->by_path, stream);
    stream->is_newest = false;
}

int queue_set_newest(struct queue *queue, struct stream *stream)
{
    struct stream *other;
    HASH_FIND(by_path, queue->by_path, stream->key.path, strlen(stream->key.path), other);
    if (other == stream)
        return 0;
    if (other)
        be_old(queue, other);
    stream->by_path.tbl = NULL;
    HASH_ADD_KEYPTR(by_path, queue->by_path, stream->key.path, strlen(stream->key.path), stream);
    stream->is_newest = table_has(by_path, stream);
    return stream->is_newest ? 0 : ENOMEM;
}

void queue_remove_stream(struct queue *queue, struct stream *stream)
{
    queue_drop_waiting(queue, stream);
    be_old(queue, stream);
    queue_set_id(queue, stream, 0);
    queue_hold(queue, stream);
    HASH_DELETE(by_key, queue->by_key, stream);
    names_release(&stream->names);
    free(stream);
}

void queue_hold(struct queue *queue, struct stream *stream)
{
    if (stream->is_ready)
        TAILQ_REMOVE(&queue->ready, stream, turn);
    stream->is_ready = false;
}

void queue_go_on(struct queue *queue, struct stream *stream)
{
    if (stream->is_ready || stream->n_waiting == 0)
        return;
    TAILQ_INSERT_TAIL(&queue->ready, stream, turn);
    stream->is_ready = true;
}

/* -- Blocks ---------------------------------------------------------------------------------- */

static size_t size_of(const struct queue_block *block)
{
    return sizeof *block + block->len;
}

int queue_add(struct queue *queue, struct stream *stream, uint32_t number, const uint8_t *octets,
              size_t len, uint64_t now_ns)
{
    struct queue_block *block = malloc(sizeof *block + len);
    if (!block)
        return ENOMEM;
    *block =
        (struct queue_block){.stream = stream, .number = number, .came_ns = now_ns, .len = len};
    memcpy(block->octets, octets, len);
    TAILQ_INSERT_TAIL(&queue->waiting, block, all);
    TAILQ_INSERT_TAIL(&stream->waiting, block, own);
    queue->octets += size_of(block);
    queue->n_waiting++;
    stream->n_waiting++;
    stream->came_ns = now_ns;
    stream->next = number + 1;
    if (stream->n_waiting == 1)
        queue_go_on(queue, stream);
    return 0;
}

struct queue_block *queue_next(const struct queue *queue)
{
    const struct stream *stream = TAILQ_FIRST(&queue->ready);
    return stream ? TAILQ_FIRST(&stream->waiting) : NULL;
}

static void leave_waiting(struct queue *queue, struct queue_block *block)
{
    struct stream *stream = block->stream;
    TAILQ_REMOVE(&queue->waiting, block, all);
    TAILQ_REMOVE(&stream->waiting, block, own);
    queue->n_waiting--;
    stream->n_waiting--;
}

void queue_give(struct queue *queue, struct queue_block *block)
{
    struct stream *stream = block->stream;
    leave_waiting(queue, block);
    TAILQ_INSERT_TAIL(&queue->given, block, all);
    queue->n_given++;
    queue->given_octets += size_of(block);
    stream->n_given++;
    queue_hold(queue, stream);
    queue_go_on(queue, stream);
}

static void leave_given(struct queue *queue, struct queue_block *block)
{
    TAILQ_REMOVE(&queue->given, block, all);
    queue->n_given--;
    queue->given_octets -= size_of(block);
    block->stream->n_given--;
}

void queue_confirm(struct queue *queue, struct queue_block *block)
{
    leave_given(queue, block);
    queue->octets -= size_of(block);
    free(block);
}

void queue_take_back(struct queue *queue)
{
    struct queue_block *block;
    while ((block = TAILQ_LAST(&queue->given, queue_blocks))) {
        struct stream *stream = block->stream;
        leave_given(queue, block);
        TAILQ_INSERT_HEAD(&queue->waiting, block, all);
        TAILQ_INSERT_HEAD(&stream->waiting, block, own);
        queue->n_waiting++;
        stream->n_waiting++;
        queue_go_on(queue, stream);
    }
}

void queue_drop(struct queue *queue, struct queue_block *block)
{
    struct stream *stream = block->stream;
    leave_waiting(queue, block);
    queue->octets -= size_of(block);
    free(block);
    if (stream->n_waiting == 0)
        queue_hold(queue, stream);
}

void queue_drop_waiting(struct queue *queue, struct stream *stream)
{
    struct queue_block *block;
    while ((block = TAILQ_FIRST(&stream->waiting)))
        queue_drop(queue, block);
}
