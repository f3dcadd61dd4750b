/* dcamp alarms acknowledge, asked of an agent on loopback: which alarms are found, what is sent,
 * and what is said of those that are over, are not there, or are those of another node. */
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/acknowledge.h"

#include "asking.h"
#include "unit.h"

static struct scene {
    struct asking asking;
    uint32_t over; /* the alarm that is over when it is to be acknowledged */
    long refusal;  /* of each SET: its error status */
    size_t sets;
    char texts[8][200]; /* that were set, behind the index */
} scene;

static void keep_set(const struct codec_pdu *pdu)
{
    struct codec_span bindings = pdu->bindings;
    struct codec_binding binding;
    bool bad = false;
    assert_in_range(scene.sets, 0, N_OF(scene.texts) - 1);
    char *text = scene.texts[scene.sets++];
    assert_true(codec_next_binding(&bindings, &binding, &bad));
    snprintf(text, sizeof *scene.texts, "%u %.*s", (unsigned)binding.id[binding.id_len - 1],
             (int)binding.value.len, (const char *)binding.value.at);
    assert_false(codec_next_binding(&bindings, &binding, &bad));
}

static bool hear(struct agent_peer *agent)
{
    const struct codec_pdu *pdu = &agent->engine.pdu;
    agent->status = 0;
    if (pdu->type != SNMP_MSG_SET)
        return true;
    keep_set(pdu);
    bool over = scene.over && strtoul(scene.texts[scene.sets - 1], NULL, 10) == scene.over;
    agent->status = over ? SNMP_ERR_NOCREATION : scene.refusal;
    return true;
}

static void put_alarm(uint32_t index, const char *key)
{
    struct cell cell;
    cell_start(&cell, MIB_dcampAlarmKey);
    cell_add_number(&cell, index);
    agent_text(&scene.asking.agent, &cell, key);
    cell_start(&cell, MIB_dcampAlarmLogKey);
    cell_add_number(&cell, index);
    agent_text(&scene.asking.agent, &cell, key);
}

static int begin(void **state)
{
    (void)state;
    memset(&scene, 0, sizeof scene);
    asking_begin(&scene.asking);
    scene.asking.agent.before = hear;
    put_alarm(7, "lap:hot:total");
    put_alarm(9, "lap:cold:eth0");
    put_alarm(12, "web1:node-lost:");
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&scene.asking);
    return 0;
}

static void assert_run(const char *const *words, enum exit_status status, const char *out,
                       const char *said)
{
    int n = 0;
    while (words[n])
        n++;
    scene.sets = 0;
    asking_set(&scene.asking, 0, n, words);
    assert_int_equal(asking_run(&scene.asking, alarms_acknowledge_run, SHEET_TABLE), status);
    assert_string_equal(scene.asking.out, out);
    assert_string_equal(scene.asking.said, said);
}

#define RUN(status, out, said, ...)                                                                \
    assert_run((const char *const[]){__VA_ARGS__, NULL}, status, out, said)

static void by_index_and_by_key(void **state)
{
    (void)state;
    RUN(EXIT_GOOD, "INDEX  KEY            ACKNOWLEDGED\n    7  lap:hot:total  ann: looks\n", "",
        "7", "ann: looks");
    assert_int_equal(scene.sets, 1);
    assert_string_equal(scene.texts[0], "7 ann: looks");
    RUN(EXIT_GOOD,
        "INDEX  KEY              ACKNOWLEDGED\n"
        "   12  web1:node-lost:  bob\n"
        "    7  lap:hot:total    bob\n"
        "    9  lap:cold:eth0    bob\n",
        "", "web1:node-lost:", "7", "lap:cold:eth0", "bob");
    assert_int_equal(scene.sets, 3);
    assert_string_equal(scene.texts[0], "12 bob");
    assert_string_equal(scene.texts[1], "7 bob");
    assert_string_equal(scene.texts[2], "9 bob");
}

