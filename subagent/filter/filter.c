#include "filter/filter.h"

#include <math.h>

#include "base/clock.h"

/* NaN compares as false with everything, even by "not equal": it must neither open a gate nor
 * breach. */
bool compare(double value, enum compare_operator op, double limit)
{
    switch (op) {
    case COMPARE_GT:
        return isgreater(value, limit);
    case COMPARE_GE:
        return isgreaterequal(value, limit);
    case COMPARE_LT:
        return isless(value, limit);
    case COMPARE_LE:
        return islessequal(value, limit);
    case COMPARE_EQ:
        return isgreaterequal(value, limit) && islessequal(value, limit);
    case COMPARE_NE:
        return islessgreater(value, limit);
    case COMPARE_NONE:
        break;
    }
    return false;
}

static bool inside_gate(const struct filter_rule *rule, const struct result *result)
{
    if (rule->gate == 0 || rule->gate == COMPARE_NONE)
        return true;
    return result->state == RESULT_VALID && compare(result->value, rule->gate, rule->gate_limit);
}

static bool inside_deadband(const struct filter_rule *rule, double last, double value)
{
    double moved = fabs(value - last);
    if (rule->still && !islessgreater(value, last))
        return true;
    if (rule->deadband > 0 && moved <= rule->deadband)
        return true;
    return rule->deadband_percent > 0 && moved <= rule->deadband_percent * fabs(last) / 100;
}

static bool passes(const struct filter_rule *rule, const struct filter_state *state,
                   const struct result *result, uint64_t now_ns)
{
    if (!state->reported || result->state != state->last_state)
        return true;
    uint64_t silence_ns = now_ns - state->last_ns;
    if (rule->heartbeat_ms && silence_ns >= rule->heartbeat_ms * NS_PER_MS)
        return true;
    if (rule->throttle_ms && silence_ns < rule->throttle_ms * NS_PER_MS)
        return false;
    if (!inside_gate(rule, result))
        return state->inside;
    return !inside_deadband(rule, state->last_value, result->value);
}

bool filter_step(const struct filter_rule *rule, struct filter_state *state,
                 const struct result *result, uint64_t now_ns)
{
    if (result->state == RESULT_WAITING || !passes(rule, state, result, now_ns))
        return false;
    state->reported = true;
    state->inside = inside_gate(rule, result);
    state->last_state = result->state;
    state->last_value = result->value;
    state->last_ns = now_ns;
    return true;
}
