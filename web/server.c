#include "web/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "http/reply.h"
#include "web/live.h"

#define CONNECTIONS_MAX 256u
#define PEER_CONNECTIONS_MAX 64u      /* a browser has about 6 */
#define IDLE_S 60u                    /* a connection that is silent for so long is closed */
#define MEMORY_MAX ((size_t)32 << 10) /* of the head of a request */
#define STREAM "/api/v1/stream"

struct server {
    const struct server_settings *settings;
    struct MHD_Daemon *http;
    struct live *live;
};

/* -- Answers ---------------------------------------------------------------------------------- */

/* Takes over the text, which may be NULL. */
static struct MHD_Response *text_response(char *text, const char *type)
{
    struct MHD_Response *response =
        text ? MHD_create_response_from_buffer_with_free_callback(strlen(text), text, free) : NULL;
    if (response)
        reply_add_headers(response, type, "no-store");
    else
        free(text);
    return response;
}

static enum MHD_Result send_file(struct MHD_Connection *connection, const struct site_file *file)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(file->len, file->text, MHD_RESPMEM_PERSISTENT);
    if (response)
        reply_add_headers(response, file->type, "no-cache");
    return reply_send(connection, MHD_HTTP_OK, response);
}

/* -- Requests --------------------------------------------------------------------------------- */

/* A MHD_KeyValueIteratorN. */
static enum MHD_Result take_parameter(void *context, enum MHD_ValueKind kind, const char *name,
                                      size_t name_len, const char *value, size_t value_len)
{
    struct request *request = context;
    (void)kind;
    if (request->n == REQUEST_PARAMETERS_MAX)
        request_fail(request, "more than %d parameters", REQUEST_PARAMETERS_MAX);
    else if (strlen(name) != name_len || (value && strlen(value) != value_len))
        request_fail(request, "a parameter has a NUL");
    else
        request->parameter[request->n++] =
            (struct request_parameter){.name = name, .value = value ? value : ""};
    return request->error[0] ? MHD_NO : MHD_YES;
}

static enum MHD_Result answer_data(const struct server *server, struct MHD_Connection *connection,
                                   struct request *request)
{
    unsigned status = MHD_HTTP_BAD_REQUEST;
    struct MHD_Response *response = NULL;
    if (!request->error[0] && strcmp(request->path, STREAM) == 0) {
        response = live_subscribe(server->live, connection, request, &status);
        if (response)
            reply_add_headers(response, "text/event-stream", "no-store");
    } else if (!request->error[0]) {
        const char *type;
        char *text = api_answer(server->settings->api, request, &status, &type);
        response = text_response(text, type);
    }
    if (response)
        return reply_send(connection, MHD_HTTP_OK, response);
    return reply_problem(connection, status, request->error[0] ? request->error : "out of memory",
                         false);
}

/* A MHD_AccessHandlerCallback. The body of a request is not read: no request may have one. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state)
{
    static const char seen;
    const struct server *server = context;
    (void)version, (void)data;
    const struct site_file *file = site_find(server->settings->site, url);
    enum access_verdict verdict = reply_judge(server->settings->access, connection, method, !file);
    if (verdict != ACCESS_OK)
        return reply_refusal(connection, verdict, server->settings->access);
    if (!*state) { /* only the head has come so far */
        *state = (void *)(uintptr_t)&seen;
        return MHD_YES;
    }
    if (*size > 0)
        return MHD_NO;
    if (file)
        return send_file(connection, file);
    if (!api_has(url) && strcmp(url, STREAM) != 0)
        return reply_problem(connection, MHD_HTTP_NOT_FOUND, "there is nothing at this path",
                             false);
    struct request request = {.path = url, .now_ms = clock_now().wall_ms};
    MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, take_parameter, &request);
    return answer_data(server, connection, &request);
}

/* -- The loop --------------------------------------------------------------------------------- */

static void log_http(void *context, const char *format, va_list arguments)
{
    char text[256];
    (void)context;
    vsnprintf(text, sizeof text, format, arguments);
    text[strcspn(text, "\n")] = '\0';
    log_debug("http", "%s", text);
}

static struct MHD_Daemon *start_http(struct server *server)
{
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL, on_request,
        server, MHD_OPTION_EXTERNAL_LOGGER, log_http, NULL, MHD_OPTION_LISTEN_SOCKET,
        server->settings->fd, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS_MAX,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT,
        server->settings->limits_peers ? PEER_CONNECTIONS_MAX : 0, MHD_OPTION_CONNECTION_TIMEOUT,
        IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_MAX, MHD_OPTION_END);
}

static int wait_ms(const struct server *server, uint64_t now_ns, uint64_t tick_ns)
{
    MHD_UNSIGNED_LONG_LONG http_ms;
    uint64_t ms = live_is_needed(server->live) && tick_ns > now_ns
                      ? (tick_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS
                      : 10000;
    if (MHD_get_timeout(server->http, &http_ms) == MHD_YES && http_ms < ms)
        ms = http_ms;
    return (int)ms;
}

static void serve(struct server *server, int epoll, int signals)
{
    const uint64_t tick = LIVE_TICK_MS * NS_PER_MS;
    uint64_t tick_ns = clock_mono_ns() + tick;
    struct signalfd_siginfo info;
    while (read(signals, &info, sizeof info) < 0) {
        struct epoll_event events[2];
        epoll_wait(epoll, events, 2, wait_ms(server, clock_mono_ns(), tick_ns));
        MHD_run(server->http);
        struct moment now = clock_now();
        if (now.mono_ns >= tick_ns) {
            live_tick(server->live, now.wall_ms);
            tick_ns = now.mono_ns + tick;
        }
    }
}

static int watch(int epoll, int fd)
{
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0 ? 0 : errno;
}

static int run_http(struct server *server, int epoll, int signals)
{
    server->http = start_http(server);
    if (!server->http)
        return errno ? errno : ENOMEM;
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(server->http, MHD_DAEMON_INFO_EPOLL_FD);
    int error = info ? watch(epoll, info->epoll_fd) : ENOSYS;
    if (!error)
        error = watch(epoll, signals);
    if (!error) {
        sd_notify(0, "READY=1");
        serve(server, epoll, signals);
        sd_notify(0, "STOPPING=1");
    }
    live_end(server->live);
    MHD_stop_daemon(server->http);
    return error;
}

int server_run(const struct server_settings *settings)
{
    struct server server = {.settings = settings, .live = live_open(settings->api)};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    int signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    int error = signals < 0 || epoll < 0 ? errno : server.live ? 0 : ENOMEM;
    if (!error)
        error = run_http(&server, epoll, signals);
    if (epoll >= 0)
        close(epoll);
    if (signals >= 0)
        close(signals);
    live_close(server.live);
    return error;
}
