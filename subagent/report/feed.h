/* The active alarms that the parent is to know, and which report blocks tell of them.
 *
 * The ring of blocks is a journal: it has the latest record of each alarm. At the end of a cycle,
 * alarms that are new, have changed or are gone are written, and after them a summary of all alarms
 * (struct report_alarms). Records and summary are written again before their block falls out of the
 * ring. So a parent that begins anew, or that has missed blocks, reads the ring from its oldest
 * block on and then knows all alarms without asking. While nothing happens, an alarm costs one
 * record in most of a turn of the ring, and without alarms there is no cost.
 *
 * Items belong to those who have the alarms: they embed them and describe them. Pure. */
#ifndef DCAMP_REPORT_FEED_H
#define DCAMP_REPORT_FEED_H

#include <bsd/sys/queue.h>

#include "base/index.h"
#include "report/report.h"

/* At most so many alarms are told, and they take at most half of the room of the ring. If there are
 * more, the most severe ones are told, and the blocks say how many are left out. */
#define FEED_ALARMS_MAX 4096

/* The most blocks that alarms may begin at a time: the rest waits for the next time, so that a
 * parent keeps pace. */
#define FEED_BLOCKS_MAX 16

struct feed_item;
typedef void feed_describe_fn(const struct feed_item *item, struct report_alarm *alarm);

enum feed_list { FEED_NONE, FEED_CHANGED, FEED_TOLD, FEED_LEFT };

struct feed_item {
    struct index_node node; /* key: id */
    TAILQ_ENTRY(feed_item) link;
    feed_describe_fn *describe;
    uint32_t id;       /* of the alarm, in the blocks */
    uint32_t severity; /* as it was last told to the feed */
    enum feed_list list;
    uint32_t told; /* the severity that the blocks tell; 0: they do not tell of it */
    struct report_written written;
    size_t cost; /* of that record */
};

TAILQ_HEAD(feed_items, feed_item);

struct feed {
    struct index items; /* key: id; adding to it cannot fail for want of memory */
    struct feed_items changed[REPORT_SEVERITIES], left[REPORT_SEVERITIES];
    struct feed_items told;             /* the one with the oldest record first */
    uint32_t n_left[REPORT_SEVERITIES]; /* those that are left out, by severity */
    uint32_t n_told[REPORT_SEVERITIES]; /* those that the blocks tell of, by the severity that they
                                           tell */
    size_t cost;                        /* what their records take of the ring, in octets */
    uint32_t digest;                    /* of their records */
    uint32_t *cleared; /* ids of alarms that are gone, but of which the blocks still tell */
    size_t n_cleared, room_cleared;
    bool room; /* there may be room for some of those that are left out */
    uint64_t left_below[REPORT_SEVERITIES]; /* set by the owner: how many alarms the nodes below
                                               left out */
    bool complete;             /* set by the owner: all alarms of the nodes below are known */
    struct report_alarms said; /* what the latest struct report_alarms said */
    uint32_t said_block;       /* the block that has it; 0: none yet */
};

void feed_open(struct feed *feed);

/* Items that are still in the feed are in no feed afterwards. */
void feed_close(struct feed *feed);

/* An alarm is active. It gets this id or, if another alarm has it, the next free one. If feed is
 * NULL, this and the next two functions do nothing. */
void feed_add(struct feed *feed, struct feed_item *item, uint32_t id, uint32_t severity,
              feed_describe_fn *describe);

/* What describe() says of the alarm has changed. */
void feed_change(struct feed *feed, struct feed_item *item, uint32_t severity);

/* The alarm is no longer active. If the item is in no feed, nothing happens. */
void feed_remove(struct feed *feed, struct feed_item *item);

/* Writes what is due; call it before the block of a cycle ends. True: something has happened, and
 * the parent is not to wait for it. What there was no memory for is written at the next call. */
bool feed_write(struct feed *feed, struct report_ring *ring, int64_t wall_ms);

/* Whether changes or the ends of alarms still wait to be written. */
bool feed_waits(const struct feed *feed);

#endif
