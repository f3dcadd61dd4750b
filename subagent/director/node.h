/* The nodes of the tree as a director talks to them: sessions, timers, and which node waits for its
 * turn. target.h decides what to ask, the director what the answers mean. */
#ifndef DCAMP_DIRECTOR_NODE_H
#define DCAMP_DIRECTOR_NODE_H

#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/library/large_fd_set.h>

#include <sys/queue.h>

#include "base/table.h"
#include "director/look.h"
#include "director/reach.h"
#include "director/shares.h"
#include "director/target.h"
#include "poller/pace.h"
#include "snmpv3/keys.h"
#include "snmpv3/session.h"
#include "tree/message.h"

struct node;

enum node_news {
    NODE_MET,    /* its engine ID is known, and differs from the one before */
    NODE_LOOKED, /* there is a new look in its target */
    NODE_MISSED, /* a look was not answered */
    NODE_MOVED   /* an order was answered, refused, or not answered */
};

/* What all nodes share. */
struct nodes {
    struct timer_list timers;
    TAILQ_HEAD(node_queue, node) waiting; /* for their turn, while too many others are asking */
    uint32_t asking;
    int epoll;                           /* where their sockets are watched */
    const struct credential *credential; /* of the user that orders; NULL: not known */
    const struct credential *next;       /* with the passphrases that come next; or NULL */
    uint32_t discoveries;                /* how many were answered since memory was given back */
    uint32_t last_id;
    struct target_look look;       /* in the answer that is being read */
    char unreached[MESSAGE_SIZE];  /* in that answer: the children that its node does not reach */
    netsnmp_large_fd_set readable; /* empty between calls: room for session_read */
    /* Is told of each; it must neither end the node nor ask it. */
    void (*told)(void *context, struct node *node, enum node_news news, uint64_t now);
    void *context;
};

struct node {
    struct nodes *nodes;
    struct member member;
    struct target target;
    struct share share;
    struct session session;
    struct timer timer; /* for the next question, or for the one that is under way */
    TAILQ_ENTRY(node) waits;
    bool is_waiting;
    bool asks;
    bool by_next;                   /* it is asked with the keys that will replace the others; */
    bool turned;                    /* the keys used so far were wrong */
    struct look_error error;        /* in the answer that is being read */
    char explanation[MESSAGE_SIZE]; /* likewise */
    uint64_t now;                   /* the time of the present call */
    /* The following belong to the director. */
    UT_hash_handle hh;    /* by its address */
    UT_hash_handle named; /* by its name, if it is who it seems */
    TAILQ_ENTRY(node) all;
    struct tree_message_row row; /* as the core was last told; state 0: not told yet */
    bool is_changed;             /* it may have changed since then */
    bool is_hurried;             /* it must be asked at once, because its target has changed */
    bool is_probe;               /* it belongs to an address of a range, */
    bool is_spent;               /* which has answered or not */
    bool is_leaving;             /* it is not in the tree document any more */
    bool is_given_up;            /* it does not answer, and the tree is ended without it */
    bool is_unfit;               /* it could not work by the share of a collector */
    enum member_verdict judged;  /* the verdict that was last acted upon */
    uint32_t heard_term;         /* the term of another root that it obeys, ... */
    uint64_t heard_term_ns;      /* ... and when that was first heard */
    struct reach reach;
    bool was_lost;  /* in the latest plan */
    bool has_place; /* in the latest plan, as follows */
    enum plan_role role;
    uint32_t level;
    char parent[NAME_SIZE];
};

void nodes_open(struct nodes *nodes, int epoll);
void nodes_close(struct nodes *nodes);

/* Begins a node without an address. It asks nothing before node_run. */
void node_open(struct node *node, struct nodes *nodes, const struct target_rules *rules);
void node_close(struct node *node);

/* Forgets who was there, because the address or the user has changed. */
void node_restart(struct node *node);

/* Asks what has to be asked now, if anything, and sets the timer. To be called after anything about
 * its target has changed. */
void node_run(struct node *node, uint64_t now);

/* To be called when its socket has become readable, and when its timer has run out. */
void node_read(struct node *node, uint64_t now);
void node_timer(struct timer *timer, uint64_t now);

/* Lets those that wait ask, as far as there is room. */
void nodes_go_on(struct nodes *nodes, uint64_t now);

#endif
