/* When the state is saved, and what may leave the daemon before it is. Pure.
 *
 * What the thresholds and alarms do is gathered for a second. A SET is saved at once, for its
 * answer waits for that; so is what a notification tells, one save behind the other while there is
 * any. The text of 10,000 alarms takes some 50 ms, under the lock: the core is at it for a tenth of
 * its time, or more where a notification would wait for more than half a second; but never for more
 * than a quarter, however large the state is. */
#ifndef DCAMP_DAEMON_SAVING_H
#define DCAMP_DAEMON_SAVING_H

#include <stdbool.h>
#include <stdint.h>

#include "daemon/saver.h"

/* What there is to save. All but serial only grow. */
struct saving_needs {
    uint32_t serial;       /* of the configuration */
    uint64_t changes;      /* of all that is saved besides it */
    struct save_mark mark; /* some of these */
    uint64_t wanted;       /* of the changes of alarms, up to the latest notification */
    uint32_t given;        /* sequence number of the latest event */
};

struct saving {
    struct saving_needs begun; /* what the latest save has */
    uint32_t reserved;         /* numbers up to here may be given before the next save */
    uint64_t last_ns;          /* when the latest save began */
    uint64_t cost_ns;          /* what it cost the core */
    uint64_t progress_ns;      /* when alarms were seen to be on disk; 0: nothing waits */
    uint64_t seen;             /* up to which change of theirs that was */
};

/* Whether there is something that the state file does not have. */
bool saving_is_dirty(const struct saving *saving, const struct saver_status *status,
                     const struct saving_needs *needs);

/* When to save next: now, or before, is at once; UINT64_MAX: when something changes, or the saver
 * has done what it is at. */
uint64_t saving_due(const struct saving *saving, const struct saver_status *status,
                    const struct saving_needs *needs, uint64_t now_ns);

/* A save begins that has all of needs; numbers up to reserved are saved as given. */
void saving_begins(struct saving *saving, const struct saving_needs *needs, uint32_t reserved,
                   uint64_t now_ns, uint64_t cost_ns);

/* Whether what waits for the disk should wait no longer: the last attempt failed, or nothing got
 * there for so long, and what a save and the rest behind it take. To be asked in every cycle;
 * due_ns: when to ask again at the latest. */
#define SAVING_PATIENCE_NS (5 * NS_PER_S)
bool saving_gives_up(struct saving *saving, const struct saver_status *status,
                     const struct saving_needs *needs, uint64_t now_ns, uint64_t *due_ns);

/* How a SET that is committed stands. */
enum saving_verdict { SAVING_WAITS, SAVING_SAVED, SAVING_FAILED };

/* commit: the count of commits after it; since_ns: when it was committed. A disk that takes longer
 * than this has failed: the master waits for agentXTimeout, 5 s in the drop-in. */
#define SAVING_COMMIT_NS (3 * NS_PER_S)
enum saving_verdict saving_of_commit(const struct saver_status *status, uint64_t commit,
                                     uint64_t since_ns, uint64_t now_ns);

#endif
