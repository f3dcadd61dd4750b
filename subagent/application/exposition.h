/* Inside application/: one line of a text of metrics. Scanning changes the line itself: escapes are
 * replaced, and NULs end the parts. Pure. */
#ifndef DCAMP_APPLICATION_EXPOSITION_H
#define DCAMP_APPLICATION_EXPOSITION_H

#include "application/openmetrics.h"

/* The place of scanning, and what stopped it: a sentence, NULL if nothing has so far. */
struct scanner {
    char *at;
    enum openmetrics_format format;
    const char *fault;
    bool is_in_exemplar; /* an exemplar that is too large is no fault */
};

struct scanned_labels {
    struct openmetrics_label label[OPENMETRICS_LABELS_MAX];
    size_t n;
    bool lacks_some; /* there are more, for which there was no room: only in exemplars */
};

struct scanned_sample {
    const char *name;
    struct scanned_labels labels;
    double value;
    bool has_time, has_exemplar;
    double time_s;
    bool is_exemplar_short; /* the exemplar is as short as required */
    struct scanned_labels exemplar_labels;
    struct openmetrics_exemplar exemplar; /* except for its labels */
};

/* A whole sample: name, labels, value, time and exemplar, up to the NUL at the end of the line. */
bool scan_sample(struct scanner *scanner, struct scanned_sample *sample);

/* The name of a metric; the octet behind it is replaced by a NUL and returned in end. NULL: there
 * is no name. */
const char *scan_metric(struct scanner *scanner, char *end);

/* Replaces the escapes in the text of a HELP. */
bool scan_help(struct scanner *scanner);

/* A number: decimal, with or without exponent, Inf or NaN. Nothing may follow it. */
bool scan_number(const char *text, double *number);

#endif
