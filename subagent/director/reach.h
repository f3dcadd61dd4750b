/* Whether a node needs another parent because its present one does not reach it, although the root
 * does: a link between the two is cut. Pure.
 *
 * A node that comes back after a silence is reached by its root earlier than by its parent, which
 * then asks it less often. So what a parent says has no effect before the root has had answers for
 * longer than a parent may wait. Nor does a node change parents again and again: each time that it
 * has got another parent, it stays there twice as long. */
#ifndef DCAMP_DIRECTOR_REACH_H
#define DCAMP_DIRECTOR_REACH_H

#include <stdint.h>

#include "base/limits.h"

struct reach_rules {
    uint64_t heartbeat_ns; /* how often a parent is looked at */
    uint64_t period_ns;    /* how often it polls its children */
};

struct reach {
    uint64_t well_ns;  /* since when all looks at the node were answered; 0: the latest was not */
    uint64_t since_ns; /* since when its parent has said that it does not reach it, ... */
    uint64_t told_ns;  /* ... and when it last said so; 0: it does not */
    char avoids[NAME_SIZE]; /* a parent that it must not have; "": there is none */
    uint64_t avoids_ns;     /* when that was its parent, and did not reach it */
    uint32_t moves;         /* how often that has happened, with any parent */
};

enum reach_verdict {
    REACH_WAIT,
    REACH_LOOK, /* it must be looked at now: that decides */
    REACH_MOVE  /* it avoids its parent from now on */
};

/* A look at the node was answered, or was not. */
void reach_answered(struct reach *reach, uint64_t now_ns);
void reach_missed(struct reach *reach);

/* Its parent has just said that it does not reach it. seen_ns: when the latest look at the node
 * that was answered had been sent. */
enum reach_verdict reach_told(struct reach *reach, const char *parent, uint64_t seen_ns,
                              const struct reach_rules *rules, uint64_t now_ns);

/* The parent that it must not have now; "": it may have any. */
const char *reach_avoids(const struct reach *reach, uint64_t now_ns);

#endif
