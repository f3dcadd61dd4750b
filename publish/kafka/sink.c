/* The kind of sinks "kafka": a message for each line, and the cursors in the same transactions. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/json.h"
#include "publish/kafka/message.h"
#include "publish/kafka/producer.h"
#include "publish/kafka/reader.h"
#include "publish/kafka/topics.h"
#include "publish/progress.h"

#define STEP_MS 15000
#define NUMBER_SIZE 12

struct sink {
    struct target target;
    char sensors[PATTERN_SIZE];
    struct producer *producer;
    struct progress *progress;
    struct octets key, value;
    struct octets old; /* keys of cursors that are not needed any more, each with a NUL behind it */
    int64_t now_ms;    /* of the call that is under way */
    char *error;       /* likewise */
};

/* Returns status; for ENOMEM it writes the error. What is not committed is undone when the sink is
 * closed. */
static int end_by(struct sink *sink, int status)
{
    if (status == ENOMEM)
        text_format(sink->error, SINK_ERROR_SIZE, "out of memory");
    return status;
}

/* -- Cursors --------------------------------------------------------------------------------- */

struct telling {
    struct sink *sink;
    sink_cursor_fn *each;
    void *context;
};

/* A reader_fn. */
static void tell_cursor(void *context, const struct sink_stream *stream, uint32_t next,
                        const char *key, size_t key_len, bool is_old)
{
    const struct telling *telling = context;
    telling->each(telling->context, stream, next);
    if (is_old) {
        octets_add(&telling->sink->old, key, key_len);
        octets_add(&telling->sink->old, "", 1);
    }
}

static int each_cursor(struct sink *sink, sink_cursor_fn *each, void *context)
{
    struct telling telling = {sink, each, context};
    octets_cut(&sink->old, 0);
    return reader_each(producer_handle(sink->producer), sink->now_ms, tell_cursor, &telling,
                       sink->error);
}

static int put_cursor_octets(struct sink *sink, const char *key, size_t key_len, const char *value)
{
    const struct produced produced = {
        .topic = sink->target.cursors,
        .partition = READER_PARTITION,
        .key = key,
        .key_len = key_len,
        .value = value,
        .value_len = value ? strlen(value) : 0,
        .time_ms = sink->now_ms,
    };
    return producer_put(sink->producer, &produced, sink->error);
}

/* A progress_fn. */
static int put_cursor(void *context, const struct sink_stream *stream, uint32_t next)
{
    struct sink *sink = context;
    char number[NUMBER_SIZE];
    octets_cut(&sink->key, 0);
    message_add_cursor_key(&sink->key, sink->target.identity, stream);
    text_format(number, sizeof number, "%u", next);
    return sink->key.failed ? ENOMEM : put_cursor_octets(sink, sink->key.at, sink->key.len, number);
}

/* Removes the cursors that were old when they were read. */
static int drop_old_cursors(struct sink *sink)
{
    int status = 0;
    size_t len = sink->old.failed ? 0 : sink->old.len;
    for (size_t at = 0; at < len && !status;) {
        const char *key = sink->old.at + at;
        size_t key_len = strlen(key);
        status = put_cursor_octets(sink, key, key_len, NULL);
        at += key_len + 1;
    }
    octets_cut(&sink->old, 0);
    return status;
}

/* -- Blocks ---------------------------------------------------------------------------------- */

/* A line_fn. */
static int put_line(void *context, const struct line *line)
{
    struct sink *sink = context;
    char boot[NUMBER_SIZE], block[NUMBER_SIZE];
    octets_cut(&sink->key, 0);
    octets_cut(&sink->value, 0);
    message_add_key(&sink->key, line);
    json_add(&sink->value, line);
    if (sink->key.failed || sink->value.failed)
        return ENOMEM;
    text_format(boot, sizeof boot, "%u", line->stream->boot);
    text_format(block, sizeof block, "%u", line->number);
    const struct produced produced = {
        .topic = sink->target.topic,
        .partition = RD_KAFKA_PARTITION_UA,
        .key = sink->key.at,
        .key_len = sink->key.len,
        .value = sink->value.at,
        .value_len = sink->value.len - 1, /* without the newline */
        .time_ms = message_time(line->wall_ms, sink->now_ms),
        .boot = boot,
        .block = block,
    };
    return producer_put(sink->producer, &produced, sink->error);
}

