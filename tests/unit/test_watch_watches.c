/* Thresholds on series: alarms are raised once and cleared once, whatever happens to the
 * threshold, the sensor and the instance. */
#include <stdio.h>
#include <string.h>

#include "events.h"

static const char elements[] =
    "<alarms rate=\"1000\" per=\"1s\" queue=\"1000\"/>\n<sensors>"
    "<sensor name=\"load\" metric=\"load.1\"/>"
    "<sensor name=\"load.b\" metric=\"load.1\"/>"
    "<sensor name=\"rx\" metric=\"net.rx.bytes\"/>"
    "<sensor name=\"rx.rate\" metric=\"net.rx.bytes\" calculation=\"rate\"/>"
    "</sensors>\n<thresholds>"
    "<threshold name=\"high\" sensor=\"load\" operator=\"gt\" limit=\"5\" clear=\"3\"/>"
    "<threshold name=\"long\" sensor=\"load\" operator=\"ge\" limit=\"5\" duration=\"3s\"/>"
    "<threshold name=\"low\" sensor=\"load\" operator=\"lt\" limit=\"0.1\" severity=\"info\"/>"
    "<threshold name=\"some\" sensor=\"load\" operator=\"gt\" limit=\"5\" match=\"2\" "
    "window=\"4\"/>"
    "<threshold name=\"rx\" sensor=\"rx\" instances=\"eth* wlan*\" operator=\"gt\" limit=\"1000\"/>"
    "<threshold name=\"rate\" sensor=\"rx.rate\" operator=\"gt\" limit=\"1000\"/>"
    "</thresholds>";

static int node_setup(void **state)
{
    struct node *node = node_new(elements);
    *state = node;
    node_load(node, "1.00");
    node_network(node, (const struct interface[]){{"lo", 1}, {"eth0", 1}, {"wlan0", 1}}, 3);
    return 0;
}

static void load_cycle(struct node *node, const char *load)
{
    node_load(node, load);
    node_cycle(node, 1000);
}

static void network_cycle(struct node *node, uint64_t eth0, uint64_t wlan0)
{
    const struct interface interfaces[] = {{"lo", 9000}, {"eth0", eth0}, {"wlan0", wlan0}};
    node_network(node, interfaces, 3);
    node_cycle(node, 1000);
}

/* -- Raise and clear -------------------------------------------------------------------------- */

static void one_raise_and_one_clear(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_int_equal(phase_of(node, "high", "total"), PHASE_CLEAR);
    static const struct {
        const char *load;
        size_t raised, cleared;
    } steps[] = {{"5.00", 0, 0}, {"5.01", 1, 0}, {"9.00", 1, 0}, {"4.00", 1, 0}, {"5.50", 1, 0},
                 {"3.01", 1, 0}, {"3.00", 1, 1}, {"4.99", 1, 1}, {"5.01", 2, 1}, {"0.50", 2, 2}};
    for (size_t i = 0; i < N_OF(steps); i++) {
        load_cycle(node, steps[i].load);
        assert_events(node, "lap:high:total", steps[i].raised, steps[i].cleared);
        assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "high", NULL),
                         steps[i].raised - steps[i].cleared);
    }
}

static void facts_of_an_alarm(void **state)
{
    struct node *node = *state;
    node_set_one(node, MIB_dcampThresholdDescription, "high", 0, "Too much work");
    node_cycle(node, 0);
    load_cycle(node, "7.25");
    const struct alarm *alarm = active_alarm(node, "lap:high:total");
    assert_non_null(alarm);
    int64_t raised_ms = node->now.wall_ms;
    assert_string_equal(alarm->facts.node, "lap");
    assert_string_equal(alarm->facts.threshold, "high");
    assert_string_equal(alarm->facts.sensor, "load");
    assert_string_equal(alarm->facts.instance, "total");
    assert_string_equal(alarm->facts.value, "7.25");
    assert_string_equal(alarm->facts.limit, "> 5");
    assert_string_equal(alarm->facts.message,
                        "Too much work: load on total is 7.25 tasks (limit > 5)");
    assert_int_equal(alarm->facts.severity, SEVERITY_WARNING);
    assert_int_equal(alarm->facts.since_ms, raised_ms);
    load_cycle(node, "1.00");
    const struct alarm_entry *entry = last_event(node);
    assert_int_equal(entry->facts.event, ALARM_CLEARED);
    assert_int_equal(entry->wall_ms, raised_ms + 1000);
    assert_int_equal(entry->facts.since_ms, raised_ms);
    assert_int_equal(entry->facts.severity, SEVERITY_CLEAR);
    assert_string_equal(entry->facts.value, "1");
}

