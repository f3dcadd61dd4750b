#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "report/block.h"

struct report_draft {
    uint32_t boot;
    uint32_t keep;
    int64_t wall_ms; /* of the first entry */
    uint32_t entries;
    size_t len;
    size_t room; /* what a block leaves for entries */
    uint8_t bytes[];
};

struct stored_block {
    struct report_block block;
    STAILQ_ENTRY(stored_block) link; /* while it is not in the ring yet */
    size_t head_len;
    uint8_t bytes[];
};

int report_open(struct report_ring *ring, uint32_t boot, uint32_t keep, size_t block_bytes)
{
    if (keep == 0 || block_bytes < REPORT_BLOCK_MIN || block_bytes > REPORT_BLOCK_MAX)
        return EINVAL;
    size_t room = block_bytes - BLOCK_HEAD_MAX;
    struct report_draft *draft = calloc(1, sizeof *draft + room);
    if (!draft)
        return ENOMEM;
    draft->boot = boot;
    draft->keep = keep;
    draft->room = room;
    *ring = (struct report_ring){.draft = draft};
    index_init(&ring->index);
    return 0;
}

static struct report_block *oldest(const struct report_ring *ring)
{
    /* The node is the first member. */
    return (struct report_block *)index_first(&ring->index);
}

static void drop_oldest(struct report_ring *ring)
{
    struct report_block *block = oldest(ring);
    index_remove(&ring->index, &block->node);
    ring->bytes -= block->len;
    free(block);
}

void report_close(struct report_ring *ring)
{
    while (ring->index.count)
        drop_oldest(ring);
    index_release(&ring->index);
    free(ring->draft);
    *ring = (struct report_ring){0};
}

/* Blocks on their way into the ring, so that all or none get there. */
struct sealing {
    STAILQ_HEAD(, stored_block) blocks;
    uint32_t last; /* sequence of the newest */
    /* The draft as it was before the first. */
    int64_t wall_ms;
    uint32_t entries;
    size_t len;
};

static void begin(const struct report_ring *ring, struct sealing *sealing)
{
    const struct report_draft *draft = ring->draft;
    *sealing = (struct sealing){.last = ring->last,
                                .wall_ms = draft->wall_ms,
                                .entries = draft->entries,
                                .len = draft->len};
    STAILQ_INIT(&sealing->blocks);
}

/* Blocks of few sizes, so that one that comes fits into the place of one that went: malloc(3) keeps
 * some places of every size that there ever was, by which the heap would grow for an hour. */
#define SIZE_STEP 256
static size_t rounded(size_t size)
{
    return (size + SIZE_STEP - 1) / SIZE_STEP * SIZE_STEP;
}

static struct stored_block *finish(const struct report_draft *draft, uint32_t sequence)
{
    struct report_header header = {BLOCK_VERSION, draft->boot, sequence, draft->wall_ms};
    uint8_t head[BLOCK_HEAD_MAX];
    size_t head_len = block_put_head(head, &header, draft->entries);
    struct stored_block *stored = malloc(rounded(sizeof *stored + head_len + draft->len));
    if (!stored)
        return NULL;
    memcpy(stored->bytes, head, head_len);
    memcpy(stored->bytes + head_len, draft->bytes, draft->len);
    stored->head_len = head_len;
    stored->block = (struct report_block){
        .node = {.key = &stored->block.sequence, .key_len = 1},
        .sequence = sequence,
        .wall_ms = draft->wall_ms,
        .entries = draft->entries,
        .len = head_len + draft->len,
        .bytes = stored->bytes,
    };
    return stored;
}

static int seal(struct report_draft *draft, struct sealing *sealing)
{
    struct stored_block *stored = finish(draft, sealing->last + 1);
    if (!stored)
        return ENOMEM;
    STAILQ_INSERT_TAIL(&sealing->blocks, stored, link);
    sealing->last++;
    draft->entries = 0;
    draft->len = 0;
    return 0;
}

static void keep(struct report_ring *ring, struct report_block *block)
{
    index_add(&ring->index, &block->node);
    ring->bytes += block->len;
    ring->last = block->sequence;
    if (ring->index.count > ring->draft->keep)
        drop_oldest(ring);
    ring->first = oldest(ring)->sequence;
}

