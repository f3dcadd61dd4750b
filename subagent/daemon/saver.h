/* The saver: a thread that writes the state file and the audit to disk, so that nobody else waits
 * for a disk. */
#ifndef DCAMP_DAEMON_SAVER_H
#define DCAMP_DAEMON_SAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct saver;

/* How much a text includes of what changes all the time: both members only grow. */
struct save_mark {
    uint64_t alarms;  /* changes of the alarms */
    uint64_t commits; /* SETs */
};

struct saver_status {
    bool busy;              /* a text waits or is being written */
    bool failed;            /* the last attempt failed, and must be repeated */
    bool learned_failed;    /* the last attempt to write what was learnt failed */
    struct save_mark saved; /* that of the text on disk; all 0: this saver has written none */
    struct save_mark tried; /* of the last attempt */
    int64_t saved_ms;       /* wall clock of the last success; 0: there was none yet */
    uint64_t errors;
};

/* Called by the saver's thread after each attempt. */
typedef void saver_done_fn(void *context);

/* Starts the thread. NULL: no memory or no thread. */
struct saver *saver_start(const char *dir, saver_done_fn *done, void *context);

/* Hands over a malloced text, which the saver frees; it replaces one that still waits. */
void saver_submit(struct saver *saver, char *text, size_t len, struct save_mark mark);

/* Whether what was appended before has been written; if that failed, it is tried again now. */
bool saver_wants_lines(struct saver *saver);

/* Hands over malloced lines to be appended to a file. Before the file would have more than most
 * octets, it is kept as .1 and begun anew. To be called only after saver_wants_lines. */
void saver_append(struct saver *saver, const char *path, uint64_t most, char *lines, size_t len);

struct saver_status saver_status(struct saver *saver);

/* Hands over malloced octets of learned_file.h, which the saver frees; they replace any that still
 * wait. A failure is logged once, until it is over: the next octets come in an hour. */
void saver_submit_learned(struct saver *saver, uint8_t *octets, size_t n);

/* Writes what waits and ends the thread. Returns 0, or the errno of the last attempt to write the
 * state: then all changes since status.saved_ms are lost. NULL is allowed. */
int saver_stop(struct saver *saver);

#endif
