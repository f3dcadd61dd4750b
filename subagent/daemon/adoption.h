/* What was ordered over SNMP becomes what the node works by. Core thread only. */
#ifndef DCAMP_DAEMON_ADOPTION_H
#define DCAMP_DAEMON_ADOPTION_H

#include "daemon/dcampd.h"

/* Takes what the state file says, at the start; the rows of the share are in the configuration
 * already. */
void adoption_restore(struct dcampd *daemon, struct state *state);

/* Adopts or refuses what waits. Documents are read without the lock held. */
void adoption_step(struct dcampd *daemon, struct moment now);

/* Nobody works any more by the tree document of this node, which was to end. */
void adoption_end_tree(struct dcampd *daemon);

#endif
