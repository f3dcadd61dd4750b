/* The director of this node, as the core sees it: the process is started while there is a tree
 * document, restarted when it fails, and told the document. The core never waits for it. One thread
 * only. */
#ifndef DCAMP_TREE_DIRECTING_H
#define DCAMP_TREE_DIRECTING_H

#include "collect/poller_process.h"
#include "tree/message.h"

/* So long a director may take to make base nodes of all nodes. */
#define DIRECTING_DISSOLVE_NS (60 * NS_PER_S)

/* What a tree document was ordered with. */
struct directing_order {
    char self[NAME_SIZE]; /* dcampNodeName of this node */
    uint32_t term, epoch;
    char root[NAME_SIZE];
    uint8_t digest[CONFIG_DIGEST];
};

struct directing {
    struct poller_setup setup;
    struct poller_process process;
    struct directing_order order;
    char *text; /* of the document; NULL: there is none, and no director */
    uint32_t length;
    uint32_t told;        /* so many octets of it */
    bool tells;           /* there are parts that the process has not been told */
    bool dissolves;       /* the document was taken away */
    bool dissolve_told;   /* and the process knows */
    uint64_t dissolve_ns; /* when it is ended, whether it has done it or not */
};

/* options: for the process, behind --director, NULL at the end; they must stay. 0 or an errno.
 * directing_close is to be called in either case; it ends the process and waits for that, a second
 * at most. */
int directing_open(struct directing *directing, const char *const *options);
void directing_close(struct directing *directing);

/* Becomes readable when directing_step or directing_receive has something to do. */
int directing_fd(const struct directing *directing);

/* The document is this one from now on, the text is copied. E2BIG or ENOMEM: nothing has changed.
 */
int directing_begin(struct directing *directing, const struct directing_order *order,
                    const char *text, size_t length);

/* The process is told of a node that a root before it knew of. It must run. */
void directing_known(struct directing *directing, const char *address, const char *group);

/* The document was taken away by an order of a root. Is that this node, as it was before, then the
 * director makes base nodes of all nodes before it is ended; otherwise it is ended. */
void directing_end(struct directing *directing, const char *root, uint64_t now_ns);

/* It has made base nodes of all: it is ended. */
void directing_done(struct directing *directing);

/* What it said makes no sense: it is ended at the next step, and begins anew. */
void directing_blame(struct directing *directing);

/* Whether the process began, or ended, since this was last asked. */
bool directing_has_begun(struct directing *directing);
bool directing_has_ended(struct directing *directing);

/* The next packet of the director, into MESSAGE_PACKET_MAX octets; false: there is none now. */
bool directing_receive(struct directing *directing, void *packet, size_t *used, uint64_t now_ns);

/* Starts, ends and restarts it, and tells it what it takes without waiting. Returns the monotonic
 * time at which there is something to do again, whatever comes in. */
uint64_t directing_step(struct directing *directing, uint64_t now_ns);

#endif
