/* A way through a scenario: what comes next, operation by operation. Pure; the same seed goes the
 * same way. It takes memory by the depth of the scenario only, however often its loops go round. */
#ifndef DCAMP_LOAD_WALK_H
#define DCAMP_LOAD_WALK_H

#include <stdint.h>

#include "load/scenario.h"

/* A loop of 10^18 rounds may choose by chance, each time, what does nothing. Who goes such a way
 * has to be able to do other things meanwhile. */
#define WALK_STEPS_MAX 4096

enum walk_step {
    WALK_END,       /* and so for ever */
    WALK_OPERATION, /* its number: a place in scenario.name */
    WALK_PAUSE, /* milliseconds; 0: nothing has come of WALK_STEPS_MAX steps, and more are left */
};

/* An expression that is being done. */
struct walk_place {
    const struct scenario_node *node;
    uint64_t done; /* parts of a list, rounds of a loop */
    bool is_round; /* a round of the loop has just ended: its pause is next */
};

struct walk {
    const struct scenario *scenario;
    struct walk_place *place; /* the outermost first */
    uint32_t depth;
    uint64_t n_steps;         /* until now */
    unsigned short chance[3]; /* of nrand48(3) */
};

/* The scenario stays as it is while there is a walk. False: no memory. */
bool walk_open(struct walk *walk, const struct scenario *scenario, uint64_t seed);
void walk_close(struct walk *walk);

/* What comes next; the number of the operation, or the length of the pause. At most WALK_STEPS_MAX
 * steps. */
enum walk_step walk_next(struct walk *walk, uint64_t *what);

#endif
