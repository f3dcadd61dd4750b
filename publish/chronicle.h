/* The history in SQLite (sqlite.org): a directory with a file for each month, which one process
 * writes and any number of others read meanwhile (publish/history.h).
 *
 * A file holds what came in its month, even if it is of another time: "history-2026-11.db". Blocks
 * are put into its inbox as they came, together with how far each stream was read, so that after
 * any end nothing is missing and nothing is there twice. Once the inbox of a stream is large or
 * old, it is digested in one transaction: its samples become chunks (publish/points.h), in a table
 * for each day, its samples and windows are added to the cells (publish/cells.h) of minutes and
 * hours. Alarms, executions of steps and the keys of tops are written into tables of their own
 * together with their block (publish/events.h).
 *
 * What is older than it may become is removed, and so is the oldest while all files together are
 * larger than they may be: publish/expiry.h.
 *
 * A file that is broken is renamed, with ".broken" and the time behind its name, and a new one is
 * begun: this is logged, and nothing that comes afterwards is lost. A file of another version of
 * dCAMP is renamed, too, with ".version" in its name: nothing of it is read or written. */
#ifndef DCAMP_PUBLISH_CHRONICLE_H
#define DCAMP_PUBLISH_CHRONICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "publish/sink.h"

#define CHRONICLE_ERROR_SIZE 512

struct chronicle_settings {
    const char *directory;              /* which must exist */
    int64_t raw_ms, minute_ms, hour_ms; /* how long each is kept; 0: there are none of them */
    uint64_t octets;                    /* of all files, at most; 0: no limit */
    size_t inbox_octets;                /* of one stream: when it has so many, it is digested */
    int64_t inbox_ms;                   /* likewise: when its oldest block is so old */
    bool outlasts_power; /* what is committed is kept even if the machine loses its power at once;
                            otherwise the last commits may be lost then */
};

/* The limits of the inbox of a stream, unless something else is configured. */
#define CHRONICLE_INBOX_OCTETS ((size_t)64 << 10)
#define CHRONICLE_INBOX_MS INT64_C(3600000)

struct chronicle_counters {
    uint64_t blocks, doubles;       /* that came; and those of them that had come before */
    uint64_t samples, windows;      /* that were digested */
    uint64_t alarms, records, tops; /* entries that were written */
    uint64_t nameless, beyond;      /* entries that were left out: see struct digest */
    uint64_t bad;                   /* blocks that could not be decoded */
    uint64_t broken;      /* files that were put aside, including those of other versions */
    uint64_t broken_rows; /* of minutes and hours that could not be read, and were begun anew */
    uint64_t evicted;     /* how often something was removed before its time */
};

struct chronicle;

/* NULL: it cannot be opened, and error says why: another process has the directory, or it cannot be
 * written. now_ms: since 1970, here and below. */
struct chronicle *chronicle_open(const struct chronicle_settings *settings, int64_t now_ms,
                                 char error[CHRONICLE_ERROR_SIZE]);
void chronicle_close(struct chronicle *chronicle);

const struct chronicle_counters *chronicle_counters(const struct chronicle *chronicle);

/* Tells how far each stream was read and committed. What each() gets is valid during the call. */
void chronicle_cursors(struct chronicle *chronicle, sink_cursor_fn *each, void *context);

/* These two belong to a transaction, which begins with the first of them. 0, or an errno: EIO,
 * ENOSPC, EROFS, EBUSY, ENOMEM. After an error, everything since the last commit is undone and has
 * to be told again. EBADMSG: likewise, and a new file was begun.
 *
 * For readers, streams of the same path are those of one node; but those of another boot or another
 * engine have cursors and names of their own. */

/* A block that came at now_ms. One that came before is left out, and counted. */
int chronicle_block(struct chronicle *chronicle, const struct sink_block *block, int64_t now_ms);

/* The node has begun to count the blocks of the stream anew, in the same boot: the blocks that have
 * come are digested, their names are forgotten, and the next block may have any number. */
int chronicle_count_anew(struct chronicle *chronicle, const struct sink_stream *stream,
                         int64_t now_ms);

/* Commits what has come since the last commit. Errors as above. */
int chronicle_commit(struct chronicle *chronicle, int64_t now_ms);

/* Digests the inboxes of some streams that are due, or with all, of any that have something; begins
 * the file of another month; removes what is too old or too much. Commits. *more: there is more to
 * do. */
int chronicle_step(struct chronicle *chronicle, int64_t now_ms, bool all, bool *more);

/* Why the last of these failed. */
const char *chronicle_error(const struct chronicle *chronicle);

#endif
