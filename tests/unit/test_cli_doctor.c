/* dcamp doctor, of an agent on loopback with one fault at a time. The files of a machine are those
 * of an empty directory: test_cli_machine has them. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/doctor.h"

#include "tree_cells.h"
#include "unit.h"

static struct asking asking;

static void put_date(enum mib_object object, const char *first, time_t seconds)
{
    struct tm tm;
    struct cell cell = asking_cell(object, first, first ? "total" : NULL, NULL);
    gmtime_r(&seconds, &tm);
    int year = tm.tm_year + 1900;
    const uint8_t octets[11] = {(uint8_t)(year >> 8),
                                (uint8_t)year,
                                (uint8_t)(tm.tm_mon + 1),
                                (uint8_t)tm.tm_mday,
                                (uint8_t)tm.tm_hour,
                                (uint8_t)tm.tm_min,
                                (uint8_t)tm.tm_sec,
                                0,
                                '+',
                                0,
                                0};
    if (!first)
        cell_add_number(&cell, 0);
    agent_octets(&asking.agent, &cell, octets, sizeof octets);
}

static int begin(void **state)
{
    (void)state;
    static const enum mib_object zeros[] = {MIB_dcampSelfLateCycles, MIB_dcampSelfReconnects,
                                            MIB_dcampSelfStateErrors};
    asking_begin(&asking);
    client_free(asking.client); /* it makes its own */
    asking.client = NULL;
    asking.command.timeout_s = 2;
    strcpy(asking.command.login.address.host, "127.0.0.1");
    strcpy(asking.command.login.address.port, strrchr(asking.agent.engine.address, ':') + 1);
    asking.command.login.credential = (struct usm_credential){.name = "site",
                                                              .user = ENGINE_USER,
                                                              .auth = AUTH_SHA256,
                                                              .priv = PRIV_AES128,
                                                              .auth_secret = ENGINE_AUTH,
                                                              .priv_secret = ENGINE_PRIV};
    asking.command.root = "/nowhere";
    for (size_t i = 0; i < N_OF(zeros); i++)
        asking_scalar(&asking, zeros[i], 0);
    asking_scalar(&asking, MIB_dcampSelfCycles, 1000);
    asking_scalar(&asking, MIB_dcampNodeUpTime, 360000);
    asking_scalar(&asking, MIB_dcampSelfStateDirty, dcampSelfStateDirty_false);
    asking_scalar_text(&asking, MIB_dcampSelfSetError, "");
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&asking);
    return 0;
}

/* Runs it and returns the line of a check, with its end, as JSON. */
static const char *look(const char *check)
{
    static char line[1000];
    char begin_of[60];
    snprintf(begin_of, sizeof begin_of, "{\"check\":\"%s\",", check);
    enum exit_status status = asking_run(&asking, doctor_run, SHEET_JSON);
    assert_int_equal(status, EXIT_CUT); /* the files of the machine are not there */
    assert_string_equal(asking.said, "");
    const char *at = strstr(asking.out, begin_of);
    snprintf(line, sizeof line, "%.*s", at ? (int)strcspn(at, "\n") : 0, at ? at : "");
    return line;
}

static void assert_line(const char *check, bool ok, const char *found, const char *cure)
{
    const char *line = look(check);
    if (!strstr(line, ok ? "\"ok\":true" : "\"ok\":false") || !strstr(line, found) ||
        !strstr(line, cure))
        fail_msg("%s\nis not %s: %s, %s; all is\n%s", line, check, found, cure, asking.out);
}

#define BAD(check, found, cure) assert_line(check, false, found, cure)
#define OK(check, found) assert_line(check, true, found, "\"cure\":null,\"fixed\":false}")

static void all_is_well(void **state)
{
    (void)state;
    put_date(MIB_dcampValueTime, "cpu", time(NULL) - 60);
    asking_number(&asking, MIB_dcampValueAge, "cpu", "total", 61000);
    static const char *const checks[] = {
        "name service", "snmpd",  "login", "user",   "auth key",   "priv key",    "time window",
        "view",         "dcampd", "clock", "cycles", "connection", "saved state", "refused SET"};
    for (size_t i = 0; i < N_OF(checks); i++)
        OK(checks[i], "");
    BAD("account", "there is no user dcamp", "install");
    BAD("drop-in", "No such file", "install");
}

