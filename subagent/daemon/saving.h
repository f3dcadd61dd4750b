/* When the state is saved, and what may leave the daemon before it is. Pure.
 *
 * Changes of thresholds and alarms are gathered for a second. A SET is saved at once, because its
 * answer waits for that; and so is what a notification tells, with one save after the other while
 * there are any. The text of 10,000 alarms takes some 50 ms, under the lock: the core spends a
 * tenth of its time on it, or more if a notification would wait for more than half a second; but
 * never more than a quarter, however large the state is. */
#ifndef DCAMP_DAEMON_SAVING_H
#define DCAMP_DAEMON_SAVING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/saver.h"

/* What there is to save. All members except serial only grow. */
struct saving_needs {
    uint32_t serial;       /* of the configuration */
    uint64_t changes;      /* counts all changes that are saved in addition to it */
    struct save_mark mark; /* counts some of these */
    uint64_t wanted;       /* the change of alarms that the latest notification needs to be saved */
    uint32_t given;        /* sequence number of the latest event */
};

struct saving {
    struct saving_needs begun; /* what the latest save includes */
    uint32_t reserved;         /* numbers up to here may be given before the next save */
    uint64_t last_ns;          /* when the latest save began */
    uint64_t cost_ns;          /* how much time it took the core */
    uint64_t progress_ns;      /* when alarms were last seen to be written to disk; 0: nothing
                                * waits */
    uint64_t seen;             /* up to which change of the alarms that was */
};

/* Whether there is something that the state file does not contain. */
bool saving_is_dirty(const struct saving *saving, const struct saver_status *status,
                     const struct saving_needs *needs);

/* When to save next: at once if it is now or in the past; UINT64_MAX: not before something changes,
 * or the saver has finished. */
uint64_t saving_due(const struct saving *saving, const struct saver_status *status,
                    const struct saving_needs *needs, uint64_t now_ns);

/* A save begins that includes all of needs; it records numbers up to reserved as given. */
void saving_begins(struct saving *saving, const struct saving_needs *needs, uint32_t reserved,
                   uint64_t now_ns, uint64_t cost_ns);

/* Whether what waits for the disk should wait no longer, because the last attempt failed, or
 * because nothing was written for so long plus the time of a save and the rest after it. To be
 * called in every cycle; due_ns: when to ask again at the latest. */
#define SAVING_PATIENCE_NS (5 * NS_PER_S)
bool saving_gives_up(struct saving *saving, const struct saver_status *status,
                     const struct saving_needs *needs, uint64_t now_ns, uint64_t *due_ns);

/* The state of a SET that is committed. */
enum saving_verdict { SAVING_WAITS, SAVING_SAVED, SAVING_FAILED };

/* commit: the count of commits after it; since_ns: when it was committed. A disk that takes longer
 * than this counts as failed, because the master waits for agentXTimeout, which is 5 s in the
 * drop-in. */
#define SAVING_COMMIT_NS (3 * NS_PER_S)
enum saving_verdict saving_of_commit(const struct saver_status *status, uint64_t commit,
                                     uint64_t since_ns, uint64_t now_ns);

#endif
