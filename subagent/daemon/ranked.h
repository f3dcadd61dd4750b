/* The rows of dcampProcessRankTable: which processes use most at this moment. They are made while
 * somebody reads them; while nobody does there is nothing, neither memory nor a look. */
#ifndef DCAMP_DAEMON_RANKED_H
#define DCAMP_DAEMON_RANKED_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/index.h"
#include "sample/process/usage.h"

/* While they are read the processes are looked at so often at most; and so seldom that a look takes
 * no more than this part of the time. */
#define RANKED_EVERY_NS NS_PER_S
#define RANKED_SHARE 100
/* So long after somebody has read them for the last time they are given up. */
#define RANKED_KEPT_NS (30 * NS_PER_S)

struct ranked_row {
    struct index_node node; /* key: order + 1, rank */
    uint32_t key[2];
    struct usage_rank rank;
};

struct ranked {
    struct index rows;   /* read under the lock, as what follows */
    uint64_t looked_ns;  /* monotonic; 0: there are no rows */
    uint64_t span_ns;    /* that the shares of the CPU are of; 0: there are none yet */
    size_t processes;    /* all of the machine */
    atomic_bool asked;   /* the agent: somebody reads */
    const char *root;    /* core thread only, as what follows */
    struct looking *own; /* NULL: nobody reads */
    uint64_t asked_ns;   /* when somebody read last */
    uint64_t due_ns;     /* not before this is the next look */
};

/* Looks below root, which stays the caller's. */
void ranked_open(struct ranked *ranked, const char *root);
void ranked_close(struct ranked *ranked);

/* Somebody reads. True: the core is to be woken. */
bool ranked_ask(struct ranked *ranked);

/* When there is something to do; 0: now; UINT64_MAX: when somebody asks. */
uint64_t ranked_due(const struct ranked *ranked);

/* Looks if that is due, and takes the lock only to publish the rows. The first look knows no share
 * of the CPU yet, and is followed by a second one in any case. */
void ranked_update(struct ranked *ranked, pthread_mutex_t *lock, uint64_t now_ns);

#endif
