/* Aggregates in a whole node: tables, dictionary, SET, and thresholds on them. */
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "manager.h"
#include "node.h"

static const char elements[] =
    "<sensors><sensor name=\"load\" metric=\"load.1\"/></sensors>\n"
    "<thresholds>"
    "<threshold name=\"much\" sensor=\"sum\" operator=\"gt\" limit=\"100\" clear=\"50\"/>"
    "<threshold name=\"top\" sensor=\"busiest\" operator=\"gt\" limit=\"70\"/>"
    "</thresholds>\n<credentials>"
    "<credential name=\"lab\" user=\"dcamp\" secrets=\"/nowhere\"/></credentials>\n"
    "<children>"
    "<child name=\"a\" address=\"udp:127.0.0.1:1161\" credential=\"lab\"/>"
    "<child name=\"b\" address=\"udp:127.0.0.1:1162\" credential=\"lab\"/>"
    "</children>\n<aggregates>"
    "<aggregate name=\"sum\" sensor=\"rx\" function=\"sum\" interval=\"1s\"/>"
    "<aggregate name=\"busiest\" sensor=\"rx\" function=\"top\" parameter=\"1\" interval=\"1s\"/>"
    "</aggregates>";

static int setup(void **state)
{
    *state = node_new(elements);
    node_cycle(*state, 0);
    return 0;
}

/* A child answers with one value of rx on eth0. */
static void says(struct node *node, const char *name, uint32_t boot, double value)
{
    struct children *children = &node->daemon->children;
    const struct child *child = children_find(children, name);
    struct report_ring *ring = ring_new(boot);
    ring_value(ring, 1, value);
    struct answer *answer = answer_new(child->id, boot);
    const struct report_block *block = (struct report_block *)index_first(&ring->index);
    answer_add(answer, block->sequence, block->bytes, block->len);
    children_message(children, &answer->head.head, node->now);
    struct message_series series = series_of(child, 1, "rx", "eth0");
    children_message(children, &series.head, node->now);
    free(answer);
    ring_free(ring);
}

static bool has_alarm(struct node *node, const char *key)
{
    return alarm_find(&node->daemon->alarms, key) != NULL;
}

static void tables(void **state)
{
    struct node *node = *state;
    says(node, "a", 1, 12.5);
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampAggregateValueText, "sum", "total", "12.5");
    assert_int_equal(number_at(node, MIB_dcampAggregateValueMilli, "sum", "total"), 12500);
    assert_int_equal(number_at(node, MIB_dcampAggregateValueState, "sum", "total"), RESULT_VALID);
    assert_cell_text(node, MIB_dcampAggregateValueUnit, "sum", "total", "tasks");
    assert_int_equal(number_at(node, MIB_dcampAggregateValueExpected, "sum", "total"), 2);
    assert_int_equal(number_at(node, MIB_dcampAggregateValueReporting, "sum", "total"), 1);
    assert_int_equal(number_at(node, MIB_dcampAggregateValueMissing, "sum", "total"), 1);
    assert_int_equal(number_at(node, MIB_dcampAggregateValueOldest, "sum", "total"), 1000);
    assert_int_equal(number_at(node, MIB_dcampAggregateValues, "sum", NULL), 1);
    assert_cell_text(node, MIB_dcampAggregateValueText, "busiest", "a/eth0", "12.5");
    node->now.mono_ns += 250 * NS_PER_MS;
    assert_int_equal(number_at(node, MIB_dcampAggregateValueAge, "sum", "total"), 250);
    node->now.mono_ns -= 250 * NS_PER_MS;
    says(node, "a", 2, NONE);
    node_cycle(node, 1000);
    assert_false(node_has(node, MIB_dcampAggregateValueText, "sum", "total"));
    assert_false(node_has(node, MIB_dcampAggregateValueMilli, "sum", "total"));
    assert_false(node_has(node, MIB_dcampAggregateValueOldest, "sum", "total"));
    assert_int_equal(number_at(node, MIB_dcampAggregateValueState, "sum", "total"),
                     RESULT_UNAVAILABLE);
    assert_int_equal(number_at(node, MIB_dcampAggregateValues, "busiest", NULL), 0);
}

/* The cell of the dictionary for a number. */
static void assert_entry(struct node *node, enum mib_object object, uint32_t number,
                         const char *expected)
{
    struct mib_oid oid = {.len = mib_objects[object].oid_len};
    struct mib_value value;
    memcpy(oid.id, mib_objects[object].oid, oid.len * sizeof *oid.id);
    oid.id[oid.len++] = number;
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, strlen(expected));
    if (value.octets.len)
        assert_memory_equal(value.octets.at, expected, value.octets.len);
}

static void dictionary(void **state)
{
    struct node *node = *state;
    says(node, "a", 1, 1);
    node_cycle(node, 1000);
    uint32_t sum = (uint32_t)number_at(node, MIB_dcampAggregateValueSeries, "sum", "total");
    uint32_t load = (uint32_t)number_at(node, MIB_dcampValueSeries, "load", "total");
    assert_int_not_equal(sum, load);
    assert_entry(node, MIB_dcampSeriesSensor, sum, "sum");
    assert_entry(node, MIB_dcampSeriesInstance, sum, "total");
    assert_entry(node, MIB_dcampSeriesMetric, sum, "aggregate");
    assert_entry(node, MIB_dcampSeriesUnit, sum, "tasks");
    assert_entry(node, MIB_dcampSeriesSensor, load, "load");
    assert_entry(node, MIB_dcampSeriesMetric, load, "load.1");
}

