/* dcamp alarms, asked of an agent on loopback that has the alarms which the test wants: what is
 * printed, in which order, what is said, and the exit status. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/alarms.h"
#include "cli/client.h"

#include "agents.h"
#include "unit.h"

#define LINES 300

static struct scene {
    struct agent_peer agent;
    struct client *client;
    struct command command;
    char *out, *said;
    char *lines[LINES]; /* of out */
    size_t n;
    uint32_t gone; /* the row that is dropped once the rows are asked for */
    subcommand_run *subcommand;
} scene;

static void begin_client(void)
{
    const struct usm_credential told = {.name = "site",
                                        .user = ENGINE_USER,
                                        .auth = AUTH_SHA256,
                                        .priv = PRIV_AES128,
                                        .auth_secret = ENGINE_AUTH,
                                        .priv_secret = ENGINE_PRIV};
    scene.client = client_new(scene.agent.engine.address, &told, clock_mono_ns());
    assert_non_null(scene.client);
}

static int scene_setup(void **state)
{
    (void)state;
    struct cell name;
    agent_begin(&scene.agent);
    scene.command = (struct command){.timeout_s = 100};
    scene.gone = 0;
    scene.subcommand = alarms_run;
    begin_client();
    cell_scalar(&name, MIB_dcampNodeName);
    agent_text(&scene.agent, &name, "lap");
    return 0;
}

static int scene_teardown(void **state)
{
    (void)state;
    client_free(scene.client);
    agent_end(&scene.agent);
    free(scene.out);
    free(scene.said);
    scene.out = scene.said = NULL;
    return 0;
}

/* -- What the agent has ---------------------------------------------------------------------- */

/* 2023-11-14 22:13:20 UTC, and so many seconds later. */
static void put_date(const struct cell *cell, unsigned seconds)
{
    uint8_t octets[11] = {0x07, 0xe7, 11, 14, 22, 13, 20, 0, '+', 0, 0};
    octets[6] = (uint8_t)(octets[6] + seconds);
    agent_octets(&scene.agent, cell, octets, sizeof octets);
}

struct column_text {
    enum mib_object object;
    const char *text;
};

static struct cell at(enum mib_object object, const char *child, uint32_t index)
{
    struct cell cell;
    cell_start(&cell, object);
    if (child)
        cell_add_text(&cell, child);
    cell_add_number(&cell, index);
    return cell;
}

static void put_texts(const struct column_text *texts, size_t n, const char *child, uint32_t index)
{
    for (size_t i = 0; i < n; i++) {
        struct cell cell = at(texts[i].object, child, index);
        agent_text(&scene.agent, &cell, texts[i].text);
    }
}

static void put_number(enum mib_object object, const char *child, uint32_t index, int64_t number)
{
    struct cell cell = at(object, child, index);
    agent_number(&scene.agent, &cell, number);
}

static void put_alarm(uint32_t index, int64_t severity, const char *key)
{
    const struct column_text texts[] = {{MIB_dcampAlarmKey, key},
                                        {MIB_dcampAlarmNode, "lap"},
                                        {MIB_dcampAlarmThreshold, "hot"},
                                        {MIB_dcampAlarmSensor, "load"},
                                        {MIB_dcampAlarmInstance, "total"},
                                        {MIB_dcampAlarmValueText, "0.9"},
                                        {MIB_dcampAlarmThresholdText, "> 0.5"},
                                        {MIB_dcampAlarmAcknowledge, ""},
                                        {MIB_dcampAlarmMessage, "it is hot"}};
    struct cell since = at(MIB_dcampAlarmSince, NULL, index);
    put_texts(texts, N_OF(texts), NULL, index);
    put_number(MIB_dcampAlarmSeverity, NULL, index, severity);
    put_number(MIB_dcampAlarmSequence, NULL, index, index + 100);
    put_number(MIB_dcampAlarmHeld, NULL, index, dcampAlarmHeld_none);
    put_date(&since, 1);
}

