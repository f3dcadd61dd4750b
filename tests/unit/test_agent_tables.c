/* What stands in which column: each has a content of its own, so that none can be taken for
 * another; and where there is nothing to be shown, what then. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/tables.h"
#include "base/date.h"

#include "full.h"
#include "rollup/tops.h"

#define ABSENT INT64_MIN
#define CENTI (NS_PER_S / 100)

struct expected {
    enum mib_object object;
    int64_t number;   /* ABSENT: there is no such cell */
    const char *text; /* not NULL: instead of the number */
};

/* The cell of a row, by the names of its key. */
static struct mib_oid named(enum mib_object object, const char *first, const char *second)
{
    return cell_of(object, first, second);
}

/* By one number, behind a name if there is one. */
static struct mib_oid numbered(enum mib_object object, const char *name, uint32_t number)
{
    struct mib_oid oid = cell_of(object, name ? name : "", NULL);
    if (!name)
        oid.len = mib_objects[object].oid_len;
    oid.id[oid.len++] = number;
    return oid;
}

static void assert_cell(struct node *node, const struct mib_oid *oid,
                        const struct expected *expected)
{
    const char *name = mib_objects[expected->object].name;
    struct mib_value value;
    enum engine_status status = node_get(node, oid, &value);
    if (!expected->text && expected->number == ABSENT) {
        if (status != ENGINE_NO_INSTANCE)
            fail_msg("%s is there", name);
        return;
    }
    if (status != ENGINE_OK)
        fail_msg("%s is not there", name);
    if (!expected->text) {
        if (value.integer != expected->number)
            fail_msg("%s is %jd, not %jd", name, (intmax_t)value.integer,
                     (intmax_t)expected->number);
        return;
    }
    if (value.octets.len != strlen(expected->text) ||
        memcmp(value.octets.at, expected->text, value.octets.len) != 0)
        fail_msg("%s is \"%.*s\", not \"%s\"", name, (int)value.octets.len,
                 (const char *)value.octets.at, expected->text);
}

#define assert_cells(node, of, first, second, ...)                                                 \
    do {                                                                                           \
        const struct expected cells_[] = {__VA_ARGS__};                                            \
        for (size_t i_ = 0; i_ < N_OF(cells_); i_++) {                                             \
            struct mib_oid oid_ = of(cells_[i_].object, first, second);                            \
            assert_cell(node, &oid_, &cells_[i_]);                                                 \
        }                                                                                          \
    } while (0)

/* DateAndTime in UTC, to be compared with a cell. */
static void assert_date(struct node *node, const struct mib_oid *oid, int64_t wall_ms)
{
    struct mib_value value, expected;
    assert_int_equal(node_get(node, oid, &value), ENGINE_OK);
    assert_true(give_date(&expected, wall_ms));
    assert_int_equal(value.octets.len, expected.octets.len);
    assert_memory_equal(value.octets.at, expected.octets.at, expected.octets.len);
}

#define assert_date_of(node, oid_, wall_ms)                                                        \
    do {                                                                                           \
        struct mib_oid date_oid_ = oid_;                                                           \
        assert_date(node, &date_oid_, wall_ms);                                                    \
    } while (0)

/* -- Children -------------------------------------------------------------------------------- */

