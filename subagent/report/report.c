#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/block.h"
#include "report/store.h"

struct report_draft {
    struct store store; /* has the blocks of the ring */
    uint32_t boot;
    uint32_t keep;
    int64_t wall_ms; /* of the first entry */
    uint32_t entries;
    size_t len;
    struct block_before before; /* what the next entry is compared with */
    size_t room;                /* what a block has for entries, in octets */
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
    store_open(&draft->store);
    *ring = (struct report_ring){.draft = draft};
    index_init(&ring->index);
    return 0;
}

static struct stored_block *oldest(const struct report_ring *ring)
{
    return TAILQ_FIRST(&ring->draft->store.blocks);
}

static void drop_oldest(struct report_ring *ring)
{
    struct stored_block *block = oldest(ring);
    index_remove(&ring->index, &block->block.node);
    ring->bytes -= block->block.len;
    store_remove(&ring->draft->store, block);
}

void report_close(struct report_ring *ring)
{
    while (ring->index.count)
        drop_oldest(ring);
    index_release(&ring->index);
    if (ring->draft)
        store_close(&ring->draft->store);
    free(ring->draft);
    *ring = (struct report_ring){0};
}

/* Blocks on their way into the ring, kept apart so that either all or none get there. */
struct sealed_blocks {
    struct stored_block *first; /* in the store, behind the blocks of the ring */
    uint32_t last;              /* sequence number of the newest */
    /* The draft as it was before the first of these blocks. */
    int64_t wall_ms;
    uint32_t entries;
    size_t len;
    struct block_before before;
};

static struct sealed_blocks sealing_begin(const struct report_ring *ring)
{
    const struct report_draft *draft = ring->draft;
    return (struct sealed_blocks){.last = ring->last,
                                  .wall_ms = draft->wall_ms,
                                  .entries = draft->entries,
                                  .len = draft->len,
                                  .before = draft->before};
}

static struct stored_block *finish(struct report_draft *draft, uint32_t sequence)
{
    struct report_header header = {BLOCK_VERSION, draft->boot, sequence, draft->wall_ms};
    uint8_t head[BLOCK_HEAD_MAX];
    size_t head_len = block_put_head(head, &header, draft->entries);
    struct stored_block *stored = store_append(&draft->store, head_len + draft->len);
    if (!stored)
        return NULL;
    uint8_t *bytes = draft->store.bytes + stored->at;
    memcpy(bytes, head, head_len);
    memcpy(bytes + head_len, draft->bytes, draft->len);
    stored->head_len = head_len;
    stored->block.sequence = sequence;
    stored->block.wall_ms = draft->wall_ms;
    stored->block.entries = draft->entries;
    stored->block.node.key = &stored->block.sequence;
    stored->block.node.key_len = 1;
    return stored;
}

static int seal(struct report_draft *draft, struct sealed_blocks *sealing)
{
    struct stored_block *stored = finish(draft, sealing->last + 1);
    if (!stored)
        return ENOMEM;
    if (!sealing->first)
        sealing->first = stored;
    sealing->last++;
    draft->entries = 0;
    draft->len = 0;
    draft->before = (struct block_before){0};
    return 0;
}

static void keep(struct report_ring *ring, struct report_block *block)
{
    index_add(&ring->index, &block->node);
    ring->bytes += block->len;
    ring->last = block->sequence;
    if (ring->index.count > ring->draft->keep)
        drop_oldest(ring);
    ring->first = oldest(ring)->block.sequence;
}

static void commit(struct report_ring *ring, const struct sealed_blocks *sealing)
{
    struct stored_block *next;
    for (struct stored_block *stored = sealing->first; stored; stored = next) {
        next = TAILQ_NEXT(stored, link);
        keep(ring, &stored->block);
    }
}

/* Undoes it all. The first of the blocks begins with what the draft had. */
static void roll_back(struct report_draft *draft, struct sealed_blocks *sealing)
{
    struct stored_block *next, *stored = sealing->first;
    if (stored)
        memcpy(draft->bytes, stored->block.bytes + stored->head_len, sealing->len);
    for (; stored; stored = next) {
        next = TAILQ_NEXT(stored, link);
        store_remove(&draft->store, stored);
    }
    draft->wall_ms = sealing->wall_ms;
    draft->entries = sealing->entries;
    draft->len = sealing->len;
    draft->before = sealing->before;
}