static void put_below(const char *child, uint32_t number, int64_t severity, const char *key)
{
    const struct column_text texts[] = {
        {MIB_dcampChildAlarmPath, child},         {MIB_dcampChildAlarmKey, key},
        {MIB_dcampChildAlarmNode, "leaf"},        {MIB_dcampChildAlarmThreshold, "cold"},
        {MIB_dcampChildAlarmSensor, "rx"},        {MIB_dcampChildAlarmInstance, "eth0"},
        {MIB_dcampChildAlarmValueText, "7"},      {MIB_dcampChildAlarmThresholdText, "< 8"},
        {MIB_dcampChildAlarmAcknowledged, "Ann"}, {MIB_dcampChildAlarmMessage, "it is cold"}};
    struct cell since = at(MIB_dcampChildAlarmSince, child, number),
                seen = at(MIB_dcampChildAlarmAcknowledgedAt, child, number),
                unsure = at(MIB_dcampChildAlarmUnconfirmedSince, child, number);
    put_texts(texts, N_OF(texts), child, number);
    put_number(MIB_dcampChildAlarmIndex, child, number, number + 50);
    put_number(MIB_dcampChildAlarmSeverity, child, number, severity);
    put_date(&since, 2);
    put_date(&seen, 3);
    put_date(&unsure, 4);
}

static void put_entry(uint32_t number)
{
    const struct column_text texts[] = {
        {MIB_dcampAlarmLogKey, "lap:hot:total"},   {MIB_dcampAlarmLogNode, "lap"},
        {MIB_dcampAlarmLogThreshold, "hot"},       {MIB_dcampAlarmLogSensor, "load"},
        {MIB_dcampAlarmLogInstance, "total"},      {MIB_dcampAlarmLogValueText, "0.9"},
        {MIB_dcampAlarmLogThresholdText, "> 0.5"}, {MIB_dcampAlarmLogMessage, "it is hot"}};
    struct cell time = at(MIB_dcampAlarmLogTime, NULL, number);
    put_texts(texts, N_OF(texts), NULL, number);
    put_number(MIB_dcampAlarmLogEvent, NULL, number, dcampAlarmLogEvent_raised);
    put_number(MIB_dcampAlarmLogSeverity, NULL, number, dcampAlarmLogSeverity_warning);
    put_number(MIB_dcampAlarmLogNotified, NULL, number, dcampAlarmLogNotified_true);
    put_number(MIB_dcampAlarmLogHeld, NULL, number, dcampAlarmLogHeld_none);
    put_number(MIB_dcampAlarmLogSuppressed, NULL, number, 6);
    put_date(&time, 5);
}

static void put_entries(uint32_t first, size_t n)
{
    for (uint32_t number = first; n-- > 0; number++)
        put_entry(number += number == 0);
}

/* -- Running it ------------------------------------------------------------------------------ */

static void split_lines(void)
{
    static char copy[65536];
    assert_true(strlen(scene.out) < sizeof copy);
    strcpy(copy, scene.out);
    scene.n = 0;
    for (char *line = copy; *line; line += strlen(line) + 1) {
        assert_in_range(scene.n, 0, LINES - 1);
        scene.lines[scene.n++] = line;
        line[strcspn(line, "\n")] = '\0';
    }
}

static enum exit_status run(enum sheet_format format)
{
    size_t out_size, said_size;
    free(scene.out);
    free(scene.said);
    FILE *out = open_memstream(&scene.out, &out_size);
    FILE *said = open_memstream(&scene.said, &said_size);
    scene.command.format = format;
    enum exit_status status = scene.subcommand(&scene.command, scene.client, out, said);
    fclose(out);
    fclose(said);
    split_lines();
    return status;
}

static void assert_run(enum sheet_format format, const char *out)
{
    assert_int_equal(run(format), EXIT_GOOD);
    assert_string_equal(scene.said, "");
    assert_string_equal(scene.out, out);
}

/* The first column of the rows, and what follows them: "#last" of the log. */
static void assert_numbers(const uint32_t *numbers, size_t n, const char *last)
{
    assert_int_equal(scene.n, n + (last ? 2 : 1));
    for (size_t i = 0; i < n; i++)
        assert_int_equal(strtoul(scene.lines[i + 1], NULL, 10), numbers[i]);
    if (last)
        assert_string_equal(scene.lines[n + 1], last);
}

static void assert_said(const char *what)
{
    char expected[512];
    snprintf(expected, sizeof expected, "dcamp: %s: %s\n", scene.agent.engine.address, what);
    assert_string_equal(scene.said, expected);
}

