/* What stands in the cells: every cell has the syntax, size, range and meaning of its object, keys
 * are those of the index columns, and values are there when they are valid. */
#include "walk.h"

#include "agent/tables.h"
#include "base/text.h"

static bool in_ranges(const struct mib_info *info, int64_t number)
{
    for (size_t i = 0; i < info->n_ranges; i++)
        if (number >= info->ranges[i].low && number <= info->ranges[i].high)
            return true;
    return info->n_ranges == 0;
}

static bool has_label(const struct mib_info *info, int64_t number)
{
    for (size_t i = 0; i < info->n_labels; i++)
        if (info->labels[i].value == number)
            return true;
    return info->n_labels == 0;
}

/* RFC 2579, DateAndTime. */
static bool is_date(const uint8_t *octets, size_t len)
{
    static const uint8_t low[] = {0, 0, 1, 1, 0, 0, 0, 0, '+', 0, 0};
    static const uint8_t high[] = {255, 255, 12, 31, 23, 59, 60, 9, '+', 0, 0};
    if (len != sizeof low)
        return false;
    for (size_t i = 0; i < len; i++)
        if (octets[i] < low[i] || octets[i] > high[i])
            return false;
    return true;
}

/* Octets that are no text. */
static bool is_binary(int object)
{
    return object == MIB_dcampNodeConfigDigest || object == MIB_dcampReportBlock;
}

static bool is_decimal(int object)
{
    return object == MIB_dcampValueText || object == MIB_dcampFilterDeadband ||
           object == MIB_dcampFilterDeadbandPercent || object == MIB_dcampFilterGateLimit ||
           object == MIB_dcampThresholdLimit || object == MIB_dcampThresholdClear ||
           object == MIB_dcampAlarmValueText || object == MIB_dcampAlarmLogValueText;
}

static bool is_right_text(int object, const char *text, size_t len)
{
    double ignored;
    if (mib_objects[object].convention == MIB_DATE)
        return is_date((const uint8_t *)text, len);
    if (is_binary(object))
        return true;
    if (is_decimal(object))
        return (len == 0 && object != MIB_dcampValueText) || text_to_decimal(text, len, &ignored);
    return text_is_printable(text, len);
}

static bool is_right(int object, const struct mib_value *value)
{
    const struct mib_info *info = &mib_objects[object];
    if (value->syntax != info->syntax)
        return false;
    switch (info->syntax) {
    case MIB_SYNTAX_OCTETS:
        return in_ranges(info, (int64_t)value->octets.len) &&
               is_right_text(object, value->octets.at, value->octets.len);
    case MIB_SYNTAX_INTEGER:
        return value->integer >= INT32_MIN && value->integer <= INT32_MAX &&
               in_ranges(info, value->integer) && has_label(info, value->integer);
    case MIB_SYNTAX_UNSIGNED:
    case MIB_SYNTAX_TIMETICKS:
        return value->number <= UINT32_MAX && in_ranges(info, (int64_t)value->number);
    case MIB_SYNTAX_COUNTER64:
        return true;
    default:
        return false;
    }
}

static void cells_hold_what_the_mib_says(void **state)
{
    struct node *node = *state;
    struct cells cells = cells_new();
    cells_walk(node, &cells);
    bool seen[MIB_OBJECTS] = {false};
    for (size_t i = 0; i < cells.n; i++) {
        struct mib_value value;
        size_t rest;
        int object = engine_object(cells.oids[i].id, cells.oids[i].len, &rest);
        seen[object] = true;
        assert_int_equal(node_get(node, &cells.oids[i], &value), ENGINE_OK);
        if (!is_right(object, &value))
            fail_msg("%s at %s has a strange value", mib_objects[object].name,
                     oid_text(&cells.oids[i]));
    }
    /* Nothing that can be read has gone untested. */
    for (int object = 0; object < MIB_OBJECTS; object++)
        if (node->engine.bound[object].table && !seen[object])
            fail_msg("%s has no cell", mib_objects[object].name);
    free(cells.oids);
}

