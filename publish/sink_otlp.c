#include "publish/sink_otlp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/batch.h"
#include "publish/otlp.h"
#include "publish/otlp_answer.h"
#include "publish/poster.h"
#include "publish/refusals.h"

#define BATCH_PARTS 5000
#define BATCH_OCTETS ((size_t)2 << 20) /* before what parts share is written only once */

/* What goes to one URL. */
struct channel {
    struct poster *poster;
    struct otlp_batch batch;
    struct octets request;
    struct refusals refusals;
};

struct sink {
    char name[NAME_SIZE], sensors[PATTERN_SIZE];
    bool has_logs;
    struct channel metrics, logs;
    int64_t now_ms;
    char *error; /* of the call that is under way */
};

/* -- Its life -------------------------------------------------------------------------------- */

static void close_channel(struct channel *channel)
{
    poster_close(channel->poster);
    otlp_release(&channel->batch);
    octets_release(&channel->request);
}

static void close_otlp(struct sink *sink)
{
    if (!sink)
        return;
    close_channel(&sink->metrics);
    close_channel(&sink->logs);
    free(sink);
}

static int open_channel(struct sink *sink, struct channel *channel,
                        const struct outlet_sink *settings, const char *path,
                        char error[SINK_ERROR_SIZE])
{
    const struct poster_setup setup = {.settings = settings,
                                       .scheme = "Bearer",
                                       .type = "application/x-protobuf",
                                       .what = "the sink otlp",
                                       .path = path,
                                       .choice = "logs",
                                       .chosen = &sink->has_logs};
    return poster_open(&setup, &channel->poster, error);
}

static int open_otlp(const struct outlet_sink *settings, int64_t now_ms, struct sink **opened,
                     char error[SINK_ERROR_SIZE])
{
    struct sink *sink = calloc(1, sizeof *sink);
    (void)now_ms;
    if (!sink) {
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    text_format(sink->name, sizeof sink->name, "%s", settings->name);
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    sink->has_logs = true;
    sink->logs.batch.signal = OTLP_LOGS;
    sink->metrics.refusals = (struct refusals){.sink = sink->name, .what = "points"};
    sink->logs.refusals = (struct refusals){.sink = sink->name, .what = "log records"};
    int failed = open_channel(sink, &sink->metrics, settings, "/v1/metrics", error);
    if (!failed && sink->has_logs)
        failed = open_channel(sink, &sink->logs, settings, "/v1/logs", error);
    if (failed)
        close_otlp(sink);
    else
        *opened = sink;
    return failed;
}

/* -- Answers --------------------------------------------------------------------------------- */

static bool is_of_type(const struct poster_answer *answer, const char *type)
{
    return strncasecmp(answer->type, type, strlen(type)) == 0;
}

/* A server that answers with a page, such as one that wants a login, has taken nothing. If its
 * answer is something else that is no message, such as {}, its status counts. */
static bool takes(const struct poster_answer *answer, uint64_t *refused, char why[256])
{
    char text[OTLP_TEXT_SIZE];
    if (answer->status != 200 && answer->status != 202 && answer->status != 204)
        return false;
    if (is_of_type(answer, "text/html"))
        return false;
    if (!otlp_answer_partly(answer->body, answer->len, refused, text))
        *refused = 0;
    text_format(why, 256, "partial success: %s", text);
    return true;
}

static bool is_well(const struct poster_answer *answer)
{
    uint64_t refused = 0;
    char why[256];
    return takes(answer, &refused, why);
}

/* The text of an error may be in a message. */
static void read_status(struct poster_answer *answer)
{
    char text[OTLP_TEXT_SIZE];
    if (answer->status < 300 || !is_of_type(answer, "application/x-protobuf") ||
        !otlp_answer_status(answer->body, answer->len, text))
        return;
    text_format(answer->text, sizeof answer->text, "%s", text);
    text_clean(answer->text, sizeof answer->text, '?');
}

/* -- Posting --------------------------------------------------------------------------------- */

static int post_parts(void *context, size_t from, size_t to, struct poster_answer *answer,
                      char error[SINK_ERROR_SIZE])
{
    struct channel *channel = context;
    octets_cut(&channel->request, 0);
    otlp_request(&channel->batch, from, to, &channel->request);
    if (channel->request.failed) {
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    int failed = poster_post(channel->poster, channel->request.len > 0 ? channel->request.at : "",
                             channel->request.len, answer, error);
    if (!failed)
        read_status(answer);
    return failed;
}

static int flush_channel(struct sink *sink, struct channel *channel)
{
    static const struct batch_protocol protocol = {post_parts, takes, is_well};
    const struct batch batch = {&protocol,          channel,      channel->poster,
                                &channel->refusals, sink->now_ms, sink->error};
    otlp_sort(&channel->batch);
    int failed = batch_post(&batch, channel->batch.n);
    otlp_clear(&channel->batch);
    return failed;
}

static bool is_full(const struct channel *channel)
{
    return channel->batch.n >= BATCH_PARTS || channel->batch.text.len >= BATCH_OCTETS;
}

/* A line_fn. */
static int add_line(void *context, const struct line *line)
{
    struct sink *sink = context;
    bool is_log = 1u << line->kind & OTLP_KINDS_OF_LOGS;
    struct channel *channel = is_log ? &sink->logs : &sink->metrics;
    otlp_add(&channel->batch, line);
    if (channel->batch.text.failed) {
        text_format(sink->error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    return is_full(channel) ? flush_channel(sink, channel) : 0;
}

static int give_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    sink->now_ms = now_ms;
    sink->error = error;
    error[0] = '\0';
    int failed = lines_each(block, sink->has_logs ? LINES_ALL : LINES_ALL & ~OTLP_KINDS_OF_LOGS,
                            sink->sensors, add_line, sink, &nameless);
    if (failed && !error[0])
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(failed));
    return failed;
}

static int commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    sink->now_ms = now_ms;
    sink->error = error;
    int failed = flush_channel(sink, &sink->metrics);
    return !failed && sink->has_logs ? flush_channel(sink, &sink->logs) : failed;
}

static int64_t wait_ms(const struct sink *sink)
{
    int64_t metrics = poster_wait_ms(sink->metrics.poster);
    int64_t logs = sink->has_logs ? poster_wait_ms(sink->logs.poster) : 0;
    return metrics > logs ? metrics : logs;
}

static void show_trouble(const struct sink *sink, int64_t now_ms, char text[SINK_ERROR_SIZE])
{
    refusals_show(&sink->metrics.refusals, now_ms, text);
    if (!text[0])
        refusals_show(&sink->logs.refusals, now_ms, text);
}

const struct sink_type sink_otlp = {.abi = SINK_ABI,
                                    .kind = "otlp",
                                    .open = open_otlp,
                                    .close = close_otlp,
                                    .block = give_block,
                                    .commit = commit,
                                    .wait_ms = wait_ms,
                                    .trouble = show_trouble};
