/* A transactional producer of Kafka, by librdkafka: what is produced becomes visible to those who
 * read what is committed with its commit, all of it or nothing. A cluster that does not get on for
 * the patience of the target is given up. */
#ifndef DCAMP_PUBLISH_KAFKA_PRODUCER_H
#define DCAMP_PUBLISH_KAFKA_PRODUCER_H

#include "publish/kafka/handle.h"

struct producer;

struct produced {
    const char *topic;
    int32_t partition; /* RD_KAFKA_PARTITION_UA: by the key */
    const char *key;
    size_t key_len;
    const char *value; /* NULL: none, which is not the same as an empty one */
    size_t value_len;
    int64_t time_ms;
    const char *boot, *block; /* headers; NULL: none */
};

/* Connects. Whatever another producer of the target's identity has not committed is undone then,
 * and that one, if it is still there, cannot commit any more. 0 or an errno. */
int producer_open(const struct target *target, struct producer **producer,
                  char error[SINK_ERROR_SIZE]);

/* Undoes what is not committed, if the cluster takes that soon; if it does not, it is undone by the
 * next producer of that identity, or after a while by the cluster. producer_close(NULL) is legal.
 */
void producer_close(struct producer *producer);

/* In a transaction, which begins by it. What it gets is copied. It waits where too much is on its
 * way. After a failure the producer is closed by its owner. */
int producer_put(struct producer *producer, const struct produced *produced,
                 char error[SINK_ERROR_SIZE]);

bool producer_has_begun(const struct producer *producer);

/* 0 or an errno; after that, nobody may know whether it is done, or will be, until another producer
 * of that identity has connected. */
int producer_commit(struct producer *producer, char error[SINK_ERROR_SIZE]);

/* Hears what has happened, without waiting. EIO: it cannot commit any more. */
int producer_step(struct producer *producer, char error[SINK_ERROR_SIZE]);

struct handle *producer_handle(struct producer *producer);

#endif
