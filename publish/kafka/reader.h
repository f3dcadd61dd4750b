/* The cursors that are committed, read from their topic. They are in its partition 0, so that they
 * have one order, however many partitions it has. */
#ifndef DCAMP_PUBLISH_KAFKA_READER_H
#define DCAMP_PUBLISH_KAFKA_READER_H

#include "publish/kafka/handle.h"

#define READER_PARTITION 0

/* A cursor of the target's identity that was not written again for so long is not needed any more.
 */
#define READER_KEEP_MS (INT64_C(90) * 24 * 3600 * 1000)

/* Gets the latest message of each key of the target's identity; is_old: it is older than that. The
 * key is as in the message. */
typedef void reader_fn(void *context, const struct sink_stream *stream, uint32_t next,
                       const char *key, size_t key_len, bool is_old);

/* Reads all that was committed before the call. The producer must not have a transaction then, and
 * is asked how far the topic goes. Waits for transactions of other publishers that have begun
 * before, up to the target's patience. 0 or an errno. */
int reader_each(struct handle *producer, int64_t now_ms, reader_fn *each, void *context,
                char error[SINK_ERROR_SIZE]);

#endif
