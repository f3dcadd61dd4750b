#include "calculate/calculate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* How far a counter may have gone after a wrap; if it went farther, the fall is taken for a reset.
 * The limit is half the range for 32 bits, and for 64 bits more than any source counts between two
 * samples. */
#define WRAP_LIMIT_32 (UINT64_C(1) << 31)
#define WRAP_LIMIT_64 (UINT64_C(1) << 32)

static bool needs_base(enum calculation how)
{
    return how == CALC_AVERAGE || how == CALC_PERCENT;
}

static bool needs_two(const struct metric *metric, enum calculation how)
{
    if (needs_base(how))
        return metric->kind == METRIC_COUNTER;
    return how == CALC_DELTA || how == CALC_RATE;
}

bool calc_allowed(const struct metric *metric, enum calculation how)
{
    switch (how) {
    case CALC_BASIC:
    case CALC_DELTA:
    case CALC_RATE:
        return true;
    case CALC_AVERAGE:
    case CALC_PERCENT:
        /* The monotonic clock has no level, so a gauge cannot be a part of it. */
        return metric->base == BASE_FIELD ||
               (metric->base == BASE_TIME && metric->kind == METRIC_COUNTER);
    }
    return false;
}

/* How far a counter went; false if it was reset. */
static bool counter_moved(uint64_t before, uint64_t now, unsigned width, double *moved)
{
    uint64_t wrapped = now - before; /* modulo 2^64 */
    if (now < before && width == 32) {
        /* A value beyond 32 bits shows that the counter does not wrap at 32 bits. */
        if (before > UINT32_MAX)
            return false;
        wrapped &= UINT32_MAX;
        if (wrapped >= WRAP_LIMIT_32)
            return false;
    } else if (now < before && wrapped >= WRAP_LIMIT_64) {
        return false;
    }
    *moved = (double)wrapped;
    return true;
}

static double real_of(uint64_t raw)
{
    double real;
    memcpy(&real, &raw, sizeof real);
    return real;
}

/* A gauge is an int64_t; the difference of two need not fit into one. */
static double gauge_moved(uint64_t before, uint64_t now)
{
    if ((int64_t)now >= (int64_t)before)
        return (double)(now - before);
    return -(double)(before - now);
}

static bool value_moved(const struct metric *metric, const struct calc_state *before,
                        const struct observation *now, double *moved)
{
    if (metric->is_real) {
        *moved = real_of(now->raw) - real_of(before->raw);
        return isfinite(*moved);
    }
    if (metric->kind == METRIC_COUNTER)
        return counter_moved(before->raw, now->raw, metric->width, moved);
    *moved = gauge_moved(before->raw, now->raw);
    return true;
}

/* False if the base did not move forward. */
static bool base_moved(const struct metric *metric, const struct calc_state *before,
                       const struct observation *now, double *moved)
{
    if (metric->base == BASE_FIELD)
        return counter_moved(before->base, now->base, 64, moved) && *moved > 0;
    if (now->time_ns <= before->time_ns)
        return false;
    *moved = (double)(now->time_ns - before->time_ns) / (double)NS_PER_MS;
    return true;
}

static double level(const struct metric *metric, uint64_t raw)
{
    if (metric->is_real)
        return real_of(raw);
    return metric->kind == METRIC_GAUGE ? (double)(int64_t)raw : (double)raw;
}

static struct result valid(double value)
{
    return (struct result){.state = RESULT_VALID, .value = value};
}

static struct result without_value(enum result_state state)
{
    return (struct result){.state = state};
}

/* The scales are divided first: equal scales cancel, so that 29 of 100 ticks are exactly 29 %. The
 * wider type keeps 100 * value from rounding up: a part that is at most the whole is never more
 * than 100 %. */
static struct result quotient(const struct metric *metric, enum calculation how, double value,
                              double base)
{
    if (!(base > 0) || !(metric->base_scale > 0))
        return without_value(RESULT_GAP);
    long double hundred = how == CALC_PERCENT ? 100 : 1;
    return valid((double)(hundred * value / base) * (metric->scale / metric->base_scale));
}

static struct result from_one(const struct metric *metric, enum calculation how,
                              const struct observation *now)
{
    double value = level(metric, now->raw);
    if (!isfinite(value))
        return without_value(RESULT_UNAVAILABLE);
    if (how == CALC_BASIC)
        return valid(value * metric->scale);
    /* A part of nothing is no number, and the next sample need not change that, so this is not a
     * gap; where the base is a counter that stood still, the next sample gives a number again. */
    if (now->base == 0)
        return without_value(RESULT_UNAVAILABLE);
    return quotient(metric, how, value, (double)(int64_t)now->base);
}

static struct result from_two(const struct metric *metric, enum calculation how,
                              const struct calc_state *before, const struct observation *now)
{
    double value, base;
    if (!value_moved(metric, before, now, &value))
        return without_value(RESULT_GAP);
    if (needs_base(how)) {
        if (!base_moved(metric, before, now, &base))
            return without_value(RESULT_GAP);
        return quotient(metric, how, value, base);
    }
    if (how == CALC_DELTA)
        return valid(value * metric->scale);
    if (now->time_ns <= before->time_ns)
        return without_value(RESULT_GAP);
    double seconds = (double)(now->time_ns - before->time_ns) / (double)NS_PER_S;
    return valid(value * metric->scale / seconds);
}

struct result calc_step(const struct metric *metric, enum calculation how, struct calc_state *state,
                        const struct observation *now)
{
    if (!now->available || !calc_allowed(metric, how)) {
        state->primed = false;
        return without_value(RESULT_UNAVAILABLE);
    }
    struct calc_state before = *state;
    *state = (struct calc_state){true, now->time_ns, now->raw, now->base};
    if (!needs_two(metric, how))
        return from_one(metric, how, now);
    if (!before.primed)
        return without_value(RESULT_WAITING);
    return from_two(metric, how, &before, now);
}

void calc_unit_of(const char *unit, enum calculation how, char *text, unsigned size)
{
    if (how == CALC_PERCENT)
        snprintf(text, size, "%%");
    else if (how != CALC_RATE)
        snprintf(text, size, "%s", unit);
    else
        snprintf(text, size, "%s/s", *unit ? unit : "1");
}

void calc_unit(const struct metric *metric, enum calculation how, char *text, unsigned size)
{
    calc_unit_of(metric->unit, how, text, size);
}
