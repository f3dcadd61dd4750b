/* Why a SET was refused, and why a row that was accepted does not work: in the words of
 * dcampd --check-config. */
#include <string.h>

#include "manager.h"
#include "node.h"

static const char elements[] =
    "<sensors><sensor name=\"load\" metric=\"load.1\"/>"
    "<sensor name=\"used\" metric=\"mem.used\"/></sensors>\n"
    "<filters><filter name=\"default\"/></filters>\n"
    "<thresholds><threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"90\"/>"
    "</thresholds>";

static int setup(void **state)
{
    struct node *node = node_new(elements);
    *state = node;
    node_load(node, "0.50");
    tree_write(&node->tree, "/proc/meminfo",
               "MemTotal: 16284412 kB\nMemFree: 0 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
    node_cycle(node, 0);
    return 0;
}

#define errors_test(test) cmocka_unit_test_setup_teardown(test, setup, node_teardown)

/* -- Refused --------------------------------------------------------------------------------- */

enum { ACTIVE = 1, CREATE_AND_GO = 4, DESTROY = 6 };

#define A_DURATION                                                                                 \
    "on-demand or a duration from 100ms to 1d; write for example \"500ms\", \"10s\" or \"5m\""

static const struct {
    struct bind binds[4];
    const char *text;
} refused[] = {
    {{{MIB_dcampThresholdLimit, "high", 0, "many"}},
     "dcampThresholdLimit.\"high\": wrongValue: limit=\"many\" is not a decimal number; write for "
     "example \"90\" or \"-0.5\""},
    {{{MIB_dcampSensorMetric, "load", 0, "cpu.bsy"}},
     "dcampSensorMetric.\"load\": wrongValue: metric=\"cpu.bsy\" is not a metric; did you mean "
     "\"cpu.busy\"?"},
    {{{MIB_dcampThresholdClear, "high", 0, "95"}},
     "dcampThresholdClear.\"high\": inconsistentValue: clear is above the limit of a gt or ge "
     "rule"},
    {{{MIB_dcampThresholdLimit, "new", 0, "5"}},
     "dcampThresholdLimit.\"new\": inconsistentName: there is no such row; createAndGo or "
     "createAndWait makes it"},
    {{{MIB_dcampThresholdRowStatus, "new", CREATE_AND_GO, NULL},
      {MIB_dcampThresholdOperator, "new", 1, NULL},
      {MIB_dcampThresholdLimit, "new", 0, "5"}},
     "dcampThresholdRowStatus.\"new\": inconsistentValue: sensor is missing; it must be a name of "
     "1 to 32 of A-Z a-z 0-9 . _ -"},
    {{{MIB_dcampThresholdRowStatus, "high", CREATE_AND_GO, NULL}},
     "dcampThresholdRowStatus.\"high\": inconsistentValue: the row is there already"},
    {{{MIB_dcampThresholdRowStatus, "high", DESTROY, NULL}},
     "dcampThresholdRowStatus.\"high\": inconsistentValue: the row is one of the file, and only "
     "the "
     "file can remove it; notInService pauses it"},
    {{{MIB_dcampSensorExpression, "new", 0, "load + used"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     "dcampSensorRowStatus.\"new\": inconsistentValue: expression, column 6: *"},
    {{{MIB_dcampSensorExpression, "new", 0, "load +"}},
     "dcampSensorExpression.\"new\": wrongValue: expression, column *"},
    {{{MIB_dcampNodeName, NULL, 0, "other"}},
     "dcampNodeName.0: notWritable: no object that can be written"},
};

static void assert_text(const char *is, const char *expected)
{
    size_t len = strlen(expected);
    if (len > 0 && expected[len - 1] == '*')
        assert_memory_equal(is, expected, len - 1);
    else
        assert_string_equal(is, expected);
}

static void assert_set_error_time(struct node *node)
{
    struct mib_oid cell = cell_of(MIB_dcampSelfSetErrorTime, NULL, NULL);
    struct mib_value is, expected;
    assert_int_equal(node_get(node, &cell, &is), ENGINE_OK);
    assert_true(give_date(&expected, node->now.wall_ms));
    assert_memory_equal(is.octets.at, expected.octets.at, expected.octets.len);
}

static void refusals(void **state)
{
    struct node *node = *state;
    char text[MESSAGE_SIZE];
    assert_cell_text(node, MIB_dcampSelfSetError, NULL, NULL, "");
    assert_false(node_has(node, MIB_dcampSelfSetErrorTime, NULL, NULL));
    for (size_t i = 0; i < N_OF(refused); i++) {
        size_t n = 0;
        while (n < N_OF(refused[i].binds) && refused[i].binds[n].object)
            n++;
        assert_int_not_equal(node_set(node, refused[i].binds, n), SET_OK);
        assert_text(text_at(node, MIB_dcampSelfSetError, NULL, NULL, text), refused[i].text);
        assert_set_error_time(node);
        node_cycle(node, 100);
    }
    /* What is taken does not wipe it out. */
    node_set_one(node, MIB_dcampThresholdLimit, "high", 0, "91");
    assert_text(text_at(node, MIB_dcampSelfSetError, NULL, NULL, text),
                refused[N_OF(refused) - 1].text);
}

static void wrong_number_type_and_name(void **state)
{
    struct node *node = *state;
    struct pdu pdu = {.n = 0};
    size_t index;
    struct bind bind = {MIB_dcampSensorInterval, "load", 99, NULL};
    assert_int_equal(node_set(node, &bind, 1), SET_WRONG_VALUE);
    assert_cell_text(
        node, MIB_dcampSelfSetError, NULL, NULL,
        "dcampSensorInterval.\"load\": wrongValue: interval=\"99\" is not " A_DURATION);
    pdu_add(&pdu, &bind)->syntax = MIB_SYNTAX_INTEGER;
    assert_int_equal(pdu_set(node, &pdu, &index), SET_WRONG_TYPE);
    assert_cell_text(node, MIB_dcampSelfSetError, NULL, NULL,
                     "dcampSensorInterval.\"load\": wrongType: the value is of another type than "
                     "the MIB says");
    bind = (struct bind){MIB_dcampSensorRowStatus, "a b", CREATE_AND_GO, NULL};
    assert_int_equal(node_set(node, &bind, 1), SET_NO_CREATION);
    assert_cell_text(node, MIB_dcampSelfSetError, NULL, NULL,
                     "dcampSensorRowStatus.3.97.32.98: noCreation: no row can have that name; it "
                     "must be a name of 1 to 32 of A-Z a-z 0-9 . _ -");
}

/* -- Accepted -------------------------------------------------------------------------------- */

static const struct {
    struct bind binds[5];
    enum mib_object error;
    const char *text;
} accepted[] = {
    {{{MIB_dcampThresholdSensor, "new", 0, "laod"},
      {MIB_dcampThresholdOperator, "new", 1, NULL},
      {MIB_dcampThresholdLimit, "new", 0, "5"},
      {MIB_dcampThresholdRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampThresholdError,
     "sensor=\"laod\" is not a sensor of this node; did you mean \"load\"?"},
    {{{MIB_dcampThresholdSensor, "new", 0, "load"},
      {MIB_dcampThresholdInstances, "new", 0, "eth*"},
      {MIB_dcampThresholdOperator, "new", 1, NULL},
      {MIB_dcampThresholdLimit, "new", 0, "5"},
      {MIB_dcampThresholdRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampThresholdError,
     "instances=\"eth*\" matches no series of sensor=\"load\""},
    {{{MIB_dcampThresholdSensor, "new", 0, "load"},
      {MIB_dcampThresholdOperator, "new", 1, NULL},
      {MIB_dcampThresholdLimit, "new", 0, "5"},
      {MIB_dcampThresholdChildren, "new", 0, "web*"},
      {MIB_dcampThresholdRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampThresholdError,
     "children=\"web*\" groups=\"\" matches no child"},
    {{{MIB_dcampSensorMetric, "new", 0, "load.5"},
      {MIB_dcampSensorFilter, "new", 0, "defualt"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     "filter=\"defualt\" is not a filter of this node; did you mean \"default\"?"},
    {{{MIB_dcampSensorExpression, "new", 0, "2 * usde"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     "expression, column 5: *"},
    {{{MIB_dcampSensorMetric, "new", 0, "net.rx.bytes"},
      {MIB_dcampSensorInstances, "new", 0, "nosuch*"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     "instances=\"nosuch*\" matches nothing that is there"},
    {{{MIB_dcampSensorMetric, "new", 0, "mem.cached"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     "nothing of instances=\"*\" is there at present"},
    {{{MIB_dcampSensorMetric, "new", 0, "swap.used"},
      {MIB_dcampSensorCalculation, "new", CALC_PERCENT, NULL},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     "it is a share of what this machine has none of, as of swap space: the whole is 0"},
    {{{MIB_dcampSensorMetric, "new", 0, "proc.cpu"},
      {MIB_dcampSensorInstances, "new", 0, "ngnix"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     "no process: nothing of instances=\"ngnix\" has run since dcampd began to look"},
    {{{MIB_dcampSensorMetric, "new", 0, "proc.count"},
      {MIB_dcampSensorInstances, "new", 0, "ngnix"},
      {MIB_dcampSensorRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampSensorError,
     ""},
    {{{MIB_dcampAggregateSensor, "load", 0, "cpu"},
      {MIB_dcampAggregateFunction, "load", AGGREGATE_SUM, NULL},
      {MIB_dcampAggregateRowStatus, "load", CREATE_AND_GO, NULL}},
     MIB_dcampAggregateError,
     "a sensor has the same name; give it another"},
    {{{MIB_dcampAggregateSensor, "new", 0, "cpu"},
      {MIB_dcampAggregateFunction, "new", AGGREGATE_SUM, NULL},
      {MIB_dcampAggregateRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampAggregateError,
     "no child that it is over reports instances=\"*\" of sensor=\"cpu\""},
    {{{MIB_dcampConditionThresholds, "new", 0, "hihg"},
      {MIB_dcampConditionRowStatus, "new", CREATE_AND_GO, NULL}},
     MIB_dcampConditionError,
     "thresholds=\"hihg\" matches no threshold of this node; did you mean \"high\"?"},
};

static void rows_that_do_not_work(void **state)
{
    struct node *node = *state;
    for (size_t i = 0; i < N_OF(accepted); i++) {
        const struct bind *binds = accepted[i].binds;
        char text[MESSAGE_SIZE];
        size_t n = 0;
        while (n < N_OF(accepted[i].binds) && binds[n].object)
            n++;
        assert_int_equal(node_set(node, binds, n), SET_OK);
        node_cycle(node, 1000);
        node_cycle(node, 1000);
        text_at(node, accepted[i].error, binds[0].name, NULL, text);
        assert_text(text, accepted[i].text);
        node_set_one(node, binds[n - 1].object, binds[0].name, 2 /* notInService */, NULL);
        assert_cell_text(node, accepted[i].error, binds[0].name, NULL, "");
        node_set_one(node, binds[n - 1].object, binds[0].name, DESTROY, NULL);
    }
}

static void rows_that_work(void **state)
{
    struct node *node = *state;
    assert_cell_text(node, MIB_dcampSensorError, "load", NULL, "");
    assert_cell_text(node, MIB_dcampThresholdError, "high", NULL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        errors_test(refusals),
        errors_test(wrong_number_type_and_name),
        errors_test(rows_that_do_not_work),
        errors_test(rows_that_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
