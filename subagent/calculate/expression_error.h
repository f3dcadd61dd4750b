/* What is wrong with an expression, in words. For the files expression*.c only. */
#ifndef DCAMP_CALCULATE_EXPRESSION_ERROR_H
#define DCAMP_CALCULATE_EXPRESSION_ERROR_H

#include "calculate/expression.h"

/* Fills the error; returns EINVAL. */
int expression_fail(struct expression_error *error, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A hint for a name that may have swallowed a minus; else "". */
const char *expression_minus_hint(const char *name, size_t len);

#endif
