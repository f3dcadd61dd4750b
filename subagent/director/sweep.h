/* Nodes are found in ranges: one address after the other is asked, slowly, again and again; and
 * where they have announced themselves. */
#ifndef DCAMP_DIRECTOR_SWEEP_H
#define DCAMP_DIRECTOR_SWEEP_H

#include "director/state.h"

/* Ends what has answered or not, takes in who has, and asks the next addresses. Returns when to
 * call it again. */
uint64_t sweep_step(struct director *director, uint64_t now);

/* Nobody is asked any more. */
void sweep_stop(struct director *director);

#endif
