#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "traps.h"
#include "unit.h"

#define HEAD "router\nUDP: [192.0.2.7]:40000->[192.0.2.1]:162\n"
#define UPTIME ".1.3.6.1.2.1.1.3.0 0:0:15:37.64\n"
#define TRAP_OID ".1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.4.1.32473.1.0."
#define COLUMN ".1.3.6.1.4.1.32473.1.1.10.1.1."
#define KEY COLUMN "2.5 \"node1:burner:total\"\n"
#define NODE COLUMN "3.5 \"node1\"\n"
#define REST                                                                                       \
    COLUMN "4.5 \"niced\"\n" COLUMN "5.5 \"55.2\"\n" COLUMN "6.5 \"> 20\"\n" COLUMN                \
           "7.5 \"critical\"\n" COLUMN "8.5 4\n" COLUMN "9.5 77\n" COLUMN                          \
           "10.5 \"07 EA 0B 15 15 04 01 00 2B 00 00 \"\n" COLUMN "11.5 0\n" COLUMN                 \
           "14.5 \"burner\"\n" COLUMN "13.5 \"total\"\n" COLUMN "18.5 1\n"
#define MESSAGE COLUMN "12.5 \"niced is 55.2: somebody burns\"\n"
#define ADDRESS ".1.3.6.1.6.3.18.1.3.0 10.1.2.3\n"
#define RAISED HEAD UPTIME TRAP_OID "1\n" KEY NODE REST MESSAGE ADDRESS

static enum trap_result parse(const char *text, struct trap *trap, char *error)
{
    /* Of its own memory, so that a sanitizer sees an octet too far. */
    size_t len = strlen(text);
    char *copy = malloc(len ? len : 1);
    memcpy(copy, text, len);
    enum trap_result result = trap_parse(trap, copy, len, TRAPS_NOW_MS, error);
    free(copy);
    return result;
}

static void assert_is_raise(const struct trap *trap)
{
    struct trap expected = traps_raised(77);
    strcpy(expected.address, "10.1.2.3");
    assert_int_equal(trap->event, expected.event);
    assert_int_equal(trap->received_ms, expected.received_ms);
    assert_int_equal(trap->since_ms, expected.since_ms);
    assert_int_equal(trap->severity, 4);
    assert_int_equal(trap->happened, 1);
    assert_int_equal(trap->sequence, 77);
    assert_int_equal(trap->index, 5);
    assert_string_equal(trap->source, expected.source);
    assert_string_equal(trap->address, expected.address);
    for (int i = 0; i < TRAP_TEXTS; i++)
        assert_string_equal(trap->text[i], expected.text[i]);
}

static void test_a_raise(void **state)
{
    (void)state;
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    assert_int_equal(parse(RAISED, &trap, error), TRAP_TAKEN);
    assert_is_raise(&trap);
    assert_string_equal(trap_name(&trap), "dcampAlarmRaised");
    assert_false(trap_is_clear(&trap));
}

#define S "SNMPv2-MIB::"
#define D "DCAMP-MIB::dcampAlarm"
static void test_symbolic_forms(void **state)
{
    (void)state;
    /* Quick, and a value that begins with "= ". */
    static const char quick[] =
        HEAD S "sysUpTime.0 0:0:15:43.80\n" S "snmpTrapOID.0 DCAMP-MIB::dcampAlarmRaised\n" D
               "Key.5 node1:burner:total\n" D "Node.5 node1\n" D "Sensor.5 niced\n" D
               "ValueText.5 55.2\n" D "ThresholdText.5 = 20\n" D "SeverityText.5 critical\n" D
               "Severity.5 critical\n" D "Sequence.5 77\n" D "Since.5 2026-11-21,21:4:1.0,+0:0\n" D
               "Suppressed.5 0\n" D "Message.5 niced is 55.2: somebody burns\n" D
               "Threshold.5 burner\n" D "Instance.5 total\n" D "Event.5 raised\n"
               "SNMP-COMMUNITY-MIB::snmpTrapAddress.0 10.1.2.3\n";
    static const char equals[] = HEAD S
        "sysUpTime.0 = Timeticks: (1) 0:0:0:0.01\n" S
        "snmpTrapOID.0 = OID: DCAMP-MIB::dcampAlarmRaised\n" D
        "Key.5 = STRING: node1:burner:total\n" D "Node.5 = STRING: node1\n" D
        "Sensor.5 = STRING: niced\n" D "ValueText.5 = STRING: 55.2\n" D
        "ThresholdText.5 = STRING: = 20\n" D "SeverityText.5 = STRING: critical\n" D
        "Severity.5 = INTEGER: critical(4)\n" D "Sequence.5 = Gauge32: 77\n" D
        "Since.5 = STRING: 2026-11-21,21:4:1.0,+0:0\n" D "Suppressed.5 = Gauge32: 0\n" D
        "Message.5 = STRING: niced is 55.2: somebody burns\n" D "Threshold.5 = STRING: burner\n" D
        "Instance.5 = STRING: total\n" D "Event.5 = INTEGER: raised(1)\n"
        "SNMP-COMMUNITY-MIB::snmpTrapAddress.0 = IpAddress: 10.1.2.3\n";
    const char *const texts[] = {quick, equals};
    for (size_t i = 0; i < 2; i++) {
        struct trap trap;
        char error[TRAP_ERROR_SIZE];
        assert_int_equal(parse(texts[i], &trap, error), TRAP_TAKEN);
        assert_string_equal(trap.text[TRAP_LIMIT], "= 20");
        traps_set(&trap, TRAP_LIMIT, "> 20");
        assert_is_raise(&trap);
    }
}

