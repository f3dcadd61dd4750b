/* The process that starts the others: it hears from dcampd which sinks there are, and sees to it
 * that each has a process. One that ends is started again, ever later; one whose row has changed or
 * is gone is ended. A sink that crashes, hangs or eats memory does so alone. */
#ifndef DCAMP_PUBLISH_MANAGER_H
#define DCAMP_PUBLISH_MANAGER_H

#include "publish/options.h"

#define MANAGER_SINKS_MAX 64
#define MANAGER_KILL_S 10 /* so long one may take to end */

/* Until a signal ends it. Returns the exit status. */
int manager_run(const struct options *options);

#endif
