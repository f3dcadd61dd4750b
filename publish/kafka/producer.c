#include "publish/kafka/producer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define QUEUE_KBYTES "16384" /* what may be on its way */
#define LINGER_MS "20"       /* how long a batch waits for more, unless there is a commit */

/* The cluster undoes a transaction that nobody ends after this time; until then, nobody who reads
 * only what is committed gets past it. It is longer than any patience. */
#define TRANSACTION_MS "60000"
#define MESSAGE_MS "55000"

struct producer {
    struct handle *handle;
    bool has_begun;     /* a transaction has begun */
    bool is_committing; /* its commit was asked for */
};

struct handle *producer_handle(struct producer *producer)
{
    return producer->handle;
}

bool producer_has_begun(const struct producer *producer)
{
    return producer->has_begun;
}

/* -- Failures -------------------------------------------------------------------------------- */

static bool is_fenced(rd_kafka_resp_err_t why)
{
    return why == RD_KAFKA_RESP_ERR__FENCED || why == RD_KAFKA_RESP_ERR_PRODUCER_FENCED ||
           why == RD_KAFKA_RESP_ERR_INVALID_PRODUCER_EPOCH;
}

static bool is_forbidden(rd_kafka_resp_err_t why)
{
    return why == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED ||
           why == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
           why == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED;
}

/* Tells why nothing goes on: first what is fatal, then why a message was not taken, then what the
 * call says; and if that is only that its time is up, why the library does not get on. */
static int fail(const struct producer *producer, rd_kafka_resp_err_t code, const char *text,
                char error[SINK_ERROR_SIZE])
{
    const struct handle *handle = producer->handle;
    char fatal_text[SINK_ERROR_SIZE], why[2 * SINK_ERROR_SIZE];
    rd_kafka_resp_err_t fatal = rd_kafka_fatal_error(handle->rk, fatal_text, sizeof fatal_text);
    if (is_fenced(fatal) || is_fenced(code)) {
        text_format(why, sizeof why, "another publisher by the name of %s has taken over",
                    handle->target->identity);
        return handle_say(handle, EBUSY, error, why);
    }
    if (fatal)
        return handle_say(handle, is_forbidden(fatal) ? EACCES : EIO, error, fatal_text);
    if (handle->lost && handle->lost != RD_KAFKA_RESP_ERR__MSG_TIMED_OUT) {
        text_format(why, sizeof why, "a message is not taken: %s", rd_kafka_err2str(handle->lost));
        return handle_say(handle, is_forbidden(handle->lost) ? EACCES : EIO, error, why);
    }
    if (code == RD_KAFKA_RESP_ERR__TIMED_OUT || handle->is_refused)
        return handle_fail(handle, EIO, error, text);
    return handle_say(handle, is_forbidden(code) ? EACCES : EIO, error, text);
}

/* Releases `why`, too. */
static int fail_by(const struct producer *producer, rd_kafka_error_t *why,
                   char error[SINK_ERROR_SIZE])
{
    int status = fail(producer, rd_kafka_error_code(why), rd_kafka_error_string(why), error);
    rd_kafka_error_destroy(why);
    return status;
}

/* The transaction has failed before, in a thread of the library, and takes nothing any more. The
 * library tells the reason only to a commit, which cannot begin in that state. */
static int fail_earlier(const struct producer *producer, char error[SINK_ERROR_SIZE])
{
    struct handle *handle = producer->handle;
    rd_kafka_error_t *why =
        rd_kafka_commit_transaction(handle->rk, 1000 * handle->target->patience_s);
    handle_hear(handle, 0);
    return why ? fail_by(producer, why, error)
               : fail(producer, RD_KAFKA_RESP_ERR__STATE, "a transaction has ended early", error);
}

static int fail_late(const struct producer *producer, char error[SINK_ERROR_SIZE])
{
    char why[80];
    text_format(why, sizeof why, "the cluster has not taken it within %d seconds",
                producer->handle->target->patience_s);
    return fail(producer, RD_KAFKA_RESP_ERR__TIMED_OUT, why, error);
}

/* -- Opening and closing --------------------------------------------------------------------- */

/* A call that has timed out goes on where it was when it is called again. */
static int begin_to_publish(struct producer *producer, char error[SINK_ERROR_SIZE])
{
    struct handle *handle = producer->handle;
    for (int left = handle_patience(handle);; left--) {
        rd_kafka_error_t *why = rd_kafka_init_transactions(handle->rk, HANDLE_SLICE_MS);
        handle_hear(handle, 0);
        if (!why)
            return 0;
        bool is_late = rd_kafka_error_code(why) == RD_KAFKA_RESP_ERR__TIMED_OUT;
        if (!rd_kafka_error_is_retriable(why) || (handle->is_refused && is_late))
            return fail_by(producer, why, error);
        rd_kafka_error_destroy(why);
        if (left <= 0)
            return fail_late(producer, error);
        if (!is_late)
            handle_hear(handle, HANDLE_SLICE_MS);
    }
}

