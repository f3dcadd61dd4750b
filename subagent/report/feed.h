/* The active alarms that the parent is to know, and where its report blocks say so.
 *
 * The ring of blocks is a journal: each alarm has its latest record in it. What is new, has changed
 * or is gone is written at the end of a cycle, with what there is then (struct report_alarms). A
 * record, and that, are written again before their block falls out of the ring. So a parent that
 * begins anew, or that has missed blocks, reads the ring from its oldest block on and knows all,
 * without a question; while nothing happens, an alarm costs one record in most of a turn of the
 * ring, and no alarm nothing.
 *
 * Items belong to those who have the alarms: they embed them and say what they are. Pure. */
#ifndef DCAMP_REPORT_FEED_H
#define DCAMP_REPORT_FEED_H

#include <bsd/sys/queue.h>

#include "base/index.h"
#include "report/report.h"

/* So many alarms are told, and at most half of what the ring has room for. If there are more, the
 * most severe ones are told, and the blocks say how many are left out. */
#define FEED_ALARMS_MAX 4096

/* Blocks that alarms begin at a time: what is beyond waits for the next time, so that a parent
 * keeps pace. */
#define FEED_BLOCKS_MAX 16

struct feed_item;
typedef void feed_describe_fn(const struct feed_item *item, struct report_alarm *alarm);

enum feed_list { FEED_NONE, FEED_CHANGED, FEED_TOLD, FEED_LEFT };

struct feed_item {
    struct index_node node; /* key: id */
    TAILQ_ENTRY(feed_item) link;
    feed_describe_fn *describe;
    uint32_t id;       /* the alarm's, in the blocks */
    uint32_t severity; /* at the latest look */
    enum feed_list list;
    uint32_t told; /* the severity that the blocks say; 0: they say nothing of it */
    struct report_written written;
    size_t cost; /* of that record */
};

TAILQ_HEAD(feed_items, feed_item);

struct feed {
    struct index items; /* by id: an alarm is never left out for want of memory */
    struct feed_items changed[REPORT_SEVERITIES], left[REPORT_SEVERITIES];
    struct feed_items told;             /* the oldest record first */
    uint32_t n_left[REPORT_SEVERITIES]; /* those that are left out, by severity */
    uint32_t n_told[REPORT_SEVERITIES]; /* those that the blocks tell of, by what they say */
    size_t cost;                        /* what their records take of the ring, in octets */
    uint32_t digest;                    /* of their records */
    uint32_t *cleared;                  /* the blocks still tell of these */
    size_t n_cleared, room_cleared;
    bool room;                              /* some of those that are left out may be told */
    uint64_t left_below[REPORT_SEVERITIES]; /* set by the owner: what nodes below left out */
    bool complete;                          /* set by the owner: all that is below is known */
    struct report_alarms said;              /* what the latest struct report_alarms said */
    uint32_t said_block;                    /* and where; 0: nowhere yet */
};

void feed_open(struct feed *feed);

/* The items, if there are any left, are in no feed any more. */
void feed_close(struct feed *feed);

/* An alarm is active. It gets this id or, where another one has it, the next that is free. With a
 * feed of NULL, as in the next two, nothing happens. */
void feed_add(struct feed *feed, struct feed_item *item, uint32_t id, uint32_t severity,
              feed_describe_fn *describe);

/* What describe() says of it has changed. */
void feed_change(struct feed *feed, struct feed_item *item, uint32_t severity);

/* It is not active any more; of an item that is in no feed, nothing happens. */
void feed_remove(struct feed *feed, struct feed_item *item);

/* Writes what is to be written; to be called before the block of a cycle ends. True: something has
 * happened, the parent is not to wait for it. What there was no memory for waits. */
bool feed_write(struct feed *feed, struct report_ring *ring, int64_t wall_ms);

/* There is more to write than there was at the last time. */
bool feed_waits(const struct feed *feed);

#endif
