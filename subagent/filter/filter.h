/* Filters: which values a node reports to its parent. Pure: state + value + now -> verdict. */
#ifndef DCAMP_FILTER_FILTER_H
#define DCAMP_FILTER_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "calculate/calculate.h"

/* The numbers are those of DcampOperator in the MIB; thresholds use them too. RFC 2578,
 * section 7.1.1, recommends that enumerations begin with 1, so "none" has a number of its own
 * behind the others. A rule whose octets are all zero has no gate either: 0 means the same as
 * COMPARE_NONE. */
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

/* A member that is 0 or false does not filter, nor does a gate of COMPARE_NONE. */
struct filter_rule {
    uint32_t throttle_ms;  /* at most one report in this time */
    uint32_t heartbeat_ms; /* longest silence; after it the value passes, whatever the other members
                              say */
    double deadband;       /* hold back while |value - last reported| <= this ... */
    double deadband_percent;    /* ... or <= this percent of |last reported| */
    enum compare_operator gate; /* hold back unless "value gate gate_limit" is true; the first value
                                   outside the gate passes too, so that the parent sees it end */
    bool still; /* hold back while the value equals the last reported one: a deadband of 0 */
    double gate_limit;
};

struct filter_state {
    bool reported; /* something has passed before */
    bool inside;   /* the last reported value was inside the gate */
    enum result_state last_state;
    double last_value;
    uint64_t last_ns; /* when the last report passed, monotonic */
};

/* True: report the value; the state remembers it as reported. Order of the rules: a change of the
 * result state passes, and so the first result of all does; then the heartbeat lets a value pass;
 * then throttle, gate and deadband hold values back. RESULT_WAITING is held back and changes
 * nothing: there is nothing to report yet. */
bool filter_step(const struct filter_rule *rule, struct filter_state *state,
                 const struct result *result, uint64_t now_ns);

#endif
