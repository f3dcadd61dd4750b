/* What stands in the cells of a node whose state is known: values are there when they are valid,
 * sensors, thresholds, alarms and the node tell what they do. */
#include <stdio.h>
#include <string.h>

#include "full.h"
#include "walk.h"

/* -- Values ---------------------------------------------------------------------------------- */

#define NO_MILLI INT64_MAX /* an Integer32 cannot hold the thousandths */

struct expected {
    const char *sensor, *instance;
    enum result_state state;
    const char *text; /* NULL: not there, and no thousandths either */
    int64_t milli;
    bool has_raw;
    uint64_t raw;
};

static const struct expected values[] = {
    {"load", "total", RESULT_VALID, "0.42", 420, false, 0},
    {"avail", "total", RESULT_UNAVAILABLE, NULL, 0, false, 0},
    {"mem.moved", "total", RESULT_VALID, "-2574561280", NO_MILLI, false, 0},
    {"rx", "eth0", RESULT_GAP, NULL, 0, true, 500},
    {"rx", "wlan0", RESULT_VALID, "250", 250000, true, UINT64_MAX},
    {"rx.raw", "lo", RESULT_VALID, "7", 7000, true, 7},
    {"rx.raw", "eth0", RESULT_VALID, "500", 500000, true, 500},
    {"rx.raw", "wlan0", RESULT_VALID, "1000000000000000000", NO_MILLI, true, UINT64_MAX},
    {"slow", "eth0", RESULT_WAITING, NULL, 0, true, 1000},
    {"disk", "loop0", RESULT_UNAVAILABLE, NULL, 0, false, 0},
};

static void check_value(struct node *node, const struct expected *expected)
{
    const char *sensor = expected->sensor, *instance = expected->instance;
    assert_int_equal(number_at(node, MIB_dcampValueState, sensor, instance), expected->state);
    assert_int_equal(node_has(node, MIB_dcampValueText, sensor, instance), expected->text != NULL);
    bool has_milli = expected->text && expected->milli != NO_MILLI;
    assert_int_equal(node_has(node, MIB_dcampValueMilli, sensor, instance), has_milli);
    assert_int_equal(node_has(node, MIB_dcampValueRaw, sensor, instance), expected->has_raw);
    if (expected->text)
        assert_cell_text(node, MIB_dcampValueText, sensor, instance, expected->text);
    if (has_milli)
        assert_int_equal(number_at(node, MIB_dcampValueMilli, sensor, instance), expected->milli);
    if (expected->has_raw)
        assert_true((uint64_t)number_at(node, MIB_dcampValueRaw, sensor, instance) ==
                    expected->raw);
}

static void values_are_there_when_they_are_valid(void **state)
{
    for (size_t i = 0; i < N_OF(values); i++)
        check_value(*state, &values[i]);
}

/* What the counters of a row count from, as the time since the start of the daemon: eth0 counts
 * anew in the last cycle. */
static void counters_tell_of_discontinuities(void **state)
{
    struct node *node = *state;
    int64_t begun = number_at(node, MIB_dcampSensorSince, "rx", NULL);
    assert_int_equal(begun, (node->now.mono_ns - node->daemon->started.mono_ns) / 10000000 - 200);
    assert_int_equal(number_at(node, MIB_dcampValueSince, "load", "total"), begun);
    assert_int_equal(number_at(node, MIB_dcampValueSince, "rx", "wlan0"), begun);
    assert_int_equal(number_at(node, MIB_dcampValueSince, "rx", "eth0"), begun + 200);
    assert_int_equal(number_at(node, MIB_dcampValueSince, "rx.raw", "eth0"), begun + 200);
    assert_int_equal(number_at(node, MIB_dcampFilterSince, "quiet", NULL), begun + 200);
    node_set_one(node, MIB_dcampSensorRowStatus, "rx", ROW_NOT_IN_SERVICE, NULL);
    node_cycle(node, 1000);
    assert_false(node_has(node, MIB_dcampSensorSince, "rx", NULL));
    assert_int_equal(number_at(node, MIB_dcampFilterSince, "quiet", NULL), begun + 300);
    node_set_one(node, MIB_dcampSensorRowStatus, "rx", ROW_ACTIVE, NULL);
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampSensorSince, "rx", NULL), begun + 400);
    assert_int_equal(number_at(node, MIB_dcampValueSince, "rx", "wlan0"), begun + 400);
    assert_int_equal(number_at(node, MIB_dcampValueSince, "rx.raw", "eth0"), begun + 200);
}

