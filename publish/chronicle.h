/* The history in SQLite (sqlite.org): a directory with a file for each month, which one process
 * writes and any number of others read meanwhile (publish/history.h).
 *
 * A file holds what came in its month, whichever time it is of: "history-2026-11.db". Blocks are
 * put into its inbox as they came, together with how far each stream was read, so that after any
 * end nothing is missing and nothing is there twice. Once the inbox of a stream is large or old, it
 * is digested in one transaction: its samples become chunks (publish/points.h), in a table for each
 * day, its samples and windows are added to the cells (publish/cells.h) of minutes and hours.
 * Alarms, executions of steps and the keys of tops are in tables of their own as soon as their
 * block is (publish/events.h).
 *
 * What is older than it is to be goes, and so does the oldest while all files together are larger
 * than they may be: publish/expiry.h.
 *
 * A file that is broken is renamed, with ".broken" and the time behind its name, and a new one is
 * begun: that is said, and nothing that comes then is lost. So is one of another version of dCAMP,
 * with ".version" in its name: nothing of it is read or written. */
#ifndef DCAMP_PUBLISH_CHRONICLE_H
#define DCAMP_PUBLISH_CHRONICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "publish/sink.h"

#define CHRONICLE_ERROR_SIZE 512

struct chronicle_settings {
    const char *directory;              /* which is there */
    int64_t raw_ms, minute_ms, hour_ms; /* how long each is kept; 0: there are none of them */
    uint64_t octets;                    /* of all files, at most; 0: no limit */
    size_t inbox_octets;                /* of one stream, which are digested then */
    int64_t inbox_ms;                   /* likewise: how old they become */
    bool outlasts_power;                /* what is committed is there even if the machine loses its
                                         * power at once; without it, all is but the last commits */
};

/* What the inbox of a stream may become where nobody says anything else. */
#define CHRONICLE_INBOX_OCTETS ((size_t)64 << 10)
#define CHRONICLE_INBOX_MS INT64_C(3600000)

struct chronicle_counters {
    uint64_t blocks, doubles;       /* that came, and of these, those that had come before */
    uint64_t samples, windows;      /* that were digested */
    uint64_t alarms, records, tops; /* entries that were written */
    uint64_t nameless, beyond;      /* entries that were left out: struct digest */
    uint64_t bad;                   /* blocks that are none */
    uint64_t broken;                /* files that were put aside, those of other versions, too */
    uint64_t broken_rows;           /* of minutes and hours that could not be read: begun anew */
    uint64_t evicted;               /* how often something went before its time */
};

struct chronicle;

/* NULL: it cannot, and error says why: another process has the directory, or it cannot be written.
 * now_ms: since 1970, here and below. */
struct chronicle *chronicle_open(const struct chronicle_settings *settings, int64_t now_ms,
                                 char error[CHRONICLE_ERROR_SIZE]);
void chronicle_close(struct chronicle *chronicle);

const struct chronicle_counters *chronicle_counters(const struct chronicle *chronicle);

/* How far each stream was read, by what is committed. What each() gets is valid during the call. */
void chronicle_cursors(struct chronicle *chronicle, sink_cursor_fn *each, void *context);

/* These two belong to a transaction, which begins with the first of them. 0, or an errno: EIO,
 * ENOSPC, EROFS, EBUSY, ENOMEM. Then all since the last commit is undone, and is to be told again.
 * EBADMSG: likewise, and a new file was begun.
 *
 * Streams of the same path are those of one node for who reads, but those of another boot or
 * another engine have cursors and names of their own. */

/* A block that came at now_ms. One that came before is left out, and counted. */
int chronicle_block(struct chronicle *chronicle, const struct sink_block *block, int64_t now_ms);

/* The node has begun to count the blocks of the stream anew, with the same boot: those that came
 * are digested, their names forgotten, and the next one may have any number. */
int chronicle_count_anew(struct chronicle *chronicle, const struct sink_stream *stream,
                         int64_t now_ms);

/* What came since the last commit is there to stay. Errors as above. */
int chronicle_commit(struct chronicle *chronicle, int64_t now_ms);

/* Digests the inbox of one stream, if one is due, or with all, whatever is in it; begins the file
 * of another month; removes what is too old or too much. Commits. *more: there is more to do. */
int chronicle_step(struct chronicle *chronicle, int64_t now_ms, bool all, bool *more);

/* Why the last of these failed. */
const char *chronicle_error(const struct chronicle *chronicle);

#endif
