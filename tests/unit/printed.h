/* For tests: what a plugin's result prints. */
#ifndef DCAMP_TESTS_PRINTED_H
#define DCAMP_TESTS_PRINTED_H

#include "plugins/result.h"

/* Also frees the result. */
void assert_printed(struct result *result, enum status status, const char *expected);
void new_result(struct result *result);

#endif
