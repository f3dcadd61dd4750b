/* The cursors that are committed, as they are read from their topic: it has them in its partition
 * 0, so that they have one order, whatever number of partitions it has. */
#ifndef DCAMP_PUBLISH_KAFKA_READER_H
#define DCAMP_PUBLISH_KAFKA_READER_H

#include "publish/kafka/handle.h"

#define READER_PARTITION 0

/* A cursor of the target's identity that was not told again for so long is not needed any more. */
#define READER_KEEP_MS (INT64_C(90) * 24 * 3600 * 1000)

/* The latest message of each key of the target's identity; is_old: by that time. The key is as it
 * is in the message. */
typedef void reader_fn(void *context, const struct sink_stream *stream, uint32_t next,
                       const char *key, size_t key_len, bool is_old);

/* Reads all that is committed before the call; the producer has no transaction of its own then, and
 * is asked how far the topic goes. It waits for transactions of other publishers that have begun
 * before, up to the target's patience. 0 or an errno. */
int reader_each(struct handle *producer, int64_t now_ms, reader_fn *each, void *context,
                char error[SINK_ERROR_SIZE]);

#endif
