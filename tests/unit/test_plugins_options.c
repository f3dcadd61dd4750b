#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/options.h"

#include "secrets.h"
#include "unit.h"

#define MANY 32
#define SECRETS "auth authentic\npriv private!\n"
#define BASE "-H", "host", "-U", "me", "-A", "authentic", "-X", "private!"

static struct options options;
static char error[512];
static char words[MANY][300];

static enum options_outcome read_words(const char *const *given)
{
    char *argv[MANY + 1] = {strcpy(words[0], "check_dcamp")};
    int n = 1;
    for (; given[n - 1]; n++)
        argv[n] = strcpy(words[n], given[n - 1]);
    error[0] = '\0';
    return options_read(n, argv, &options, error);
}

#define READ(...) read_words((const char *const[]){__VA_ARGS__, NULL})

static void defaults(void **state)
{
    (void)state;
    assert_int_equal(READ(BASE, "sensor", "cpu.busy"), OPTIONS_GOOD);
    assert_int_equal(options.mode, MODE_SENSOR);
    assert_string_equal(options.name, "cpu.busy");
    assert_string_equal(options.login.address.host, "host");
    assert_string_equal(options.login.address.port, "161");
    assert_string_equal(options.login.credential.user, "me");
    assert_string_equal(options.login.credential.auth_secret, "authentic");
    assert_string_equal(options.login.credential.priv_secret, "private!");
    assert_int_equal(options.login.credential.auth, AUTH_SHA256);
    assert_int_equal(options.login.credential.priv, PRIV_AES128);
    assert_string_equal(options.instances, "*");
    assert_null(options.statistic);
    assert_false(options.warning.range.given || options.critical.range.given);
    assert_int_equal(options.max_age_ms, NO_AGE);
    assert_int_equal(options.timeout_s, 10);
    assert_int_equal(options.silent, STATUS_UNKNOWN);
    assert_int_equal(options.verbose, 0);
}

static void every_option(void **state)
{
    (void)state;
    assert_int_equal(READ("sensor", "-vv", "-H[::1]:1161", "x", "--verbose", "-U", "u", "-a",
                          "sha-512", "-x", "aes-256", "-A", "authentic", "-X", "private!", "-l",
                          "authPriv", "-P", "3", "-w", "1:2", "-c", "@3", "-t", "5:CRITICAL",
                          "--statistic=p95", "--max-age", "90", "--instance", "eth* lo"),
                     OPTIONS_GOOD);
    assert_string_equal(options.login.address.host, "::1");
    assert_string_equal(options.login.address.port, "1161");
    assert_int_equal(options.login.credential.auth, AUTH_SHA512);
    assert_int_equal(options.login.credential.priv, PRIV_AES256);
    assert_string_equal(options.warning.range.text, "1:2");
    assert_string_equal(options.critical.range.text, "@3");
    assert_int_equal(options.timeout_s, 5);
    assert_int_equal(options.silent, STATUS_CRITICAL);
    assert_string_equal(options.statistic, "p95");
    assert_int_equal(options.max_age_ms, 90000);
    assert_string_equal(options.instances, "eth* lo");
    assert_int_equal(options.verbose, 3);
    assert_int_equal(READ(BASE, "-p", "1161", "aggregate", "all", "--missing-warning", "1",
                          "--missing-critical", "10%", "-t", "7:2"),
                     OPTIONS_GOOD);
    assert_int_equal(options.mode, MODE_AGGREGATE);
    assert_string_equal(options.login.address.port, "1161");
    assert_false(options.missing_warning.percent);
    assert_true(options.missing_critical.percent);
    assert_int_equal(options.silent, STATUS_CRITICAL);
    assert_int_equal(READ(BASE, "alarms", "--severity", "Warning", "--node", "a", "--threshold",
                          "b", "--sensor", "c", "--instance", "d"),
                     OPTIONS_GOOD);
    assert_int_equal(options.severity, SEVERITY_WARNING);
    assert_string_equal(options.node, "a");
    assert_string_equal(options.threshold, "b");
    assert_string_equal(options.sensor, "c");
    assert_string_equal(options.instances, "d");
    assert_false(options.below);
    assert_int_equal(READ(BASE, "alarms", "--below"), OPTIONS_GOOD);
    assert_true(options.below);
    assert_int_equal(READ(BASE, "tree", "-w", "10%"), OPTIONS_GOOD);
    assert_true(options.warning.percent);
}

/* Who is silent is not fresh. */
static void freshness_has_its_own_defaults(void **state)
{
    (void)state;
    assert_int_equal(READ(BASE, "freshness"), OPTIONS_GOOD);
    assert_int_equal(options.silent, STATUS_CRITICAL);
    assert_string_equal(options.warning.range.text, "5");
    assert_string_equal(options.critical.range.text, "30");
    assert_int_equal(READ(BASE, "freshness", "-t", "3:UNKNOWN", "-w", "1"), OPTIONS_GOOD);
    assert_int_equal(options.silent, STATUS_UNKNOWN);
    assert_string_equal(options.warning.range.text, "1");
}

static void secrets_of_a_file(void **state)
{
    (void)state;
    const char *path = secrets_file(SECRETS, strlen(SECRETS), 0600);
    assert_int_equal(READ("-H", "h", "-U", "me", "--secrets", path, "tree"), OPTIONS_GOOD);
    assert_string_equal(options.login.credential.auth_secret, "authentic");
    assert_string_equal(options.login.credential.priv_secret, "private!");
    path = secrets_file(SECRETS, strlen(SECRETS), 0644);
    assert_int_equal(READ("-H", "h", "-U", "me", "--secrets", path, "tree"), OPTIONS_BAD);
    assert_non_null(strstr(error, "chmod"));
    assert_int_equal(READ(BASE, "--secrets", path, "tree"), OPTIONS_BAD);
    assert_string_equal(error, "--secrets does not go with -A and -X");
}

