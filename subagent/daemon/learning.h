/* When what was learnt of seasons is saved: every hour, and at the end. That is not more often than
 * a disk is used anyway. A kill costs at most the last hour, which is just a gap to a model; if
 * seven seasons are shorter than an hour, it costs everything that was learnt, which is learnt anew
 * in minutes. */
#ifndef DCAMP_DAEMON_LEARNING_H
#define DCAMP_DAEMON_LEARNING_H

#include "daemon/saver.h"
#include "watch/restart.h"

struct learning {
    uint64_t due_ns;    /* monotonic; 0: not set yet */
    bool is_on_disk;    /* there is a file, which may contain models that do not exist any more */
    bool is_unreadable; /* the file may be readable later, so it is not overwritten */
    bool is_full;       /* the last time, there was more than the file may contain, which was
                         * logged */
};

/* Gives what an earlier run has left to the watches, which must have none yet. What cannot be read
 * is logged, and a damaged file is put aside; then the models learn anew. */
void learning_read(struct learning *learning, struct watches *watches, const char *dir);

/* To be called in each cycle: saves if it is time. */
void learning_step(struct learning *learning, struct watches *watches, struct saver *saver,
                   struct moment now);

/* Hands over everything, if there is anything, or was. */
void learning_save(struct learning *learning, const struct watches *watches, struct saver *saver);

#endif
