#include "threshold/threshold.h"

#include <math.h>

#include "base/clock.h"

const char *severity_text(enum severity severity)
{
    switch (severity) {
    case SEVERITY_CLEAR:
        return "clear";
    case SEVERITY_INFO:
        return "info";
    case SEVERITY_WARNING:
        return "warning";
    case SEVERITY_CRITICAL:
        return "critical";
    }
    return "unknown";
}

static void remember(const struct threshold_rule *rule, struct threshold_state *state, double value)
{
    uint64_t window = UINT64_MAX >> (THRESHOLD_WINDOW_MAX - rule->window);
    uint64_t breach = compare(value, rule->op, rule->limit);
    uint64_t unsettled = compare(value, rule->op, rule->clear);
    state->breached = (state->breached << 1 | breach) & window;
    state->unsettled = (state->unsettled << 1 | unsettled) & window;
    state->samples = state->samples < rule->window ? state->samples + 1 : rule->window;
}

static bool met(const struct threshold_rule *rule, uint64_t history)
{
    return (uint32_t)__builtin_popcountll(history) >= rule->match;
}

static void enter(struct threshold_state *state, enum threshold_phase phase, uint64_t now_ns)
{
    state->phase = phase;
    state->since_ns = now_ns;
}

static enum threshold_event step_raised(const struct threshold_rule *rule,
                                        struct threshold_state *state, uint64_t now_ns)
{
    if ((state->unsettled & 1) || met(rule, state->unsettled))
        return THRESHOLD_NOTHING;
    enter(state, PHASE_CLEAR, now_ns);
    return THRESHOLD_CLEAR;
}

enum threshold_event threshold_step(const struct threshold_rule *rule,
                                    struct threshold_state *state, double value, uint64_t now_ns)
{
    remember(rule, state, value);
    if (state->phase == PHASE_RAISED)
        return step_raised(rule, state, now_ns);
    if (!met(rule, state->breached)) {
        if (state->phase != PHASE_CLEAR)
            enter(state, PHASE_CLEAR, now_ns);
        return THRESHOLD_NOTHING;
    }
    if (state->phase != PHASE_PENDING)
        enter(state, PHASE_PENDING, now_ns);
    if (now_ns - state->since_ns < rule->duration_ms * NS_PER_MS)
        return THRESHOLD_NOTHING;
    enter(state, PHASE_RAISED, now_ns);
    return THRESHOLD_RAISE;
}

static const char *clear_fault(const struct threshold_rule *rule)
{
    switch (rule->op) {
    case COMPARE_GT:
    case COMPARE_GE:
        return rule->clear > rule->limit ? "clear is above the limit of a gt or ge rule" : NULL;
    case COMPARE_LT:
    case COMPARE_LE:
        return rule->clear < rule->limit ? "clear is below the limit of a lt or le rule" : NULL;
    case COMPARE_EQ:
    case COMPARE_NE:
        return compare(rule->clear, COMPARE_NE, rule->limit)
                   ? "clear differs from the limit of an eq or ne rule"
                   : NULL;
    case COMPARE_NONE:
        break;
    }
    return "the operator is none of gt, ge, lt, le, eq, ne";
}

const char *threshold_fault(const struct threshold_rule *rule)
{
    if (!isfinite(rule->limit))
        return "the limit is not a number";
    if (!isfinite(rule->clear))
        return "clear is not a number";
    if (rule->window < 1 || rule->window > THRESHOLD_WINDOW_MAX)
        return "the window is not from 1 to 64 samples";
    if (rule->match < 1 || rule->match > rule->window)
        return "match is not from 1 to the window";
    return clear_fault(rule);
}
