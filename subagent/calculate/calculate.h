/* The five calculations: from raw counts to a value. Pure.
 * V2, V1: the raw value now and before; B2, B1: the base value; t2, t1: the monotonic time. */
#ifndef DCAMP_CALCULATE_CALCULATE_H
#define DCAMP_CALCULATE_CALCULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "metric/metric.h"

/* The numbers are those of dcampSensorCalculation in the MIB.
 * For a gauge, average and percent use the levels (V2/B2), since a level has no "since". */
enum calculation {
    CALC_BASIC = 1,   /* V2 */
    CALC_DELTA = 2,   /* V2 - V1 */
    CALC_RATE = 3,    /* (V2 - V1) / (t2 - t1), per second */
    CALC_AVERAGE = 4, /* (V2 - V1) / (B2 - B1) */
    CALC_PERCENT = 5  /* 100 (V2 - V1) / (B2 - B1) */
};

/* The numbers are those of dcampValueState in the MIB. */
enum result_state {
    RESULT_VALID = 1,
    RESULT_WAITING = 2,    /* the first of two samples was taken */
    RESULT_GAP = 3,        /* the counter was reset, or the base did not move */
    RESULT_UNAVAILABLE = 4 /* the source or the field could not be read */
};

struct observation {
    bool available;
    uint64_t time_ns; /* monotonic */
    uint64_t raw;
    uint64_t base; /* BASE_FIELD: that field's raw value; else unused */
};

struct result {
    enum result_state state;
    double value; /* in the metric's unit (per second, percent); 0 unless valid */
};

/* The last observation. */
struct calc_state {
    bool primed;
    uint64_t time_ns, raw, base;
};

/* Whether the metric allows the calculation: a base is there if one is needed. BASE_TIME is one
 * for counters only: the clock has no level. */
bool calc_allowed(const struct metric *metric, enum calculation how);

/* A counter of integers that falls has wrapped if it then went less than 2^31 (of 32 bits) or 2^32
 * (of 64); else it was reset. A base is taken for a 64-bit counter. A step that cannot be computed
 * still becomes the sample before the next one; RESULT_UNAVAILABLE begins anew, and is also the
 * answer where the calculation is not allowed. A double that is no finite number is
 * RESULT_UNAVAILABLE by itself, and a gap beside another one. */
struct result calc_step(const struct metric *metric, enum calculation how, struct calc_state *state,
                        const struct observation *now);

/* The unit of the result: the metric's, with "/s" for a rate, "%" for percent, and for an
 * average the metric's own unit. Written to text, which holds size octets. */
void calc_unit(const struct metric *metric, enum calculation how, char *text, unsigned size);

/* The same where an instance has its own unit: "" has "1/s" for a rate. */
void calc_unit_of(const char *unit, enum calculation how, char *text, unsigned size);

#endif
