/* dcamp get and dcamp watch, asked of an agent on loopback: which values, in which order, what is
 * said where there are none, and when rounds begin. */
#include <stdlib.h>
#include <string.h>

#include "cli/get.h"
#include "base/clock.h"
#include "cli/watch.h"

#include "asking.h"
#include "unit.h"

static struct asking asking;

/* -- What the agent has ---------------------------------------------------------------------- */

static void put_value(const char *sensor, const char *instance, const char *text, const char *unit)
{
    asking_text(&asking, MIB_dcampValueText, sensor, instance, text);
    asking_text(&asking, MIB_dcampValueUnit, sensor, instance, unit);
    asking_number(&asking, MIB_dcampValueState, sensor, instance,
                  *text ? dcampValueState_valid : dcampValueState_gap);
    asking_number(&asking, MIB_dcampValueAge, sensor, instance, 1250);
}

static void put_aggregate(const char *name, const char *instance, const char *text)
{
    asking_text(&asking, MIB_dcampAggregateValueText, name, instance, text);
    asking_number(&asking, MIB_dcampAggregateValueState, name, instance,
                  dcampAggregateValueState_valid);
}

static void put_below(const char *child, const char *sensor, const char *instance, const char *text)
{
    struct cell value = asking_cell(MIB_dcampChildValueText, child, sensor, instance);
    struct cell valid = asking_cell(MIB_dcampChildValueState, child, sensor, instance);
    agent_text(&asking.agent, &value, text);
    agent_number(&asking.agent, &valid, dcampChildValueState_stale);
}

static void put_some(void)
{
    put_value("cpu.busy", "cpu10", "3", "%");
    put_value("cpu.busy", "cpu2", "12.5", "%");
    put_value("load.1", "total", "", "tasks");
}

#define ASK(given, ...)                                                                            \
    do {                                                                                           \
        static const char *const words_[] = {__VA_ARGS__, NULL};                                   \
        asking_set(&asking, given, (int)N_OF(words_) - 1, words_);                                 \
    } while (0)

static void assert_get(enum sheet_format format, const char *out)
{
    assert_int_equal(asking_run(&asking, get_run, format), EXIT_GOOD);
    assert_string_equal(asking.said, "");
    assert_string_equal(asking.out, out);
}

static void assert_fails(enum exit_status status, const char *said)
{
    assert_int_equal(asking_run(&asking, get_run, SHEET_TABLE), status);
    assert_string_equal(asking.out, "");
    assert_string_equal(asking.said, said);
}

/* -- Get ------------------------------------------------------------------------------------- */

static void all_values(void **state)
{
    (void)state;
    put_some();
    assert_get(SHEET_TABLE, "SENSOR    INSTANCE  VALUE  UNIT   STATE    AGE\n"
                            "cpu.busy  cpu2      12.5   %      valid  1.2 s\n"
                            "cpu.busy  cpu10     3      %      valid  1.2 s\n"
                            "load.1    total     -      tasks  gap    1.2 s\n");
    assert_get(SHEET_TSV, "time\tnode\tsensor\tinstance\tvalue\tunit\tstate\tage\n"
                          "\t\tcpu.busy\tcpu2\t12.5\t%\tvalid\t1250\n"
                          "\t\tcpu.busy\tcpu10\t3\t%\tvalid\t1250\n"
                          "\t\tload.1\ttotal\t\ttasks\tgap\t1250\n");
}

static void chosen_values(void **state)
{
    (void)state;
    put_some();
    ASK(0, "load.*");
    assert_get(SHEET_JSON,
               "{\"time\":null,\"node\":null,\"sensor\":\"load.1\",\"instance\":\"total\","
               "\"value\":null,\"unit\":\"tasks\",\"state\":\"gap\",\"age\":1250}\n");
    ASK(0, "cpu.busy", "!cpu2");
    assert_get(SHEET_TABLE, "SENSOR    INSTANCE  VALUE  UNIT  STATE    AGE\n"
                            "cpu.busy  cpu10     3      %     valid  1.2 s\n");
}