static int connect_to(struct producer *producer, const struct target *target,
                      char error[SINK_ERROR_SIZE])
{
    const struct handle_option options[] = {
        {"transactional.id", target->identity},
        {"transaction.timeout.ms", TRANSACTION_MS},
        {"message.timeout.ms", MESSAGE_MS},
        {"queue.buffering.max.kbytes", QUEUE_KBYTES},
        {"linger.ms", LINGER_MS},
        {"compression.type", target->compression},
        {"partitioner", "murmur2_random"}, /* as the clients in Java do */
        /* The end of a partition is also asked through this handle; it includes what is not
           committed yet. */
        {"isolation.level", "read_uncommitted"},
        {NULL, NULL},
    };
    int status = handle_open(target, RD_KAFKA_PRODUCER, options, &producer->handle, error);
    return status ? status : begin_to_publish(producer, error);
}

int producer_open(const struct target *target, struct producer **producer,
                  char error[SINK_ERROR_SIZE])
{
    struct producer *opened = *producer = calloc(1, sizeof *opened);
    if (!opened) {
        text_format(error, SINK_ERROR_SIZE, "out of memory");
        return ENOMEM;
    }
    int status = connect_to(opened, target, error);
    if (!status)
        return 0;
    producer_close(opened);
    *producer = NULL;
    return status;
}

/* A commit that was asked for is not undone, since it may have been done. */
static void undo(struct producer *producer)
{
    rd_kafka_t *rk = producer->handle->rk;
    if (!producer->has_begun || producer->is_committing || rd_kafka_fatal_error(rk, NULL, 0))
        return;
    rd_kafka_error_t *why = rd_kafka_abort_transaction(rk, HANDLE_LEAVE_MS);
    if (why)
        rd_kafka_error_destroy(why);
}

void producer_close(struct producer *producer)
{
    if (!producer)
        return;
    if (producer->handle)
        undo(producer);
    handle_close(producer->handle);
    free(producer);
}

/* -- Messages -------------------------------------------------------------------------------- */

static int need_transaction(struct producer *producer, char error[SINK_ERROR_SIZE])
{
    if (producer->has_begun)
        return 0;
    rd_kafka_error_t *why = rd_kafka_begin_transaction(producer->handle->rk);
    if (why)
        return fail_by(producer, why, error);
    producer->has_begun = true;
    producer->is_committing = false;
    return 0;
}

static rd_kafka_resp_err_t put(rd_kafka_t *rk, const struct produced *produced)
{
    rd_kafka_headers_t *headers = NULL;
    if (produced->boot) {
        headers = rd_kafka_headers_new(2);
        rd_kafka_header_add(headers, "boot", -1, produced->boot, -1);
        rd_kafka_header_add(headers, "block", -1, produced->block, -1);
    }
    rd_kafka_resp_err_t why = rd_kafka_producev(
        rk, RD_KAFKA_V_TOPIC(produced->topic), RD_KAFKA_V_PARTITION(produced->partition),
        RD_KAFKA_V_KEY(produced->key, produced->key_len),
        RD_KAFKA_V_VALUE((void *)produced->value, produced->value_len),
        RD_KAFKA_V_TIMESTAMP(produced->time_ms), RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY),
        RD_KAFKA_V_HEADERS(headers), RD_KAFKA_V_END);
    if (why && headers)
        rd_kafka_headers_destroy(headers);
    return why;
}

int producer_put(struct producer *producer, const struct produced *produced,
                 char error[SINK_ERROR_SIZE])
{
    struct handle *handle = producer->handle;
    int status = need_transaction(producer, error);
    if (status)
        return status;
    for (int left = handle_patience(handle);; left--) {
        rd_kafka_resp_err_t why = put(handle->rk, produced);
        handle_hear(handle, why ? HANDLE_SLICE_MS : 0);
        if (!why)
            return 0;
        if (why == RD_KAFKA_RESP_ERR__STATE)
            return fail_earlier(producer, error);
        if (why != RD_KAFKA_RESP_ERR__QUEUE_FULL || handle->lost)
            return fail(producer, why, rd_kafka_err2str(why), error);
        if (left <= 0)
            return fail_late(producer, error);
    }
}

/* The library tries again by itself as long as it has time. What has certainly failed is undone by
 * closing. */
int producer_commit(struct producer *producer, char error[SINK_ERROR_SIZE])
{
    struct handle *handle = producer->handle;
    if (!producer->has_begun)
        return 0;
    producer->is_committing = true;
    handle_hear(handle, 0);
    rd_kafka_error_t *why =
        rd_kafka_commit_transaction(handle->rk, 1000 * handle->target->patience_s);
    handle_hear(handle, 0);
    if (!why) {
        producer->has_begun = producer->is_committing = false;
        handle->said[0] = '\0';
        handle->weight = 0;
        return 0;
    }
    producer->is_committing = !rd_kafka_error_txn_requires_abort(why);
    return fail_by(producer, why, error);
}

int producer_step(struct producer *producer, char error[SINK_ERROR_SIZE])
{
    struct handle *handle = producer->handle;
    handle_hear(handle, 0);
    return rd_kafka_fatal_error(handle->rk, NULL, 0)
               ? fail(producer, RD_KAFKA_RESP_ERR__FATAL, "it has failed", error)
               : 0;
}