static void durations_and_windows(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    static const struct {
        const char *load;
        enum threshold_phase lasting, some;
        int breaches;
    } steps[] = {{"5.00", PHASE_PENDING, PHASE_CLEAR, 0},  {"6.00", PHASE_PENDING, PHASE_CLEAR, 1},
                 {"1.00", PHASE_CLEAR, PHASE_CLEAR, 1},    {"6.00", PHASE_PENDING, PHASE_RAISED, 2},
                 {"6.00", PHASE_PENDING, PHASE_RAISED, 3}, {"6.00", PHASE_PENDING, PHASE_RAISED, 3},
                 {"6.00", PHASE_RAISED, PHASE_RAISED, 4},  {"1.00", PHASE_CLEAR, PHASE_RAISED, 3},
                 {"1.00", PHASE_CLEAR, PHASE_RAISED, 2},   {"1.00", PHASE_CLEAR, PHASE_CLEAR, 1}};
    for (size_t i = 0; i < N_OF(steps); i++) {
        load_cycle(node, steps[i].load);
        assert_int_equal(phase_of(node, "long", "total"), steps[i].lasting);
        assert_int_equal(phase_of(node, "some", "total"), steps[i].some);
        assert_int_equal(number_at(node, MIB_dcampThresholdStateBreaches, "some", "total"),
                         steps[i].breaches);
    }
    assert_events(node, "lap:long:total", 1, 1);
    assert_events(node, "lap:some:total", 1, 1);
}

static void every_instance_on_its_own(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    network_cycle(node, 2000, 1);
    network_cycle(node, 2000, 2000);
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), 2);
    network_cycle(node, 1, 2000);
    assert_events(node, "lap:rx:eth0", 1, 1);
    assert_events(node, "lap:rx:wlan0", 1, 0);
    assert_events(node, "lap:rx:lo", 0, 0); /* lo has 9000, but the pattern leaves it out */
    assert_false(node_has(node, MIB_dcampThresholdStatePhase, "rx", "lo"));
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), 1);
}

/* Without a value nothing is raised and nothing is cleared. */
static void values_that_are_missing(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    network_cycle(node, 5000, 5000); /* 4999 a second */
    assert_events(node, "lap:rate:eth0", 1, 0);
    network_cycle(node, 10, 5000); /* a gap */
    assert_int_equal(phase_of(node, "rate", "eth0"), PHASE_RAISED);
    tree_write(&node->tree, "/proc/net/dev", "");
    for (int i = 0; i < 3; i++)
        node_cycle(node, 1000);
    assert_events(node, "lap:rate:eth0", 1, 0);
    assert_events(node, "lap:rx:wlan0", 1, 0);
    network_cycle(node, 20, 5000); /* the first of two */
    assert_events(node, "lap:rate:eth0", 1, 0);
    network_cycle(node, 30, 5000);
    assert_events(node, "lap:rate:eth0", 1, 1);
}

/* -- What ends an alarm besides its value ------------------------------------------------------ */

static void assert_cleared(struct node *node, const char *key, const char *why)
{
    assert_events(node, key, 1, 1);
    for (struct index_node *i = index_first(&node->daemon->alarms.log); i; i = index_next(i)) {
        const struct alarm_entry *entry = (struct alarm_entry *)i;
        if (entry->facts.event != ALARM_CLEARED || strcmp(entry->facts.key, key) != 0)
            continue;
        /* Now, not when the last cycle was. */
        assert_int_equal(entry->wall_ms, node->now.wall_ms);
        if (!strstr(entry->facts.message, why))
            fail_msg("\"%s\" does not tell: %s", entry->facts.message, why);
    }
}

