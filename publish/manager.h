/* The process that starts the others: dcampd tells it which sinks there are, and it sees to it that
 * each has a process. A process that ends is started again, after longer and longer pauses; one
 * whose row has changed or is gone is ended. A sink that crashes, hangs or eats memory harms no
 * other. */
#ifndef DCAMP_PUBLISH_MANAGER_H
#define DCAMP_PUBLISH_MANAGER_H

#include "publish/options.h"

#define MANAGER_SINKS_MAX 64
#define MANAGER_KILL_S 10 /* how long a process may take to end */

/* Runs until a signal ends it. Returns the exit status. */
int manager_run(const struct options *options);

#endif
