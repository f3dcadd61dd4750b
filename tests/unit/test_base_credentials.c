#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/credentials.h"

#include "unit.h"

static char path[] = "/tmp/dcamp-test.XXXXXX";

static bool read_text(const char *text, mode_t mode, struct credentials *credentials,
                      char error[512])
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    chmod(path, mode);
    error[0] = '\0';
    return credentials_read(path, credentials, error);
}

static void test_good(void **state)
{
    (void)state;
    struct credentials credentials;
    char error[512];
    assert_true(
        read_text("# for icinga\n\nuser root\n password a b#c\n", 0600, &credentials, error));
    assert_string_equal(credentials.user, "root");
    assert_string_equal(credentials.password, "a b#c");
    assert_true(read_text("token abc", 0400, &credentials, error));
    assert_string_equal(credentials.token, "abc");
    assert_true(read_text("user\ta\n\t\npassword \t b \n#", 0600, &credentials, error));
    assert_string_equal(credentials.user, "a");
    assert_string_equal(credentials.password, "b ");
}

/* The longest value, and one more. */
static void test_long(void **state)
{
    (void)state;
    struct credentials credentials;
    char error[512], text[CREDENTIAL_SIZE + 16] = "token ";
    memset(text + 6, 'x', CREDENTIAL_SIZE - 1);
    assert_true(read_text(text, 0600, &credentials, error));
    assert_string_equal(credentials.token, text + 6);
    strcat(text, "x");
    assert_false(read_text(text, 0600, &credentials, error));
    assert_non_null(strstr(error, ":1: too long"));
}

static void test_bad(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        mode_t mode;
        const char *error;
    } cases[] = {
        {"user a\npassword b\n", 0640,
         ": others than its owner have access to it; chmod it to 0600"},
        {"user a\npassword b\n", 0604,
         ": others than its owner have access to it; chmod it to 0600"},
        {"", 0600, ": expected a user and a password, or a token"},
        {"user a\n", 0600, ": expected a user and a password, or a token"},
        {"user a\npassword b\ntoken c\n", 0600, ": expected a user and a password, or a token"},
        {"user a\nuser b\n", 0600, ":2: a second value"},
        {"\nusr a\n", 0600, ":2: expected user, password or token and its value"},
        {"user a\r\npassword b\r\n", 0600,
         ":1: a control character in the value; is the end of the line that of another system?"},
        {"token a\x7f"
         "b",
         0600,
         ":1: a control character in the value; is the end of the line that of another system?"},
        {"user2 a\n", 0600, ":1: expected user, password or token and its value"},
        {"user   \n", 0600, ":1: expected user, password or token and its value"},
        {"user\n", 0600, ":1: expected user, password or token and its value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct credentials credentials;
        char error[512];
        assert_false(read_text(cases[i].text, cases[i].mode, &credentials, error));
        assert_memory_equal(error, path, strlen(path));
        assert_string_equal(error + strlen(path), cases[i].error);
    }
}

/* Nothing of it is left, and no message has any of it. */
static void test_no_secret_is_told(void **state)
{
    (void)state;
    static const struct credentials none;
    struct credentials credentials;
    char error[512], user[ACCOUNT_NAME_SIZE];
    assert_false(
        read_text("user secret\npassword secret\nsecret secret\n", 0600, &credentials, error));
    assert_null(strstr(error, "secret"));
    assert_memory_equal(&credentials, &none, sizeof none);
    FILE *file = fopen(path, "w");
    assert_int_equal(fwrite("token a\0b", 1, 9, file), 9);
    fclose(file);
    assert_false(credentials_read(path, &credentials, error));
    assert_non_null(strstr(error, ":1: a control character"));
    assert_false(credentials_check(path, user, error));
    assert_non_null(strstr(error, ":1: a control character"));
    assert_true(read_text("token a", 0600, &credentials, error));
    assert_true(credentials_check(path, user, error));
    assert_string_equal(user, account_user((char[ACCOUNT_NAME_SIZE]){""}));
}

static void test_no_file(void **state)
{
    (void)state;
    struct credentials credentials;
    char error[512], expected[512], user[ACCOUNT_NAME_SIZE];
    snprintf(expected, sizeof expected,
             "/nonexistent: user \"%s\" cannot read it: No such file or directory",
             account_user(user));
    assert_false(credentials_read("/nonexistent", &credentials, error));
    assert_string_equal(error, expected);
    assert_false(credentials_read("/", &credentials, error));
    assert_string_equal(error, "/: is not a regular file");
}

/* As of linux/posix_acl_xattr.h. */
struct acl {
    uint32_t version;
    struct {
        uint16_t tag, perm;
        uint32_t id;
    } entry[5];
};

/* What systemd gives a service with LoadCredential=: root's, and readable for the user of it. */
static void test_access_control_list(void **state)
{
    (void)state;
    const uint32_t us = geteuid(), none = UINT32_MAX, other = us + 4711;
    const struct {
        uint16_t user, group, named, others;
        uint32_t who;
        bool good;
    } cases[] = {{6, 0, 4, 0, us, true},     {6, 0, 4, 0, 0, true},     {6, 0, 4, 0, other, false},
                 {6, 4, 4, 0, us, false},    {6, 0, 4, 4, us, false},   {6, 0, 0, 0, other, true},
                 {6, 0, 6, 0, other, false}, {6, 0, 2, 0, other, false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct credentials credentials;
        char error[512] = "";
        const struct acl acl = {2,
                                {{0x01, cases[i].user, none},
                                 {0x02, cases[i].named, cases[i].who},
                                 {0x04, cases[i].group, none},
                                 {0x10, 7, none}, /* the mask: the bits of the group in the mode */
                                 {0x20, cases[i].others, none}}};
        assert_true(read_text("token abc\n", 0600, &credentials, error));
        if (setxattr(path, "system.posix_acl_access", &acl, sizeof acl, 0) != 0)
            skip(); /* no file system with such lists */
        assert_int_equal(credentials_read(path, &credentials, error), cases[i].good);
        assert_true(cases[i].good || strstr(error, ": others than its owner have access to it"));
        assert_int_equal(removexattr(path, "system.posix_acl_access"), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good),
                                       cmocka_unit_test(test_long),
                                       cmocka_unit_test(test_bad),
                                       cmocka_unit_test(test_access_control_list),
                                       cmocka_unit_test(test_no_secret_is_told),
                                       cmocka_unit_test(test_no_file)};
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