static void instance_that_is_unplugged(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    network_cycle(node, 2000, 2000);
    node_network(node, (const struct interface[]){{"lo", 1}, {"wlan0", 2000}}, 2);
    node_cycle(node, 1000);
    assert_cleared(node, "lap:rx:eth0", "the instance is gone");
    assert_cleared(node, "lap:rate:eth0", "the instance is gone"); /* of the sensor done first */
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "rx", NULL), 1);
    assert_false(node_has(node, MIB_dcampThresholdStatePhase, "rx", "eth0"));
    network_cycle(node, 2000, 2000);
    assert_events(node, "lap:rx:eth0", 2, 1);
}

static const struct {
    struct bind bind;
    const char *why; /* NULL: the alarm stays */
    bool again;      /* still breached, so that it is raised anew */
} changes[] = {
    {{MIB_dcampThresholdRowStatus, "high", 2, NULL}, "paused", false},
    {{MIB_dcampThresholdSensor, "high", 0, "load.b"}, "changed", true},
    {{MIB_dcampThresholdSensor, "high", 0, "nothing"}, "changed", false},
    {{MIB_dcampThresholdInstances, "high", 0, "tot*"}, "changed", true},
    {{MIB_dcampThresholdInstances, "high", 0, "!total *"}, "changed", false},
    {{MIB_dcampThresholdOperator, "high", COMPARE_GE, NULL}, "changed", true},
    {{MIB_dcampThresholdLimit, "high", 0, "6"}, "changed", true},
    {{MIB_dcampThresholdLimit, "high", 0, "60"}, "changed", false},
    {{MIB_dcampThresholdLimit, "high", 0, "5.0"}, NULL, false}, /* the same in other words */
    {{MIB_dcampThresholdClear, "high", 0, "4"}, "changed", true},
    {{MIB_dcampThresholdWindow, "high", 2, NULL}, "changed", true},
    {{MIB_dcampThresholdDuration, "high", 60000, NULL}, "changed", false},
    {{MIB_dcampThresholdSeverity, "high", SEVERITY_CRITICAL, NULL}, NULL, false},
    {{MIB_dcampThresholdDescription, "high", 0, "Other words"}, NULL, false},
    {{MIB_dcampThresholdRowStatus, "high", 1, NULL}, NULL, false},
    {{MIB_dcampSensorRowStatus, "load", 2, NULL}, "no longer active", false},
    {{MIB_dcampSensorInterval, "load", 500, NULL}, "the sensor was changed", true},
    {{MIB_dcampSensorMetric, "load", 0, "load.5"}, "the sensor was changed", false},
    {{MIB_dcampSensorFilter, "load", 0, "none"}, NULL, false},
};

/* Changed: the alarm is cleared and the threshold begins anew, with the next sample. */
static void changes_of_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(changes); i++) {
        void *own;
        node_setup(&own);
        struct node *node = own;
        node_cycle(node, 0);
        load_cycle(node, "9.00");
        assert_events(node, "lap:high:total", 1, 0);
        assert_int_equal(node_set(node, &changes[i].bind, 1), SET_OK);
        node_cycle(node, 10);
        if (changes[i].why && strncmp(changes[i].why, "the sensor", 10) != 0)
            assert_cleared(node, "lap:high:total", changes[i].why);
        load_cycle(node, "9.00");
        assert_events(node, "lap:high:total", 1 + changes[i].again, changes[i].why != NULL);
        node_free(node);
    }
}

