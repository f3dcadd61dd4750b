/* What a director knows and does, for the files of this room; the process itself is in
 * director.h. */
#ifndef DCAMP_DIRECTOR_STATE_H
#define DCAMP_DIRECTOR_STATE_H

#include "base/log.h"
#include "director/announced.h"
#include "director/coordination.h"
#include "director/etcd.h"
#include "director/inbox.h"
#include "director/etcd_tree.h"
#include "director/range.h"
#include "director/roster.h"
#include "poller/outbox.h"
#include "snmpv3/authentic.h"

#define DIRECTOR_PROBES 32 /* how many addresses of ranges are asked at once */

/* See director/archive.h. */
struct archive {
    struct etcd_errand errand;
    bool is_failing;       /* it fails, and that was logged */
    int64_t read_lease;    /* the lease that this node held when it read; 0: it never did */
    struct etcd_tree kept; /* the tree with which it is to become root; without a parcel: its own */
    uint32_t known_serial; /* the serial of the following document; 0: of none */
    uint8_t known_digest[CONFIG_DIGEST];
    uint32_t term; /* in which the document with this digest is kept; 0: none is */
    uint8_t digest[CONFIG_DIGEST];
    uint32_t asked_term; /* the same for the document that is being sent */
    uint8_t asked_digest[CONFIG_DIGEST];
    bool has_moved; /* some node has another place than the one that is kept */
    bool is_removed;
};

/* See director/hearing.h. */
struct hearing {
    int socket;
    bool is_open;
    char address[PEER_ADDRESS_SIZE]; /* where it listens, or should listen; "": nowhere */
    char fault[128];                 /* why it does not listen, as was logged */
    uint64_t due_ns;                 /* when it is tried again */
    uint64_t dropped;                /* how many packets were dropped */
    uint64_t complained_ns;          /* when a dropped packet was last logged; 0: never */
    netsnmp_session session;
    u_char packet[AUTHENTIC_MAX];
};

struct director {
    struct outbox outbox;
    struct inbox inbox;       /* the document that is being told by the core */
    struct inbox order;       /* the order that is in force; without its text */
    struct tree_config *tree; /* NULL: there is no usable one */
    struct parcel *document;  /* the same document, for the other candidates */
    char digest[2 * CONFIG_DIGEST + 1];
    char fault[CONFIG_ERROR_SIZE]; /* why it cannot be used; "": it can be */

    struct credential *credentials; /* a table */
    uint64_t secrets_ns;            /* when to read the secrets again; UINT64_MAX: they are read */
    char secrets_fault[512];        /* the error, as it was logged */
    uint64_t next_ns;               /* the same for the secrets that will replace them */
    char next_fault[512];

    struct roster roster;
    bool judge;       /* some member has changed and must be judged */
    bool hurried;     /* some nodes are hurried */
    bool orders_anew; /* what nodes must have, or in which term, has changed */

    struct coordination coordination;
    struct etcd *etcd;              /* NULL: the list decides, or etcd cannot be used */
    struct tree_coordination asked; /* what it was opened for */
    uint64_t etcd_ns;               /* when it goes on; or when opening it is tried again */
    char etcd_fault[512];           /* why it cannot be used, as was logged */
    struct archive archive;
    struct lead_verdict verdict;
    uint64_t fresh_ns;             /* of the lead, as was last acted upon */
    struct tree_message_role role; /* as the core was last told */

    struct {
        uint64_t due_ns;   /* when to make a plan; UINT64_MAX: nothing has changed */
        uint64_t calm_ns;  /* when to try moves that only even out the tree; UINT64_MAX: never */
        uint64_t first_ns; /* when the first node answered; 0: none has */
        bool is_formed;    /* there has been a plan */
        uint32_t serial;   /* of the tree document; 0: not known yet */
        char fault[MESSAGE_SIZE]; /* what was wrong with the latest plan, as was logged */
    } plan;

    struct hearing hearing;
    struct announced announced;

    struct {
        struct node *probes[DIRECTOR_PROBES];
        struct range_cursor cursor;
        uint64_t due_ns;
        uint64_t announced_ns; /* when the next of those that announced themselves are asked */
    } sweep;

    struct {
        bool is_wanted, is_done;
        uint64_t since_ns;
        uint32_t level; /* nodes of this level and of deeper ones have their shares taken away */
    } dissolve;

    uint64_t rows_ns; /* when rows are told next */
};

/* Whether this node of the tree is the director's own. */
bool director_is_self(const struct director *director, const struct node *node);

/* Writes a line into the log of the daemon. */
void director_log(struct director *director, enum log_level level, uint64_t now, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
