/* What blocks say apart from values and windows, as rows: alarms, executions of steps, and
 * the keys that have most of a top.
 *
 * Table alarm has one row for each time an alarm was active, from when it was raised (since) to
 * when that ended (cleared, NULL: it is active), both in milliseconds since 1970, with its texts as
 * they were told last (report/report.h). A ring of blocks tells each alarm again and again, and a
 * collector also tells those of its children: that is one alarm if path, key and time are the same.
 * The path is that from the publishing node down to the one that raised it. Table told has which
 * stream tells which alarm by which number, as in children/alarms.c. Its rows become stale when a
 * block is missing, or the node has begun anew. Once everything has been told again, which its
 * hashes show, alarms that are still stale have ended. An alarm that is active when a month ends is
 * in the file of the next month, too, and that row is the one that counts.
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

/* These work in the transaction of the caller, and return SQLITE_OK or an error of SQLite. */

/* Takes an entry of a block, if it is one of these; the names of the stream must have been read. */
int events_take(const struct stream *stream, struct statements *sql,
                const struct report_entry *entry, struct events_counts *counts);

/* A block of the stream is missing, or its numbers begin anew: what it told may have ended. */
int events_miss(const struct stream *stream, struct statements *sql);

#endif
