/* The process of one sink: connects to dcampd, again and again, and feeds the sink with what comes.
 */
#ifndef DCAMP_PUBLISH_WORKER_H
#define DCAMP_PUBLISH_WORKER_H

#include "publish/options.h"

/* Runs until a signal ends it, or standard input ends and until_eof is set, or the sink has other
 * settings. Returns the exit status. */
int worker_run(const struct options *options);

#endif
