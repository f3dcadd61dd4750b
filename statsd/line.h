/* One line of statsd (github.com/statsd/statsd, docs/metric_types.md), with the extensions of
 * DogStatsD that say something about a value: tags, several values, histograms and distributions.
 * Pure.
 *
 *     NAME:VALUE[:VALUE]...|TYPE[|@RATE][|#TAG,TAG...]
 *
 * What a line says belongs to a sensor, which has a name of at most 32 characters and an instance
 * of at most 64 octets:
 *
 * - a character that names do not have becomes '_';
 * - of a name that is too long, the name of the sensor is as many of its last parts, between dots,
 *   as fit, and what comes before them begins the instance: all endpoints that have a "latency"
 *   are instances of one sensor;
 * - the instance is that beginning, if there is one, and the tags, sorted by their octets, each
 *   once, with commas between. */
#ifndef DCAMP_STATSD_LINE_H
#define DCAMP_STATSD_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "libdcamp/segment.h"

/* A sample never stands for more than a thousand values and one that others have left over. */
#define STATSD_RATE_MIN 0.001

enum statsd_kind { STATSD_COUNTER, STATSD_GAUGE, STATSD_TIMER, STATSD_HISTOGRAM };

enum statsd_verdict {
    STATSD_COUNTED,
    STATSD_MALFORMED,
    STATSD_UNSUPPORTED, /* sets, meters; events and service checks of DogStatsD */
    STATSD_NEGATIVE,    /* counters never fall, and nothing takes less than no time */
    STATSD_LONG,        /* the last part of the name, or the instance */
    STATSD_CONFLICT,    /* the sensor of this name is of another kind */
    STATSD_CROWDED,     /* there is no room for another sensor, or none could be made */
    STATSD_VERDICTS,
};

/* "counted", "malformed" and so on. */
const char *statsd_verdict_name(enum statsd_verdict verdict);

struct statsd_line {
    enum statsd_kind kind;
    char name[SEGMENT_NAME + 1];         /* both padded with zeros */
    char instance[SEGMENT_INSTANCE + 1]; /* "": none */
    double rate;                         /* from STATSD_RATE_MIN to 1 */
    const char *values, *values_end;     /* in the text: what statsd_line_value() has yet to take */
};

struct statsd_value {
    double number;  /* finite: of timers milliseconds; below 0 of gauges and histograms only */
    bool is_change; /* it has a sign */
};

/* STATSD_COUNTED: the line is filled, and all of its values are sound. */
enum statsd_verdict statsd_line_parse(const char *text, size_t length, struct statsd_line *line);

/* The next value of a line that was parsed; false: there is none any more. */
bool statsd_line_value(struct statsd_line *line, struct statsd_value *value);

/* How many whole ones that many are, together with what was left over before; what is left over
 * now, less than one, is in *carry. Of more than 2^53, that many. */
unsigned long long statsd_whole(double *carry, double number);

/* The application that the first part of a name says, where names begin with one: how many octets
 * it has, of [A-Za-z0-9_-], at most SEGMENT_NAME; 0: there is none, for the name has no dot, or
 * something else before it. Behind it and its dot the line goes on with at least one octet. */
size_t statsd_line_prefix(const char *text, size_t length);

#endif
