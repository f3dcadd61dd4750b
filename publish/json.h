/* An entry as an object of JSON (RFC 8259): the sink json writes it, and brokers have it as
 * messages. */
#ifndef DCAMP_PUBLISH_JSON_H
#define DCAMP_PUBLISH_JSON_H

#include "publish/lines.h"
#include "publish/octets.h"

/* A line. Members of every object:
 *   "time"    of the entry, in UTC: "2026-11-26T23:59:58.120Z"; and "t": in ms since 1970
 *   "node"    from the publishing node down: "collector1/node7"; itself by its name; and "group",
 *             where it has one
 *   "kind"    "value", "window", "record", "key", "alarm", "alarm-cleared"
 *   "state"   "valid", "gap", "unavailable"; of an alarm "info", "warning", "critical", "cleared"
 * and, but for "alarm-cleared", "sensor" and "instance"; of all but alarms "metric" and "unit".
 *   value:    "value": null where the state is not "valid"
 *   window:   "window_ms", "count"; where that is not 0, "min", "max", "mean", "stddev"; "p50",
 *             "p90", "p99", null where the histogram is not in this block as a whole, or not
 *             reported; of an aggregate "sum", "expected", "oldest_ms"
 *   record:   "start_ns" since 1970, "duration_ns", "sequence", "result" (0: as it should be);
 *             "cpu_ns", "allocated", where they are known
 *   key:      "key", "count", "error"
 *   alarm:    "id", "index", "severity" (2 to 4), "since", "unconfirmed", "acknowledged" (times,
 * null where it is not), "threshold", "value", "limit", "message", "by" (who has acknowledged it)
 *   alarm-cleared: "id"
 * Texts are UTF-8; other octets, and characters that control a terminal or the direction of
 * text, become '?', except those below U+0020, which JSON escapes. */
void json_add(struct octets *text, const struct line *line);

/* The same for receivers that may get a line twice, with three more members:
 *   "stream"  "BOOT:ENGINE:NODE" of the node whose block it is: the engine ID in hexadecimal
 *             digits, empty if it is not known; NODE is as "node" is
 *   "block"   its number in the stream
 *   "line"    the number of the line in the block
 * A line that is written again has the same "stream", "block", "line" and "t", which no other line
 * has; apart from these, only the name of the node may differ. */
void json_add_numbered(struct octets *text, const struct line *line);

#endif