/* -- Active alarms --------------------------------------------------------------------------- */

static void no_alarms(void **state)
{
    (void)state;
    assert_run(SHEET_TABLE, "no active alarms\n");
    assert_run(SHEET_JSON, "");
    assert_run(SHEET_TSV, "index\tseverity\tsince\tpath\tkey\tnode\tthreshold\tsensor\tinstance\t"
                          "value\tlimit\theld\tacknowledged\tacknowledgedAt\tsequence\t"
                          "unconfirmedSince\tmessage\n");
}

static void one_alarm(void **state)
{
    (void)state;
    put_alarm(7, dcampAlarmSeverity_critical, "lap:hot:total");
    assert_run(SHEET_TABLE,
               "SEVERITY  SINCE                     KEY            VALUE  LIMIT  HELD  "
               "ACKNOWLEDGED  MESSAGE\n"
               "critical  2023-11-14 22:13:21+0000  lap:hot:total  0.9    > 0.5  -     "
               "-             it is hot\n");
    assert_run(SHEET_JSON,
               "{\"index\":7,\"severity\":\"critical\",\"since\":\"2023-11-14T22:13:21.0Z\","
               "\"path\":null,\"key\":\"lap:hot:total\",\"node\":\"lap\",\"threshold\":\"hot\","
               "\"sensor\":\"load\",\"instance\":\"total\",\"value\":\"0.9\",\"limit\":\"> 0.5\","
               "\"held\":null,\"acknowledged\":null,\"acknowledgedAt\":null,\"sequence\":107,"
               "\"unconfirmedSince\":null,\"message\":\"it is hot\"}\n");
}

static void one_that_is_held(void **state)
{
    (void)state;
    put_alarm(7, dcampAlarmSeverity_warning, "k");
    put_number(MIB_dcampAlarmHeld, NULL, 7, dcampAlarmHeld_maintenance);
    struct cell by = at(MIB_dcampAlarmAcknowledge, NULL, 7);
    struct cell seen = at(MIB_dcampAlarmAcknowledgedAt, NULL, 7);
    agent_text(&scene.agent, &by, "Ann: looks");
    put_date(&seen, 9);
    assert_run(SHEET_JSON,
               "{\"index\":7,\"severity\":\"warning\",\"since\":\"2023-11-14T22:13:21.0Z\","
               "\"path\":null,\"key\":\"k\",\"node\":\"lap\",\"threshold\":\"hot\","
               "\"sensor\":\"load\",\"instance\":\"total\",\"value\":\"0.9\",\"limit\":\"> 0.5\","
               "\"held\":\"maintenance\",\"acknowledged\":\"Ann: looks\","
               "\"acknowledgedAt\":\"2023-11-14T22:13:29.0Z\",\"sequence\":107,"
               "\"unconfirmedSince\":null,\"message\":\"it is hot\"}\n");
}

static void alarms_below(void **state)
{
    (void)state;
    put_alarm(7, dcampAlarmSeverity_info, "k");
    put_below("a", 3, dcampAlarmSeverity_critical, "leaf:cold:eth0");
    assert_run(SHEET_TABLE,
               "SEVERITY  SINCE                     BELOW  KEY             VALUE  LIMIT  HELD  "
               "ACKNOWLEDGED  UNCONFIRMED               MESSAGE\n"
               "critical  2023-11-14 22:13:22+0000  a      leaf:cold:eth0  7      < 8    -     "
               "Ann           2023-11-14 22:13:24+0000  it is cold\n"
               "info      2023-11-14 22:13:21+0000  -      k               0.9    > 0.5  -     "
               "-             -                         it is hot\n");
    assert_int_equal(run(SHEET_JSON), EXIT_GOOD);
    assert_string_equal(
        scene.lines[0],
        "{\"index\":53,\"severity\":\"critical\",\"since\":\"2023-11-14T22:13:22.0Z\","
        "\"path\":\"a\",\"key\":\"leaf:cold:eth0\",\"node\":\"leaf\",\"threshold\":\"cold\","
        "\"sensor\":\"rx\",\"instance\":\"eth0\",\"value\":\"7\",\"limit\":\"< 8\","
        "\"held\":null,\"acknowledged\":\"Ann\",\"acknowledgedAt\":\"2023-11-14T22:13:23.0Z\","
        "\"sequence\":null,\"unconfirmedSince\":\"2023-11-14T22:13:24.0Z\","
        "\"message\":\"it is cold\"}");
}

