/* The tree as its roots tell it, one after the other: whom to ask when the root is lost or is no
 * longer root, and what of an answer is believed. */
#ifndef DCAMP_CLI_CENSUS_H
#define DCAMP_CLI_CENSUS_H

#include "cli/order.h"
#include "cli/roster.h"

/* How long a root that has just begun may take to find all nodes. */
#define CENSUS_SETTLE_NS UINT64_C(300000000000)

/* Whose answer it is: of which root, in which term and boot. */
struct census_head {
    char root[NAME_SIZE];
    uint32_t term;
    int64_t boot; /* of its dcampd */
};

struct census {
    struct roster roster;    /* in the order of the table; never empty after an answer */
    uint8_t *missed;         /* of each, in how many answers it was missing in a row, until now */
    struct census_head head; /* root "": there was no answer yet */
    uint64_t settle_ns;      /* nodes that are missing are kept until then; monotonic */
    char at[PEER_ADDRESS_SIZE]; /* the node to ask, in numbers; "": that of the command */
    bool turned;                /* the client is asking another node */
};

void census_free(struct census *census);

/* Asks the node that the command says, which has to be the root, for the tree. An answer without
 * nodes, or in the midst of a change, does not count. False: question->status says why. */
bool census_ask(struct census *census, struct question *question);

/* The same, to be called again and again: asks the root that answered last. If that is silent or no
 * longer root, it asks the nodes that were known who is root, and then that one for the tree. If
 * all of it fails, the error is that of the first question. */
bool census_follow(struct census *census, struct question *question);

/* What is believed of an answer: a node is left out when it is missing for the second time; after
 * another root has answered, or the same one after a restart, not before that root has had time to
 * find it. A node that the root has not heard yet keeps its role. The nodes are taken from the
 * answer. False: no memory, and all is as before. Pure. */
bool census_take(struct census *census, struct roster *answer, const struct census_head *head,
                 uint64_t now_ns);

#endif
