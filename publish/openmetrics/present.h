/* What is now: the newest value of each series of each node, the last window of each, and the
 * active alarms, as a text of metrics. Pure but for memory; threads that share it must lock it.
 *
 * A series is there while its value is known: it goes when the node says so, when the node is not
 * heard for long, or when another boot counts. What a node holds back because it has hardly changed
 * is still the value. Timestamps are not told: only without them, Prometheus marks as stale what
 * was in the scrape before and is missing now; and it takes none that is older than what it has. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_PRESENT_H
#define DCAMP_PUBLISH_OPENMETRICS_PRESENT_H

#include <stddef.h>
#include <stdint.h>

#include "publish/openmetrics/writing.h"
#include "publish/sink.h"

struct present;

#define SETTLE_MOST 30

struct present_settings {
    size_t limit;      /* of series and alarms, all together */
    int64_t silent_ms; /* how long a node may say nothing */
    /* When a process begins, what a node keeps comes at once, the oldest first. So its series are
     * shown only when nothing has come from it for so long, or blocks have come for SETTLE_MOST
     * times as long. */
    int64_t settle_ms;
    const char *sensors; /* globs: values of these only; "": all. It must stay */
};

/* NULL: no memory. */
struct present *present_new(const struct present_settings *settings);
void present_free(struct present *present);

/* Takes a block. 0; ENOMEM; EBADMSG. After a failure, a part of it may have been taken. now_ms:
 * when it came. */
int present_take(struct present *present, const struct sink_block *block, int64_t now_ms);

/* The numbers of the stream begin anew: nothing that was known of it counts any more. */
void present_count_anew(struct present *present, const struct sink_stream *stream);

/* Forgets nodes from which nothing was heard for PRESENT_FORGET times as long as a node may be
 * silent, and windows that had no successor for long. */
#define PRESENT_FORGET 100
void present_step(struct present *present, int64_t now_ms);

/* Tells how far each stream is of which something is here. */
void present_cursors(const struct present *present, sink_cursor_fn *each, void *context);

/* Grows whenever something has changed. */
uint64_t present_version(const struct present *present);

/* Writes all of it. The caller has to look at octets->failed. */
void present_write(struct present *present, struct octets *octets, enum writing_format format,
                   int64_t now_ms);

#endif
