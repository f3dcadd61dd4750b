/* What watches leave to the next run of the daemon, and take from the one before. */
#ifndef DCAMP_WATCH_RESTART_H
#define DCAMP_WATCH_RESTART_H

#include "watch/watch.h"

/* Takes what the state file says of rules on series, and removes it from state. */
void watches_restore(struct watches *watches, struct state *state);

/* To be called after the first pass over everything: ends the alarms of an earlier run whose series
 * or rule does not exist any more. True: there are some whose series may still come. */
bool watches_end_orphans(struct watches *watches, const struct series_producer *producers, size_t n,
                         struct moment now);

/* Appends what must be saved of the watches to a state. 0 or ENOMEM. */
int watches_save(const struct watches *watches, struct state *state, uint64_t now_ns);

/* Appends what watches have learnt of seasons, and models that wait for their series: learned_pack.
 * 0 or ENOMEM. */
int watches_pack_learned(const struct watches *watches, struct octets *octets);

#endif