/* slow was sampled in the first cycle, two seconds ago, the others just now. */
static void values_have_time_and_age(void **state)
{
    struct node *node = *state;
    static const uint8_t first[] = {0x07, 0xe7, 11, 14, 22, 13, 20, 0, '+', 0, 0};
    static const uint8_t last[] = {0x07, 0xe7, 11, 14, 22, 13, 22, 0, '+', 0, 0};
    struct mib_value value;
    struct mib_oid slow = cell_of(MIB_dcampValueTime, "slow", "eth0");
    struct mib_oid load = cell_of(MIB_dcampValueTime, "load", "total");
    assert_int_equal(node_get(node, &slow, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, sizeof first);
    assert_memory_equal(value.octets.at, first, sizeof first);
    assert_int_equal(node_get(node, &load, &value), ENGINE_OK);
    assert_memory_equal(value.octets.at, last, sizeof last);
    node->now.mono_ns += 1234567890;
    assert_int_equal(number_at(node, MIB_dcampValueAge, "slow", "eth0"), 3234);
    assert_int_equal(number_at(node, MIB_dcampValueAge, "load", "total"), 1234);
    node->now.mono_ns += 60 * 86400 * NS_PER_S;
    assert_int_equal(number_at(node, MIB_dcampValueAge, "load", "total"), UINT32_MAX);
    assert_int_equal(number_at(node, MIB_dcampValueSamples, "slow", "eth0"), 1);
    assert_int_equal(number_at(node, MIB_dcampValueSamples, "rx", "eth0"), 3);
    assert_int_equal(number_at(node, MIB_dcampValueGaps, "rx", "eth0"), 1);
    assert_int_equal(number_at(node, MIB_dcampValueGaps, "rx", "wlan0"), 0);
}

static void sensors_tell_their_state(void **state)
{
    struct node *node = *state;
    static const struct {
        const char *sensor;
        int state, series;
    } sensors[] = {
        {"load", dcampSensorState_sampling, 1}, {"disk", dcampSensorState_unavailable, 4},
        {"busy", dcampSensorState_paused, 0},   {"half", dcampSensorState_paused, 0},
        {"rx", dcampSensorState_sampling, 2},   {"rx.raw", dcampSensorState_sampling, 3}};
    for (size_t i = 0; i < N_OF(sensors); i++) {
        assert_int_equal(number_at(node, MIB_dcampSensorState, sensors[i].sensor, NULL),
                         sensors[i].state);
        assert_int_equal(number_at(node, MIB_dcampSensorSeries, sensors[i].sensor, NULL),
                         sensors[i].series);
    }
    node_set_one(node, MIB_dcampSensorRowStatus, "busy", dcampSensorRowStatus_active, NULL);
    assert_int_equal(number_at(node, MIB_dcampSensorState, "busy", NULL), dcampSensorState_waiting);
    assert_int_equal(number_at(node, MIB_dcampSensorKind, "rx", NULL), dcampSensorKind_counter);
    assert_int_equal(number_at(node, MIB_dcampSensorKind, "load", NULL), dcampSensorKind_gauge);
    assert_cell_text(node, MIB_dcampSensorUnit, "rx", NULL, "B/s");
    assert_cell_text(node, MIB_dcampSensorUnit, "rx.raw", NULL, "B");
    assert_cell_text(node, MIB_dcampSensorUnit, "busy", NULL, "%");
    assert_cell_text(node, MIB_dcampValueUnit, "rx", "eth0", "B/s");
    /* Of a metric that was not named yet, nothing is known. */
    assert_false(node_has(node, MIB_dcampSensorKind, "half", NULL));
    assert_false(node_has(node, MIB_dcampSensorUnit, "half", NULL));
}

static void series_are_in_the_dictionary(void **state)
{
    struct node *node = *state;
    for (size_t i = 0; i < N_OF(values); i++) {
        char text[MESSAGE_SIZE];
        struct mib_value value;
        struct mib_oid oid = {.len = mib_objects[MIB_dcampSeriesSensor].oid_len + 1};
        memcpy(oid.id, mib_objects[MIB_dcampSeriesSensor].oid, (oid.len - 1) * sizeof *oid.id);
        oid.id[oid.len - 1] =
            (uint32_t)number_at(node, MIB_dcampValueSeries, values[i].sensor, values[i].instance);
        assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
        snprintf(text, sizeof text, "%.*s", (int)value.octets.len, (const char *)value.octets.at);
        assert_string_equal(text, values[i].sensor);
        oid.id[oid.len - 2] = mib_objects[MIB_dcampSeriesInstance].oid[oid.len - 2];
        assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
        snprintf(text, sizeof text, "%.*s", (int)value.octets.len, (const char *)value.octets.at);
        assert_string_equal(text, values[i].instance);
    }
}

/* RFC 2579, RowStatus: what must be set before the row can be active is not there until it is;
 * what has a default has it. */
static void rows_that_are_not_ready(void **state)
{
    struct node *node = *state;
    static const enum mib_object missing[] = {MIB_dcampThresholdSensor, MIB_dcampThresholdOperator,
                                              MIB_dcampThresholdLimit};
    for (size_t i = 0; i < N_OF(missing); i++)
        assert_false(node_has(node, missing[i], "half", NULL));
    assert_int_equal(number_at(node, MIB_dcampSensorRowStatus, "half", NULL),
                     dcampSensorRowStatus_notReady);
    assert_int_equal(number_at(node, MIB_dcampFilterRowStatus, "half", NULL),
                     dcampFilterRowStatus_notInService);
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "half", NULL), 1000);
    assert_cell_text(node, MIB_dcampSensorInstances, "half", NULL, "*");
    assert_cell_text(node, MIB_dcampThresholdClear, "half", NULL, "");
    node_set_one(node, MIB_dcampThresholdOperator, "half", COMPARE_LT, NULL);
    node_set_one(node, MIB_dcampThresholdLimit, "half", 0, "-1.50");
    assert_int_equal(number_at(node, MIB_dcampThresholdOperator, "half", NULL), COMPARE_LT);
    assert_cell_text(node, MIB_dcampThresholdLimit, "half", NULL, "-1.50");
}