static void children_columns(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    struct child *child = children_find(&core->children, "leaf.1");
    struct child_contact contact = child->contact;
    struct child_cursor cursor = child->cursor;
    struct child_alarms alarms = child->alarms;
    uint32_t n_named = child->series.n_named;
    child->contact = (struct child_contact){.state = CHILD_LATE,
                                            .error = "a reason",
                                            .last = {.wall_ms = 1700000001500},
                                            .since_ns = core->started.mono_ns + 1234 * CENTI,
                                            .polls = 101,
                                            .missed = 102,
                                            .bad = 103,
                                            .round_trip_us = 104};
    child->cursor = (struct child_cursor){.boot = 105, .blocks = 106, .lost = 107, .pushed = 108};
    child->series.n_named = 109;
    for (uint32_t i = 0; i < REPORT_SEVERITIES; i++) {
        child->alarms.n[i] = 10 * (i + 1);
        child->alarms.said.left[i] = i + 1;
    }
    assert_cells(node, named, "leaf.1", NULL, {MIB_dcampChildAddress, 0, "udp:127.0.0.1:1161"},
                 {MIB_dcampChildCredential, 0, "lab"}, {MIB_dcampChildGroup, 0, "default"},
                 {MIB_dcampChildState, CHILD_LATE, NULL}, {MIB_dcampChildError, 0, "a reason"},
                 {MIB_dcampChildBoot, 105, NULL}, {MIB_dcampChildRoundTrip, 104, NULL},
                 {MIB_dcampChildPolls, 101, NULL}, {MIB_dcampChildMissed, 102, NULL},
                 {MIB_dcampChildBlocks, 106, NULL}, {MIB_dcampChildLostBlocks, 107, NULL},
                 {MIB_dcampChildBadBlocks, 103, NULL}, {MIB_dcampChildSeries, 109, NULL},
                 {MIB_dcampChildPushed, 108, NULL}, {MIB_dcampChildSince, 1234, NULL},
                 {MIB_dcampChildAlarmsInfo, 11, NULL}, {MIB_dcampChildAlarmsWarning, 22, NULL},
                 {MIB_dcampChildAlarmsCritical, 33, NULL},
                 {MIB_dcampChildStorageType, dcampChildStorageType_permanent, NULL},
                 {MIB_dcampChildRowStatus, dcampChildRowStatus_active, NULL});
    assert_int_equal(number_at(node, MIB_dcampChildAlarmsLeftOut, "leaf.1", NULL),
                     child_alarms_left_out(child));
    assert_date_of(node, named(MIB_dcampChildLastContact, "leaf.1", NULL), 1700000001500);
    struct mib_value value;
    struct mib_oid id = named(MIB_dcampChildEngineId, "leaf.1", NULL);
    child->identity.engine_id_len = 5;
    memcpy(child->identity.engine_id, "12345", 5);
    assert_int_equal(node_get(node, &id, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, 5);
    assert_memory_equal(value.octets.at, "12345", 5);
    child->contact.polls = 0;
    assert_cells(node, named, "leaf.1", NULL, {MIB_dcampChildLastContact, ABSENT, NULL},
                 {MIB_dcampChildRoundTrip, ABSENT, NULL});
    child->contact.polls = 1;
    assert_true(node_has(node, MIB_dcampChildLastContact, "leaf.1", NULL));
    assert_true(node_has(node, MIB_dcampChildRoundTrip, "leaf.1", NULL));
    child->identity.engine_id_len = 0;
    child->contact = contact;
    child->cursor = cursor;
    child->alarms = alarms;
    child->series.n_named = n_named;
}

/* Rows that are paused, and one that the core has not seen yet. */
static void children_that_are_not_polled(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {
        {MIB_dcampChildRowStatus, "new", dcampChildRowStatus_createAndGo, NULL},
        {MIB_dcampChildAddress, "new", 0, "udp:127.0.0.1:1162"},
        {MIB_dcampChildCredential, "new", 0, "lab"}};
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    assert_int_equal(number_at(node, MIB_dcampChildState, "new", NULL), CHILD_DISCOVERING);
    assert_int_equal(number_at(node, MIB_dcampChildState, "half", NULL), CHILD_PAUSED);
    node_set_one(node, MIB_dcampChildRowStatus, "leaf.2", dcampChildRowStatus_notInService, NULL);
    assert_int_equal(number_at(node, MIB_dcampChildState, "leaf.2", NULL), CHILD_PAUSED);
    static const char *const names[] = {"new", "half"};
    for (size_t i = 0; i < N_OF(names); i++)
        assert_cells(
            node, named, names[i], NULL, {MIB_dcampChildError, 0, ""},
            {MIB_dcampChildEngineId, 0, ""}, {MIB_dcampChildBoot, 0, NULL},
            {MIB_dcampChildLastContact, ABSENT, NULL}, {MIB_dcampChildRoundTrip, ABSENT, NULL},
            {MIB_dcampChildPolls, 0, NULL}, {MIB_dcampChildMissed, 0, NULL},
            {MIB_dcampChildBlocks, 0, NULL}, {MIB_dcampChildLostBlocks, 0, NULL},
            {MIB_dcampChildBadBlocks, 0, NULL}, {MIB_dcampChildSeries, 0, NULL},
            {MIB_dcampChildPushed, 0, NULL}, {MIB_dcampChildSince, ABSENT, NULL},
            {MIB_dcampChildAlarmsInfo, 0, NULL}, {MIB_dcampChildAlarmsWarning, 0, NULL},
            {MIB_dcampChildAlarmsCritical, 0, NULL}, {MIB_dcampChildAlarmsLeftOut, 0, NULL});
}

static struct child_series *child_series(struct node *node)
{
    return children_series_after(&node->daemon->children, NULL, 0);
}

static void child_values(void **state)
{
    struct node *node = *state;
    struct child_series *series = child_series(node), before = *series;
    const struct column *column = node->engine.bound[MIB_dcampChildValueAge].column;
    const struct view view = node_view(node);
    struct mib_value value;
    static const struct {
        uint64_t ago_ns, age;
    } cases[] = {
        {0, 0},
        {NS_PER_MS - 1, 0},
        {NS_PER_MS, 1},
        {1500 * NS_PER_MS, 1500},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        series->heard_ns = node->now.mono_ns - cases[i].ago_ns;
        assert_true(column->get(&view, series, &value));
        assert_int_equal(value.number, cases[i].age);
    }
    struct view later = view;
    static const uint64_t ages[] = {UINT32_MAX - UINT64_C(1), UINT32_MAX, UINT32_MAX + UINT64_C(1)};
    for (size_t i = 0; i < N_OF(ages); i++) {
        later.now.mono_ns = series->heard_ns + ages[i] * NS_PER_MS;
        assert_true(column->get(&later, series, &value));
        assert_int_equal(value.number, ages[i] < UINT32_MAX ? ages[i] : UINT32_MAX);
    }
    series->heard_ns = 0;
    assert_false(column->get(&view, series, &value));
    assert_false(node->engine.bound[MIB_dcampChildValueTime].column->get(&view, series, &value));
    series->heard_ns = 1;
    series->wall_ms = 1700000002500;
    assert_true(node->engine.bound[MIB_dcampChildValueTime].column->get(&view, series, &value));
    struct mib_value expected;
    give_date(&expected, 1700000002500);
    assert_memory_equal(value.octets.at, expected.octets.at, 11);
    /* The state: stale where the child is not there any more. */
    struct child *child = children_find(&node->daemon->children, "leaf.1");
    enum child_state was = child->contact.state;
    const struct column *state_of = node->engine.bound[MIB_dcampChildValueState].column;
    static const struct {
        enum child_state child;
        enum result_state result;
        int64_t state;
    } states[] = {
        {CHILD_UP, RESULT_VALID, RESULT_VALID},
        {CHILD_LATE, RESULT_VALID, RESULT_VALID},
        {CHILD_DOWN, RESULT_VALID, dcampChildValueState_stale},
        {CHILD_DOWN, RESULT_GAP, RESULT_GAP},
        {CHILD_UP, RESULT_GAP, RESULT_GAP},
        {CHILD_UP, RESULT_UNAVAILABLE, RESULT_UNAVAILABLE},
    };
    for (size_t i = 0; i < N_OF(states); i++) {
        child->contact.state = states[i].child;
        series->state = states[i].result;
        assert_true(state_of->get(&view, series, &value));
        assert_int_equal(value.integer, states[i].state);
        assert_int_equal(
            node->engine.bound[MIB_dcampChildValueText].column->get(&view, series, &value),
            states[i].result == RESULT_VALID);
        assert_int_equal(
            node->engine.bound[MIB_dcampChildValueMilli].column->get(&view, series, &value),
            states[i].result == RESULT_VALID);
    }
    child->contact.state = was;
    *series = before;
}

static void child_alarms(void **state)
{
    struct node *node = *state;
    node->daemon->children.alarm_changes = 4711;
    assert_int_equal(number_at(node, MIB_dcampChildAlarmRevision, NULL, NULL), 4711);
    assert_cells(
        node, numbered, "leaf.1", 2, {MIB_dcampChildAlarmPath, 0, "leaf.1/leaf.7"},
        {MIB_dcampChildAlarmIndex, 8, NULL}, {MIB_dcampChildAlarmKey, 0, "leaf.7:many:eth0"},
        {MIB_dcampChildAlarmNode, 0, "leaf.7"}, {MIB_dcampChildAlarmThreshold, 0, "many"},
        {MIB_dcampChildAlarmSensor, 0, "rx"}, {MIB_dcampChildAlarmInstance, 0, "eth0"},
        {MIB_dcampChildAlarmSeverity, SEVERITY_WARNING, NULL},
        {MIB_dcampChildAlarmValueText, 0, "1000"}, {MIB_dcampChildAlarmThresholdText, 0, "> 400"},
        {MIB_dcampChildAlarmMessage, 0, "many: rx on eth0 is 1000"},
        {MIB_dcampChildAlarmAcknowledged, 0, "Ann"},
        {MIB_dcampChildAlarmUnconfirmed, TRUTH_TRUE, NULL});
    assert_date_of(node, numbered(MIB_dcampChildAlarmSince, "leaf.1", 2), 1700000000000);
    assert_date_of(node, numbered(MIB_dcampChildAlarmAcknowledgedAt, "leaf.1", 2), 1700000001000);
    assert_date_of(node, numbered(MIB_dcampChildAlarmUnconfirmedSince, "leaf.1", 2), 1700000002000);
    assert_cells(node, numbered, "leaf.1", 1, {MIB_dcampChildAlarmAcknowledgedAt, ABSENT, NULL},
                 {MIB_dcampChildAlarmUnconfirmed, TRUTH_FALSE, NULL},
                 {MIB_dcampChildAlarmUnconfirmedSince, ABSENT, NULL});
    assert_cells(node, numbered, "leaf.1", 3, {MIB_dcampChildAlarmPath, ABSENT, NULL});
}

/* -- Rows of the configuration --------------------------------------------------------------- */

static void filters(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    struct {
        const char *sensor;
        uint64_t n;
    } sensors[] = {{"avail", 1}, {"rx.raw", 2}, {"load", 10000}, {"busy", 20000}};
    for (size_t i = 0; i < N_OF(sensors); i++) {
        struct sensor *sensor = measure_find(&core->measure, sensors[i].sensor);
        if (!sensor)
            continue;
        sensor->passed = sensors[i].n;
        sensor->held = 10 * sensors[i].n;
    }
    for (struct index_node *i = index_first(&core->aggregates.index); i; i = index_next(i)) {
        struct rollup *rollup = (struct rollup *)i;
        bool quiet = strcmp(rollup->row.filter, "quiet") == 0;
        rollup->passed = quiet ? 4 : 30000;
        rollup->held = quiet ? 40 : 300000;
    }
    struct polled_object *object = core->children.objects;
    for (; object; object = object->hh.next) {
        bool quiet = strcmp(object->row.filter, "quiet") == 0;
        object->passed = quiet ? 8 : 40000;
        object->held = quiet ? 80 : 400000;
    }
    core->applied_ns = core->started.mono_ns + 777 * CENTI;
    assert_cells(node, named, "quiet", NULL, {MIB_dcampFilterPassed, 15, NULL},
                 {MIB_dcampFilterHeld, 150, NULL}, {MIB_dcampFilterSince, 777, NULL});
    assert_cells(node, named, "gated", NULL, {MIB_dcampFilterPassed, 10000, NULL},
                 {MIB_dcampFilterHeld, 100000, NULL});
    assert_cells(node, named, "half", NULL, {MIB_dcampFilterPassed, 0, NULL},
                 {MIB_dcampFilterHeld, 0, NULL});
}

static void objects(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    for (struct polled_object *object = core->children.objects; object; object = object->hh.next) {
        bool uptime = strcmp(object->row.row.name, "uptime") == 0;
        object->n_series = uptime ? 11 : 12;
        object->errors = uptime ? 13 : 14;
        object->since_ns = core->started.mono_ns + (uptime ? 15 : 16) * CENTI;
    }
    assert_cells(node, named, "uptime", NULL, {MIB_dcampObjectSeries, 11, NULL},
                 {MIB_dcampObjectErrors, 13, NULL}, {MIB_dcampObjectSince, 15, NULL});
    assert_cells(node, named, "if.in", NULL, {MIB_dcampObjectSeries, 12, NULL},
                 {MIB_dcampObjectErrors, 14, NULL}, {MIB_dcampObjectSince, 16, NULL});
    node_set_one(node, MIB_dcampObjectRowStatus, "uptime", dcampObjectRowStatus_notInService, NULL);
    node_cycle(node, 1000);
    assert_cells(node, named, "uptime", NULL, {MIB_dcampObjectSeries, 0, NULL},
                 {MIB_dcampObjectErrors, 0, NULL}, {MIB_dcampObjectSince, ABSENT, NULL});
    for (struct polled_object *object = core->children.objects; object; object = object->hh.next)
        object->n_series = 0;
}

static void sensors(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    struct sensor *sensor = measure_find(&core->measure, "rx");
    sensor->passed = 21;
    sensor->held = 22;
    sensor->since_ns = core->started.mono_ns + 23 * CENTI;
    assert_cells(node, named, "rx", NULL, {MIB_dcampSensorPassed, 21, NULL},
                 {MIB_dcampSensorHeld, 22, NULL}, {MIB_dcampSensorSince, 23, NULL},
                 {MIB_dcampSensorSeries, 2, NULL}, {MIB_dcampSensorKind, METRIC_COUNTER, NULL},
                 {MIB_dcampSensorUnit, 0, "B/s"},
                 {MIB_dcampSensorState, dcampSensorState_sampling, NULL});
    sensor->error = 5;
    assert_int_equal(number_at(node, MIB_dcampSensorState, "rx", NULL),
                     dcampSensorState_unavailable);
    sensor->sampled = false;
    assert_int_equal(number_at(node, MIB_dcampSensorState, "rx", NULL), dcampSensorState_waiting);
    sensor->error = 0;
    assert_int_equal(number_at(node, MIB_dcampSensorState, "rx", NULL), dcampSensorState_waiting);
    sensor->sampled = true;
    assert_cells(node, named, "half", NULL, {MIB_dcampSensorPassed, 0, NULL},
                 {MIB_dcampSensorHeld, 0, NULL}, {MIB_dcampSensorSeries, 0, NULL},
                 {MIB_dcampSensorSince, ABSENT, NULL}, {MIB_dcampSensorKind, ABSENT, NULL},
                 {MIB_dcampSensorUnit, ABSENT, NULL},
                 {MIB_dcampSensorState, dcampSensorState_paused, NULL});
    assert_cells(node, named, "busy", NULL, {MIB_dcampSensorKind, METRIC_COUNTER, NULL},
                 {MIB_dcampSensorUnit, 0, "%"},
                 {MIB_dcampSensorState, dcampSensorState_paused, NULL});
}

static void thresholds(void **state)
{
    struct node *node = *state;
    struct watch_rule *rule = watches_find(&node->daemon->watches, "high");
    uint32_t raised = rule->raised;
    rule->raised = 31;
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "high", NULL), 31);
    assert_int_equal(number_at(node, MIB_dcampThresholdRaised, "half", NULL), 0);
    rule->raised = raised;
    struct watch *watch = rule->watches;
    watch->since_ms = 1700000003000;
    watch->state.breached = UINT64_C(0xf000000000000001);
    assert_date_of(node, named(MIB_dcampThresholdStateSince, "high", "total"), 1700000003000);
    assert_int_equal(number_at(node, MIB_dcampThresholdStateBreaches, "high", "total"), 5);
    assert_int_equal(number_at(node, MIB_dcampThresholdStatePhase, "high", "total"),
                     watch_phase(watch));
}