static void for_people(void **state)
{
    (void)state;
    agent_drop_all(&asking.agent);
    assert_int_equal(asking_run(&asking, doctor_run, SHEET_TABLE), EXIT_CUT);
    assert_non_null(strstr(asking.out, "ok   auth key         it is the same there\n"));
    assert_non_null(strstr(asking.out, "\nBAD  dcampd           there is only snmpd: "));
    assert_non_null(strstr(asking.out, "\n     cure:            dcamp doctor on that machine;"));
}

static void names(void **state)
{
    (void)state;
    strcpy(asking.command.login.address.host, "999.1.1.1");
    BAD("name service", "999.1.1.1: ", "getent hosts");
    assert_null(strstr(asking.out, "\"snmpd\""));
}

static void nobody_there(void **state)
{
    (void)state;
    strcpy(asking.command.login.address.port, "9");
    BAD("snmpd", "Connection refused", "systemctl start snmpd");
    assert_null(strstr(asking.out, "\"login\""));
}

static void silence(void **state)
{
    (void)state;
    asking.command.timeout_s = 1;
    asking.agent.deaf = 1000;
    BAD("snmpd", "no answer", "firewall");
}

/* Without a login it is known at least whether snmpd is there. */
static void no_login(void **state)
{
    (void)state;
    memset(&asking.command.login.credential, 0, sizeof asking.command.login.credential);
    strcpy(asking.command.login_error, "-U is missing");
    BAD("login", "-U is missing", "snmp.conf");
    OK("snmpd", "engine ID");
    assert_null(strstr(asking.out, "\"user\""));
}

static void keys(void **state)
{
    (void)state;
    asking.agent.wrong_digests = true;
    BAD("auth key", "not the one", "createUser");
    OK("user", "knows it");
}

static bool say_nothing(struct agent_peer *agent)
{
    (void)agent;
    return false;
}

/* It has reported its time, so it is there, and says nothing to what is encrypted. */
static void silence_to_what_is_encrypted(void **state)
{
    (void)state;
    asking.agent.before = say_nothing;
    BAD("priv key", "cannot decrypt", "createUser");
    OK("auth key", "the same");
}

static bool say_unknown_user(struct agent_peer *agent)
{
    engine_reports(&agent->engine, REPORT_USER, LEVEL_NONE);
    return false;
}

static bool say_other_level(struct agent_peer *agent)
{
    engine_reports(&agent->engine, REPORT_LEVEL, LEVEL_NONE);
    return false;
}

static void users(void **state)
{
    (void)state;
    asking.agent.before = say_unknown_user;
    BAD("user", "does not know the user " ENGINE_USER, "createUser");
    asking.agent.before = say_other_level;
    BAD("user", "other protocols for user " ENGINE_USER, "-a and -x");
}

static void access_and_hanging(void **state)
{
    (void)state;
    asking.agent.status = SNMP_ERR_AUTHORIZATIONERROR;
    BAD("view", "authorizationError", "dcampPoll");
    asking.agent.status = SNMP_ERR_GENERR;
    BAD("dcampd", "does not answer it", "restart dcampd");
    OK("priv key", "the same");
}

static void clocks(void **state)
{
    (void)state;
    asking_number(&asking, MIB_dcampValueAge, "cpu", "total", 0);
    put_date(MIB_dcampValueTime, "cpu", time(NULL) - 600);
    BAD("clock", "min behind ours", "timedatectl");
    put_date(MIB_dcampValueTime, "cpu", time(NULL) + 7230);
    BAD("clock", "2 h ahead of ours", "timedatectl");
    put_date(MIB_dcampValueTime, "cpu", time(NULL) + 10);
    OK("clock", "less than 30 s");
    agent_drop_all(&asking.agent);
}

