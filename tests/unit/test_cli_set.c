/* dcamp set, asked of an agent on loopback: what is sent, and what is said where it is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/set.h"

#include "asking.h"
#include "unit.h"

static struct scene {
    struct asking asking;
    long refusal; /* of a SET: its error status */
    size_t sets, bindings;
    bool silent;
} scene;

static bool hear(struct agent_peer *agent)
{
    struct codec_span bindings = agent->engine.pdu.bindings;
    struct codec_binding binding;
    bool bad = false, set = agent->engine.pdu.type == SNMP_MSG_SET;
    agent->status = set ? scene.refusal : 0;
    scene.sets += set;
    while (set && codec_next_binding(&bindings, &binding, &bad))
        scene.bindings++;
    return !(set && scene.silent);
}

static int begin(void **state)
{
    (void)state;
    memset(&scene, 0, sizeof scene);
    asking_begin(&scene.asking);
    scene.asking.agent.before = hear;
    return 0;
}

static int end(void **state)
{
    (void)state;
    asking_end(&scene.asking);
    return 0;
}

static void assert_set(unsigned given, const char *const *words, enum exit_status status,
                       const char *out, const char *said)
{
    int n = 0;
    while (words[n])
        n++;
    asking_set(&scene.asking, given, n, words);
    assert_int_equal(asking_run(&scene.asking, set_run, SHEET_TSV), status);
    assert_string_equal(scene.asking.out, out);
    assert_string_equal(scene.asking.said, said);
}

#define SET(given, status, out, said, ...)                                                         \
    assert_set(given, (const char *const[]){__VA_ARGS__, NULL}, status, out, said)

static void what_is_taken(void **state)
{
    (void)state;
    SET(0, EXIT_GOOD,
        "object\trow\tvalue\ndcampThresholdLimit\thot\t90\ndcampThresholdDuration\thot\t1m\n", "",
        "threshold", "hot", "limit", "90", "duration", "1m");
    assert_int_equal(scene.sets, 1);
    assert_int_equal(scene.bindings, 2);
    SET(1u << COMMAND_CREATE, EXIT_GOOD,
        "object\trow\tvalue\ndcampObjectOid\tx\t2.999.1\ndcampObjectRowStatus\tx\tcreateAndGo\n",
        "", "object", "x", "oid=2.999.1");
    SET(1u << COMMAND_DELETE, EXIT_GOOD, "object\trow\tvalue\ndcampObjectRowStatus\tx\tdestroy\n",
        "", "object", "x");
    SET(0, EXIT_GOOD, "object\trow\tvalue\ndcampAlarmAcknowledge\t17\tme\n", "", "alarm", "17",
        "acknowledge", "me");
    assert_int_equal(scene.sets, 4);
}

static void what_is_refused(void **state)
{
    (void)state;
    char generic[200];
    snprintf(generic, sizeof generic,
             "dcamp: %s: wrongValue (The set value is illegal or unsupported in some way)\n",
             scene.asking.agent.engine.address);
    scene.refusal = SNMP_ERR_WRONGVALUE;
    SET(0, EXIT_REFUSED, "", generic, "threshold", "hot", "limit", "x");
    asking_scalar_text(&scene.asking, MIB_dcampSelfSetError,
                       "dcampThresholdClear.\"hot\": of another");
    SET(0, EXIT_REFUSED, "", generic, "threshold", "hot", "limit", "x");
    asking_scalar_text(&scene.asking, MIB_dcampSelfSetError,
                       "dcampThresholdLimit.\"hot\": wrongValue: no number; \x1b[2J");
    SET(0, EXIT_REFUSED, "", "dcamp: dcampThresholdLimit.\"hot\": wrongValue: no number; ?[2J\n",
        "threshold", "hot", "limit", "x");
    scene.refusal = SNMP_ERR_NOACCESS;
    SET(0, EXIT_REFUSED, "", "dcamp: snmpd does not let this user set it\n", "threshold", "hot",
        "limit", "x");
}

static void what_is_not_sent(void **state)
{
    (void)state;
    SET(0, EXIT_USAGE, "", "dcamp: threshold x: the field is missing\n", "threshold", "x");
    SET(1u << COMMAND_CREATE | 1u << COMMAND_DELETE, EXIT_USAGE, "",
        "dcamp: --create does not go with --delete\n", "threshold", "x");
    agent_drop_all(&scene.asking.agent);
    SET(0, EXIT_SILENT, "",
        "dcamp: snmpd answers, but there is no DCAMP-MIB: dcampd is not running, or the user must "
        "not see it\n",
        "threshold", "x", "limit", "3");
    assert_int_equal(scene.sets, 0);
}

/* A SET that is sent twice might be refused for what the first one has done. */
static void no_answer(void **state)
{
    (void)state;
    char said[200];
    snprintf(said, sizeof said, "dcamp: %s: no answer: whether it was set is not known\n",
             scene.asking.agent.engine.address);
    scene.silent = true;
    scene.asking.command.timeout_s = 1;
    SET(0, EXIT_SILENT, "", said, "threshold", "x", "limit", "3");
    assert_int_equal(scene.sets, 1);
}

static void one_that_is_too_big(void **state)
{
    (void)state;
    scene.refusal = SNMP_ERR_TOOBIG;
    asking_set(&scene.asking, 0, 3, (const char *const[]){"threshold", "x", "limit=3"});
    assert_int_equal(asking_run(&scene.asking, set_run, SHEET_TSV), EXIT_BROKEN);
    assert_non_null(strstr(scene.asking.said, "too much for one SET"));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(what_is_taken), TEST(what_is_refused),
                                       TEST(what_is_not_sent), TEST(no_answer),
                                       TEST(one_that_is_too_big)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
