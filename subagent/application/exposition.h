/* Inside application/: one line of a text of metrics. What is scanned is the line itself, which is
 * changed by it: escapes go, and NULs end the parts. Pure. */
#ifndef DCAMP_APPLICATION_EXPOSITION_H
#define DCAMP_APPLICATION_EXPOSITION_H

#include "application/openmetrics.h"

/* Where scanning is, and what stopped it: a sentence, NULL for nothing so far. */
struct scanner {
    char *at;
    enum openmetrics_format format;
    const char *fault;
    bool is_in_exemplar; /* an exemplar that is too large is no fault */
};

struct scanned_labels {
    struct openmetrics_label label[OPENMETRICS_LABELS_MAX];
    size_t n;
    bool lacks_some; /* there are more, which had no room: only of exemplars */
};

struct scanned_sample {
    const char *name;
    struct scanned_labels labels;
    double value;
    bool has_time, has_exemplar;
    double time_s;
    bool is_exemplar_short; /* as short as exemplars have to be */
    struct scanned_labels exemplar_labels;
    struct openmetrics_exemplar exemplar; /* without its labels */
};

/* A whole sample: name, labels, value, time and exemplar, up to the NUL at the end of the line. */
bool scan_sample(struct scanner *scanner, struct scanned_sample *sample);

/* The name of a metric; a NUL takes the place of the octet behind it, which is returned in end.
 * NULL: there is none. */
const char *scan_metric(struct scanner *scanner, char *end);

/* Takes the escapes out of the text of a HELP. */
bool scan_help(struct scanner *scanner);

/* A number: decimal, with or without exponent, Inf or NaN. Nothing may follow it. */
bool scan_number(const char *text, double *number);

#endif
