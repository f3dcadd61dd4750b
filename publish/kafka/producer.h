/* A transactional producer of Kafka, by librdkafka: its commit makes what was produced visible to
 * those who read what is committed, all of it or nothing. A cluster that does not get on for as
 * long as the patience of the target is given up. */
#ifndef DCAMP_PUBLISH_KAFKA_PRODUCER_H
#define DCAMP_PUBLISH_KAFKA_PRODUCER_H

#include "publish/kafka/handle.h"

struct producer;

struct produced {
    const char *topic;
    int32_t partition; /* RD_KAFKA_PARTITION_UA: chosen by the key */
    const char *key;
    size_t key_len;
    const char *value; /* NULL: none, which is not the same as an empty one */
    size_t value_len;
    int64_t time_ms;
    const char *boot, *block; /* headers; NULL: none */
};

/* Connects. Then whatever another producer of the target's identity has not committed is undone,
 * and that producer, if it is still there, cannot commit any more. 0 or an errno. */
int producer_open(const struct target *target, struct producer **producer,
                  char error[SINK_ERROR_SIZE]);

/* Undoes what is not committed, if the cluster takes that soon; otherwise the next producer of that
 * identity undoes it, or after a while the cluster. producer_close(NULL) is legal. */
void producer_close(struct producer *producer);

/* Puts a message into the transaction, which begins if there is none; copies it. Waits while too
 * much is under way. After a failure the owner has to close the producer. */
int producer_put(struct producer *producer, const struct produced *produced,
                 char error[SINK_ERROR_SIZE]);

bool producer_has_begun(const struct producer *producer);

/* 0 or an errno; after an errno, nobody may know whether the commit is done, or will be, until
 * another producer of that identity has connected. */
int producer_commit(struct producer *producer, char error[SINK_ERROR_SIZE]);

/* Takes what has happened, without waiting. EIO: it cannot commit any more. */
int producer_step(struct producer *producer, char error[SINK_ERROR_SIZE]);

struct handle *producer_handle(struct producer *producer);

#endif