static void what_the_node_says(void **state)
{
    (void)state;
    asking_scalar(&asking, MIB_dcampSelfLateCycles, 10);
    OK("cycles", "10 of 1000");
    asking_scalar(&asking, MIB_dcampSelfLateCycles, 11);
    BAD("cycles", "11 of 1000 were late", "intervals");
    asking_scalar(&asking, MIB_dcampSelfCycles, 9);
    asking_scalar(&asking, MIB_dcampSelfLateCycles, 9);
    OK("cycles", "9 of 9");
    asking_scalar(&asking, MIB_dcampSelfReconnects, 4);
    OK("connection", "4 times in 1 h");
    asking_scalar(&asking, MIB_dcampSelfReconnects, 5);
    BAD("connection", "5 times in 1 h", "journalctl");
    asking_scalar(&asking, MIB_dcampSelfStateDirty, dcampSelfStateDirty_true);
    OK("saved state", "");
    asking_scalar(&asking, MIB_dcampSelfStateErrors, 2);
    BAD("saved state", "2 attempts failed", "/var/lib/dcamp");
    asking_scalar_text(&asking, MIB_dcampSelfSetError, "dcampX: wrong \x1b[2J");
    put_date(MIB_dcampSelfSetErrorTime, NULL, time(NULL) - 3700);
    OK("refused SET", "none");
    put_date(MIB_dcampSelfSetErrorTime, NULL, time(NULL) - 60);
    BAD("refused SET", "dcampX: wrong ?[2J", "dcamp status");
}

static void documents(void **state)
{
    (void)state;
    assert_string_equal(look("share"), "");
    tree_document(&asking, dcampDocumentKind_share, 1, 1, "r1", "an octet string of 32 octets ...");
    tree_document(&asking, dcampDocumentKind_tree, 0, 0, "", NULL);
    OK("share", "inForce");
    OK("tree document", "none");
    struct cell cell;
    cell_start(&cell, MIB_dcampDocumentState);
    cell_add_number(&cell, dcampDocumentKind_share);
    agent_number(&asking.agent, &cell, dcampDocumentState_refused);
    cell_start(&cell, MIB_dcampDocumentError);
    cell_add_number(&cell, dcampDocumentKind_share);
    agent_text(&asking.agent, &cell, "share:3: no such \x1b metric");
    BAD("share", "refused: share:3: no such ? metric", "config check");
}

static void announcements(void **state)
{
    (void)state;
    assert_string_equal(look("announcement"), "");
    asking_scalar(&asking, MIB_dcampNodeAnnouncePort, 0);
    asking_scalar(&asking, MIB_dcampNodeAnnouncements, 0);
    asking_scalar(&asking, MIB_dcampNodeUnasked, 5000);
    asking_scalar(&asking, MIB_dcampTreeSerial, 0);
    assert_string_equal(look("announcement"), "");
    asking_scalar(&asking, MIB_dcampNodeAnnouncePort, 161);
    OK("announcement", "announced itself 0 times");
    asking_scalar(&asking, MIB_dcampNodeAnnouncements, 3);
    asking_scalar(&asking, MIB_dcampNodeUnasked, 12000);
    OK("announcement", "announced itself 3 times");
    asking_scalar(&asking, MIB_dcampNodeUnasked, 12001);
    BAD("announcement", "announced itself 3 times, and no root has asked it for 2 min",
        "<announcements>");
    asking_scalar(&asking, MIB_dcampTreeSerial, 7);
    OK("announcement", "a root has given it work");
}

static void sinks(void **state)
{
    (void)state;
    assert_string_equal(look("sink"), "");
    asking_number(&asking, MIB_dcampSinkState, "history", NULL, dcampSinkState_up);
    OK("sink", "1, and all are up");
    asking_number(&asking, MIB_dcampSinkState, "archive", NULL, dcampSinkState_failing);
    asking_text(&asking, MIB_dcampSinkError, "archive", NULL, "disk full");
    BAD("sink", "archive is failing: disk full", "journalctl -u dcamp-publish");
    assert_null(strstr(asking.out, "history"));
    asking_number(&asking, MIB_dcampSinkState, "archive", NULL, dcampSinkState_up);
    asking_number(&asking, MIB_dcampSinkState, "history", NULL, dcampSinkState_absent);
    asking_text(&asking, MIB_dcampSinkError, "history", NULL, "no process");
    OK("sink", "history waits for dcamp-publish: install and start that");
    asking_number(&asking, MIB_dcampSinkSince, "history", NULL, 100);
    BAD("sink", "history is absent: no process", "systemctl status dcamp-publish");
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(all_is_well), TEST(for_people),
                                       TEST(names),       TEST(nobody_there),
                                       TEST(silence),     TEST(no_login),
                                       TEST(keys),        TEST(silence_to_what_is_encrypted),
                                       TEST(users),       TEST(access_and_hanging),
                                       TEST(clocks),      TEST(what_the_node_says),
                                       TEST(documents),   TEST(announcements),
                                       TEST(sinks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
