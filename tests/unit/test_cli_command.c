#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"

#include "secrets.h"
#include "unit.h"

#define MANY 32
#define LOGIN "-U", "me", "-A", "authentic", "-X", "private!"
#define BASE "alarms", LOGIN
#define ALL_SUBCOMMANDS                                                                            \
    "there is status, alarms, alarms list, alarms acknowledge, alarms history, "                   \
    "alarms maintenance, get, watch, top, history, plot, analyse, run start, run stop, run list, " \
    "run delete, compare, load, thresholds, set, deviations, promote, "                            \
    "config push, config "                                                                         \
    "check, "                                                                                      \
    "config show, config diff, config rollback, tree, doctor, export nagios, export icinga, "      \
    "export prometheus, "                                                                          \
    "export snmptrapd, export zabbix, key rotate, key revoke, stop or init"

static struct command command;
static char error[COMMAND_ERROR_SIZE];
static char words[MANY][300];

static enum command_outcome read_words(const char *const *given)
{
    char *argv[MANY + 1] = {strcpy(words[0], "dcamp")};
    int n = 1;
    for (; given[n - 1]; n++)
        argv[n] = strcpy(words[n], given[n - 1]);
    error[0] = '\0';
    return command_read(n, argv, &command, error);
}

#define READ(...) read_words((const char *const[]){__VA_ARGS__, NULL})

static void defaults(void **state)
{
    (void)state;
    assert_int_equal(READ(BASE), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms");
    assert_string_equal(command.login.address.host, "localhost");
    assert_string_equal(command.login.address.port, "161");
    assert_string_equal(command.login.credential.user, "me");
    assert_string_equal(command.login.credential.auth_secret, "authentic");
    assert_string_equal(command.login.credential.priv_secret, "private!");
    assert_int_equal(command.login.credential.auth, AUTH_SHA256);
    assert_int_equal(command.login.credential.priv, PRIV_AES128);
    assert_int_equal(command.format, SHEET_TABLE);
    assert_int_equal(command.timeout_s, 10);
    assert_false(command.verbose || command.given);
}

static void every_option(void **state)
{
    (void)state;
    assert_int_equal(READ("-v", "alarms", "--since", "4294967295", "--json", "-t", "3", "-U", "u",
                          "-a", "sha-512", "-x", "aes-256", "-A", "authentic", "-X", "private!",
                          "-l", "authPriv", "-P", "3", "-p", "1161", "[::1]"),
                     COMMAND_GOOD);
    assert_string_equal(command.login.address.host, "::1");
    assert_string_equal(command.login.address.port, "1161");
    assert_int_equal(command.login.credential.auth, AUTH_SHA512);
    assert_int_equal(command.login.credential.priv, PRIV_AES256);
    assert_true(command_has(&command, COMMAND_SINCE) && command.verbose);
    assert_int_equal(command.since, 4294967295);
    assert_int_equal(command.format, SHEET_JSON);
    assert_int_equal(command.timeout_s, 3);
    assert_int_equal(READ(BASE, "--since=0", "--tsv", "host:99"), COMMAND_GOOD);
    assert_true(command_has(&command, COMMAND_SINCE));
    assert_int_equal(command.since, 0);
    assert_int_equal(command.format, SHEET_TSV);
    assert_string_equal(command.login.address.port, "99");
}

static void secrets(void **state)
{
    (void)state;
    static const char text[] = "auth authentic\npriv private!\n";
    const char *path = secrets_file(text, strlen(text), 0600);
    assert_int_equal(READ("alarms", "-U", "me", "--secrets", path), COMMAND_GOOD);
    assert_string_equal(command.login.credential.priv_secret, "private!");
    path = secrets_file(text, strlen(text), 0644);
    assert_int_equal(READ("alarms", "-U", "me", "--secrets", path), COMMAND_BAD);
    assert_non_null(strstr(error, "chmod"));
    /* As root it is read as whoever it belongs to. */
    path = secrets_file(text, strlen(text), 0600);
    if (geteuid() == 0 && chmod(secrets_dir, 0755) == 0 && chown(path, 65534, 65534) == 0) {
        assert_int_equal(READ("alarms", "-U", "me", "--secrets", path), COMMAND_GOOD);
        assert_string_equal(command.login.credential.auth_secret, "authentic");
        assert_int_equal(geteuid(), 0);
    }
    assert_int_equal(READ("alarms", "-A", "short"), COMMAND_BAD);
    assert_string_equal(words[3], "xxxxx");
}

static void help_and_version(void **state)
{
    (void)state;
    assert_int_equal(READ("-h"), COMMAND_HELP);
    assert_int_equal(READ("alarms", "--help"), COMMAND_HELP);
    assert_int_equal(READ("-V"), COMMAND_VERSION);
    assert_int_equal(READ("--version", "nonsense"), COMMAND_VERSION);
}

static void is_bad(const char *const *given, const char *expected)
{
    assert_int_equal(read_words(given), COMMAND_BAD);
    assert_string_equal(error, expected);
}

#define BAD(expected, ...) is_bad((const char *const[]){__VA_ARGS__, NULL}, expected)

/* As other commands of SNMP call them. */
static void names_of_protocols(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        enum auth_protocol auth;
        enum priv_protocol priv;
    } names[] = {
        {"SHA-256", AUTH_SHA256, 0}, {"sha256", AUTH_SHA256, 0},  {"SHA-512", AUTH_SHA512, 0},
        {"SHA512", AUTH_SHA512, 0},  {"aes", 0, PRIV_AES128},     {"AES-128", 0, PRIV_AES128},
        {"AES128", 0, PRIV_AES128},  {"AES-256", 0, PRIV_AES256}, {"aes256", 0, PRIV_AES256},
    };
    for (size_t i = 0; i < N_OF(names); i++) {
        bool auth = names[i].auth != 0;
        assert_int_equal(READ(BASE, auth ? "-a" : "-x", names[i].name), COMMAND_GOOD);
        assert_int_equal(command.login.credential.auth, auth ? names[i].auth : AUTH_SHA256);
        assert_int_equal(command.login.credential.priv, auth ? PRIV_AES128 : names[i].priv);
    }
    BAD("-a SHA: expected SHA-256 or SHA-512", BASE, "-a", "SHA");
    BAD("-x AES-192: expected AES or AES-256", BASE, "-x", "AES-192");
}

