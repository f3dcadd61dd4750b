/* Puts traps into the spool, and sorts out those that are foreign, malformed or duplicates. */
#ifndef DCAMP_TRAP_INTAKE_H
#define DCAMP_TRAP_INTAKE_H

#include "trapd-handlers/options.h"
#include "trapd-handlers/spool.h"

struct intake {
    struct spool *spool;
    enum options_sync sync;
    struct buffer lines;
    /* Traps in memory that could not be spooled, for example because the disk is full. While there
     * are any, later traps are kept as well, because a clear must not overtake its raise. */
    struct trap *kept;
    size_t n_kept;
    bool behind;         /* there were some when this batch began */
    int said;            /* the errno that was logged last; 0 if there was none */
    uint64_t complaints; /* number of complaints about bad traps in this period */
    int64_t period_ms;
};

/* How many traps wait in memory at most. */
#define INTAKE_KEPT_MAX 10000

/* Begins a batch of traps; the spool's intake is locked until intake_end(). */
void intake_begin(struct intake *intake);
/* Adds what was parsed, or notes why it could not be parsed. */
void intake_add(struct intake *intake, enum trap_result result, const struct trap *trap,
                const char *error, int64_t now_ms);
/* Writes the batch into the spool. Returns false if traps are in kept. */
bool intake_end(struct intake *intake);

/* Writes the traps in kept into the spool, if that is possible by now: all of them or none. Not to
 * be called within a batch. */
void intake_spool_kept(struct intake *intake);

void intake_release(struct intake *intake);

#endif