static void conditions(void **state)
{
    struct node *node = *state;
    size_t n = 0;
    static const char *const names[] = {"both", "either", "high"};
    int64_t raised[N_OF(names)] = {0};
    struct index_node *i = index_first(&node->daemon->alarms.active);
    for (; i; i = index_next(i), n++) {
        struct alarm_facts *facts = &((struct alarm *)i)->facts;
        facts->kind = n % 4 == 3 ? ALARM_OF_THRESHOLD : ALARM_OF_CONDITION;
        strcpy(facts->threshold, names[n % 2]);
        raised[n % 2] += n % 4 != 3;
    }
    assert_true(n > 0);
    for (size_t k = 0; k < 2; k++)
        assert_int_equal(number_at(node, MIB_dcampConditionRaised, names[k], NULL), raised[k]);
}

static void maintenances(void **state)
{
    struct node *node = *state;
    const int64_t begin = 1767225600000; /* 2026-01-01 */
    static const struct {
        int64_t after;
        bool now;
    } cases[] = {{-1, false}, {0, true}, {86399999, true}, {86400000, false}};
    for (size_t i = 0; i < N_OF(cases); i++) {
        node->now.wall_ms = begin + cases[i].after;
        assert_int_equal(number_at(node, MIB_dcampMaintenanceNow, "move", NULL),
                         cases[i].now ? TRUTH_TRUE : TRUTH_FALSE);
    }
    node->now.wall_ms = begin;
    node_set_one(node, MIB_dcampMaintenanceRowStatus, "move",
                 dcampMaintenanceRowStatus_notInService, NULL);
    assert_int_equal(number_at(node, MIB_dcampMaintenanceNow, "move", NULL), TRUTH_FALSE);
}

