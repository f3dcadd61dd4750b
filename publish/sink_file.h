/* What csv and json, the sinks that write lines into files, have in common. */
#ifndef DCAMP_PUBLISH_SINK_FILE_H
#define DCAMP_PUBLISH_SINK_FILE_H

#include "publish/lines.h"
#include "publish/octets.h"
#include "publish/sink.h"

struct file_format {
    const char *suffix;
    const char *header; /* the first line, with its end; "": none */
    /* Adds the line, with its end. It fails only if there is no memory. */
    void (*add)(struct octets *text, const struct line *line);
};

int sink_file_open(const struct file_format *format, const struct outlet_sink *settings,
                   struct sink **sink, char error[SINK_ERROR_SIZE]);

/* The same as those of struct sink_type. */
void sink_file_close(struct sink *sink);
int sink_file_cursors(struct sink *sink, sink_cursor_fn *each, void *context,
                      char error[SINK_ERROR_SIZE]);
int sink_file_block(struct sink *sink, const struct sink_block *block, int64_t now_ms,
                    char error[SINK_ERROR_SIZE]);
int sink_file_commit(struct sink *sink, int64_t now_ms, char error[SINK_ERROR_SIZE]);

#endif
