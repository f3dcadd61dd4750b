/* The tree as its roots tell it, one after the other: whom to ask when the root is lost or is none
 * any more, and what of an answer is believed. */
#ifndef DCAMP_CLI_CENSUS_H
#define DCAMP_CLI_CENSUS_H

#include "cli/order.h"
#include "cli/roster.h"

/* A root that has just begun has not found all nodes yet. */
#define CENSUS_SETTLE_NS UINT64_C(300000000000)

/* Whose answer it is: of which root, in which term and boot. */
struct census_head {
    char root[NAME_SIZE];
    uint32_t term;
    int64_t boot; /* of its dcampd */
};

struct census {
    struct roster roster;       /* in the order of the table; never empty after an answer */
    uint8_t *missed;            /* of each, in how many answers it was missing, until now */
    struct census_head head;    /* root "": there was no answer yet */
    uint64_t settle_ns;         /* until then missing nodes are kept; monotonic */
    char at[PEER_ADDRESS_SIZE]; /* whom to ask, in numbers; "": whom the command says */
    bool turned;                /* the client asks somebody else */
};

void census_free(struct census *census);

/* Asks the node that the command says, which has to be the root, for the tree. An answer without
 * nodes, or in the midst of a change, is none. False: question->status says why. */
bool census_ask(struct census *census, struct question *question);

/* The same again and again: the root that answered last is asked. If that is silent or root no
 * more, the nodes that were known are asked who is, and that one for the tree. What is said of a
 * failure is of the first one. */
bool census_follow(struct census *census, struct question *question);

/* What is believed of an answer: a node that is missing is left out when it is missing twice, and
 * after another root has answered, or the same one after a restart, not before that may have found
 * it. What a root has not heard of a node yet stays as it was known. Takes the nodes of the answer.
 * False: no memory, and all is as before. Pure. */
bool census_take(struct census *census, struct roster *answer, const struct census_head *head,
                 uint64_t now_ns);

#endif
