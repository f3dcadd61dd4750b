/* Whether this director gives orders to the tree: the election among the candidates, what nodes say
 * of higher terms, and how old that knowledge is. Pure. */
#ifndef DCAMP_DIRECTOR_LEAD_H
#define DCAMP_DIRECTOR_LEAD_H

#include "tree/election.h"

/* What the tree document says about this. */
struct lead_setup {
    char self[NAME_SIZE];
    const char (*candidates)[NAME_SIZE]; /* in their order; those beyond ELECTION_CANDIDATES_MAX are
                                          * left out */
    size_t n;
    struct election_rules rules;
    uint32_t term; /* of the order that this node obeys */
    char root[NAME_SIZE];
};

struct lead {
    struct election election; /* n 0: this node is no candidate */
    char self[NAME_SIZE];
    uint32_t term;
    char root[NAME_SIZE];
    struct {
        uint32_t term; /* the highest term that a node obeys; 0: none is higher than that of this
                        * one */
        char root[NAME_SIZE];
        uint64_t since_ns;
    } fence;
    uint64_t ticked_ns; /* when it was last told the time */
    uint64_t fresh_ns;  /* what was asked before that is not valid any more */
    uint64_t asked_ns[ELECTION_CANDIDATES_MAX]; /* when each was asked the question settled last */
};

struct lead_verdict {
    bool is_root;
    bool may_order;   /* it is root, and knows that nobody else is, as far as that can be known */
    bool is_halted;   /* it is root, but has lost what allows it to give orders */
    uint32_t promote; /* not 0: it is to become root in this term */
    uint32_t term;    /* of the root that counts, */
    char root[NAME_SIZE];      /* and its name; "": none is known */
    char reason[MESSAGE_SIZE]; /* for people */
    uint64_t again_ns;         /* when to ask again at the latest */
};

/* A tree document was ordered; what is known of other candidates is kept if they are in the setup.
 * An all-zero struct leads nothing. */
void lead_begin(struct lead *lead, const struct lead_setup *setup, uint64_t now_ns);

/* Must be told the time at least once in a heartbeat, before anything else that has a time. If it
 * was not, this process was frozen or starved, and what it knew is outdated. */
void lead_tick(struct lead *lead, uint64_t now_ns);

/* The outcome of a look at a candidate that was asked for at asked_ns. For an answer: whether the
 * candidate has been given a tree document, and the order that it knows. */
void lead_hear(struct lead *lead, const char *candidate, bool holds, uint32_t term,
               const char *root, uint64_t asked_ns, uint64_t now_ns);
void lead_miss(struct lead *lead, const char *candidate, uint64_t asked_ns);

/* A node has accepted an order of a root other than this one, or of a term higher than that of this
 * one; works: it works by a document of that root. False: that root is no candidate of this tree,
 * and the node works for it: this node has nothing to do with that. */
bool lead_fence(struct lead *lead, uint32_t term, const char *root, bool works, uint64_t now_ns);

void lead_decide(struct lead *lead, uint64_t now_ns, struct lead_verdict *verdict);

#endif