static void test_the_other_notifications(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum trap_event event;
        bool clear;
        const char *rule;
    } cases[] = {
        {HEAD UPTIME TRAP_OID "2\n" KEY NODE REST MESSAGE, TRAP_CLEARED, true, "burner"},
        {HEAD UPTIME TRAP_OID "3\n" NODE COLUMN "9.5 77\n" COLUMN
                              "10.5 \"07 EA 0B 15 15 04 01 00 2B 00 00 \"\n" COLUMN
                              "11.5 12\n" MESSAGE,
         TRAP_SUPPRESSED, false, "notifications"},
        {HEAD UPTIME TRAP_OID "4\n" KEY NODE REST MESSAGE, TRAP_JOINED, true, "burner"},
        {HEAD UPTIME TRAP_OID "5\n" KEY NODE REST MESSAGE, TRAP_LOST, false, "burner"},
        {HEAD UPTIME TRAP_OID "7\n" KEY NODE REST MESSAGE, TRAP_ROLE, true, "burner"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trap trap;
        char error[TRAP_ERROR_SIZE];
        assert_int_equal(parse(cases[i].text, &trap, error), TRAP_TAKEN);
        assert_int_equal(trap.event, cases[i].event);
        assert_int_equal(trap_is_clear(&trap), cases[i].clear);
        assert_string_equal(trap_rule(&trap), cases[i].rule);
        /* Without snmpTrapAddress, where the packet came from. */
        assert_string_equal(trap.address, "192.0.2.7");
    }
}

static void test_texts_of_several_lines(void **state)
{
    (void)state;
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    assert_int_equal(parse(HEAD UPTIME TRAP_OID "1\n" KEY NODE REST COLUMN "12.5 \"one\n" COLUMN
                                                "8.5 1\n\nthree\"\n" ADDRESS,
                           &trap, error),
                     TRAP_TAKEN);
    assert_string_equal(trap.text[TRAP_MESSAGE], "one\n" COLUMN "8.5 1\n\nthree");
    assert_int_equal(trap.severity, 4);
    assert_int_equal(parse(HEAD UPTIME TRAP_OID "1\n" KEY NODE REST COLUMN
                                                "12.5 one\ntwo words\n" ADDRESS,
                           &trap, error),
                     TRAP_TAKEN);
    assert_string_equal(trap.text[TRAP_MESSAGE], "one\ntwo words");
    /* Without quotes, nobody can tell: an object that is there twice decides. */
    assert_int_equal(parse(HEAD UPTIME TRAP_OID "1\n" KEY NODE REST COLUMN "12.5 one\n" COLUMN
                                                "8.5 1\n" ADDRESS,
                           &trap, error),
                     TRAP_BAD);
    assert_string_equal(error, "dcampAlarmSeverity is there twice");
}

static void test_what_is_not_taken(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"", "there is no snmpTrapOID"},
        {"\n\n\n", "there is no snmpTrapOID"},
        {HEAD, "there is no snmpTrapOID"},
        {HEAD UPTIME KEY NODE REST MESSAGE, "there is no snmpTrapOID"},
        {HEAD UPTIME TRAP_OID "1\n" KEY NODE REST, "dcampAlarmRaised has no dcampAlarmMessage"},
        {HEAD UPTIME TRAP_OID "1\n" NODE REST MESSAGE, "dcampAlarmRaised has no dcampAlarmKey"},
        {HEAD UPTIME TRAP_OID "1\n" TRAP_OID "2\n" KEY NODE REST MESSAGE,
         "snmpTrapOID is there twice"},
        {RAISED ADDRESS, "snmpTrapAddress is there twice"},
        {HEAD UPTIME TRAP_OID "1\n" COLUMN "2.5 \"\"\n" NODE REST MESSAGE,
         "dcampAlarmKey is empty"},
        {HEAD UPTIME TRAP_OID "1\n" COLUMN "3.5 \"\"\n" KEY REST MESSAGE,
         "dcampAlarmNode is empty"},
        {HEAD UPTIME TRAP_OID "1\n" COLUMN
                              "3.5 \"123456789012345678901234567890123\"\n" KEY REST MESSAGE,
         "dcampAlarmNode is longer than 32 octets"},
        {HEAD UPTIME TRAP_OID "1\n" COLUMN "3.5 \"61 00 \"\n" KEY REST MESSAGE,
         "dcampAlarmNode contains a NUL"},
        {HEAD UPTIME TRAP_OID "1\n" COLUMN "9.5 many\n" KEY NODE MESSAGE,
         "dcampAlarmSequence is not a number of its range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trap trap;
        char error[TRAP_ERROR_SIZE];
        assert_int_equal(parse(cases[i].text, &trap, error), TRAP_BAD);
        assert_string_equal(error, cases[i].error);
    }
}

