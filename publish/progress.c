#include "publish/progress.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"

/* The key of a stream: boot, engine and path, one after the other. */
struct stream_key {
    uint32_t boot;
    uint8_t engine_id_len;
    uint8_t engine_id[ENGINE_ID_MAX];
    char path[ALARM_PATH_SIZE];
};

struct stream_progress {
    struct stream_key key;
    struct sink_stream stream; /* its texts are in the key, and in name and group */
    char name[NAME_SIZE], group[NAME_SIZE];
    uint32_t next; /* behind the last block of the batch; 0: the batch has none of it */
    uint32_t idle; /* batches in a row that have none of it */
    UT_hash_handle hh;
};

struct progress {
    struct stream_progress *streams;
};

struct progress *progress_new(void)
{
    return calloc(1, sizeof(struct progress));
}

void progress_free(struct progress *progress)
{
    struct stream_progress *stream, *next;
    if (!progress)
        return;
    HASH_ITER(hh, progress->streams, stream, next)
    {
        HASH_DEL(progress->streams, stream);
        free(stream);
    }
    free(progress);
}

static void set_text(char *to, size_t size, const char *text)
{
    strncpy(to, text, size - 1);
    to[size - 1] = '\0';
}

static void set_key(struct stream_key *key, const struct sink_stream *stream)
{
    memset(key, 0, sizeof *key);
    key->boot = stream->boot;
    key->engine_id_len =
        (uint8_t)(stream->engine_id_len < ENGINE_ID_MAX ? stream->engine_id_len : ENGINE_ID_MAX);
    if (key->engine_id_len)
        memcpy(key->engine_id, stream->engine_id, key->engine_id_len);
    set_text(key->path, sizeof key->path, stream->path);
}

static struct stream_progress *find(const struct progress *progress,
                                    const struct sink_stream *stream)
{
    struct stream_key key;
    struct stream_progress *found;
    set_key(&key, stream);
    HASH_FIND(hh, progress->streams, &key, sizeof key, found);
    return found;
}

static struct stream_progress *add(struct progress *progress, const struct sink_stream *stream)
{
    struct stream_progress *added = calloc(1, sizeof *added);
    if (!added)
        return NULL;
    set_key(&added->key, stream);
    set_text(added->name, sizeof added->name, stream->name);
    set_text(added->group, sizeof added->group, stream->group);
    added->stream = (struct sink_stream){.boot = stream->boot,
                                         .path = added->key.path,
                                         .name = added->name,
                                         .group = added->group,
                                         .engine_id = added->key.engine_id,
                                         .engine_id_len = added->key.engine_id_len};
    HASH_ADD(hh, progress->streams, key, sizeof added->key, added);
    if (table_has(hh, added))
        return added;
    free(added);
    return NULL;
}

int progress_take(struct progress *progress, const struct sink_stream *stream, uint32_t number)
{
    struct stream_progress *one = find(progress, stream);
    if (!one)
        one = add(progress, stream);
    if (!one)
        return ENOMEM;
    one->next = number + 1;
    return 0;
}

int progress_each(const struct progress *progress, progress_fn *each, void *context)
{
    for (const struct stream_progress *one = progress->streams; one; one = one->hh.next) {
        int error = one->next == 0 ? 0 : each(context, &one->stream, one->next);
        if (error)
            return error;
    }
    return 0;
}

/* Each boot of each node is a stream, so that streams that have ended are not kept. */
void progress_committed(struct progress *progress)
{
    for (struct stream_progress *one = progress->streams, *next; one; one = next) {
        next = one->hh.next;
        one->idle = one->next ? 0 : one->idle + 1;
        one->next = 0;
        if (one->idle < PROGRESS_IDLE_MAX)
            continue;
        HASH_DEL(progress->streams, one);
        free(one);
    }
}

size_t progress_count(const struct progress *progress)
{
    return HASH_COUNT(progress->streams);
}
