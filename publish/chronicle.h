/* The history in SQLite (sqlite.org): a directory with a file for each month, which one process
 * writes and any number of others read meanwhile (publish/history.h).
 *
 * A file holds what came in its month, whichever time it is of: "history-2026-11.db". Blocks are
 * put into its inbox as they came, together with how far each source was read, so that after any
 * end nothing is missing and nothing is there twice. Once the inbox of a source is large or old, it
 * is digested in one transaction: its samples become chunks (publish/points.h), in a table for each
 * day, its samples and windows are added to the cells (publish/cells.h) of minutes and hours.
 *
 * What is older than it is to be goes: days as whole tables, rows of minutes and hours, files. So
 * does the oldest, the raw values first, while all files together are larger than they may be.
 *
 * A file that is broken is renamed, with ".broken" and the time behind its name, and a new one is
 * begun: that is said, and nothing that comes then is lost. */
#ifndef DCAMP_PUBLISH_CHRONICLE_H
#define DCAMP_PUBLISH_CHRONICLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHRONICLE_ERROR_SIZE 512

struct chronicle_settings {
    const char *directory;              /* which is there */
    int64_t raw_ms, minute_ms, hour_ms; /* how long each is kept */
    uint64_t octets;                    /* of all files, at most; 0: no limit */
    size_t inbox_octets;                /* of one source, which are digested then */
    int64_t inbox_ms;                   /* likewise: how old they become */
};

struct chronicle_counters {
    uint64_t blocks, doubles;  /* that came, and of these, those that had come before */
    uint64_t samples, windows; /* that were digested */
    uint64_t nameless, beyond; /* entries that were left out: struct digest */
    uint64_t bad;              /* blocks that are none */
    uint64_t broken;           /* files that were put aside */
    uint64_t evicted;          /* days and files that went before their time */
};

struct chronicle_words {
    const char *sensor, *instance, *metric, *unit;
};

struct chronicle;

/* NULL: it cannot, and error says why: another process has the directory, or it cannot be written.
 * now_ms: since 1970, here and below. */
struct chronicle *chronicle_open(const struct chronicle_settings *settings, int64_t now_ms,
                                 char error[CHRONICLE_ERROR_SIZE]);
void chronicle_close(struct chronicle *chronicle);

const struct chronicle_counters *chronicle_counters(const struct chronicle *chronicle);

/* How far each source was read. */
typedef void chronicle_cursor_fn(void *context, const char *path, uint32_t boot, uint32_t next);
int chronicle_cursors(struct chronicle *chronicle, chronicle_cursor_fn *each, void *context);

/* All of these belong to a transaction, which begins with the first of them. 0, or an errno: EIO,
 * ENOSPC, EROFS, ENOMEM. Then all since the last commit is undone, and is to be told again.
 * EBADMSG: likewise, and a new file was begun, in which no number means anything yet: names are to
 * be told again, too. */

/* What a number of the source means. */
int chronicle_name(struct chronicle *chronicle, const char *path, uint32_t boot, uint32_t number,
                   const struct chronicle_words *words);

/* A block that came at now_ms. One that came before is left out, and counted. */
int chronicle_block(struct chronicle *chronicle, const char *path, uint32_t boot, uint32_t number,
                    const uint8_t *octets, size_t len, int64_t now_ms);

/* What came since the last commit is there to stay. */
int chronicle_commit(struct chronicle *chronicle);

/* Digests the inbox of one source, if one is due, or with all, whatever is in it; begins the file
 * of another month; removes what is too old or too much. Commits. *more: there is more to do. */
int chronicle_step(struct chronicle *chronicle, int64_t now_ms, bool all, bool *more);

/* Why the last of these failed. */
const char *chronicle_error(const struct chronicle *chronicle);

#endif
