#include "publish/sink_sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "publish/chronicle.h"

/* How long values, minutes and hours are kept, if the row does not say it. */
#define RAW_S (2 * 86400u)
#define MINUTES_S (60 * 86400u)
#define HOURS_S (730 * 86400u)

/* So much is worth digesting at once, and a reader does not have to look through more than that. */
#define INBOX_OCTETS ((size_t)64 << 10)
#define INBOX_MS INT64_C(3600000)
#define STEP_MS 1000

struct sink {
    struct chronicle *chronicle;
    char directory[OUTLET_TEXT_SIZE];
};

static int fail(const struct sink *sink, int code, char error[SINK_ERROR_SIZE])
{
    text_format(error, SINK_ERROR_SIZE, "%s/%s", sink->directory, chronicle_error(sink->chronicle));
    return code;
}

static int64_t ms_of(uint32_t seconds, uint32_t otherwise)
{
    return (int64_t)(seconds ? seconds : otherwise) * 1000;
}

static int open_chronicle(struct sink *sink, const struct outlet_sink *settings, int64_t now_ms,
                          char error[SINK_ERROR_SIZE])
{
    char text[CHRONICLE_ERROR_SIZE] = "";
    const struct chronicle_settings chronicle = {
        .directory = sink->directory,
        .raw_ms = ms_of(settings->raw_s, RAW_S),
        .minute_ms = ms_of(settings->minutes_s, MINUTES_S),
        .hour_ms = ms_of(settings->hours_s, HOURS_S),
        .octets = settings->limit,
        .inbox_octets = INBOX_OCTETS,
        .inbox_ms = INBOX_MS,
        .outlasts_power = settings->mode == OUTLET_SYNC,
    };
    if (mkdir(sink->directory, 0750) < 0 && errno != EEXIST) {
        int code = errno;
        text_format(error, SINK_ERROR_SIZE, "%s: %s", sink->directory, strerror(code));
        return code;
    }
    sink->chronicle = chronicle_open(&chronicle, now_ms, text);
    text_format(error, SINK_ERROR_SIZE, "%s", text);
    return sink->chronicle ? 0 : EIO;
}

static int sqlite_open(const struct outlet_sink *settings, int64_t now_ms, struct sink **sink,
                       char error[SINK_ERROR_SIZE])
{
    if (settings->location[0] != '/') {
        text_format(error, SINK_ERROR_SIZE, "location: expected a directory, from / on");
        return EINVAL;
    }
    *sink = calloc(1, sizeof **sink);
    if (!*sink)
        return ENOMEM;
    text_format((*sink)->directory, sizeof(*sink)->directory, "%s", settings->location);
    memory_keep(); /* each transaction needs about as much as the one before */
    int code = open_chronicle(*sink, settings, now_ms, error);
    if (!code)
        return 0;
    free(*sink);
    *sink = NULL;
    return code;
}

static void sqlite_close(struct sink *sink)
{
    chronicle_close(sink->chronicle);
    free(sink);
}

static int sqlite_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                          char error[SINK_ERROR_SIZE])
{
    (void)error;
    chronicle_cursors(sink->chronicle, each, context);
    return 0;
}

static int sqlite_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                        char error[SINK_ERROR_SIZE])
{
    int code = chronicle_block(sink->chronicle, block, now_ms);
    return code ? fail(sink, code, error) : 0;
}

static int sqlite_count_anew(struct sink *sink, const struct sink_stream *stream, int64_t now_ms,
                             char error[SINK_ERROR_SIZE])
{
    int code = chronicle_count_anew(sink->chronicle, stream, now_ms);
    return code ? fail(sink, code, error) : 0;
}

static int sqlite_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    int code = chronicle_commit(sink->chronicle, now_ms);
    return code ? fail(sink, code, error) : 0;
}

static int sqlite_step(struct sink *sink, int64_t now_ms, int64_t *again_ms,
                       char error[SINK_ERROR_SIZE])
{
    bool more = false;
    int code = chronicle_step(sink->chronicle, now_ms, false, &more);
    *again_ms = more ? now_ms : now_ms + STEP_MS;
    return code ? fail(sink, code, error) : 0;
}

const struct sink_type sink_sqlite = {
    .abi = SINK_ABI,
    .kind = "sqlite",
    .directory = "history",
    .open = sqlite_open,
    .close = sqlite_close,
    .cursors = sqlite_cursors,
    .block = sqlite_block,
    .commit = sqlite_commit,
    .count_anew = sqlite_count_anew,
    .step = sqlite_step,
};
