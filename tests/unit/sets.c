#include "sets.h"

const struct kit kits[KITS] = {
    {.kind = ROW_SENSOR,
     .table = MIB_dcampSensorTable,
     .name = MIB_dcampSensorName,
     .status = MIB_dcampSensorRowStatus,
     .storage = MIB_dcampSensorStorageType,
     .read_only = MIB_dcampSensorSeries,
     .n_columns = 7,
     .n_required = 1,
     .columns = {{MIB_dcampSensorMetric, 0, "net.rx.bytes", 0, "net.tx.bytes"},
                 {MIB_dcampSensorInstances, 0, "eth*", 0, "!lo *"},
                 {MIB_dcampSensorCalculation, CALC_RATE, NULL, CALC_DELTA, NULL},
                 {MIB_dcampSensorInterval, 100, NULL, 86400000, NULL},
                 {MIB_dcampSensorFilter, 0, "file", 0, ""},
                 {MIB_dcampSensorWindow, 86400000, NULL, 0, NULL},
                 {MIB_dcampSensorExpression, 0, "", 0, ""}}},
    {.kind = ROW_FILTER,
     .table = MIB_dcampFilterTable,
     .name = MIB_dcampFilterName,
     .status = MIB_dcampFilterRowStatus,
     .storage = MIB_dcampFilterStorageType,
     .read_only = MIB_dcampFilterPassed,
     .n_columns = 6,
     .n_required = 0,
     .columns = {{MIB_dcampFilterThrottle, 604800000, NULL, 0, NULL},
                 {MIB_dcampFilterHeartbeat, 60000, NULL, 604800000, NULL},
                 {MIB_dcampFilterDeadband, 0, "1.5", 0, ""},
                 {MIB_dcampFilterDeadbandPercent, 0, "0", 0, "+0.25"},
                 {MIB_dcampFilterGate, COMPARE_LE, NULL, COMPARE_NONE, NULL},
                 {MIB_dcampFilterGateLimit, 0, "-3.250", 0, "7"}}},
    {.kind = ROW_THRESHOLD,
     .table = MIB_dcampThresholdTable,
     .name = MIB_dcampThresholdName,
     .status = MIB_dcampThresholdRowStatus,
     .storage = MIB_dcampThresholdStorageType,
     .read_only = MIB_dcampThresholdRaised,
     .n_columns = 10,
     .n_required = 3,
     .columns = {{MIB_dcampThresholdSensor, 0, "file", 0, "not.there.yet"},
                 {MIB_dcampThresholdOperator, COMPARE_GE, NULL, COMPARE_GT, NULL},
                 {MIB_dcampThresholdLimit, 0, "90.0", 0, "95"},
                 {MIB_dcampThresholdInstances, 0, "tot*", 0, "*"},
                 {MIB_dcampThresholdClear, 0, "80", 0, ""},
                 {MIB_dcampThresholdMatch, 2, NULL, 1, NULL},
                 {MIB_dcampThresholdWindow, 64, NULL, 3, NULL},
                 {MIB_dcampThresholdDuration, 86400000, NULL, 0, NULL},
                 {MIB_dcampThresholdSeverity, SEVERITY_CRITICAL, NULL, SEVERITY_INFO, NULL},
                 {MIB_dcampThresholdDescription, 0, "Gr\303\274\303\237e", 0, ""}}},
    {.kind = ROW_AGGREGATE,
     .table = MIB_dcampAggregateTable,
     .name = MIB_dcampAggregateName,
     .status = MIB_dcampAggregateRowStatus,
     .storage = MIB_dcampAggregateStorageType,
     .read_only = MIB_dcampAggregateValues,
     .n_columns = 9,
     .n_required = 2,
     .columns = {{MIB_dcampAggregateSensor, 0, "file", 0, "not.there.yet"},
                 {MIB_dcampAggregateFunction, AGGREGATE_SUM, NULL, AGGREGATE_STDDEV, NULL},
                 {MIB_dcampAggregateBy, AGGREGATE_BY_CHILD, NULL, AGGREGATE_BY_GROUP, NULL},
                 {MIB_dcampAggregateParameter, 0, "", 0, ""},
                 {MIB_dcampAggregateChildren, 0, "web*", 0, "!db* *"},
                 {MIB_dcampAggregateGroups, 0, "default", 0, "*"},
                 {MIB_dcampAggregateInstances, 0, "eth*", 0, "total"},
                 {MIB_dcampAggregateInterval, 100, NULL, 86400000, NULL},
                 {MIB_dcampAggregateFilter, 0, "file", 0, ""}}},
    {.kind = ROW_CHILD,
     .table = MIB_dcampChildTable,
     .name = MIB_dcampChildName,
     .status = MIB_dcampChildRowStatus,
     .storage = MIB_dcampChildStorageType,
     .read_only = MIB_dcampChildState,
     .n_columns = 5,
     .n_required = 2,
     .columns = {{MIB_dcampChildAddress, 0, "udp:192.0.2.7:161", 0, "udp6:[2001:db8::7]:1161"},
                 {MIB_dcampChildCredential, 0, "file", 0, "not.there.yet"},
                 {MIB_dcampChildGroup, 0, "web", 0, "default"},
                 {MIB_dcampChildPeriod, 100, NULL, 3600000, NULL},
                 {MIB_dcampChildKind, CHILD_OF_SNMP, NULL, CHILD_OF_DCAMP, NULL}}},
    {.kind = ROW_OBJECT,
     .table = MIB_dcampObjectTable,
     .name = MIB_dcampObjectName,
     .status = MIB_dcampObjectRowStatus,
     .storage = MIB_dcampObjectStorageType,
     .read_only = MIB_dcampObjectSeries,
     .n_columns = 12,
     .n_required = 1,
     .columns = {{MIB_dcampObjectOid, 0, "1.3.6.1.2.1.31.1.1.1.6", 0, "2.999"},
                 {MIB_dcampObjectType, OBJECT_COLUMN, NULL, OBJECT_COLUMN, NULL},
                 {MIB_dcampObjectKind, METRIC_COUNTER, NULL, METRIC_GAUGE, NULL},
                 {MIB_dcampObjectUnit, 0, "B", 0, ""},
                 {MIB_dcampObjectScale, 0, "-0.125", 0, "1024"},
                 {MIB_dcampObjectCalculation, CALC_RATE, NULL, CALC_BASIC, NULL},
                 {MIB_dcampObjectChildren, 0, "switch*", 0, "!web* *"},
                 {MIB_dcampObjectGroups, 0, "default", 0, "*"},
                 {MIB_dcampObjectInstances, 0, "eth*", 0, "!lo *"},
                 {MIB_dcampObjectWindow, 86400000, NULL, 0, NULL},
                 {MIB_dcampObjectFilter, 0, "file", 0, ""},
                 {MIB_dcampObjectLabel, 0, "1.3.6.1.2.1.31.1.1.1.1", 0, "0.0"}}},
};

