/* How far a sink has the blocks of each stream, for sinks that keep that in a file of their own.
 * Pure but for memory. */
#ifndef DCAMP_PUBLISH_POSITIONS_H
#define DCAMP_PUBLISH_POSITIONS_H

#include "publish/octets.h"
#include "publish/sink.h"

/* A stream from which nothing was given for so long, while others gave, is forgotten. */
#define POSITIONS_KEEP_MS (INT64_C(90) * 24 * 3600 * 1000)

struct positions; /* of all streams */

/* NULL: no memory. */
struct positions *positions_new(void);
void positions_free(struct positions *positions);

/* Notes that the block was taken, but not committed. ENOMEM: nothing changed. */
int positions_take(struct positions *positions, const struct sink_stream *stream, uint32_t number,
                   int64_t now_ms);

/* What was taken now counts as committed, or as not taken. */
void positions_commit(struct positions *positions);
void positions_undo(struct positions *positions);

/* Tells each stream, with what is committed. */
void positions_each(const struct positions *positions, sink_cursor_fn *each, void *context);

/* Write a line for each stream, with what is taken, or only with what is committed; and read such a
 * line. Lines begin with "stream " and end with a newline; only positions_read() needs to know more
 * of them. positions_read(): 0; EBADMSG, or ENOMEM: nothing changed. */
void positions_write(const struct positions *positions, bool taken, struct octets *text);
int positions_read(struct positions *positions, const char *line, size_t len);

#endif
