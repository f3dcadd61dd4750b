#include "aggregate/aggregate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

void aggregate_begin(struct aggregate *aggregate)
{
    statistics_window_reset(&aggregate->values);
    aggregate->sum = aggregate->compensation = 0;
    aggregate->expected = aggregate->reporting = 0;
    aggregate->oldest_ms = 0;
}

void aggregate_release(struct aggregate *aggregate)
{
    statistics_window_release(&aggregate->values);
    *aggregate = (struct aggregate){0};
}

/* The summation of A. Neumaier: Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
 * Summen. ZAMM 54, 1974. The digits that the smaller of both summands loses are added up
 * separately. */
static void add_to_sum(struct aggregate *aggregate, double value)
{
    double sum = aggregate->sum + value;
    if (fabs(aggregate->sum) >= fabs(value))
        aggregate->compensation += (aggregate->sum - sum) + value;
    else
        aggregate->compensation += (value - sum) + aggregate->sum;
    aggregate->sum = sum;
}

double aggregate_sum(const struct aggregate *aggregate)
{
    return aggregate->sum + aggregate->compensation;
}

static uint32_t clamp(uint64_t number)
{
    return number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
}

static int add_values(struct aggregate *aggregate, const struct aggregate_input *input)
{
    const struct statistics_window *leaves = input->leaves;
    if (!leaves)
        return statistics_window_add(&aggregate->values, input->value);
    /* The statistics come from other nodes: their count may be so large that the sum overflows. */
    if (leaves->count > UINT64_MAX - aggregate->values.count)
        return EOVERFLOW;
    return isfinite(input->sum) ? statistics_merge(&aggregate->values, leaves) : EDOM;
}

int aggregate_add(struct aggregate *aggregate, const struct aggregate_input *input)
{
    bool has_values = input->leaves ? input->leaves->count > 0 : input->has_value;
    aggregate->expected = clamp((uint64_t)aggregate->expected + input->expected);
    if (!has_values)
        return 0;
    int error = add_values(aggregate, input);
    if (error)
        return error;
    add_to_sum(aggregate, input->leaves ? input->sum : input->value);
    aggregate->reporting = clamp(aggregate->values.count);
    if (input->age_ms > aggregate->oldest_ms)
        aggregate->oldest_ms = input->age_ms;
    return 0;
}

bool aggregate_value(const struct aggregate *aggregate, enum aggregate_function function,
                     double parameter, double *value)
{
    const struct statistics_window *values = &aggregate->values;
    if (values->count == 0)
        return false;
    switch (function) {
    case AGGREGATE_SUM:
        *value = aggregate_sum(aggregate);
        return true;
    case AGGREGATE_AVG:
        *value = aggregate_sum(aggregate) / (double)values->count;
        return true;
    case AGGREGATE_MIN:
        *value = values->min;
        return true;
    case AGGREGATE_MAX:
        *value = values->max;
        return true;
    case AGGREGATE_COUNT:
        *value = (double)values->count;
        return true;
    case AGGREGATE_STDDEV:
        *value = statistics_deviation(values);
        return true;
    case AGGREGATE_PERCENTILE:
        *value = statistics_quantile(values, parameter / 100);
        return !isnan(*value);
    default:
        return false;
    }
}

bool aggregate_share(const struct aggregate *aggregate, const struct aggregate_input *input,
                     double *value)
{
    double sum = aggregate_sum(aggregate);
    bool has_values = input->leaves ? input->leaves->count > 0 : input->has_value;
    double share = 100 * ((input->leaves ? input->sum : input->value) / sum);
    if (!has_values || !isfinite(share))
        return false;
    *value = share;
    return true;
}

/* Inserts i among the n indexes of the largest values, in descending order; if there would be more
 * than k, the last one is dropped. */
static uint32_t insert(const double *values, uint32_t i, uint32_t *index, uint32_t n, uint32_t k)
{
    uint32_t place = n;
    while (place > 0 && values[index[place - 1]] < values[i])
        place--;
    if (place == k)
        return n;
    uint32_t end = n < k ? n : k - 1;
    memmove(index + place + 1, index + place, (end - place) * sizeof *index);
    index[place] = i;
    return n < k ? n + 1 : n;
}

uint32_t aggregate_top(const double *values, uint32_t n, uint32_t k, uint32_t *index)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < n && k > 0; i++)
        if (!isnan(values[i]))
            found = insert(values, i, index, found, k);
    return found;
}

const char *aggregate_fault(enum aggregate_function function, bool has_parameter, double parameter)
{
    switch (function) {
    case AGGREGATE_PERCENTILE:
        if (!has_parameter || !(parameter >= 0 && parameter <= 100))
            return "a percentile needs a parameter from 0 to 100: which one";
        return NULL;
    case AGGREGATE_TOP:
        if (!has_parameter || !(parameter >= 1 && parameter <= AGGREGATE_TOP_MAX) ||
            islessgreater(parameter, trunc(parameter)))
            return "top needs a parameter, a whole number from 1 to 100: how many";
        return NULL;
    default:
        return has_parameter ? "only percentile and top have a parameter" : NULL;
    }
}

const char *aggregate_unit(enum aggregate_function function, const char *unit)
{
    if (function == AGGREGATE_COUNT)
        return "";
    return function == AGGREGATE_SHARE ? "%" : unit;
}
