#include "threshold/levels.h"

enum severity threshold_levels_step(const struct threshold_levels *levels,
                                    struct threshold_state *first, struct threshold_state *more,
                                    double value, uint64_t now_ns)
{
    threshold_step(&levels->rule[0], first, value, now_ns);
    for (unsigned i = 1; i < levels->n; i++)
        threshold_step(&levels->rule[i], &more[i - 1], value, now_ns);
    return threshold_levels_severity(levels, first, more);
}

enum severity threshold_levels_severity(const struct threshold_levels *levels,
                                        const struct threshold_state *first,
                                        const struct threshold_state *more)
{
    for (unsigned i = levels->n; i-- > 1;)
        if (more[i - 1].phase == PHASE_RAISED)
            return levels->severity[i];
    return first->phase == PHASE_RAISED ? levels->severity[0] : SEVERITY_CLEAR;
}

static bool is_beyond(const struct threshold_rule *rule, double before)
{
    switch (rule->op) {
    case COMPARE_GT:
    case COMPARE_GE:
        return rule->limit > before;
    case COMPARE_LT:
    case COMPARE_LE:
        return rule->limit < before;
    default:
        return false;
    }
}

const char *threshold_levels_fault(const struct threshold_levels *levels)
{
    for (unsigned i = 0; i < levels->n; i++) {
        const char *fault = threshold_fault(&levels->rule[i]);
        if (fault)
            return fault;
        if (i > 0 && levels->severity[i] <= levels->severity[i - 1])
            return "a limit of its own severity, or of a lower one, is given twice";
        if (i > 0 && !is_beyond(&levels->rule[i], levels->rule[i - 1].limit))
            return "the limit of a higher severity is not beyond that of the lower one";
    }
    return NULL;
}
