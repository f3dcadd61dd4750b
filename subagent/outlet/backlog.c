#include "outlet/backlog.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_MIN 16

/* A position may be one greater. No ring gets that far; a child that claims so lies. */
#define NUMBER_MAX (UINT32_MAX - 1)

static int compare_blocks(const struct backlog_block *a, const struct backlog_block *b)
{
    return a->number < b->number ? -1 : a->number > b->number;
}

/* RB_GENERATE_STATIC is not used, because it relies on an __unused that glibc does not define. */
RB_GENERATE_INTERNAL(backlog_blocks, backlog_block, link, compare_blocks,
                     __attribute__((__unused__)) static)

static struct backlog_stream *of_child(struct index_node *node)
{
    return (struct backlog_stream *)node; /* it is the first member */
}

static struct backlog_stream *of_number(struct index_node *node)
{
    return node ? (void *)((char *)node - offsetof(struct backlog_stream, by_number)) : NULL;
}

struct backlog_block *backlog_find(struct backlog_stream *stream, uint32_t number)
{
    struct backlog_block key = {.number = number};
    return RB_FIND(backlog_blocks, &stream->blocks, &key);
}

struct backlog_block *backlog_at_least(struct backlog_stream *stream, uint32_t number)
{
    struct backlog_block key = {.number = number};
    return RB_NFIND(backlog_blocks, &stream->blocks, &key);
}

struct backlog_stream *backlog_stream(const struct backlog *backlog, uint32_t number)
{
    return of_number(index_find(&backlog->numbers, &number, 1));
}

/* -- Positions ------------------------------------------------------------------------------ */

static uint32_t newest_known(const struct backlog_stream *stream)
{
    return stream->last > stream->newest ? stream->last : stream->newest;
}

/* A cursor behind all blocks means that the node has lost its state and counts anew. */
static uint32_t begin_at(struct backlog_reader *reader, struct backlog_stream *stream)
{
    uint32_t next = cursors_find(&reader->cursors, stream->name, stream->engine_id,
                                 stream->engine_id_len, stream->boot);
    if (next > 0 && next <= newest_known(stream) + UINT64_C(1))
        return next;
    const struct backlog_block *oldest = RB_MIN(backlog_blocks, &stream->blocks);
    uint32_t first = stream->first > 0 ? stream->first : 1;
    if (next > 0)
        return oldest && oldest->number < first ? oldest->number : first;
    if (oldest)
        return oldest->number;
    return stream->newest > 0 ? stream->newest + 1 : first;
}

struct backlog_position *backlog_position(struct backlog_reader *reader,
                                          struct backlog_stream *stream)
{
    struct backlog_position *position = &reader->positions[stream->slot];
    if (position->next == 0)
        position->next = begin_at(reader, stream);
    return position;
}

void backlog_set_hole(struct backlog_reader *reader, struct backlog_position *position, bool has)
{
    if (position->has_hole == has)
        return;
    position->has_hole = has;
    if (has)
        reader->n_holes++;
    else
        reader->n_holes--;
}

static bool is_behind(struct backlog_reader *reader, struct backlog_stream *stream)
{
    return backlog_position(reader, stream)->next <= stream->newest;
}

/* All readers that do not have all of the stream check again what comes next in it. */
static void doubt(struct backlog *backlog, struct backlog_stream *stream)
{
    struct backlog_reader *reader;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        if (is_behind(reader, stream))
            backlog_set_hole(reader, backlog_position(reader, stream), true);
    }
}

/* -- Streams -------------------------------------------------------------------------------- */

static bool make_slots(struct backlog *backlog)
{
    size_t n = backlog->n_slots ? 2 * backlog->n_slots : SLOTS_MIN;
    struct backlog_reader *reader;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        struct backlog_position *positions =
            realloc(reader->positions, n * sizeof *reader->positions);
        if (!positions)
            return false; /* the other readers then have more room than they need */
        memset(positions + backlog->n_slots, 0, (n - backlog->n_slots) * sizeof *positions);
        reader->positions = positions;
    }
    struct backlog_stream **slots = realloc(backlog->slots, n * sizeof *slots);
    if (!slots)
        return false;
    memset(slots + backlog->n_slots, 0, (n - backlog->n_slots) * sizeof *slots);
    backlog->slots = slots;
    backlog->n_slots = n;
    return true;
}

