/* Aggregates for tests: inputs, and comparing what comes out. After cmocka.h. */
#ifndef TESTS_UNIT_AGGREGATES_H
#define TESTS_UNIT_AGGREGATES_H

#include <math.h>

#include "aggregate/aggregate.h"

#define N_OF(array) (sizeof(array) / sizeof *(array))

static inline int add(struct aggregate *aggregate, double value, uint64_t age_ms)
{
    struct aggregate_input input = {
        .has_value = true, .value = value, .age_ms = age_ms, .expected = 1};
    return aggregate_add(aggregate, &input);
}

/* As a parent gets it. */
static inline struct aggregate_input input_of(const struct aggregate *aggregate, uint64_t age_ms)
{
    return (struct aggregate_input){
        .leaves = &aggregate->values,
        .sum = aggregate_sum(aggregate),
        .age_ms = aggregate->oldest_ms + age_ms,
        .expected = aggregate->expected,
    };
}

static inline void assert_near(double value, double expected, double scale)
{
    if (!(fabs(value - expected) <= 1e-12 * scale))
        fail_msg("%.17g is not %.17g", value, expected);
}

#endif
