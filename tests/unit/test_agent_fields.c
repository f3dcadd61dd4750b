/* The MIB and the configuration agree: fields have the syntax, range, labels and default of their
 * columns, and every enumeration has the same names and numbers in both. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/engine.h"
#include "agent/tables.h"
#include "base/text.h"
#include "daemon/dcampd.h"

#include "tree/message.h"
#include "unit.h"

static struct engine *engine_new(void)
{
    struct engine *engine = calloc(1, sizeof *engine);
    assert_non_null(engine);
    assert_null(engine_open(engine, dcamp_tables, dcamp_table_count));
    return engine;
}

static const struct column *column_of(const struct table *table, const char *field)
{
    const struct column *found = NULL;
    for (size_t c = 0; c < table->n_columns; c++) {
        if (!table->columns[c].field || strcmp(table->columns[c].field, field) != 0)
            continue;
        if (found)
            fail_msg("%s has two columns", field);
        found = &table->columns[c];
    }
    return found;
}

static void fields_have_one_column(void **state)
{
    (void)state;
    unsigned kinds = 0;
    for (size_t t = 0; t < dcamp_table_count; t++) {
        const struct table *table = dcamp_tables[t];
        if (!table->is_config)
            continue;
        kinds |= 1u << table->kind;
        const struct row_type *type = row_type(table->kind);
        for (size_t f = 0; f < type->n_fields; f++)
            if ((column_of(table, type->fields[f].name) == NULL) !=
                (type->fields[f].type == FIELD_HEX ||
                 type->fields[f].type == FIELD_KEY)) /* keys are shown to nobody */
                fail_msg("field %s of %s has no column, or has one", type->fields[f].name,
                         type->element);
    }
    /* Whom this node asks, and what leads to secrets, is in no table; sinks are shown only. */
    assert_int_equal(kinds, ((1u << ROW_KINDS) - 1) & ~(1u << ROW_CREDENTIAL) &
                                ~(1u << ROW_ENDPOINT) & ~(1u << ROW_SINK));
}

/* -- Fields ---------------------------------------------------------------------------------- */

static void assert_range(const struct mib_info *info, enum mib_syntax syntax, int64_t low,
                         int64_t high)
{
    if (info->syntax != syntax || info->n_ranges != 1 || info->ranges[0].low != low ||
        info->ranges[0].high != high)
        fail_msg("%s: its syntax or range is not that of its field", info->name);
}

/* A number with a range, and below that perhaps 0, which is a word in XML. */
static void assert_number(const struct mib_info *info, const struct field *field)
{
    if (!field->zero)
        return assert_range(info, MIB_SYNTAX_UNSIGNED, field->min, field->max);
    if (info->syntax != MIB_SYNTAX_UNSIGNED || info->n_ranges != 2 || info->ranges[0].low != 0 ||
        info->ranges[0].high != 0 || info->ranges[1].low != field->min ||
        info->ranges[1].high != field->max)
        fail_msg("%s: its syntax or ranges are not those of its field", info->name);
}

static const struct mib_label *label_named(const struct mib_info *info, const char *name)
{
    for (size_t i = 0; i < info->n_labels; i++)
        if (strcmp(info->labels[i].name, name) == 0)
            return &info->labels[i];
    return NULL;
}

/* What the MIB has for reading only, as its descriptions say. */
static bool never_set(const struct mib_info *info, const char *label)
{
    return (info == &mib_objects[MIB_dcampThresholdOperator] && strcmp(label, "none") == 0) ||
           ((info == &mib_objects[MIB_dcampThresholdSeverity] ||
             info == &mib_objects[MIB_dcampConditionSeverity]) &&
            strcmp(label, "clear") == 0);
}

static void check_labels(const struct mib_info *info, const struct field *field,
                         enum mib_syntax syntax)
{
    size_t labels = 0;
    assert_int_equal(info->syntax, syntax);
    for (size_t i = 0; i < field->n_labels; i++) {
        if (!field->labels[i])
            continue;
        const struct mib_label *label = label_named(info, field->labels[i]);
        if (!label || label->value != (int)i)
            fail_msg("%s: %s(%zu) is not in the MIB", info->name, field->labels[i], i);
        labels++;
    }
    for (size_t i = 0; i < info->n_labels; i++)
        labels += never_set(info, info->labels[i].name);
    assert_int_equal(labels, info->n_labels);
}

