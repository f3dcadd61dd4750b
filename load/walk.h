/* A walk through a scenario: what comes next, operation by operation. Pure; the same seed makes the
 * same walk. Its memory depends only on the depth of the scenario, however often loops go round. */
#ifndef DCAMP_LOAD_WALK_H
#define DCAMP_LOAD_WALK_H

#include <stdint.h>

#include "load/scenario.h"

/* In a loop of 10^18 rounds, chance may choose each time what does nothing. The caller has to be
 * able to do other things during such a walk. */
#define WALK_STEPS_MAX 4096

enum walk_step {
    WALK_END,       /* from then on, it is always returned */
    WALK_OPERATION, /* *what is its number, an index of scenario.name */
    WALK_PAUSE,     /* *what is in ms; 0: WALK_STEPS_MAX steps gave nothing, and more are left */
};

/* An expression that is being executed. */
struct walk_place {
    const struct scenario_node *node;
    uint64_t done; /* parts of a list, rounds of a loop */
    bool is_round; /* a round of the loop has just ended: its pause comes next */
};

struct walk {
    const struct scenario *scenario;
    struct walk_place *place; /* the outermost first */
    uint32_t depth;
    uint64_t n_steps;         /* so far */
    unsigned short chance[3]; /* of nrand48(3) */
};

/* The scenario must not change as long as there is a walk. Returns false if memory runs out. */
bool walk_open(struct walk *walk, const struct scenario *scenario, uint64_t seed);
void walk_close(struct walk *walk);

/* Returns what comes next; *what is the number of the operation, or the length of the pause. It
 * takes at most WALK_STEPS_MAX steps. */
enum walk_step walk_next(struct walk *walk, uint64_t *what);

#endif