/* False: no memory. */
static bool take_slot(struct backlog *backlog, struct backlog_stream *stream)
{
    if (backlog->numbers.count == backlog->n_slots && !make_slots(backlog))
        return false;
    size_t slot = stream->number % backlog->n_slots;
    while (backlog->slots[slot])
        slot = (slot + 1) % backlog->n_slots;
    backlog->slots[slot] = stream;
    stream->slot = (uint32_t)slot;
    return true;
}

static void end_reading(struct backlog *backlog, const struct backlog_stream *stream)
{
    for (size_t i = 0; i < BACKLOG_READINGS; i++)
        if (backlog->readings[i] == stream)
            backlog->readings[i] = NULL;
}

/* If the same boot of the node comes again, as after a change of its row, the reader goes on where
 * it was. If memory for that runs out, the reader gets again what it had. */
static void remember(struct backlog_reader *reader, const struct backlog_stream *stream,
                     const struct backlog_position *position)
{
    if (position->next > 0)
        cursors_add(&reader->cursors, stream->name, stream->engine_id, stream->engine_id_len,
                    stream->boot, position->next);
}

static void free_slot(struct backlog *backlog, struct backlog_stream *stream)
{
    struct backlog_reader *reader;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        struct backlog_position *position = &reader->positions[stream->slot];
        if (position->next > 0 && position->next <= stream->newest)
            reader->dropped += stream->newest - position->next + UINT64_C(1);
        remember(reader, stream, position);
        backlog_set_hole(reader, position, false);
        *position = (struct backlog_position){.next = 0};
        if (reader->current == stream)
            reader->current = NULL;
    }
    backlog->slots[stream->slot] = NULL;
}

static size_t octets_of(const struct backlog_block *block)
{
    return sizeof *block + block->len;
}

static void free_block(struct backlog *backlog, struct backlog_block *block)
{
    struct backlog_reader *reader;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        if (reader->arrival == block)
            reader->arrival = TAILQ_NEXT(block, arrival);
    }
    TAILQ_REMOVE(&backlog->arrivals, block, arrival);
    RB_REMOVE(backlog_blocks, &block->stream->blocks, block);
    backlog->octets -= octets_of(block);
    free(block);
}

/* The stream has no blocks any more, or they do not count. */
static void free_stream(struct backlog *backlog, struct backlog_stream *stream)
{
    struct backlog_block *block;
    while ((block = RB_ROOT(&stream->blocks)))
        free_block(backlog, block);
    end_reading(backlog, stream);
    free_slot(backlog, stream);
    index_remove(&backlog->numbers, &stream->by_number);
    if (stream->is_over) {
        TAILQ_REMOVE(&backlog->over, stream, link);
        backlog->n_over--;
    } else {
        index_remove(&backlog->children, &stream->by_child);
    }
    free(stream->group);
    free(stream);
}

void backlog_settle(struct backlog *backlog, struct backlog_stream *stream)
{
    struct backlog_reader *reader;
    if (!stream->is_over || !RB_EMPTY(&stream->blocks))
        return;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        if (is_behind(reader, stream))
            return;
    }
    free_stream(backlog, stream);
}

/* Ends a stream. What the child had and did not tell is lost with it, for the readers who want
 * it. */
static void end_stream(struct backlog *backlog, struct backlog_stream *stream)
{
    struct backlog_reader *reader;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        backlog_position(reader, stream);
    }
    stream->newest = newest_known(stream);
    index_remove(&backlog->children, &stream->by_child);
    end_reading(backlog, stream);
    stream->is_over = true;
    TAILQ_INSERT_TAIL(&backlog->over, stream, link);
    backlog->n_over++;
    doubt(backlog, stream);
    backlog_settle(backlog, stream);
    if (backlog->n_over > BACKLOG_OVER_MAX)
        free_stream(backlog, TAILQ_FIRST(&backlog->over));
}

static struct backlog_stream *new_stream(struct backlog *backlog,
                                         const struct backlog_origin *origin)
{
    size_t name_size = strlen(origin->name) + 1;
    struct backlog_stream *stream = calloc(1, sizeof *stream + name_size);
    if (!stream)
        return NULL;
    stream->number = backlog->next_number;
    stream->group = strdup(origin->group);
    if (!stream->group || !take_slot(backlog, stream)) {
        free(stream->group);
        free(stream);
        return NULL;
    }
    backlog->next_number++;
    stream->name = memcpy(stream + 1, origin->name, name_size);
    stream->boot = origin->boot;
    stream->engine_id_len = origin->engine_id_len;
    memcpy(stream->engine_id, origin->engine_id, origin->engine_id_len);
    stream->by_number.key = &stream->number;
    stream->by_number.key_len = 1;
    index_add(&backlog->numbers, &stream->by_number);
    return stream;
}