/* A sensor that is named is walked alone: other rows do not cross the network. */
static void only_what_is_named_is_asked(void **state)
{
    (void)state;
    char instance[16];
    unsigned requests, before, varbinds;
    put_some();
    for (int i = 0; i < 200; i++) {
        snprintf(instance, sizeof instance, "i%d", i);
        put_value("disk.busy", instance, "1", "%");
    }
    ASK(0, "load.1");
    client_counts(asking.client, &before, &varbinds);
    assert_int_equal(asking_run(&asking, get_run, SHEET_TSV), EXIT_GOOD);
    client_counts(asking.client, &requests, &varbinds);
    assert_in_range(requests - before, 1, 6);
}

static void aggregates_and_children(void **state)
{
    (void)state;
    put_some();
    put_aggregate("all.busy", "total", "50");
    put_below("web1", "cpu.busy", "total", "7");
    ASK(0, "all.busy cpu.busy", "total");
    assert_get(SHEET_TABLE, "SENSOR    INSTANCE  VALUE  UNIT  STATE  AGE\n"
                            "all.busy  total     50     -     valid    -\n");
    ASK(1u << COMMAND_BELOW, "*.busy", "total");
    assert_get(SHEET_TABLE, "NODE  SENSOR    INSTANCE  VALUE  UNIT  STATE  AGE\n"
                            "-     all.busy  total     50     -     valid    -\n"
                            "web1  cpu.busy  total     7      -     stale    -\n");
}

/* A name that is a pattern as well, but not of itself. */
static void the_very_name(void **state)
{
    (void)state;
    assert_true(choice_takes(NULL, "x"));
    assert_true(choice_takes("a b", "a b"));
    assert_true(choice_takes("chip [1]", "chip [1]"));
    assert_true(choice_takes("a b", "b"));
    assert_false(choice_takes("!lo", "lo"));
    assert_false(choice_takes("", "lo"));
}

static void no_values(void **state)
{
    (void)state;
    assert_get(SHEET_TABLE, "no values\n");
    assert_get(SHEET_JSON, "");
    ASK(0, "cpu.bsy");
    assert_fails(EXIT_USAGE, "dcamp: no sensor and no aggregate is \"cpu.bsy\"\n");
    put_some();
    asking_number(&asking, MIB_dcampSensorState, "cpu.busy", NULL, dcampSensorState_sampling);
    asking_number(&asking, MIB_dcampSensorState, "gpu", NULL, dcampSensorState_unavailable);
    assert_fails(EXIT_USAGE,
                 "dcamp: no sensor and no aggregate is \"cpu.bsy\"; did you mean \"cpu.busy\"?\n");
    ASK(0, "cpu.busy", "cpu99");
    assert_fails(EXIT_USAGE, "dcamp: cpu.busy has no instance \"cpu99\"\n");
    ASK(0, "gpu");
    assert_fails(EXIT_USAGE, "dcamp: gpu has no value yet\n");
    asking_text(&asking, MIB_dcampSensorError, "gpu", NULL, "there is no such chip");
    assert_fails(EXIT_USAGE, "dcamp: gpu has no value: there is no such chip\n");
    asking_number(&asking, MIB_dcampAggregateRowStatus, "sum", NULL,
                  dcampAggregateRowStatus_active);
    ASK(0, "sum");
    assert_fails(EXIT_USAGE, "dcamp: sum has no value yet\n");
}

static bool gone_at_once(struct agent_peer *agent)
{
    if (agent->engine.pdu.type == SNMP_MSG_GET && agent->asked > 2)
        agent_drop_all(agent);
    return true;
}

static void values_that_go_meanwhile(void **state)
{
    (void)state;
    put_some();
    asking.agent.before = gone_at_once;
    assert_get(SHEET_TABLE, "no values\n");
}

static void names_that_are_none(void **state)
{
    (void)state;
    struct cell longer = asking_cell(MIB_dcampValueState, "a", "b", "c");
    struct cell shorter = asking_cell(MIB_dcampValueState, "a", NULL, NULL);
    agent_number(&asking.agent, &longer, dcampValueState_valid);
    agent_number(&asking.agent, &shorter, dcampValueState_valid);
    assert_get(SHEET_TABLE, "no values\n");
}

static void no_dcampd(void **state)
{
    (void)state;
    agent_drop_all(&asking.agent);
    assert_fails(EXIT_SILENT, "dcamp: snmpd answers, but there is no DCAMP-MIB: dcampd is not "
                              "running, or the user must not see it\n");
}

/* -- Watch ----------------------------------------------------------------------------------- */

