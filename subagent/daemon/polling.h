/* Between the children and their pollers: the only place that knows both. Core thread only. */
#ifndef DCAMP_DAEMON_POLLING_H
#define DCAMP_DAEMON_POLLING_H

#include <stdint.h>

#include "base/clock.h"

struct dcampd;

/* From now on children are polled. options: as pollers_new has them. 0 or ENOMEM. */
int polling_begin(struct dcampd *daemon, const char *const *options);
void polling_end(struct dcampd *daemon);

/* The configuration was loaded: secrets are read anew. Without the lock. */
void polling_reload(struct dcampd *daemon);

/* Hears what pollers have to say, up to a bound, and tells them what the children were waiting to
 * tell. Takes the lock for one packet at a time. Returns when there is something to do again,
 * whatever comes in. */
uint64_t polling_step(struct dcampd *daemon, struct moment now);

/* Becomes readable when polling_step has something to do; -1: never. */
int polling_fd(const struct dcampd *daemon);

#endif
