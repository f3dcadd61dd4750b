/* What is drawn or printed of one series, or of the same series of several nodes taken together:
 * statistics of spans of time that follow each other, read from the finest tier that has all of the
 * range (publish/history.h). */
#ifndef DCAMP_PUBLISH_CURVE_H
#define DCAMP_PUBLISH_CURVE_H

#include <stddef.h>
#include <stdint.h>

#include "calculate/statistics.h"

struct history;

enum curve_tier { CURVE_ANY, CURVE_RAW, CURVE_MINUTES, CURVE_HOURS };

/* Unless a tier or step is asked for, ranges up to these are read from values, or from minutes. */
#define CURVE_RAW_MS INT64_C(21600000)       /* 6 hours */
#define CURVE_MINUTES_MS INT64_C(2592000000) /* 30 days */

#define CURVE_SLOTS_MAX 1000000

struct curve_question {
    const char *const *paths; /* of the nodes */
    size_t n_paths;
    const char *sensor, *instance;
    int64_t from_ms, to_ms; /* both are in it */
    /* How long each slot is. 0: that is chosen so that there are at most `most` slots, but they are
     * not shorter than the interval of the values of the first node. Both 0: each value or cell is
     * a slot. */
    int64_t step_ms;
    size_t most;
    enum curve_tier tier; /* CURVE_ANY: it is chosen by the range, or by step_ms */
    bool has_quantiles;   /* histograms of values are kept, too, which takes longer */
};

/* A span, or one value. Its count is 0 where there was no value: a gap. */
struct curve_slot {
    int64_t start_ms;
    struct statistics_window window;
};

/* All zero octets are an empty curve. */
struct curve {
    enum curve_tier tier;
    int64_t step_ms; /* 0: each slot is a value, at start_ms */
    struct curve_slot *slots;
    size_t n, room;
    size_t n_values; /* slots that are no gaps */
};

/* The curve is to be released in either case. Slots of a step begin at multiples of it since 1970
 * UTC, follow each other without a hole, and go from the one that has from_ms to the one that has
 * to_ms. 0; ENOMEM; E2BIG: more than CURVE_SLOTS_MAX; or another errno, where a file could not be
 * read: history_fault() says which, what the others have is in the curve. */
int curve_read(struct history *history, const struct curve_question *question, struct curve *curve);
void curve_release(struct curve *curve);

/* All slots merged into one window. 0; ENOMEM or EOVERFLOW. It is to be released in any case. */
int curve_total(const struct curve *curve, struct statistics_window *total);

/* The quantile of a slot that is no gap, within 1 percent. NAN: it is not known, since not all
 * values are in a histogram: nodes also report windows without one (level="basic"). */
double curve_quantile(const struct curve_slot *slot, double q);

/* The means of the slots, from the first one with a value to the last one; gaps between them are
 * NAN. There are *n, which the caller owns; the first is that of slot *first. NULL: there are none,
 * then *n is 0; or no memory, then *n is not 0. */
double *curve_means(const struct curve *curve, size_t *n, size_t *first);

/* The usual interval between values: the median. 0: there is no interval. */
int64_t curve_interval(const struct curve *curve);

/* The shortest span that people use, from 1 s on, which is at least so long. */
int64_t curve_nice_span(int64_t least_ms);

#endif