static void bad_words(void **state)
{
    (void)state;
    BAD("the subcommand is missing; " ALL_SUBCOMMANDS, "-v");
    BAD("alrams: no such subcommand; did you mean \"alarms\"?", "alrams");
    BAD("config: no such subcommand; there is config push, config check, config show, config diff "
        "or config rollback",
        "config");
    BAD("config psh: no such subcommand; there is config push, config check, config show, config "
        "diff or config rollback",
        "config", "psh", "host");
    BAD("alarm: no such subcommand; did you mean \"alarms\"?", "alarm", "host");
    BAD("zzz: no such subcommand; " ALL_SUBCOMMANDS, "zzz");
    BAD(": no such subcommand; " ALL_SUBCOMMANDS, "");
    BAD("alarms b: expected one address", BASE, "a", "b");
    BAD("address a:b: expected HOST or HOST:PORT", BASE, "a:b");
    BAD("-U is missing (or defSecurityName in snmp.conf)", "alarms");
    BAD("--secrets is missing (or defAuthPassphrase and defPrivPassphrase in snmp.conf)", "alarms",
        "-U", "me");
    BAD("-U : expected a user name of 1 to 32 octets", "alarms", "-U", "");
    BAD("-U 123456789012345678901234567890123: expected a user name of 1 to 32 octets", "alarms",
        "-U", "123456789012345678901234567890123");
    assert_int_equal(READ(BASE, "-U", "12345678901234567890123456789012"), COMMAND_GOOD);
    BAD("--since needs a value", BASE, "--since");
    BAD("--sinse: no such option", BASE, "--sinse");
    BAD("-z: no such option", BASE, "--json", "-zv");
    BAD("--json=4: no such option", BASE, "--json=4");
    BAD("-vU needs a value", BASE, "-vU");
    BAD("-l noAuthNoPriv: expected authPriv", BASE, "-l", "noAuthNoPriv");
}