/* -- Keys ------------------------------------------------------------------------------------ */

/* The sub-identifiers of one index column at the beginning of a key; 0 if they are not right. */
static size_t index_length(const struct mib_info *info, const uint32_t *key, size_t len)
{
    if (len == 0)
        return 0;
    if (info->syntax != MIB_SYNTAX_OCTETS)
        return in_ranges(info, key[0]) && has_label(info, key[0]) ? 1 : 0;
    if (key[0] >= len || !in_ranges(info, key[0]))
        return 0;
    for (size_t i = 1; i <= key[0]; i++)
        if (key[i] > 255)
            return 0;
    return 1 + key[0];
}

static void keys_are_those_of_the_index(void **state)
{
    struct node *node = *state;
    for (size_t t = 0; t < dcamp_table_count; t++) {
        const struct table *table = dcamp_tables[t];
        if (!table->rows)
            continue;
        const struct mib_info *entry = &mib_objects[table->object + 1];
        assert_int_equal(entry->role, MIB_ENTRY);
        for (struct index_node *row = index_first(table->rows(node->daemon)); row;
             row = index_next(row)) {
            size_t at = 0, n = 1;
            for (size_t x = 0; x < entry->n_objects && n; x++, at += n)
                n = index_length(&mib_objects[entry->objects[x]], row->key + at, row->key_len - at);
            if (!n || at != row->key_len)
                fail_msg("%s has a key that is not as its INDEX says", entry->name);
            assert_true(entry->oid_len + 1 + row->key_len <= OID_MAX);
        }
    }
}

/* -- Values ---------------------------------------------------------------------------------- */

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
    {"mem.moved", "total", RESULT_VALID, "-2574561280", INT32_MIN, false, 0},
    {"rx", "eth0", RESULT_GAP, NULL, 0, true, 500},
    {"rx", "wlan0", RESULT_VALID, "250", 250000, true, UINT64_MAX},
    {"rx.raw", "lo", RESULT_VALID, "7", 7000, true, 7},
    {"rx.raw", "eth0", RESULT_VALID, "500", 500000, true, 500},
    {"rx.raw", "wlan0", RESULT_VALID, "1000000000000000000", INT32_MAX, true, UINT64_MAX},
    {"slow", "eth0", RESULT_WAITING, NULL, 0, true, 1000},
    {"disk", "loop0", RESULT_UNAVAILABLE, NULL, 0, false, 0},
};

static void check_value(struct node *node, const struct expected *expected)
{
    const char *sensor = expected->sensor, *instance = expected->instance;
    assert_int_equal(number_at(node, MIB_dcampValueState, sensor, instance), expected->state);
    assert_int_equal(node_has(node, MIB_dcampValueText, sensor, instance), expected->text != NULL);
    assert_int_equal(node_has(node, MIB_dcampValueMilli, sensor, instance), expected->text != NULL);
    assert_int_equal(node_has(node, MIB_dcampValueRaw, sensor, instance), expected->has_raw);
    if (expected->text) {
        assert_cell_text(node, MIB_dcampValueText, sensor, instance, expected->text);
        assert_int_equal(number_at(node, MIB_dcampValueMilli, sensor, instance), expected->milli);
    }
    if (expected->has_raw)
        assert_true((uint64_t)number_at(node, MIB_dcampValueRaw, sensor, instance) ==
                    expected->raw);
}

