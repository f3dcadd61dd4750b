/* Lines: what a block says, one by one, each with all that a line of a file or of a log tells.
 * Pure.
 *
 * A window that was cut (report/report.h) has one line, for its first part, without quantiles,
 * since its histogram is not whole. Each key has a line. */
#ifndef DCAMP_PUBLISH_LINES_H
#define DCAMP_PUBLISH_LINES_H

#include "base/limits.h"
#include "publish/entries.h"

enum line_kind { LINE_VALUE, LINE_WINDOW, LINE_RECORD, LINE_KEY, LINE_ALARM, LINE_ALARM_CLEARED };

/* Which kinds are wanted: 1 << enum line_kind. */
#define LINES_ALL 0x3fu
#define LINES_OF_LOGS (1u << LINE_VALUE | 1u << LINE_ALARM | 1u << LINE_ALARM_CLEARED)

#define LINE_NODE_SIZE (2 * ALARM_PATH_SIZE)

struct line {
    enum line_kind kind;
    const struct sink_stream *stream;
    uint32_t number; /* of the block */
    uint32_t line;   /* within it: struct entry */
    uint32_t series; /* of the stream; 0: of an alarm */
    int64_t wall_ms;
    char node[LINE_NODE_SIZE]; /* from the publishing node down to the node that it is about:
                                  "collector1/node7"; of the publishing node itself, its name */
    /* Of an alarm, its own: at most 32, 64, 0 and 0 octets. */
    struct sink_words words;
    const char *state; /* "valid", "gap", "unavailable"; of an alarm "info", "warning", "critical"
                        * or "cleared" */
    double value;      /* of a LINE_VALUE that is valid, else not a number */
    const struct report_window *window; /* of LINE_WINDOW; it has moments */
    double deviation;
    bool has_quantiles;
    double p50, p90, p99;
    const struct report_record *record; /* of LINE_RECORD */
    const struct top_key *key;          /* of LINE_KEY */
    const struct report_alarm *alarm;   /* of LINE_ALARM */
    uint32_t alarm_id;                  /* of both kinds of lines about alarms */
    uint32_t alarm_hash; /* of LINE_ALARM: changes if anything of the alarm changes */
};

const char *line_kind_word(enum line_kind kind);

/* Returns 0 to go on, or an errno, which ends it. The line is valid during the call. */
typedef int line_fn(void *context, const struct line *line);

/* Gives all lines of a block that are of the kinds, and of sensors that match the pattern; alarms
 * always match. nameless: as of entries_each(). 0; what each() returned; EBADMSG, ENOMEM. */
int lines_each(const struct sink_block *block, unsigned kinds, const char *sensors, line_fn *each,
               void *context, uint64_t *nameless);

#endif
