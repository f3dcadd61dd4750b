/* Aggregates: one value computed of many series. Pure.
 *
 * An input is the latest value of one series, or, where the series is itself an aggregate of a
 * collector further down, what that one was computed of: the statistics of its leaves, and their
 * sum. Therefore an aggregate of aggregates is the aggregate over all leaves: exactly for count,
 * min, max and the percentiles, whose histograms are added, and for sums that a double holds, such
 * as those of integers up to 2^53; within rounding for avg, stddev and other sums. Statistics alone
 * have no sum, and count times mean would be one within rounding only: so it travels with them. */
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
    AGGREGATE_SHARE = 9       /* of each, in percent of the sum */
};

/* The numbers are those of dcampAggregateBy in the MIB. */
enum aggregate_by {
    AGGREGATE_BY_ALL = 1,      /* one value over everything */
    AGGREGATE_BY_GROUP = 2,    /* one for each group of children */
    AGGREGATE_BY_INSTANCE = 3, /* one for each instance, over all children: eth0 with eth0 */
    AGGREGATE_BY_CHILD = 4     /* one for each child, over its instances */
};

/* What of plain series is aggregated. The numbers are those of dcampAggregateSource in the MIB. */
enum aggregate_source {
    AGGREGATE_VALUES = 1, /* the latest value of each */
    AGGREGATE_WINDOWS = 2 /* all values in the latest window of each, which are the leaves then: of
                           * a sensor that counts events, each event */
};

#define AGGREGATE_TOP_MAX 100 /* the largest k */

struct aggregate_input {
    bool has_value;                         /* false: the child or the series has none now */
    double value;                           /* of an aggregate: only AGGREGATE_TOP uses it */
    uint64_t age_ms;                        /* of the value; of an aggregate, of its oldest leaf */
    const struct statistics_window *leaves; /* not NULL: an aggregate */
    double sum;                             /* of the leaves */
    uint32_t expected; /* leaves that there should be: 1 of a plain series; those with a value are
                        * the count of leaves, or 1 of a plain series with a value */
};

/* What was computed. All zero octets are an accumulator without inputs. */
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

/* ENOMEM, EDOM, EOVERFLOW as statistics_window_add and statistics_merge; EDOM for leaves whose sum
 * is not finite, too. The leaves of the input count as missing then. */
int aggregate_add(struct aggregate *aggregate, const struct aggregate_input *input);

/* The sum of all leaves; 0 if there are none. */
double aggregate_sum(const struct aggregate *aggregate);

/* The value of a function over what was added; false where there is none: no value, or a function
 * that gives one for each input (AGGREGATE_TOP, AGGREGATE_SHARE). The sum and the count of nothing
 * are none, too: a number that looks right would be worse than no number. */
bool aggregate_value(const struct aggregate *aggregate, enum aggregate_function function,
                     double parameter, double *value);

/* The share of an input in the sum, in percent. False: it has no value, or the sum is 0. */
bool aggregate_share(const struct aggregate *aggregate, const struct aggregate_input *input,
                     double *value);

/* The k largest of n values, by index into them, largest first; equal ones in their order.
 * Returns how many, at most k and n. Values that are NAN are left out. */
uint32_t aggregate_top(const double *values, uint32_t n, uint32_t k, uint32_t *index);

/* What is wrong with the parameter of a function, or NULL. */
const char *aggregate_fault(enum aggregate_function function, bool has_parameter, double parameter);

/* The unit of the result, of values in a unit: as it is; "" for count; "%" for a share. */
const char *aggregate_unit(enum aggregate_function function, const char *unit);

#endif
