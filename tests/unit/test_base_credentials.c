#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/credentials.h"

#include "unit.h"

static char path[] = "/tmp/dcamp-test.XXXXXX";

static bool read_text(const char *text, mode_t mode, struct credentials *credentials, char *error)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
    error[0] = '\0';
    return credentials_read(path, credentials, error, 256);
}

static void test_good(void **state)
{
    (void)state;
    struct credentials credentials;
    char error[256];
    assert_true(
        read_text("# for icinga\n\nuser root\n password a b#c\n", 0600, &credentials, error));
    assert_string_equal(credentials.user, "root");
    assert_string_equal(credentials.password, "a b#c");
    assert_true(read_text("token abc", 0400, &credentials, error));
    assert_string_equal(credentials.token, "abc");
}

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mode_t mode;
        const char *error;
    } cases[] = {
        {"user a\npassword b\n", 0640, ": others than its owner may read it: chmod 600"},
        {"user a\npassword b\n", 0604, ": others than its owner may read it: chmod 600"},
        {"", 0600, ": expected a user and a password, or a token"},
        {"user a\n", 0600, ": expected a user and a password, or a token"},
        {"user a\npassword b\ntoken c\n", 0600, ": expected a user and a password, or a token"},
        {"user a\nuser b\n", 0600, ":2: a second value"},
        {"\nusr a\n", 0600, ":2: expected user, password or token and its value"},
        {"user\n", 0600, ":1: expected user, password or token and its value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct credentials credentials;
        char error[256];
        assert_false(read_text(cases[i].text, cases[i].mode, &credentials, error));
        assert_memory_equal(error, path, strlen(path));
        assert_string_equal(error + strlen(path), cases[i].error);
    }
    struct credentials credentials;
    char error[256];
    char *text = calloc(1, 2 * CREDENTIAL_SIZE);
    memset(text, 'x', 2 * CREDENTIAL_SIZE - 1);
    memcpy(text, "user ", 5);
    assert_false(read_text(text, 0600, &credentials, error));
    assert_non_null(strstr(error, ":1: too long"));
    free(text);
    assert_false(credentials_read("/nonexistent", &credentials, error, sizeof error));
    assert_string_equal(error, "/nonexistent: No such file or directory");
    assert_false(credentials_read("/", &credentials, error, sizeof error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