/* Of each severity the node's own by their numbers, then those below by their names. What has no
 * severity that is known comes last. */
static void the_most_severe_first(void **state)
{
    (void)state;
    static const uint32_t expected[] = {5, 9, 1 + 50, 2 + 50, 2, 3 + 50, 1, 3, 4};
    put_alarm(1, dcampAlarmSeverity_info, "k");
    put_alarm(2, dcampAlarmSeverity_warning, "k");
    put_alarm(3, dcampAlarmSeverity_critical + 1, "k");
    put_alarm(4, 0, "k");
    put_alarm(5, dcampAlarmSeverity_critical, "k");
    put_alarm(9, dcampAlarmSeverity_critical, "k");
    put_below("z", 1, dcampAlarmSeverity_critical, "k");
    put_below("zz", 2, dcampAlarmSeverity_critical, "k");
    put_below("a", 3, dcampAlarmSeverity_warning, "k");
    assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
    assert_numbers(expected, N_OF(expected), NULL);
    assert_non_null(strstr(scene.lines[8], "\t?\t"));
}

/* Numbers that have come round: the oldest first. */
static void numbers_that_wrapped(void **state)
{
    (void)state;
    static const uint32_t expected[] = {4294967290, 4294967295, 1, 20};
    for (size_t i = 0; i < N_OF(expected); i++)
        put_alarm(expected[i], dcampAlarmSeverity_warning, "k");
    assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
    assert_numbers(expected, N_OF(expected), NULL);
}

/* More than are asked for at a time, of the node's own and of those below. */
static void many_alarms(void **state)
{
    (void)state;
    static const uint32_t counts[] = {24, 25, 48, 70, 140};
    for (size_t i = 0; i < N_OF(counts); i++) {
        uint32_t numbers[280];
        for (uint32_t n = 0; n < counts[i]; n++) {
            put_alarm(n + 1, dcampAlarmSeverity_warning, "k");
            put_below("a", n + 1, dcampAlarmSeverity_warning, "k");
            numbers[n] = n + 1;
            numbers[counts[i] + n] = n + 1 + 50;
        }
        assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
        assert_numbers(numbers, 2 * (size_t)counts[i], NULL);
    }
}

/* After the two walks, when rows are asked for, one is gone. */
static bool one_ends(struct agent_peer *agent)
{
    size_t below = agent->engine.pdu.type == SNMP_MSG_GET;
    if (below && agent->asked > 3 && scene.gone)
        agent_drop_rows(agent, scene.gone);
    return true;
}

static void alarms_that_end_meanwhile(void **state)
{
    (void)state;
    static const uint32_t expected[] = {1, 2, 4, 1 + 50, 2 + 50, 4 + 50};
    for (uint32_t i = 1; i <= 4; i++) {
        put_alarm(i, dcampAlarmSeverity_warning, "k");
        put_below("a", i, dcampAlarmSeverity_warning, "k");
    }
    scene.gone = 3;
    scene.agent.before = one_ends;
    assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
    assert_numbers(expected, N_OF(expected), NULL);
}

static void all_end_meanwhile(void **state)
{
    (void)state;
    put_alarm(3, dcampAlarmSeverity_warning, "k");
    scene.gone = 3;
    scene.agent.before = one_ends;
    assert_run(SHEET_TABLE, "no active alarms\n");
}

/* Of many in several requests, the last of the first are gone: none is left out or comes twice. */
static void some_of_many_end(void **state)
{
    (void)state;
    uint32_t numbers[60];
    size_t n = 0;
    for (uint32_t i = 1; i <= 60; i++) {
        put_alarm(i, dcampAlarmSeverity_warning, "k");
        if (i != 24)
            numbers[n++] = i;
    }
    scene.gone = 24;
    scene.agent.before = one_ends;
    assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
    assert_numbers(numbers, n, NULL);
}

