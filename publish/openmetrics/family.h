/* Which family a series is of: its name, type, unit and help, by metric and unit. Pure.
 *
 * dcamp_METRIC, with '_' for what is neither letter nor digit, "_window" if it is of windows, and
 * the unit in words, as OpenMetrics wants it: "net.rx.bytes" in "B/s" is
 * dcamp_net_rx_bytes_per_second, "cpu.busy" in "%" dcamp_cpu_busy_percent.
 *
 * Only metrics of the registry and units of a list become part of a name, so that no name
 * that somebody else gives can be that of another family or of one of its samples. A metric that is
 * not in the registry, such as one of a device, is dcamp_value or dcamp_value_window; another unit
 * becomes a label. */
#ifndef DCAMP_PUBLISH_OPENMETRICS_FAMILY_H
#define DCAMP_PUBLISH_OPENMETRICS_FAMILY_H

#include <stdbool.h>

#include "publish/openmetrics/writing.h"

#define FAMILY_NAME_SIZE 160
#define FAMILY_UNIT_SIZE 64
#define FAMILY_HELP_SIZE 256

struct family_words {
    char name[FAMILY_NAME_SIZE];
    char unit[FAMILY_UNIT_SIZE]; /* "bytes_per_second"; "": none, or not in the list */
    char help[FAMILY_HELP_SIZE];
    enum writing_type type;
    bool needs_unit;   /* a label has to say it */
    bool needs_metric; /* likewise */
};

/* If the metric is a counter of the kernel, in its own unit, the value is that counter or what it
 * has grown by: it is not known which, so the type is unknown. */
void family_of(struct family_words *words, const char *metric, const char *unit, bool is_window);

#endif
