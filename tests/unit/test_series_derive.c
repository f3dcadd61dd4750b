/* Derived sensors: their instances, values, states and units; what a SET may make of them. */
#include <stdio.h>
#include <string.h>

#include "captured.h"
#include "manager.h"
#include "node.h"

static const char elements[] =
    "<sensors>"
    "<sensor name=\"a.sum\" expression=\"rx + tx\"/>" /* before those that it derives from */
    "<sensor name=\"share\" expression=\"100% * rx / a.sum\"/>"
    "<sensor name=\"rx\" metric=\"net.rx.bytes\" instances=\"eth*\"/>"
    "<sensor name=\"tx\" metric=\"net.tx.bytes\"/>"
    "<sensor name=\"load\" metric=\"load.1\"/>"
    "<sensor name=\"mixed\" expression=\"rx / load\"/>"
    "<sensor name=\"few\" expression=\"tx * 2\" instances=\"lo\"/>"
    "<sensor name=\"three\" expression=\"3\"/>"
    "<sensor name=\"rate\" metric=\"net.rx.bytes\" instances=\"eth0\" calculation=\"rate\"/>"
    "<sensor name=\"double\" expression=\"2 * rate\"/>"
    "<sensor name=\"per\" expression=\"load / rate\"/>"
    "</sensors>";

static int node_setup(void **state)
{
    struct node *node = node_new(elements);
    node_load(node, "4.00");
    node_network(node, (const struct interface[]){{"lo", 7}, {"eth0", 100}, {"eth1", 300}}, 3);
    *state = node;
    return 0;
}

static struct series *series_of(struct node *node, const char *sensor, const char *instance)
{
    return measure_series(&node->daemon->measure, sensor, instance);
}

static size_t count_of(struct node *node, const char *sensor)
{
    return (size_t)number_at(node, MIB_dcampSensorSeries, sensor, NULL);
}

static int64_t state_of(struct node *node, const char *sensor, const char *instance)
{
    return number_at(node, MIB_dcampValueState, sensor, instance);
}

static enum set_error create(struct node *node, const char *name, const char *expression)
{
    const struct bind binds[] = {
        {MIB_dcampSensorExpression, name, 0, expression},
        {MIB_dcampSensorRowStatus, name, 4, NULL},
    };
    return node_set(node, binds, N_OF(binds));
}

/* All in the first pass, in whatever order the rows came. */
static void values_of_one_pass(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_cell_text(node, MIB_dcampValueText, "a.sum", "eth0", "100");
    assert_cell_text(node, MIB_dcampValueText, "a.sum", "eth1", "300");
    assert_cell_text(node, MIB_dcampValueText, "share", "eth1", "100");
    assert_cell_text(node, MIB_dcampValueText, "mixed", "eth1", "75");
    assert_cell_text(node, MIB_dcampValueText, "three", "total", "3");
    assert_cell_text(node, MIB_dcampValueText, "few", "lo", "0");
}

static void instances_are_those_of_all_inputs(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_int_equal(count_of(node, "a.sum"), 2); /* lo is not in rx */
    assert_int_equal(count_of(node, "mixed"), 2); /* with the load of the whole machine */
    assert_int_equal(count_of(node, "few"), 1);
    assert_null(series_of(node, "mixed", "total"));
    node_network(node, (const struct interface[]){{"lo", 7}, {"eth1", 300}, {"eth2", 5}}, 3);
    node_cycle(node, 1000);
    assert_null(series_of(node, "share", "eth0"));
    assert_non_null(series_of(node, "share", "eth1"));
    assert_non_null(series_of(node, "share", "eth2"));
    assert_int_equal(count_of(node, "share"), 2);
}

/* Of the CPUs, "total" is one instance of several, and stands for none of the others. */
static void total_of_several_instances(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    static const char *const rows[][3] = {{"busy", "cpu.busy", "*"},
                                          {"some", "cpu.user", "0 total"}};
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct bind binds[] = {{MIB_dcampSensorMetric, rows[i][0], 0, rows[i][1]},
                                     {MIB_dcampSensorInstances, rows[i][0], 0, rows[i][2]},
                                     {MIB_dcampSensorRowStatus, rows[i][0], 4, NULL}};
        assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    }
    assert_int_equal(create(node, "part", "some / busy"), SET_OK);
    assert_int_equal(create(node, "per.busy", "rx / busy"), SET_OK);
    node_cycle(node, 1000);
    assert_true(count_of(node, "busy") > 2);
    assert_non_null(series_of(node, "part", "total"));
    assert_non_null(series_of(node, "part", "0"));
    assert_null(series_of(node, "part", "1"));
    assert_int_equal(count_of(node, "per.busy"), 0);
}