/* Rows whose index is not one number, or none at all, are not those of this table. */
static void rows_of_another_kind(void **state)
{
    (void)state;
    struct cell longer = at(MIB_dcampAlarmSeverity, NULL, 3), zero, below;
    cell_add_number(&longer, 4);
    zero = at(MIB_dcampAlarmSeverity, NULL, 0);
    cell_start(&below, MIB_dcampChildAlarmSeverity);
    cell_add_number(&below, 9); /* octets of a name, which are not there */
    put_alarm(2, dcampAlarmSeverity_warning, "k");
    agent_number(&scene.agent, &longer, dcampAlarmSeverity_warning);
    agent_number(&scene.agent, &zero, dcampAlarmSeverity_warning);
    agent_number(&scene.agent, &below, dcampAlarmSeverity_warning);
    assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
    assert_numbers((const uint32_t[]){2}, 1, NULL);
}

/* -- The log --------------------------------------------------------------------------------- */

static void log_since(uint32_t since)
{
    scene.command.given = 1u << COMMAND_SINCE;
    scene.command.since = since;
}

static void an_entry(void **state)
{
    (void)state;
    put_entry(5);
    log_since(0);
    assert_run(SHEET_TABLE,
               "NUMBER  EVENT   TIME                      KEY            SEVERITY  VALUE  LIMIT  "
               "MESSAGE\n"
               "     5  raised  2023-11-14 22:13:25+0000  lap:hot:total  warning   0.9    > 0.5  "
               "it is hot\n"
               "last: 5\n");
    assert_run(SHEET_JSON,
               "{\"sequence\":5,\"event\":\"raised\",\"time\":\"2023-11-14T22:13:25.0Z\","
               "\"key\":\"lap:hot:total\",\"severity\":\"warning\",\"node\":\"lap\","
               "\"threshold\":\"hot\",\"sensor\":\"load\",\"instance\":\"total\","
               "\"value\":\"0.9\",\"limit\":\"> 0.5\",\"notified\":true,\"held\":null,"
               "\"suppressed\":6,\"message\":\"it is hot\"}\n"
               "{\"last\":5}\n");
    put_number(MIB_dcampAlarmLogNotified, NULL, 5, dcampAlarmLogNotified_false);
    put_number(MIB_dcampAlarmLogHeld, NULL, 5, dcampAlarmLogHeld_flapping);
    assert_run(SHEET_TSV,
               "sequence\tevent\ttime\tkey\tseverity\tnode\tthreshold\tsensor\tinstance\t"
               "value\tlimit\tnotified\theld\tsuppressed\tmessage\n"
               "5\traised\t2023-11-14 22:13:25+0000\tlap:hot:total\twarning\tlap\thot\t"
               "load\ttotal\t0.9\t> 0.5\tno\tflapping\t6\tit is hot\n"
               "#last\t5\n");
}

static void an_empty_log(void **state)
{
    (void)state;
    log_since(0);
    assert_run(SHEET_TABLE, "last: 0\n");
    assert_run(SHEET_JSON, "{\"last\":0}\n");
}

