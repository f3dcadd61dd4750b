/* What a director knows and does, for the files of this room: the process itself is director.h. */
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

#define DIRECTOR_PROBES 32 /* addresses of ranges that are asked at once */

/* See director/archive.h. */
struct archive {
    struct etcd_errand errand;
    bool is_failing;       /* and that was logged */
    int64_t read_lease;    /* of the lease that this one had when it read; 0: it never did */
    struct etcd_tree kept; /* what it is to become root with; without a parcel: what it has */
    uint32_t known_serial; /* of this document; 0: of none */
    uint8_t known_digest[CONFIG_DIGEST];
    uint32_t term; /* in which the document of this digest is kept; 0: none is */
    uint8_t digest[CONFIG_DIGEST];
    uint32_t asked_term; /* the same, as it is being told */
    uint8_t asked_digest[CONFIG_DIGEST];
    bool has_moved; /* somebody has another place than is kept */
    bool is_removed;
};

/* See director/hearing.h. */
struct hearing {
    int socket;
    bool is_open;
    char address[PEER_ADDRESS_SIZE]; /* where it listens, or is to; "": nowhere */
    char fault[128];                 /* why it does not, as it was logged */
    uint64_t due_ns;                 /* when it is tried again */
    uint64_t dropped;                /* packets */
    uint64_t complained_ns;          /* when the log was told of one; 0: never */
    netsnmp_session session;
    u_char packet[AUTHENTIC_MAX];
};

struct director {
    struct outbox outbox;
    struct inbox inbox;       /* the document that is being told */
    struct inbox order;       /* the one that is in force; without its text */
    struct tree_config *tree; /* NULL: there is none that can be used */
    struct parcel *document;  /* it, for the other candidates */
    char digest[2 * CONFIG_DIGEST + 1];
    char fault[CONFIG_ERROR_SIZE]; /* why it cannot be used; "": it can */

    struct credential *credentials; /* a table */
    uint64_t secrets_ns;            /* when the secrets are read again; UINT64_MAX: they are read */
    char secrets_fault[512];        /* as it was logged */
    uint64_t next_ns;               /* the same of those that take their place */
    char next_fault[512];

    struct roster roster;
    bool judge;       /* somebody is another one than before */
    bool hurried;     /* some nodes are */
    bool orders_anew; /* what nodes are to have, or in which term, has changed */

    struct coordination coordination;
    struct etcd *etcd;              /* NULL: the list decides, or it cannot be had */
    struct tree_coordination asked; /* what it was opened for */
    uint64_t etcd_ns;               /* when it goes on; when it is tried again to have it */
    char etcd_fault[512];           /* why it cannot be had, as it was logged */
    struct archive archive;
    struct lead_verdict verdict;
    uint64_t fresh_ns;             /* of the lead, as it was acted upon */
    struct tree_message_role role; /* as the core was told */

    struct {
        uint64_t due_ns;   /* UINT64_MAX: nothing has changed */
        uint64_t calm_ns;  /* when moves that only make it more even are tried; UINT64_MAX: never */
        uint64_t first_ns; /* when the first node answered; 0: none did */
        bool is_formed;    /* there was a plan */
        uint32_t serial;   /* of the tree document; 0: not known yet */
        char fault[MESSAGE_SIZE]; /* what was wrong with the latest plan, as it was logged */
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
        uint32_t level; /* nodes of this and of deeper ones have their shares taken away */
    } dissolve;

    uint64_t rows_ns; /* when rows are told next */
};

/* Whether a node of the tree is this one. */
bool director_is_self(const struct director *director, const struct node *node);

/* Says a line in the log of the daemon. */
void director_log(struct director *director, enum log_level level, uint64_t now, const char *format,
                  ...) __attribute__((format(printf, 4, 5)));

#endif
