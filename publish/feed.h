/* One sink and its connection to dcampd: says how far the sink is, takes blocks, asks what the
 * numbers in them mean, and tells how the sink is. The owner makes a lost connection again; nothing
 * is lost or doubled by that. */
#ifndef DCAMP_PUBLISH_FEED_H
#define DCAMP_PUBLISH_FEED_H

#include "publish/delivery.h"
#include "publish/link.h"

/* How often dcampd is told how far the sink is, and asked again. */
#define FEED_TICK_NS NS_PER_S

/* How long a stream is kept from which no more will come. */
#define FEED_OLD_NS (600 * NS_PER_S)

struct feed {
    const char *name; /* of the sink */
    struct delivery_place place;
    struct link *link;
    bool is_open;            /* there are settings, so that the delivery is open */
    struct outlet_sink told; /* the settings, as dcampd has them */
    struct delivery delivery;
    bool is_told;      /* dcampd has told the settings of the sink in this connection */
    bool has_begun;    /* dcampd was told how far the sink is */
    uint64_t begun_ns; /* when it was told that */
    uint64_t tick_ns;  /* when the next tick is */
    bool has_unknown;  /* a block came of a stream that is not known */
    size_t n_asked;    /* numbers that were asked for in this connection and are not answered yet */
};

/* 0 or ENOMEM. What name and place refer to must stay. */
int feed_open(struct feed *feed, const char *name, const struct delivery_place *place);

/* Asks the sink to confirm what it was given, and closes it. */
void feed_close(struct feed *feed, struct moment now);

/* The next three return 0: all goes on; ESTALE: the row has other content now, and another process
 * has to open the sink with that; ENODATA: the sink has lost something, and wants it again by
 * another connection; or another errno: the connection is lost. */

/* feed->link is connected. */
int feed_connected(struct feed *feed, struct moment now);

/* Takes what has come, a bounded part of it. */
int feed_receive(struct feed *feed, struct moment now);

/* Does what is to be done now. */
int feed_work(struct feed *feed, struct moment now);

/* The connection is lost: closes it. */
void feed_disconnected(struct feed *feed, struct moment now);

/* Whether more may be received. */
bool feed_has_room(struct feed *feed);

/* When feed_work() is to be called, monotonic; 0: at once. */
uint64_t feed_due(const struct feed *feed, struct moment now);

#endif
