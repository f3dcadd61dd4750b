/* What a publisher gets from the backlog, one thing after the other. Pure. */
#ifndef DCAMP_OUTLET_READER_H
#define DCAMP_OUTLET_READER_H

#include "outlet/backlog.h"

enum reader_kind {
    READER_STREAM, /* it must be told of the stream: first is the first block that will come */
    READER_BLOCK,
    READER_LOST, /* the blocks from first to last are lost */
    READER_ASK   /* the child of the stream must be asked to tell all its blocks again */
};

struct reader_item {
    enum reader_kind kind;
    struct backlog_stream *stream;
    const struct backlog_block *block;
    uint32_t first, last;
};

/* A turn begins, in which the reader may look at a limited number of things. */
void reader_turn(struct backlog_reader *reader);

/* The next thing that the reader gets: each stream in the order of its numbers. False: there is
 * nothing, or no more in this turn, see reader_has_more(). asks: whether children may be asked. */
bool reader_next(struct backlog *backlog, struct backlog_reader *reader, bool asks, uint64_t now_ns,
                 struct reader_item *item);

/* The reader has got that item, which may have been the last that anybody wanted of the stream. Not
 * for READER_ASK. */
void reader_pass(struct backlog *backlog, struct backlog_reader *reader,
                 const struct reader_item *item);

/* Whether the next turn has something to do at once. Holes are looked at only now and then. */
bool reader_has_more(const struct backlog_reader *reader);

#endif