static void units_follow(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    static const char *const units[][2] = {
        {"a.sum", "B"}, {"share", "%"}, {"mixed", "B/tasks"}, {"three", ""}, {"double", "B/s"}};
    for (size_t i = 0; i < N_OF(units); i++)
        assert_cell_text(node, MIB_dcampSensorUnit, units[i][0], NULL, units[i][1]);
    assert_cell_text(node, MIB_dcampValueUnit, "mixed", "eth0", "B/tasks");
    assert_cell_text(node, MIB_dcampSensorMetric, "mixed", NULL, "");
    assert_false(node_has(node, MIB_dcampValueRaw, "mixed", "eth0"));
    assert_int_equal(number_at(node, MIB_dcampSensorKind, "mixed", NULL), dcampSensorKind_gauge);
}

/* No number comes of dividing by zero, or of what is not there. */
static void states_without_a_value(void **state)
{
    struct node *node = *state;
    node_load(node, "0.00");
    node_cycle(node, 0);
    assert_int_equal(state_of(node, "mixed", "eth0"), RESULT_UNAVAILABLE);
    assert_false(node_has(node, MIB_dcampValueText, "mixed", "eth0"));
    assert_int_equal(state_of(node, "double", "eth0"), RESULT_WAITING);
    assert_int_equal(state_of(node, "per", "eth0"), RESULT_WAITING);
    node_network(node, (const struct interface[]){{"lo", 7}, {"eth0", 150}, {"eth1", 300}}, 3);
    node_load(node, "1.00");
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "mixed", "eth0", "150");
    assert_cell_text(node, MIB_dcampValueText, "double", "eth0", "100");
    node_network(node, (const struct interface[]){{"lo", 7}, {"eth0", 1}, {"eth1", 300}}, 3);
    node_cycle(node, 1000);
    assert_int_equal(state_of(node, "double", "eth0"), RESULT_GAP);
    assert_int_equal(state_of(node, "per", "eth0"), RESULT_GAP);
    tree_write(&node->tree, "/proc/loadavg", "");
    node_cycle(node, 1000);
    assert_int_equal(state_of(node, "mixed", "eth0"), RESULT_UNAVAILABLE);
    assert_int_equal(state_of(node, "a.sum", "eth0"), RESULT_VALID);
}

static void input_that_is_paused(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_set_one(node, MIB_dcampSensorRowStatus, "tx", ROW_NOT_IN_SERVICE, NULL);
    node_cycle(node, 1000);
    assert_int_equal(count_of(node, "a.sum"), 0);
    assert_int_equal(count_of(node, "share"), 0); /* derived from what is derived */
    assert_int_equal(number_at(node, MIB_dcampSensorState, "share", NULL),
                     dcampSensorState_unavailable);
    assert_int_equal(count_of(node, "mixed"), 2);
    node_set_one(node, MIB_dcampSensorRowStatus, "tx", ROW_ACTIVE, NULL);
    node_cycle(node, 1000);
    assert_int_equal(count_of(node, "share"), 2);
    assert_cell_text(node, MIB_dcampValueText, "share", "eth1", "100");
}

/* A sensor that begins anew under one that derives from it. */
static void input_that_changes(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_set_one(node, MIB_dcampSensorMetric, "load", 0, "load.tasks");
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueUnit, "mixed", "eth0", "B/tasks");
    node_set_one(node, MIB_dcampSensorMetric, "load", 0, "mem.total");
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueUnit, "mixed", "eth0", "");
    node_set_one(node, MIB_dcampSensorMetric, "tx", 0, "net.tx.packets"); /* B + packets */
    node_cycle(node, 1000);
    assert_int_equal(count_of(node, "a.sum"), 0);
    assert_int_equal(number_at(node, MIB_dcampSensorState, "a.sum", NULL),
                     dcampSensorState_unavailable);
}

/* What was computed before has another unit: it is not in one window with what comes now, nor in
 * one entry of the dictionary. A sensor that is due much later does not show it either. */
