/* What each writer writes of ordinary traps, to the octet. */

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trapd-handlers/format.h"
#include "trapd-handlers/record.h"
#include "trapd-handlers/template.h"
#include "trapd-handlers/zabbix_sender.h"

#include "traps.h"
#include "unit.h"

static void expect(struct buffer *buffer, const char *text)
{
    assert_false(buffer->failed);
    assert_string_equal(buffer->at, text);
    buffer_release(buffer);
}

static void test_nagios(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct trap trap = traps_raised(7);
    struct service_result result = {.host = "node1",
                                    .service = "dcamp burner",
                                    .state = SERVICE_CRITICAL,
                                    .telling = TELL_NEWS,
                                    .message = "niced is 55.2: somebody burns",
                                    .alarms = 1,
                                    .critical = 1};
    format_nagios(&buffer, &trap, &result);
    expect(&buffer,
           "[1795295045] REMOVE_SVC_ACKNOWLEDGEMENT;node1;dcamp burner\n"
           "[1795295045] DELAY_SVC_NOTIFICATION;node1;dcamp burner;1795295045\n"
           "[1795295045] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp burner;2;CRITICAL - niced is "
           "55.2: somebody burns|alarms=1;;;0 critical=1;;;0 warning=0;;;0 info=0;;;0\n");
    result.telling = TELL_AGAIN;
    result.also = "2 active: burner cpu0; | burner cpu1";
    format_nagios(&buffer, &trap, &result);
    expect(&buffer,
           "[1795295045] DELAY_SVC_NOTIFICATION;node1;dcamp burner;1795295045\n"
           "[1795295045] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp burner;2;CRITICAL - niced is "
           "55.2: somebody burns (2 active: burner cpu0    burner cpu1)"
           "|alarms=1;;;0 critical=1;;;0 warning=0;;;0 info=0;;;0\n");
    trap = traps_cleared(8);
    result = (struct service_result){.host = "node1",
                                     .service = "dcamp burner",
                                     .message = "niced is back",
                                     .state = SERVICE_OK};
    format_nagios(&buffer, &trap, &result);
    expect(&buffer, "[1795295045] PROCESS_SERVICE_CHECK_RESULT;node1;dcamp burner;0;OK - niced is "
                    "back|alarms=0;;;0 critical=0;;;0 warning=0;;;0 info=0;;;0\n");
    trap.event = TRAP_LOST;
    format_nagios_host(&buffer, &trap, "node1");
    expect(&buffer, "[1795295045] PROCESS_HOST_CHECK_RESULT;node1;1;niced is 55.2: somebody "
                    "burns\n");
    trap.event = TRAP_JOINED;
    format_nagios_host(&buffer, &trap, "node1");
    expect(&buffer, "[1795295045] PROCESS_HOST_CHECK_RESULT;node1;0;niced is 55.2: somebody "
                    "burns\n");
}

static void test_states(void **state)
{
    (void)state;
    assert_int_equal(format_state(1), SERVICE_OK);
    assert_int_equal(format_state(2), SERVICE_OK);
    assert_int_equal(format_state(3), SERVICE_WARNING);
    assert_int_equal(format_state(4), SERVICE_CRITICAL);
}

