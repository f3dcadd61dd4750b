/* One line of statsd (github.com/statsd/statsd, docs/metric_types.md), with the extensions of
 * DogStatsD that say something about a value: tags, several values, histograms and distributions.
 * Pure.
 *
 *     NAME:VALUE[:VALUE]...|TYPE[|@RATE][|#TAG,TAG...]
 *
 * The values of a line belong to a sensor, which has a name of at most 32 characters and an
 * instance of at most 64 octets:
 *
 * - a character that is not allowed in names becomes '_';
 * - if a name is too long, the name of the sensor is made of as many of its last parts, between
 *   dots, as fit, and the parts before them begin the instance: so all endpoints that have a
 *   "latency" are instances of one sensor;
 * - the instance is that beginning, if there is one, and the tags, sorted by their octets, without
 *   duplicates, separated by commas. */
#ifndef DCAMP_STATSD_LINE_H
#define DCAMP_STATSD_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "libdcamp/segment.h"

/* A sample stands for at most a thousand values, and one more that earlier fractions add up to. */
#define STATSD_RATE_MIN 0.001

enum statsd_kind { STATSD_COUNTER, STATSD_GAUGE, STATSD_TIMER, STATSD_HISTOGRAM };

enum statsd_verdict {
    STATSD_COUNTED,
    STATSD_MALFORMED,
    STATSD_UNSUPPORTED, /* sets and meters; events and service checks of DogStatsD */
    STATSD_NEGATIVE,    /* counters never fall, and no time is below 0 */
    STATSD_LONG,        /* the last part of the name, or the instance, is too long */
    STATSD_CONFLICT,    /* there is a sensor of this name of another kind */
    STATSD_CROWDED,     /* there is no room for another sensor, or it could not be made */
    STATSD_VERDICTS,
};

/* "counted", "malformed" and so on. */
const char *statsd_verdict_name(enum statsd_verdict verdict);

struct statsd_line {
    enum statsd_kind kind;
    char name[SEGMENT_NAME + 1];         /* both are padded with zeros */
    char instance[SEGMENT_INSTANCE + 1]; /* "" if there is none */
    double rate;                         /* from STATSD_RATE_MIN to 1 */
    const char *values, *values_end;     /* what statsd_line_value() has not taken from the text
                                          * yet */
};

struct statsd_value {
    double number;  /* finite; of timers in ms; below 0 only for gauges and histograms */
    bool is_change; /* it has a sign */
};

/* On STATSD_COUNTED, the line is filled in, and all of its values are valid. */
enum statsd_verdict statsd_line_parse(const char *text, size_t length, struct statsd_line *line);

/* Takes the next value of a line that was parsed. Returns false if there are no more. */
bool statsd_line_value(struct statsd_line *line, struct statsd_value *value);

/* Adds number to *carry and returns the whole part of the sum; *carry becomes the rest, less than
 * 1. If the sum is larger than 2^53, returns 2^53. */
unsigned long long statsd_whole(double *carry, double number);

/* Where names begin with the application: returns how many octets of the name are the application,
 * of [A-Za-z0-9_-], at most SEGMENT_NAME. Returns 0 if there is none, because the name has no dot,
 * or other characters before it. After the application and its dot, the line has at least one more
 * octet. */
size_t statsd_line_prefix(const char *text, size_t length);

#endif
