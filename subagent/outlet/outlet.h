/* Where the daemon hands blocks out to the processes of dcamp-publish: its own, and those of its
 * children, over a UNIX socket. What is said there is in outlet/message.h.
 *
 * The core thread serves the socket and never waits for a publisher: what a publisher does not read
 * stays where it is, up to a bound, and what exceeds the bound is lost for that publisher, and
 * counted. Own blocks come from the report ring, which is kept in any case; blocks of children are
 * kept in a backlog that all publishers share, outlet/backlog.h, while there are sinks in the
 * configuration.
 *
 * The rows of the sinks are read by the agent under the lock of the daemon. Everything else belongs
 * to the core thread, which takes the lock where the comments say so. */
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

/* How many processes may be connected: each sink has one, and one more starts the others. */
#define OUTLET_PUBLISHERS_MAX 16

/* One sink of the configuration, and its state. */
struct outlet_sink_row {
    struct index_node node; /* key: settings.name, as index_key_text() has it */
    uint32_t key[NAME_SIZE];
    struct outlet_sink settings; /* its head has no meaning */
    bool connected;              /* a process works for it now */
    uint64_t since_ns;           /* monotonic: when the latest process began to work for it; 0: none
                                  * has */
    /* What the latest process said last. The state is OUTLET_SINK_ABSENT while no process is
     * connected, and until a connected one has said something; the numbers and the error stay. */
    struct outlet_state state;
    uint64_t lost;        /* blocks that were not handed out to it, since the row began */
    int64_t confirmed_ms; /* wall-clock time of the latest block that it has confirmed; 0: none */
};

/* What the outlet wants of others. Each function is called with the lock held, except for the first
 * two. */
struct outlet_neighbours {
    void (*lock)(void *context);
    void (*unlock)(void *context);
    /* What a number of a series in the present boot of that child means, written into the texts of
     * name. */
    enum outlet_answer (*look_up)(void *context, uint32_t child, uint32_t series,
                                  struct outlet_name *name);
    /* Has all blocks that the child still keeps read again, from the oldest on. */
    void (*read_again)(void *context, uint32_t child);
    void *context;
};

struct outlet_publisher;
TAILQ_HEAD(outlet_publishers, outlet_publisher);

struct outlet {
    struct index sinks; /* lock: the index of struct outlet_sink_row */

    const struct report_ring *report;    /* lock: belongs to the daemon */
    const struct dictionary *dictionary; /* lock: likewise */
    struct outlet_neighbours neighbours;
    struct backlog backlog; /* lock */

    /* Of the node; used in the streams of own blocks. */
    char name[NAME_SIZE], group[NAME_SIZE]; /* lock */
    uint32_t boot;

    /* Used by the core thread only. */
    const char *path; /* of the socket; NULL: there is none */
    struct listener listener;
    int epoll;              /* -1: there is none */
    bool is_ready;          /* set by whoever waits for outlet_fd(): something came */
    bool asks;              /* children may be asked to tell their blocks again */
    uint64_t again_ns;      /* monotonic: when to try again to listen */
    int told;               /* the logged reason why it could not listen; 0: nothing was logged */
    uint64_t complained_ns; /* monotonic: when it was last logged that a publisher was sent away */
    struct outlet_publishers publishers;
    size_t n_publishers;
};

/* Nothing is served before outlet_listen(). report, dictionary and the neighbours' context must
 * stay valid. */
void outlet_open(struct outlet *outlet, const struct report_ring *report,
                 const struct dictionary *dictionary, const struct outlet_neighbours *neighbours);

/* Closes all connections, and removes the socket. */
void outlet_close(struct outlet *outlet);

/* From now on publishers may connect to a socket at that path, which must stay valid; NULL: nobody
 * may. name and group are those of the node. An existing file is replaced if it is a socket and
 * nobody listens. If that fails, it is tried again, and logged if there are sinks. Returns 0, or an
 * errno: there is nothing to wait with, and nobody can be served. The lock must be free. */
int outlet_listen(struct outlet *outlet, const char *path, uint32_t boot, const char *name,
                  const char *group, uint64_t now_ns);

/* The node is in that group: if it was in another one, publishers are told of its stream anew. The
 * lock must be held. */
void outlet_regroup(struct outlet *outlet, const char *group);

/* Makes the sinks those of the configuration: n of them with different names, in which every unused
 * octet is 0. Processes of sinks that have changed or are gone are sent away, and those without a
 * sink are told the new list. Under the lock. False: there was no memory for some, which are left
 * out until this is called again. */
bool outlet_sync(struct outlet *outlet, const struct outlet_sink *sinks, size_t n);

/* Whether there are sinks, for which blocks of children are wanted. Under the lock. */
bool outlet_has_sinks(const struct outlet *outlet);

/* Hears publishers and hands out what there is, as much as one step may. Takes the lock for copying
 * only. Returns when there is something to do again even if nothing comes in. */
uint64_t outlet_step(struct outlet *outlet, uint64_t now_ns);

/* Hands out everything that the sockets take, within two seconds at most, because the daemon ends.
 * The lock must be free. */
void outlet_finish(struct outlet *outlet, uint64_t now_ns);

/* Becomes readable when outlet_step() has something to do; -1: never. */
int outlet_fd(const struct outlet *outlet);

#endif