/* -- Aggregates ------------------------------------------------------------------------------ */

/* False: the row has no such cell. */
static bool column_of(struct node *node, enum mib_object object, const void *row,
                      struct mib_value *value)
{
    const struct view view = node_view(node);
    value->syntax = mib_objects[object].syntax;
    return node->engine.bound[object].column->get(&view, row, value);
}

static void assert_number(struct node *node, enum mib_object object, const void *row,
                          int64_t expected)
{
    struct mib_value value;
    bool there = column_of(node, object, row, &value);
    assert_int_equal(there, expected != ABSENT);
    if (there)
        assert_int_equal(value.integer, expected);
}

/* Two keys of a top, of a child that has told them. */
static void aggregate_tops(void **state)
{
    struct node *node = *state;
    const struct rollup_values *values = &node->daemon->aggregates.values;
    const struct rollup_key *soup = rollup_top_after(values, NULL, 0);
    assert_non_null(soup);
    const struct rollup_key *tea = rollup_top_next(soup);
    assert_null(rollup_top_next(tea));
    assert_number(node, MIB_dcampAggregateTopCount, soup, 7);
    assert_number(node, MIB_dcampAggregateTopError, soup, 2);
    assert_number(node, MIB_dcampAggregateTopGuaranteed, soup, dcampAggregateTopGuaranteed_true);
    assert_number(node, MIB_dcampAggregateTopCount, tea, 5);
    assert_number(node, MIB_dcampAggregateTopError, tea, 0);
    struct mib_value value;
    assert_true(column_of(node, MIB_dcampAggregateTopKey, tea, &value));
    assert_int_equal(value.octets.len, 3);
    assert_memory_equal(value.octets.at, "tea", 3);
}

