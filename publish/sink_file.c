#include "publish/sink_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/outfile.h"

struct sink {
    const struct file_format *format;
    struct outfile *file;
    struct octets lines; /* since the last commit */
    char sensors[PATTERN_SIZE];
};

int sink_file_open(const struct file_format *format, const struct outlet_sink *settings,
                   struct sink **opened, char error[SINK_ERROR_SIZE])
{
    struct outfile_settings files = {.directory = settings->location,
                                     .name = settings->name,
                                     .suffix = format->suffix,
                                     .header = format->header,
                                     .rotate = settings->rotate,
                                     .limit = settings->limit};
    if (settings->location[0] != '/') {
        text_format(error, SINK_ERROR_SIZE,
                    "location \"%s\": the whole path of a directory is wanted", settings->location);
        return EINVAL;
    }
    struct sink *sink = calloc(1, sizeof *sink);
    if (!sink) {
        text_format(error, SINK_ERROR_SIZE, "%s", strerror(ENOMEM));
        return ENOMEM;
    }
    sink->format = format;
    text_format(sink->sensors, sizeof sink->sensors, "%s", settings->sensors);
    int failed = outfile_open(&files, &sink->file, error);
    if (failed)
        free(sink);
    else
        *opened = sink;
    return failed;
}

void sink_file_close(struct sink *sink)
{
    if (!sink)
        return;
    outfile_close(sink->file);
    octets_release(&sink->lines);
    free(sink);
}

int sink_file_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                      char error[SINK_ERROR_SIZE])
{
    (void)error;
    positions_each(outfile_positions(sink->file), each, context);
    return 0;
}

/* A line_fn. */
static int add_line(void *context, const struct line *line)
{
    struct sink *sink = context;
    sink->format->add(&sink->lines, line);
    return sink->lines.failed ? ENOMEM : 0;
}

int sink_file_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                    char error[SINK_ERROR_SIZE])
{
    uint64_t nameless = 0;
    int failed = lines_each(block, LINES_ALL, sink->sensors, add_line, sink, &nameless);
    if (!failed)
        failed =
            positions_take(outfile_positions(sink->file), block->stream, block->number, now_ms);
    if (!failed)
        return 0;
    positions_undo(outfile_positions(sink->file));
    octets_cut(&sink->lines, 0);
    text_format(error, SINK_ERROR_SIZE, "%s", strerror(failed));
    return failed;
}

int sink_file_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE])
{
    int failed = outfile_commit(sink->file, &sink->lines, now_ms, error);
    octets_cut(&sink->lines, 0);
    return failed;
}
