/* One child: when it is polled, what it is asked, and what the core is told of it. */
#ifndef DCAMP_POLLER_PEER_H
#define DCAMP_POLLER_PEER_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/library/large_fd_set.h>

#include <stdint.h>
#include <sys/queue.h>

#include "base/table.h"
#include "poller/cursor.h"
#include "poller/device_pdu.h"
#include "snmpv3/keys.h"
#include "collect/message.h"
#include "poller/outbox.h"
#include "poller/pace.h"
#include "poller/query.h"
#include "snmpv3/session.h"

/* What all children of a process share. */
struct peers {
    struct peer *all;
    struct credential *credentials;
    struct object *objects; /* what devices may be polled for */
    struct timer_list timers;
    struct outbox outbox;
    int epoll;
    TAILQ_HEAD(peer_queue, peer) waiting; /* for their turn to look up their dictionaries */
    uint32_t looking_up;                  /* how many peers are asking for such entries now */
    uint32_t asking;                      /* how many peers wait for an answer of any kind */
    uint64_t polls_per_hour;              /* if all answer */
    struct link_ports ports;              /* the local ports of their sockets */
    struct peer *ahead; /* by engine ID: of the peers that have it, the one that says the latest
                         * time */
    uint32_t learned;   /* discoveries and questions for entries since memory was last given back */
    netsnmp_large_fd_set readable; /* empty between calls: room for session_read */
};

enum peer_work { PEER_RESTS, PEER_DISCOVERS, PEER_POLLS, PEER_LOOKS_UP };

struct peer {
    UT_hash_handle hh, by_engine;
    bool is_ahead; /* it is in peers->ahead */
    struct peers *peers;
    uint32_t id;
    char address[PEER_ADDRESS_SIZE];
    char credential[NAME_SIZE];
    struct timer timer; /* of the next poll, or of the request under way */
    struct pace pace;
    struct cursor cursor;
    struct session session;
    struct localized_keys *keys;      /* those that the core has told; NULL: the credential has
                                       * passphrases */
    struct localized_keys *next_keys; /* while keys are changed, the child has one of the two; or
                                       * NULL */
    bool turned;                      /* the other keys are being tried */
    enum peer_work work;
    uint64_t now;      /* the time of the present call */
    uint32_t first, n; /* the blocks that were asked for */
    bool polled;       /* this poll has used the place of pace; a look-up between two polls does
                        * not */
    bool again;        /* there is more to poll */
    struct snmp_engine before; /* the engine that the cursor belongs to */
    struct {
        uint32_t boot, next; /* the cursor passes to there before the next question, */
        bool again;          /* or goes back, */
        uint32_t from;       /* to that block; 0: to the oldest */
        uint64_t hurry;      /* when to poll out of turn; 0: never */
    } pushed;

    struct query_error error; /* what is wrong with the last answer */
    uint32_t *series;         /* series of the dictionary that are to be asked for */
    size_t n_series, room;
    uint32_t n_asked; /* how many of them were asked for, the first ones */
    uint32_t at_once; /* how many to ask for at once: QUERY_SERIES_MAX, or fewer after so many were
                       * too big */
    TAILQ_ENTRY(peer) link;
    bool waits; /* it is in the list of peers that wait */

    struct device *device; /* NULL: it is a dCAMP node */
};

/* From the core. False: no memory. */
bool peer_set(struct peers *peers, const struct message_child *child, uint64_t now);
bool peer_look_up(struct peers *peers, const struct message_look_up *message, uint64_t now);
bool peer_set_objects(struct peers *peers, const struct message_objects *message);
void peer_forget(struct peers *peers, uint32_t id);

/* A child has pushed a block. */
void peer_move(struct peers *peers, const struct message_move *message, uint64_t now);

/* A credential came or changed: the peers that use it try again. */
void peer_renew(struct peers *peers, const char *credential, uint64_t now);

/* Asks for dictionaries of peers that wait for their turn. To be called after any of the others. */
void peers_look_up(struct peers *peers, uint64_t now);

/* To be called when its socket is readable, and when its timer is due. */
void peer_read(struct peer *peer, uint64_t now);
void peer_timer(struct timer *timer, uint64_t now);

#endif
