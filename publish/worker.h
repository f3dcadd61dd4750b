/* The process of one sink: connects to dcampd, ever again, and feeds the sink with what comes. */
#ifndef DCAMP_PUBLISH_WORKER_H
#define DCAMP_PUBLISH_WORKER_H

#include "publish/options.h"

/* Until a signal ends it, or standard input with until_eof, or the sink has other settings now.
 * Returns the exit status. */
int worker_run(const struct options *options);

#endif