/* The empty text takes it back; without one it is who runs this. */
static void texts(void **state)
{
    (void)state;
    char expected[100];
    const struct passwd *account = getpwuid(getuid());
    snprintf(expected, sizeof expected, "7 %s", account ? account->pw_name : "");
    RUN(EXIT_GOOD, "INDEX  KEY            ACKNOWLEDGED\n    7  lap:hot:total  -\n", "", "7", "");
    assert_string_equal(scene.texts[0], "7 ");
    asking_set(&scene.asking, 0, 1, (const char *const[]){"7"});
    assert_int_equal(asking_run(&scene.asking, alarms_acknowledge_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(scene.texts[1], expected);
    asking_set(&scene.asking, 0, 2, (const char *const[]){"7", "me: \"why\""});
    assert_int_equal(asking_run(&scene.asking, alarms_acknowledge_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(scene.asking.out, "{\"index\":7,\"key\":\"lap:hot:total\","
                                          "\"acknowledged\":\"me: \\\"why\\\"\"}\n");
    assert_int_equal(asking_run(&scene.asking, alarms_acknowledge_run, SHEET_TSV), EXIT_GOOD);
    assert_string_equal(scene.asking.out,
                        "index\tkey\tacknowledged\n7\tlap:hot:total\tme: \"why\"\n");
}

/* Neither index nor key: at the end only, and not alone. */
static void words_of_no_kind(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        "hot",       "0",   "4294967296", "-7",
                                      "lap:hot", "lap:h t:x", "7.5", "lap:hot:é"};
    char said[100];
    for (size_t i = 0; i < N_OF(bad); i++) {
        snprintf(said, sizeof said, "dcamp: %s: expected the index or the key of an alarm\n",
                 bad[i]);
        RUN(EXIT_USAGE, "", said, bad[i]);
        RUN(EXIT_USAGE, "", said, "7", bad[i], "9");
        assert_int_equal(scene.sets, 0);
    }
}

/* If one of them is not there, nothing is acknowledged. */
static void some_that_are_not_there(void **state)
{
    (void)state;
    agent_drop_rows(&scene.asking.agent, 9);
    RUN(EXIT_USAGE, "", "dcamp: no active alarm has the key lap:cold:eth0\n", "7", "lap:cold:eth0",
        "bob");
    RUN(EXIT_USAGE, "",
        "dcamp: no active alarm has the key lap:hut:total; did you mean \"lap:hot:total\"?\n",
        "lap:hut:total");
    RUN(EXIT_USAGE, "", "dcamp: 4711 is no active alarm\n", "7", "4711");
    RUN(EXIT_USAGE, "",
        "dcamp: 4711 is no active alarm\ndcamp: no active alarm has the key x:y:z\n", "4711",
        "x:y:z");
    assert_int_equal(scene.sets, 0);
}

/* The log has its raise. */
static void one_that_is_over(void **state)
{
    (void)state;
    struct cell cell;
    agent_drop_rows(&scene.asking.agent, 9);
    cell_start(&cell, MIB_dcampAlarmLogKey);
    cell_add_number(&cell, 9);
    agent_text(&scene.asking.agent, &cell, "lap:cold:eth0");
    RUN(EXIT_USAGE, "", "dcamp: 9 is no active alarm: that of lap:cold:eth0 is over\n", "9", "x");
    assert_int_equal(scene.sets, 0);
}

/* It was found, and is over when it is to be acknowledged: the others are all the same. */
static void one_that_ends_meanwhile(void **state)
{
    (void)state;
    scene.over = 9;
    RUN(EXIT_CUT,
        "INDEX  KEY              ACKNOWLEDGED\n"
        "    7  lap:hot:total    bob\n"
        "   12  web1:node-lost:  bob\n",
        "dcamp: lap:cold:eth0 is over by now: there is nothing to acknowledge\n", "7", "9", "12",
        "bob");
    assert_int_equal(scene.sets, 3);
    RUN(EXIT_CUT, "", "dcamp: lap:cold:eth0 is over by now: there is nothing to acknowledge\n",
        "9");
}

static void what_is_refused(void **state)
{
    (void)state;
    scene.refusal = SNMP_ERR_NOACCESS;
    RUN(EXIT_REFUSED, "", "dcamp: snmpd does not let this user set it\n", "7", "9", "bob");
    assert_int_equal(scene.sets, 1);
    scene.refusal = SNMP_ERR_WRONGVALUE;
    asking_scalar_text(&scene.asking, MIB_dcampSelfSetError,
                       "dcampAlarmAcknowledge.7: wrongValue: it is too long");
    RUN(EXIT_REFUSED, "", "dcamp: dcampAlarmAcknowledge.7: wrongValue: it is too long\n", "7",
        "bob");
    agent_drop_all(&scene.asking.agent);
    RUN(EXIT_SILENT, "",
        "dcamp: snmpd answers, but there is no DCAMP-MIB: dcampd is not running, or the user must "
        "not see it\n",
        "7", "bob");
}

static void put_below(const char *child, uint32_t number, const char *path, const char *key,
                      uint32_t index)
{
    struct cell cell;
    cell_start(&cell, MIB_dcampChildAlarmKey);
    cell_add_text(&cell, child);
    cell_add_number(&cell, number);
    agent_text(&scene.asking.agent, &cell, key);
    cell_start(&cell, MIB_dcampChildAlarmPath);
    cell_add_text(&cell, child);
    cell_add_number(&cell, number);
    agent_text(&scene.asking.agent, &cell, path);
    cell_start(&cell, MIB_dcampChildAlarmIndex);
    cell_add_text(&cell, child);
    cell_add_number(&cell, number);
    agent_number(&scene.asking.agent, &cell, index);
}

/* It is told at which node it can be acknowledged, with its index there. */
static void alarms_below(void **state)
{
    (void)state;
    put_below("web1", 3, "web1", "web1:hot:total", 17);
    put_below("c1", 4, "c1/leaf", "leaf:hot:total", 18);
    RUN(EXIT_USAGE, "",
        "dcamp: web1:hot:total is an alarm of web1, which is below this node: acknowledge it "
        "there, by \"dcamp alarms acknowledge ADDRESS 17\"\n",
        "7", "web1:hot:total");
    asking_text(&scene.asking, MIB_dcampChildAddress, "web1", NULL, "udp:192.0.2.7:161");
    asking_text(&scene.asking, MIB_dcampTreeAddress, "leaf", NULL, "udp:192.0.2.8:161");
    RUN(EXIT_USAGE, "",
        "dcamp: web1:hot:total is an alarm of web1, which is below this node: acknowledge it "
        "there, by \"dcamp alarms acknowledge udp:192.0.2.7:161 17\"\n"
        "dcamp: leaf:hot:total is an alarm of leaf, which is below this node: acknowledge it "
        "there, by \"dcamp alarms acknowledge udp:192.0.2.8:161 18\"\n",
        "web1:hot:total", "leaf:hot:total", "bob");
    put_below("c1", 4, "c1/no name", "leaf:hot:total", 18);
    RUN(EXIT_USAGE, "", "dcamp: leaf:hot:total is an alarm below c1: acknowledge it at its node\n",
        "leaf:hot:total");
    assert_int_equal(scene.sets, 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(by_index_and_by_key), TEST(texts),
                                       TEST(words_of_no_kind),    TEST(some_that_are_not_there),
                                       TEST(one_that_is_over),    TEST(one_that_ends_meanwhile),
                                       TEST(what_is_refused),     TEST(alarms_below)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
