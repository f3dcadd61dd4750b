/* dcamp alarms maintenance, asked of an agent on loopback: the rows that there are, what is sent
 * for one that begins or ends, and what is said where that cannot be. */
#include <stdlib.h>
#include <string.h>

#include "cli/maintenance.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

static void put_octets(enum mib_object object, const char *name, const void *octets, size_t len)
{
    struct cell cell = asking_cell(object, name, NULL, NULL);
    agent_octets(&asking.agent, &cell, octets, len);
}

/* From 2023-11-14 22:13:20 UTC on, for an hour. */
static void put_row(const char *name, bool now)
{
    static const uint8_t date[11] = {0x07, 0xe7, 11, 14, 22, 13, 20, 0, '+', 0, 0};
    asking_number(&asking, MIB_dcampMaintenanceNow, name, NULL,
                  now ? dcampMaintenanceNow_true : dcampMaintenanceNow_false);
    asking_text(&asking, MIB_dcampMaintenanceNodes, name, NULL, "*");
    asking_text(&asking, MIB_dcampMaintenanceThresholds, name, NULL, "cpu-*");
    put_octets(MIB_dcampMaintenanceBegin, name, date, sizeof date);
    put_octets(MIB_dcampMaintenanceEnd, name, "\0\0\0\0\0\0\0\0", 8);
    asking_number(&asking, MIB_dcampMaintenanceDuration, name, NULL, 3600000);
    put_octets(MIB_dcampMaintenanceDays, name, "", 1);
    asking_text(&asking, MIB_dcampMaintenanceTime, name, NULL, "00:00");
    asking_number(&asking, MIB_dcampMaintenanceStorageType, name, NULL,
                  dcampMaintenanceStorageType_nonVolatile);
    asking_number(&asking, MIB_dcampMaintenanceRowStatus, name, NULL,
                  dcampMaintenanceRowStatus_active);
}

/* Each week, on Sunday and on Saturday. */
static void put_weekly(const char *name)
{
    static const uint8_t days[] = {0x82};
    put_row(name, false);
    put_octets(MIB_dcampMaintenanceDays, name, days, sizeof days);
    put_octets(MIB_dcampMaintenanceBegin, name, "\0\0\0\0\0\0\0\0", 8);
    asking_text(&asking, MIB_dcampMaintenanceTime, name, NULL, "22:30");
}

static void assert_run(enum sheet_format format, const char *const *words, enum exit_status status,
                       const char *out, const char *said)
{
    int n = 0;
    while (words[n])
        n++;
    asking.sets = asking.bindings = 0;
    asking_set(&asking, 0, n, words);
    assert_int_equal(asking_run(&asking, alarms_maintenance_run, format), status);
    assert_string_equal(asking.out, out);
    assert_string_equal(asking.said, said);
}

#define RUN(format, status, out, said, ...)                                                        \
    assert_run(format, (const char *const[]){__VA_ARGS__}, status, out, said)

static void none(void **state)
{
    (void)state;
    RUN(SHEET_TABLE, EXIT_GOOD, "no maintenance\n", "", NULL);
    RUN(SHEET_TABLE, EXIT_GOOD, "no maintenance\n", "", "list", NULL);
    RUN(SHEET_JSON, EXIT_GOOD, "", "", NULL);
}

#define HEADINGS                                                                                   \
    "NAME     NOW  NODES  THRESHOLDS  BEGIN                     END                       FOR  "   \
    "DAYS     TIME   STATUS\n"

static void which_there_are(void **state)
{
    (void)state;
    put_weekly("weekend");
    put_row("move", true);
    RUN(SHEET_TABLE, EXIT_GOOD,
        HEADINGS
        "move     yes  *      cpu-*       2023-11-14 22:13:20+0000  2023-11-14 23:13:20+0000  1 h  "
        "-        -      active\n"
        "weekend  no   *      cpu-*       -                         -                         1 h  "
        "sun,sat  22:30  active\n",
        "", NULL);
    RUN(SHEET_JSON, EXIT_GOOD,
        "{\"name\":\"move\",\"now\":true,\"nodes\":\"*\",\"thresholds\":\"cpu-*\","
        "\"begin\":\"2023-11-14T22:13:20.0Z\",\"end\":\"2023-11-14T23:13:20.0Z\","
        "\"duration\":3600000,\"days\":null,\"time\":null,\"storage\":\"nonVolatile\","
        "\"status\":\"active\"}\n"
        "{\"name\":\"weekend\",\"now\":false,\"nodes\":\"*\",\"thresholds\":\"cpu-*\","
        "\"begin\":null,\"end\":null,\"duration\":3600000,\"days\":\"sun,sat\","
        "\"time\":\"22:30\",\"storage\":\"nonVolatile\",\"status\":\"active\"}\n",
        "", "list", NULL);
}