static const char set_elements[] =
    "<sensors><sensor name=\"file\" metric=\"load.1\" filter=\"file\"/></sensors>\n"
    "<filters><filter name=\"file\" deadband=\"1\"/></filters>\n"
    "<thresholds><threshold name=\"file\" sensor=\"file\" operator=\"gt\" limit=\"90\"/>"
    "</thresholds>\n"
    "<aggregates><aggregate name=\"file\" sensor=\"file\" function=\"sum\"/></aggregates>\n"
    "<children><child name=\"file\" address=\"udp:192.0.2.1:161\" "
    "credential=\"file\"/></children>\n"
    "<objects><object name=\"file\" oid=\"1.3.6.1.2.1.2.2.1.10\"/></objects>\n"
    "<credentials><credential name=\"file\" user=\"u\" secrets=\"/nowhere\"/></credentials>";

struct bind column_bind(const struct kit *kit, size_t column, const char *name, bool other)
{
    const struct column_values *values = &kit->columns[column];
    return (struct bind){values->object, name, other ? values->other_number : values->number,
                         other ? values->other_text : values->text};
}

void pdu_row(struct pdu *pdu, const struct kit *kit, const char *name, int status, size_t n_columns,
             bool other)
{
    struct bind bind = {kit->status, name, status, NULL};
    if (status)
        pdu_add(pdu, &bind);
    for (size_t i = 0; i < n_columns; i++) {
        bind = column_bind(kit, i, name, other);
        pdu_add(pdu, &bind);
    }
}

void set_row(struct node *node, const struct kit *kit, const char *name, int status,
             size_t n_columns)
{
    struct pdu pdu = {.n = 0};
    size_t index = 0;
    pdu_row(&pdu, kit, name, status, n_columns, false);
    assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
}

int set_setup(void **state)
{
    struct node *node = node_new(set_elements);
    *state = node;
    for (size_t k = 0; k < N_OF(kits); k++) {
        set_row(node, &kits[k], "old", CREATE_AND_GO, kits[k].n_required);
        set_row(node, &kits[k], "spare", CREATE_AND_GO, kits[k].n_columns);
        set_row(node, &kits[k], "target", CREATE_AND_GO, kits[k].n_required);
        set_row(node, &kits[k], "half", CREATE_AND_WAIT, 0);
        set_row(node, &kits[k], "idle", CREATE_AND_WAIT, kits[k].n_required);
    }
    node_cycle(node, 0);
    node_wait_saved(node);
    return 0;
}

const struct kit *kit_of(struct node *node, enum mib_object object)
{
    size_t k = 0;
    while (kits[k].kind != node->engine.bound[object].table->kind)
        k++;
    return &kits[k];
}

struct row *find_row(struct node *node, const struct kit *kit, const char *name)
{
    return config_find(node->daemon->config, kit->kind, name);
}