int report_flush(struct report_ring *ring)
{
    struct sealed_blocks sealing = sealing_begin(ring);
    if (ring->draft->entries && seal(ring->draft, &sealing) != 0)
        return ENOMEM;
    commit(ring, &sealing);
    return 0;
}

/* The wall clock may step either way, so that the time since the first entry may not fit into dt.
 */
static bool is_near(const struct report_draft *draft, int64_t wall_ms)
{
    int32_t dt;
    return !__builtin_sub_overflow(wall_ms, draft->wall_ms, &dt);
}

/* Makes room for an entry of that time and of at most so many octets, in a new draft if necessary.
 */
static int make_place(struct report_ring *ring, int64_t wall_ms, size_t most)
{
    struct report_draft *draft = ring->draft;
    bool fits = is_near(draft, wall_ms) && draft->room - draft->len >= most;
    if (draft->entries && !fits && report_flush(ring) != 0)
        return ENOMEM;
    if (draft->entries == 0)
        draft->wall_ms = wall_ms;
    return 0;
}

int report_add(struct report_ring *ring, uint32_t series, int64_t wall_ms,
               const struct result *result)
{
    struct report_draft *draft = ring->draft;
    if (result->state == RESULT_WAITING)
        return 0;
    if (make_place(ring, wall_ms, BLOCK_ENTRY_MAX) != 0)
        return ENOMEM;
    draft->len += block_put_entry(draft->bytes + draft->len, &draft->before, series,
                                  (int32_t)(wall_ms - draft->wall_ms), result);
    draft->entries++;
    return 0;
}

int report_add_record(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      const struct report_record *record)
{
    struct report_draft *draft = ring->draft;
    if (make_place(ring, wall_ms, BLOCK_RECORD_MAX - ALARM_PATH_SIZE + record->node_len) != 0)
        return ENOMEM;
    draft->len += block_put_record(draft->bytes + draft->len, &draft->before, series,
                                   (int32_t)(wall_ms - draft->wall_ms), record);
    draft->entries++;
    return 0;
}

/* Writes an entry with the rest of something, or with as much of it as fits; returns 0 if nothing
 * fits. */
typedef size_t put_part_fn(void *left, uint8_t *at, size_t room, struct block_before *before,
                           int32_t dt, bool is_empty);

/* Adds the next entry of something that may be cut. If nothing fits, the draft becomes a block. */
static int put_part(struct report_draft *draft, put_part_fn *put, void *left, int64_t wall_ms,
                    struct sealed_blocks *sealing)
{
    bool is_empty = draft->entries == 0;
    size_t n = 0;
    if (is_empty)
        draft->wall_ms = wall_ms;
    if (is_near(draft, wall_ms))
        n = put(left, draft->bytes + draft->len, draft->room - draft->len, &draft->before,
                (int32_t)(wall_ms - draft->wall_ms), is_empty);
    draft->len += n;
    draft->entries += n > 0;
    return n == 0 ? seal(draft, sealing) : 0;
}

static int end_parts(struct report_ring *ring, struct sealed_blocks *sealing, int error)
{
    if (error)
        roll_back(ring->draft, sealing);
    else
        commit(ring, sealing);
    return error;
}

static size_t put_window(void *left, uint8_t *at, size_t room, struct block_before *before,
                         int32_t dt, bool is_empty)
{
    return block_put_window(at, room, before, left, dt, is_empty);
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
    struct sealed_blocks sealing = sealing_begin(ring);
    int error = 0;
    while (!error && left.next < left.end)
        error = put_part(ring->draft, put_window, &left, wall_ms, &sealing);
    return end_parts(ring, &sealing, error);
}

static size_t put_keys(void *left, uint8_t *at, size_t room, struct block_before *before,
                       int32_t dt, bool is_empty)
{
    (void)is_empty;
    return block_put_keys(at, room, before, left, dt);
}

/* Whether all keys are padded with zeros. Octets behind a zero are not written; keys that differ
 * only there would be out of order when they are read. */
static bool are_padded(const struct top_keys *keys)
{
    static const char zeros[SEGMENT_KEY];
    for (size_t i = 0; i < keys->size; i++) {
        const char *octets = keys->key[i].octets;
        size_t len = strnlen(octets, SEGMENT_KEY);
        if (memcmp(octets + len, zeros, SEGMENT_KEY - len) != 0)
            return false;
    }
    return true;
}