static bool is_of(const struct backlog_stream *stream, const struct backlog_origin *origin)
{
    return stream->boot == origin->boot && stream->engine_id_len == origin->engine_id_len &&
           memcmp(stream->engine_id, origin->engine_id, origin->engine_id_len) == 0 &&
           strcmp(stream->name, origin->name) == 0;
}

/* Finds the stream of a child whose row was changed: the child has begun anew with another id, but
 * it is the same boot of the same node. NULL: there was none. */
static struct backlog_stream *revive(struct backlog *backlog, const struct backlog_origin *origin)
{
    struct backlog_stream *stream;
    TAILQ_FOREACH(stream, &backlog->over, link)
    {
        if (!is_of(stream, origin))
            continue;
        TAILQ_REMOVE(&backlog->over, stream, link);
        backlog->n_over--;
        stream->is_over = false;
        stream->asked_ns = 0; /* earlier requests to tell blocks again are not answered any more */
        stream->fruitless = 0;
        stream->budget = 0;
        return stream;
    }
    return NULL;
}

/* If the child is in another group now, all readers are told of the stream anew. If memory runs
 * out, that is done at the next occasion. */
static void regroup(struct backlog *backlog, struct backlog_stream *stream, const char *group)
{
    struct backlog_reader *reader;
    char *copy = strcmp(stream->group, group) == 0 ? NULL : strdup(group);
    if (!copy)
        return;
    free(stream->group);
    stream->group = copy;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        backlog_position(reader, stream)->is_told = false;
    }
}

/* The stream for what the child is now. NULL: no memory. */
static struct backlog_stream *present(struct backlog *backlog, const struct backlog_origin *origin)
{
    struct backlog_stream *stream = of_child(index_find(&backlog->children, &origin->child, 1));
    if (stream && is_of(stream, origin)) {
        regroup(backlog, stream, origin->group);
        return stream;
    }
    if (stream)
        end_stream(backlog, stream);
    stream = revive(backlog, origin);
    if (stream)
        regroup(backlog, stream, origin->group);
    if (!stream)
        stream = new_stream(backlog, origin);
    if (!stream)
        return NULL;
    stream->child = origin->child;
    stream->by_child.key = &stream->child;
    stream->by_child.key_len = 1;
    index_add(&backlog->children, &stream->by_child);
    return stream;
}

/* -- What children tell --------------------------------------------------------------------- */

void backlog_told(struct backlog *backlog, const struct backlog_origin *origin, uint32_t first,
                  uint32_t last, uint64_t now_ns)
{
    struct backlog_stream *stream = present(backlog, origin);
    if (!stream)
        return;
    stream->first = first;
    stream->last = last < NUMBER_MAX ? last : NUMBER_MAX;
    stream->told_ns = now_ns;
}

bool backlog_wants(struct backlog *backlog, uint32_t child, uint32_t boot, uint32_t number)
{
    struct backlog_stream *stream = of_child(index_find(&backlog->children, &child, 1));
    struct backlog_reader *reader;
    if (!stream || stream->boot != boot)
        return false;
    if (number >= stream->until)
        end_reading(backlog, stream);
    if (stream->budget == 0 || backlog_find(stream, number))
        return false;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        if (backlog_position(reader, stream)->next <= number)
            return true;
    }
    return false;
}

/* Drops the oldest block, which some reader may not have had. */
static void evict(struct backlog *backlog)
{
    struct backlog_block *block = TAILQ_FIRST(&backlog->arrivals);
    struct backlog_stream *stream = block->stream;
    struct backlog_reader *reader;
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        struct backlog_position *position = backlog_position(reader, stream);
        if (position->next <= block->number)
            backlog_set_hole(reader, position, true);
    }
    free_block(backlog, block);
    backlog_settle(backlog, stream);
}

/* The block comes again: it uses a part of what may come again. */
static void charge_reading(struct backlog_stream *stream, size_t octets)
{
    stream->budget -= octets < stream->budget ? octets : stream->budget;
    stream->fruitless = 0;
}