static void test_zabbix(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct trap trap = traps_raised(7);
    format_zabbix(&buffer, &trap, "192.0.2.7", "%H:%M:%S %Y/%m/%d");
    expect(&buffer,
           "21:04:05 2026/11/21 ZBXTRAP 192.0.2.7\n"
           "PDU INFO:\n"
           "  notificationtype               TRAP\n"
           "  receivedfrom                   UDP: [192.0.2.7]:40000->[192.0.2.1]:162\n"
           "VARBINDS:\n"
           "  SNMPv2-MIB::snmpTrapOID.0      type=6  value=OID: DCAMP-MIB::dcampAlarmRaised\n"
           "  DCAMP-MIB::dcampAlarmKey.5     type=4  value=STRING: \"node1:burner:total\"\n"
           "  DCAMP-MIB::dcampAlarmNode.5    type=4  value=STRING: \"node1\"\n"
           "  DCAMP-MIB::dcampAlarmSensor.5  type=4  value=STRING: \"niced\"\n"
           "  DCAMP-MIB::dcampAlarmValueText.5 type=4  value=STRING: \"55.2\"\n"
           "  DCAMP-MIB::dcampAlarmThresholdText.5 type=4  value=STRING: \"> 20\"\n"
           "  DCAMP-MIB::dcampAlarmSeverityText.5 type=4  value=STRING: \"critical\"\n"
           "  DCAMP-MIB::dcampAlarmSeverity.5 type=2  value=INTEGER: critical(4)\n"
           "  DCAMP-MIB::dcampAlarmSequence.5 type=66 value=Gauge32: 7\n"
           "  DCAMP-MIB::dcampAlarmSince.5   type=4  value=STRING: 2026-11-21T21:04:01.000Z\n"
           "  DCAMP-MIB::dcampAlarmSuppressed.5 type=66 value=Gauge32: 0\n"
           "  DCAMP-MIB::dcampAlarmMessage.5 type=4  value=STRING: \"niced is 55.2: somebody "
           "burns\"\n"
           "  DCAMP-MIB::dcampAlarmThreshold.5 type=4  value=STRING: \"burner\"\n"
           "  DCAMP-MIB::dcampAlarmInstance.5 type=4  value=STRING: \"total\"\n"
           "  DCAMP-MIB::dcampAlarmEvent.5   type=2  value=INTEGER: raised(1)\n"
           "  SNMP-COMMUNITY-MIB::snmpTrapAddress.0 type=64 value=IpAddress: 192.0.2.7\n");
}

static void test_zabbix_summary(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct trap trap = traps_summary(9);
    trap.address[0] = '\0';
    format_zabbix_value(&buffer, &trap);
    expect(&buffer,
           "VARBINDS:\n"
           "  SNMPv2-MIB::snmpTrapOID.0      type=6  value=OID: DCAMP-MIB::dcampAlarmsSuppressed\n"
           "  DCAMP-MIB::dcampAlarmNode.5    type=4  value=STRING: \"node1\"\n"
           "  DCAMP-MIB::dcampAlarmSequence.5 type=66 value=Gauge32: 9\n"
           "  DCAMP-MIB::dcampAlarmSince.5   type=4  value=STRING: 2026-11-21T21:04:01.000Z\n"
           "  DCAMP-MIB::dcampAlarmSuppressed.5 type=66 value=Gauge32: 12\n"
           "  DCAMP-MIB::dcampAlarmMessage.5 type=4  value=STRING: \"niced is 55.2: somebody "
           "burns\"\n");
}

