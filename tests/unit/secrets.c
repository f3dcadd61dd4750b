#include "secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

char secrets_dir[64];

int secrets_setup(void **state)
{
    (void)state;
    snprintf(secrets_dir, sizeof secrets_dir, "/tmp/test_secrets.XXXXXX");
    return mkdtemp(secrets_dir) ? 0 : -1;
}

int secrets_teardown(void **state)
{
    (void)state;
    char path[128];
    snprintf(path, sizeof path, "%s/s", secrets_dir);
    unlink(path);
    return rmdir(secrets_dir);
}

const char *secrets_file(const char *text, size_t len, mode_t mode)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/s", secrets_dir);
    unlink(path);
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite(text, 1, len, file), len);
    fclose(file);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}