/* What the log has, what is asked, what comes of it. */
static void numbers_since(void **state)
{
    (void)state;
    static const struct {
        uint32_t first;
        size_t n;
        uint32_t since, from;
        size_t rows;
        enum exit_status status;
        const char *said;
    } cases[] = {
        {1, 30, 0, 1, 30, EXIT_GOOD, ""},
        {1, 30, 1, 2, 29, EXIT_GOOD, ""},
        {1, 30, 29, 30, 1, EXIT_GOOD, ""},
        {1, 30, 30, 30, 0, EXIT_GOOD, ""},
        {10, 30, 9, 10, 30, EXIT_GOOD, ""},
        {10, 30, 8, 10, 30, EXIT_CUT,
         "dcamp: 1 entry after 8 is not kept any more: the next one is 10\n"},
        {10, 30, 7, 10, 30, EXIT_CUT,
         "dcamp: 2 entries after 7 are not kept any more: the next one is 10\n"},
        {10, 30, 0, 10, 30, EXIT_GOOD, ""},
        {4294967290, 10, 0, 4294967290, 10, EXIT_GOOD, ""},
        {4294967290, 10, 4294967289, 4294967290, 10, EXIT_GOOD, ""},
        {4294967290, 10, 4294967294, 4294967295, 5, EXIT_GOOD, ""},
        {4294967290, 10, 4294967295, 1, 4, EXIT_GOOD, ""},
        {4294967290, 10, 1, 2, 3, EXIT_GOOD, ""},
        {4294967290, 10, 4, 4, 0, EXIT_GOOD, ""},
        {3, 4, 4294967294, 3, 4, EXIT_CUT,
         "dcamp: 3 entries after 4294967294 are not kept any more: the next one is 3\n"},
        {4294967290, 3, 4294967280, 4294967290, 3, EXIT_CUT,
         "dcamp: 9 entries after 4294967280 are not kept any more: the next one is 4294967290\n"},
        {2147483640, 20, 2147483645, 2147483646, 14, EXIT_GOOD, ""},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct cell name;
        uint32_t numbers[40], number = cases[i].from;
        char last[40];
        agent_drop_all(&scene.agent);
        cell_scalar(&name, MIB_dcampNodeName);
        agent_text(&scene.agent, &name, "lap");
        put_entries(cases[i].first, cases[i].n);
        log_since(cases[i].since);
        enum exit_status status = run(SHEET_TSV);
        if (status != cases[i].status || strcmp(scene.said, cases[i].said) != 0)
            fail_msg("case %zu: %d, %s", i, (int)status, scene.said);
        for (size_t n = 0; n < cases[i].rows; n++, number++)
            numbers[n] = number += number == 0;
        snprintf(last, sizeof last, "#last\t%u",
                 cases[i].rows ? numbers[cases[i].rows - 1] : cases[i].since);
        assert_numbers(numbers, cases[i].rows, last);
    }
}

/* A gap in the midst, and one before it: each is told. */
static void gaps(void **state)
{
    (void)state;
    put_entries(5, 2);
    put_entries(9, 1);
    log_since(3);
    assert_int_equal(run(SHEET_TSV), EXIT_CUT);
    assert_string_equal(scene.said,
                        "dcamp: 1 entry after 3 is not kept any more: the next one is 5\n"
                        "dcamp: 2 entries after 6 are not kept any more: the next one is 9\n");
    assert_numbers((const uint32_t[]){5, 6, 9}, 3, "#last\t9");
}

static void another_log(void **state)
{
    (void)state;
    put_entries(1, 5);
    log_since(9);
    assert_int_equal(run(SHEET_TSV), EXIT_CUT);
    assert_string_equal(scene.said,
                        "dcamp: there is no entry 9 and none after it: the log began anew, or this "
                        "is another node (--since 0 prints what there is)\n");
    assert_string_equal(scene.out, "");
}

