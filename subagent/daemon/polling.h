/* Between the children and their pollers: this is the only place that knows both. Core thread
 * only. */
#ifndef DCAMP_DAEMON_POLLING_H
#define DCAMP_DAEMON_POLLING_H

#include <pthread.h>
#include <stdint.h>

#include "base/clock.h"
#include "children/children.h"
#include "config/config.h"

struct polling {
    struct children *children;
    pthread_mutex_t *lock;   /* protects the children and the configuration */
    struct pollers *pollers; /* NULL: nobody polls */
    void *packet;            /* the latest packet of a poller */
    uint64_t again_ns;       /* monotonic: when to try again what there was no memory for */
    bool reloads;            /* at that time, pollers must be told again what the configuration
                              * says */
    bool lacks;              /* at that time, they must be told of the children that no poller knows
                              * yet */
};

/* From now on the children are polled. The lock must be free. options: as for pollers_new. 0 or
 * ENOMEM. polling_end must be called in either case, and does nothing if nobody polls. */
int polling_begin(struct polling *polling, struct children *children, pthread_mutex_t *lock,
                  const struct config *config, const char *const *options);
void polling_end(struct polling *polling);

/* The configuration was loaded: secrets are read anew. Without the lock. */
void polling_reload(struct polling *polling, const struct config *config);

/* Hears what pollers have to say, up to a bound, and tells them what waits with the children. Takes
 * the lock for one packet at a time. What there was no memory for, here or there, is tried again
 * once a second. Returns when there is something to do again even if nothing comes in. */
uint64_t polling_step(struct polling *polling, const struct config *config, struct moment now);

/* Becomes readable when polling_step has something to do; -1: never. */
int polling_fd(const struct polling *polling);

#endif