static void aggregates(void **state)
{
    struct node *node = *state;
    struct rollup *rollup = aggregates_find(&node->daemon->aggregates, "load.sum");
    size_t n_values = rollup->n_values;
    rollup->n_values = 41;
    assert_int_equal(number_at(node, MIB_dcampAggregateValues, "load.sum", NULL), 41);
    assert_int_equal(number_at(node, MIB_dcampAggregateValues, "half", NULL), 0);
    rollup->n_values = n_values;
    struct rollup_value *row =
        (struct rollup_value *)index_first(&node->daemon->aggregates.values.shown);
    struct result result = row->result;
    row->result = (struct result){RESULT_VALID, 2.5};
    row->expected = 109;
    row->reporting = 102;
    row->oldest_ms = 1234;
    row->taken =
        (struct moment){.wall_ms = 1700000004000, .mono_ns = node->now.mono_ns - 1500 * NS_PER_MS};
    assert_number(node, MIB_dcampAggregateValueMilli, row, 2500);
    assert_number(node, MIB_dcampAggregateValueState, row, RESULT_VALID);
    assert_number(node, MIB_dcampAggregateValueExpected, row, 109);
    assert_number(node, MIB_dcampAggregateValueReporting, row, 102);
    assert_number(node, MIB_dcampAggregateValueMissing, row, 7);
    assert_number(node, MIB_dcampAggregateValueOldest, row, 1234);
    assert_number(node, MIB_dcampAggregateValueAge, row, 1500);
    assert_number(node, MIB_dcampAggregateValueSeries, row, row->entry.number);
    struct mib_value value;
    assert_true(column_of(node, MIB_dcampAggregateValueText, row, &value));
    assert_int_equal(value.octets.len, 3);
    assert_memory_equal(value.octets.at, "2.5", 3);
    static const uint64_t ages[] = {UINT32_MAX - UINT64_C(1), UINT32_MAX, UINT32_MAX + UINT64_C(1)};
    for (size_t i = 0; i < N_OF(ages); i++) {
        row->oldest_ms = ages[i];
        row->taken.mono_ns = node->now.mono_ns - ages[i] * NS_PER_MS;
        assert_number(node, MIB_dcampAggregateValueOldest, row,
                      (int64_t)(i == 0 ? ages[i] : UINT32_MAX));
        assert_number(node, MIB_dcampAggregateValueAge, row,
                      (int64_t)(i == 0 ? ages[i] : UINT32_MAX));
    }
    row->reporting = 0;
    assert_number(node, MIB_dcampAggregateValueOldest, row, ABSENT);
    row->reporting = 1;
    assert_number(node, MIB_dcampAggregateValueOldest, row, UINT32_MAX);
    row->result.state = RESULT_GAP;
    assert_number(node, MIB_dcampAggregateValueState, row, RESULT_GAP);
    assert_false(column_of(node, MIB_dcampAggregateValueText, row, &value));
    assert_number(node, MIB_dcampAggregateValueMilli, row, ABSENT);
    row->result = result;
}

/* -- Values ---------------------------------------------------------------------------------- */

static struct series *series_of_name(struct node *node, const char *sensor)
{
    return measure_find(&node->daemon->measure, sensor)->series;
}

static void values(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    struct series *row = series_of_name(node, "rx.raw");
    row->samples = 51;
    row->gaps = 52;
    row->raw = UINT64_C(53) << 32;
    row->since_ns = core->started.mono_ns + 54 * CENTI;
    row->taken =
        (struct moment){.wall_ms = 1700000005000, .mono_ns = node->now.mono_ns - 2500 * NS_PER_MS};
    row->result = (struct result){RESULT_VALID, -3.25};
    assert_number(node, MIB_dcampValueSamples, row, 51);
    assert_number(node, MIB_dcampValueGaps, row, 52);
    assert_number(node, MIB_dcampValueRaw, row, INT64_C(53) << 32);
    assert_number(node, MIB_dcampValueSince, row, 54);
    assert_number(node, MIB_dcampValueAge, row, 2500);
    assert_number(node, MIB_dcampValueMilli, row, -3250);
    assert_number(node, MIB_dcampValueState, row, RESULT_VALID);
    assert_number(node, MIB_dcampValueSeries, row, row->entry.number);
    static const struct {
        enum result_state state;
        uint64_t samples;
        bool raw, value, taken;
    } cases[] = {
        {RESULT_VALID, 1, true, true, true},         {RESULT_VALID, 0, false, true, false},
        {RESULT_GAP, 1, true, false, true},          {RESULT_WAITING, 1, true, false, true},
        {RESULT_UNAVAILABLE, 1, false, false, true},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct mib_value value;
        row->result.state = cases[i].state;
        row->samples = cases[i].samples;
        assert_int_equal(column_of(node, MIB_dcampValueRaw, row, &value), cases[i].raw);
        assert_int_equal(column_of(node, MIB_dcampValueText, row, &value), cases[i].value);
        assert_int_equal(column_of(node, MIB_dcampValueMilli, row, &value), cases[i].value);
        assert_int_equal(column_of(node, MIB_dcampValueTime, row, &value), cases[i].taken);
        assert_int_equal(column_of(node, MIB_dcampValueAge, row, &value), cases[i].taken);
    }
    row->samples = 1;
    static const uint64_t ages[] = {UINT32_MAX - UINT64_C(1), UINT32_MAX, UINT32_MAX + UINT64_C(1)};
    for (size_t i = 0; i < N_OF(ages); i++) {
        row->taken.mono_ns = node->now.mono_ns - ages[i] * NS_PER_MS;
        assert_number(node, MIB_dcampValueAge, row, (int64_t)(i == 0 ? ages[i] : UINT32_MAX));
    }
    /* A gauge has no raw value. */
    struct series *gauge = series_of_name(node, "load");
    assert_true(gauge->samples > 0);
    assert_number(node, MIB_dcampValueRaw, gauge, ABSENT);
}

