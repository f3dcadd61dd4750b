/* For tests: what a plugin's result prints. */
#ifndef DCAMP_TESTS_PRINTED_H
#define DCAMP_TESTS_PRINTED_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "plugins/result.h"

/* Also frees the result. */
static inline void assert_printed(struct result *result, enum status status, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    enum status found = result->status;
    result_print(result, to);
    fclose(to);
    assert_string_equal(text, expected);
    assert_int_equal(found, status);
    free(text);
    result_free(result);
}

static inline void new_result(struct result *result)
{
    assert_true(result_init(result, 10));
}

#endif