static void values_are_there_when_they_are_valid(void **state)
{
    for (size_t i = 0; i < N_OF(values); i++)
        check_value(*state, &values[i]);
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
    static const enum mib_object missing[] = {MIB_dcampSensorMetric, MIB_dcampThresholdSensor,
                                              MIB_dcampThresholdOperator, MIB_dcampThresholdLimit};
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

static void scalars_count(void **state)
{
    struct node *node = *state;
    node_wait_saved(node);
    assert_cell_text(node, MIB_dcampNodeName, NULL, NULL, "lap");
    assert_cell_text(node, MIB_dcampNodeVersion, NULL, NULL, PACKAGE_VERSION);
    assert_cell_text(node, MIB_dcampNodeGroup, NULL, NULL, "default");
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), dcampNodeRole_metric);
    assert_int_equal(number_at(node, MIB_dcampNodeBoot, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampReportBoot, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampSelfCycles, NULL, NULL), 3);
    assert_int_equal(number_at(node, MIB_dcampSelfLateCycles, NULL, NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampSelfSampleErrors, NULL, NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampSelfSets, NULL, NULL), 4);
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

/* -- Getters' helpers ------------------------------------------------------------------------ */

static void dates_of_all_times(void **state)
{
    (void)state;
    static const struct {
        int64_t wall_ms;
        const char *octets; /* NULL: has none */
    } dates[] = {
        {0, "\x07\xb2\x01\x01\x00\x00\x00\x00+\x00\x00"},
        {-1, "\x07\xb1\x0c\x1f\x17\x3b\x3b\x09+\x00\x00"},
        {-1000, "\x07\xb1\x0c\x1f\x17\x3b\x3b\x00+\x00\x00"},
        {951827696789, "\x07\xd0\x02\x1d\x0c\x22\x38\x07+\x00\x00"}, /* 2000-02-29 */
        {INT64_C(2005949145599999), "\xff\xff\x0c\x1f\x17\x3b\x3b\x09+\x00\x00"},
        {INT64_C(2005949145600000), NULL}, /* the year 65536 */
        {INT64_C(-62167219200000), "\x00\x00\x01\x01\x00\x00\x00\x00+\x00\x00"},
        {INT64_C(-62167219200001), NULL},
        {INT64_MAX, NULL},
        {INT64_MIN, NULL},
    };
    for (size_t i = 0; i < N_OF(dates); i++) {
        struct mib_value value;
        bool given = give_date(&value, dates[i].wall_ms);
        assert_int_equal(given, dates[i].octets != NULL);
        if (!given)
            continue;
        assert_int_equal(value.octets.len, 11);
        assert_memory_equal(value.octets.at, dates[i].octets, 11);
        assert_true(is_date(value.octets.at, 11));
    }
}

/* Thousandths are rounded to the nearest, and clamped. */
static void thousandths(void **state)
{
    (void)state;
    static const struct {
        double value;
        int64_t milli;
    } cases[] = {{0, 0},
                 {0.0004, 0},
                 {0.0006, 1},
                 {-0.0006, -1},
                 {1.2344, 1234},
                 {1.2346, 1235},
                 {-12.5, -12500},
                 {2147483.647, INT32_MAX},
                 {2147483.648, INT32_MAX},
                 {1e300, INT32_MAX},
                 {-2147483.648, INT32_MIN},
                 {-2147483.649, INT32_MIN},
                 {-1e300, INT32_MIN}};
    struct engine engine;
    assert_null(engine_open(&engine, NULL));
    column_get *get = engine.bound[MIB_dcampValueMilli].column->get;
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct series series = {.result = {RESULT_VALID, cases[i].value}};
        struct mib_value value;
        assert_true(get(NULL, &series, &value));
        assert_int_equal(value.integer, cases[i].milli);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(cells_hold_what_the_mib_says),
        node_test(keys_are_those_of_the_index),
        node_test(values_are_there_when_they_are_valid),
        node_test(values_have_time_and_age),
        node_test(sensors_tell_their_state),
        node_test(series_are_in_the_dictionary),
        node_test(rows_that_are_not_ready),
        node_test(thresholds_tell_their_phase),
        node_test(scalars_count),
        node_test(processes_are_found_by_name),
        cmocka_unit_test(dates_of_all_times),
        cmocka_unit_test(thousandths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
