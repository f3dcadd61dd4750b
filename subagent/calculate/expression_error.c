#include "calculate/expression_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int expression_fail(struct expression_error *error, size_t column, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(error->text, sizeof error->text, format, args);
    va_end(args);
    error->column = column;
    return EINVAL;
}

const char *expression_minus_hint(const char *name, size_t len)
{
    return memchr(name, '-', len) ? "; a minus after a name needs a blank before it" : "";
}
