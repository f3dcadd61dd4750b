/* The director of this node, as the core sees it: the process is started while there is a tree
 * document, restarted when it fails, and told the document. The core never waits for it. One thread
 * only. */
#ifndef DCAMP_TREE_DIRECTING_H
#define DCAMP_TREE_DIRECTING_H

#include "collect/poller_process.h"
#include "tree/message.h"

/* How long a director may take to make base nodes of all nodes. */
#define DIRECTING_DISSOLVE_NS (60 * NS_PER_S)

/* The order that a tree document came with. */
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
    uint32_t told;        /* how many octets of the text */
    bool tells;           /* there are parts that the process has not been told */
    bool dissolves;       /* the document was taken away */
    bool dissolve_told;   /* and the process has been told so */
    uint64_t dissolve_ns; /* when the process is ended, whether it has finished or not */
};

/* options: arguments for the process, which follow --director, NULL at the end; they must stay
 * valid. 0 or an errno. directing_close must be called in either case; it ends the process and
 * waits for that, a second at most. */
int directing_open(struct directing *directing, const char *const *options);
void directing_close(struct directing *directing);

/* Becomes readable when directing_step or directing_receive has something to do. */
int directing_fd(const struct directing *directing);

/* Sets the document; the text is copied. E2BIG or ENOMEM: nothing has changed. */
int directing_begin(struct directing *directing, const struct directing_order *order,
                    const char *text, size_t length);

/* Tells the process of a node that an earlier root knew. The process must run. */
void directing_known(struct directing *directing, const char *address, const char *group);

/* The document was taken away by an order of the root with that name. If this node was that root,
 * its director makes base nodes of all nodes before it is ended; otherwise it is ended at once. */
void directing_end(struct directing *directing, const char *root, uint64_t now_ns);

/* The director has made base nodes of all nodes: it is ended. */
void directing_done(struct directing *directing);

/* What the director said makes no sense: it is ended at the next step, and begins anew. */
void directing_blame(struct directing *directing);

/* Whether the process began, or ended, since this was last asked. */
bool directing_has_begun(struct directing *directing);
bool directing_has_ended(struct directing *directing);

/* The next packet of the director, into MESSAGE_PACKET_MAX octets; false: there is none now. */
bool directing_receive(struct directing *directing, void *packet, size_t *used, uint64_t now_ns);

/* Starts, ends and restarts the director, and tells it as much as it takes without waiting. Returns
 * the monotonic time at which this must be called again even if nothing comes in. */
uint64_t directing_step(struct directing *directing, uint64_t now_ns);

#endif