static void test_sender(void **state)
{
    (void)state;
    unsigned char header[ZABBIX_HEADER_SIZE];
    uint32_t len;
    unsigned processed, failed;
    zabbix_header(header, 0x010203);
    assert_memory_equal(header, "ZBXD\1\3\2\1\0\0\0\0\0", ZABBIX_HEADER_SIZE);
    assert_false(zabbix_header_read(header, &len)); /* no answer is as long */
    zabbix_header(header, 90);
    assert_true(zabbix_header_read(header, &len));
    assert_int_equal(len, 90);
    header[4] = 3;
    assert_false(zabbix_header_read(header, &len));
    static const char good[] = "{\"response\":\"success\",\"info\":\"processed: 1; failed: 2; "
                               "total: 3; seconds spent: 0.000055\"}";
    assert_true(zabbix_response(good, sizeof good - 1, &processed, &failed));
    assert_int_equal(processed, 1);
    assert_int_equal(failed, 2);
    static const char *const bad[] = {"",
                                      "{}",
                                      "[]",
                                      "{\"response\":\"success\"}",
                                      "{\"response\":\"failed\",\"info\":\"processed: 1; failed: "
                                      "0; \"}",
                                      "{\"response\":\"success\",\"info\":\"processed\"}",
                                      "{\"response\":1,\"info\":2}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(zabbix_response(bad[i], strlen(bad[i]), &processed, &failed));
    struct buffer buffer = {0};
    struct trap trap = traps_summary(9);
    zabbix_request(&buffer, &trap, 1, "%n", "dcamp.trap");
    assert_false(buffer.failed);
    static const char start[] = "{\"request\":\"sender data\",\"data\":[{\"host\":\"node1\","
                                "\"key\":\"dcamp.trap\",\"value\":\"VARBINDS:\\n  SNMPv2-MIB::";
    assert_memory_equal(buffer.at, start, sizeof start - 1);
    assert_non_null(strstr(buffer.at, "\"clock\":1795295045,\"ns\":250000000}]}"));
    buffer_release(&buffer);
}

static void test_icinga(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct trap trap = traps_raised(7);
    struct service_result result = {.host = "node1",
                                    .service = "dcamp burner",
                                    .state = SERVICE_CRITICAL,
                                    .message = "niced is 55.2: somebody burns",
                                    .also = "2 active: burner a|, burner b",
                                    .alarms = 2,
                                    .critical = 1,
                                    .warning = 1};
    format_icinga(&buffer, &trap, &result);
    expect(
        &buffer,
        "{\"type\":\"Service\",\"verbose\":true,\"filter\":\"host.name == h && service.name == s\","
        "\"filter_vars\":{\"h\":\"node1\",\"s\":\"dcamp burner\"},\"exit_status\":2,"
        "\"plugin_output\":\"CRITICAL - niced is 55.2: somebody burns (2 active: "
        "burner a , burner b)\",\"performance_data\":[\"alarms=2;;;0\","
        "\"critical=1;;;0\",\"warning=1;;;0\",\"info=0;;;0\"],"
        "\"check_source\":\"node1\"}");
    format_icinga_unacknowledge(&buffer, &result);
    expect(&buffer, "{\"type\":\"Service\",\"verbose\":true,\"filter\":\"host.name == h && "
                    "service.name == s && "
                    "service.acknowledgement != 0\",\"filter_vars\":{\"h\":\"node1\",\"s\":"
                    "\"dcamp burner\"}}");
    format_icinga_tell(&buffer, &result);
    expect(&buffer, "{\"type\":\"Service\",\"verbose\":true,\"filter\":\"host.name == h && "
                    "service.name == s && "
                    "service.last_hard_state_change < service.last_check_result.execution_start\","
                    "\"filter_vars\":{\"h\":\"node1\",\"s\":\"dcamp burner\"},\"timestamp\":1}");
    trap.event = TRAP_LOST;
    format_icinga_host(&buffer, &trap, "node1");
    expect(&buffer, "{\"type\":\"Host\",\"filter\":\"host.name == h\",\"filter_vars\":{\"h\":"
                    "\"node1\"},\"exit_status\":1,\"plugin_output\":\"niced is 55.2: somebody "
                    "burns\",\"check_source\":\"node1\"}");
}

static void test_icinga_answers(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        enum answer answer;
    } cases[] = {
        {"{\"results\":[{\"code\":200.0,\"status\":\"ok\"}]}", ANSWER_TAKEN},
        {"{\"results\":[]}", ANSWER_NOTHING},
        {"{\"error\":404,\"status\":\"No objects found.\"}", ANSWER_NOTHING},
        {"{\"error\":404,\"status\":\"No objects found.\",\"diagnostic_information\":\"Error: "
         "Missing permission: actions/process-check-result\\n\"}",
         ANSWER_FORBIDDEN},
        {"{\"error\":403,\"status\":\"Missing permission: actions/x\"}", ANSWER_FORBIDDEN},
        {"{\"error\":404,\"status\":\"Action 'x' does not exist.\"}", ANSWER_NONSENSE},
        {"{\"error\":404,\"status\":404}", ANSWER_NONSENSE},
        {"{\"results\":[{\"code\":200},{\"code\":409}]}", ANSWER_REFUSED},
        {"{\"results\":[{\"code\":500}]}", ANSWER_NONSENSE},
        {"{\"results\":[{\"code\":404},{\"code\":503}]}", ANSWER_NONSENSE},
        {"{\"results\":[1]}", ANSWER_NONSENSE},
        {"{\"results\":{}}", ANSWER_NONSENSE},
        {"<html>", ANSWER_NONSENSE},
        {"", ANSWER_NONSENSE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(format_icinga_answer(cases[i].body, strlen(cases[i].body)),
                         cases[i].answer);
}

#define ALERT(SEVERITY, EVENT, END)                                                                \
    "{\"labels\":{\"alertname\":\"burner\",\"job\":\"dcamp\",\"node\":\"node1\",\"sensor\":"       \
    "\"niced\",\"resource\":\"total\",\"key\":\"node1:burner:total\",\"severity\":\"" SEVERITY     \
    "\",\"site\":\"a=b\"},\"annotations\":{\"summary\":\"niced is 55.2: somebody burns\","         \
    "\"value\":\"55.2\",\"limit\":\"> 20\",\"event\":\"" EVENT                                     \
    "\",\"sequence\":\"7\"},\"startsAt\":"                                                         \
    "\"2026-11-21T21:04:01.000Z\",\"endsAt\":\"" END "\"}"

static void test_alertmanager(void **state)
{
    (void)state;
    static const char *const labels[] = {"site=a=b", "empty="};
    const struct alert_options options = {.hold_ms = 60000, .labels = labels, .n_labels = 2};
    struct buffer buffer = {0};
    struct trap raised = traps_raised(7), cleared = traps_cleared(7);
    struct alerts *alerts = format_alerts_new();
    format_alert_firing(alerts, &raised, TRAPS_NOW_MS, &options);
    format_alert_over(alerts, &cleared, 3, &options);
    assert_int_equal(format_alerts_count(alerts), 2);
    format_alerts(&buffer, alerts);
    expect(&buffer, "[" ALERT("critical", "raised", "2026-11-21T21:05:05.250Z") "," ALERT(
                        "warning", "cleared", "2026-11-21T21:04:05.250Z") "]");
    format_alerts_free(alerts);
    /* Of what severity it was is not known: it ends in each. */
    alerts = format_alerts_new();
    format_alert_over(alerts, &cleared, 1, &options);
    assert_int_equal(format_alerts_count(alerts), 3);
    format_alerts_free(alerts);
}

/* Alertmanager refuses what ends before it begins. */
static void test_alert_of_a_clock_ahead(void **state)
{
    (void)state;
    const struct alert_options options = {.hold_ms = 60000};
    struct buffer buffer = {0};
    struct trap cleared = traps_cleared(7);
    struct alerts *alerts = format_alerts_new();
    cleared.since_ms = cleared.received_ms + 5000;
    format_alert_over(alerts, &cleared, 4, &options);
    format_alerts(&buffer, alerts);
    assert_non_null(strstr(buffer.at, "\"startsAt\":\"2026-11-21T21:04:05.249Z\",\"endsAt\":"
                                      "\"2026-11-21T21:04:05.250Z\""));
    buffer_release(&buffer);
    format_alerts_free(alerts);
}

static void test_mail(void **state)
{
    (void)state;
    char *const to[] = {"a@example.org", "b@example.org"};
    struct mail_options options = {
        .from = "dcamp@example.org", .subject = "[dCAMP] ", .to = to, .n_to = 2};
    struct buffer buffer = {0};
    struct trap traps[] = {traps_raised(7), traps_cleared(8), traps_summary(9)};
    format_mail(&buffer, traps, 1, &options, TRAPS_NOW_MS);
    expect(&buffer, "From: dcamp@example.org\n"
                    "To: a@example.org,\n b@example.org\n"
                    "Subject: [dCAMP] critical: niced is 55.2: somebody burns\n"
                    "Date: Sat, 21 Nov 2026 21:04:05 +0000\n"
                    "Auto-Submitted: auto-generated\n"
                    "MIME-Version: 1.0\n"
                    "Content-Type: text/plain; charset=UTF-8\n"
                    "Content-Transfer-Encoding: 8bit\n"
                    "\n"
                    "message     niced is 55.2: somebody burns\n"
                    "state       critical\n"
                    "event       raised\n"
                    "node        node1\n"
                    "alarm       node1:burner:total\n"
                    "rule        burner\n"
                    "instance    total\n"
                    "sensor      niced\n"
                    "value       55.2\n"
                    "limit       > 20\n"
                    "address     192.0.2.7\n"
                    "since       2026-11-21T21:04:01.000Z\n"
                    "received    2026-11-21T21:04:05.250Z\n"
                    "sequence    7\n");
    format_mail(&buffer, traps, 3, &options, TRAPS_NOW_MS);
    assert_non_null(strstr(buffer.at, "Subject: [dCAMP] 3 notifications, 1 of them critical\n"));
    assert_non_null(strstr(buffer.at, "held back   12 notifications\n"));
    buffer_release(&buffer);
}

static void test_mail_subject_encoded(void **state)
{
    (void)state;
    char *const to[] = {"a@example.org"};
    struct mail_options options = {.subject = "", .to = to, .n_to = 1};
    struct buffer buffer = {0};
    struct trap trap = traps_raised(7);
    traps_set(&trap, TRAP_MESSAGE,
              "Gr\xc3\xbc\xc3\x9f"
              "e aus dem Rechnerraum, es ist zu hei\xc3\x9f hier");
    format_mail(&buffer, &trap, 1, &options, TRAPS_NOW_MS);
    /* Each word is whole characters of at most 39 octets. */
    assert_non_null(strstr(
        buffer.at, "Subject: =?UTF-8?B?Y3JpdGljYWw6IEdyw7zDn2UgYXVzIGRlbSBSZWNobmVycmF1bSwg?=\n"
                   " =?UTF-8?B?ZXMgaXN0IHp1IGhlacOfIGhpZXI=?=\n"));
    assert_null(strstr(buffer.at, "From:"));
    buffer_release(&buffer);
}

static void test_templates(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct trap trap = traps_raised(7);
    const char *at;
    assert_true(template_check("%n %r %i %s %k %a %S %e %E %%", &at));
    template_write(&buffer, "%n|%r|%i|%s|%k|%a|%S|%e|%E|%%", &trap, ":");
    expect(&buffer, "node1|burner|total|niced|node1_burner_total|192.0.2.7|critical|"
                    "dcampAlarmRaised|raised|%");
    assert_false(template_check("a%x", &at));
    assert_string_equal(at, "%x");
    assert_false(template_check("a%", &at));
    /* The key has no room for every character: it tells nobody what the instance is. */
    traps_set(&trap, TRAP_KEY, "node1:burner:_:25e754c8");
    traps_set(&trap, TRAP_INSTANCE, "/");
    template_write(&buffer, "%r %i", &trap, "");
    expect(&buffer, "burner /");
    trap = traps_summary(9);
    template_write(&buffer, "%r", &trap, "");
    expect(&buffer, "notifications");
}

static void test_record(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    struct trap trap = traps_raised(UINT32_MAX), again;
    for (int i = 0; i < TRAP_TEXTS; i++)
        traps_set(&trap, i, TRAPS_NASTY);
    record_write(&buffer, &trap);
    assert_false(buffer.failed);
    assert_ptr_equal(strchr(buffer.at, '\n'), buffer.at + buffer.len - 1);
    assert_true(record_read(buffer.at, buffer.len - 1, &again));
    assert_memory_equal(again.text, trap.text, sizeof trap.text);
    assert_int_equal(again.sequence, trap.sequence);
    assert_int_equal(again.since_ms, trap.since_ms);
    assert_true(trap_digest(&again) == trap_digest(&trap));
    for (size_t len = 0; len < buffer.len - 1; len++)
        assert_false(record_read(buffer.at, len, &again));
    buffer_release(&buffer);
    static const char *const bad[] = {"", "1", "[]", "{}", "null"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(record_read(bad[i], strlen(bad[i]), &again));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nagios),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_zabbix),
        cmocka_unit_test(test_zabbix_summary),
        cmocka_unit_test(test_sender),
        cmocka_unit_test(test_icinga),
        cmocka_unit_test(test_icinga_answers),
        cmocka_unit_test(test_alertmanager),
        cmocka_unit_test(test_alert_of_a_clock_ahead),
        cmocka_unit_test(test_mail),
        cmocka_unit_test(test_mail_subject_encoded),
        cmocka_unit_test(test_templates),
        cmocka_unit_test(test_record),
    };
    setenv("TZ", "UTC", 1);
    tzset();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