static void commit(struct report_ring *ring, struct sealing *sealing)
{
    struct stored_block *stored;
    while ((stored = STAILQ_FIRST(&sealing->blocks))) {
        STAILQ_REMOVE_HEAD(&sealing->blocks, link);
        keep(ring, &stored->block);
    }
}

/* The first block begins with what the draft had. */
static void roll_back(struct report_draft *draft, struct sealing *sealing)
{
    struct stored_block *stored = STAILQ_FIRST(&sealing->blocks);
    if (stored)
        memcpy(draft->bytes, stored->bytes + stored->head_len, sealing->len);
    while ((stored = STAILQ_FIRST(&sealing->blocks))) {
        STAILQ_REMOVE_HEAD(&sealing->blocks, link);
        free(stored);
    }
    draft->wall_ms = sealing->wall_ms;
    draft->entries = sealing->entries;
    draft->len = sealing->len;
}

int report_flush(struct report_ring *ring)
{
    struct sealing sealing;
    begin(ring, &sealing);
    if (ring->draft->entries && seal(ring->draft, &sealing) != 0)
        return ENOMEM;
    commit(ring, &sealing);
    return 0;
}

/* The wall clock may step either way, so that the time since the first entry may be anything. */
static bool is_near(const struct report_draft *draft, int64_t wall_ms)
{
    int32_t dt;
    return !__builtin_sub_overflow(wall_ms, draft->wall_ms, &dt);
}

static bool has_place(const struct report_draft *draft, int64_t wall_ms)
{
    return is_near(draft, wall_ms) && draft->room - draft->len >= BLOCK_ENTRY_MAX;
}

int report_add(struct report_ring *ring, uint32_t series, int64_t wall_ms,
               const struct result *result)
{
    struct report_draft *draft = ring->draft;
    if (result->state == RESULT_WAITING)
        return 0;
    if (draft->entries && !has_place(draft, wall_ms) && report_flush(ring) != 0)
        return ENOMEM;
    if (draft->entries == 0)
        draft->wall_ms = wall_ms;
    draft->len += block_put_entry(draft->bytes + draft->len, series,
                                  (int32_t)(wall_ms - draft->wall_ms), result);
    draft->entries++;
    return 0;
}

static int put_window(struct report_draft *draft, struct block_window *left, int64_t wall_ms,
                      struct sealing *sealing)
{
    while (left->next < left->end) {
        bool empty = draft->entries == 0;
        size_t n = 0;
        if (empty)
            draft->wall_ms = wall_ms;
        if (is_near(draft, wall_ms))
            n = block_put_window(draft->bytes + draft->len, draft->room - draft->len, left,
                                 (int32_t)(wall_ms - draft->wall_ms), empty);
        draft->len += n;
        draft->entries += n > 0;
        if (n == 0 && seal(draft, sealing) != 0)
            return ENOMEM;
    }
    return 0;
}

static struct report_window whole_of(uint32_t window_ms, const struct statistics_window *window)
{
    return (struct report_window){
        .window_ms = window_ms,
        .has_moments = true,
        .count = window->count,
        .min = window->min,
        .max = window->max,
        .mean = window->mean,
        .m2 = window->m2,
        .histogram = &window->histogram,
    };
}

static int add_whole(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                     const struct report_window *whole)
{
    if (block_window_fault(whole))
        return EINVAL;
    struct block_window left = block_window_of(series, whole);
    struct sealing sealing;
    begin(ring, &sealing);
    int error = put_window(ring->draft, &left, wall_ms, &sealing);
    if (error)
        roll_back(ring->draft, &sealing);
    else
        commit(ring, &sealing);
    return error;
}

int report_add_window(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      uint32_t window_ms, const struct statistics_window *window)
{
    struct report_window whole = whole_of(window_ms, window);
    return window->count > 0 ? add_whole(ring, series, wall_ms, &whole) : 0;
}

int report_add_aggregate(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                         uint32_t window_ms, const struct statistics_window *window,
                         const struct report_totals *totals)
{
    struct report_window whole = whole_of(window_ms, window);
    whole.has_totals = true;
    whole.totals = *totals;
    return add_whole(ring, series, wall_ms, &whole);
}
