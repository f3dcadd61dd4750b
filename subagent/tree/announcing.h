/* When a node announces itself to those who may be the root of a tree: while no root looks at it,
 * more and more seldom. Pure. */
#ifndef DCAMP_TREE_ANNOUNCING_H
#define DCAMP_TREE_ANNOUNCING_H

#include <stdbool.h>
#include <stdint.h>

#define ANNOUNCING_SLOWEST 5 /* times the first wait: no later one is longer, but for chance */

struct announcing {
    uint64_t wait_ns;   /* that no root has looked; 0: the node does not announce itself */
    uint64_t looked_ns; /* monotonic: when a root last did, or when the node began */
    uint64_t due_ns;    /* of the next announcement; UINT64_MAX: there is none */
    uint32_t tries;     /* since a root looked at a node that had work */
    uint32_t random;    /* the state of the chance */
    bool is_due;        /* one is to be sent, and was not yet */
    uint64_t sent;      /* announcements that went out */
};

/* seed: another one for each node, so that machines that start together do not announce themselves
 * together. */
void announcing_open(struct announcing *announcing, uint32_t seed, uint64_t now_ns);

/* As the configuration says; 0: not at all. */
void announcing_set(struct announcing *announcing, uint64_t wait_ns, uint64_t now_ns);

/* A root, or who asks as one does, has looked at the node. If the root has given it work, it begins
 * anew when no root looks at it any more. */
void announcing_looked(struct announcing *announcing, bool has_work, uint64_t now_ns);

/* Whether one is to be sent now. It is so until announcing_done, or until a root looks. */
bool announcing_step(struct announcing *announcing, uint64_t now_ns);

/* It went out, or could not. */
void announcing_done(struct announcing *announcing, bool sent);

#endif
