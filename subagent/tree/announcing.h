/* When a node announces itself to those who may be the root of a tree: more and more seldom, while
 * no root looks at it. Pure. */
#ifndef DCAMP_TREE_ANNOUNCING_H
#define DCAMP_TREE_ANNOUNCING_H

#include <stdbool.h>
#include <stdint.h>

#define ANNOUNCING_SLOWEST 5 /* times the first wait: no later one is longer, except by chance */

struct announcing {
    uint64_t wait_ns;   /* how long no root must have looked; 0: the node does not announce
                         * itself */
    uint64_t looked_ns; /* monotonic: when a root last did, or when the node began */
    uint64_t due_ns;    /* when the next announcement is due; UINT64_MAX: never */
    uint32_t tries;     /* since a root last looked at the node while it had work */
    uint32_t random;    /* the state of the random numbers */
    bool is_due;        /* an announcement is to be sent, and has not been sent yet */
    uint64_t sent;      /* announcements that went out */
};

/* seed: must differ from node to node, so that machines that start together do not announce
 * themselves together. */
void announcing_open(struct announcing *announcing, uint32_t seed, uint64_t now_ns);

/* Sets the wait that the configuration gives; 0: no announcements. */
void announcing_set(struct announcing *announcing, uint64_t wait_ns, uint64_t now_ns);

/* A root, or somebody who asks as a root does, has looked at the node. If the root has given it
 * work, the waits begin anew when no root looks at it any more. */
void announcing_looked(struct announcing *announcing, bool has_work, uint64_t now_ns);

/* Whether an announcement is to be sent now. This stays true until announcing_done is called, or
 * until a root looks. */
bool announcing_step(struct announcing *announcing, uint64_t now_ns);

/* The announcement was sent, or could not be. */
void announcing_done(struct announcing *announcing, bool sent);

#endif
