/* InfluxDB's line protocol: a point for each line of a block. Pure.
 *
 * https://docs.influxdata.com/influxdb/v1/write_protocols/line_protocol_reference/ */
#ifndef DCAMP_PUBLISH_INFLUX_H
#define DCAMP_PUBLISH_INFLUX_H

#include "publish/lines.h"
#include "publish/octets.h"

/* The measurement is the sensor; of alarms it is "dcamp.alarm". Tags, in this order, which is that
 * of their names; one that would be empty is left out: group, id (of an alarm), instance, key (of a
 * top), metric, node, sensor (of an alarm), unit. Fields:
 *   of a value   value; there is no point for a gap
 *   of a window  count and window_ms, integers; min, max, mean, stddev; p50, p90, p99 where the
 *                line has quantiles; without values only the integers
 *   of a record  duration_ns, result, sequence and, where they are known, cpu_ns and allocated,
 *                integers; its time is its beginning
 *   of a key     keycount and keyerror, integers
 *   of an alarm  state and, until it is cleared, message, texts; value, where it is a number
 * Times are in nanoseconds, which a server assumes unless it is told otherwise. Larger integers
 * become 2^63-1. Floating-point numbers are the shortest that are read as the same double.
 *
 * Control characters, and octets that are not UTF-8, become '?'. So does a backslash in a name or
 * tag that a server might take for an escape, since the protocol has no way to write it: at the
 * end, and before one of , = \ t n f r and a blank; and '#' at the beginning of a line, where it
 * would be a comment.
 *
 * False: this line has no point: it is a gap, or a time that does not fit. */
bool influx_add(struct octets *text, const struct line *line);

#endif
