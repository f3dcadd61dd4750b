/* Filters: which values a node reports to its parent. Pure: state + value + now -> verdict. */
#ifndef DCAMP_FILTER_FILTER_H
#define DCAMP_FILTER_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "calculate/calculate.h"

/* The numbers are those of DcampOperator in the MIB; thresholds use them too. RFC 2578,
 * section 7.1.1, recommends that enumerations begin with 1, so that "none" has a number of its
 * own behind the others. A zeroed rule has no gate either: 0 means the same as COMPARE_NONE. */
enum compare_operator {
    COMPARE_GT = 1,
    COMPARE_GE = 2,
    COMPARE_LT = 3,
    COMPARE_LE = 4,
    COMPARE_EQ = 5,
    COMPARE_NE = 6,
    COMPARE_NONE = 7 /* no gate; false in compare() */
};

/* False for COMPARE_NONE, and for NaN with every operator. */
bool compare(double value, enum compare_operator op, double limit);

/* A part that is 0 or false does not filter, nor does a gate of COMPARE_NONE. */
struct filter_rule {
    uint32_t throttle_ms;       /* at most one report in this time */
    uint32_t heartbeat_ms;      /* longest silence: then the value passes whatever else says hold */
    double deadband;            /* hold while |value - last reported| <= this ... */
    double deadband_percent;    /* ... or <= this percent of |last reported| */
    enum compare_operator gate; /* hold unless "value gate gate_limit"; the first value after
                                 * leaving the gate passes too, so that the parent sees it end */
    bool still;                 /* hold while the value is the last reported: a deadband of 0 */
    double gate_limit;
};

struct filter_state {
    bool reported; /* something has passed already */
    bool inside;   /* the last reported value was inside the gate */
    enum result_state last_state;
    double last_value;
    uint64_t last_ns; /* monotonic, of the last pass */
};

/* True: report it, and the state remembers it as reported. Order of the rules: a change of
 * result state, and so the first result of all, passes; heartbeat passes; throttle, gate,
 * deadband hold. RESULT_WAITING is held and changes nothing: there is nothing to report yet. */
bool filter_step(const struct filter_rule *rule, struct filter_state *state,
                 const struct result *result, uint64_t now_ns);

#endif
