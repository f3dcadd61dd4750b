/* The rows of the tables of applications: they are made when somebody reads them, by a pass over
 * what programs publish that the core then makes, and replace the earlier ones under the lock. */
#ifndef DCAMP_DAEMON_LISTED_H
#define DCAMP_DAEMON_LISTED_H

#include <pthread.h>
#include <stdatomic.h>

#include "application/directory.h"
#include "application/listing.h"
#include "base/clock.h"

/* While a table is read, its rows are made anew this often; they are kept for so long after it was
 * last read. */
#define LISTED_EVERY_NS NS_PER_S
#define LISTED_KEPT_NS (3600 * NS_PER_S)

struct listed {
    struct listing listing[LISTINGS]; /* read under the lock, and so are the following */
    uint64_t made_ns[LISTINGS];       /* monotonic; 0: there are no rows */
    char complaints[MESSAGE_SIZE];    /* why something is not read, as of the latest rows */
    atomic_uint top_size;             /* set by the agent */
    atomic_uint asked;                /* set by the agent: bit 1 << kind: somebody reads that
                                       * table */
    uint64_t asked_ns[LISTINGS];      /* core thread only: when each was last asked for */
};

void listed_open(struct listed *listed);
void listed_close(struct listed *listed);

/* Somebody reads a table. True: the core must be woken. */
bool listed_ask(struct listed *listed, enum listing_kind kind);

/* When rows have to be made or dropped; UINT64_MAX: not until somebody asks. */
uint64_t listed_due(const struct listed *listed);

/* Which rows have to be made after the next pass over the directory, which is due now if there are
 * any: bit 1 << kind. */
unsigned listed_begin(struct listed *listed, uint64_t now_ns);

/* What that pass has to read of the programs for these rows: PROGRAM_TOPS and so on. */
unsigned listed_wanted(unsigned kinds);

/* Makes the rows, and takes the lock only to put them in place. error: that of the pass; 0: none.
 * If memory runs out for some rows, the earlier ones stay. */
void listed_update(struct listed *listed, unsigned kinds, const struct directory *directory,
                   struct owners *names, int error, pthread_mutex_t *lock, struct moment now);

#endif
