/* A way through a scenario: what comes next, operation by operation. Pure; the same seed goes the
 * same way. It takes memory by the depth of the scenario only, however often its loops go round. */
#ifndef DCAMP_LOAD_WALK_H
#define DCAMP_LOAD_WALK_H

#include <stdint.h>

#include "load/scenario.h"

enum walk_step {
    WALK_END,       /* and so for ever */
    WALK_OPERATION, /* its number: a place in scenario.name */
    WALK_PAUSE,     /* milliseconds, more than 0 */
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
    unsigned short chance[3]; /* of nrand48(3) */
};

/* The scenario stays as it is while there is a walk. False: no memory. */
bool walk_open(struct walk *walk, const struct scenario *scenario, uint64_t seed);
void walk_close(struct walk *walk);

/* What comes next; the number of the operation, or the length of the pause. */
enum walk_step walk_next(struct walk *walk, uint64_t *what);

#endif
