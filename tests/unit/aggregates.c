#include "aggregates.h"

#include <math.h>

int add_value(struct aggregate *aggregate, double value, uint64_t age_ms)
{
    struct aggregate_input input = {
        .has_value = true, .value = value, .age_ms = age_ms, .expected = 1};
    return aggregate_add(aggregate, &input);
}

struct aggregate_input input_of(const struct aggregate *aggregate, uint64_t age_ms)
{
    return (struct aggregate_input){
        .leaves = &aggregate->values,
        .sum = aggregate_sum(aggregate),
        .age_ms = aggregate->oldest_ms + age_ms,
        .expected = aggregate->expected,
    };
}

void assert_near(double value, double expected, double scale)
{
    if (!(fabs(value - expected) <= 1e-12 * scale))
        fail_msg("%.17g is not %.17g", value, expected);
}
