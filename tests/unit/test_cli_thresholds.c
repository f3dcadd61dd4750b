/* dcamp thresholds, asked of an agent on loopback. */
#include <stdlib.h>
#include <string.h>

#include "cli/thresholds.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

static void put_rule(const char *name, const char *limit, int64_t raised)
{
    asking_text(&asking, MIB_dcampThresholdSensor, name, NULL, "load");
    asking_text(&asking, MIB_dcampThresholdInstances, name, NULL, "*");
    asking_text(&asking, MIB_dcampThresholdLimit, name, NULL, limit);
    asking_number(&asking, MIB_dcampThresholdOperator, name, NULL, dcampThresholdOperator_gt);
    asking_number(&asking, MIB_dcampThresholdDuration, name, NULL, 60000);
    asking_number(&asking, MIB_dcampThresholdSeverity, name, NULL, dcampThresholdSeverity_critical);
    asking_number(&asking, MIB_dcampThresholdRaised, name, NULL, raised);
    asking_number(&asking, MIB_dcampThresholdRowStatus, name, NULL, dcampThresholdRowStatus_active);
}

static void put_phase(const char *name, const char *instance, int64_t phase)
{
    struct cell cell = asking_cell(MIB_dcampThresholdStatePhase, name, "lap", instance);
    agent_number(&asking.agent, &cell, phase);
}

static void rules_and_where_they_stand(void **state)
{
    (void)state;
    put_rule("rule10", "0.5", 0);
    put_rule("rule2", "90", 1);
    asking_text(&asking, MIB_dcampThresholdError, "rule10", NULL, "no such sensor");
    put_phase("rule2", "a", dcampThresholdStatePhase_raised);
    put_phase("rule2", "b", dcampThresholdStatePhase_pending);
    put_phase("other", "b", dcampThresholdStatePhase_pending);
    assert_int_equal(asking_run(&asking, thresholds_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "THRESHOLD  SENSOR  INSTANCES  OP  LIMIT  CLEAR  WARNING  "
                                    "CRITICAL   FOR  SEVERITY  STATUS  "
                                    "RAISED  OF  ERROR\n"
                                    "rule2      load    *          gt  90     -      -        -    "
                                    "     60 s  critical  active  "
                                    "     1   2  -\n"
                                    "rule10     load    *          gt  0.5    -      -        -    "
                                    "     60 s  critical  active  "
                                    "     0   0  no such sensor\n");
    asking_set(&asking, 0, 1, (const char *const[]){"*2"});
    assert_int_equal(asking_run(&asking, thresholds_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(
        asking.out,
        "{\"threshold\":\"rule2\",\"sensor\":\"load\",\"instances\":\"*\",\"source\":null,"
        "\"operator\":\"gt\",\"limit\":\"90\",\"clear\":null,\"warningLimit\":null,"
        "\"warningClear\":null,\"criticalLimit\":null,\"criticalClear\":null,\"match\":null,"
        "\"window\":null,\"duration\":60000,\"severity\":\"critical\",\"status\":\"active\","
        "\"raised\":1,\"pending\":1,\"watched\":2,\"error\":null}\n");
}

static void no_rules(void **state)
{
    (void)state;
    assert_int_equal(asking_run(&asking, thresholds_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "no thresholds\n");
    assert_int_equal(asking_run(&asking, thresholds_run, SHEET_JSON), EXIT_GOOD);
    assert_string_equal(asking.out, "");
    asking_set(&asking, 0, 1, (const char *const[]){"x"});
    assert_int_equal(asking_run(&asking, thresholds_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said, "dcamp: no threshold is \"x\"\n");
}

static bool gone_at_once(struct agent_peer *agent)
{
    if (agent->engine.pdu.type == SNMP_MSG_GET && agent->asked > 2)
        agent_drop_all(agent);
    return true;
}

static void a_rule_that_goes_meanwhile(void **state)
{
    (void)state;
    put_rule("rule2", "90", 1);
    asking.agent.before = gone_at_once;
    assert_int_equal(asking_run(&asking, thresholds_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {ASKING_TEST(rules_and_where_they_stand),
                                       ASKING_TEST(no_rules),
                                       ASKING_TEST(a_rule_that_goes_meanwhile)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
