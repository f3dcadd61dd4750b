/* Series of nodes below that are relayed: their values become values in this node's report blocks,
 * under numbers of its own dictionary and with the path of their node, so that a parent gets them
 * as if it had read them there. Rows of the configuration say which; without any, nothing is kept
 * and it costs nothing.
 *
 * A value keeps the time that its node has given it. Neither this node nor its parents and their
 * rules do anything with a relayed series: it is for those who publish blocks, and to be relayed
 * further.
 *
 * Relayed series must not push other things that a parent must be told out of the ring of blocks.
 * So together they get half of what the ring keeps in RELAY_SECONDS, and each child no more than
 * its share of that. Everything beyond waits in the blocks of the child (children/relaying.h). */
#ifndef DCAMP_RELAY_RELAYS_H
#define DCAMP_RELAY_RELAYS_H

#include "children/child.h"
#include "config/config.h"
#include "report/pace.h"
#include "series/publish.h"

/* For all children together; one child has at most as many as it leaves for the others. */
#define RELAY_SERIES_MAX 100000

/* The part of the ring, and the time for it: see above. */
#define RELAY_PART 2
#define RELAY_SECONDS 30

/* A value whose time differs more than this from the clock of this node is dropped, because
 * differences of times within a block have 31 bits. */
#define RELAY_CLOCK_MS (INT64_C(10) * 24 * 3600 * 1000)

/* A row at run time. */
struct relay_rule {
    struct index_node node; /* key: name */
    uint32_t key[NAME_SIZE];
    struct relay_row row; /* a copy */
    struct filter_rule filter;
    size_t n_series;
    uint64_t passed, held;
    uint64_t dropped;  /* entries that could not be relayed: no memory, or an impossible time */
    uint64_t since_ns; /* monotonic: when these counters were 0 */
    bool goes;         /* it is no longer in the configuration */
};

struct relays {
    struct index rules; /* of struct relay_rule, by name: the first that selects a series counts */
    struct children *children;
    struct publisher *publisher;
    struct relay_taker taker;
    struct pace pace; /* in octets */
    uint64_t pass;    /* counts the passes of the pace */
    size_t n_series;
    bool ends;            /* nobody is told of series that end now */
    uint64_t left_out;    /* series that were not relayed, because there are too many or they are in
                           * a circle */
    uint64_t lost;        /* blocks of children from which nothing was relayed in time */
    char node[NAME_SIZE]; /* the name of this node */
};

/* Both must outlive the struct. */
void relays_open(struct relays *relays, struct children *children, struct publisher *publisher);
void relays_close(struct relays *relays);

/* Makes the rules those of the configuration. False: there was no memory for some, which are left
 * out until this is called again. */
bool relays_sync(struct relays *relays, const struct config *config, struct moment now);

/* A cycle begins: what came meanwhile may be relayed, as far as the pace allows. */
void relays_begin(struct relays *relays, uint64_t now_ns);

/* NULL: there is no rule of that name, or it is not active. */
const struct relay_rule *relays_find(const struct relays *relays, const char *name);

#endif
