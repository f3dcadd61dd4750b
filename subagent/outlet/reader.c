#include "outlet/reader.h"

/* How many are looked at in one turn, under the lock. */
#define ARRIVALS_MAX 1024
#define SLOTS_MAX 256

void reader_turn(struct backlog_reader *reader)
{
    reader->arrivals_left = ARRIVALS_MAX;
    reader->slots_left = SLOTS_MAX;
}

bool reader_has_more(const struct backlog_reader *reader)
{
    return reader->current || reader->arrival;
}

static struct reader_item tell_stream(struct backlog_stream *stream,
                                      const struct backlog_position *position)
{
    return (struct reader_item){
        .kind = READER_STREAM, .stream = stream, .first = position->next, .last = position->next};
}

/* False: the current stream has nothing at present. */
static bool go_on(struct backlog_reader *reader, struct reader_item *item)
{
    struct backlog_stream *stream = reader->current;
    if (!stream)
        return false;
    struct backlog_position *position = backlog_position(reader, stream);
    const struct backlog_block *block = backlog_find(stream, position->next);
    backlog_set_hole(reader, position, !block && position->next <= stream->newest);
    if (!block)
        reader->current = NULL;
    else if (!position->is_told)
        *item = tell_stream(stream, position);
    else
        *item = (struct reader_item){.kind = READER_BLOCK, .stream = stream, .block = block};
    return block != NULL;
}

/* Looks at blocks in the order in which they came, up to one whose stream can go on. False: there
 * is none. */
static bool look_at_arrivals(struct backlog_reader *reader)
{
    while (reader->arrival && reader->arrivals_left > 0) {
        const struct backlog_block *block = reader->arrival;
        reader->arrival = TAILQ_NEXT(block, arrival);
        reader->arrivals_left--;
        const struct backlog_position *position = backlog_position(reader, block->stream);
        if (block->number == position->next ||
            (block->number > position->next && !position->has_hole)) {
            reader->current = block->stream;
            return true;
        }
    }
    return false;
}

static uint32_t earlier(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The child has told all its blocks again several times, and what is missing was never among
 * them. */
static bool gives_up(const struct backlog_stream *stream, uint64_t now_ns)
{
    return stream->fruitless >= BACKLOG_READINGS_MAX && stream->told_ns > stream->asked_ns &&
           now_ns - stream->asked_ns >= BACKLOG_READ_NS;
}

/* The blocks from next to last are missing here: returns the last of them that nobody has any more.
 * 0: the child may still have the first. */
static uint32_t lost_until(struct backlog_stream *stream, uint32_t next, uint32_t last,
                           uint64_t now_ns)
{
    if (stream->is_over)
        return last;
    if (next < stream->first)
        return earlier(last, stream->first - 1);
    if (next <= stream->given_up)
        return earlier(last, stream->given_up);
    if (!gives_up(stream, now_ns))
        return 0;
    stream->given_up = last;
    stream->fruitless = 0;
    return last;
}

/* Decides about blocks that are missing here from next on. False: nothing can be done about them
 * now. */
static bool judge_hole(struct backlog *backlog, struct backlog_stream *stream,
                       const struct backlog_position *position, bool asks, uint64_t now_ns,
                       struct reader_item *item)
{
    const struct backlog_block *there = backlog_at_least(stream, position->next);
    uint32_t last = there ? there->number - 1 : stream->newest;
    uint32_t lost = lost_until(stream, position->next, last, now_ns);
    if (lost > 0 && !position->is_told)
        *item = tell_stream(stream, position);
    else if (lost > 0)
        *item = (struct reader_item){
            .kind = READER_LOST, .stream = stream, .first = position->next, .last = lost};
    else if (asks && backlog_begin_reading(backlog, stream, now_ns))
        *item = (struct reader_item){.kind = READER_ASK, .stream = stream};
    else
        return false;
    return true;
}

/* False: there is nothing to be said about holes now, or a stream can go on. */
static bool look_at_holes(struct backlog *backlog, struct backlog_reader *reader, bool asks,
                          uint64_t now_ns, struct reader_item *item)
{
    for (; reader->n_holes > 0 && reader->slots_left > 0; reader->slots_left--) {
        reader->slot = reader->slot < backlog->n_slots ? reader->slot : 0;
        struct backlog_stream *stream = backlog->slots[reader->slot];
        struct backlog_position *position = &reader->positions[reader->slot];
        if (!stream || !position->has_hole) {
            reader->slot++;
            continue;
        }
        if (position->next > stream->newest || backlog_find(stream, position->next)) {
            reader->current = stream;
            return false;
        }
        if (judge_hole(backlog, stream, position, asks, now_ns, item))
            return true;
        reader->slot++;
    }
    return false;
}

bool reader_next(struct backlog *backlog, struct backlog_reader *reader, bool asks, uint64_t now_ns,
                 struct reader_item *item)
{
    for (;;) {
        if (go_on(reader, item))
            return true;
        if (look_at_arrivals(reader))
            continue;
        if (look_at_holes(backlog, reader, asks, now_ns, item))
            return true;
        if (!reader->current)
            return false;
    }
}

void reader_pass(struct backlog *backlog, struct backlog_reader *reader,
                 const struct reader_item *item)
{
    struct backlog_position *position = backlog_position(reader, item->stream);
    if (item->kind == READER_STREAM) {
        position->is_told = true;
        return;
    }
    position->next = item->kind == READER_LOST ? item->last + 1 : item->block->number + 1;
    if (position->next <= item->stream->newest)
        return;
    backlog_set_hole(reader, position, false);
    if (reader->current == item->stream)
        reader->current = NULL;
    backlog_settle(backlog, item->stream);
}