static void words_behind_the_address(void **state)
{
    (void)state;
    assert_int_equal(READ(LOGIN, "get"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "get");
    assert_string_equal(command.login.address.host, "localhost");
    assert_int_equal(command.n_words, 0);
    assert_int_equal(READ(LOGIN, "get", "web1", "cpu.busy", "--below", "total"), COMMAND_GOOD);
    assert_string_equal(command.login.address.host, "web1");
    assert_int_equal(command.n_words, 2);
    assert_string_equal(command.words[0], "cpu.busy");
    assert_string_equal(command.words[1], "total");
    assert_true(command_has(&command, COMMAND_BELOW));
    BAD("get: expected ADDRESS [SENSOR [INSTANCE]]", LOGIN, "get", "a", "b", "c", "d");
    BAD("watch: expected ADDRESS SENSOR [INSTANCE]", LOGIN, "watch", "a");
    BAD("set: expected ADDRESS KIND NAME [FIELD VALUE]...", LOGIN, "set", "a");
    BAD("--create: no option of get", LOGIN, "get", "--create");
    BAD("--delete: no option of alarms", LOGIN, "alarms", "--delete");
    assert_int_equal(READ(LOGIN, "set", "--", "a", "threshold", "hot", "limit", "-5"),
                     COMMAND_GOOD);
    assert_string_equal(command.words[3], "-5");
    BAD("--changes: no option of get", LOGIN, "get", "--changes");
    BAD("--since: no option of watch", LOGIN, "watch", "a", "b", "--since", "3");
}

static void other_keys(void **state)
{
    (void)state;
    assert_int_equal(READ(LOGIN, "key", "rotate", "--new-secrets", "/new", "web1"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "key rotate");
    assert_string_equal(command.new_secrets, "/new");
    assert_string_equal(command.login.address.host, "web1");
    assert_int_equal(command.n_words, 0);
    assert_int_equal(READ(LOGIN, "key", "rotate", "web1", "dcampTrap", "--new-secrets=/new"),
                     COMMAND_GOOD);
    assert_int_equal(command.n_words, 1);
    assert_string_equal(command.words[0], "dcampTrap");
    BAD("key rotate: --new-secrets is missing", LOGIN, "key", "rotate", "web1");
    BAD("key rotate: expected ADDRESS", LOGIN, "key", "rotate", "--new-secrets", "/new");
    assert_int_equal(READ(LOGIN, "key", "revoke", "--config", "/t", "r1", "web1"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "key revoke");
    assert_string_equal(command.words[0], "web1");
    BAD("key revoke: --config is missing", LOGIN, "key", "revoke", "r1", "web1");
    BAD("key revoke: expected ADDRESS NODE", LOGIN, "key", "revoke", "--config", "/t", "r1");
    BAD("--new-secrets: no option of tree", LOGIN, "tree", "--new-secrets", "/new");
}

/* A word behind "alarms" is a node, but where the two are the name of a subcommand. */
static void names_that_begin_alike(void **state)
{
    (void)state;
    assert_int_equal(READ(LOGIN, "alarms", "lists"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms");
    assert_string_equal(command.login.address.host, "lists");
    assert_int_equal(READ(LOGIN, "alarms", "list"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms list");
    assert_string_equal(command.login.address.host, "localhost");
    assert_int_equal(READ(LOGIN, "alarms", "list:161"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms");
    assert_string_equal(command.login.address.host, "list");
    assert_int_equal(READ(LOGIN, "alarms", "--since", "3", "list", "list"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms list");
    assert_string_equal(command.login.address.host, "list");
    assert_int_equal(READ(LOGIN, "alarms", "acknowledge", "a", "7", "a:b:c", "ann: looks"),
                     COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms acknowledge");
    assert_string_equal(command.login.address.host, "a");
    assert_int_equal(command.n_words, 3);
    assert_int_equal(READ(LOGIN, "alarms", "history", "a", "--count", "5"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms history");
    assert_int_equal(command.count, 5);
    assert_int_equal(READ(LOGIN, "alarms", "maintenance", "a", "start", "b", "1h"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "alarms maintenance");
    assert_int_equal(command.n_words, 3);
    BAD("alarms acknowledge: expected ADDRESS INDEX|KEY... [TEXT]", LOGIN, "alarms", "acknowledge",
        "a");
    BAD("alarms acknowlege: no such subcommand; did you mean \"alarms acknowledge\"?", LOGIN,
        "alarms", "acknowlege", "a", "7");
    BAD("alarms list b: expected one address", LOGIN, "alarms", "list", "a", "b");
    BAD("alarms history b: expected one address", LOGIN, "alarms", "history", "a", "b");
    BAD("alarms maintenance: expected ADDRESS [list|start|end ...]", LOGIN, "alarms", "maintenance",
        "a", "start", "b", "1h", "nodes", "x", "thresholds", "y", "z");
    BAD("--count: no option of alarms", BASE, "--count", "5");
    BAD("--since: no option of alarms maintenance", LOGIN, "alarms", "maintenance", "--since", "5");
}

/* It asks no node: there is no address, and nobody who asks. */
static void about_this_machine(void **state)
{
    (void)state;
    assert_int_equal(READ("init"), COMMAND_GOOD);
    assert_int_equal(command.subcommand->of, OF_HERE);
    assert_int_equal(command.n_words, 0);
    assert_null(command.engine_id);
    assert_null(command.listen);
    assert_null(command.announce);
    assert_null(command.root);
    assert_null(command.service);
    assert_false(command_has(&command, COMMAND_COLLECTOR));
    assert_int_equal(READ("init", "--check", "--new-site", "--collector", "--engine-id",
                          "0x80001f8804", "--listen=udp6:[2001:db8::7]:161", "--root", "/r",
                          "--service", "s", "-a", "SHA-512", "--json"),
                     COMMAND_GOOD);
    assert_true(command_has(&command, COMMAND_CHECK));
    assert_true(command_has(&command, COMMAND_COLLECTOR));
    assert_true(command_has(&command, COMMAND_NEW_SITE));
    assert_string_equal(command.engine_id, "0x80001f8804");
    assert_string_equal(command.listen, "udp6:[2001:db8::7]:161");
    assert_string_equal(command.root, "/r");
    assert_string_equal(command.service, "s");
    assert_int_equal(command.login.credential.auth, AUTH_SHA512);
    assert_int_equal(READ("init", "--secrets", "/nowhere"), COMMAND_GOOD);
    assert_string_equal(command.login.secrets, "/nowhere");
    BAD("--secrets and --new-site: one of the two", "init", "--secrets", "/a", "--new-site");
    BAD("init web1: expected nothing behind it", "init", "web1");
    BAD("--engine-id 80001f88: expected 10 to 64 hexadecimal digits", "init", "--engine-id",
        "80001f88");
    BAD("--listen udp:a b: expected an address such as udp:192.0.2.7:161", "init", "--listen",
        "udp:a b");
    BAD("--listen : expected an address such as udp:192.0.2.7:161", "init", "--listen", "");
    assert_int_equal(READ("init", "--announce", "udp:192.0.2.1:1621,udp6:[2001:db8::1]:1621"),
                     COMMAND_GOOD);
    assert_string_equal(command.announce, "udp:192.0.2.1:1621,udp6:[2001:db8::1]:1621");
    BAD("--announce udp:192.0.2.1: expected addresses with commas between, such as "
        "udp:192.0.2.1:1621",
        "init", "--announce", "udp:192.0.2.1");
    BAD("--check: no option of alarms", BASE, "--check");
    BAD("--below: no option of init", "init", "--below");
    static const char *const asked[][2] = {{"-U", "me"}, {"-A", "authentic"}, {"-X", "private!"}};
    for (size_t i = 0; i < N_OF(asked); i++)
        BAD("init asks no node: no -U, -A, -X; --secrets FILE has the passphrases", "init",
            asked[i][0], asked[i][1]);
}

static void rounds(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "1", "99ms", "25h", "-1s", "1.5s", "s"};
    char expected[128];
    assert_int_equal(READ(LOGIN, "watch", "a", "b"), COMMAND_GOOD);
    assert_int_equal(command.interval_ms, 1000);
    assert_int_equal(command.count, 0);
    assert_int_equal(READ(LOGIN, "watch", "a", "b", "--interval", "100ms", "--count", "4294967295"),
                     COMMAND_GOOD);
    assert_int_equal(command.interval_ms, 100);
    assert_int_equal(command.count, 4294967295);
    assert_int_equal(READ(LOGIN, "watch", "a", "b", "--interval", "1d"), COMMAND_GOOD);
    for (size_t i = 0; i < N_OF(bad); i++) {
        snprintf(expected, sizeof expected,
                 "--interval %s: expected a time of 100ms to 1d, such as 10s", bad[i]);
        BAD(expected, LOGIN, "watch", "a", "b", "--interval", bad[i]);
    }
    BAD("--count 0: expected a number, 1 to 4294967295", LOGIN, "watch", "a", "b", "--count", "0");
}

static void bad_numbers(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "-1",  "+1", " 1",         "1 ",
                                      "1.5", "0x1", "x",  "4294967296", "99999999999999999999"};
    char expected[128];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        snprintf(expected, sizeof expected,
                 "--since %s: expected a sequence number, 0 to 4294967295", bad[i]);
        BAD(expected, BASE, "--since", bad[i]);
        snprintf(expected, sizeof expected, "-t %s: expected 1 to 3600 seconds", bad[i]);
        BAD(expected, BASE, "-t", bad[i]);
    }
    BAD("-t 0: expected 1 to 3600 seconds", BASE, "-t", "0");
    BAD("-t 3601: expected 1 to 3600 seconds", BASE, "-t", "3601");
}

/* What snmp.conf has to say; the library reads it from dir. */
static void configure(const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/snmp.conf", secrets_dir);
    FILE *file = fopen(path, "w");
    assert_true(fputs(text, file) >= 0);
    fclose(file);
}

static void what_is_not_given_is_configured(void **state)
{
    (void)state;
    configure("defVersion 3\ndefSecurityName ann\ndefSecurityLevel authPriv\n"
              "defAuthType SHA-512\ndefAuthPassphrase \"authentic file\"\n"
              "defPrivType AES-256\ndefPrivPassphrase private-file\nmibs +NO-SUCH-MIB\n");
    assert_int_equal(READ("alarms"), COMMAND_GOOD);
    assert_string_equal(command.login.credential.user, "ann");
    assert_string_equal(command.login.credential.auth_secret, "authentic file");
    assert_string_equal(command.login.credential.priv_secret, "private-file");
    assert_int_equal(command.login.credential.auth, AUTH_SHA512);
    assert_int_equal(command.login.credential.priv, PRIV_AES256);

    assert_int_equal(READ(BASE, "-a", "SHA-256", "-x", "AES"), COMMAND_GOOD);
    assert_string_equal(command.login.credential.user, "me");
    assert_string_equal(command.login.credential.auth_secret, "authentic");
    assert_int_equal(command.login.credential.auth, AUTH_SHA256);
    assert_int_equal(command.login.credential.priv, PRIV_AES128);
    BAD("--secrets is missing (or defAuthPassphrase and defPrivPassphrase in snmp.conf)", "alarms",
        "-A", "authentic");
}

static void one_passphrase_for_both(void **state)
{
    (void)state;
    configure("defSecurityName ann\ndefPassphrase for-both-of-them\ndefAuthType SHA-256\n"
              "defPrivType AES\n");
    assert_int_equal(READ("alarms"), COMMAND_GOOD);
    assert_string_equal(command.login.credential.auth_secret, "for-both-of-them");
    assert_string_equal(command.login.credential.priv_secret, "for-both-of-them");
}

static void bad_configurations(void **state)
{
    (void)state;
    configure("defSecurityName ann\ndefAuthPassphrase short\ndefPrivPassphrase long-enough\n");
    BAD("defAuthPassphrase of snmp.conf: expected a passphrase of 8 to 128 octets", "alarms");
    configure("defSecurityName an-exceedingly-long-name-of-a-user-that-no-agent-takes\n");
    BAD("defSecurityName of snmp.conf: expected a user name of 1 to 32 octets", "alarms");
    configure("defSecurityName ann\ndefAuthType SHA\n");
    BAD("defAuthType of snmp.conf: expected SHA-256 or SHA-512", "alarms");
    configure("defSecurityName ann\ndefAuthType SHA-256\ndefPrivType AES-192\n");
    BAD("defPrivType of snmp.conf: expected AES or AES-256", "alarms");
}

static void of_trees(void **state)
{
    (void)state;
    assert_int_equal(READ("promote", LOGIN, "--config", "tree.xml", "-f", "--wait", "0", "r1:1161"),
                     COMMAND_GOOD);
    assert_string_equal(command.config, "tree.xml");
    assert_string_equal(command.login.address.host, "r1");
    assert_true(command_has(&command, COMMAND_FORCE) && command.wait_s == 0);
    assert_int_equal(READ("--config", "x", "config", "push", LOGIN, "r1"), COMMAND_GOOD);
    assert_string_equal(command.subcommand->name, "config push");
    assert_int_equal(command.wait_s, 30);
    assert_int_equal(command.n_words, 0);
    BAD("promote: --config is missing", "promote", LOGIN, "r1");
    BAD("promote: expected ADDRESS", "promote", LOGIN, "--config", "tree.xml");
    BAD("promote r2: expected one address", "promote", LOGIN, "--config", "tree.xml", "r1", "r2");
    BAD("stop: expected ADDRESS", "stop", LOGIN);
    BAD("--force: no option of stop", "stop", LOGIN, "-f", "r1");
    BAD("--wait -1: expected 0 to 3600 seconds", "stop", LOGIN, "--wait", "-1", "r1");
    BAD("--wait 3601: expected 0 to 3600 seconds", "stop", LOGIN, "--wait", "3601", "r1");
    assert_int_equal(READ("config", "show", LOGIN), COMMAND_GOOD);
    assert_false(command_has(&command, COMMAND_CONFIG));
    BAD("config show a: expected one address", "config", "show", LOGIN, "r1", "a");
    BAD("--wait: no option of config show", "config", "show", LOGIN, "--wait", "1", "r1");
    assert_int_equal(READ("config", "show", "--text", "--output", "x", LOGIN, "r1"), COMMAND_GOOD);
    assert_true(command_has(&command, COMMAND_TEXT));
    assert_string_equal(command.output, "x");
    assert_int_equal(READ("config", "diff", "--config", "x", LOGIN, "r1"), COMMAND_GOOD);
    BAD("config diff: --config is missing", "config", "diff", LOGIN, "r1");
    BAD("config diff: expected ADDRESS", "config", "diff", "--config", "x", LOGIN);
    BAD("--text: no option of config diff", "config", "diff", "--config", "x", "--text", "r1");
    assert_int_equal(READ("config", "rollback", "--wait", "0", LOGIN, "r1"), COMMAND_GOOD);
    BAD("config rollback: expected ADDRESS", "config", "rollback", LOGIN);
    BAD("--config: no option of config rollback", "config", "rollback", "--config", "x", LOGIN,
        "r1");
    assert_int_equal(READ("tree", LOGIN), COMMAND_GOOD);
    assert_string_equal(command.login.address.host, "localhost");
}

/* Without an address, and without a login. */
static void of_nobody(void **state)
{
    (void)state;
    assert_int_equal(READ("config", "check", "tree.xml"), COMMAND_GOOD);
    assert_int_equal(command.n_words, 1);
    assert_string_equal(command.words[0], "tree.xml");
    BAD("config check: expected FILE", "config", "check");
    BAD("config check: expected FILE", "config", "check", "a", "b");
}

/* Who asks why it does not work may have no login either, but an address. */
static void of_machines(void **state)
{
    (void)state;
    assert_int_equal(READ("doctor", LOGIN, "r1"), COMMAND_GOOD);
    assert_string_equal(command.login_error, "");
    assert_null(command.root);
    assert_int_equal(READ("doctor", "--root", "/mnt"), COMMAND_GOOD);
    assert_string_equal(command.login_error, "-U is missing (or defSecurityName in snmp.conf)");
    assert_string_equal(command.login.address.host, "localhost");
    assert_string_equal(command.root, "/mnt");
    assert_false(command_has(&command, COMMAND_FIX));
    assert_int_equal(READ("doctor", "--fix"), COMMAND_GOOD);
    assert_true(command_has(&command, COMMAND_FIX));
    BAD("--fix: no option of tree", "tree", LOGIN, "--fix");
    BAD("address r1:x: expected HOST or HOST:PORT", "doctor", LOGIN, "r1:x");
    BAD("--root: no option of status", "status", LOGIN, "--root", "/");
}

static void of_exports(void **state)
{
    (void)state;
    assert_int_equal(READ("export", "nagios", LOGIN, "r1"), COMMAND_GOOD);
    assert_null(command.output);
    assert_null(command.run);
    assert_false(command_has(&command, COMMAND_WATCH));
    assert_int_equal(
        READ("export", "nagios", LOGIN, "--watch", "--output", "/f", "--run", "true x", "r1"),
        COMMAND_GOOD);
    assert_string_equal(command.output, "/f");
    assert_string_equal(command.run, "true x");
    assert_true(command_has(&command, COMMAND_WATCH));
    assert_int_equal(command.interval_ms, 60000);
    assert_int_equal(READ("export", "nagios", LOGIN, "--watch=5s", "r1"), COMMAND_GOOD);
    assert_int_equal(command.interval_ms, 5000);
    BAD("--watch 5: expected a time of 100ms to 1d, such as 10s", "export", "nagios", LOGIN,
        "--watch=5", "r1");
    assert_int_equal(READ("export", "zabbix", LOGIN, "--api", "http://z", "--token-file", "/t",
                          "--ca", "/c", "--macros", "--delete", "--check", "r1"),
                     COMMAND_GOOD);
    assert_string_equal(command.api, "http://z");
    assert_string_equal(command.token_file, "/t");
    assert_string_equal(command.ca, "/c");
    BAD("export zabbix: --api is missing", "export", "zabbix", LOGIN, "--token-file", "/t", "r1");
    BAD("export zabbix: --token-file is missing", "export", "zabbix", LOGIN, "--api", "u", "r1");
    BAD("--output: no option of export zabbix", "export", "zabbix", LOGIN, "--output", "/f", "r1");
    BAD("--api: no option of export nagios", "export", "nagios", LOGIN, "--api", "u", "r1");
}

/* Their options are for the program that keeps runs, which looks at their values. */
static void of_runs(void **state)
{
    (void)state;
    assert_int_equal(READ("compare", "--limit", "5%", "--all", "a", "b", "--json"), COMMAND_GOOD);
    assert_int_equal(command.n_passed, 2);
    assert_string_equal(command.passed[0].option, "--limit");
    assert_string_equal(command.passed[0].value, "5%");
    assert_string_equal(command.passed[1].option, "--all");
    assert_null(command.passed[1].value);
    assert_int_equal(command.n_words, 2);
    assert_int_equal(READ("run", "start", "--tag", "a=b", "x"), COMMAND_GOOD);
    assert_false(command_asks_node(&command));
    assert_int_equal(READ("run", "start", LOGIN, "--address", "web1:161", "x"), COMMAND_GOOD);
    assert_true(command_asks_node(&command));
    assert_string_equal(command.login.address.host, "web1");
    BAD("run start: expected NAME", "run", "start");
    BAD("compare: expected A B", "compare", "a");
    BAD("--limit: no option of run start", "run", "start", "--limit", "5", "x");
}

static void the_help_fits(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0, column = 0;
    FILE *to = open_memstream(&text, &size);
    command_help(to);
    fclose(to);
    for (const char *c = text; *c; c++) {
        column = *c == '\n' ? 0 : column + 1;
        assert_true(column <= 80);
    }
    free(text);
}

static int make_files(void **state)
{
    return secrets_setup(state) == 0 && setenv("SNMPCONFPATH", secrets_dir, 1) == 0 &&
                   setenv("SNMP_PERSISTENT_DIR", secrets_dir, 1) == 0
               ? 0
               : -1;
}

static int remove_files(void **state)
{
    char path[128];
    snprintf(path, sizeof path, "%s/snmp.conf", secrets_dir);
    unlink(path);
    snprintf(path, sizeof path, "%s/cert_indexes", secrets_dir);
    rmdir(path);
    return secrets_teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(defaults),
                                       cmocka_unit_test(every_option),
                                       cmocka_unit_test(names_of_protocols),
                                       cmocka_unit_test(secrets),
                                       cmocka_unit_test(help_and_version),
                                       cmocka_unit_test(bad_words),
                                       cmocka_unit_test(words_behind_the_address),
                                       cmocka_unit_test(other_keys),
                                       cmocka_unit_test(names_that_begin_alike),
                                       cmocka_unit_test(about_this_machine),
                                       cmocka_unit_test(rounds),
                                       cmocka_unit_test(bad_numbers),
                                       cmocka_unit_test(of_trees),
                                       cmocka_unit_test(of_nobody),
                                       cmocka_unit_test(of_machines),
                                       cmocka_unit_test(of_exports),
                                       cmocka_unit_test(of_runs),
                                       cmocka_unit_test(what_is_not_given_is_configured),
                                       cmocka_unit_test(one_passphrase_for_both),
                                       cmocka_unit_test(bad_configurations),
                                       cmocka_unit_test(the_help_fits)};
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