static void unit_that_changes(void **state)
{
    struct node *node = *state;
    const struct bind slow[] = {{MIB_dcampSensorExpression, "slow", 0, "load * 2"},
                                {MIB_dcampSensorInterval, "slow", 60000, NULL},
                                {MIB_dcampSensorRowStatus, "slow", 4, NULL}};
    assert_int_equal(node_set(node, slow, N_OF(slow)), SET_OK);
    assert_int_equal(create(node, "fast", "load * 2"), SET_OK);
    node_cycle(node, 0);
    node_cycle(node, 1000);
    uint32_t number = series_of(node, "fast", "total")->entry.number;
    assert_cell_text(node, MIB_dcampValueUnit, "slow", "total", "tasks");
    node_set_one(node, MIB_dcampSensorMetric, "load", 0, "mem.total");
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueUnit, "fast", "total", "B");
    assert_int_not_equal(series_of(node, "fast", "total")->entry.number, number);
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "fast", "total"), 1);
    assert_null(series_of(node, "slow", "total")); /* no 8 B */
    node_cycle(node, 58000);
    assert_cell_text(node, MIB_dcampValueUnit, "slow", "total", "B");
}

/* A pass over derived sensors alone is a pass: it may be late like any other. */
static void passes_are_counted(void **state)
{
    struct node *node = *state;
    const struct bind often[] = {{MIB_dcampSensorExpression, "often", 0, "load"},
                                 {MIB_dcampSensorInterval, "often", 100, NULL},
                                 {MIB_dcampSensorRowStatus, "often", 4, NULL}};
    assert_int_equal(node_set(node, often, N_OF(often)), SET_OK);
    node_cycle(node, 0);
    for (int i = 0; i < 10; i++)
        node_cycle(node, 100);
    assert_int_equal(number_at(node, MIB_dcampSelfCycles, NULL, NULL), 11);
    node_cycle(node, 50);
    assert_int_equal(number_at(node, MIB_dcampSelfCycles, NULL, NULL), 11);
}

/* -- SET ------------------------------------------------------------------------------------- */

static void created_over_snmp(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_int_equal(create(node, "mine", "max(rx, tx) / 1000"), SET_OK);
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "mine", "eth1", "0.3");
    node_start_again(node);
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampSensorExpression, "mine", NULL, "max(rx, tx) / 1000");
    assert_cell_text(node, MIB_dcampValueText, "mine", "eth1", "0.3");
    node_set_one(node, MIB_dcampSensorRowStatus, "mine", 6, NULL);
    node_cycle(node, 1000);
    assert_null(series_of(node, "mine", "eth1"));
}

static const struct {
    const char *name, *expression;
    enum set_error error;
} refused[] = {
    {"m", "rx +", SET_WRONG_VALUE},
    {"m", "rx + (", SET_WRONG_VALUE},
    {"m", "rx; tx", SET_WRONG_VALUE},
    {"m", "m + 1", SET_INCONSISTENT_VALUE},
    {"rx", "a.sum", SET_INCONSISTENT_VALUE},    /* it is there */
    {"m", "rx + load", SET_INCONSISTENT_VALUE}, /* B and tasks */
    {"m", "share > load", SET_INCONSISTENT_VALUE},
};

static void what_cannot_be_is_refused(void **state)
{
    struct node *node = *state;
    for (size_t i = 0; i < N_OF(refused); i++) {
        enum set_error error = create(node, refused[i].name, refused[i].expression);
        if (error != refused[i].error)
            fail_msg("%s: %d", refused[i].expression, error);
        assert_int_equal(node_has(node, MIB_dcampSensorRowStatus, "m", NULL), 0);
    }
    /* Both, neither, a calculation. */
    const struct bind both[] = {{MIB_dcampSensorExpression, "rx", 0, "tx"}};
    assert_int_equal(node_set(node, both, 1), SET_INCONSISTENT_VALUE);
    const struct bind neither[] = {{MIB_dcampSensorExpression, "three", 0, ""}};
    assert_int_equal(node_set(node, neither, 1), SET_INCONSISTENT_VALUE);
    const struct bind calculation[] = {{MIB_dcampSensorCalculation, "three", CALC_RATE, NULL}};
    assert_int_equal(node_set(node, calculation, 1), SET_INCONSISTENT_VALUE);
    /* A cycle over rows that are there. */
    const struct bind cycle[] = {{MIB_dcampSensorMetric, "tx", 0, ""},
                                 {MIB_dcampSensorExpression, "tx", 0, "share / 2%"}};
    assert_int_equal(node_set(node, cycle, 2), SET_INCONSISTENT_VALUE);
    /* And over rows of one PDU. */
    const struct bind pair[] = {{MIB_dcampSensorExpression, "p", 0, "q"},
                                {MIB_dcampSensorRowStatus, "p", 4, NULL},
                                {MIB_dcampSensorExpression, "q", 0, "p"},
                                {MIB_dcampSensorRowStatus, "q", 4, NULL}};
    assert_int_equal(node_set(node, pair, 4), SET_INCONSISTENT_VALUE);
    node_cycle(node, 0);
    assert_cell_text(node, MIB_dcampValueText, "share", "eth1", "100");
}