static void made_by_set(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {
        {MIB_dcampAggregateRowStatus, "new", dcampAggregateRowStatus_createAndGo, NULL},
        {MIB_dcampAggregateSensor, "new", 0, "rx"},
        {MIB_dcampAggregateFunction, "new", dcampAggregateFunction_percentile, NULL},
        {MIB_dcampAggregateBy, "new", dcampAggregateBy_child, NULL},
        {MIB_dcampAggregateParameter, "new", 0, "95"}};
    assert_int_equal(node_set(node, binds, N_OF(binds) - 1), SET_INCONSISTENT_VALUE);
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    says(node, "b", 1, 7);
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampAggregateValueText, "new", "b", "7");
    assert_int_equal(number_at(node, MIB_dcampAggregateValues, "new", NULL), 2);
    node_set_one(node, MIB_dcampAggregateFunction, "sum", dcampAggregateFunction_count, NULL);
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampAggregateValueText, "sum", "total", "1");
    node_set_one(node, MIB_dcampAggregateRowStatus, "new", dcampAggregateRowStatus_destroy, NULL);
    node_cycle(node, 1000);
    assert_false(node_has(node, MIB_dcampAggregateValueState, "new", "b"));
}

/* A sensor that takes the name of an aggregate. */
static void named_like_a_sensor(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {
        {MIB_dcampSensorRowStatus, "sum", dcampSensorRowStatus_createAndGo, NULL},
        {MIB_dcampSensorMetric, "sum", 0, "load.5"}};
    assert_true(node_has(node, MIB_dcampAggregateValueState, "sum", "total"));
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    node_cycle(node, 1000);
    assert_false(node_has(node, MIB_dcampAggregateValueState, "sum", "total"));
    assert_int_equal(number_at(node, MIB_dcampAggregateValues, "sum", NULL), 0);
    node_set_one(node, MIB_dcampSensorRowStatus, "sum", dcampSensorRowStatus_destroy, NULL);
    node_cycle(node, 1000);
    assert_true(node_has(node, MIB_dcampAggregateValueState, "sum", "total"));
}

static void alarms(void **state)
{
    struct node *node = *state;
    static const struct {
        double a, b;
        bool much, top_a, top_b;
    } steps[] = {{60, 30, false, false, false},
                 {60, 45, true, false, false},
                 {20, 75, true, false, true},
                 {71, 20, true, true, false},
                 {10, 20, false, false, false}};
    char top_a[ALARM_KEY_SIZE], top_b[ALARM_KEY_SIZE];
    alarm_key(top_a, "lap", "top", "a/eth0");
    alarm_key(top_b, "lap", "top", "b/eth0");
    for (size_t i = 0; i < N_OF(steps); i++) {
        says(node, "a", (uint32_t)i + 1, steps[i].a);
        says(node, "b", (uint32_t)i + 1, steps[i].b);
        node_cycle(node, 1000);
        assert_int_equal(has_alarm(node, "lap:much:total"), steps[i].much);
        assert_int_equal(has_alarm(node, top_a), steps[i].top_a);
        assert_int_equal(has_alarm(node, top_b), steps[i].top_b);
    }
}

/* An alarm outlives a restart: the children have yet to tell what they have. */
static void alarms_after_a_restart(void **state)
{
    struct node *node = *state;
    says(node, "a", 1, 600);
    node_cycle(node, 1000);
    assert_true(has_alarm(node, "lap:much:total"));
    assert_int_equal(node->daemon->alarms.active.count, 2);
    node_start_again(node);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->alarms.active.count, 2);
    says(node, "a", 1, 500);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->alarms.active.count, 2);
    says(node, "a", 2, 5);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->alarms.active.count, 0);
}

/* What does not come again is cleared once there was time for it. */
static void alarms_that_do_not_come_again(void **state)
{
    struct node *node = *state;
    says(node, "a", 1, 600);
    node_cycle(node, 1000);
    node_start_again(node);
    node_cycle(node, 1000);
    assert_int_equal(node->daemon->alarms.active.count, 2);
    node_cycle(node, 200000);
    assert_true(has_alarm(node, "lap:much:total")); /* without a value it stays as it was */
    assert_int_equal(node->daemon->alarms.active.count, 1);
}

static void a_threshold_that_comes_later(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {
        {MIB_dcampThresholdRowStatus, "later", dcampThresholdRowStatus_createAndGo, NULL},
        {MIB_dcampThresholdSensor, "later", 0, "sum"},
        {MIB_dcampThresholdOperator, "later", dcampThresholdOperator_lt, NULL},
        {MIB_dcampThresholdLimit, "later", 0, "100"}};
    says(node, "a", 1, 60);
    node_cycle(node, 1000);
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    node_cycle(node, 1000);
    assert_true(has_alarm(node, "lap:later:total"));
    assert_cell_text(node, MIB_dcampAggregateValueText, "sum", "total", "60");
    node_set_one(node, MIB_dcampAggregateRowStatus, "sum", dcampAggregateRowStatus_notInService,
                 NULL);
    node_cycle(node, 1000);
    assert_false(has_alarm(node, "lap:later:total"));
}

#define test(name) cmocka_unit_test_setup_teardown(name, setup, node_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(tables),
        test(dictionary),
        test(made_by_set),
        test(named_like_a_sensor),
        test(alarms),
        test(alarms_after_a_restart),
        test(alarms_that_do_not_come_again),
        test(a_threshold_that_comes_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
