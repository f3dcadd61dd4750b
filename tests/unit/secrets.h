/* For tests: a file of secrets in a folder of its own. */
#ifndef DCAMP_TESTS_SECRETS_H
#define DCAMP_TESTS_SECRETS_H

#include <stddef.h>
#include <sys/types.h>

/* The folder, for one test at a time. */
extern char secrets_dir[64];

int secrets_setup(void **state);
int secrets_teardown(void **state);
const char *secrets_file(const char *text, size_t len, mode_t mode);

#endif
