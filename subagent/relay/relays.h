/* Series of nodes below that are relayed: their values become values of this node's report blocks,
 * under numbers of its own dictionary and with the path of their node, so that a parent has them as
 * if it read them there. Rows of the configuration say which; without any, nothing is kept and
 * nothing costs anything.
 *
 * A value keeps the time that its node has given it. What this node, its parents and their rules
 * make of a relayed series is nothing: it is for those who publish blocks, and to be relayed
 * further.
 *
 * What is relayed must not push what else a parent is to know out of the ring of blocks: together,
 * it has half of what the ring keeps in RELAY_SECONDS, of which each child has no more than its
 * part. What is beyond waits in the blocks of the child (children/relaying.h). */
#ifndef DCAMP_RELAY_RELAYS_H
#define DCAMP_RELAY_RELAYS_H

#include "children/child.h"
#include "config/config.h"
#include "report/pace.h"
#include "series/publish.h"

/* Of all children together; one child has no more than what it leaves to the others. */
#define RELAY_SERIES_MAX 100000

/* Part of the ring, and in which time: see above. */
#define RELAY_PART 2
#define RELAY_SECONDS 30

/* A value whose time is farther than that from the clock of this node is dropped: differences of
 * times within a block have 31 bits. */
#define RELAY_CLOCK_MS (INT64_C(10) * 24 * 3600 * 1000)

/* A row at run time. */
struct relay_rule {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct relay_row row; /* a copy */
    struct filter_rule filter;
    size_t n_series;
    uint64_t passed, held;
    uint64_t dropped;  /* entries that could not be relayed: no memory, or of an impossible time */
    uint64_t since_ns; /* monotonic: when these were 0 */
    bool goes;         /* it is no longer in the configuration */
};

struct relays {
    struct index rules; /* of struct relay_rule, by name: of a series, the first counts */
    struct children *children;
    struct publisher *publisher;
    struct relay_taker taker;
    struct pace pace; /* in octets */
    uint64_t pass;    /* of the pace */
    size_t n_series;
    bool ends;            /* nobody is told of what ends now */
    uint64_t left_out;    /* series that were not relayed: too many, or in a circle */
    uint64_t lost;        /* blocks of children of which nothing was relayed in time */
    char node[NAME_SIZE]; /* this one */
};

/* Both must outlive it. */
void relays_open(struct relays *relays, struct children *children, struct publisher *publisher);
void relays_close(struct relays *relays);

/* Makes the rules those of the configuration. False: there was no memory for some, which are left
 * out until it is called again. */
bool relays_sync(struct relays *relays, const struct config *config, struct moment now);

/* A cycle begins: what came meanwhile may be relayed at the pace that there is. */
void relays_begin(struct relays *relays, uint64_t now_ns);

/* NULL: there is none of that name, or it is not active. */
const struct relay_rule *relays_find(const struct relays *relays, const char *name);

#endif
