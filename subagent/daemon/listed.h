/* The rows of the tables of applications: made when somebody reads them, by the pass over what
 * programs publish that the core makes then, and in the place of those before under the lock. */
#ifndef DCAMP_DAEMON_LISTED_H
#define DCAMP_DAEMON_LISTED_H

#include <pthread.h>
#include <stdatomic.h>

#include "application/directory.h"
#include "application/listing.h"
#include "base/clock.h"

/* While a table is read, its rows are made anew so often; they are kept so long after it was read
 * for the last time. */
#define LISTED_EVERY_NS NS_PER_S
#define LISTED_KEPT_NS (3600 * NS_PER_S)

struct listed {
    struct listing listing[LISTINGS]; /* read under the lock, as what follows */
    uint64_t made_ns[LISTINGS];       /* monotonic; 0: there are no rows */
    char complaints[MESSAGE_SIZE];    /* why something is not read, as of the last rows */
    atomic_uint top_size;             /* set by the agent */
    atomic_uint asked;                /* the agent: bit 1 << kind: somebody reads that table */
    uint64_t asked_ns[LISTINGS];      /* core thread only: when that was, the last time */
};

void listed_open(struct listed *listed);
void listed_close(struct listed *listed);

/* Somebody reads a table. True: the core is to be woken. */
bool listed_ask(struct listed *listed, enum listing_kind kind);

/* When there are rows to be made or to be given up; UINT64_MAX: when somebody asks. */
uint64_t listed_due(const struct listed *listed);

/* Which rows are to be made after the next pass over the directory, which is due now if there are
 * any: bit 1 << kind. */
unsigned listed_begin(struct listed *listed, uint64_t now_ns);

/* What of the programs that pass has to read for them: PROGRAM_TOPS and so on. */
unsigned listed_wanted(unsigned kinds);

/* Makes them, and takes the lock only to put them in their place. error: of the pass; 0: none.
 * Rows for which there is no memory stay as they are. */
void listed_update(struct listed *listed, unsigned kinds, const struct directory *directory,
                   struct owners *names, int error, pthread_mutex_t *lock, struct moment now);

#endif
