/* What pollers.c and poller_process.c share: one process of its own kind, and all of them. */
#ifndef DCAMP_COLLECT_POLLERS_INTERNAL_H
#define DCAMP_COLLECT_POLLERS_INTERNAL_H

#include <sys/types.h>
#include <bsd/sys/queue.h>

#include "base/table.h"
#include "collect/pollers.h"

#define KILL_NS NS_PER_S         /* how long one that was told to end may take */
#define REAP_NS (10 * NS_PER_MS) /* how often it is looked whether it has */

/* It may hold secrets. */
struct packet {
    TAILQ_ENTRY(packet) link;
    size_t used;
    uint64_t bytes[MESSAGE_PACKET_MAX / sizeof(uint64_t)];
};

TAILQ_HEAD(packets, packet);

enum poller_state { POLLER_IDLE, POLLER_RUNNING, POLLER_ENDING };

struct poller {
    struct pollers *pollers;
    unsigned number; /* from 1, for people */
    bool receives;   /* what is pushed; it polls nobody */
    enum poller_state state;
    pid_t pid;
    int fd;
    bool writable_asked; /* of epoll */
    const char *fault;   /* why it is to be ended; NULL: it is not */
    bool outdated;       /* it listens where it is not to any more */
    bool dismissed;      /* it ends because it is not needed any more */
    bool begun, ended;   /* not told yet */
    uint64_t began_ns;
    uint64_t heard_ns;   /* of its last packet, or its begin */
    uint64_t doubted_ns; /* its silence was noticed; 0: it was not */
    uint64_t due_ns;     /* to start; while it ends: to be killed */
    uint64_t backoff_ns;
    size_t n_children;
    struct packets queue;
    size_t queued;
};

struct route {
    UT_hash_handle hh;
    uint32_t id;
    struct poller *poller;
};

struct pollers {
    int epoll;
    const char *const *options;
    struct poller **all;
    size_t n;
    size_t turn;            /* who is listened to next */
    struct poller *speaker; /* of the last packet */
    struct route *routes;
    struct poller *receiver; /* one of all; NULL: there was nothing to receive yet */
    char listen[PEER_ADDRESS_SIZE];
    struct credential_source *credentials;
    size_t n_credentials;
    bool credentials_due;
};

/* What is one's to do: a receiver listens, any other one has children. */
bool poller_is_wanted(const struct poller *poller);

/* To the receiver or a poller that runs. What does not fit makes it begin anew: then it is told
 * everything. */
void poller_queue(struct poller *poller, const struct message *message);

/* Of those whose secrets cannot be read, why. */
void poller_tell_credentials(const struct pollers *pollers, struct poller *poller, bool complain);

/* Its socket is closed; it ends by itself, or is killed. */
void poller_hang_up(struct poller *poller, uint64_t now_ns);

/* Starts, flushes, ends, restarts: when it must be called again. */
uint64_t poller_step(struct pollers *pollers, struct poller *poller, uint64_t now_ns);

#endif