static void check_syntax(const struct mib_info *info, const struct field *field)
{
    switch (field->type) {
    case FIELD_NAME:
    case FIELD_METRIC:
        return assert_range(info, MIB_SYNTAX_OCTETS, field->initial && field->initial[0],
                            NAME_SIZE - 1);
    case FIELD_PEER:
        return assert_range(info, MIB_SYNTAX_OCTETS, 0, PEER_ADDRESS_SIZE - 1);
    case FIELD_OID:
        assert_int_equal(info->syntax, MIB_SYNTAX_OID);
        return;
    case FIELD_BITS:
        assert_int_equal(info->convention, MIB_BITS);
        return check_labels(info, field, MIB_SYNTAX_OCTETS);
    case FIELD_PATTERN:
        return assert_range(info, MIB_SYNTAX_OCTETS, !field->initial || field->initial[0],
                            PATTERN_SIZE - 1);
    case FIELD_TEXT:
    case FIELD_EXPRESSION:
        return assert_range(info, MIB_SYNTAX_OCTETS, 0, (int64_t)field->size - 1);
    case FIELD_DECIMAL:
        return assert_range(info, MIB_SYNTAX_OCTETS, 0, DECIMAL_SIZE - 1);
    case FIELD_MILLIS:
    case FIELD_COUNT:
        return assert_number(info, field);
    case FIELD_ENUM:
        return check_labels(info, field, MIB_SYNTAX_INTEGER);
    case FIELD_DATE:
        assert_int_equal(info->convention, MIB_DATE);
        return;
    default:
        fail_msg("%s: rows have no such fields", info->name);
    }
}

/* The default as SMIv2 writes it: a number, a label or a quoted text. */
static void default_text(const struct field *field, char text[MESSAGE_SIZE])
{
    uint32_t millis = 0;
    const char *initial = field->initial;
    switch (field->type) {
    case FIELD_MILLIS:
        assert_true(text_to_millis(initial, strlen(initial), &millis));
        snprintf(text, MESSAGE_SIZE, "%u", millis);
        break;
    case FIELD_COUNT:
    case FIELD_ENUM:
        snprintf(text, MESSAGE_SIZE, "%s", initial);
        break;
    case FIELD_DATE: /* none */
        assert_string_equal(initial, "");
        snprintf(text, MESSAGE_SIZE, "0"); /* as the MIB's parser gives it */
        break;
    case FIELD_BITS: /* none */
        assert_string_equal(initial, "");
        snprintf(text, MESSAGE_SIZE, "{ }");
        break;
    case FIELD_OID:
        assert_string_equal(initial, "");
        snprintf(text, MESSAGE_SIZE, "zeroDotZero");
        break;
    default:
        snprintf(text, MESSAGE_SIZE, "\"%s\"", initial);
    }
}

/* A field without a default must be set, and the MIB has no DEFVAL for it. */
static void check_default(const struct mib_info *info, const struct field *field)
{
    char text[MESSAGE_SIZE];
    if (!field->initial != !info->initial)
        fail_msg("%s: has a default here and none there", info->name);
    if (!field->initial)
        return;
    default_text(field, text);
    assert_string_equal(info->initial, text);
}

/* Limits of the field, tried: what the MIB allows is taken, what is beyond is not. */
static void check_limits(const struct mib_info *info, enum row_kind kind, const struct field *field)
{
    struct row *row = row_new(kind, "any");
    for (size_t r = 0; r < info->n_ranges && info->syntax == MIB_SYNTAX_UNSIGNED; r++) {
        assert_int_equal(field_set_number(row, field, info->ranges[r].low), FIELD_OK);
        assert_int_equal(field_number(row, field), info->ranges[r].low);
        assert_int_equal(field_set_number(row, field, info->ranges[r].high), FIELD_OK);
        assert_int_equal(field_set_number(row, field, info->ranges[r].high + 1), FIELD_WRONG_VALUE);
        assert_int_equal(field_set_number(row, field, info->ranges[r].low - 1), FIELD_WRONG_VALUE);
        assert_int_equal(field_number(row, field), info->ranges[r].high);
    }
    for (int value = -1; value < 12 && info->syntax == MIB_SYNTAX_INTEGER; value++) {
        const char *name = NULL;
        for (size_t i = 0; i < info->n_labels; i++)
            name = info->labels[i].value == value ? info->labels[i].name : name;
        bool right = name && !never_set(info, name);
        assert_int_equal(field_set_number(row, field, value), right ? FIELD_OK : FIELD_WRONG_VALUE);
    }
    for (int64_t bits = -1; bits < 1024 && info->convention == MIB_BITS; bits++) {
        bool right = bits >= 0 && bits < INT64_C(1) << info->n_labels;
        assert_int_equal(field_set_number(row, field, bits), right ? FIELD_OK : FIELD_WRONG_VALUE);
        assert_true(!right || field_number(row, field) == bits);
    }
    row_free(row);
}

