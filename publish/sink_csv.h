/* The sink "csv": files of lines as in RFC 4180, in UTF-8, for spreadsheets and statistics.
 * publish/outfile.h says which files. */
#ifndef DCAMP_PUBLISH_SINK_CSV_H
#define DCAMP_PUBLISH_SINK_CSV_H

#include "publish/lines.h"
#include "publish/octets.h"

extern const struct sink_type sink_csv;

/* The first line of a file, and one for each line of a block. Columns, empty where there is nothing
 * to tell:
 *   time      of the entry, in UTC: 2026-11-26T23:59:58.120Z
 *   node      from the publishing node down: collector1/node7; that node itself by its name
 *   group, sensor, instance, metric, unit
 *   kind      value, window, record, key, alarm, alarm-cleared
 *   value     of a value; of a record its duration in ns (unit ns); of a key its count; of an
 *             alarm that of its sensor
 *   count, min, max, mean, stddev, p50, p90, p99
 *             of a window, over all its values; the quantiles are within 1 %
 *   state     valid, gap, unavailable; of a record its result, 0 if it was as it should be; of
 *             an alarm its severity, and cleared
 *   id        of an alarm, among those of the stream; the line that clears it has the same
 *   text      of an alarm its message, of a key the key
 * Numbers are the shortest that are read as the same double. Control characters in texts, and
 * octets that are not UTF-8, become '?'. A text that a spreadsheet would take for a formula, since
 * it begins with one of = + - @, has a ' in front (OWASP, CSV Injection). */
extern const char csv_header[];
void csv_add(struct octets *text, const struct line *line);

/* Adds one text, as it stands between commas. */
void csv_add_cell(struct octets *text, const char *cell, size_t len);

#endif
