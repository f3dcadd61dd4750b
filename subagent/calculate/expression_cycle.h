/* Expressions that refer to themselves. Pure. */
#ifndef DCAMP_CALCULATE_EXPRESSION_CYCLE_H
#define DCAMP_CALCULATE_EXPRESSION_CYCLE_H

#include "calculate/expression.h"

/* The expression of a derived sensor; NULL where the name is no derived sensor. It must stay until
 * expression_cycle returns. */
typedef const struct expression *expression_of_fn(void *context, const char *name);

/* Looks for a sensor that is defined by itself, among all that the named one refers to, directly or
 * not, and itself. ELOOP with a description such as "a -> b -> a", with "..." where it does not
 * fit; 0 if there is none; ENOMEM. Takes time for each reference once. */
int expression_cycle(const char *name, expression_of_fn *of, void *context,
                     char text[MESSAGE_SIZE]);

#endif
