/* The kind of sinks "openmetrics": what is now, for those who scrape. Nothing is written anywhere:
 * a block is confirmed when its values are in memory, and a process that begins reads again what
 * nodes keep, so that it knows what is now. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/credentials.h"
#include "base/text.h"
#include "http/listener.h"
#include "publish/location.h"
#include "publish/openmetrics/server.h"

#define PORT "9464" /* that of exporters of OpenTelemetry; as they are, on loopback by default */
#define LOCATION "http://127.0.0.1:" PORT "/metrics"
#define STEP_MS 5000
#define LIMIT 100000 /* series */
#define SETTLE_MS 150
#define SILENT_S 180L /* three times the heartbeat of the filter of the shipped dcamp.xml */

struct sink {
    struct board board;
    struct server *server;
    struct location location;
    char sensors[PATTERN_SIZE];
    char path[OUTLET_TEXT_SIZE];
    char token[CREDENTIAL_SIZE];
    char host[LISTENER_HOST_SIZE];
};

/* -- Settings -------------------------------------------------------------------------------- */

static int refuse(char error[SINK_ERROR_SIZE], const char *why)
{
    text_format(error, SINK_ERROR_SIZE, "location: %s", why);
    return EINVAL;
}

static int fail_memory(char error[SINK_ERROR_SIZE])
{
    text_format(error, SINK_ERROR_SIZE, "out of memory");
    return ENOMEM;
}

static int read_location(struct sink *sink, const struct outlet_sink *settings, bool *is_open,
                         char error[SINK_ERROR_SIZE])
{
    static const char *const names[] = {"limit", "silent", "open", NULL};
    struct location *location = &sink->location;
    long limit = LIMIT, silent_s = SILENT_S, open = 0;
    if (!location_parse(location, settings->location[0] ? settings->location : LOCATION, error) ||
        !location_has_only(location, names, error) ||
        !location_number(location, "limit", 1, 10000000, &limit, error) ||
        !location_number(location, "silent", 1, 604800, &silent_s, error) ||
        !location_number(location, "open", 0, 1, &open, error))
        return EINVAL;
    if (strcmp(location->scheme, "http") != 0)
        return refuse(error, "expected http://HOST..., where others scrape");
    text_format(sink->path, sizeof sink->path, "/%s", *location->path ? location->path : "metrics");
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    *is_open = open != 0;
    const struct present_settings present = {.limit = (size_t)limit,
                                             .silent_ms = 1000 * silent_s,
                                             .settle_ms = SETTLE_MS,
                                             .sensors = sink->sensors};
    sink->board.present = present_new(&present);
    return sink->board.present ? 0 : fail_memory(error);
}

static int read_token(struct sink *sink, const char *path, char error[SINK_ERROR_SIZE])
{
    struct credentials credentials;
    char why[512] = "";
    if (!*path)
        return 0;
    bool is_read = credentials_read(path, &credentials, why);
    if (is_read && credentials.token[0])
        text_format(sink->token, sizeof sink->token, "%s", credentials.token);
    else if (is_read)
        text_format(why, sizeof why, "%s: there is no line 'token TEXT' in it", path);
    explicit_bzero(&credentials, sizeof credentials);
    if (sink->token[0])
        return 0;
    text_format(error, SINK_ERROR_SIZE, "%s", why);
    return EINVAL;
}

/* -- The server ------------------------------------------------------------------------------ */

/* Without a token, a foreign page that a browser on this machine shows must not read it. */
static void name_access(struct access *access, struct sink *sink, const struct listener *listener)
{
    *access = (struct access){.token = sink->token[0] ? sink->token : NULL,
                              .any_host = sink->token[0] || !listener->is_local,
                              .host_help = "its location in dcamp-sinks(5)"};
    listener_name_hosts(listener, access, sink->host);
}

static int start(struct sink *sink, bool is_open, char error[SINK_ERROR_SIZE])
{
    struct listener listener;
    struct server_settings settings = {.path = sink->path};
    if (!listener_open(&listener, sink->location.authority, PORT, error))
        return EADDRNOTAVAIL;
    if (!listener.is_local && !sink->token[0] && !is_open) {
        close(listener.fd);
        return refuse(error, "other machines can connect there, which needs credentials "
                             "with a token, or open=1");
    }
    settings.fd = listener.fd;
    name_access(&settings.access, sink, &listener);
    sink->server = server_start(&settings, &sink->board);
    if (sink->server)
        return 0;
    int code = errno;
    text_format(error, SINK_ERROR_SIZE, "%s: %s", listener.address, strerror(code));
    return code;
}

static void sink_close(struct sink *sink)
{
    if (!sink)
        return;
    server_stop(sink->server);
    present_free(sink->board.present);
    pthread_mutex_destroy(&sink->board.lock);
    explicit_bzero(sink->token, sizeof sink->token);
    free(sink);
}

static int sink_open(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                     char error[SINK_ERROR_SIZE])
{
    bool is_open = false;
    (void)now_ms;
    struct sink *opened = *sink = calloc(1, sizeof *opened);
    if (!opened)
        return fail_memory(error);
    pthread_mutex_init(&opened->board.lock, NULL);
    int status = read_location(opened, settings, &is_open, error);
    if (!status)
        status = read_token(opened, settings->credentials, error);
    if (!status)
        status = start(opened, is_open, error);
    if (status) {
        sink_close(opened);
        *sink = NULL;
    }
    return status;
}

/* -- Blocks ---------------------------------------------------------------------------------- */

static int sink_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    pthread_mutex_lock(&sink->board.lock);
    int status = present_take(sink->board.present, block, now_ms);
    pthread_mutex_unlock(&sink->board.lock);
    return status == ENOMEM ? fail_memory(error) : status;
}

static int sink_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    (void)sink, (void)now_ms, (void)error;
    return 0;
}

static int sink_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                        char error[SINK_ERROR_SIZE])
{
    (void)error;
    pthread_mutex_lock(&sink->board.lock);
    present_cursors(sink->board.present, each, context);
    pthread_mutex_unlock(&sink->board.lock);
    return 0;
}

static int sink_count_anew(struct sink *sink, const struct sink_stream *stream, int64_t now_ms,
                           char error[SINK_ERROR_SIZE])
{
    (void)now_ms, (void)error;
    pthread_mutex_lock(&sink->board.lock);
    present_count_anew(sink->board.present, stream);
    pthread_mutex_unlock(&sink->board.lock);
    return 0;
}

static int sink_step(struct sink *sink, int64_t now_ms, int64_t *again_ms,
                     char error[SINK_ERROR_SIZE])
{
    (void)error;
    *again_ms = now_ms + STEP_MS;
    pthread_mutex_lock(&sink->board.lock);
    present_step(sink->board.present, now_ms);
    pthread_mutex_unlock(&sink->board.lock);
    return 0;
}

extern const struct sink_type dcamp_sink_type;
const struct sink_type dcamp_sink_type = {.abi = SINK_ABI,
                                          .kind = "openmetrics",
                                          .open = sink_open,
                                          .close = sink_close,
                                          .cursors = sink_cursors,
                                          .block = sink_block,
                                          .commit = sink_commit,
                                          .count_anew = sink_count_anew,
                                          .step = sink_step};