static int sink_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                      char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    sink->error = error;
    sink->now_ms = now_ms;
    int status = progress_take(sink->progress, block->stream, block->number);
    if (!status)
        status = lines_each(block, LINES_ALL, sink->sensors, put_line, sink, &nameless);
    return end_by(sink, status);
}

/* -- Commit ---------------------------------------------------------------------------------- */

/* If nobody knows how a commit has ended, the cursors tell later: a producer that connects ends it.
 * Old cursors are removed first, because the streams of some of them may have come back. */
static int commit(struct sink *sink)
{
    int status = producer_has_begun(sink->producer) ? drop_old_cursors(sink) : 0;
    if (!status)
        status = progress_each(sink->progress, put_cursor, sink);
    if (!status)
        status = producer_commit(sink->producer, sink->error);
    if (!status)
        progress_committed(sink->progress);
    return status;
}

static int sink_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    sink->error = error;
    sink->now_ms = now_ms;
    return end_by(sink, commit(sink));
}

/* What is under way is committed first, since its cursors cannot be read before. */
static int sink_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                        char error[SINK_ERROR_SIZE])
{
    sink->error = error;
    int status = commit(sink);
    return end_by(sink, status ? status : each_cursor(sink, each, context));
}

/* The cursor of the old numbers must not count for the new ones. */
static int sink_count_anew(struct sink *sink, const struct sink_stream *stream, int64_t now_ms,
                           char error[SINK_ERROR_SIZE])
{
    sink->error = error;
    sink->now_ms = now_ms;
    int status = put_cursor(sink, stream, 1);
    return end_by(sink, status ? status : commit(sink));
}

/* -- Opening and closing --------------------------------------------------------------------- */

static int sink_step(struct sink *sink, int64_t now_ms, int64_t *again_ms,
                     char error[SINK_ERROR_SIZE])
{
    *again_ms = now_ms + STEP_MS;
    return producer_step(sink->producer, error);
}

static void sink_close(struct sink *sink)
{
    if (!sink)
        return;
    producer_close(sink->producer);
    progress_free(sink->progress);
    octets_release(&sink->key);
    octets_release(&sink->value);
    octets_release(&sink->old);
    free(sink);
}

static int sink_open(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                     char error[SINK_ERROR_SIZE])
{
    struct sink *opened = *sink = calloc(1, sizeof *opened);
    int status = ENOMEM;
    text_format(error, SINK_ERROR_SIZE, "out of memory");
    if (opened) {
        opened->error = error;
        opened->now_ms = now_ms;
        text_format(opened->sensors, sizeof opened->sensors, "%s", settings->sensors);
        opened->progress = progress_new();
    }
    if (opened && opened->progress)
        status = target_read(&opened->target, settings, error);
    if (!status)
        status = producer_open(&opened->target, &opened->producer, error);
    if (!status)
        status = topics_need(producer_handle(opened->producer), error);
    if (!status) {
        *error = '\0';
        return 0;
    }
    sink_close(opened);
    *sink = NULL;
    return status;
}

extern const struct sink_type dcamp_sink_type;
const struct sink_type dcamp_sink_type = {.abi = SINK_ABI,
                                          .kind = "kafka",
                                          .open = sink_open,
                                          .close = sink_close,
                                          .cursors = sink_cursors,
                                          .block = sink_block,
                                          .commit = sink_commit,
                                          .count_anew = sink_count_anew,
                                          .step = sink_step};