/* dcamp alarms history: all of it, or the latest; what was before those is not missing. */
static void the_latest(void **state)
{
    (void)state;
    static const struct {
        uint32_t since, count, from;
        size_t rows;
        enum exit_status status;
    } cases[] = {{0, 0, 10, 30, EXIT_GOOD},  {0, 30, 10, 30, EXIT_GOOD}, {0, 31, 10, 30, EXIT_GOOD},
                 {0, 29, 11, 29, EXIT_GOOD}, {0, 1, 39, 1, EXIT_GOOD},   {36, 2, 38, 2, EXIT_GOOD},
                 {36, 3, 37, 3, EXIT_GOOD},  {7, 5, 35, 5, EXIT_GOOD},   {7, 30, 10, 30, EXIT_CUT}};
    scene.subcommand = alarms_history_run;
    put_entries(10, 30);
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint32_t numbers[30];
        scene.command.since = cases[i].since;
        scene.command.count = cases[i].count;
        assert_int_equal(run(SHEET_TSV), cases[i].status);
        for (uint32_t n = 0; n < cases[i].rows; n++)
            numbers[n] = cases[i].from + n;
        assert_numbers(numbers, cases[i].rows, "#last\t39");
    }
    scene.command.since = scene.command.count = 0;
    assert_int_equal(run(SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(scene.lines[31], "last: 39");
    agent_drop_all(&scene.agent);
    assert_int_equal(run(SHEET_TABLE), EXIT_SILENT);
}

static void an_entry_that_goes_meanwhile(void **state)
{
    (void)state;
    put_entries(5, 3);
    log_since(4);
    scene.gone = 5;
    scene.agent.before = one_ends;
    scene.agent.asked = 2; /* there is one walk only */
    assert_int_equal(run(SHEET_TSV), EXIT_CUT);
    assert_string_equal(scene.said,
                        "dcamp: 1 entry after 4 is not kept any more: the next one is 6\n");
    assert_numbers((const uint32_t[]){6, 7}, 2, "#last\t7");
}

/* -- No answer ------------------------------------------------------------------------------- */

static void no_dcamp(void **state)
{
    (void)state;
    agent_drop_all(&scene.agent);
    assert_int_equal(run(SHEET_TABLE), EXIT_SILENT);
    assert_string_equal(scene.said,
                        "dcamp: snmpd answers, but there is no DCAMP-MIB: dcampd is not running, "
                        "or the user must not see it\n");
    assert_string_equal(scene.out, "");
}

/* From which request on it refuses, and how. */
static struct refusal {
    size_t from;
    long status;
} refusal;

static bool refuses(struct agent_peer *agent)
{
    agent->status = agent->asked >= refusal.from ? refusal.status : 0;
    return true;
}

/* Whichever request fails: nothing is printed, and it is said once. */
static void each_request_fails(void **state)
{
    (void)state;
    static const struct {
        long error;
        enum exit_status status;
        const char *text;
    } cases[] = {
        {SNMP_ERR_GENERR, EXIT_SILENT, "snmpd answers, but dcampd does not answer it (genErr)"},
        {SNMP_ERR_AUTHORIZATIONERROR, EXIT_REFUSED,
         "authorizationError (access denied to that object)"},
        {MAX_SNMP_ERR + 1, EXIT_REFUSED, "an error status that does not exist"},
    };
    put_alarm(7, dcampAlarmSeverity_warning, "k");
    put_below("a", 3, dcampAlarmSeverity_warning, "k");
    put_entries(5, 2);
    scene.agent.before = refuses;
    for (int log = 0; log < 3; log++)
        for (size_t from = 1; from <= (log == 2 ? 3 : 4); from++)
            for (size_t i = 0; i < N_OF(cases); i++) {
                scene.command.given = log > 0 ? 1u << COMMAND_SINCE : 0;
                scene.command.since = log == 2 ? 6 : 0;
                scene.agent.asked = 0;
                refusal = (struct refusal){from, cases[i].error};
                enum exit_status status = run(SHEET_TSV);
                if (log == 1 && from == 4) {
                    assert_int_equal(status, EXIT_GOOD); /* one less is asked of the log */
                    continue;
                }
                assert_int_equal(status, cases[i].status);
                assert_said(cases[i].text);
                assert_string_equal(scene.out, "");
            }
}

static void answers_without_sense(void **state)
{
    (void)state;
    put_alarm(7, dcampAlarmSeverity_warning, "k");
    scene.agent.one_too_many = true;
    assert_int_equal(run(SHEET_TSV), EXIT_BROKEN);
    assert_said("an answer to what was not asked");
}

/* Each answer gives as much time again: what is asked may take longer than the time-out. */
static void each_answer_gives_time(void **state)
{
    (void)state;
    put_alarm(7, dcampAlarmSeverity_warning, "k");
    scene.command.timeout_s = 0;
    assert_int_equal(run(SHEET_TSV), EXIT_SILENT);
    assert_said("no answer");
    scene.command.timeout_s = 100;
    assert_int_equal(run(SHEET_TSV), EXIT_GOOD);
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, scene_setup, scene_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(no_alarms),
        scene_test(one_alarm),
        scene_test(one_that_is_held),
        scene_test(alarms_below),
        scene_test(the_most_severe_first),
        scene_test(numbers_that_wrapped),
        scene_test(many_alarms),
        scene_test(alarms_that_end_meanwhile),
        scene_test(all_end_meanwhile),
        scene_test(some_of_many_end),
        scene_test(rows_of_another_kind),
        scene_test(an_entry),
        scene_test(an_empty_log),
        scene_test(numbers_since),
        scene_test(gaps),
        scene_test(another_log),
        scene_test(the_latest),
        scene_test(an_entry_that_goes_meanwhile),
        scene_test(no_dcamp),
        scene_test(each_request_fails),
        scene_test(answers_without_sense),
        scene_test(each_answer_gives_time),
    };
    setenv("TZ", "UTC0", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
