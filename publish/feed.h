/* One sink and its connection to dcampd: says how far the sink is, takes blocks, asks what the
 * numbers in them mean, and tells how the sink is. A connection that is lost is made again by who
 * has this; nothing is lost or doubled by that. */
#ifndef DCAMP_PUBLISH_FEED_H
#define DCAMP_PUBLISH_FEED_H

#include "publish/delivery.h"
#include "publish/link.h"

/* How often dcampd is told how far it is, and asked again. */
#define FEED_TICK_NS NS_PER_S

/* A stream of which no more is to come is kept for so long. */
#define FEED_OLD_NS (600 * NS_PER_S)

struct feed {
    const char *name; /* of the sink */
    struct delivery_place place;
    struct link *link;
    bool is_open;            /* there are settings: the delivery is */
    struct outlet_sink told; /* these, as dcampd has them */
    struct delivery delivery;
    bool is_told;      /* dcampd has said in this connection what the sink is */
    bool has_begun;    /* it was said how far that is */
    uint64_t begun_ns; /* when */
    uint64_t tick_ns;  /* when the next tick is */
    bool has_unknown;  /* a block came of a stream that is none */
    size_t n_asked;    /* numbers that were asked for in this connection and are not answered yet */
};

/* 0 or ENOMEM. What name and place refer to must stay. */
int feed_open(struct feed *feed, const char *name, const struct delivery_place *place);

/* Has the sink confirm what it was given. */
void feed_close(struct feed *feed, struct moment now);

/* Of these three: 0: all goes on; ESTALE: the row has another content now, and the sink has to be
 * opened with that, by another process; ENODATA: the sink has lost something, and wants it again by
 * another connection; or another errno: there is no connection any more. */

/* There is a connection: feed->link. */
int feed_connected(struct feed *feed, struct moment now);

/* Takes what has come, a bounded part of it. */
int feed_receive(struct feed *feed, struct moment now);

/* Does what is to be done now. */
int feed_work(struct feed *feed, struct moment now);

/* The connection is no more: closes it. */
void feed_disconnected(struct feed *feed, struct moment now);

/* Whether anything is to be received. */
bool feed_has_room(struct feed *feed);

/* When feed_work() is to be called, monotonic; 0: at once. */
uint64_t feed_due(const struct feed *feed, struct moment now);

#endif
