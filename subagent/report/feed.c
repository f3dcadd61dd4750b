#include "report/feed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void feed_open(struct feed *feed)
{
    *feed = (struct feed){.cost = 0};
    index_init(&feed->items);
    for (size_t i = 0; i < REPORT_SEVERITIES; i++) {
        TAILQ_INIT(&feed->changed[i]);
        TAILQ_INIT(&feed->left[i]);
    }
    TAILQ_INIT(&feed->told);
}

void feed_close(struct feed *feed)
{
    struct index_node *node;
    while ((node = index_first(&feed->items))) {
        index_remove(&feed->items, node);
        ((struct feed_item *)node)->list = FEED_NONE;
    }
    index_release(&feed->items);
    free(feed->cleared);
    feed_open(feed);
}

/* -- Lists ----------------------------------------------------------------------------------- */

static size_t rank_of(uint32_t severity)
{
    if (severity < REPORT_SEVERITY_MIN)
        return 0;
    return severity > REPORT_SEVERITY_MAX ? REPORT_SEVERITIES - 1 : severity - REPORT_SEVERITY_MIN;
}

static struct feed_items *list_of(struct feed *feed, const struct feed_item *item)
{
    switch (item->list) {
    case FEED_CHANGED:
        return &feed->changed[rank_of(item->severity)];
    case FEED_LEFT:
        return &feed->left[rank_of(item->severity)];
    default:
        return &feed->told;
    }
}

static void enlist(struct feed *feed, struct feed_item *item, enum feed_list list)
{
    if (item->list != FEED_NONE)
        TAILQ_REMOVE(list_of(feed, item), item, link);
    feed->n_left[rank_of(item->severity)] -= item->list == FEED_LEFT;
    feed->n_left[rank_of(item->severity)] += list == FEED_LEFT;
    item->list = list;
    if (list != FEED_NONE)
        TAILQ_INSERT_TAIL(list_of(feed, item), item, link);
}

/* Stops counting an alarm as told: the blocks no longer tell of it, or what they tell is to be
 * counted anew. */
static void untell_item(struct feed *feed, struct feed_item *item)
{
    if (!item->told)
        return;
    feed->n_told[rank_of(item->told)]--;
    feed->cost -= item->cost;
    feed->digest ^= item->written.hash;
    item->told = 0;
    feed->room = true;
}

/* Counts an alarm as told. Records of one length share the room of a block equally. If an alarm is
 * less severe now than it was, it may have to make room for others. */
static void tell_item(struct feed *feed, struct feed_item *item,
                      const struct report_written *written, size_t room)
{
    bool had_room = feed->room || item->told > item->severity;
    untell_item(feed, item);
    feed->room = had_room;
    item->written = *written;
    item->cost = room / (written->len < room ? room / written->len : 1);
    item->told = item->severity;
    feed->n_told[rank_of(item->told)]++;
    feed->cost += item->cost;
    feed->digest ^= written->hash;
    enlist(feed, item, FEED_TOLD);
}

/* -- What there is --------------------------------------------------------------------------- */

void feed_add(struct feed *feed, struct feed_item *item, uint32_t id, uint32_t severity,
              feed_describe_fn *describe)
{
    if (!feed)
        return;
    *item = (struct feed_item){.id = id ? id : 1, .severity = severity, .describe = describe};
    item->node.key = &item->id;
    item->node.key_len = 1;
    while (!index_add(&feed->items, &item->node))
        item->id = item->id == UINT32_MAX ? 1 : item->id + 1;
    enlist(feed, item, FEED_CHANGED);
}

void feed_change(struct feed *feed, struct feed_item *item, uint32_t severity)
{
    if (!feed || item->list == FEED_NONE)
        return;
    enlist(feed, item, FEED_NONE);
    item->severity = severity;
    enlist(feed, item, FEED_CHANGED);
}

/* If there is no memory for the note, the parent sees from the digest that it has missed something,
 * and what it then reads is right. */
