/* Files of secrets: what is taken, what is refused, and that no message tells a secret. */
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/account.h"
#include "snmpv3/secrets.h"

#include "secrets.h"
#include "unit.h"

#define LONGEST                                                                                    \
    "1234567890123456789012345678901234567890123456789012345678901234"                             \
    "1234567890123456789012345678901234567890123456789012345678901234"

static void good_secrets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *auth, *priv;
    } cases[] = {
        {"auth 12345678\npriv abcdefgh\n", "12345678", "abcdefgh"},
        {"priv abcdefgh\nauth 12345678", "12345678", "abcdefgh"},
        {"\nauth  a b \t c\n\npriv " LONGEST "\n", " a b \t c", LONGEST},
    };
    char error[512];
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct usm_credential to = {.auth_secret = "of before"};
        const char *path = secrets_file(cases[i].text, strlen(cases[i].text), 0600);
        assert_true(secrets_read(path, &to, error));
        assert_string_equal(to.auth_secret, cases[i].auth);
        assert_string_equal(to.priv_secret, cases[i].priv);
    }
}

static void bad_secrets(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
        mode_t mode;
    } cases[] = {
        {"auth 12345678\npriv abcdefgh\n", ": others than its owner have *", 0640},
        {"auth 12345678\npriv abcdefgh\n", ": others than its owner have *", 0604},
        {"auth 12345678\npriv abcdefgh\n", ": others than its owner have *", 0620},
        {"", ": has no line \"auth PASSPHRASE\"", 0600},
        {"auth 12345678\n", ": has no line \"priv PASSPHRASE\"", 0600},
        {"priv 12345678\n", ": has no line \"auth PASSPHRASE\"", 0600},
        {"auth 12345678\nauth abcdefgh\n", ":2: a second auth line", 0600},
        {"auth 12345678\npriv abcdefgh\npriv 12345678", ":3: a second priv line", 0600},
        {"auth 1234567\npriv abcdefgh\n", ":1: the passphrase must have 8 to 128 octets", 0600},
        {"priv abcdefgh\n\nauth " LONGEST "5\n", ":3: the passphrase must have 8 to 128 octets",
         0600},
        {"auth\npriv abcdefgh\n", ":1: is neither *", 0600},
        {"auth 12345678\nencrypt abcdefgh\n", ":2: is neither *", 0600},
        {" auth 12345678\n", ":1: is neither *", 0600},
    };
    char error[512], expected[512];
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct usm_credential to = {.auth_secret = "of before", .priv_secret = "too"};
        const char *path = secrets_file(cases[i].text, strlen(cases[i].text), cases[i].mode);
        assert_false(secrets_read(path, &to, error));
        size_t n = (size_t)snprintf(expected, sizeof expected, "%s%s", path, cases[i].error);
        if (expected[n - 1] == '*')
            expected[n - 1] = error[n - 1] = '\0';
        assert_string_equal(error, expected);
        assert_null(strstr(error, "12345678"));
        for (size_t octet = 0; octet < PEER_SECRET_SIZE; octet++)
            assert_int_equal(to.auth_secret[octet] | to.priv_secret[octet], 0);
    }
}

static void no_file_of_secrets(void **state)
{
    (void)state;
    char error[512], long_text[2000];
    struct usm_credential to = {.name = ""};
    memset(long_text, 'a', sizeof long_text);
    assert_false(
        secrets_read(secrets_file("auth 1\0002345678\npriv abcdefgh", 28, 0600), &to, error));
    assert_non_null(strstr(error, ":1: there is a NUL"));
    assert_false(secrets_read(secrets_file(long_text, sizeof long_text, 0600), &to, error));
    assert_non_null(strstr(error, "is longer than 1024 octets"));
    assert_false(secrets_read("/nowhere/s", &to, error));
    assert_non_null(strstr(error, "/nowhere/s: user \""));
    assert_non_null(strstr(error, "\" cannot read it: No such file or directory"));
    assert_false(secrets_read(secrets_dir, &to, error));
    assert_non_null(strstr(error, "is not a regular file"));
    const char *path = secrets_file("", 0, 0600);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0); /* nobody is waited for */
    assert_false(secrets_read(path, &to, error));
    assert_non_null(strstr(error, "is not a regular file"));
}

/* -- Of other users, as root ----------------------------------------------------------------- */

#define NOBODY 65534

static const char pair_of_secrets[] = "auth 12345678\npriv abcdefgh\n";