void backlog_take(struct backlog *backlog, const struct backlog_origin *origin, uint32_t number,
                  const uint8_t *octets, size_t len)
{
    struct backlog_stream *stream = present(backlog, origin);
    struct backlog_reader *reader;
    if (!stream || number == 0 || number > NUMBER_MAX || backlog_find(stream, number))
        return;
    struct backlog_block *block = malloc(sizeof *block + len);
    if (!block)
        return;
    *block = (struct backlog_block){.stream = stream, .number = number, .len = (uint32_t)len};
    memcpy(block->octets, octets, len);
    if (number <= stream->newest)
        charge_reading(stream, octets_of(block));
    else
        stream->newest = number;
    RB_INSERT(backlog_blocks, &stream->blocks, block);
    TAILQ_INSERT_TAIL(&backlog->arrivals, block, arrival);
    backlog->octets += octets_of(block);
    TAILQ_FOREACH(reader, &backlog->readers, link)
    {
        if (!reader->arrival)
            reader->arrival = block;
    }
    while (backlog->octets > backlog->most && TAILQ_FIRST(&backlog->arrivals) != block)
        evict(backlog);
}

void backlog_gone(struct backlog *backlog, uint32_t child)
{
    struct backlog_stream *stream = of_child(index_find(&backlog->children, &child, 1));
    if (stream)
        end_stream(backlog, stream);
}

/* -- Readings ------------------------------------------------------------------------------- */

static struct backlog_stream **free_reading(struct backlog *backlog, uint64_t now_ns)
{
    for (size_t i = 0; i < BACKLOG_READINGS; i++) {
        const struct backlog_stream *stream = backlog->readings[i];
        if (!stream || now_ns - stream->asked_ns >= BACKLOG_READING_NS)
            return &backlog->readings[i];
    }
    return NULL;
}

/* A child that has not answered since it was last asked would not answer now either. */
bool backlog_begin_reading(struct backlog *backlog, struct backlog_stream *stream, uint64_t now_ns)
{
    bool was_asked = stream->asked_ns > 0;
    if (was_asked &&
        (now_ns - stream->asked_ns < BACKLOG_READ_NS || stream->told_ns <= stream->asked_ns))
        return false;
    struct backlog_stream **reading = free_reading(backlog, now_ns);
    if (!reading)
        return false;
    end_reading(backlog, stream);
    *reading = stream;
    stream->asked_ns = now_ns;
    stream->until = stream->newest;
    stream->budget = backlog->most / BACKLOG_READING_PART;
    stream->fruitless++;
    return true;
}

/* -- Beginning and end ---------------------------------------------------------------------- */

void backlog_open(struct backlog *backlog, size_t most)
{
    *backlog = (struct backlog){.most = most, .next_number = BACKLOG_STREAM_MIN};
    index_init(&backlog->children);
    index_init(&backlog->numbers);
    TAILQ_INIT(&backlog->over);
    TAILQ_INIT(&backlog->arrivals);
    TAILQ_INIT(&backlog->readers);
}

void backlog_clear(struct backlog *backlog)
{
    struct index_node *node;
    while ((node = index_first(&backlog->numbers)))
        free_stream(backlog, of_number(node));
}

void backlog_close(struct backlog *backlog)
{
    backlog_clear(backlog);
    index_release(&backlog->children);
    index_release(&backlog->numbers);
    free(backlog->slots);
    backlog->slots = NULL;
    backlog->n_slots = 0;
}

bool backlog_add_reader(struct backlog *backlog, struct backlog_reader *reader)
{
    size_t n = backlog->n_slots ? backlog->n_slots : 1;
    reader->positions = calloc(n, sizeof *reader->positions);
    if (!reader->positions)
        return false;
    reader->arrival = TAILQ_FIRST(&backlog->arrivals);
    TAILQ_INSERT_TAIL(&backlog->readers, reader, link);
    return true;
}

void backlog_remove_reader(struct backlog *backlog, struct backlog_reader *reader)
{
    struct backlog_stream *stream, *next;
    if (reader->positions)
        TAILQ_REMOVE(&backlog->readers, reader, link);
    /* What was to be read again for this reader serves nobody any more, and the child is not at
     * fault. */
    for (size_t i = 0; i < backlog->n_slots; i++)
        if (backlog->slots[i])
            backlog->slots[i]->fruitless = 0;
    free(reader->positions);
    cursors_release(&reader->cursors);
    *reader = (struct backlog_reader){.positions = NULL};
    TAILQ_FOREACH_SAFE(stream, &backlog->over, link, next)
    {
        backlog_settle(backlog, stream);
    }
}
