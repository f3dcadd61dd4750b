/* Aggregates for tests: inputs, and comparing what comes out. */
#ifndef DCAMP_TESTS_AGGREGATES_H
#define DCAMP_TESTS_AGGREGATES_H

#include "aggregate/aggregate.h"
#include "unit.h"

int add_value(struct aggregate *aggregate, double value, uint64_t age_ms);

/* As a parent gets it. */
struct aggregate_input input_of(const struct aggregate *aggregate, uint64_t age_ms);
void assert_near(double value, double expected, double scale);

#endif
