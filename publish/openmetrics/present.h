/* What is now: the newest value of each series of each node, the last window of each, and the
 * active alarms, as a text of metrics. Pure but for memory; who shares it between threads locks it.
 *
 * A series is there while its value is known: it goes where the node says so, where it is not heard
 * for long, or counts as another boot. What a node holds back, because it has hardly changed, is
 * the value still. Timestamps are not told: Prometheus marks as stale what was in the scrape before
 * and is not any more only where it has none, and takes none that is older than what it has. */
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
    int64_t silent_ms; /* so long may a node say nothing */
    /* What a node keeps comes at once when a process begins, the oldest first: its series are shown
     * when nothing has come of it for so long, or what comes has come for SETTLE_MOST times as
     * long. */
    int64_t settle_ms;
    const char *sensors; /* globs: values of these only; "": all. It must stay */
};

/* NULL: no memory. */
struct present *present_new(const struct present_settings *settings);
void present_free(struct present *present);

/* Takes a block. 0; ENOMEM; EBADMSG. After a failure, a part of it may have been taken. now_ms:
 * when it came. */
int present_take(struct present *present, const struct sink_block *block, int64_t now_ms);

/* The stream is counted anew: nothing that was known of it counts any more. */
void present_count_anew(struct present *present, const struct sink_stream *stream);

/* Forgets nodes of which nothing was heard for PRESENT_FORGET times as long as one may be silent,
 * and windows that have no successor. */
#define PRESENT_FORGET 100
void present_step(struct present *present, int64_t now_ms);

/* How far each stream is, of which something is here. */
void present_cursors(const struct present *present, sink_cursor_fn *each, void *context);

/* Grows whenever something has changed. */
uint64_t present_version(const struct present *present);

/* All of it. Look at octets->failed. */
void present_write(struct present *present, struct octets *octets, enum writing_format format,
                   int64_t now_ms);

#endif
