/* How evenly a manager polls: the times between the polls of each child. */
#ifndef DCAMP_SIM_ARRIVALS_H
#define DCAMP_SIM_ARRIVALS_H

#include "base/clock.h"

struct sim;
struct sim_child;

/* Begins anew, with nothing recorded: from now on requests to these children are noted. */
void arrivals_record(struct sim *sim, struct sim_child *first, struct sim_child *last,
                     uint32_t period_ms);

/* A request came. What comes before half of the period is over is part of the same poll: its other
 * requests, and what is sent again. */
void arrivals_note(struct sim *sim, struct sim_child *child, struct moment now);

/* One line: by how many percent of the period the times between polls differed from it. */
void arrivals_print(struct sim *sim);

void arrivals_release(struct sim *sim);

#endif
