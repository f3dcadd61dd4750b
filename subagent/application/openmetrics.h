/* Metrics as programs expose them over HTTP: the text format of Prometheus, version 0.0.4
 * (prometheus.io, "Exposition formats"), and OpenMetrics 1.0, which developed from it. The text
 * comes in pieces of any size, and is never kept as a whole. Pure.
 *
 * It is read without trust. A line that is wrong causes one fault, which names it, and nothing
 * else: the line is left out, and reading goes on. The memory that a text can use is limited: a
 * line that is too long is a fault; samples of too many families or series are left out and
 * counted. */
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

/* The format that a Content-Type of HTTP names. False: neither of them, or another version. If it
 * has no version, the only one is assumed. */
bool openmetrics_format(const char *content_type, enum openmetrics_format *format);

enum openmetrics_type {
    OPENMETRICS_UNKNOWN, /* it has no type, or the type "unknown" or "untyped" */
    OPENMETRICS_COUNTER,
    OPENMETRICS_GAUGE,
    OPENMETRICS_HISTOGRAM,
    OPENMETRICS_GAUGE_HISTOGRAM,
    OPENMETRICS_SUMMARY,
    OPENMETRICS_INFO,
    OPENMETRICS_STATE_SET,
    OPENMETRICS_TYPES
};

/* The part that a sample has in its family. */
enum openmetrics_part {
    OPENMETRICS_VALUE,    /* of a gauge, or of an unknown type */
    OPENMETRICS_TOTAL,    /* of a counter */
    OPENMETRICS_CREATED,  /* when a counter, a histogram or a summary began, in s since 1970 */
    OPENMETRICS_BUCKET,   /* how many were at most .bound: .bound is the label "le" */
    OPENMETRICS_SUM,      /* of all values of a histogram or a summary */
    OPENMETRICS_COUNT,    /* how many there were */
    OPENMETRICS_QUANTILE, /* of a summary: .bound, from 0 to 1, is the label "quantile" */
    OPENMETRICS_LABELS,   /* of an info: its labels are the information */
    OPENMETRICS_STATE     /* of a state set: 1 if .state is true */
};

#define OPENMETRICS_NAME_MAX 255  /* octets of the name of a family, a sample or a label */
#define OPENMETRICS_LABELS_MAX 64 /* of one sample */

struct openmetrics_family {
    char *name; /* without _total, _bucket and so on; for a counter of Prometheus' format, the whole
                 * name */
    enum openmetrics_type type;
    char *unit; /* "": none was stated */
    char *help; /* likewise; cut off if it is longer than MESSAGE_SIZE */
};

/* Both are without escapes, end with a NUL, and are valid UTF-8. Values may contain control
 * characters. */
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

/* Everything that is pointed at is valid until the listener returns. */
struct openmetrics_sample {
    const struct openmetrics_family *family; /* as far as the lines so far tell */
    enum openmetrics_part part;
    const char *name; /* as it is written in the text */
    const struct openmetrics_label
        *label; /* in the order of the text, without le, quantile and state */
    size_t n_labels;
    double bound;      /* may be infinite; a number if part has a bound */
    const char *state; /* if part has a state */
    double value;      /* any number, also infinite or not a number */
    bool has_time;
    double time_s;                               /* since 1970 */
    const struct openmetrics_exemplar *exemplar; /* NULL: it has none */
    uint64_t line;
};

struct openmetrics_listener {
    /* Returns 0, or an errno that ends the reading. */
    int (*sample)(void *context, const struct openmetrics_sample *sample);

    /* What is wrong with a line, in a sentence; NULL: nobody needs to know. */
    void (*fault)(void *context, uint64_t line, const char *why);
    void *context;
};

struct openmetrics_limits {
    size_t line;     /* octets */
    size_t families; /* of at most about 1 KiB each */
    size_t series;   /* of about 100 octets each */
};

/* Limits that suffice for every exporter of one program. */
#define OPENMETRICS_FAMILIES_MAX 2000
#define OPENMETRICS_SERIES_MAX 10000
#define OPENMETRICS_LIMITS                                                                         \
    {                                                                                              \
        .line = 16384, .families = OPENMETRICS_FAMILIES_MAX, .series = OPENMETRICS_SERIES_MAX      \
    }

struct openmetrics;

/* The seed is any number that is unknown to the program whose text is read. NULL: no memory. */
struct openmetrics *openmetrics_new(enum openmetrics_format format,
                                    const struct openmetrics_limits *limits, uint64_t seed,
                                    const struct openmetrics_listener *listener);
void openmetrics_free(struct openmetrics *reader);

/* Reads on. 0; ENOMEM or what the listener returned: then the reader can only be freed. */
int openmetrics_feed(struct openmetrics *reader, const char *text, size_t len);

struct openmetrics_summary {
    uint64_t lines, samples;
    uint64_t faults; /* how many lines were wrong */
    uint64_t beyond; /* samples that were left out because there were more families or series than
                      * the limits allow */
    bool is_whole;   /* the text ended where its format allows it to end */
};

/* The text has ended: nothing more may be fed. If something is missing at its end, that is a
 * fault. */
void openmetrics_end(struct openmetrics *reader, struct openmetrics_summary *summary);

#endif