/* -- Alarms, scalars, inventory ------------------------------------------------------------- */

static void thresholds_tell_their_phase(void **state)
{
    struct node *node = *state;
    static const struct {
        const char *threshold, *instance;
        enum threshold_phase phase;
        int raised, breaches;
    } phases[] = {{"high", "total", PHASE_RAISED, 1, 1}, {"late", "total", PHASE_PENDING, 0, 1},
                  {"was", "total", PHASE_CLEAR, 0, 0},   {"never", "eth0", PHASE_UNKNOWN, 0, 0},
                  {"many", "lo", PHASE_CLEAR, 2, 0},     {"many", "eth0", PHASE_RAISED, 2, 1}};
    for (size_t i = 0; i < N_OF(phases); i++) {
        const char *threshold = phases[i].threshold, *instance = phases[i].instance;
        assert_int_equal(number_at(node, MIB_dcampThresholdStatePhase, threshold, instance),
                         phases[i].phase);
        assert_int_equal(number_at(node, MIB_dcampThresholdStateBreaches, threshold, instance),
                         phases[i].breaches);
        assert_int_equal(number_at(node, MIB_dcampThresholdRaised, threshold, NULL),
                         phases[i].raised);
    }
}

/* The cell of a row whose index is a number. */
static const char *numbered(struct node *node, enum mib_object object, uint32_t row,
                            char text[MESSAGE_SIZE])
{
    struct mib_oid oid = cell_of(object, NULL, NULL);
    struct mib_value value;
    oid.id[oid.len - 1] = row;
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    if (value.syntax == MIB_SYNTAX_OCTETS)
        snprintf(text, MESSAGE_SIZE, "%.*s", (int)value.octets.len, (const char *)value.octets.at);
    else
        snprintf(text, MESSAGE_SIZE, "%jd", (intmax_t)value.integer);
    return text;
}

/* The threshold "was" was raised first of all, by 0.90, and cleared later, by 0.42; "high" was
 * raised and is so. */