static void test_strangers(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEAD UPTIME ".1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.6.3.1.1.5.3\n",
        HEAD UPTIME ".1.3.6.1.6.3.1.1.4.1.0 IF-MIB::linkDown\nIF-MIB::ifIndex.2 2\n",
        HEAD UPTIME TRAP_OID "6\n",
        HEAD UPTIME TRAP_OID "1.7\n" KEY,
        HEAD UPTIME ".1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.4.1.32473.1.1.10.1.1.2\n",
        HEAD UPTIME ".1.3.6.1.6.3.1.1.4.1.0 .1.3.6.1.6.3.1.1.5.3\n" KEY KEY,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct trap trap;
        char error[TRAP_ERROR_SIZE];
        assert_int_equal(parse(texts[i], &trap, error), TRAP_FOREIGN);
    }
}

/* Cut anywhere, a trap is bad or whole but for its address, and nothing is read beyond it. */
static void test_truncated(void **state)
{
    (void)state;
    static const char whole[] = RAISED;
    size_t needed = strlen(whole) - strlen(ADDRESS) - 2; /* the last quote and newline */
    for (size_t len = 0; len < strlen(whole); len++) {
        char text[sizeof whole], error[TRAP_ERROR_SIZE];
        struct trap trap;
        memcpy(text, whole, len);
        text[len] = '\0';
        enum trap_result result = parse(text, &trap, error);
        if (len > needed)
            assert_int_equal(result, TRAP_TAKEN);
        else if (result == TRAP_TAKEN) /* the message itself was cut, perhaps all of it */
            assert_true(len >= needed - strlen("\"niced is 55.2: somebody burns"));
    }
}

enum { LINES = 60000 };

/* The CPU time for a trap with a value of so many octets of this kind, open or closed by its quote
 * and followed by as many in short lines. */
static clock_t time_to_parse(char octet, bool closed)
{
    static const char head[] = HEAD UPTIME TRAP_OID "1\n" KEY NODE REST MESSAGE;
    static char text[sizeof head + 2 * LINES + 64];
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    size_t len = (size_t)snprintf(text, sizeof text, "%s.1.3.6.1.2.1.1.1.0 \"", head);
    memset(text + len, octet, LINES);
    len += LINES;
    text[len++] = '"';
    for (size_t i = 0; closed && i < LINES; i++)
        text[len++] = i % 2 ? 'x' : octet;
    strcpy(text + len, "\n" ADDRESS);
    clock_t start = clock();
    assert_int_equal(parse(text, &trap, error), TRAP_TAKEN);
    assert_is_raise(&trap);
    return clock() - start;
}

/* snmptrapd waits for its handler: a value of as many lines as octets must not hold it up. Were
 * each line to look at all of it again, it would take some thousand times what one line takes. */
static void test_many_lines_are_quick(void **state)
{
    (void)state;
    for (int closed = 0; closed < 2; closed++) {
        clock_t one_line = time_to_parse('x', closed) + CLOCKS_PER_SEC / 1000;
        assert_true(time_to_parse('\n', closed) < 100 * one_line);
    }
}

static void test_not_utf8(void **state)
{
    (void)state;
    struct trap trap;
    char error[TRAP_ERROR_SIZE];
    assert_int_equal(parse(HEAD UPTIME TRAP_OID "1\n" KEY NODE REST COLUMN
                                                "12.5 \"47 72 C3 BC 6E FF 80 C3 \"\n",
                           &trap, error),
                     TRAP_TAKEN);
    assert_string_equal(trap.text[TRAP_MESSAGE], "Gr\xc3\xbcn???");
}

static void test_digest(void **state)
{
    (void)state;
    struct trap a = traps_raised(1), b = traps_raised(1);
    b.received_ms++;
    strcpy(b.source, "UDP: [192.0.2.7]:40001->[192.0.2.1]:162");
    assert_true(trap_digest(&a) == trap_digest(&b));
    b.sequence = 2;
    assert_true(trap_digest(&a) != trap_digest(&b));
    for (int i = 0; i < TRAP_TEXTS; i++) {
        b = a;
        b.text[i][0] ^= 1;
        assert_true(trap_digest(&a) != trap_digest(&b));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_raise),
        cmocka_unit_test(test_symbolic_forms),
        cmocka_unit_test(test_the_other_notifications),
        cmocka_unit_test(test_texts_of_several_lines),
        cmocka_unit_test(test_what_is_not_taken),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_many_lines_are_quick),
        cmocka_unit_test(test_not_utf8),
        cmocka_unit_test(test_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
