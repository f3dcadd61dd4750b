/* Thresholds: pure step of one rule on one series. */
#ifndef DCAMP_THRESHOLD_THRESHOLD_H
#define DCAMP_THRESHOLD_THRESHOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "filter/filter.h"

/* The numbers are those of DcampSeverity in the MIB. */
enum severity {
    SEVERITY_CLEAR = 1,
    SEVERITY_INFO = 2,
    SEVERITY_WARNING = 3,
    SEVERITY_CRITICAL = 4
};

const char *severity_text(enum severity severity); /* "clear", "info", "warning", "critical" */

#define THRESHOLD_WINDOW_MAX 64

struct threshold_rule {
    enum compare_operator op; /* the limit is breached while "value op limit" */
    double limit;
    double clear; /* recovered when not "value op clear"; equals limit if there is no hysteresis */
    uint32_t match;  /* x: raise when at least x ... */
    uint32_t window; /* ... of the last y samples breach; 1 <= x <= y <= THRESHOLD_WINDOW_MAX */
    uint32_t duration_ms; /* and have done so for at least this long */
};

/* The numbers are those of DcampThresholdPhase in the MIB. */
enum threshold_phase {
    PHASE_UNKNOWN = 1, /* no sample yet */
    PHASE_CLEAR = 2,
    PHASE_PENDING = 3, /* x of y samples breach, but the duration is not over */
    PHASE_RAISED = 4
};

/* 32 bytes per threshold and series. */
struct threshold_state {
    enum threshold_phase phase;
    uint32_t samples;   /* how many are in the window so far, at most y */
    uint64_t breached;  /* bit 0 is the latest sample; 1: beyond the limit */
    uint64_t unsettled; /* likewise; 1: not yet recovered beyond the clear limit */
    uint64_t since_ns;  /* when the present phase began, monotonic, modulo 2^64: a phase restored
                           from an earlier boot began before the clock's zero */
};

enum threshold_event { THRESHOLD_NOTHING, THRESHOLD_RAISE, THRESHOLD_CLEAR };

/* Steps one sample. It raises if at least x of the last y samples breach, and have done so for at
 * least the duration. It clears if the sample has recovered and fewer than x of the last y are
 * unsettled. A state that was restored as raised and is still breached gives no event. */
enum threshold_event threshold_step(const struct threshold_rule *rule,
                                    struct threshold_state *state, double value, uint64_t now_ns);

/* What is wrong with a rule, or NULL: the clear limit on the wrong side, x of y out of range,
 * hysteresis with eq or ne, not a number. */
const char *threshold_fault(const struct threshold_rule *rule);

#endif
