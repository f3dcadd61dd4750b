#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static struct report_block *finish(const struct report_draft *draft, uint32_t sequence)
{
    struct report_header header = {BLOCK_VERSION, draft->boot, sequence, draft->wall_ms};
    uint8_t head[BLOCK_HEAD_MAX];
    size_t head_len = block_put_head(head, &header, draft->entries);
    struct stored_block *stored = malloc(sizeof *stored + head_len + draft->len);
    if (!stored)
        return NULL;
    memcpy(stored->bytes, head, head_len);
    memcpy(stored->bytes + head_len, draft->bytes, draft->len);
    stored->block = (struct report_block){
        .node = {.key = &stored->block.sequence, .key_len = 1},
        .sequence = sequence,
        .wall_ms = draft->wall_ms,
        .entries = draft->entries,
        .len = head_len + draft->len,
        .bytes = stored->bytes,
    };
    return &stored->block;
}

int report_flush(struct report_ring *ring)
{
    struct report_draft *draft = ring->draft;
    if (draft->entries == 0)
        return 0;
    struct report_block *block = finish(draft, ring->last + 1);
    if (!block)
        return ENOMEM;
    draft->entries = 0;
    draft->len = 0;
    index_add(&ring->index, &block->node);
    ring->bytes += block->len;
    ring->last = block->sequence;
    if (ring->index.count > draft->keep)
        drop_oldest(ring);
    ring->first = oldest(ring)->sequence;
    return 0;
}

/* The wall clock may step either way, so that the time since the first entry may be anything. */
static bool has_place(const struct report_draft *draft, int64_t wall_ms)
{
    int32_t dt;
    return !__builtin_sub_overflow(wall_ms, draft->wall_ms, &dt) &&
           draft->room - draft->len >= BLOCK_ENTRY_MAX;
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
