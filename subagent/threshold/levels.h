/* Several limits of one rule: the severity is that of the highest limit that is breached. Pure. */
#ifndef DCAMP_THRESHOLD_LEVELS_H
#define DCAMP_THRESHOLD_LEVELS_H

#include "threshold/threshold.h"

#define THRESHOLD_LEVELS_MAX 3

/* Each level is a rule of its own, with its limit and its clear limit; the rules are equal in
 * everything else. The severities ascend, and each limit is beyond the one before it. */
struct threshold_levels {
    unsigned n; /* 1..THRESHOLD_LEVELS_MAX */
    enum severity severity[THRESHOLD_LEVELS_MAX];
    struct threshold_rule rule[THRESHOLD_LEVELS_MAX];
};

/* Steps one sample through all levels. first is the state of the lowest level, more are those of
 * the others (n - 1 of them; NULL if n is 1). Returns the severity after the step: that of the
 * highest level that is raised, SEVERITY_CLEAR if none is. */
enum severity threshold_levels_step(const struct threshold_levels *levels,
                                    struct threshold_state *first, struct threshold_state *more,
                                    double value, uint64_t now_ns);

/* The severity that the states stand for. */
enum severity threshold_levels_severity(const struct threshold_levels *levels,
                                        const struct threshold_state *first,
                                        const struct threshold_state *more);

/* What is wrong with the levels, or NULL: a fault of a rule, or a limit that is not beyond the one
 * before. */
const char *threshold_levels_fault(const struct threshold_levels *levels);

#endif
