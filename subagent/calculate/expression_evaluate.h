/* The value of an expression. Pure. */
#ifndef DCAMP_CALCULATE_EXPRESSION_EVALUATE_H
#define DCAMP_CALCULATE_EXPRESSION_EVALUATE_H

#include "calculate/expression.h"

/* Gives the value of a sensor; false if it has none now. Its name is expression_names(expression,
 * i), so that a caller who keeps the sensors in that order needs no look-up by name. */
typedef bool expression_value_fn(void *context, size_t i, const char *name, double *value);

/* Asks once for each name, in the order of expression_names, up to the first without a value.
 * Returns false, with no change, if there is no result: an input is missing or not finite, a
 * division by 0, the log of 0 or less, an intermediate result that is not finite. Allocates
 * nothing. */
bool expression_evaluate(const struct expression *expression, expression_value_fn *lookup,
                         void *context, double *result);

#endif
