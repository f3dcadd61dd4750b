/* Traps on their way into the spool: what is foreign, broken or there already is sorted out. */
#ifndef DCAMP_TRAP_INTAKE_H
#define DCAMP_TRAP_INTAKE_H

#include "trapd-handlers/options.h"
#include "trapd-handlers/spool.h"

struct intake {
    struct spool *spool;
    enum options_sync sync;
    struct buffer lines;
    /* Those that could not be spooled, in memory: the disk is full, say. While there are any, what
     * comes later is kept, too: a clear must not overtake its raise. */
    struct trap *kept;
    size_t n_kept;
    bool behind;         /* there were some when this lot began */
    int said;            /* the errno that was logged last */
    uint64_t complaints; /* lines logged of bad traps in this period */
    int64_t period_ms;
};

/* How many traps wait in memory at most. */
#define INTAKE_KEPT_MAX 10000

/* For one lot of traps, with the spool's intake locked in between. */
void intake_begin(struct intake *intake);
/* What was parsed, or why it could not be. */
void intake_add(struct intake *intake, enum trap_result result, const struct trap *trap,
                const char *error, int64_t now_ms);
/* Into the spool. False: traps are in kept. */
bool intake_end(struct intake *intake);

/* What is kept goes into the spool, if it can by now: all of it or nothing. Not within a lot. */
void intake_spool_kept(struct intake *intake);

void intake_release(struct intake *intake);

#endif
