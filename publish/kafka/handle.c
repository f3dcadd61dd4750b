#include "publish/kafka/handle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/credentials.h"
#include "base/text.h"

#define SETTING_SIZE 32

/* -- Words ----------------------------------------------------------------------------------- */

int handle_say(const struct handle *handle, int status, char error[SINK_ERROR_SIZE],
               const char *why)
{
    text_format(error, SINK_ERROR_SIZE, "kafka %s: %s", handle->target->servers, why);
    text_clean(error, SINK_ERROR_SIZE, '?');
    return status;
}

int handle_fail(const struct handle *handle, int status, char error[SINK_ERROR_SIZE],
                const char *why)
{
    return handle_say(handle, handle->is_refused ? EACCES : status, error,
                      handle->said[0] ? handle->said : why);
}

int handle_patience(const struct handle *handle)
{
    return handle->target->patience_s * HANDLE_SLICES;
}

/* -- What the library tells ------------------------------------------------------------------ */

static int weight_of(rd_kafka_resp_err_t why)
{
    switch (why) {
    case RD_KAFKA_RESP_ERR__AUTHENTICATION:
    case RD_KAFKA_RESP_ERR__SSL:
        return 3;
    case RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN:
        return 1;
    default:
        return 2;
    }
}

/* Called by rd_kafka_poll(), in our own thread. */
static void on_error(rd_kafka_t *rk, int why, const char *reason, void *context)
{
    struct handle *handle = context;
    int weight = weight_of((rd_kafka_resp_err_t)why);
    (void)rk;
    if (weight < handle->weight)
        return;
    handle->weight = weight;
    handle->is_refused = weight == 3;
    text_format(handle->said, sizeof handle->said, "%s", reason);
}

/* Likewise. */
static void on_delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *context)
{
    struct handle *handle = context;
    (void)rk;
    if (message->err && message->err != RD_KAFKA_RESP_ERR__PURGE_QUEUE &&
        message->err != RD_KAFKA_RESP_ERR__PURGE_INFLIGHT && !handle->lost)
        handle->lost = message->err;
}

/* Logs are dropped: what matters is also told by errors, and this is called in other threads. */
static void on_log(const rd_kafka_t *rk, int level, const char *facility, const char *text)
{
    (void)rk;
    (void)level;
    (void)facility;
    (void)text;
}

void handle_hear(struct handle *handle, int timeout_ms)
{
    rd_kafka_poll(handle->rk, timeout_ms);
}

/* -- Settings -------------------------------------------------------------------------------- */

static int set(rd_kafka_conf_t *conf, const char *name, const char *value,
               char error[SINK_ERROR_SIZE])
{
    char why[SINK_ERROR_SIZE];
    if (rd_kafka_conf_set(conf, name, value, why, sizeof why) == RD_KAFKA_CONF_OK)
        return 0;
    text_format(error, SINK_ERROR_SIZE, "librdkafka: %s", why);
    text_clean(error, SINK_ERROR_SIZE, '?');
    return EINVAL;
}

static int set_all(rd_kafka_conf_t *conf, const struct handle_option *options,
                   char error[SINK_ERROR_SIZE])
{
    int status = 0;
    for (const struct handle_option *one = options; one->name && !status; one++)
        status = set(conf, one->name, one->value, error);
    return status;
}

static int set_common(rd_kafka_conf_t *conf, const struct target *target,
                      char error[SINK_ERROR_SIZE])
{
    char patience_ms[SETTING_SIZE];
    text_format(patience_ms, sizeof patience_ms, "%d", 1000 * target->patience_s);
    const struct handle_option options[] = {
        {"bootstrap.servers", target->servers},
        {"client.id", "dcamp-publish"},
        {"socket.timeout.ms", patience_ms},
        {"socket.connection.setup.timeout.ms", patience_ms},
        {"reconnect.backoff.max.ms", "1000"},
        {"socket.keepalive.enable", "true"},
        {NULL, NULL},
    };
    return set_all(conf, options, error);
}

static int set_tls(rd_kafka_conf_t *conf, const struct target *target, char error[SINK_ERROR_SIZE])
{
    if (!target->has_tls)
        return 0;
    int status = set(conf, "ssl.endpoint.identification.algorithm", "https", error);
    if (!status && *target->authority)
        status = set(conf, "ssl.ca.location", target->authority, error);
    return status;
}

static int set_credentials(rd_kafka_conf_t *conf, const struct target *target,
                           char error[SINK_ERROR_SIZE])
{
    struct credentials credentials = {.user = ""};
    char why[512] = "";
    int status = 0;
    if (!*target->credentials)
        return set(conf, "security.protocol", target->has_tls ? "ssl" : "plaintext", error);
    if (!credentials_read(target->credentials, &credentials, why)) {
        text_format(error, SINK_ERROR_SIZE, "%s", why);
        return EINVAL;
    }
    if (*credentials.token || !*credentials.user) {
        text_format(error, SINK_ERROR_SIZE, "%s: kafka has a user and a password, not a token",
                    target->credentials);
        status = EINVAL;
    } else {
        const struct handle_option options[] = {
            {"security.protocol", target->has_tls ? "sasl_ssl" : "sasl_plaintext"},
            {"sasl.mechanism", target->mechanism},
            {"sasl.username", credentials.user},
            {"sasl.password", credentials.password},
            {NULL, NULL},
        };
        status = set_all(conf, options, error);
    }
    explicit_bzero(&credentials, sizeof credentials);
    return status;
}

static int configure(rd_kafka_conf_t *conf, struct handle *handle,
                     const struct handle_option *options, char error[SINK_ERROR_SIZE])
{
    rd_kafka_conf_set_opaque(conf, handle);
    rd_kafka_conf_set_error_cb(conf, on_error);
    rd_kafka_conf_set_log_cb(conf, on_log);
    rd_kafka_conf_set_dr_msg_cb(conf, on_delivered);
    int status = set_common(conf, handle->target, error);
    if (!status)
        status = set_tls(conf, handle->target, error);
    if (!status)
        status = set_credentials(conf, handle->target, error);
    return status ? status : set_all(conf, options, error);
}

/* -- All of it ------------------------------------------------------------------------------- */

static int open_with(struct handle *handle, rd_kafka_type_t type,
                     const struct handle_option *options, char error[SINK_ERROR_SIZE])
{
    char why[SINK_ERROR_SIZE];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    int status = configure(conf, handle, options, error);
    if (!status) {
        handle->rk = rd_kafka_new(type, conf, why, sizeof why);
        status = handle->rk ? 0 : EINVAL;
        if (!handle->rk)
            handle_say(handle, EINVAL, error, why);
    }
    if (!handle->rk)
        rd_kafka_conf_destroy(conf);
    return status;
}

int handle_open(const struct target *target, rd_kafka_type_t type,
                const struct handle_option *options, struct handle **handle,
                char error[SINK_ERROR_SIZE])
{
    struct handle *opened = *handle = calloc(1, sizeof *opened);
    if (!opened) {
        text_format(error, SINK_ERROR_SIZE, "out of memory");
        return ENOMEM;
    }
    opened->target = target;
    int status = open_with(opened, type, options, error);
    if (!status)
        return 0;
    handle_close(opened);
    *handle = NULL;
    return status;
}

void handle_close(struct handle *handle)
{
    if (!handle)
        return;
    if (handle->rk) {
        if (rd_kafka_type(handle->rk) == RD_KAFKA_PRODUCER)
            rd_kafka_purge(handle->rk, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
        rd_kafka_destroy_flags(handle->rk, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    }
    free(handle);
}
