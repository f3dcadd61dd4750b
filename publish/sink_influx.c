#include "publish/sink_influx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/batch.h"
#include "publish/influx.h"
#include "publish/poster.h"
#include "publish/refusals.h"

#define BATCH_LINES 5000               /* what the makers of InfluxDB advise */
#define BATCH_OCTETS ((size_t)1 << 20) /* a proxy in front of the server may take no more */

struct sink {
    char name[NAME_SIZE], sensors[PATTERN_SIZE];
    struct poster *poster;
    struct octets text;
    size_t lines, end[BATCH_LINES]; /* of each line, in the text */
    struct refusals refusals;
    int64_t now_ms;
    char *error; /* of the call that is under way */
};

static void close_influx(struct sink *sink)
{
    if (!sink)
        return;
    poster_close(sink->poster);
    octets_release(&sink->text);
    free(sink);
}

static int open_influx(const struct outlet_sink *settings, int64_t now_ms, struct sink **opened,
                       char error[SINK_ERROR_SIZE])
{
    const struct poster_setup setup = {.settings = settings,
                                       .scheme = "Token",
                                       .type = "text/plain; charset=utf-8",
                                       .what = "the sink influx"};
    struct sink *sink = calloc(1, sizeof *sink);
    (void)now_ms;
    if (!sink) {
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    text_format(sink->name, sizeof sink->name, "%s", settings->name);
    sink->refusals = (struct refusals){.sink = sink->name, .what = "points"};
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    int failed = poster_open(&setup, &sink->poster, error);
    if (failed)
        close_influx(sink);
    else
        *opened = sink;
    return failed;
}

/* -- Points ---------------------------------------------------------------------------------- */

/* How many points of a batch were dropped, if the server says that it has taken the rest. */
static uint64_t dropped(const struct poster_answer *answer)
{
    const char *at = strstr(answer->body, "dropped=");
    uint64_t n = at ? strtoull(at + strlen("dropped="), NULL, 10) : 0;
    return n > 0 ? n : 1;
}

static bool takes(const struct poster_answer *answer, uint64_t *refused, char why[256])
{
    if (answer->status == 400 && strstr(answer->body, "partial write"))
        *refused = dropped(answer);
    text_format(why, 256, "HTTP status %ld: %s", answer->status, answer->text);
    return answer->status < 300 || *refused > 0;
}

/* InfluxDB 2 answers "writing requires points" to a request without any. */
static bool is_well(const struct poster_answer *answer)
{
    return answer->status < 300 || strstr(answer->body, "requires points");
}

static int post_lines(void *context, size_t from, size_t to, struct poster_answer *answer,
                      char error[SINK_ERROR_SIZE])
{
    struct sink *sink = context;
    size_t begin = from > 0 ? sink->end[from - 1] : 0, end = to > 0 ? sink->end[to - 1] : 0;
    return poster_post(sink->poster, end > begin ? sink->text.at + begin : "", end - begin, answer,
                       error);
}

static int flush(struct sink *sink)
{
    static const struct batch_protocol protocol = {post_lines, takes, is_well};
    const struct batch batch = {&protocol,       sink,         sink->poster,
                                &sink->refusals, sink->now_ms, sink->error};
    int failed = batch_post(&batch, sink->lines);
    octets_cut(&sink->text, 0);
    sink->lines = 0;
    return failed;
}

/* A line_fn. */
static int add_line(void *context, const struct line *line)
{
    struct sink *sink = context;
    if (influx_add(&sink->text, line))
        sink->end[sink->lines++] = sink->text.len;
    if (sink->text.failed) {
        text_format(sink->error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    return sink->lines >= BATCH_LINES || sink->text.len >= BATCH_OCTETS ? flush(sink) : 0;
}

static int give_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    sink->now_ms = now_ms;
    sink->error = error;
    error[0] = '\0';
    int failed = lines_each(block, LINES_ALL, sink->sensors, add_line, sink, &nameless);
    if (failed && !error[0])
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(failed));
    return failed;
}

static int commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    sink->now_ms = now_ms;
    sink->error = error;
    return flush(sink);
}

static int64_t wait_ms(const struct sink *sink)
{
    return poster_wait_ms(sink->poster);
}

static void show_trouble(const struct sink *sink, int64_t now_ms, char text[SINK_ERROR_SIZE])
{
    refusals_show(&sink->refusals, now_ms, text);
}

const struct sink_type sink_influx = {.abi = SINK_ABI,
                                      .kind = "influx",
                                      .open = open_influx,
                                      .close = close_influx,
                                      .block = give_block,
                                      .commit = commit,
                                      .wait_ms = wait_ms,
                                      .trouble = show_trouble};