static const char *file_of(uid_t owner)
{
    const char *path = secrets_file(pair_of_secrets, strlen(pair_of_secrets), 0600);
    if (geteuid() != 0)
        skip();
    assert_int_equal(chown(path, owner, owner), 0);
    assert_int_equal(chmod(secrets_dir, 0711), 0);
    return path;
}

static void assert_error(const char *error, const char *path, const char *what)
{
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", path, what);
    assert_string_equal(error, expected);
}

static void a_file_of_somebody_else(void **state)
{
    (void)state;
    char error[512] = "";
    struct usm_credential to = {.name = ""};
    const char *path = file_of(NOBODY);
    assert_false(secrets_read(path, &to, error));
    assert_error(error, path,
                 "belongs to user \"nobody\", and is to be read by \"root\": chown it");
    path = file_of(0);
    assert_int_equal(seteuid(NOBODY), 0);
    bool good = secrets_read(path, &to, error);
    assert_int_equal(seteuid(0), 0);
    assert_false(good);
    assert_error(error, path,
                 "user \"nobody\" cannot read it: Permission denied (it belongs to user "
                 "\"root\", chown it)");
}

/* It is tried as the user that it belongs to, with that user's groups; then all is as before. */
static void a_check_as_its_owner(void **state)
{
    (void)state;
    static const gid_t own[] = {0, 3, 4};
    char error[512] = "", user[ACCOUNT_NAME_SIZE];
    gid_t groups[16];
    const char *path = file_of(NOBODY);
    assert_int_equal(setgroups(N_OF(own), own), 0);
    for (int dir_mode = 0711; dir_mode >= 0700; dir_mode -= 011) {
        assert_int_equal(chmod(secrets_dir, (mode_t)dir_mode), 0);
        bool good = secrets_check(path, user, error);
        assert_int_equal(geteuid(), 0);
        assert_int_equal(getegid(), getgid());
        assert_int_equal(getgroups(N_OF(groups), groups), N_OF(own));
        assert_memory_equal(groups, own, sizeof own);
        assert_string_equal(user, "nobody");
        assert_int_equal(good, dir_mode == 0711);
    }
    assert_error(error, path, "user \"nobody\" cannot read it: Permission denied");
    path = file_of(0);
    assert_true(secrets_check(path, user, error));
    assert_string_equal(user, "root");
    assert_false(secrets_check("/nowhere/s", user, error));
    assert_error(error, "/nowhere/s", "user \"root\" cannot read it: No such file or directory");
}

static void passwords(void **state)
{
    (void)state;
    static const struct {
        const char *text, *password, *error;
        mode_t mode;
    } cases[] = {
        {"password x\n", "x", "", 0600},
        {"password  a b", " a b", "", 0600},
        {"password " LONGEST "\n", LONGEST, "", 0600},
        {"password " LONGEST "x\n", "", ":1: the password must have 1 to 128 octets", 0600},
        {"password \n", "", ":1: is not \"password PASSWORD\"", 0600},
        {"auth 12345678\n", "", ":1: is not \"password PASSWORD\"", 0600},
        {"", "", ":1: is not \"password PASSWORD\"", 0600},
        {"password x\ny\n", "", ":1: the password must be one line of printable text", 0600},
        {"password x\n", "", ": others than its owner have access to it; chmod it to 0600", 0640},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        char password[PEER_SECRET_SIZE] = "of before", error[512] = "", expected[512];
        const char *path = secrets_file(cases[i].text, strlen(cases[i].text), cases[i].mode);
        assert_true(secrets_read_password(path, password, error) == !cases[i].error[0]);
        assert_string_equal(password, cases[i].password);
        snprintf(expected, sizeof expected, "%s%s", cases[i].error[0] ? path : "", cases[i].error);
        assert_string_equal(error, expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(good_secrets, secrets_setup, secrets_teardown),
        cmocka_unit_test_setup_teardown(bad_secrets, secrets_setup, secrets_teardown),
        cmocka_unit_test_setup_teardown(passwords, secrets_setup, secrets_teardown),
        cmocka_unit_test_setup_teardown(no_file_of_secrets, secrets_setup, secrets_teardown),
        cmocka_unit_test_setup_teardown(a_file_of_somebody_else, secrets_setup, secrets_teardown),
        cmocka_unit_test_setup_teardown(a_check_as_its_owner, secrets_setup, secrets_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