/* A window of the values 1 to 100 that began some seconds ago. */
static void windows(void **state)
{
    struct node *node = *state;
    struct series *row = series_of_name(node, "load");
    static const enum mib_object objects[] = {
        MIB_dcampValueMin, MIB_dcampValueMax, MIB_dcampValueMean, MIB_dcampValueStdDev,
        MIB_dcampValueP50, MIB_dcampValueP90, MIB_dcampValueP95,  MIB_dcampValueP99};
    static const double expected[] = {1, 100, 50.5, 28.866070047722119, 50, 90, 95, 99};
    struct statistics before = row->statistics;
    row->statistics = (struct statistics){.window_ns = 0};
    assert_number(node, MIB_dcampValueWindowSamples, row, ABSENT);
    assert_number(node, MIB_dcampValueWindowBegin, row, ABSENT);
    row->statistics = (struct statistics){.window_ns = 60 * NS_PER_S,
                                          .begin_ns = node->now.mono_ns - 2500 * NS_PER_MS};
    assert_number(node, MIB_dcampValueWindowSamples, row, 0);
    struct mib_value value, begin;
    for (size_t i = 0; i < N_OF(objects); i++)
        assert_false(column_of(node, objects[i], row, &value));
    for (int i = 1; i <= 100; i++)
        assert_int_equal(statistics_window_add(&row->statistics.current, i), 0);
    assert_true(column_of(node, MIB_dcampValueWindowBegin, row, &value));
    give_date(&begin, node->now.wall_ms - 2500);
    assert_memory_equal(value.octets.at, begin.octets.at, 11);
    assert_number(node, MIB_dcampValueWindowSamples, row, 100);
    for (size_t i = 0; i < N_OF(objects); i++) {
        char text[64];
        assert_true(column_of(node, objects[i], row, &value));
        snprintf(text, sizeof text, "%.*s", (int)value.octets.len, (const char *)value.octets.at);
        /* Quantiles are those of a histogram. */
        double slack = i < 4 ? 1e-6 : expected[i] * 0.03;
        if (fabs(strtod(text, NULL) - expected[i]) > slack)
            fail_msg("%s is %s", mib_objects[objects[i]].name, text);
    }
    statistics_window_release(&row->statistics.current);
    row->statistics = before;
}

/* -- The node and what it counts of itself --------------------------------------------------- */

