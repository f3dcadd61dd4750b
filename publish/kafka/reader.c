#include "publish/kafka/reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "base/text.h"
#include "publish/kafka/message.h"

/* The latest cursor of a key. */
struct latest {
    UT_hash_handle hh;
    uint32_t next;
    int64_t time_ms;
    size_t key_len;
    char key[];
};

struct reading {
    const struct target *target;
    struct handle *handle; /* a consumer */
    rd_kafka_topic_t *topic;
    struct latest *latest;
    int64_t end;     /* offset behind the last message */
    int64_t next;    /* offset that was read up to */
    bool is_waiting; /* for the end of transactions of others */
};

/* -- The table ------------------------------------------------------------------------------- */

static void release(struct latest **table)
{
    struct latest *one, *next;
    HASH_ITER(hh, *table, one, next)
    {
        HASH_DEL(*table, one);
        free(one);
    }
}

static int add(struct latest **table, const char *key, size_t len, struct latest **found)
{
    HASH_FIND(hh, *table, key, len, *found);
    if (*found)
        return 0;
    struct latest *added = *found = calloc(1, sizeof *added + len);
    if (!added)
        return ENOMEM;
    added->key_len = len;
    memcpy(added->key, key, len);
    HASH_ADD(hh, *table, key, len, added);
    if (table_has(hh, added))
        return 0;
    free(added);
    return ENOMEM;
}

static void drop(struct latest **table, const char *key, size_t len)
{
    struct latest *found;
    HASH_FIND(hh, *table, key, len, found);
    if (found)
        HASH_DEL(*table, found);
    free(found);
}

static int take(struct reading *reading, const rd_kafka_message_t *message)
{
    struct message_cursor cursor;
    struct latest *latest;
    uint32_t next;
    reading->next = message->offset + 1;
    if (!message->key || !message_read_cursor_key(&cursor, reading->target->identity, message->key,
                                                  message->key_len))
        return 0;
    if (message->len == 0)
        drop(&reading->latest, message->key, message->key_len);
    if (message->len == 0 || !message_read_next(&next, message->payload, message->len))
        return 0;
    int status = add(&reading->latest, message->key, message->key_len, &latest);
    if (status)
        return status;
    latest->next = next;
    latest->time_ms = rd_kafka_message_timestamp(message, NULL);
    return 0;
}

/* -- Reading --------------------------------------------------------------------------------- */

static int say_silent(const struct reading *reading, char error[SINK_ERROR_SIZE])
{
    char why[SINK_ERROR_SIZE];
    text_format(why, sizeof why,
                reading->is_waiting
                    ? "topic %s: another publisher has a transaction that does not end"
                    : "topic %s: nothing was heard of it",
                reading->target->cursors);
    return reading->is_waiting ? handle_say(reading->handle, EIO, error, why)
                               : handle_fail(reading->handle, EIO, error, why);
}

/* After these, the library tries again by itself. */
static bool is_passing(rd_kafka_resp_err_t why)
{
    return why == RD_KAFKA_RESP_ERR__TRANSPORT || why == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN ||
           why == RD_KAFKA_RESP_ERR__TIMED_OUT ||
           why == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
           why == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
}

static int take_error(struct reading *reading, const rd_kafka_message_t *message,
                      char error[SINK_ERROR_SIZE])
{
    char why[SINK_ERROR_SIZE];
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        reading->next = message->offset;
        reading->is_waiting = reading->next < reading->end;
        return 0;
    }
    if (is_passing(message->err))
        return 0;
    text_format(why, sizeof why, "topic %s: %s", reading->target->cursors,
                rd_kafka_err2str(message->err));
    return handle_say(reading->handle, EIO, error, why);
}

