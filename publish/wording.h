/* A line of a block in the words of a log, as "key=value" with blanks between, and its severity.
 * Pure. */
#ifndef DCAMP_PUBLISH_WORDING_H
#define DCAMP_PUBLISH_WORDING_H

#include "publish/lines.h"
#include "publish/octets.h"

/* What there is to tell about a line: names and texts, of any octets, in the order of a sentence.
 */
struct wording_field {
    const char *name; /* "sensor" */
    const char *text;
    size_t len;
};
#define WORDING_FIELDS_MAX 16
struct wording {
    size_t n;
    struct wording_field field[WORDING_FIELDS_MAX];
    char value[DOUBLE_SIZE], id[DOUBLE_SIZE];
};

/* Of values and alarms: node, group, sensor, instance, metric, unit, value, state; of alarms limit,
 * threshold, id, acknowledged, message. What is empty is left out. The wording points into itself
 * and into the line. */
void wording_of(struct wording *wording, const struct line *line);

/* value node=node7 sensor=cpu instance=total value=97.5 unit=% state=valid
 * alarm node=node7 sensor=cpu value=97.5 state=critical limit=90 id=3 message="cpu is 97.5 %"
 * A text that has a blank, a quote, "=" or a backslash is in quotes, with a backslash before each
 * quote and backslash; control characters and octets that are not UTF-8 become '?'. */
void wording_add(struct octets *text, const struct line *line, const struct wording *wording);

/* The severity of RFC 5424: values 6 (informational); of alarms, info 5 (notice), warning 4,
 * critical 2, cleared 5. */
int wording_severity(const struct line *line);

#endif