static void node_scalars(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    core->boot = 61;
    core->config->serial = 62;
    core->started.mono_ns = node->now.mono_ns - 6300 * CENTI - CENTI / 2;
    assert_cells(node, named, NULL, NULL, {MIB_dcampNodeName, 0, "lap"},
                 {MIB_dcampNodeVersion, 0, PACKAGE_VERSION}, {MIB_dcampNodeBoot, 61, NULL},
                 {MIB_dcampNodeUpTime, 6300, NULL}, {MIB_dcampNodeConfigSerial, 62, NULL},
                 {MIB_dcampNodeParent, 0, ""}, {MIB_dcampNodeGroup, 0, "default"},
                 {MIB_dcampReportBoot, 61, NULL});
    struct mib_value value;
    struct mib_oid digest = named(MIB_dcampNodeConfigDigest, NULL, NULL);
    uint8_t expected[CONFIG_DIGEST];
    config_digest(core->config, expected);
    assert_int_equal(node_get(node, &digest, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, sizeof expected);
    assert_memory_equal(value.octets.at, expected, sizeof expected);
    strcpy(core->config->node.parent, "above");
    strcpy(core->config->node.group, "these");
    assert_cells(node, named, NULL, NULL, {MIB_dcampNodeParent, 0, "above"},
                 {MIB_dcampNodeGroup, 0, "these"});
    uint64_t now_ns = node->now.mono_ns;
    node->now.mono_ns = core->started.mono_ns;
    assert_int_equal(number_at(node, MIB_dcampNodeUpTime, NULL, NULL), 0);
    node->now.mono_ns = core->started.mono_ns - 1;
    assert_int_equal(number_at(node, MIB_dcampNodeUpTime, NULL, NULL), 0);
    node->now.mono_ns = core->started.mono_ns + CENTI;
    assert_int_equal(number_at(node, MIB_dcampNodeUpTime, NULL, NULL), 1);
    node->now.mono_ns = now_ns;
}

static void roles(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    static const struct {
        size_t children, sensors;
        uint32_t level;
        int64_t role, shown;
    } cases[] = {
        {1, 1, 0, dcampNodeRole_root, 0},
        {1, 0, 1, dcampNodeRole_collector, 1},
        {2, 0, COUNT_NOT_GIVEN, dcampNodeRole_collector, ABSENT},
        {0, 1, 0, dcampNodeRole_metric, 0},
        {0, 3, 7, dcampNodeRole_metric, 7},
        {0, 0, 0, dcampNodeRole_base, 0},
        {0, 0, COUNT_NOT_GIVEN, dcampNodeRole_base, ABSENT},
    };
    size_t children = core->children.index.count, sensors_count = core->measure.sensors.count;
    for (size_t i = 0; i < N_OF(cases); i++) {
        core->children.index.count = cases[i].children;
        core->measure.sensors.count = cases[i].sensors;
        core->config->node.level = cases[i].level;
        assert_cells(node, named, NULL, NULL, {MIB_dcampNodeRole, cases[i].role, NULL},
                     {MIB_dcampNodeLevel, cases[i].shown, NULL});
    }
    core->children.index.count = children;
    core->measure.sensors.count = sensors_count;
}

static void self_scalars(void **state)
{
    struct node *node = *state;
    struct dcampd *core = node->daemon;
    size_t queued = core->alarms.queued;
    core->self.memory_kb = 71;
    core->self.cycles = 72;
    core->self.late_cycles = 73;
    core->self.sample_errors = 74;
    core->self.requests = 75;
    core->self.sets = 76;
    core->self.reconnects = 77;
    core->measure.samples = 78;
    core->alarms.sent = 79;
    core->alarms.queued = 80;
    core->alarms.suppressed = 81;
    core->alarms.dropped = 82;
    core->alarms.unsaved = 83;
    core->push.sent = 84;
    core->push.held = 85;
    core->children.pushes = (struct child_pushes){86, 87, 88, 89};
    assert_cells(node, named, NULL, NULL, {MIB_dcampSelfMemory, 71, NULL},
                 {MIB_dcampSelfCycles, 72, NULL}, {MIB_dcampSelfLateCycles, 73, NULL},
                 {MIB_dcampSelfSampleErrors, 74, NULL}, {MIB_dcampSelfRequests, 75, NULL},
                 {MIB_dcampSelfSets, 76, NULL}, {MIB_dcampSelfReconnects, 77, NULL},
                 {MIB_dcampSelfSamples, 78, NULL}, {MIB_dcampSelfNotificationsSent, 79, NULL},
                 {MIB_dcampSelfNotificationsQueued, 80, NULL},
                 {MIB_dcampSelfNotificationsSuppressed, 81, NULL},
                 {MIB_dcampSelfNotificationsDropped, 82, NULL},
                 {MIB_dcampSelfNotificationsUnsaved, 83, NULL}, {MIB_dcampSelfPushesSent, 84, NULL},
                 {MIB_dcampSelfPushesHeld, 85, NULL}, {MIB_dcampSelfPushesOld, 86, NULL},
                 {MIB_dcampSelfPushesAhead, 87, NULL}, {MIB_dcampSelfPushesUnknown, 88, NULL},
                 {MIB_dcampSelfPushesRefused, 89, NULL});
    core->alarms.queued = queued;
    assert_int_equal(number_at(node, MIB_dcampSelfSeries, NULL, NULL), core->measure.series.count);
    core->self.refusal = (struct set_refusal){.text = "no", .wall_ms = 1700000006000};
    assert_cell_text(node, MIB_dcampSelfSetError, NULL, NULL, "no");
    assert_date_of(node, named(MIB_dcampSelfSetErrorTime, NULL, NULL), 1700000006000);
    core->self.refusal.text[0] = '\0';
    assert_cells(node, named, NULL, NULL, {MIB_dcampSelfSetError, 0, ""},
                 {MIB_dcampSelfSetErrorTime, ABSENT, NULL});
}

static void state_scalars(void **state)
{
    struct node *node = *state;
    node_wait_saved(node);
    assert_int_equal(number_at(node, MIB_dcampSelfStateDirty, NULL, NULL), TRUTH_FALSE);
    assert_date_of(node, named(MIB_dcampSelfStateSaved, NULL, NULL),
                   saver_status(node->daemon->saver).saved_ms);
    node_set_one(node, MIB_dcampSensorInterval, "load", 7000, NULL);
    assert_int_equal(number_at(node, MIB_dcampSelfStateDirty, NULL, NULL), TRUTH_TRUE);
    assert_int_equal(number_at(node, MIB_dcampSelfStateErrors, NULL, NULL), 0);
}

/* The time of this process, in microseconds: it grows with work. */
static void cpu_time(void **state)
{
    struct node *node = *state;
    int64_t before = number_at(node, MIB_dcampSelfCpuTime, NULL, NULL);
    clock_t begun = clock();
    while (clock() - begun < CLOCKS_PER_SEC / 20)
        ;
    int64_t after = number_at(node, MIB_dcampSelfCpuTime, NULL, NULL);
    assert_in_range(after - before, 45000, 1000000);
    assert_in_range(after, (int64_t)begun * (1000000 / CLOCKS_PER_SEC),
                    (int64_t)clock() * (1000000 / CLOCKS_PER_SEC) + 100000);
}

static void costs(void **state)
{
    struct node *node = *state;
    struct cost_row *row = (struct cost_row *)index_first(&node->daemon->costs.index);
    static const struct {
        uint64_t last_ns;
        int64_t last_us;
    } cases[] = {
        {999, 0},
        {1000, 1},
        {5001999, 5001},
        {(UINT32_MAX - UINT64_C(1)) * 1000 + 999, UINT32_MAX - INT64_C(1)},
        {UINT32_MAX * UINT64_C(1000), UINT32_MAX},
        {UINT64_MAX, UINT32_MAX},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        row->cost = (struct sampler_cost){
            .passes = 91, .errors = 92, .total_ns = 93000999, .last_ns = cases[i].last_ns};
        assert_number(node, MIB_dcampSamplerPasses, row, 91);
        assert_number(node, MIB_dcampSamplerErrors, row, 92);
        assert_number(node, MIB_dcampSamplerTime, row, 93000);
        assert_number(node, MIB_dcampSamplerLast, row, cases[i].last_us);
    }
}

static void report(void **state)
{
    struct node *node = *state;
    const struct report_ring *ring = &node->daemon->report;
    const struct report_block *block = (struct report_block *)index_first(&ring->index);
    assert_non_null(block);
    assert_true(ring->last > ring->first);
    assert_int_equal(number_at(node, MIB_dcampReportFirst, NULL, NULL), ring->first);
    assert_int_equal(number_at(node, MIB_dcampReportLast, NULL, NULL), ring->last);
    struct mib_oid oid = numbered(MIB_dcampReportBlock, NULL, block->sequence);
    struct mib_value value;
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, block->len);
    assert_memory_equal(value.octets.at, block->bytes, block->len);
    uint32_t number = series_of_name(node, "rx.raw")->entry.number;
    assert_cells(node, numbered, NULL, number, {MIB_dcampSeriesSensor, 0, "rx.raw"},
                 {MIB_dcampSeriesMetric, 0, "net.rx.bytes"}, {MIB_dcampSeriesUnit, 0, "B"},
                 {MIB_dcampSeriesInstance, 0, series_of_name(node, "rx.raw")->instance});
}

/* -- Alarms ---------------------------------------------------------------------------------- */

static const struct alarm_facts facts = {
    .kind = ALARM_OF_THRESHOLD,
    .key = "a key",
    .node = "a node",
    .threshold = "a threshold",
    .sensor = "a sensor",
    .instance = "an instance",
    .value = "1.5",
    .limit = "> 1",
    .severity = SEVERITY_CRITICAL,
    .event = ALARM_CLEARED,
    .sequence = 201,
    .since_ms = 1700000007000,
    .suppressed = 202,
    .message = "a message",
};

