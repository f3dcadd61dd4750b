/* dcamp set, asked of an agent on loopback: what is sent, and what is said where it is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/set.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

static void assert_set(unsigned given, const char *const *words, enum exit_status status,
                       const char *out, const char *said)
{
    int n = 0;
    while (words[n])
        n++;
    asking_set(&asking, given, n, words);
    assert_int_equal(asking_run(&asking, set_run, SHEET_TSV), status);
    assert_string_equal(asking.out, out);
    assert_string_equal(asking.said, said);
}

#define SET(given, status, out, said, ...)                                                         \
    assert_set(given, (const char *const[]){__VA_ARGS__, NULL}, status, out, said)

static void what_is_taken(void **state)
{
    (void)state;
    SET(0, EXIT_GOOD,
        "object\trow\tvalue\ndcampThresholdLimit\thot\t90\ndcampThresholdDuration\thot\t1m\n", "",
        "threshold", "hot", "limit", "90", "duration", "1m");
    assert_int_equal(asking.sets, 1);
    assert_int_equal(asking.bindings, 2);
    SET(1u << COMMAND_CREATE, EXIT_GOOD,
        "object\trow\tvalue\ndcampObjectOid\tx\t2.999.1\ndcampObjectRowStatus\tx\tcreateAndGo\n",
        "", "object", "x", "oid=2.999.1");
    SET(1u << COMMAND_DELETE, EXIT_GOOD, "object\trow\tvalue\ndcampObjectRowStatus\tx\tdestroy\n",
        "", "object", "x");
    SET(0, EXIT_GOOD, "object\trow\tvalue\ndcampAlarmAcknowledge\t17\tme\n", "", "alarm", "17",
        "acknowledge", "me");
    assert_int_equal(asking.sets, 4);
}

static void what_is_refused(void **state)
{
    (void)state;
    char generic[200];
    snprintf(generic, sizeof generic,
             "dcamp: %s: wrongValue (The set value is illegal or unsupported in some way)\n",
             asking.agent.engine.address);
    asking.refusal = SNMP_ERR_WRONGVALUE;
    SET(0, EXIT_REFUSED, "", generic, "threshold", "hot", "limit", "x");
    asking_scalar_text(&asking, MIB_dcampSelfSetError, "dcampThresholdClear.\"hot\": of another");
    SET(0, EXIT_REFUSED, "", generic, "threshold", "hot", "limit", "x");
    asking_scalar_text(&asking, MIB_dcampSelfSetError,
                       "dcampThresholdLimit.\"hot\": wrongValue: no number; \x1b[2J");
    SET(0, EXIT_REFUSED, "", "dcamp: dcampThresholdLimit.\"hot\": wrongValue: no number; ?[2J\n",
        "threshold", "hot", "limit", "x");
    asking.refusal = SNMP_ERR_NOACCESS;
    SET(0, EXIT_REFUSED, "", "dcamp: snmpd does not let this user set it\n", "threshold", "hot",
        "limit", "x");
}

static void what_is_not_sent(void **state)
{
    (void)state;
    SET(0, EXIT_USAGE, "", "dcamp: threshold x: the field is missing\n", "threshold", "x");
    SET(1u << COMMAND_CREATE | 1u << COMMAND_DELETE, EXIT_USAGE, "",
        "dcamp: --create does not go with --delete\n", "threshold", "x");
    agent_drop_all(&asking.agent);
    SET(0, EXIT_SILENT, "",
        "dcamp: snmpd answers, but there is no DCAMP-MIB: dcampd is not running, or the user must "
        "not see it\n",
        "threshold", "x", "limit", "3");
    assert_int_equal(asking.sets, 0);
}

/* A SET that is sent twice might be refused for what the first one has done. */
static void no_answer(void **state)
{
    (void)state;
    char said[200];
    snprintf(said, sizeof said, "dcamp: %s: no answer: whether it was set is not known\n",
             asking.agent.engine.address);
    asking.is_silent = true;
    asking.command.timeout_s = 1;
    SET(0, EXIT_SILENT, "", said, "threshold", "x", "limit", "3");
    assert_int_equal(asking.sets, 1);
}

static void one_that_is_too_big(void **state)
{
    (void)state;
    asking.refusal = SNMP_ERR_TOOBIG;
    asking_set(&asking, 0, 3, (const char *const[]){"threshold", "x", "limit=3"});
    assert_int_equal(asking_run(&asking, set_run, SHEET_TSV), EXIT_BROKEN);
    assert_non_null(strstr(asking.said, "too much for one SET"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ASKING_SETS_TEST(what_is_taken), ASKING_SETS_TEST(what_is_refused),
        ASKING_SETS_TEST(what_is_not_sent), ASKING_SETS_TEST(no_answer),
        ASKING_SETS_TEST(one_that_is_too_big)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