#define MOVE                                                                                       \
    "name\tnow\tnodes\tthresholds\tbegin\tend\tduration\tdays\ttime\tstorage\tstatus\n"            \
    "move\tyes\t*\tcpu-*\t2023-11-14 22:13:20+0000\t2023-11-14 23:13:20+0000\t3600000\t\t\t"       \
    "nonVolatile\tactive\n"

static void put_move(struct asking *of)
{
    (void)of;
    put_row("move", true);
}

static void one_that_begins(void **state)
{
    (void)state;
    asking.on_set = put_move;
    RUN(SHEET_TSV, EXIT_GOOD, MOVE, "", "start", "move", "1h", NULL);
    assert_int_equal(asking.sets, 1);
    assert_int_equal(asking.bindings, 2);
    agent_drop_all(&asking.agent);
    asking_scalar_text(&asking, MIB_dcampNodeName, "lap");
    RUN(SHEET_TSV, EXIT_GOOD, MOVE, "", "start", "move", "1h", "nodes", "*", "thresholds=cpu-*",
        NULL);
    assert_int_equal(asking.sets, 1);
    assert_int_equal(asking.bindings, 4);
}

static void one_that_cannot_begin(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "5", "0s", "1.5h", "2w", "-1h", "h"};
    char said[100];
    for (size_t i = 0; i < N_OF(bad); i++) {
        snprintf(said, sizeof said, "dcamp: start %s: expected a time such as 2h\n", bad[i]);
        RUN(SHEET_TABLE, EXIT_USAGE, "", said, "start", "move", bad[i], NULL);
    }
    RUN(SHEET_TABLE, EXIT_USAGE, "",
        "dcamp: dcampMaintenanceDuration 8d: expected 0 to 604800000 milliseconds, or a time such "
        "as 10s\n",
        "start", "move", "8d", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "",
        "dcamp: a b: expected a name of 1 to 32 of A-Z a-z 0-9 . _ -\n", "start", "a b", "1h",
        NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "",
        "dcamp: dcampMaintenanceDays: start takes nodes and thresholds; for all else there is "
        "dcamp set --create\n",
        "start", "move", "1h", "days", "mon", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: nodes: the value is missing\n", "start", "move", "1h",
        "nodes", NULL);
    put_row("move", false);
    RUN(SHEET_TABLE, EXIT_REFUSED, "",
        "dcamp: move is there already, and it is not maintenance by it now: end it first, or take "
        "another name\n",
        "start", "move", "1h", NULL);
    assert_int_equal(asking.sets, 0);
    asking.refusal = SNMP_ERR_NOACCESS;
    RUN(SHEET_TABLE, EXIT_REFUSED, "", "dcamp: snmpd does not let this user set it\n", "start",
        "other", "1h", NULL);
    assert_int_equal(asking.sets, 1);
}

static void one_that_ends(void **state)
{
    (void)state;
    put_row("move", true);
    RUN(SHEET_TABLE, EXIT_GOOD, "move: it has ended\n", "", "end", "move", NULL);
    assert_int_equal(asking.sets, 1);
    assert_int_equal(asking.bindings, 1);
    RUN(SHEET_JSON, EXIT_GOOD, "{\"name\":\"move\",\"ended\":true}\n", "", "end", "move", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: no maintenance is \"mov\"\n", "end", "mov", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "",
        "dcamp: a b: expected a name of 1 to 32 of A-Z a-z 0-9 . _ -\n", "end", "a b", NULL);
    assert_int_equal(asking.sets, 0);
    asking.refusal = SNMP_ERR_INCONSISTENTVALUE;
    asking_scalar_text(&asking, MIB_dcampSelfSetError,
                       "dcampMaintenanceRowStatus.\"move\": inconsistentValue: it is in the file");
    RUN(SHEET_TABLE, EXIT_REFUSED, "",
        "dcamp: dcampMaintenanceRowStatus.\"move\": inconsistentValue: it is in the file\n", "end",
        "move", NULL);
}

static void wrong_words(void **state)
{
    (void)state;
#define EXPECTED ": expected list, start NAME DURATION, or end NAME\n"
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: alarms maintenance lsit" EXPECTED, "lsit", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: alarms maintenance list" EXPECTED, "list", "a", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: alarms maintenance start" EXPECTED, "start", "a",
        NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: alarms maintenance end" EXPECTED, "end", NULL);
    RUN(SHEET_TABLE, EXIT_USAGE, "", "dcamp: alarms maintenance end" EXPECTED, "end", "a", "b",
        NULL);
    agent_drop_all(&asking.agent);
    RUN(SHEET_TABLE, EXIT_SILENT, "",
        "dcamp: snmpd answers, but there is no DCAMP-MIB: dcampd is not running, or the user must "
        "not see it\n",
        NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ASKING_SETS_TEST(none),
                                       ASKING_SETS_TEST(which_there_are),
                                       ASKING_SETS_TEST(one_that_begins),
                                       ASKING_SETS_TEST(one_that_cannot_begin),
                                       ASKING_SETS_TEST(one_that_ends),
                                       ASKING_SETS_TEST(wrong_words)};
    setenv("TZ", "UTC0", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
