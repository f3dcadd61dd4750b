#include "printed.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

void assert_printed(struct result *result, enum status status, const char *expected)
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

void new_result(struct result *result)
{
    assert_true(result_init(result, 10));
}
