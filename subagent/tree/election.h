/* Who is root: the ordered list of candidates and the term as fencing token. Pure: what a candidate
 * has seen of the others, and the time, decide what it does.
 *
 * If all candidates have the same list, the following always holds: a term has at most one root,
 * because a candidate may take only the terms of its place in the list; of those that promote
 * themselves at the same time, the first in the list takes the highest term; terms only grow; and
 * as soon as candidates reach each other, one root remains, that of the highest term. While a new
 * list is being distributed, two may take the same term: then the one that is earlier in the list
 * takes a higher one, and the other one yields.
 *
 * This is safe against crashes, but not against every partition: two parts of a network that cannot
 * reach each other may each have a root, with different terms, and each node obeys the highest term
 * that it has been told. A root that reaches no other candidate does not notice that it is not root
 * any more; nodes that have been told a higher term refuse its orders. Two candidates that reach
 * everybody but each other take turns, ever more seldom. A candidate that was away while the tree
 * was ended continues the tree, unless one that was told of the end in the same term answers. If
 * that is not acceptable, the lease in etcd is to be used. */
#ifndef DCAMP_TREE_ELECTION_H
#define DCAMP_TREE_ELECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

#define ELECTION_CANDIDATES_MAX 16

struct election_rules {
    uint64_t heartbeat_ns;
    uint32_t missed;
};

/* A candidate as this one sees it. */
struct election_candidate {
    char name[NAME_SIZE];
    uint64_t heard_ns;    /* monotonic: when its latest answer came; 0: none since this process
                           * began */
    bool holds;           /* in that answer: whether it has been given a tree document, ... */
    uint32_t term;        /* ... in which term, which it also knows without a document, ... */
    char root[NAME_SIZE]; /* ... and by which root */
};

struct election {
    struct election_rules rules;
    struct election_candidate candidates[ELECTION_CANDIDATES_MAX]; /* in the order of the list */
    size_t n;
    size_t self;       /* the index of this one */
    uint64_t began_ns; /* when this one began to listen */
    /* The following belong to the election, and are zero in the beginning. */
    uint64_t decided_ns; /* when it was last asked to decide */
    uint64_t led_ns;     /* when there last was a root, either this one or one that it had to
                          * follow */
    uint32_t overruled;  /* how often there was a higher term of a root that does not answer ... */
    uint32_t overruled_term; /* ... and the latest such term */
};

enum election_verdict {
    ELECTION_FOLLOW,  /* another one is root, or may still turn out to be */
    ELECTION_LEAD,    /* this one is root, in the term that it has */
    ELECTION_PROMOTE, /* this one must become root, in a new term, or take a higher term */
    ELECTION_YIELD    /* this one was root, and there is a higher term */
};

struct election_result {
    enum election_verdict verdict;
    uint32_t term;             /* of the root that counts; with PROMOTE: the new one */
    size_t root;               /* who counts as root; n: nobody is known to */
    uint64_t again_ns;         /* when to ask again at the latest */
    char reason[MESSAGE_SIZE]; /* for people: why, with PROMOTE and YIELD */
};

/* Records what a candidate answered. */
void election_hear(struct election *election, size_t candidate, bool holds, uint32_t term,
                   const char *root, uint64_t now_ns);

/* What this candidate must do now. What it holds itself is in its own entry, whose heard_ns is not
 * used. If this is called more than a heartbeat after the last time, this one was stopped, and
 * listens anew before it promotes itself. */
void election_decide(struct election *election, uint64_t now_ns, struct election_result *result);

/* The lowest term of this candidate that is above that one. 0: there are no more. */
uint32_t election_next_term(const struct election *election, uint32_t above);

#endif
