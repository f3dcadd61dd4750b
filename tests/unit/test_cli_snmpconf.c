/* What snmp.conf(5) says of the user: each case in a process of its own, for the library keeps what
 * it has read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/snmpconf.h"

#include "unit.h"

#define TEN "1234567890"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
#define LONGEST HUNDRED TEN TEN "12345678" /* 128 octets */

static char dir[] = "/tmp/dcamp-test.XXXXXX";
static char path[64];

static int dir_setup(void **state)
{
    (void)state;
    strcpy(dir + strlen(dir) - 6, "XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    snprintf(path, sizeof path, "%s/snmp.conf", dir);
    setenv("SNMPCONFPATH", dir, 1);
    setenv("SNMP_PERSISTENT_DIR", dir, 1);
    return 0;
}

static int dir_teardown(void **state)
{
    (void)state;
    char indexes[64]; /* which the library makes */
    snprintf(indexes, sizeof indexes, "%s/cert_indexes", dir);
    rmdir(indexes);
    unlink(path);
    return rmdir(dir);
}

struct conf_case {
    const char *conf;
    struct usm_credential before, after;
    const char *error; /* NULL: it is good */
    bool no_secrets;   /* they are not wanted */
};

/* In the other process: 0, or which of all is not as it should be. */
static int compare(const struct conf_case *one)
{
    struct usm_credential credential = one->before;
    const struct usm_credential *after = &one->after;
    char error[512] = "";
    bool good = snmpconf_fill(&credential, !one->no_secrets, error);
    if (good != !one->error || strcmp(error, one->error ? one->error : "") != 0) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if (!good)
        return 0;
    if (strcmp(credential.user, after->user) != 0)
        return 2;
    if (credential.auth != after->auth || credential.priv != after->priv)
        return 3;
    return strcmp(credential.auth_secret, after->auth_secret) != 0 ||
                   strcmp(credential.priv_secret, after->priv_secret) != 0
               ? 4
               : 0;
}

static void check_all(const struct conf_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int status = -1;
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(cases[i].conf, file);
        fclose(file);
        fflush(NULL);
        pid_t pid = fork();
        if (pid == 0)
            _exit(compare(&cases[i]));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        if (status != 0)
            fail_msg("case %zu, %s: status %x", i, cases[i].conf, (unsigned)status);
    }
}

#define DEFAULTS .auth = AUTH_SHA256, .priv = PRIV_AES128

static void what_is_taken(void **state)
{
    (void)state;
    static const struct conf_case cases[] = {
        {.conf = "", .after = {DEFAULTS}},
        {.conf = "defSecurityName ann\n", .after = {.user = "ann", DEFAULTS}},
        {.conf = "defSecurityName ann\n",
         .before = {.user = "bob"},
         .after = {.user = "bob", DEFAULTS}},
        {.conf = "defSecurityName 12345678901234567890123456789012\n",
         .after = {.user = "12345678901234567890123456789012", DEFAULTS}},
        {.conf = "defAuthType SHA-256\ndefPrivType AES\n", .after = {DEFAULTS}},
        {.conf = "defAuthType SHA-512\n", .after = {.auth = AUTH_SHA512, .priv = PRIV_AES128}},
        {.conf = "defPrivType AES-256\n", .after = {.auth = AUTH_SHA256, .priv = PRIV_AES256}},
        {.conf = "defAuthType SHA-256\n",
         .before = {.auth = AUTH_SHA512},
         .after = {.auth = AUTH_SHA512, .priv = PRIV_AES128}},
        {.conf = "defPrivType AES\n",
         .before = {.priv = PRIV_AES256},
         .after = {.auth = AUTH_SHA256, .priv = PRIV_AES256}},
        /* The library's own default cannot be told from no token. */
        {.conf = "defAuthType MD5\ndefPrivType DES\n", .after = {DEFAULTS}},
        {.conf = "defAuthType SHA\ndefPrivType AES-192\n",
         .before = {DEFAULTS},
         .after = {DEFAULTS}}, /* what is given already is not looked for */
    };
    check_all(cases, N_OF(cases));
}

static void secrets(void **state)
{
    (void)state;
    static const struct conf_case cases[] = {
        {.conf = "defPassphrase of both of them\n",
         .after = {.auth_secret = "of both of them", .priv_secret = "of both of them", DEFAULTS}},
        {.conf = "defAuthPassphrase authentic\ndefPrivPassphrase private!\n",
         .after = {.auth_secret = "authentic", .priv_secret = "private!", DEFAULTS}},
        {.conf = "defPassphrase of both of them\ndefPrivPassphrase private!\n",
         .after = {.auth_secret = "of both of them", .priv_secret = "private!", DEFAULTS}},
        {.conf = "defPassphrase " LONGEST "\n",
         .after = {.auth_secret = LONGEST, .priv_secret = LONGEST, DEFAULTS}},
        {.conf = "defAuthPassphrase 12345678\n", .after = {.auth_secret = "12345678", DEFAULTS}},
        {.conf = "defPassphrase short\n", .after = {DEFAULTS}, .no_secrets = true},
        {.conf = "defPassphrase of both of them\n", .after = {DEFAULTS}, .no_secrets = true},
    };
    check_all(cases, N_OF(cases));
}

static void what_is_refused(void **state)
{
    (void)state;
    static const char user[] =
        "defSecurityName of snmp.conf: expected a user name of 1 to 32 octets";
    static const char auth[] = "defAuthType of snmp.conf: expected SHA-256 or SHA-512";
    static const char priv[] = "defPrivType of snmp.conf: expected AES or AES-256";
    static const char auth_secret[] =
        "defAuthPassphrase of snmp.conf: expected a passphrase of 8 to 128 octets";
    static const char priv_secret[] =
        "defPrivPassphrase of snmp.conf: expected a passphrase of 8 to 128 octets";
    static const struct conf_case cases[] = {
        {.conf = "defSecurityName 123456789012345678901234567890123\n", .error = user},
        {.conf = "defAuthType SHA\n", .error = auth},
        {.conf = "defAuthType SHA-384\n", .error = auth},
        {.conf = "defPrivType AES-192\n", .error = priv},
        {.conf = "defPassphrase 1234567\n", .error = auth_secret},
        {.conf = "defAuthPassphrase 1234567\n", .error = auth_secret},
        {.conf = "defAuthPassphrase " LONGEST "9\n", .error = auth_secret},
        {.conf = "defPrivPassphrase 1234567\n", .error = priv_secret},
        {.conf = "defPrivPassphrase " LONGEST "9\n", .error = priv_secret},
        {.conf = "defAuthType SHA\ndefPassphrase short\n", .error = auth, .no_secrets = true},
    };
    check_all(cases, N_OF(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_taken, dir_setup, dir_teardown),
        cmocka_unit_test_setup_teardown(secrets, dir_setup, dir_teardown),
        cmocka_unit_test_setup_teardown(what_is_refused, dir_setup, dir_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
