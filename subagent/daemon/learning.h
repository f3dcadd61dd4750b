/* When what was learnt of seasons is saved: every hour, and at the end. That is not more often than
 * a disk sees anyway. What a kill costs is an hour at most, and that is a gap to a model; or it is
 * all that was learnt, where seven seasons are shorter than that, which is learnt anew in minutes.
 */
#ifndef DCAMP_DAEMON_LEARNING_H
#define DCAMP_DAEMON_LEARNING_H

#include "daemon/saver.h"
#include "watch/restart.h"

struct learning {
    uint64_t due_ns;    /* monotonic; 0: not settled yet */
    bool is_on_disk;    /* there is a file, which may have what there is no more */
    bool is_unreadable; /* and it may be read tomorrow: nothing is written over it */
    bool is_full;       /* the last time, there was more than it may have, which was said */
};

/* Takes what a former life has left to the watches, which have none yet. What cannot be read is
 * said, and what is damaged put aside; the models learn anew then. */
void learning_read(struct learning *learning, struct watches *watches, const char *dir);

/* To be called in each cycle: saves if it is time to. */
void learning_step(struct learning *learning, struct watches *watches, struct saver *saver,
                   struct moment now);

/* Hands over all there is, if there is something, or was. */
void learning_save(struct learning *learning, const struct watches *watches, struct saver *saver);

#endif
