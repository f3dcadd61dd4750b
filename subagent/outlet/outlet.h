/* Where the daemon hands blocks out to the processes of dcamp-publish: its own, and those of its
 * children, over a UNIX socket. What is said there is in outlet/message.h.
 *
 * The core thread serves the socket and never waits for a publisher: what one does not read stays
 * where it is, up to a bound, and what falls out there is lost for that publisher, and counted. Own
 * blocks come from the report ring, which is kept in any case; blocks of children are kept in a
 * backlog that all publishers share, outlet/backlog.h, while there are sinks in the configuration.
 *
 * The rows of the sinks are read by the agent under the lock of the daemon. Everything else is of
 * the core thread, which takes the lock where it says so. */
#ifndef DCAMP_OUTLET_OUTLET_H
#define DCAMP_OUTLET_OUTLET_H

#include <bsd/sys/queue.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/index.h"
#include "outlet/backlog.h"
#include "outlet/listener.h"
#include "outlet/message.h"
#include "report/report.h"
#include "series/dictionary.h"

/* So many processes may be connected: a sink has one, and one starts the others. */
#define OUTLET_PUBLISHERS_MAX 16

/* One sink of the configuration, and how it is. */
struct outlet_sink_row {
    struct index_node node; /* key: settings.name, as index_key_text() has it */
    uint32_t key[NAME_SIZE];
    struct outlet_sink settings; /* head is of no meaning */
    bool connected;              /* a process works for it now */
    uint64_t since_ns;           /* monotonic: when the latest process began to; 0: none has */
    /* What the latest process has said last. Its state is OUTLET_SINK_ABSENT while none is
     * connected, and as long as the one that is has said nothing; its numbers and its error stay.
     */
    struct outlet_state state;
    uint64_t lost;        /* blocks that were not handed out to it, since the row began */
    int64_t confirmed_ms; /* wall-clock time of the latest block that it has confirmed; 0: none */
};

/* What the outlet wants of others. Each is called with the lock held, but for the first two. */
struct outlet_neighbours {
    void (*lock)(void *context);
    void (*unlock)(void *context);
    /* What the number of a series of the present boot of that child means, into the texts of name.
     */
    enum outlet_answer (*look_up)(void *context, uint32_t child, uint32_t series,
                                  struct outlet_name *name);
    /* All blocks that the child still has are to be read again, from the oldest on. */
    void (*read_again)(void *context, uint32_t child);
    void *context;
};

struct outlet_publisher;
TAILQ_HEAD(outlet_publishers, outlet_publisher);

struct outlet {
    struct index sinks; /* lock: of struct outlet_sink_row */

    const struct report_ring *report;    /* lock: the daemon's */
    const struct dictionary *dictionary; /* lock: likewise */
    struct outlet_neighbours neighbours;
    struct backlog backlog; /* lock */

    /* Of the node, in the streams of own blocks. */
    char name[NAME_SIZE], group[NAME_SIZE]; /* lock */
    uint32_t boot;

    /* The core thread only. */
    const char *path; /* of the socket; NULL: there is none */
    struct listener listener;
    int epoll;              /* -1: there is none */
    bool is_ready;          /* set by who waits for outlet_fd(): something came */
    bool asks;              /* children may be asked to tell their blocks again */
    uint64_t again_ns;      /* monotonic: when to listen is tried again */
    int told;               /* why it could not listen, as was logged; 0: nothing */
    uint64_t complained_ns; /* monotonic: when it was logged that a publisher was sent away */
    struct outlet_publishers publishers;
    size_t n_publishers;
};

/* Nothing is served before outlet_listen(). report and dictionary must stay, and the neighbours'
 * context. */
void outlet_open(struct outlet *outlet, const struct report_ring *report,
                 const struct dictionary *dictionary, const struct outlet_neighbours *neighbours);

/* Closes all connections, and takes the socket away. */
void outlet_close(struct outlet *outlet);

/* From now on publishers may connect to a socket at that path, which must stay; NULL: nobody may.
 * name and group are those of the node. What is there already is replaced if it is a socket and
 * nobody listens. If that fails it is tried again, and said in the log if there are sinks. 0, or
 * an errno: there is nothing to wait with, and nobody can be served. The lock is free. */
int outlet_listen(struct outlet *outlet, const char *path, uint32_t boot, const char *name,
                  const char *group, uint64_t now_ns);

/* The node is in that group: if it was in another one, publishers are told of its stream anew. The
 * lock is held. */
void outlet_regroup(struct outlet *outlet, const char *group);

/* The sinks are those of the configuration: n of them, each with another name, in which every octet
 * that is not used is 0. Processes of sinks that have changed or gone are sent away, and those
 * without a sink hear what there is. Under the lock. False: there was no memory for some, which are
 * left out until it is called again. */
bool outlet_sync(struct outlet *outlet, const struct outlet_sink *sinks, size_t n);

/* Whether there are sinks, for which blocks of children are wanted. Under the lock. */
bool outlet_has_sinks(const struct outlet *outlet);

/* Hears publishers and hands out what there is, as much as one step may. Takes the lock for copying
 * only. Returns when there is something to do again, whatever comes in. */
uint64_t outlet_step(struct outlet *outlet, uint64_t now_ns);

/* Hands out all that the sockets take, in two seconds at most: the daemon ends. The lock is free.
 */
void outlet_finish(struct outlet *outlet, uint64_t now_ns);

/* Becomes readable when outlet_step() has something to do; -1: never. */
int outlet_fd(const struct outlet *outlet);

#endif