/* Reads to the end. It gives up after silence for as long as the patience of the target. */
static int read_all(struct reading *reading, char error[SINK_ERROR_SIZE])
{
    int left = handle_patience(reading->handle), status = 0;
    while (!status && reading->next < reading->end) {
        int64_t before = reading->next;
        rd_kafka_message_t *message =
            rd_kafka_consume(reading->topic, READER_PARTITION, HANDLE_SLICE_MS);
        handle_hear(reading->handle, 0);
        if (message && message->err)
            status = take_error(reading, message, error);
        else if (message && (status = take(reading, message)) != 0)
            text_format(error, SINK_ERROR_SIZE, "out of memory");
        if (message)
            rd_kafka_message_destroy(message);
        left = reading->next != before ? handle_patience(reading->handle) : left - 1;
        if (!status && (left <= 0 || reading->handle->is_refused))
            status = say_silent(reading, error);
    }
    return status;
}

static int read_partition(struct reading *reading, char error[SINK_ERROR_SIZE])
{
    static const struct handle_option options[] = {
        {"isolation.level", "read_committed"},
        {"enable.partition.eof", "true"},
        {"enable.auto.commit", "false"},
        {"auto.offset.reset", "earliest"},
        /* Behind the last message is the end of its transaction, which only shows when there is
           nothing more: by default, a broker would first wait for more for half a second. */
        {"fetch.wait.max.ms", "10"},
        {"check.crcs", "true"},
        {NULL, NULL},
    };
    int status = handle_open(reading->target, RD_KAFKA_CONSUMER, options, &reading->handle, error);
    if (status)
        return status;
    reading->topic = rd_kafka_topic_new(reading->handle->rk, reading->target->cursors, NULL);
    /* Not from RD_KAFKA_OFFSET_BEGINNING: the library would ask where that is, and would ask again
     * only half a second later, since it does not know the partition's leader yet. */
    if (!reading->topic ||
        rd_kafka_consume_start(reading->topic, READER_PARTITION, reading->next) < 0)
        status = handle_say(reading->handle, EIO, error, rd_kafka_err2str(rd_kafka_last_error()));
    else {
        status = read_all(reading, error);
        rd_kafka_consume_stop(reading->topic, READER_PARTITION);
    }
    if (reading->topic)
        rd_kafka_topic_destroy(reading->topic);
    handle_close(reading->handle);
    return status;
}

/* -- All of it ------------------------------------------------------------------------------- */

static int find_ends(struct handle *producer, int64_t *from, int64_t *to,
                     char error[SINK_ERROR_SIZE])
{
    const char *name = producer->target->cursors;
    char text[SINK_ERROR_SIZE];
    rd_kafka_resp_err_t why = rd_kafka_query_watermark_offsets(
        producer->rk, name, READER_PARTITION, from, to, 1000 * producer->target->patience_s);
    handle_hear(producer, 0);
    if (!why)
        return 0;
    text_format(text, sizeof text, "topic %s: %s", name, rd_kafka_err2str(why));
    return why == RD_KAFKA_RESP_ERR__TIMED_OUT ? handle_fail(producer, EIO, error, text)
                                               : handle_say(producer, EIO, error, text);
}

static void tell(const struct reading *reading, int64_t now_ms, reader_fn *each, void *context)
{
    struct message_cursor cursor;
    for (const struct latest *one = reading->latest; one; one = one->hh.next)
        if (message_read_cursor_key(&cursor, reading->target->identity, one->key, one->key_len))
            each(context, &cursor.stream, one->next, one->key, one->key_len,
                 one->time_ms > 0 && one->time_ms < now_ms - READER_KEEP_MS);
}

int reader_each(struct handle *producer, int64_t now_ms, reader_fn *each, void *context,
                char error[SINK_ERROR_SIZE])
{
    struct reading reading = {.target = producer->target};
    int status = find_ends(producer, &reading.next, &reading.end, error);
    if (!status && reading.next < reading.end)
        status = read_partition(&reading, error);
    if (!status)
        tell(&reading, now_ms, each, context);
    release(&reading.latest);
    return status;
}
