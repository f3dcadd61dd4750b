/* How far a sink has the blocks of each stream, for sinks that keep that in a file of their own.
 * Pure but for memory. */
#ifndef DCAMP_PUBLISH_POSITIONS_H
#define DCAMP_PUBLISH_POSITIONS_H

#include "publish/octets.h"
#include "publish/sink.h"

/* What was not given for so long, while others were, is forgotten. */
#define POSITIONS_KEEP_MS (INT64_C(90) * 24 * 3600 * 1000)

struct positions; /* of all streams */

/* NULL: no memory. */
struct positions *positions_new(void);
void positions_free(struct positions *positions);

/* The block was taken, but not committed. ENOMEM: nothing changed. */
int positions_take(struct positions *positions, const struct sink_stream *stream, uint32_t number,
                   int64_t now_ms);

/* What was taken is committed, or it was not taken. */
void positions_commit(struct positions *positions);
void positions_undo(struct positions *positions);

/* Each stream, with what is committed. */
void positions_each(const struct positions *positions, sink_cursor_fn *each, void *context);

/* A line for each stream, with what is taken, or only with what is committed; and what such a line
 * says. Lines begin with "stream " and end with a newline; in all else, only positions_read() need
 * know them. read: 0; EBADMSG, or ENOMEM: nothing changed. */
void positions_write(const struct positions *positions, bool taken, struct octets *text);
int positions_read(struct positions *positions, const char *line, size_t len);

#endif
