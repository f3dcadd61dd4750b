/* What a publisher gets of the backlog, one thing after the other. Pure. */
#ifndef DCAMP_OUTLET_READER_H
#define DCAMP_OUTLET_READER_H

#include "outlet/backlog.h"

enum reader_kind {
    READER_STREAM, /* it is to know of the stream: first is the first block that will come */
    READER_BLOCK,
    READER_LOST, /* blocks from first to last */
    READER_ASK   /* the child of the stream is to tell all its blocks again */
};

struct reader_item {
    enum reader_kind kind;
    struct backlog_stream *stream;
    const struct backlog_block *block;
    uint32_t first, last;
};

/* A turn begins, in which the reader may look at so much. */
void reader_turn(struct backlog_reader *reader);

/* The next thing that it gets: each stream in the order of its numbers. False: there is nothing, or
 * no more in this turn, reader_has_more(). asks: whether children may be asked. */
bool reader_next(struct backlog *backlog, struct backlog_reader *reader, bool asks, uint64_t now_ns,
                 struct reader_item *item);

/* It has got that, which may have been the last that anybody wanted of the stream. Not for
 * READER_ASK. */
void reader_pass(struct backlog *backlog, struct backlog_reader *reader,
                 const struct reader_item *item);

/* Whether the next turn has something to do at once. Holes are looked at now and then. */
bool reader_has_more(const struct backlog_reader *reader);

#endif
