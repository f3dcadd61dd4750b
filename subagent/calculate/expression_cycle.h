/* Expressions that refer to themselves. Pure. */
#ifndef DCAMP_CALCULATE_EXPRESSION_CYCLE_H
#define DCAMP_CALCULATE_EXPRESSION_CYCLE_H

#include "calculate/expression.h"

/* The expression of a derived sensor; NULL if the name is not that of a derived sensor. The
 * expression must stay until expression_cycle returns. */
typedef const struct expression *expression_of_fn(void *context, const char *name);

/* Looks for a sensor that is defined by itself, among the named sensor and all those that it refers
 * to, directly or not. Returns ELOOP with a description such as "a -> b -> a", shortened by "..."
 * if it does not fit; 0 if there is none; or ENOMEM. It follows each reference once. */
int expression_cycle(const char *name, expression_of_fn *of, void *context,
                     char text[MESSAGE_SIZE]);

#endif