static void alarms(void **state)
{
    struct node *node = *state;
    struct alarm *alarm = (struct alarm *)index_first(&node->daemon->alarms.active);
    struct alarm before = *alarm;
    alarm->facts = facts;
    alarm->hold = 3;
    alarm->memory.acknowledged_at = 0;
    uint32_t index = alarm->index;
    assert_cells(
        node, numbered, NULL, index, {MIB_dcampAlarmKey, 0, "a key"},
        {MIB_dcampAlarmNode, 0, "a node"}, {MIB_dcampAlarmSensor, 0, "a sensor"},
        {MIB_dcampAlarmValueText, 0, "1.5"}, {MIB_dcampAlarmThresholdText, 0, "> 1"},
        {MIB_dcampAlarmSeverityText, 0, "critical"},
        {MIB_dcampAlarmSeverity, SEVERITY_CRITICAL, NULL}, {MIB_dcampAlarmSequence, 201, NULL},
        {MIB_dcampAlarmSuppressed, 202, NULL}, {MIB_dcampAlarmMessage, 0, "a message"},
        {MIB_dcampAlarmInstance, 0, "an instance"}, {MIB_dcampAlarmThreshold, 0, "a threshold"},
        {MIB_dcampAlarmHeld, 3, NULL}, {MIB_dcampAlarmEvent, ALARM_CLEARED, NULL},
        {MIB_dcampAlarmAcknowledgedAt, ABSENT, NULL});
    assert_date_of(node, numbered(MIB_dcampAlarmSince, NULL, index), 1700000007000);
    alarm->memory.acknowledged_at = SEVERITY_CRITICAL;
    alarm->memory.acknowledged_ms = 1700000008000;
    assert_date_of(node, numbered(MIB_dcampAlarmAcknowledgedAt, NULL, index), 1700000008000);
    alarm->facts = before.facts;
    alarm->hold = before.hold;
    alarm->memory = before.memory;
}

static void log_entries(void **state)
{
    struct node *node = *state;
    struct alarm_entry *entry = (struct alarm_entry *)index_first(&node->daemon->alarms.log);
    entry->facts = facts;
    entry->hold = 2;
    entry->notified = true;
    entry->wall_ms = 1700000009000;
    uint32_t index = entry->sequence;
    assert_cells(
        node, numbered, NULL, index, {MIB_dcampAlarmLogEvent, ALARM_CLEARED, NULL},
        {MIB_dcampAlarmLogNotified, TRUTH_TRUE, NULL}, {MIB_dcampAlarmLogKey, 0, "a key"},
        {MIB_dcampAlarmLogNode, 0, "a node"}, {MIB_dcampAlarmLogThreshold, 0, "a threshold"},
        {MIB_dcampAlarmLogSensor, 0, "a sensor"}, {MIB_dcampAlarmLogInstance, 0, "an instance"},
        {MIB_dcampAlarmLogValueText, 0, "1.5"}, {MIB_dcampAlarmLogThresholdText, 0, "> 1"},
        {MIB_dcampAlarmLogSeverity, SEVERITY_CRITICAL, NULL},
        {MIB_dcampAlarmLogSuppressed, 202, NULL}, {MIB_dcampAlarmLogMessage, 0, "a message"},
        {MIB_dcampAlarmLogHeld, 2, NULL});
    assert_date_of(node, numbered(MIB_dcampAlarmLogTime, NULL, index), 1700000009000);
    entry->notified = false;
    assert_cells(node, numbered, NULL, index, {MIB_dcampAlarmLogNotified, TRUTH_FALSE, NULL});
}

/* -- What is asked for by reading ------------------------------------------------------------ */

static uint64_t wakes(struct node *node)
{
    uint64_t count = 0;
    return read(node->daemon->wake_fd, &count, sizeof count) > 0 ? count : 0;
}

/* The first reader of either table wakes the core for a scan; until that is done, nobody else. */
static void scans(void **state)
{
    struct node *node = *state;
    static const enum mib_object objects[] = {MIB_dcampResourceSize, MIB_dcampProcessIdentifier};
    for (size_t i = 0; i < N_OF(objects); i++) {
        struct mib_oid oid = cell_of(objects[i], "", NULL), found;
        struct mib_value value;
        oid.len = mib_objects[objects[i]].oid_len;
        node->daemon->inventory.asked = false;
        wakes(node);
        assert_int_equal(node_next(node, &oid, false, NULL, &found, &value), ENGINE_OK);
        assert_true(node->daemon->inventory.asked);
        assert_int_equal(wakes(node), 1);
        assert_int_equal(node_next(node, &oid, false, NULL, &found, &value), ENGINE_OK);
        assert_int_equal(wakes(node), 0);
    }
    assert_cells(node, named, "init", NULL, {MIB_dcampProcessIdentifier, ABSENT, NULL});
    assert_cells(node, numbered, "init", 1, {MIB_dcampProcessIdentifier, 0, "init/1"});
}

/* Only a sensor on demand is asked for by reading it, and wakes the core. */
static void sensors_on_demand(void **state)
{
    struct node *node = *state;
    wakes(node);
    assert_true(node_has(node, MIB_dcampSensorState, "load", NULL));
    assert_true(node_has(node, MIB_dcampSensorState, "half", NULL));
    assert_int_equal(wakes(node), 0);
    node_set_one(node, MIB_dcampSensorInterval, "load", 0, NULL);
    node_cycle(node, 1000);
    wakes(node);
    assert_true(node_has(node, MIB_dcampSensorState, "load", NULL));
    assert_int_equal(wakes(node), 1);
    assert_true(node_has(node, MIB_dcampSensorState, "load", NULL));
    assert_int_equal(wakes(node), 0); /* it was asked for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        full_test(children_columns),
        full_test(children_that_are_not_polled),
        full_test(child_values),
        full_test(child_alarms),
        full_test(filters),
        full_test(objects),
        full_test(sensors),
        full_test(thresholds),
        full_test(conditions),
        full_test(maintenances),
        full_test(aggregate_tops),
        full_test(aggregates),
        full_test(values),
        full_test(windows),
        full_test(node_scalars),
        full_test(roles),
        full_test(self_scalars),
        full_test(state_scalars),
        full_test(cpu_time),
        full_test(costs),
        full_test(report),
        full_test(alarms),
        full_test(log_entries),
        full_test(scans),
        full_test(sensors_on_demand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
