/* The saver: a thread that puts the state file and the audit on disk, so that nobody else waits for
 * a disk. */
#ifndef DCAMP_DAEMON_SAVER_H
#define DCAMP_DAEMON_SAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct saver;

/* How much a text has of what changes all the time: both only grow. */
struct save_mark {
    uint64_t alarms;  /* changes of the alarms */
    uint64_t commits; /* SETs */
};

struct saver_status {
    bool busy;              /* a text waits or is being written */
    bool failed;            /* the last attempt did: it must be tried again */
    bool learned_failed;    /* the last attempt to write what was learnt did */
    struct save_mark saved; /* of the text on disk; all 0: none of this saver's */
    struct save_mark tried; /* of the last attempt */
    int64_t saved_ms;       /* wall clock of the last success; 0: none yet */
    uint64_t errors;
};

/* Is called by the saver's thread after each attempt. */
typedef void saver_done_fn(void *context);

/* Starts the thread. NULL: no memory or no thread. */
struct saver *saver_start(const char *dir, saver_done_fn *done, void *context);

/* Hands over a malloced text, which is freed; it replaces one that still waits. */
void saver_submit(struct saver *saver, char *text, size_t len, struct save_mark mark);

/* Whether what was appended before is written: if that failed, it is tried again now. */
bool saver_wants_lines(struct saver *saver);

/* Hands over malloced lines to be appended to a file, which is kept as .1 and begun anew before it
 * would have more than most octets. Only after saver_wants_lines. */
void saver_append(struct saver *saver, const char *path, uint64_t most, char *lines, size_t len);

struct saver_status saver_status(struct saver *saver);

/* Hands over malloced octets of learned_file.h, which are freed; they replace some that still wait.
 * A failure is logged once, until it is over: the next ones come in an hour. */
void saver_submit_learned(struct saver *saver, uint8_t *octets, size_t n);

/* Writes what waits and ends the thread. 0, or the errno of the last attempt to write the state:
 * what has changed since status.saved_ms is lost then. NULL is allowed. */
int saver_stop(struct saver *saver);

#endif