/* Of more than REPORT_KEYS_MAX keys, those with the largest counts are told, in ascending order of
 * their octets. */
int report_add_keys(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                    const struct top_keys *keys)
{
    struct top_key most[REPORT_KEYS_MAX];
    struct top_keys told = {.key = most};
    told.size = keys_sort(most, keys_most(keys, most, REPORT_KEYS_MAX, &told.absent));
    if (!are_padded(&told))
        return EINVAL;
    struct block_keys left = {.series = series, .keys = &told};
    struct sealed_blocks sealing = sealing_begin(ring);
    int error = 0;
    while (!error && !left.is_written)
        error = put_part(ring->draft, put_keys, &left, wall_ms, &sealing);
    return end_parts(ring, &sealing, error);
}

int report_add_window(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                      uint32_t window_ms, const struct statistics_window *window)
{
    struct report_window whole = whole_of(window_ms, window);
    return window->count > 0 ? add_whole(ring, series, wall_ms, &whole) : 0;
}

int report_add_part(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                    const struct report_window *part)
{
    return add_whole(ring, series, wall_ms, part);
}

int report_add_moments(struct report_ring *ring, uint32_t series, int64_t wall_ms,
                       uint32_t window_ms, const struct statistics_window *window)
{
    struct report_window whole = whole_of(window_ms, window);
    whole.histogram = NULL;
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

/* -- Alarms ---------------------------------------------------------------------------------- */

bool report_pending(const struct report_ring *ring)
{
    return ring->draft->entries > 0;
}

size_t report_room(const struct report_ring *ring)
{
    return ring->draft->room;
}

uint32_t report_keep(const struct report_ring *ring)
{
    return ring->draft->keep;
}

/* Adds an entry about alarms. The second item of it is given; it fits into an empty block. */
static int add_item(struct report_ring *ring, int64_t wall_ms, const uint8_t *item, size_t len,
                    struct report_written *written)
{
    struct report_draft *draft = ring->draft;
    if (make_place(ring, wall_ms, BLOCK_ALARM_HEAD_MAX + len) != 0)
        return ENOMEM;
    draft->len +=
        block_put_alarm_head(draft->bytes + draft->len, (int32_t)(wall_ms - draft->wall_ms));
    memcpy(draft->bytes + draft->len, item, len);
    draft->len += len;
    draft->entries++;
    if (written)
        *written = (struct report_written){ring->last + 1, len, block_hash(item, len)};
    return 0;
}

/* Cuts so many octets off the end of a text, or more if a character would be divided; all, if the
 * text is not longer. */
static void cut_text(struct report_alarm *alarm, enum report_alarm_text which, size_t excess)
{
    size_t len = alarm->text[which].len;
    len = excess <= len ? len - excess : 0;
    while (len > 0 && ((uint8_t)alarm->text[which].at[len] & 0xc0) == 0x80)
        len--;
    alarm->text[which].len = len;
}

int report_add_alarm(struct report_ring *ring, int64_t wall_ms, const struct report_alarm *alarm,
                     struct report_written *written)
{
    static const enum report_alarm_text long_ones[] = {REPORT_ALARM_MESSAGE,
                                                       REPORT_ALARM_ACKNOWLEDGED};
    uint8_t item[BLOCK_ALARM_MAX];
    struct report_alarm fitting = *alarm;
    size_t room = ring->draft->room - BLOCK_ALARM_HEAD_MAX, len = block_put_alarm(item, &fitting);
    for (size_t i = 0; len > room && i < sizeof long_ones / sizeof *long_ones; i++) {
        cut_text(&fitting, long_ones[i], len - room);
        len = block_put_alarm(item, &fitting);
    }
    return len <= room ? add_item(ring, wall_ms, item, len, written) : EMSGSIZE;
}

int report_add_alarm_cleared(struct report_ring *ring, int64_t wall_ms, uint32_t id)
{
    uint8_t item[BLOCK_ALARMS_MAX];
    size_t len = block_put_alarm_cleared(item, id);
    return add_item(ring, wall_ms, item, len, NULL);
}

int report_add_alarms(struct report_ring *ring, int64_t wall_ms, const struct report_alarms *alarms,
                      struct report_written *written)
{
    uint8_t item[BLOCK_ALARMS_MAX];
    size_t len = block_put_alarms(item, alarms);
    return add_item(ring, wall_ms, item, len, written);
}
