/* Nodes that have announced themselves: which of their packets are looked at, and who is asked next
 * whether a node is there. Pure but for memory.
 *
 * A standby only remembers them, so that it knows whom to ask once it is root. */
#ifndef DCAMP_DIRECTOR_ANNOUNCED_H
#define DCAMP_DIRECTOR_ANNOUNCED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "base/limits.h"
#include "base/table.h"
#include "tree/message.h"

#define ANNOUNCED_MAX TREE_KNOWN_MAX /* addresses that are remembered; then the oldest goes */
#define ANNOUNCED_TRIES 3            /* after so many an address is forgotten */
#define ANNOUNCED_SOURCES 256

/* Packets that are looked at per second, and at once after some rest: of all sources together, and
 * of one. */
#define ANNOUNCED_RATE 100
#define ANNOUNCED_BURST 200
#define ANNOUNCED_SOURCE_RATE 10
#define ANNOUNCED_SOURCE_BURST 20

struct announced_place {
    UT_hash_handle hh;
    TAILQ_ENTRY(announced_place) all;
    char address[PEER_ADDRESS_SIZE];
    char group[NAME_SIZE]; /* that it wants to be in; "": none */
    bool was_known;        /* an earlier root knew it; the group is the one that it had there */
    uint32_t tries;        /* those that brought nothing, or are under way */
    uint64_t due_ns;       /* when the next try is due */
};

struct announced_bucket {
    uint64_t full_ns; /* when it has all of its burst again; before that, some of it is used up */
};

struct announced {
    TAILQ_HEAD(announced_list, announced_place) all; /* who was last heard is the last */
    struct announced_place *by_address;              /* a table */
    size_t n;
    uint64_t due_ns; /* nobody is to be asked before that */
    uint64_t seed;
    struct announced_bucket bucket, sources[ANNOUNCED_SOURCES];
};

/* seed: decides which sources share a bucket, so that nobody can choose to share the bucket of
 * another source. */
void announced_open(struct announced *announced, uint64_t seed);
void announced_close(struct announced *announced);

/* Whether a packet is looked at; the packet is counted. source is the address that it came from,
 * without its port. Sources may share a bucket; then they share its rate. */
bool announced_may(struct announced *announced, const void *source, size_t len, uint64_t now_ns);

/* There may be a node at that address, which wants to be in that group. False: no memory, and the
 * address is not remembered. */
bool announced_hear(struct announced *announced, const char *address, const char *group,
                    uint64_t now_ns);

/* An earlier root knew of a node there, which was in that group. */
bool announced_known(struct announced *announced, const char *address, const char *group,
                     uint64_t now_ns);

/* Returns an address that is to be asked now; it counts as being asked from then on. NULL: there is
 * none. */
const struct announced_place *announced_next(struct announced *announced, uint64_t now_ns);

/* When there may be such an address. UINT64_MAX: none is remembered. */
uint64_t announced_due(const struct announced *announced);

/* A node was there, or nobody is to be asked there: the address is forgotten. */
void announced_forget(struct announced *announced, const char *address);

/* Nobody was there. After the last try, the address is forgotten until it announces itself again.
 * False: it is asked again. */
bool announced_is_gone(struct announced *announced, const char *address);

/* All remembered addresses are to be asked from now on, because this one has become root. */
void announced_hurry(struct announced *announced, uint64_t now_ns);

#endif