static void fields_are_those_of_the_mib(void **state)
{
    (void)state;
    struct engine *engine = engine_new();
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct binding *bound = &engine->bound[i];
        if (!bound->field)
            continue;
        check_syntax(&mib_objects[i], bound->field);
        check_default(&mib_objects[i], bound->field);
        check_limits(&mib_objects[i], bound->table->kind, bound->field);
    }
    free(engine);
}

static void new_rows_have_the_defaults(void **state)
{
    (void)state;
    for (int i = 0; i < MIB_OBJECTS; i++) {
        const struct mib_info *info = &mib_objects[i];
        if (info->convention == MIB_STORAGE_TYPE)
            assert_string_equal(info->initial, "nonVolatile");
        if (info->convention == MIB_ROW_STATUS)
            assert_null(info->initial);
        assert_true(!info->initial || info->access == MIB_READ_CREATE);
    }
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        struct row *row = row_new((enum row_kind)kind, "any");
        assert_int_equal(row->storage, STORAGE_NONVOLATILE);
        assert_int_equal(row->status, ROW_NOT_READY);
        row_free(row);
    }
}

/* -- Enumerations ---------------------------------------------------------------------------- */

struct number {
    enum mib_object object;
    const char *label;
    int in_c, generated;
};

#define NUMBER(object_, label_, in_c_)                                                             \
    {                                                                                              \
        .object = MIB_##object_, .label = #label_, .in_c = (int)(in_c_),                           \
        .generated = object_##_##label_                                                            \
    }
#define OPERATORS(object)                                                                          \
    NUMBER(object, gt, COMPARE_GT), NUMBER(object, ge, COMPARE_GE),                                \
        NUMBER(object, lt, COMPARE_LT), NUMBER(object, le, COMPARE_LE),                            \
        NUMBER(object, eq, COMPARE_EQ), NUMBER(object, ne, COMPARE_NE),                            \
        NUMBER(object, none, COMPARE_NONE)
#define SEVERITIES(object)                                                                         \
    NUMBER(object, clear, SEVERITY_CLEAR), NUMBER(object, info, SEVERITY_INFO),                    \
        NUMBER(object, warning, SEVERITY_WARNING), NUMBER(object, critical, SEVERITY_CRITICAL)
/* What a row cannot be in has its number from RFC 2579. */
#define STATUSES(object)                                                                           \
    NUMBER(object, active, ROW_ACTIVE), NUMBER(object, notInService, ROW_NOT_IN_SERVICE),          \
        NUMBER(object, notReady, ROW_NOT_READY), NUMBER(object, createAndGo, 4),                   \
        NUMBER(object, createAndWait, 5), NUMBER(object, destroy, 6)
#define STORAGES(object)                                                                           \
    NUMBER(object, other, STORAGE_OTHER), NUMBER(object, volatile, STORAGE_VOLATILE),              \
        NUMBER(object, nonVolatile, STORAGE_NONVOLATILE),                                          \
        NUMBER(object, permanent, STORAGE_PERMANENT), NUMBER(object, readOnly, STORAGE_READONLY)
#define TRUTH(object) NUMBER(object, true, 1), NUMBER(object, false, 2)
#define EVENTS(column)                                                                             \
    NUMBER(column, raised, ALARM_RAISED), NUMBER(column, cleared, ALARM_CLEARED),                  \
        NUMBER(column, acknowledged, ALARM_ACKNOWLEDGED),                                          \
        NUMBER(column, suppressed, ALARM_SUPPRESSED), NUMBER(column, changed, ALARM_CHANGED),      \
        NUMBER(column, repeated, ALARM_REPEATED), NUMBER(column, flapping, ALARM_FLAPPING)