static void destroyed_thresholds_and_sensors(void **state)
{
    struct node *node = *state;
    const struct bind make[] = {
        {MIB_dcampSensorRowStatus, "mine", 4, NULL},
        {MIB_dcampSensorMetric, "mine", 0, "load.1"},
        {MIB_dcampThresholdRowStatus, "t1", 4, NULL},
        {MIB_dcampThresholdSensor, "t1", 0, "mine"},
        {MIB_dcampThresholdOperator, "t1", COMPARE_GT, NULL},
        {MIB_dcampThresholdLimit, "t1", 0, "5"},
        {MIB_dcampThresholdRowStatus, "t2", 4, NULL},
        {MIB_dcampThresholdSensor, "t2", 0, "mine"},
        {MIB_dcampThresholdOperator, "t2", COMPARE_NE, NULL},
        {MIB_dcampThresholdLimit, "t2", 0, "5"},
    };
    node_load(node, "9.00");
    assert_int_equal(node_set(node, make, N_OF(make)), SET_OK);
    node_cycle(node, 0);
    assert_events(node, "lap:t1:total", 1, 0);
    node_set_one(node, MIB_dcampThresholdRowStatus, "t1", 6, NULL);
    node_cycle(node, 10);
    assert_cleared(node, "lap:t1:total", "removed");
    assert_events(node, "lap:t2:total", 1, 0);
    node_set_one(node, MIB_dcampSensorRowStatus, "mine", 6, NULL);
    node_cycle(node, 10);
    assert_cleared(node, "lap:t2:total", "no longer active");
    /* The threshold waits for a sensor of that name. */
    assert_int_equal(node_set(node, make, 2), SET_OK);
    node_cycle(node, 10);
    assert_events(node, "lap:t2:total", 2, 1);
}

/* A threshold and its sensor in one PDU, whichever comes first; the threshold before the sensor. */
static void thresholds_wait_for_their_sensor(void **state)
{
    struct node *node = *state;
    const struct bind threshold[] = {
        {MIB_dcampThresholdRowStatus, "early", 4, NULL},
        {MIB_dcampThresholdSensor, "early", 0, "later"},
        {MIB_dcampThresholdOperator, "early", COMPARE_GE, NULL},
        {MIB_dcampThresholdLimit, "early", 0, "0"},
    };
    const struct bind sensor[] = {
        {MIB_dcampSensorRowStatus, "later", 4, NULL},
        {MIB_dcampSensorMetric, "later", 0, "load.5"},
    };
    node_cycle(node, 0);
    assert_int_equal(node_set(node, threshold, N_OF(threshold)), SET_OK);
    node_cycle(node, 1000);
    assert_false(node_has(node, MIB_dcampThresholdStatePhase, "early", "total"));
    assert_int_equal(node_set(node, sensor, N_OF(sensor)), SET_OK);
    node_cycle(node, 1000);
    assert_events(node, "lap:early:total", 1, 0);
}

/* More alarms than notifications may go out: each has its entry, and a summary follows. */
static void rate_limit(void **state)
{
    struct node *node = *state;
    struct interface interfaces[30];
    char names[30][8];
    node_configure(node, "lap",
                   "<alarms rate=\"5\" per=\"10s\"/>"
                   "<sensors><sensor name=\"rx\" metric=\"net.rx.bytes\"/></sensors>"
                   "<thresholds><threshold name=\"rx\" sensor=\"rx\" operator=\"gt\" limit=\"1\"/>"
                   "</thresholds>");
    node_start_again(node);
    for (size_t i = 0; i < N_OF(interfaces); i++) {
        snprintf(names[i], sizeof names[i], "e%zu", i);
        interfaces[i] = (struct interface){names[i], 100};
    }
    node_network(node, interfaces, N_OF(interfaces));
    node_cycle(node, 0);
    assert_int_equal(node->daemon->alarms.active.count, N_OF(interfaces));
    assert_int_equal(events_of(node, NULL, ALARM_RAISED), N_OF(interfaces));
    assert_int_equal(number_at(node, MIB_dcampSelfNotificationsQueued, NULL, NULL), 5);
    assert_int_equal(number_at(node, MIB_dcampSelfNotificationsSuppressed, NULL, NULL), 25);
    for (int i = 0; i < 3; i++)
        node_cycle(node, 1000);
    assert_int_equal(events_of(node, NULL, ALARM_SUPPRESSED), 1);
    assert_string_equal(last_event(node)->facts.node, "lap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(one_raise_and_one_clear),
        node_test(facts_of_an_alarm),
        node_test(durations_and_windows),
        node_test(every_instance_on_its_own),
        node_test(values_that_are_missing),
        node_test(instance_that_is_unplugged),
        cmocka_unit_test(changes_of_rows),
        node_test(destroyed_thresholds_and_sensors),
        node_test(thresholds_wait_for_their_sensor),
        node_test(rate_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