static bool value_changes(struct agent_peer *agent)
{
    struct cell cell = asking_cell(MIB_dcampValueText, "cpu.busy", "cpu2", NULL);
    if (agent->engine.pdu.type == SNMP_MSG_GET && agent->asked > 8)
        agent_text(agent, &cell, "100");
    return true;
}

static void rounds(void **state)
{
    (void)state;
    put_some();
    asking.agent.before = value_changes;
    asking.command.count = 4;
    ASK(1u << COMMAND_CHANGES, "cpu.busy");
    assert_int_equal(asking_run(&asking, watch_run, SHEET_TABLE), EXIT_GOOD);
    assert_string_equal(asking.out, "TIME  SENSOR    INSTANCE  VALUE  UNIT  STATE\n"
                                    "-     cpu.busy  cpu2      12.5   %     valid\n"
                                    "-     cpu.busy  cpu10     3      %     valid\n"
                                    "-     cpu.busy  cpu2      100    %     valid\n");
    asking.command.count = 2;
    ASK(0, "cpu.busy", "cpu10");
    assert_int_equal(asking_run(&asking, watch_run, SHEET_TSV), EXIT_GOOD);
    assert_string_equal(asking.out, "time\tnode\tsensor\tinstance\tvalue\tunit\tstate\tage\n"
                                    "\t\tcpu.busy\tcpu10\t3\t%\tvalid\t1250\n"
                                    "\t\tcpu.busy\tcpu10\t3\t%\tvalid\t1250\n");
}

/* However fast the answers come. */
static void rounds_are_apart(void **state)
{
    (void)state;
    put_some();
    asking.command.count = 3;
    asking.command.interval_ms = 100;
    ASK(0, "cpu.busy", "cpu10");
    uint64_t began_ns = clock_mono_ns();
    assert_int_equal(asking_run(&asking, watch_run, SHEET_TSV), EXIT_GOOD);
    assert_true(clock_mono_ns() - began_ns >= 200 * NS_PER_MS);
}

static void nothing_to_watch(void **state)
{
    (void)state;
    ASK(0, "nothing");
    assert_int_equal(asking_run(&asking, watch_run, SHEET_TABLE), EXIT_USAGE);
    assert_string_equal(asking.said, "dcamp: no sensor and no aggregate is \"nothing\"\n");
}

static bool silent_for_a_round(struct agent_peer *agent)
{
    agent->status = agent->asked > 5 && agent->asked < 8 ? SNMP_ERR_GENERR : 0;
    return true;
}

/* What is silent for a while is asked again; who refuses is not. */
static void a_node_that_comes_back(void **state)
{
    (void)state;
    put_some();
    asking.agent.before = silent_for_a_round;
    asking.command.count = 6;
    ASK(0, "cpu.busy", "cpu2");
    assert_int_equal(asking_run(&asking, watch_run, SHEET_TSV), EXIT_GOOD);
    assert_non_null(strstr(asking.said, "genErr"));
    assert_non_null(strstr(asking.out, "cpu2"));
    asking.agent.before = NULL;
    asking.agent.status = SNMP_ERR_AUTHORIZATIONERROR;
    assert_int_equal(asking_run(&asking, watch_run, SHEET_TSV), EXIT_REFUSED);
}

static void when_rounds_begin(void **state)
{
    (void)state;
    assert_int_equal(watch_next(1000, 100, 1000), 1100);
    assert_int_equal(watch_next(1000, 100, 1099), 1100);
    assert_int_equal(watch_next(1000, 100, 1100), 1200);
    assert_int_equal(watch_next(1000, 100, 1555), 1600);
}

int main(void)
{
    const struct CMUnitTest tests[] = {ASKING_TEST(all_values),
                                       ASKING_TEST(chosen_values),
                                       ASKING_TEST(only_what_is_named_is_asked),
                                       ASKING_TEST(aggregates_and_children),
                                       cmocka_unit_test(the_very_name),
                                       ASKING_TEST(no_values),
                                       ASKING_TEST(values_that_go_meanwhile),
                                       ASKING_TEST(names_that_are_none),
                                       ASKING_TEST(no_dcampd),
                                       ASKING_TEST(rounds),
                                       ASKING_TEST(rounds_are_apart),
                                       ASKING_TEST(nothing_to_watch),
                                       ASKING_TEST(a_node_that_comes_back),
                                       cmocka_unit_test(when_rounds_begin)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