static void note_cleared(struct feed *feed, uint32_t id)
{
    if (feed->n_cleared == feed->room_cleared) {
        size_t room = feed->room_cleared * 2 + 16;
        uint32_t *cleared = reallocarray(feed->cleared, room, sizeof *cleared);
        if (!cleared)
            return;
        feed->cleared = cleared;
        feed->room_cleared = room;
    }
    feed->cleared[feed->n_cleared++] = id;
}

void feed_remove(struct feed *feed, struct feed_item *item)
{
    if (!feed || item->list == FEED_NONE)
        return;
    enlist(feed, item, FEED_NONE);
    if (item->told)
        note_cleared(feed, item->id);
    untell_item(feed, item);
    index_remove(&feed->items, &item->node);
}

/* -- Writing --------------------------------------------------------------------------------- */

struct feed_writer {
    struct feed *feed;
    struct report_ring *ring;
    int64_t wall_ms;
    uint32_t began; /* the number of the newest block when writing began */
    bool news;
};

static bool is_enough(const struct feed_writer *writing)
{
    return writing->ring->last - writing->began >= FEED_BLOCKS_MAX;
}

static uint32_t count(const uint32_t numbers[REPORT_SEVERITIES])
{
    uint32_t n = 0;
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        n += numbers[i];
    return n;
}

static bool write_clears(struct feed_writer *writing)
{
    struct feed *feed = writing->feed;
    for (; feed->n_cleared > 0 && !is_enough(writing); feed->n_cleared--) {
        uint32_t id = feed->cleared[feed->n_cleared - 1];
        if (report_add_alarm_cleared(writing->ring, writing->wall_ms, id) != 0)
            return false;
        writing->news = true;
    }
    if (feed->n_cleared == 0 && feed->room_cleared > FEED_ALARMS_MAX) {
        free(feed->cleared);
        feed->cleared = NULL;
        feed->room_cleared = 0;
    }
    return feed->n_cleared == 0;
}

/* This assumes the worst case: a much shorter record could fit even if this says no. */
static bool has_room(const struct feed *feed, const struct report_ring *ring,
                     const struct feed_item *item)
{
    size_t all = report_room(ring) * report_keep(ring) / 2;
    size_t cost = feed->cost - (item->told ? item->cost : 0);
    uint32_t told = count(feed->n_told) - (item->told != 0);
    return told < FEED_ALARMS_MAX && cost + report_room(ring) <= all;
}

/* Of the alarms of the least severity, if that is below the given one, the alarm of which the
 * blocks have told the longest. An alarm that has changed since it was told is not among them: it
 * is on another list, and will be written from there. */
static struct feed_item *less_severe(const struct feed *feed, uint32_t severity)
{
    for (size_t rank = 0; rank < rank_of(severity); rank++) {
        struct feed_item *item = feed->n_told[rank] ? TAILQ_FIRST(&feed->told) : NULL;
        while (item && rank_of(item->told) != rank)
            item = TAILQ_NEXT(item, link);
        if (item)
            return item;
    }
    return NULL;
}

/* Takes an alarm out of the blocks, by telling that it is gone, and puts it among those left out.
 * False: no memory. */
static bool leave_out(struct feed_writer *writing, struct feed_item *item)
{
    if (item->told && report_add_alarm_cleared(writing->ring, writing->wall_ms, item->id) != 0)
        return false;
    untell_item(writing->feed, item);
    enlist(writing->feed, item, FEED_LEFT);
    writing->news = true;
    return true;
}

static bool make_room(struct feed_writer *writing, const struct feed_item *item)
{
    while (!has_room(writing->feed, writing->ring, item)) {
        struct feed_item *other = less_severe(writing->feed, item->severity);
        if (!other || !leave_out(writing, other))
            return false;
    }
    return true;
}

/* Writes the record of an alarm. False: no memory. */
static bool write_item(struct feed_writer *writing, struct feed_item *item)
{
    struct report_alarm alarm = {.id = 0};
    struct report_written written;
    item->describe(item, &alarm);
    alarm.id = item->id;
    alarm.severity = item->severity;
    int error = report_add_alarm(writing->ring, writing->wall_ms, &alarm, &written);
    if (error == EMSGSIZE)
        return leave_out(writing, item);
    if (!error)
        tell_item(writing->feed, item, &written, report_room(writing->ring));
    return !error;
}

