#include "publish/openmetrics/server.h"

#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "http/reply.h"

#define CONNECTIONS_MAX 256u
#define IDLE_S 15u /* a connection on which nothing moves for so long is closed */
#define MEMORY_MAX ((size_t)32 << 10) /* of the head of a request */
#define PIECE ((size_t)64 << 10)
/* How many texts there are at most: a client that reads slowly keeps one, but not for longer than
 * anybody waits for a scrape. */
#define TEXTS_MAX 8
#define PATIENCE_NS (30 * NS_PER_S)
#define FRESH_NS (NS_PER_S / 2) /* how long a text is used again if only ages have changed */

/* What was answered; it is shared by all who ask for the same meanwhile. */
struct text {
    struct server *server;
    struct octets octets;
    uint64_t version, made_ns;
    size_t n_readers; /* and one more while it is the newest */
};

struct server {
    struct server_settings settings;
    struct board *board;
    struct MHD_Daemon *http;
    /* Only for the thread of the server. */
    struct text *newest[WRITING_FORMATS];
    size_t n_texts;
};

/* -- Texts ----------------------------------------------------------------------------------- */

static void release(struct text *text)
{
    if (!text || --text->n_readers > 0)
        return;
    text->server->n_texts--;
    octets_release(&text->octets);
    free(text);
}

static struct text *make(struct server *server, enum writing_format format, size_t room,
                         struct moment now)
{
    struct board *board = server->board;
    struct text *text = calloc(1, sizeof *text);
    if (!text)
        return NULL;
    *text = (struct text){.server = server, .made_ns = now.mono_ns, .n_readers = 1};
    server->n_texts++;
    text->octets.at = malloc(room);
    text->octets.size = text->octets.at ? room : 0;
    pthread_mutex_lock(&board->lock);
    text->version = present_version(board->present);
    present_write(board->present, &text->octets, format, now.wall_ms);
    pthread_mutex_unlock(&board->lock);
    if (!text->octets.failed)
        return text;
    release(text);
    return NULL;
}

static bool is_fresh(const struct server *server, const struct text *text, uint64_t now_ns)
{
    struct board *board = server->board;
    if (now_ns - text->made_ns > FRESH_NS)
        return false;
    pthread_mutex_lock(&board->lock);
    uint64_t version = present_version(board->present);
    pthread_mutex_unlock(&board->lock);
    return text->version == version;
}

/* NULL: there is no memory, or too many are being read. */
static struct text *need_text(struct server *server, enum writing_format format, struct moment now)
{
    struct text *newest = server->newest[format];
    if (newest && is_fresh(server, newest, now.mono_ns))
        return newest;
    size_t room = newest ? newest->octets.len + newest->octets.len / 16 : PIECE;
    if (server->n_texts - (newest && newest->n_readers == 1) >= TEXTS_MAX)
        return NULL;
    server->newest[format] = NULL;
    release(newest);
    return server->newest[format] = make(server, format, room, now);
}

/* -- Answers --------------------------------------------------------------------------------- */

struct reading {
    struct text *text;
    uint64_t until_ns;
};

/* A MHD_ContentReaderCallback. */
static ssize_t read_text(void *context, uint64_t at, char *to, size_t most)
{
    const struct reading *reading = context;
    const struct octets *octets = &reading->text->octets;
    if (clock_mono_ns() > reading->until_ns)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t len = octets->len - (size_t)at;
    if (len > most)
        len = most;
    memcpy(to, octets->at + at, len);
    return (ssize_t)len;
}

/* A MHD_ContentReaderFreeCallback. */
static void end_reading(void *context)
{
    struct reading *reading = context;
    release(reading->text);
    free(reading);
}

static struct MHD_Response *respond(struct text *text, enum writing_format format, uint64_t now_ns)
{
    struct reading *reading = malloc(sizeof *reading);
    if (!reading)
        return NULL;
    *reading = (struct reading){.text = text, .until_ns = now_ns + PATIENCE_NS};
    text->n_readers++;
    struct MHD_Response *response =
        MHD_create_response_from_callback(text->octets.len, PIECE, read_text, reading, end_reading);
    if (!response) {
        end_reading(reading);
        return NULL;
    }
    reply_add_headers(response, writing_content_type(format), "no-store");
    MHD_add_response_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
    return response;
}

static enum MHD_Result answer(struct server *server, struct MHD_Connection *connection)
{
    struct moment now = clock_now();
    enum writing_format format = writing_accepted(reply_header(connection, MHD_HTTP_HEADER_ACCEPT));
    struct text *text = need_text(server, format, now);
    if (text)
        return reply_send(connection, MHD_HTTP_OK, respond(text, format, now.mono_ns));
    return reply_problem(connection, MHD_HTTP_SERVICE_UNAVAILABLE,
                         "no memory, or too many clients that read slowly", false);
}

/* A MHD_AccessHandlerCallback. The body of a request is not read: no request may have one. */
static enum MHD_Result on_request(void *context, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *size, void **state)
{
    static const char seen;
    struct server *server = context;
    const struct access *access = &server->settings.access;
    (void)version, (void)data;
    enum access_verdict verdict = reply_judge(access, connection, method, true);
    if (verdict != ACCESS_OK)
        return reply_refusal(connection, verdict, access);
    if (!*state) { /* only the head has come so far */
        *state = (void *)(uintptr_t)&seen;
        return MHD_YES;
    }
    if (*size > 0)
        return MHD_NO;
    if (strcmp(url, server->settings.path) != 0)
        return reply_problem(connection, MHD_HTTP_NOT_FOUND, "there is nothing at this path",
                             false);
    return answer(server, connection);
}

/* -- The thread ------------------------------------------------------------------------------ */

/* The thread gets no signals: they are for the thread that delivers. */
static struct MHD_Daemon *start_http(struct server *server)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    struct MHD_Daemon *http =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, server,
                         MHD_OPTION_LISTEN_SOCKET, server->settings.fd, MHD_OPTION_CONNECTION_LIMIT,
                         CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, IDLE_S,
                         MHD_OPTION_CONNECTION_MEMORY_LIMIT, MEMORY_MAX, MHD_OPTION_END);
    int error = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return http;
}

struct server *server_start(const struct server_settings *settings, struct board *board)
{
    struct server *server = calloc(1, sizeof *server);
    if (!server)
        return NULL;
    server->settings = *settings;
    server->board = board;
    errno = 0;
    server->http = start_http(server);
    if (server->http)
        return server;
    int error = errno ? errno : ENOMEM;
    free(server);
    errno = error;
    return NULL;
}

void server_stop(struct server *server)
{
    if (!server)
        return;
    MHD_stop_daemon(server->http);
    for (size_t i = 0; i < WRITING_FORMATS; i++)
        release(server->newest[i]);
    free(server);
}
