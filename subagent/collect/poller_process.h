/* One poller, receiver or director: its process, from start to end, and what waits to be told to
 * it. */
#ifndef DCAMP_COLLECT_POLLER_PROCESS_H
#define DCAMP_COLLECT_POLLER_PROCESS_H

#include <sys/types.h>
#include <bsd/sys/queue.h>

#include "base/clock.h"
#include "collect/load.h"
#include "collect/message.h"

#define POLLER_FD 3

/* Packets that wait for one process. While there are POLLER_PORTION, nothing more is told of
 * children that are new or changed; with as many children as a collector has, that is nearly all
 * that is told. The length of the rest depends on what processes say and on what devices are polled
 * for; a process for which POLLER_QUEUE_MAX packets wait is ended. */
#define POLLER_PORTION 2
#define POLLER_QUEUE_MAX 64

#define POLLER_BACKOFF_MIN_NS NS_PER_S
#define POLLER_BACKOFF_MAX_NS (30 * NS_PER_S)

/* A process that has nothing to say says so every OUTBOX_ALIVE_NS. If it is silent for longer than
 * this, or has taken nothing of what waits for it for so long, it gets a last chance, because the
 * whole daemon may have been stopped. Then it is killed and started anew. */
#define POLLER_SILENT_NS (10 * NS_PER_S)
#define POLLER_CHANCE_NS (5 * NS_PER_S)

#define POLLER_KILL_NS NS_PER_S         /* how long one that was told to end may take */
#define POLLER_REAP_NS (10 * NS_PER_MS) /* how often it is checked whether it has ended */

/* A packet in the queue. It may hold secrets. */
struct queued_packet {
    TAILQ_ENTRY(queued_packet) link;
    size_t used;
    uint64_t bytes[MESSAGE_PACKET_MAX / sizeof(uint64_t)];
};

TAILQ_HEAD(queued_packets, queued_packet);

enum process_kind {
    PROCESS_POLLER,
    PROCESS_RECEIVER, /* receives what is pushed; it polls nobody */
    PROCESS_DIRECTOR  /* directs a tree; see tree/directing.h */
};

enum poller_state { POLLER_IDLE, POLLER_RUNNING, POLLER_ENDING };

/* An SNMPv3 user and where its secrets are. */
struct credential_source {
    char name[NAME_SIZE];
    char user[NAME_SIZE];
    enum auth_protocol auth;
    enum priv_protocol priv;
    char secrets[256]; /* see snmpv3/secrets.h; "": it has none, see struct localized_keys */
};

/* A sign of life that must come again and again. */
struct poller_sign {
    uint64_t last_ns;    /* when it came; 0: it is not waited for */
    uint64_t doubted_ns; /* when it was noticed that the sign was missing; 0: it was not */
};

/* What all processes have in common. */
struct poller_setup {
    int epoll;                  /* where their sockets are watched */
    const char *const *options; /* follow the option that says the kind; NULL at the end */
    char listen[PEER_ADDRESS_SIZE];
    struct credential_source *credentials;
    size_t n_credentials;
};

struct poller_process {
    struct pollers *pollers; /* which it belongs to; NULL: a director */
    const struct poller_setup *setup;
    enum process_kind kind;
    char name[24]; /* for people */
    bool wanted;   /* only for a director: there is something to direct */
    enum poller_state state;
    pid_t pid;
    int fd;
    bool writable_asked; /* of epoll */
    const char *fault;   /* why it is to be ended; NULL: it is not */
    bool outdated;       /* it listens at an address that is not wanted any more */
    bool dismissed;      /* it ends because it is not needed any more */
    bool begun, ended;   /* not reported yet */
    uint64_t began_ns;
    struct poller_sign heard; /* it says something; its start counts, too */
    struct poller_sign taken; /* it takes something of what waits for it */
    uint64_t due_ns;          /* to be started; while it ends: to be killed */
    uint64_t backoff_ns;
    struct load load; /* of its children */
    struct queued_packets queue;
    size_t queued;
    uint32_t waits; /* the lowest id of a child of which something was not taken; 0: all was */
};

/* Sets up a process that does not run yet. number: from 1, for people; 0: there is only one of its
 * kind. */
void poller_init(struct poller_process *poller, const struct poller_setup *setup,
                 enum process_kind kind, unsigned number);

/* Whether it has anything to do: a receiver listens, a poller has children, a director is wanted.
 */
bool poller_is_wanted(const struct poller_process *poller);

/* Queues a message for a process that runs. If it does not fit, the process is started anew and
 * then told everything. */
void poller_queue(struct poller_process *poller, const struct message *message);

/* Queues a message about a child that may also be told later. False: it was not queued, because
 * POLLER_PORTION packets wait already; then that child waits. */
bool poller_offer(struct poller_process *poller, uint32_t id, const struct message *message);

/* The lowest id of a child of which something was not taken, if there is room now; that child no
 * longer counts as waiting. 0: there is none, or no room. */
uint32_t poller_waiting(struct poller_process *poller);

/* Tells the process the credentials, and why the secrets of some cannot be read. complain: log the
 * reasons, too. */
void poller_tell_credentials(struct poller_process *poller, bool complain);

/* Closes its socket: the process ends by itself, or is killed after a while. */
void poller_hang_up(struct poller_process *poller, uint64_t now_ns);

/* Starts the process, sends what waits, ends it, starts it again. Returns when it must be called
 * again. */
uint64_t poller_step(struct poller_process *poller, uint64_t now_ns);

/* Reads its next packet, into MESSAGE_PACKET_MAX octets; false: there is none now, or it does not
 * run. */
bool poller_receive(struct poller_process *poller, void *packet, size_t *used, uint64_t now_ns);

/* Ends these processes and waits for that, a second at most; then they are killed. */
void poller_end_all(struct poller_process *const *all, size_t n);

#endif