/* Rows come in any order over SNMP. */
static void input_that_comes_later(void **state)
{
    struct node *node = *state;
    assert_int_equal(create(node, "early", "late * 2"), SET_OK);
    node_cycle(node, 0);
    assert_int_equal(number_at(node, MIB_dcampSensorState, "early", NULL),
                     dcampSensorState_unavailable);
    assert_int_equal(create(node, "late", "load + 1"), SET_OK);
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "early", "total", "10");
    assert_int_equal(number_at(node, MIB_dcampSensorState, "early", NULL),
                     dcampSensorState_sampling);
}

/* Once, and not at each change of the configuration. */
static void what_is_unavailable_is_said_once(void **state)
{
    struct node *node = *state;
    char text[CAPTURED_SIZE];
    node_cycle(node, 0);
    struct captured captured = captured_begin();
    node_set_one(node, MIB_dcampSensorMetric, "tx", 0, "net.tx.packets"); /* B + packets */
    for (int i = 0; i < 3; i++) {
        node_cycle(node, 1000);
        node_set_one(node, MIB_dcampSensorInterval, "load", 2000 + 1000 * i, NULL);
    }
    captured_end(&captured, text);
    const char *said = strstr(text, "sensor \"a.sum\" is unavailable: expression: ");
    assert_non_null(said);
    assert_null(strstr(said + 1, "sensor \"a.sum\" is unavailable"));
}

/* A threshold sees a derived value as any other. */
static void thresholds_watch_it(void **state)
{
    struct node *node = *state;
    const struct bind threshold[] = {{MIB_dcampThresholdSensor, "t", 0, "mixed"},
                                     {MIB_dcampThresholdOperator, "t", COMPARE_GT, NULL},
                                     {MIB_dcampThresholdLimit, "t", 0, "70"},
                                     {MIB_dcampThresholdRowStatus, "t", 4, NULL}};
    node_cycle(node, 0);
    assert_int_equal(node_set(node, threshold, N_OF(threshold)), SET_OK);
    node_cycle(node, 1000);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->alarms.active.count, 1);
}

/* A chain as deep as is allowed, given in the worst order, and one that is deeper. */
static void deep_chains(void **state)
{
    struct node *node = *state;
    char name[16], expression[32];
    for (int i = 1; i <= 33; i++) {
        snprintf(name, sizeof name, "c%d", 100 - i);
        if (i == 1)
            snprintf(expression, sizeof expression, "load");
        else
            snprintf(expression, sizeof expression, "c%d + load", 101 - i);
        assert_int_equal(create(node, name, expression), i <= 32 ? SET_OK : SET_INCONSISTENT_VALUE);
    }
    /* As deep, though each of its names leads only a few further than the one before. */
    assert_int_equal(create(node, "wide", "c90 + c80 + c70 + c69"), SET_OK);
    assert_int_equal(create(node, "deep", "c90 + c80 + c70 + c68"), SET_INCONSISTENT_VALUE);
    node_cycle(node, 0);
    assert_cell_text(node, MIB_dcampValueText, "c68", "total", "128");
    assert_cell_text(node, MIB_dcampValueText, "wide", "total", "364");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(values_of_one_pass),
        node_test(instances_are_those_of_all_inputs),
        node_test(total_of_several_instances),
        node_test(units_follow),
        node_test(states_without_a_value),
        node_test(input_that_is_paused),
        node_test(input_that_changes),
        node_test(unit_that_changes),
        node_test(passes_are_counted),
        node_test(created_over_snmp),
        node_test(what_cannot_be_is_refused),
        node_test(input_that_comes_later),
        node_test(thresholds_watch_it),
        node_test(what_is_unavailable_is_said_once),
        node_test(deep_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
