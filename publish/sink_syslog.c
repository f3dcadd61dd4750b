#include "publish/sink_syslog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/text.h"
#include "publish/log_server.h"
#include "publish/syslog_message.h"
#include "publish/told.h"

#define LOCAL_PLACE "/dev/log"

struct sink {
    struct log_server server;
    struct syslog_source source;
    char host[256], pid[16];
    char sensors[PATTERN_SIZE];
    struct told *told;
    struct octets message;
};

static int say(const struct sink *sink, int why, char error[SINK_ERROR_SIZE])
{
    text_format(error, SINK_ERROR_SIZE, "%s: %s", sink->server.place,
                why == EINVAL ? "expected a path, udp:HOST:PORT or tcp:HOST:PORT" : strerror(why));
    return why;
}

static int take_location(struct sink *sink, const char *location, char error[SINK_ERROR_SIZE])
{
    const char *blank = strchr(location, ' ');
    size_t len = blank ? (size_t)(blank - location) : strlen(location);
    text_format(sink->server.place, sizeof sink->server.place, "%.*s", (int)len, location);
    if (len == 0)
        strcpy(sink->server.place, LOCAL_PLACE);
    sink->source.facility = blank ? syslog_facility(blank + 1) : LOG_DAEMON;
    if (sink->source.facility >= 0)
        return 0;
    text_format(error, SINK_ERROR_SIZE, "location: there is no facility \"%s\" of syslog",
                blank + 1);
    return EINVAL;
}

/* A host name has only printable ASCII in a message: RFC 5424, section 6.2.4. */
static void name_source(struct sink *sink)
{
    if (gethostname(sink->host, sizeof sink->host - 1) < 0 || !sink->host[0])
        strcpy(sink->host, "-");
    for (char *at = sink->host; *at; at++)
        if (*at <= ' ' || *at > '~')
            *at = '?';
    text_format(sink->pid, sizeof sink->pid, "%ld", (long)getpid());
    sink->source.host = sink->host;
    sink->source.pid = sink->pid;
}

static void close_syslog(struct sink *sink)
{
    if (!sink)
        return;
    log_server_close(&sink->server);
    told_free(sink->told);
    octets_release(&sink->message);
    free(sink);
}

static int open_syslog(const struct outlet_sink *settings, int64_t now_ms, struct sink **opened,
                       char error[SINK_ERROR_SIZE])
{
    struct sink *sink = calloc(1, sizeof *sink);
    (void)now_ms;
    if (sink)
        sink->told = told_new();
    if (!sink || !sink->told) {
        free(sink);
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    sink->server.fd = -1;
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    name_source(sink);
    int failed = take_location(sink, settings->location, error);
    if (!failed) {
        failed = log_server_open(&sink->server);
        if (failed)
            say(sink, failed, error);
    }
    if (failed)
        close_syslog(sink);
    else
        *opened = sink;
    return failed;
}

/* A line_fn. */
static int send_line(void *context, const struct line *line)
{
    struct sink *sink = context;
    struct line own = *line;
    struct told_words words;
    struct wording wording;
    if (!told_is_news(sink->told, &own, &words))
        return 0;
    wording_of(&wording, &own);
    octets_cut(&sink->message, 0);
    if (sink->server.is_local)
        syslog_local(&sink->message, &sink->source, &own, &wording);
    else
        syslog_remote(&sink->message, &sink->source, &own, &wording);
    return sink->message.failed
               ? ENOMEM
               : log_server_send(&sink->server, sink->message.at, sink->message.len);
}

/* What was sent cannot be undone; what is given again is sent again. */
static int give_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    (void)now_ms;
    int failed = lines_each(block, LINES_OF_LOGS, sink->sensors, send_line, sink, &nameless);
    return failed ? say(sink, failed, error) : 0;
}

static int commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    (void)now_ms;
    int failed = log_server_flush(&sink->server);
    return failed ? say(sink, failed, error) : 0;
}

const struct sink_type sink_syslog = {.abi = SINK_ABI,
                                      .kind = "syslog",
                                      .open = open_syslog,
                                      .close = close_syslog,
                                      .block = give_block,
                                      .commit = commit};
