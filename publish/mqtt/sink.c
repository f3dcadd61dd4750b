/* The kind of sinks "mqtt": a message for each line. A block is confirmed when the broker has
 * confirmed all of its messages: each comes at least once, and twice only after a connection or a
 * process was lost. Not even QoS 2 changes that: the session knows what was on its way, and
 * libmosquitto keeps it only in memory. So each message says which line of which block it is, and a
 * receiver that gets it twice can drop the second one. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hostport.h"
#include "base/text.h"
#include "publish/json.h"
#include "publish/location.h"
#include "publish/mqtt/client.h"
#include "publish/mqtt/topic.h"

#define STEP_MS 15000
/* Below the time after which the client asks whether the broker is there. */
#define PATIENCE_MAX_S 50

struct sink {
    struct client_settings settings;
    char prefix[OUTLET_TEXT_SIZE];
    char sensors[PATTERN_SIZE];
    struct client *client;
    struct octets topic, payload;
    char *error; /* of the call that is under way */
};

/* -- Settings -------------------------------------------------------------------------------- */

static int refuse(char error[SINK_ERROR_SIZE], const char *why)
{
    text_format(error, SINK_ERROR_SIZE, "location: %s", why);
    return EINVAL;
}

static int read_host(struct client_settings *settings, const struct location *location,
                     char error[SINK_ERROR_SIZE])
{
    struct hostport parts;
    settings->has_tls = strcmp(location->scheme, "mqtts") == 0;
    if (!settings->has_tls && strcmp(location->scheme, "mqtt") != 0)
        return refuse(error, "expected mqtt://HOST... or mqtts://HOST...");
    if (!hostport_split(location->authority, &parts) || parts.host_len == 0 ||
        (parts.port && !hostport_is_port(parts.port)))
        return refuse(error, "expected HOST or HOST:PORT behind ://");
    text_format(settings->host, sizeof settings->host, "%.*s", (int)parts.host_len, parts.host);
    settings->port = parts.port          ? (int)strtol(parts.port, NULL, 10)
                     : settings->has_tls ? 8883
                                         : 1883;
    return 0;
}

static int read_options(struct client_settings *settings, const struct location *location,
                        char error[SINK_ERROR_SIZE])
{
    static const char *const names[] = {"qos",     "retain",  "client", "ca",
                                        "version", "timeout", NULL};
    long qos = 1, retain = 0, patience = 10;
    if (!location_has_only(location, names, error) ||
        !location_number(location, "qos", 1, 2, &qos, error) ||
        !location_number(location, "retain", 0, 1, &retain, error) ||
        !location_number(location, "timeout", 1, PATIENCE_MAX_S, &patience, error))
        return EINVAL;
    const char *version = location_option(location, "version");
    const char *authority = location_option(location, "ca");
    settings->is_old = version && strcmp(version, "3.1.1") == 0;
    if (version && !settings->is_old && strcmp(version, "5") != 0)
        return refuse(error, "version: expected 5 or 3.1.1");
    if (authority && !settings->has_tls)
        return refuse(error, "ca: only with mqtts://");
    text_format(settings->authority, sizeof settings->authority, "%s", authority ? authority : "");
    settings->qos = (int)qos;
    settings->retain = retain != 0;
    settings->patience_s = (int)patience;
    return 0;
}

static int read_settings(struct sink *sink, const struct outlet_sink *settings,
                         char error[SINK_ERROR_SIZE])
{
    struct location location;
    if (!location_parse(&location, settings->location, error))
        return EINVAL;
    int status = read_host(&sink->settings, &location, error);
    if (!status)
        status = read_options(&sink->settings, &location, error);
    if (status)
        return status;
    text_format(sink->prefix, sizeof sink->prefix, "%s", *location.path ? location.path : "dcamp");
    if (!topic_is_prefix(sink->prefix))
        return refuse(error,
                      "the beginning of the topics has '+', '#', '$' at its begin, or is no text");
    text_format(sink->settings.credentials, sizeof sink->settings.credentials, "%s",
                settings->credentials);
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    identity_text(sink->settings.id, location_option(&location, "client"), settings);
    return 0;
}

/* -- Blocks ---------------------------------------------------------------------------------- */

/* A line_fn. */
static int publish(void *context, const struct line *line)
{
    struct sink *sink = context;
    octets_cut(&sink->topic, 0);
    octets_cut(&sink->payload, 0);
    topic_add(&sink->topic, sink->prefix, line);
    json_add_numbered(&sink->payload, line);
    if (sink->topic.failed || sink->payload.failed)
        return ENOMEM;
    return client_publish(sink->client, sink->topic.at, sink->payload.at, sink->payload.len - 1,
                          sink->error);
}

static int sink_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    (void)now_ms;
    sink->error = error;
    int status = lines_each(block, LINES_ALL, sink->sensors, publish, sink, &nameless);
    if (status == ENOMEM)
        text_format(error, SINK_ERROR_SIZE, "out of memory");
    return status;
}

static int sink_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    return client_confirm(sink->client, error);
}

/* The broker has to hear that the client is still there, and may say that it is leaving itself. */
static int sink_step(struct sink *sink, int64_t now_ms, int64_t *again_ms,
                     char error[SINK_ERROR_SIZE])
{
    *again_ms = now_ms + STEP_MS;
    return client_step(sink->client, error);
}

static void sink_close(struct sink *sink)
{
    if (!sink)
        return;
    client_close(sink->client);
    octets_release(&sink->topic);
    octets_release(&sink->payload);
    free(sink);
}

static int sink_open(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                     char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    struct sink *opened = *sink = calloc(1, sizeof *opened);
    if (!opened) {
        text_format(error, SINK_ERROR_SIZE, "out of memory");
        return ENOMEM;
    }
    int status = read_settings(opened, settings, error);
    if (!status)
        status = client_open(&opened->settings, &opened->client, error);
    if (status) {
        sink_close(opened);
        *sink = NULL;
    } else
        *error = '\0';
    return status;
}

extern const struct sink_type dcamp_sink_type;
const struct sink_type dcamp_sink_type = {.abi = SINK_ABI,
                                          .kind = "mqtt",
                                          .open = sink_open,
                                          .close = sink_close,
                                          .block = sink_block,
                                          .commit = sink_commit,
                                          .step = sink_step};
