/* Who is root: the ordered list of candidates and the term as fencing token. Pure: what a candidate
 * has seen of the others, and the time, decide what it does.
 *
 * This is safe against crashes, not against every partition: two parts of a network that cannot
 * reach each other may each have a root, of different terms, and the higher one is left when they
 * meet. Where that must not be, the lease lies in etcd. */
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
    uint64_t heard_ns;    /* its latest answer, monotonic; 0: none since this process began */
    bool holds;           /* in that answer: it has a tree document in force, ... */
    uint32_t term;        /* ... of this term, */
    char root[NAME_SIZE]; /* ... whose root is this one */
};

struct election {
    struct election_rules rules;
    struct election_candidate candidates[ELECTION_CANDIDATES_MAX]; /* in the order of the list */
    size_t n;
    size_t self;       /* among them */
    uint64_t began_ns; /* when this one began to listen */
};

enum election_verdict {
    ELECTION_FOLLOW,  /* another one is root, or may yet show itself */
    ELECTION_LEAD,    /* this one is root, in the term that it has */
    ELECTION_PROMOTE, /* this one is to become root, in a new term */
    ELECTION_YIELD    /* this one was root, and another one is, in a higher term */
};

struct election_result {
    enum election_verdict verdict;
    uint32_t term;             /* of the root that counts; with PROMOTE: the new one */
    size_t root;               /* who counts as root; n: nobody is known */
    uint64_t again_ns;         /* when to ask again at the latest */
    char reason[MESSAGE_SIZE]; /* for people: why, with PROMOTE and YIELD */
};

/* Takes down what a candidate answered. */
void election_hear(struct election *election, size_t candidate, bool holds, uint32_t term,
                   const char *root, uint64_t now_ns);

/* What this candidate is to do now. What it holds itself stands in its own entry. */
void election_decide(const struct election *election, uint64_t now_ns,
                     struct election_result *result);

#endif
