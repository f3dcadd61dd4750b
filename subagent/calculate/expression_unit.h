/* The unit of what an expression gives. Pure. */
#ifndef DCAMP_CALCULATE_EXPRESSION_UNIT_H
#define DCAMP_CALCULATE_EXPRESSION_UNIT_H

#include "calculate/expression.h"
#include "calculate/unit.h"

/* The unit of a sensor's values, in the syntax of unit.h; NULL if there is no such sensor. The text
 * must stay until expression_unit returns. */
typedef const char *expression_unit_fn(void *context, const char *name);

/* The unit of the result. What is made only of numbers without "%" has no unit, but may be added to
 * and compared with anything: "cpu - 10" is in percent if cpu is. For everything else:
 *   + - min max and comparisons need the same unit on both sides; a comparison has no unit;
 *   * and / multiply and divide the units, too;
 *   abs and the sign keep the unit;
 *   log takes the number in whatever unit it is; its result has none.
 * Returns 0, or EINVAL with the error and the column of the operator, name or number, or 1 if the
 * error is about the whole; then text is unchanged. */
int expression_unit(const struct expression *expression, expression_unit_fn *lookup, void *context,
                    char text[UNIT_SIZE], struct expression_error *error);

#endif