static bool write_changed(struct feed_writer *writing)
{
    struct feed *feed = writing->feed;
    struct feed_item *item;
    for (size_t rank = REPORT_SEVERITIES; rank-- > 0;)
        while ((item = TAILQ_FIRST(&feed->changed[rank]))) {
            if (is_enough(writing))
                return false;
            writing->news = true;
            if (!(make_room(writing, item) ? write_item(writing, item) : leave_out(writing, item)))
                return false;
        }
    return true;
}

/* Writes alarms that were left out, since others are gone or less severe now. An alarm for which no
 * block has room moves to the end of its list. */
static bool write_left(struct feed_writer *writing)
{
    struct feed *feed = writing->feed;
    struct feed_item *item;
    for (size_t rank = REPORT_SEVERITIES; feed->room && rank-- > 0;)
        for (uint32_t n = feed->n_left[rank]; n > 0; n--) {
            item = TAILQ_FIRST(&feed->left[rank]);
            if (is_enough(writing))
                return false;
            if (!make_room(writing, item))
                break;
            if (!write_item(writing, item))
                return false;
            writing->news = true;
        }
    feed->room = false;
    return true;
}

/* Whether the record is in the oldest quarter of the ring; it must be written again before that
 * quarter falls out. It is written only into a block that is made anyway: a block of its own would
 * not be pushed. */
static bool is_old(const struct report_ring *ring, uint32_t block)
{
    uint32_t keep = report_keep(ring);
    return report_pending(ring) && ring->last + 1 - block >= keep - keep / 4;
}

static bool write_again(struct feed_writer *writing)
{
    struct feed_item *item;
    uint32_t n = count(writing->feed->n_told); /* each alarm once at most */
    for (; n > 0 && (item = TAILQ_FIRST(&writing->feed->told)); n--) {
        if (!is_old(writing->ring, item->written.block))
            break;
        if (!write_item(writing, item))
            return false;
    }
    return true;
}

static void sum_up(const struct feed *feed, struct report_alarms *alarms)
{
    *alarms = (struct report_alarms){.digest = feed->digest, .told = count(feed->n_told)};
    alarms->complete = feed->complete && !feed_waits(feed);
    for (size_t i = 0; i < REPORT_SEVERITIES; i++) {
        uint64_t left = feed->left_below[i] + feed->n_left[i];
        alarms->left[i] = left < UINT32_MAX ? (uint32_t)left : UINT32_MAX;
    }
}

static bool same(const struct report_alarms *a, const struct report_alarms *b)
{
    return a->complete == b->complete && a->digest == b->digest && a->told == b->told &&
           memcmp(a->left, b->left, sizeof a->left) == 0;
}

static void write_summary(struct feed_writer *writing)
{
    struct feed *feed = writing->feed;
    struct report_alarms alarms;
    struct report_written written;
    bool again = feed->said_block == 0 || is_old(writing->ring, feed->said_block);
    sum_up(feed, &alarms);
    if (!again && same(&alarms, &feed->said))
        return;
    if (report_add_alarms(writing->ring, writing->wall_ms, &alarms, &written) == 0) {
        feed->said = alarms;
        feed->said_block = written.block;
    }
}

bool feed_write(struct feed *feed, struct report_ring *ring, int64_t wall_ms)
{
    struct feed_writer writing = {feed, ring, wall_ms, ring->last, false};
    if (write_clears(&writing) && write_again(&writing) && write_changed(&writing))
        write_left(&writing);
    write_summary(&writing);
    return writing.news;
}

bool feed_waits(const struct feed *feed)
{
    bool waits = feed->n_cleared > 0;
    for (size_t i = 0; i < REPORT_SEVERITIES; i++)
        waits |= !TAILQ_EMPTY(&feed->changed[i]);
    return waits;
}
