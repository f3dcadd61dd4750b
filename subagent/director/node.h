/* The nodes of the tree as a director talks to them: sessions, timers, and who waits for whom. What
 * to ask is target.h's to say, what it means is the director's. */
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
    NODE_MET,    /* its engine ID is known, and another one than before */
    NODE_LOOKED, /* the look of its target is new */
    NODE_MISSED, /* a look had no answer */
    NODE_MOVED   /* an order was answered, refused, or not answered */
};

/* What they share. */
struct nodes {
    struct timer_list timers;
    TAILQ_HEAD(node_queue, node) waiting; /* to ask, while too many do */
    uint32_t asking;
    int epoll;                           /* where their sockets are watched */
    const struct credential *credential; /* the user that orders; NULL: not known */
    const struct credential *next;       /* by the passphrases that take its place; or NULL */
    uint32_t discoveries;                /* answered since memory was given back */
    uint32_t last_id;
    struct target_look look;       /* of the answer that is being read */
    char unreached[MESSAGE_SIZE];  /* in it: the children that its node does not reach */
    netsnmp_large_fd_set readable; /* empty between calls: room for session_read */
    /* Is told of each; must not end the node, nor ask it. */
    void (*told)(void *context, struct node *node, enum node_news news, uint64_t now);
    void *context;
};

struct node {
    struct nodes *nodes;
    struct member member;
    struct target target;
    struct share share;
    struct session session;
    struct timer timer; /* of the next question, or of the one that is under way */
    TAILQ_ENTRY(node) waits;
    bool is_waiting;
    bool asks;
    bool by_next;                   /* it is asked by the keys that take the place of the others; */
    bool turned;                    /* those that it was asked by until now were wrong */
    struct look_error error;        /* of the answer that is being read */
    char explanation[MESSAGE_SIZE]; /* in it */
    uint64_t now;                   /* of what is being done */
    /* The director's own. */
    UT_hash_handle hh;    /* by its address */
    UT_hash_handle named; /* by its name, if it is who it seems */
    TAILQ_ENTRY(node) all;
    struct tree_message_row row; /* as the core was told; state 0: not yet */
    bool is_changed;             /* since then, perhaps */
    bool is_hurried;             /* it is to be asked anew: its target is another one */
    bool is_probe;               /* of an address of a range, */
    bool is_spent;               /* which has answered or not */
    bool is_leaving;             /* it is in the tree document no more */
    bool is_given_up;            /* it does not answer, and the tree ends without it */
    bool is_unfit;               /* it could not work by the share of a collector */
    enum member_verdict judged;  /* as it was acted upon */
    uint32_t heard_term;         /* of another root, which it obeys, ... */
    uint64_t heard_term_ns;      /* ... and when it was first heard of it */
    struct reach reach;
    bool was_lost;  /* as the latest plan has it */
    bool has_place; /* in the latest plan: */
    enum plan_role role;
    uint32_t level;
    char parent[NAME_SIZE];
};

void nodes_open(struct nodes *nodes, int epoll);
void nodes_close(struct nodes *nodes);

/* A node without an address. It asks nothing before node_run. */
void node_open(struct node *node, struct nodes *nodes, const struct target_rules *rules);
void node_close(struct node *node);

/* Forgets who was there: the address, or the user, is another one. */
void node_restart(struct node *node);

/* Asks what is to be asked now, if anything; sets its timer. To be called after anything about its
 * target has changed. */
void node_run(struct node *node, uint64_t now);

/* Its socket has become readable; its timer has run out. */
void node_read(struct node *node, uint64_t now);
void node_timer(struct timer *timer, uint64_t now);

/* Those that wait, as far as there is room. */
void nodes_go_on(struct nodes *nodes, uint64_t now);

#endif
