/* Metrics as programs expose them over HTTP: the text format of Prometheus, version 0.0.4
 * (prometheus.io, "Exposition formats"), and OpenMetrics 1.0, which became of it. The text comes in
 * pieces of any size, and is never kept as a whole. Pure.
 *
 * It is read without trust. A line that is wrong costs one fault, which names it, and nothing else:
 * the line is left out, and reading goes on. What the text may cost in memory has limits: a line
 * that is too long is a fault; samples of too many families or series are left out and counted. */
#ifndef DCAMP_APPLICATION_OPENMETRICS_H
#define DCAMP_APPLICATION_OPENMETRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/limits.h"

enum openmetrics_format {
    OPENMETRICS_PROMETHEUS, /* "text/plain; version=0.0.4" */
    OPENMETRICS_1           /* "application/openmetrics-text; version=1.0.0" */
};

/* The format that a Content-Type of HTTP names. False: none of them, or another version. Without a
 * version, it is the one that there is. */
bool openmetrics_format(const char *content_type, enum openmetrics_format *format);

enum openmetrics_type {
    OPENMETRICS_UNKNOWN, /* without a type; or of the type "unknown" or "untyped" */
    OPENMETRICS_COUNTER,
    OPENMETRICS_GAUGE,
    OPENMETRICS_HISTOGRAM,
    OPENMETRICS_GAUGE_HISTOGRAM,
    OPENMETRICS_SUMMARY,
    OPENMETRICS_INFO,
    OPENMETRICS_STATE_SET,
    OPENMETRICS_TYPES
};

/* What a sample is to its family. */
enum openmetrics_part {
    OPENMETRICS_VALUE,    /* of a gauge, or of an unknown type */
    OPENMETRICS_TOTAL,    /* of a counter */
    OPENMETRICS_CREATED,  /* when a counter, a histogram or a summary began, in s since 1970 */
    OPENMETRICS_BUCKET,   /* how many were at most .bound: .bound is the label "le" */
    OPENMETRICS_SUM,      /* of all values of a histogram or a summary */
    OPENMETRICS_COUNT,    /* how many there were */
    OPENMETRICS_QUANTILE, /* of a summary: .bound, from 0 to 1, is the label "quantile" */
    OPENMETRICS_LABELS,   /* of an info, whose labels are what it says */
    OPENMETRICS_STATE     /* of a state set: 1 if .state is true */
};

#define OPENMETRICS_NAME_MAX 255  /* octets of the name of a family, a sample or a label */
#define OPENMETRICS_LABELS_MAX 64 /* of one sample */

struct openmetrics_family {
    char *name; /* without _total, _bucket and so on; of a counter of Prometheus with all */
    enum openmetrics_type type;
    char *unit; /* "": it has not said one */
    char *help; /* likewise; cut off where it is longer than MESSAGE_SIZE */
};

/* Without escapes, with a NUL behind them, valid UTF-8. Values may have control characters. */
struct openmetrics_label {
    const char *name;
    const char *value;
};

struct openmetrics_exemplar {
    const struct openmetrics_label *label;
    size_t n_labels;
    double value;
    bool has_time;
    double time_s; /* since 1970 */
};

/* All that is pointed at is there until the listener returns. */
struct openmetrics_sample {
    const struct openmetrics_family *family; /* as far as the lines before say */
    enum openmetrics_part part;
    const char *name; /* as it stands in the text */
    const struct openmetrics_label
        *label; /* in the order of the text, without le, quantile and state */
    size_t n_labels;
    double bound;      /* may be infinite; a number where part says so */
    const char *state; /* where part says so */
    double value;      /* any, also infinite or not a number */
    bool has_time;
    double time_s;                               /* since 1970 */
    const struct openmetrics_exemplar *exemplar; /* NULL: it has none */
    uint64_t line;
};

struct openmetrics_listener {
    /* 0, or an errno that ends the reading. */
    int (*sample)(void *context, const struct openmetrics_sample *sample);

    /* What is wrong with a line, in a sentence; NULL: nobody wants to know. */
    void (*fault)(void *context, uint64_t line, const char *why);
    void *context;
};

struct openmetrics_limits {
    size_t line;     /* octets */
    size_t families; /* with about 1 KiB each at the most */
    size_t series;   /* with about 100 octets each */
};

/* What fits every exporter of one program. */
#define OPENMETRICS_FAMILIES_MAX 2000
#define OPENMETRICS_SERIES_MAX 10000
#define OPENMETRICS_LIMITS                                                                         \
    {                                                                                              \
        .line = 16384, .families = OPENMETRICS_FAMILIES_MAX, .series = OPENMETRICS_SERIES_MAX      \
    }

struct openmetrics;

/* The seed is any number that the program whose text is read does not know. NULL: no memory. */
struct openmetrics *openmetrics_new(enum openmetrics_format format,
                                    const struct openmetrics_limits *limits, uint64_t seed,
                                    const struct openmetrics_listener *listener);
void openmetrics_free(struct openmetrics *reader);

/* Reads on. 0; ENOMEM or what the listener returned: the reader is then only to be freed. */
int openmetrics_feed(struct openmetrics *reader, const char *text, size_t len);

struct openmetrics_summary {
    uint64_t lines, samples;
    uint64_t faults; /* lines that were wrong */
    uint64_t beyond; /* samples of more families or series than the limits allow: left out */
    bool is_whole;   /* it ended where a text of its format ends */
};

/* The text is over: nothing is to be fed any more. What is missing at its end is a fault. */
void openmetrics_end(struct openmetrics *reader, struct openmetrics_summary *summary);

#endif
