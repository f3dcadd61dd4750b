/* The rows of dcampProcessRankTable: which processes use most at this moment. They are made while
 * somebody reads them; otherwise no memory is used and no look is made. */
#ifndef DCAMP_DAEMON_RANKED_H
#define DCAMP_DAEMON_RANKED_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/clock.h"
#include "base/index.h"
#include "sample/process/usage.h"

/* While the rows are read, the processes are looked at this often at most, and so seldom that
 * looking takes no more than this part of the time. */
#define RANKED_EVERY_NS NS_PER_S
#define RANKED_SHARE 100
/* How long the rows are kept after somebody last read them. */
#define RANKED_KEPT_NS (30 * NS_PER_S)

struct ranked_row {
    struct index_node node; /* key: order + 1, rank */
    uint32_t key[2];
    struct usage_rank rank;
};

struct ranked {
    struct index rows;   /* read under the lock, and so are the following */
    uint64_t looked_ns;  /* monotonic; 0: there are no rows */
    uint64_t span_ns;    /* the span of time that the shares of the CPU refer to; 0: there are none
                          * yet */
    size_t processes;    /* how many the machine has */
    atomic_bool asked;   /* set by the agent: somebody reads the rows */
    const char *root;    /* core thread only, like the following */
    struct looking *own; /* NULL: nobody reads the rows */
    uint64_t asked_ns;   /* when somebody last read them */
    uint64_t due_ns;     /* the next look is not made before this time */
};

/* Looks at processes below root, which must stay valid. */
void ranked_open(struct ranked *ranked, const char *root);
void ranked_close(struct ranked *ranked);

/* Somebody reads the rows. True: the core must be woken. */
bool ranked_ask(struct ranked *ranked);

/* When there is something to do; 0: now; UINT64_MAX: not until somebody asks. */
uint64_t ranked_due(const struct ranked *ranked);

/* Looks if that is due, and takes the lock only to publish the rows. The first look cannot know any
 * share of the CPU yet, and is always followed by a second one. */
void ranked_update(struct ranked *ranked, pthread_mutex_t *lock, uint64_t now_ns);

#endif
