/* For tests: a file of secrets in a folder of its own. */
#ifndef DCAMP_TESTS_SECRETS_H
#define DCAMP_TESTS_SECRETS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[64];

static inline int make_dir(void **state)
{
    (void)state;
    snprintf(dir, sizeof dir, "/tmp/test_secrets.XXXXXX");
    return mkdtemp(dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/s", dir);
    unlink(path);
    return rmdir(dir);
}

static inline const char *secrets_file(const char *text, size_t len, mode_t mode)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/s", dir);
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

#endif
