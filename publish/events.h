/* What blocks say that is neither a value nor a window, as rows: alarms, executions of steps, and
 * the keys that have most of a top.
 *
 * Table alarm has one row for each time an alarm was active, from when it was raised (since) to
 * when that ended (cleared, NULL: it is active), both in milliseconds since 1970, with its texts as
 * they were told last (report/report.h). A ring of blocks tells each alarm again and again, and a
 * collector those of its children, too: that is one alarm if path, key and time are the same. The
 * path is that from the publishing node down to the one that raised it. Table told has who tells of
 * which alarm by which number, as children/alarms.c has it; rows of it are stale where a block is
 * missing, or the node has begun anew: once what is told again is all that there is, by its hashes,
 * alarms that are stale have ended. An alarm that is active when a month ends is in the file of the
 * next one, too, and that row is the one that counts.
 *
 * Table step has a row for each record of an execution; start and duration in nanoseconds, path as
 * above. Those that the publishing node relays for its children come in their own blocks.
 *
 * Table top has the keys of a top as they were at the end of each minute (latest is when they were
 * told), in parts as report_keys_read() reads them. */
#ifndef DCAMP_PUBLISH_EVENTS_H
#define DCAMP_PUBLISH_EVENTS_H

#include "publish/streams.h"

struct events_counts {
    uint64_t alarms, records, tops; /* entries that were taken */
};

/* Each works in the transaction of the caller, and returns SQLITE_OK or what SQLite says. */

/* Takes an entry of a block, if it is one of those; the names of the stream are read. */
int events_take(const struct stream *stream, struct statements *sql,
                const struct report_entry *entry, struct events_counts *counts);

/* A block of the stream is missing, or it counts anew: what it told may have ended. */
int events_miss(const struct stream *stream, struct statements *sql);

#endif