/* Not even those of a command line that is no good stay there to be seen. */
static void secrets_vanish_from_the_arguments(void **state)
{
    (void)state;
    assert_int_equal(READ(BASE, "tree"), OPTIONS_GOOD);
    assert_string_equal(words[6], "xxxxxxxxx");
    assert_string_equal(words[8], "xxxxxxxx");
    assert_int_equal(READ("-A", "short"), OPTIONS_BAD);
    assert_string_equal(words[2], "xxxxx");
    assert_null(strstr(error, "short"));
}

static void help_and_version(void **state)
{
    (void)state;
    assert_int_equal(READ("-h"), OPTIONS_HELP);
    assert_int_equal(READ("--help", "nonsense"), OPTIONS_HELP);
    assert_int_equal(READ("-V"), OPTIONS_VERSION);
    assert_int_equal(READ("--version"), OPTIONS_VERSION);
}

static void is_bad(const char *const *given, const char *expected)
{
    assert_int_equal(read_words(given), OPTIONS_BAD);
    assert_string_equal(error, expected);
}

#define BAD(expected, ...) is_bad((const char *const[]){__VA_ARGS__, NULL}, expected)

static void bad_words(void **state)
{
    (void)state;
    static const char mode[] = ": expected sensor NAME, aggregate NAME, alarms, tree or freshness";
    char text[128];
    snprintf(text, sizeof text, "mode is missing%s", mode);
    BAD(text, BASE);
    snprintf(text, sizeof text, "mode nonsense%s", mode);
    BAD(text, BASE, "nonsense");
    BAD("sensor : expected one name", BASE, "sensor");
    BAD("sensor b: expected one name", BASE, "sensor", "a", "b");
    BAD("tree a: expected no name", BASE, "tree", "a");
    BAD("sensor a b: expected 1 to 32 letters, digits, '.', '_' and '-'", BASE, "sensor", "a b");
    BAD("-H is missing", "-U", "me", "-A", "authentic", "-X", "private!", "tree");
    BAD("-H : expected HOST or HOST:PORT", BASE, "-H", "", "tree");
    BAD("-H a:b: expected HOST or HOST:PORT", BASE, "-H", "a:b", "tree");
    BAD("-U is missing", "-H", "h", "tree");
    BAD("--secrets is missing (or -A and -X)", "-H", "h", "-U", "me", "-A", "authentic", "tree");
    BAD("-w 2:1: expected a range, [@]START:END", BASE, "-w", "2:1", "tree");
    BAD("-w and -c: no % in this mode", BASE, "-w", "1%", "alarms");
    BAD("--statistic does not go with aggregate", BASE, "aggregate", "a", "--statistic", "p95");
    BAD("--missing-warning does not go with sensor", BASE, "sensor", "a", "--missing-warning", "1");
    BAD("--below does not go with tree", BASE, "tree", "--below");
    BAD("--instance does not go with tree", BASE, "tree", "--instance", "a");
    BAD("--statistic p42: expected min, max, mean, stddev, p50, p90, p95 or p99", BASE, "sensor",
        "a", "--statistic", "p42");
    BAD("--severity clear: expected info, warning or critical", BASE, "alarms", "--severity",
        "clear");
    BAD("-l noAuthNoPriv: expected authPriv", BASE, "-l", "noAuthNoPriv", "tree");
    BAD("-a MD5: expected SHA-256 or SHA-512", BASE, "-a", "MD5", "tree");
    BAD("-x DES: expected AES or AES-256", BASE, "-x", "DES", "tree");
    BAD("-P 2c: expected 3", BASE, "-P", "2c", "tree");
    BAD("-U : expected a user name of 1 to 32 octets", "-U", "");
    BAD("-A ...: expected a passphrase of 8 to 128 octets", "-A", "seven77");
    BAD("-w needs a value", BASE, "-w");
    BAD("--nonsense: no such option", BASE, "--nonsense");
    BAD("-z: no such option", BASE, "-p", "161", "-zv", "tree");
    BAD("--verbose=4: no such option", BASE, "--verbose=4", "tree");
}

static void bad_times(void **state)
{
    (void)state;
    static const char *const bad[] = {"",   "0",   "3601", "-1", "1.5", "x",
                                      "5:", "5:X", "5:4",  ":2", " 5",  "5:2:1"};
    char expected[128];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(expected, sizeof expected, "-t %s: expected SECONDS or SECONDS:STATUS", bad[i]);
        BAD(expected, BASE, "-t", bad[i], "tree");
    }
    BAD("--max-age -1: expected seconds", BASE, "--max-age", "-1", "sensor", "a");
}

/* Of the guidelines: at most 80 columns. */
static void the_help_fits(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0, column = 0;
    FILE *to = open_memstream(&text, &size);
    options_help(to);
    fclose(to);
    for (const char *c = text; *c; c++) {
        column = *c == '\n' ? 0 : column + 1;
        assert_true(column <= 80);
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults),
                                       cmocka_unit_test(every_option),
                                       cmocka_unit_test(freshness_has_its_own_defaults),
                                       cmocka_unit_test(secrets_of_a_file),
                                       cmocka_unit_test(secrets_vanish_from_the_arguments),
                                       cmocka_unit_test(help_and_version),
                                       cmocka_unit_test(bad_words),
                                       cmocka_unit_test(bad_times),
                                       cmocka_unit_test(the_help_fits)};
    return cmocka_run_group_tests(tests, secrets_setup, secrets_teardown);
}
