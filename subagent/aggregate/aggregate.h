/* Aggregates: one value computed of many series. Pure.
 *
 * An input is the latest value of one series, or, if the series is itself an aggregate of a
 * collector further down, what that aggregate was computed of: the statistics of its leaves, and
 * their sum. Therefore an aggregate of aggregates is the aggregate over all leaves. It is exact for
 * count, min, max and the percentiles, whose histograms are added, and for sums that a double
 * represents exactly, such as those of integers up to 2^53; for avg, stddev and other sums it is
 * within rounding. The sum travels with the statistics because it cannot be derived from them
 * exactly: count times mean would be the sum within rounding only. */
#ifndef DCAMP_AGGREGATE_AGGREGATE_H
#define DCAMP_AGGREGATE_AGGREGATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "calculate/statistics.h"

/* The numbers are those of dcampAggregateFunction in the MIB. */
enum aggregate_function {
    AGGREGATE_SUM = 1,
    AGGREGATE_AVG = 2,
    AGGREGATE_MIN = 3,
    AGGREGATE_MAX = 4,
    AGGREGATE_COUNT = 5,      /* of the values */
    AGGREGATE_STDDEV = 6,     /* of the population */
    AGGREGATE_PERCENTILE = 7, /* parameter: 0 to 100 */
    AGGREGATE_TOP = 8,        /* the k largest, each under its own name; parameter: k, 1 to 100 */
    AGGREGATE_SHARE = 9       /* each value, in percent of the sum */
};

/* The numbers are those of dcampAggregateBy in the MIB. */
enum aggregate_by {
    AGGREGATE_BY_ALL = 1,      /* one value over all series */
    AGGREGATE_BY_GROUP = 2,    /* one for each group of children */
    AGGREGATE_BY_INSTANCE = 3, /* one for each instance, over all children: eth0 with eth0 */
    AGGREGATE_BY_CHILD = 4     /* one for each child, over its instances */
};

/* What of plain series is aggregated. The numbers are those of dcampAggregateSource in the MIB. */
enum aggregate_source {
    AGGREGATE_VALUES = 1, /* the latest value of each */
    AGGREGATE_WINDOWS = 2 /* all values in the latest window of each, which are then the leaves; for
                             a sensor that counts events, each event */
};

#define AGGREGATE_TOP_MAX 100 /* the largest k */

struct aggregate_input {
    bool has_value;  /* false: the child or the series has none now */
    double value;    /* of an aggregate, its value: only AGGREGATE_TOP uses it */
    uint64_t age_ms; /* of the value; of an aggregate, of its oldest leaf */
    const struct statistics_window *leaves; /* not NULL: the input is an aggregate */
    double sum;                             /* of the leaves */
    uint32_t expected; /* leaves that there should be: 1 for a plain series; the number that have a
                          value is the count of leaves, or 1 for a plain series with a value */
};

/* The state of a computation. All zero octets are an accumulator without inputs. */
struct aggregate {
    struct statistics_window values; /* of the leaves */
    double sum, compensation;        /* by Neumaier's summation; their sum is that of the leaves */
    uint32_t expected;               /* leaves that there should be */
    uint32_t reporting;              /* leaves that had a value */
    uint64_t oldest_ms;              /* age of the oldest value */
};

/* Empties it; the memory is kept. */
void aggregate_begin(struct aggregate *aggregate);
void aggregate_release(struct aggregate *aggregate);

/* ENOMEM, EDOM, EOVERFLOW as from statistics_window_add and statistics_merge; EDOM also for leaves
 * whose sum is not finite. After an error, the leaves of the input count as missing. */
int aggregate_add(struct aggregate *aggregate, const struct aggregate_input *input);

/* The sum of all leaves; 0 if there are none. */
double aggregate_sum(const struct aggregate *aggregate);

/* The value of a function over what was added. False if there is none: there were no values, or the
 * function gives one result for each input (AGGREGATE_TOP, AGGREGATE_SHARE). Without values there
 * is neither a sum nor a count: a number that looks right would be worse than no number. */
bool aggregate_value(const struct aggregate *aggregate, enum aggregate_function function,
                     double parameter, double *value);

/* The share of an input in the sum, in percent. False: the input has no value, or the sum is 0. */
bool aggregate_share(const struct aggregate *aggregate, const struct aggregate_input *input,
                     double *value);

/* The k largest of n values, as indexes into them, the largest first and equal ones in their order.
 * Returns how many there are, at most k and n. Values that are NAN are left out. */
uint32_t aggregate_top(const double *values, uint32_t n, uint32_t k, uint32_t *index);

/* What is wrong with the parameter of a function, or NULL. */
const char *aggregate_fault(enum aggregate_function function, bool has_parameter, double parameter);

/* The unit of the result for values in that unit: the same unit; "" for count; "%" for a share. */
const char *aggregate_unit(enum aggregate_function function, const char *unit);

#endif