#define HOLDS(object)                                                                              \
    NUMBER(object, none, HOLD_NONE), NUMBER(object, rate, HOLD_RATE),                              \
        NUMBER(object, acknowledged, HOLD_ACKNOWLEDGED), NUMBER(object, quiet, HOLD_QUIET),        \
        NUMBER(object, maintenance, HOLD_MAINTENANCE),                                             \
        NUMBER(object, dependency, HOLD_DEPENDENCY), NUMBER(object, dampened, HOLD_DAMPENED),      \
        NUMBER(object, flapping, HOLD_FLAPPING)
/* Computed where the column is read, by the generated constants themselves. */
#define COMPUTED(object, label) NUMBER(object, label, object##_##label)

static const struct number numbers[] = {
    COMPUTED(dcampNodeRole, base),
    COMPUTED(dcampNodeRole, metric),
    COMPUTED(dcampNodeRole, collector),
    COMPUTED(dcampNodeRole, root),
    COMPUTED(dcampSensorState, sampling),
    COMPUTED(dcampSensorState, waiting),
    COMPUTED(dcampSensorState, unavailable),
    COMPUTED(dcampSensorState, paused),
    TRUTH(dcampSelfStateDirty),
    TRUTH(dcampAlarmLogNotified),
    TRUTH(dcampChildAlarmUnconfirmed),
    NUMBER(dcampResourceClass, node, RESOURCE_NODE),
    NUMBER(dcampResourceClass, cpu, RESOURCE_CPU),
    NUMBER(dcampResourceClass, disk, RESOURCE_DISK),
    NUMBER(dcampResourceClass, partition, RESOURCE_PARTITION),
    NUMBER(dcampResourceClass, interface, RESOURCE_INTERFACE),
    NUMBER(dcampResourceClass, filesystem, RESOURCE_FILESYSTEM),
    NUMBER(dcampResourceClass, hardware, RESOURCE_HARDWARE),
    NUMBER(dcampResourceClass, cgroup, RESOURCE_CGROUP),
    NUMBER(dcampResourceClass, process, RESOURCE_PROCESS),
    NUMBER(dcampResourceClass, program, RESOURCE_PROGRAM),
    NUMBER(dcampResourceClass, application, RESOURCE_APPLICATION),
    NUMBER(dcampResourceClass, applicationSensor, RESOURCE_APPLICATION_SENSOR),
    NUMBER(dcampResourceClass, jvm, RESOURCE_JVM),
    NUMBER(dcampResourceClass, jvmCollector, RESOURCE_JVM_COLLECTOR),
    NUMBER(dcampResourceClass, endpoint, RESOURCE_ENDPOINT),
    NUMBER(dcampResourceClass, endpointSeries, RESOURCE_ENDPOINT_SERIES),
    NUMBER(dcampSensorCalculation, basic, CALC_BASIC),
    NUMBER(dcampSensorCalculation, delta, CALC_DELTA),
    NUMBER(dcampSensorCalculation, rate, CALC_RATE),
    NUMBER(dcampSensorCalculation, average, CALC_AVERAGE),
    NUMBER(dcampSensorCalculation, percent, CALC_PERCENT),
    NUMBER(dcampSensorKind, counter, METRIC_COUNTER),
    NUMBER(dcampSensorKind, gauge, METRIC_GAUGE),
    NUMBER(dcampValueState, valid, RESULT_VALID),
    NUMBER(dcampValueState, waiting, RESULT_WAITING),
    NUMBER(dcampValueState, gap, RESULT_GAP),
    NUMBER(dcampValueState, unavailable, RESULT_UNAVAILABLE),
    NUMBER(dcampChildState, discovering, CHILD_DISCOVERING),
    NUMBER(dcampChildState, up, CHILD_UP),
    NUMBER(dcampChildState, late, CHILD_LATE),
    NUMBER(dcampChildState, down, CHILD_DOWN),
    NUMBER(dcampChildState, refused, CHILD_REFUSED),
    NUMBER(dcampChildState, wrongKey, CHILD_WRONG_KEY),
    NUMBER(dcampChildState, paused, CHILD_PAUSED),
    NUMBER(dcampChildKind, dcamp, CHILD_OF_DCAMP),
    NUMBER(dcampChildKind, snmp, CHILD_OF_SNMP),
    NUMBER(dcampSinkMode, sync, OUTLET_SYNC),
    NUMBER(dcampSinkMode, async, OUTLET_ASYNC),
    NUMBER(dcampProcessRankBy, cpu, USAGE_CPU + 1),
    NUMBER(dcampProcessRankBy, memory, USAGE_MEMORY + 1),
    NUMBER(dcampSinkState, absent, OUTLET_SINK_ABSENT),
    NUMBER(dcampSinkState, up, OUTLET_SINK_UP),
    NUMBER(dcampSinkState, failing, OUTLET_SINK_FAILING),
    NUMBER(dcampObjectType, scalar, OBJECT_SCALAR),
    NUMBER(dcampObjectType, column, OBJECT_COLUMN),
    NUMBER(dcampObjectKind, counter, METRIC_COUNTER),
    NUMBER(dcampObjectKind, gauge, METRIC_GAUGE),
    NUMBER(dcampObjectCalculation, basic, CALC_BASIC),
    NUMBER(dcampObjectCalculation, delta, CALC_DELTA),
    NUMBER(dcampObjectCalculation, rate, CALC_RATE),
    NUMBER(dcampChildValueState, valid, RESULT_VALID),
    NUMBER(dcampChildValueState, waiting, RESULT_WAITING),
    NUMBER(dcampChildValueState, gap, RESULT_GAP),
    NUMBER(dcampChildValueState, unavailable, RESULT_UNAVAILABLE),
    COMPUTED(dcampChildValueState, stale),
    NUMBER(dcampAggregateSource, value, AGGREGATE_VALUES),
    NUMBER(dcampAggregateSource, window, AGGREGATE_WINDOWS),
    NUMBER(dcampAggregateFunction, sum, AGGREGATE_SUM),
    NUMBER(dcampAggregateFunction, avg, AGGREGATE_AVG),
    NUMBER(dcampAggregateFunction, min, AGGREGATE_MIN),
    NUMBER(dcampAggregateFunction, max, AGGREGATE_MAX),
    NUMBER(dcampAggregateFunction, count, AGGREGATE_COUNT),
    NUMBER(dcampAggregateFunction, stddev, AGGREGATE_STDDEV),
    NUMBER(dcampAggregateFunction, percentile, AGGREGATE_PERCENTILE),
    NUMBER(dcampAggregateFunction, top, AGGREGATE_TOP),
    NUMBER(dcampAggregateFunction, share, AGGREGATE_SHARE),
    NUMBER(dcampSensorReport, pull, REPORT_PULL),
    NUMBER(dcampSensorReport, push, REPORT_PUSH),
    NUMBER(dcampSensorLevel, threshold, LEVEL_THRESHOLD),
    NUMBER(dcampSensorLevel, basic, LEVEL_BASIC),
    NUMBER(dcampSensorLevel, percentile, LEVEL_PERCENTILE),
    NUMBER(dcampApplicationSensorKind, counter, SEGMENT_COUNTER),
    NUMBER(dcampApplicationSensorKind, gauge, SEGMENT_GAUGE),
    NUMBER(dcampApplicationSensorKind, timer, SEGMENT_TIMER),
    NUMBER(dcampApplicationSensorKind, histogram, SEGMENT_HISTOGRAM),
    NUMBER(dcampApplicationSensorKind, top, SEGMENT_TOP),
    NUMBER(dcampApplicationSensorKind, step, SEGMENT_STEP),
    NUMBER(dcampTopGuaranteed, true, TRUTH_TRUE),
    NUMBER(dcampTopGuaranteed, false, TRUTH_FALSE),
    NUMBER(dcampApplicationThreadLives, true, TRUTH_TRUE),
    NUMBER(dcampApplicationThreadLives, false, TRUTH_FALSE),
    NUMBER(dcampAggregateTopGuaranteed, true, TRUTH_TRUE),
    NUMBER(dcampAggregateTopGuaranteed, false, TRUTH_FALSE),
    NUMBER(dcampAggregateReport, pull, REPORT_PULL),
    NUMBER(dcampAggregateReport, push, REPORT_PUSH),
    NUMBER(dcampAggregateBy, all, AGGREGATE_BY_ALL),
    NUMBER(dcampAggregateBy, group, AGGREGATE_BY_GROUP),
    NUMBER(dcampAggregateBy, instance, AGGREGATE_BY_INSTANCE),
    NUMBER(dcampAggregateBy, child, AGGREGATE_BY_CHILD),
    NUMBER(dcampAggregateValueState, valid, RESULT_VALID),
    NUMBER(dcampAggregateValueState, waiting, RESULT_WAITING),
    NUMBER(dcampAggregateValueState, gap, RESULT_GAP),
    NUMBER(dcampAggregateValueState, unavailable, RESULT_UNAVAILABLE),
    NUMBER(dcampThresholdStatePhase, unknown, PHASE_UNKNOWN),
    NUMBER(dcampThresholdStatePhase, clear, PHASE_CLEAR),
    NUMBER(dcampThresholdStatePhase, pending, PHASE_PENDING),
    NUMBER(dcampThresholdStatePhase, raised, PHASE_RAISED),
    EVENTS(dcampAlarmEvent),
    EVENTS(dcampAlarmLogEvent),
    HOLDS(dcampAlarmHeld),
    HOLDS(dcampAlarmLogHeld),
    TRUTH(dcampThresholdNotify),
    TRUTH(dcampMaintenanceNow),
    NUMBER(dcampMaintenanceDays, sun, 0), /* as in tm_wday */
    NUMBER(dcampMaintenanceDays, mon, 1),
    NUMBER(dcampMaintenanceDays, tue, 2),
    NUMBER(dcampMaintenanceDays, wed, 3),
    NUMBER(dcampMaintenanceDays, thu, 4),
    NUMBER(dcampMaintenanceDays, fri, 5),
    NUMBER(dcampMaintenanceDays, sat, 6),
    NUMBER(dcampThresholdSource, value, INPUT_VALUE),
    NUMBER(dcampThresholdSource, rate, INPUT_RATE),
    NUMBER(dcampThresholdSource, forecast, INPUT_FORECAST),
    NUMBER(dcampThresholdSource, mean, INPUT_MEAN),
    NUMBER(dcampThresholdSource, stddev, INPUT_STDDEV),
    NUMBER(dcampThresholdSource, min, INPUT_MIN),
    NUMBER(dcampThresholdSource, max, INPUT_MAX),
    NUMBER(dcampThresholdSource, p50, INPUT_P50),
    NUMBER(dcampThresholdSource, p90, INPUT_P90),
    NUMBER(dcampThresholdSource, p95, INPUT_P95),
    NUMBER(dcampThresholdSource, p99, INPUT_P99),
    NUMBER(dcampThresholdSource, deviation, INPUT_DEVIATION),
    NUMBER(dcampThresholdDampening, none, DAMPEN_NONE),
    NUMBER(dcampThresholdDampening, oncePer, DAMPEN_ONCE_PER),
    NUMBER(dcampThresholdDampening, everyNth, DAMPEN_EVERY_NTH),
    NUMBER(dcampThresholdDampening, countWithin, DAMPEN_COUNT_WITHIN),
    NUMBER(dcampDocumentKind, share, DOCUMENT_SHARE),
    NUMBER(dcampDocumentKind, tree, DOCUMENT_TREE),
    NUMBER(dcampKeptWhich, inForce, PARTS_IN_FORCE),
    NUMBER(dcampKeptWhich, previous, PARTS_PREVIOUS),
    NUMBER(dcampDocumentState, none, DOCUMENT_NONE),
    NUMBER(dcampDocumentState, partial, DOCUMENT_PARTIAL),
    NUMBER(dcampDocumentState, waiting, DOCUMENT_WAITING),
    NUMBER(dcampDocumentState, inForce, DOCUMENT_IN_FORCE),
    NUMBER(dcampDocumentState, refused, DOCUMENT_REFUSED),
    COMPUTED(dcampTreeRole, base),
    COMPUTED(dcampTreeRole, metric),
    COMPUTED(dcampTreeRole, collector),
    COMPUTED(dcampTreeRole, root),
    NUMBER(dcampTreeState, unknown, TREE_UNKNOWN),
    NUMBER(dcampTreeState, unreachable, TREE_UNREACHABLE),
    NUMBER(dcampTreeState, joining, TREE_JOINING),
    NUMBER(dcampTreeState, up, TREE_UP),
    NUMBER(dcampTreeState, lost, TREE_LOST),
    NUMBER(dcampTreeState, refused, TREE_REFUSED),
    NUMBER(dcampTreeState, clone, TREE_CLONE),
    NUMBER(dcampTreeState, stopping, TREE_STOPPING),
    NUMBER(dcampTreeFound, listed, TREE_LISTED),
    NUMBER(dcampTreeFound, range, TREE_IN_RANGE),
    NUMBER(dcampTreeFound, announced, TREE_ANNOUNCED),
    TRUTH(dcampTreeIsRoot),
    NUMBER(dcampDeviationKind, sensor, ROW_SENSOR + 1),
    NUMBER(dcampDeviationKind, filter, ROW_FILTER + 1),
    NUMBER(dcampDeviationKind, threshold, ROW_THRESHOLD + 1),
    NUMBER(dcampDeviationKind, child, ROW_CHILD + 1),
    NUMBER(dcampDeviationKind, aggregate, ROW_AGGREGATE + 1),
    NUMBER(dcampDeviationKind, object, ROW_OBJECT + 1),
    NUMBER(dcampDeviationKind, condition, ROW_CONDITION + 1),
    NUMBER(dcampDeviationKind, maintenance, ROW_MAINTENANCE + 1),
    NUMBER(dcampDeviationKind, relay, ROW_RELAY + 1),
    COMPUTED(dcampDeviationWhat, added),
    COMPUTED(dcampDeviationWhat, changed),
    NUMBER(dcampDeviationLocal, true, TRUTH_TRUE),
    NUMBER(dcampDeviationLocal, false, TRUTH_FALSE),
    STATUSES(dcampMaintenanceRowStatus),
    STATUSES(dcampRelayRowStatus),
    NUMBER(dcampConditionRequire, any, REQUIRE_ANY),
    NUMBER(dcampConditionRequire, all, REQUIRE_ALL),
    NUMBER(dcampConditionBy, instance, BY_INSTANCE),
    NUMBER(dcampConditionBy, node, BY_NODE),
    NUMBER(dcampConditionBy, all, BY_ALL),
    SEVERITIES(dcampConditionSeverity),
    STATUSES(dcampConditionRowStatus),
    STORAGES(dcampConditionStorageType),
    STORAGES(dcampMaintenanceStorageType),
    STORAGES(dcampRelayStorageType),
    OPERATORS(dcampFilterGate),
    OPERATORS(dcampThresholdOperator),
    SEVERITIES(dcampThresholdSeverity),
    SEVERITIES(dcampAlarmSeverity),
    SEVERITIES(dcampAlarmLogSeverity),
    SEVERITIES(dcampChildAlarmSeverity),
    STATUSES(dcampSensorRowStatus),
    STATUSES(dcampFilterRowStatus),
    STATUSES(dcampThresholdRowStatus),
    STATUSES(dcampChildRowStatus),
    STATUSES(dcampAggregateRowStatus),
    STATUSES(dcampObjectRowStatus),
    STORAGES(dcampSensorStorageType),
    STORAGES(dcampFilterStorageType),
    STORAGES(dcampThresholdStorageType),
    STORAGES(dcampChildStorageType),
    STORAGES(dcampAggregateStorageType),
    STORAGES(dcampObjectStorageType),
};

static void enumerations_have_the_same_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(numbers); i++) {
        const struct number *number = &numbers[i];
        const struct mib_info *info = &mib_objects[number->object];
        const struct mib_label *label = label_named(info, number->label);
        if (!label || label->value != number->in_c || label->value != number->generated)
            fail_msg("%s_%s is another number", info->name, number->label);
    }
    /* And there are no others. */
    for (int object = 0; object < MIB_OBJECTS; object++) {
        size_t known = 0;
        for (size_t i = 0; i < N_OF(numbers); i++)
            known += (int)numbers[i].object == object;
        if (known != mib_objects[object].n_labels)
            fail_msg("%s has labels that are not compared", mib_objects[object].name);
    }
    const struct mib_info *severity = &mib_objects[MIB_dcampAlarmSeverity];
    for (size_t i = 0; i < severity->n_labels; i++)
        assert_string_equal(severity_text((enum severity)severity->labels[i].value),
                            severity->labels[i].name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_have_one_column),
        cmocka_unit_test(fields_are_those_of_the_mib),
        cmocka_unit_test(new_rows_have_the_defaults),
        cmocka_unit_test(enumerations_have_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
