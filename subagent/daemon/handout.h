/* Between the outlet and what it hands out: this is the only place that knows both it and the
 * children. Core thread only. */
#ifndef DCAMP_DAEMON_HANDOUT_H
#define DCAMP_DAEMON_HANDOUT_H

#include <pthread.h>

#include "children/children.h"
#include "outlet/outlet.h"

struct handout {
    struct outlet *outlet;
    struct children *children;
    pthread_mutex_t *lock; /* on both */
    struct block_taker taker;
};

/* Opens the outlet; nobody can connect yet, see outlet_listen(). All arguments must stay valid. */
void handout_open(struct handout *handout, struct outlet *outlet, struct children *children,
                  const struct report_ring *report, const struct dictionary *dictionary,
                  pthread_mutex_t *lock);

/* Closes the outlet; the children hand nothing on any more. */
void handout_close(struct handout *handout);

/* The sinks may have changed: if there are any, blocks of children are taken. Under the lock. */
void handout_sync(struct handout *handout);

#endif