static void alarms_tell_their_facts(void **state)
{
    static const struct {
        enum mib_object object;
        const char *raised, *cleared;
    } facts[] = {
        {MIB_dcampAlarmLogEvent, "1", "2"},
        {MIB_dcampAlarmLogNotified, "1", "1"},
        {MIB_dcampAlarmLogKey, "lap:was:total", "lap:was:total"},
        {MIB_dcampAlarmLogNode, "lap", "lap"},
        {MIB_dcampAlarmLogThreshold, "was", "was"},
        {MIB_dcampAlarmLogSensor, "load", "load"},
        {MIB_dcampAlarmLogInstance, "total", "total"},
        {MIB_dcampAlarmLogValueText, "0.9", "0.42"},
        {MIB_dcampAlarmLogThresholdText, "> 0.5", "> 0.5"},
        {MIB_dcampAlarmLogSeverity, "4", "1"},
        {MIB_dcampAlarmLogSuppressed, "0", "0"},
        {MIB_dcampAlarmLogMessage, "was: load on total is 0.9 tasks (limit > 0.5)",
         "was: load on total is back at 0.42 tasks (limit > 0.5)"},
    };
    static const struct {
        enum mib_object object;
        const char *text;
    } columns[] = {
        {MIB_dcampAlarmKey, "lap:high:total"},
        {MIB_dcampAlarmNode, "lap"},
        {MIB_dcampAlarmSensor, "load"},
        {MIB_dcampAlarmValueText, "0.9"},
        {MIB_dcampAlarmThresholdText, ">= 0.4"},
        {MIB_dcampAlarmSeverityText, "warning"},
        {MIB_dcampAlarmSeverity, "3"},
        {MIB_dcampAlarmSuppressed, "0"},
        {MIB_dcampAlarmInstance, "total"},
        {MIB_dcampAlarmThreshold, "high"},
        {MIB_dcampAlarmMessage, "high: load on total is 0.9 tasks (limit >= 0.4)"},
    };
    struct node *node = *state;
    char text[MESSAGE_SIZE];
    uint32_t raised = 0, cleared = 0;
    for (struct index_node *i = index_first(&node->daemon->alarms.log); i; i = index_next(i)) {
        const struct alarm_entry *entry = (struct alarm_entry *)i;
        if (strcmp(entry->facts.threshold, "was") == 0)
            *(entry->facts.event == ALARM_RAISED ? &raised : &cleared) = entry->sequence;
    }
    for (size_t i = 0; i < N_OF(facts); i++) {
        assert_string_equal(numbered(node, facts[i].object, raised, text), facts[i].raised);
        assert_string_equal(numbered(node, facts[i].object, cleared, text), facts[i].cleared);
    }
    const struct alarm *high = alarm_find(&node->daemon->alarms, "lap:high:total");
    for (size_t i = 0; i < N_OF(columns); i++)
        assert_string_equal(numbered(node, columns[i].object, high->index, text), columns[i].text);
    snprintf(text, sizeof text, "%u", high->index);
    char sequence[MESSAGE_SIZE];
    assert_string_equal(numbered(node, MIB_dcampAlarmSequence, high->index, sequence), text);
}

static void scalars_count(void **state)
{
    struct node *node = *state;
    node_wait_saved(node);
    assert_cell_text(node, MIB_dcampNodeName, NULL, NULL, "lap");
    assert_cell_text(node, MIB_dcampNodeVersion, NULL, NULL, PACKAGE_VERSION);
    assert_cell_text(node, MIB_dcampNodeGroup, NULL, NULL, "default");
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), dcampNodeRole_collector);
    assert_int_equal(number_at(node, MIB_dcampNodeBoot, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampReportBoot, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampSelfCycles, NULL, NULL), 3);
    assert_int_equal(number_at(node, MIB_dcampSelfLateCycles, NULL, NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampSelfSampleErrors, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampSelfSets, NULL, NULL), 6);
    assert_int_equal(number_at(node, MIB_dcampSelfSeries, NULL, NULL), 1 + 4 + 1 + 1 + 2 + 3 + 3);
    assert_int_equal(number_at(node, MIB_dcampSelfStateDirty, NULL, NULL),
                     dcampSelfStateDirty_false);
    assert_int_equal(number_at(node, MIB_dcampSelfStateErrors, NULL, NULL), 0);
    assert_true(number_at(node, MIB_dcampSelfMemory, NULL, NULL) > 0);
    node->now = node->daemon->started;
    node->now.mono_ns += 123 * NS_PER_S / 100;
    assert_int_equal(number_at(node, MIB_dcampNodeUpTime, NULL, NULL), 123);
}

static const char *identifier_at(struct node *node, const char *name, uint32_t pid,
                                 char text[MESSAGE_SIZE])
{
    struct mib_value value;
    struct mib_oid oid = cell_of(MIB_dcampProcessIdentifier, name, NULL);
    oid.id[oid.len++] = pid;
    text[0] = '\0';
    if (node_get(node, &oid, &value) == ENGINE_OK)
        snprintf(text, MESSAGE_SIZE, "%.*s", (int)value.octets.len, (const char *)value.octets.at);
    return text;
}

static void processes_are_found_by_name(void **state)
{
    struct node *node = *state;
    char text[MESSAGE_SIZE];
    assert_string_equal(identifier_at(node, "init", 1, text), "init/1");
    assert_string_equal(identifier_at(node, "init", 4242, text), "init/4242");
    assert_string_equal(identifier_at(node, "a_b_c", 42, text), "a_b_c/42");
    assert_string_equal(identifier_at(node, "a_b_c", 43, text), "");
    assert_string_equal(identifier_at(node, "init", 42, text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        full_test(values_are_there_when_they_are_valid),
        full_test(values_have_time_and_age),
        full_test(counters_tell_of_discontinuities),
        full_test(sensors_tell_their_state),
        full_test(series_are_in_the_dictionary),
        full_test(rows_that_are_not_ready),
        full_test(thresholds_tell_their_phase),
        full_test(alarms_tell_their_facts),
        full_test(scalars_count),
        full_test(processes_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
