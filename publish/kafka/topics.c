#include "publish/kafka/topics.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"

/* How long to wait for a cluster to make a topic. */
#define MAKE_MS 3000

/* -- Making the one of the cursors ----------------------------------------------------------- */

/* Looks among all topics, since asking for it by its name would make it with the cluster's own
 * settings: it would not be compacted then. */
static bool is_there(struct handle *handle, const char *name)
{
    const struct rd_kafka_metadata *told = NULL;
    bool is = false;
    if (rd_kafka_metadata(handle->rk, 1, NULL, &told, 1000 * handle->target->patience_s))
        return false;
    for (int i = 0; i < told->topic_cnt && !is; i++)
        is = strcmp(told->topics[i].topic, name) == 0;
    rd_kafka_metadata_destroy(told);
    return is;
}

/* Segments are small: those before the last one are compacted, and all are read at a start. */
static const struct handle_option configuration[] = {
    {"cleanup.policy", "compact"},
    {"segment.bytes", "16777216"},
    {"min.cleanable.dirty.ratio", "0.1"},
    {NULL, NULL},
};

static rd_kafka_NewTopic_t *describe(const char *name)
{
    char why[SINK_ERROR_SIZE];
    rd_kafka_NewTopic_t *topic = rd_kafka_NewTopic_new(name, 1, -1, why, sizeof why);
    for (const struct handle_option *one = configuration; topic && one->name; one++)
        rd_kafka_NewTopic_set_config(topic, one->name, one->value);
    return topic;
}

/* The result is not looked at: the topic may be there already, or we may not make it, or the
 * cluster cannot. Whether it is there is asked next. */
static void make(struct handle *handle)
{
    rd_kafka_NewTopic_t *topic = describe(handle->target->cursors);
    rd_kafka_queue_t *queue = rd_kafka_queue_new(handle->rk);
    rd_kafka_AdminOptions_t *options =
        rd_kafka_AdminOptions_new(handle->rk, RD_KAFKA_ADMIN_OP_CREATETOPICS);
    char why[SINK_ERROR_SIZE];
    if (topic && queue && options) {
        rd_kafka_AdminOptions_set_request_timeout(options, MAKE_MS, why, sizeof why);
        rd_kafka_CreateTopics(handle->rk, &topic, 1, options, queue);
        rd_kafka_event_t *event = rd_kafka_queue_poll(queue, MAKE_MS);
        if (event)
            rd_kafka_event_destroy(event);
    }
    if (options)
        rd_kafka_AdminOptions_destroy(options);
    if (queue)
        rd_kafka_queue_destroy(queue);
    if (topic)
        rd_kafka_NewTopic_destroy(topic);
}

/* -- Asking for one -------------------------------------------------------------------------- */

static rd_kafka_resp_err_t ask(struct handle *handle, const char *name)
{
    const struct rd_kafka_metadata *told = NULL;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(handle->rk, name, NULL);
    if (!topic)
        return rd_kafka_last_error();
    rd_kafka_resp_err_t why = rd_kafka_metadata(handle->rk, 0, topic, &told, HANDLE_SLICE_MS);
    if (!why && told->topic_cnt == 1)
        why = told->topics[0].err                  ? told->topics[0].err
              : told->topics[0].partition_cnt == 0 ? RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE
                                                   : why;
    if (told)
        rd_kafka_metadata_destroy(told);
    rd_kafka_topic_destroy(topic);
    return why;
}

static bool is_final(rd_kafka_resp_err_t why)
{
    return why == RD_KAFKA_RESP_ERR_NO_ERROR ||
           why == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
           why == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
}

/* A topic that is just being made may not be there yet, or have no leader. */
static int need(struct handle *handle, const char *name, char error[SINK_ERROR_SIZE])
{
    char text[SINK_ERROR_SIZE];
    rd_kafka_resp_err_t why = ask(handle, name);
    for (int left = handle_patience(handle); left > 0 && !is_final(why); left--) {
        handle_hear(handle, why == RD_KAFKA_RESP_ERR__TIMED_OUT ? 0 : HANDLE_SLICE_MS);
        why = ask(handle, name);
    }
    if (!why)
        return 0;
    text_format(text, sizeof text, "topic %s: %s", name,
                why == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART
                    ? "it is not there, and the cluster does not make it"
                    : rd_kafka_err2str(why));
    if (why == RD_KAFKA_RESP_ERR__TIMED_OUT || why == RD_KAFKA_RESP_ERR__TRANSPORT)
        return handle_fail(handle, EIO, error, text);
    return handle_say(handle, why == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ? EACCES : EIO,
                      error, text);
}

int topics_need(struct handle *handle, char error[SINK_ERROR_SIZE])
{
    if (!is_there(handle, handle->target->cursors))
        make(handle);
    int status = need(handle, handle->target->cursors, error);
    return status ? status : need(handle, handle->target->topic, error);
}
