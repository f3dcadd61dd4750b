/* The five calculations: from raw counts to a value. Pure.
 * V2, V1: the raw value now and before; B2, B1: the base value; t2, t1: the monotonic time. */
#ifndef DCAMP_CALCULATE_CALCULATE_H
#define DCAMP_CALCULATE_CALCULATE_H

#include <stdbool.h>
#include <stdint.h>

#include "metric/metric.h"

/* The numbers are those of dcampSensorCalculation in the MIB. For a gauge, average and percent use
 * the levels (V2/B2), since a level does not accumulate between samples. */
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
    RESULT_GAP = 3,        /* the counter was reset, or the base did not move forward */
    RESULT_UNAVAILABLE = 4 /* the source or the field could not be read */
};

struct observation {
    bool available;
    uint64_t time_ns; /* monotonic */
    uint64_t raw;
    uint64_t base; /* with BASE_FIELD, the raw value of that field; else unused */
};

struct result {
    enum result_state state;
    double value; /* in the metric's unit (per second, percent); 0 unless valid */
};

/* The last observation, from which the next step is computed. */
struct calc_state {
    bool primed;
    uint64_t time_ns, raw, base;
};

/* Whether the metric allows the calculation: it has a base if one is needed. BASE_TIME counts as a
 * base for counters only, because the clock has no level. */
bool calc_allowed(const struct metric *metric, enum calculation how);

/* When a counter of integers falls, it has wrapped if it then went less than 2^31 (of 32 bits) or
 * 2^32 (of 64 bits); else it was reset. A base is treated as a 64-bit counter. Even a sample from
 * which nothing can be computed is the one that the next is compared with. RESULT_UNAVAILABLE
 * begins anew, and is also the result if the calculation is not allowed. A raw double that is not
 * finite gives RESULT_UNAVAILABLE where one sample is enough, and a gap where two are compared. */
struct result calc_step(const struct metric *metric, enum calculation how, struct calc_state *state,
                        const struct observation *now);

/* The unit of the result: for a rate the metric's unit with "/s", for percent "%", for everything
 * else the metric's own unit. It is written to text, which holds size octets. */
void calc_unit(const struct metric *metric, enum calculation how, char *text, unsigned size);

/* The same for an instance with a unit of its own: for a rate, "" becomes "1/s". */
void calc_unit_of(const char *unit, enum calculation how, char *text, unsigned size);

#endif
