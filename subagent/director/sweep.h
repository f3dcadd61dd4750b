/* Nodes are found in ranges, where one address after the other is asked, slowly, again and again;
 * and where they have announced themselves. */
#ifndef DCAMP_DIRECTOR_SWEEP_H
#define DCAMP_DIRECTOR_SWEEP_H

#include "director/state.h"

/* Ends probes that have answered or not, takes in those that have, and asks the next addresses.
 * Returns when to call it again. */
uint64_t sweep_step(struct director *director, uint64_t now);

/* Ends all questions. */
void sweep_stop(struct director *director);

#endif
