/* For the tests of SET: the writable tables as data, a node with rows in each of them, and a
 * fingerprint of all that a SET could change. */
#ifndef DCAMP_TESTS_SETS_H
#define DCAMP_TESTS_SETS_H

#include "walk.h"

/* RFC 2579, RowStatus. */
enum { ACTIVE = 1, NOT_IN_SERVICE, NOT_READY, CREATE_AND_GO, CREATE_AND_WAIT, DESTROY };

#define COLUMNS_MAX 12

/* One writable table. The columns that must be set come first; each has two good values. */
struct kit {
    enum row_kind kind;
    enum mib_object table, name, status, storage, read_only;
    size_t n_columns, n_required;
    struct column_values {
        enum mib_object object;
        int64_t number;
        const char *text; /* NULL: the number counts */
        int64_t other_number;
        const char *other_text;
    } columns[COLUMNS_MAX];
};

static const struct kit kits[] = {
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

/* A column, with the first of its values or the other one. */
static inline struct bind column_bind(const struct kit *kit, size_t column, const char *name,
                                      bool other)
{
    const struct column_values *values = &kit->columns[column];
    return (struct bind){values->object, name, other ? values->other_number : values->number,
                         other ? values->other_text : values->text};
}

/* Adds RowStatus (unless 0) and columns from the first on. */
static inline void pdu_row(struct pdu *pdu, const struct kit *kit, const char *name, int status,
                           size_t n_columns, bool other)
{
    struct bind bind = {kit->status, name, status, NULL};
    if (status)
        pdu_add(pdu, &bind);
    for (size_t i = 0; i < n_columns; i++) {
        bind = column_bind(kit, i, name, other);
        pdu_add(pdu, &bind);
    }
}

static inline void set_row(struct node *node, const struct kit *kit, const char *name, int status,
                           size_t n_columns)
{
    struct pdu pdu = {.n = 0};
    size_t index = 0;
    pdu_row(&pdu, kit, name, status, n_columns, false);
    assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
}

/* Of each kind: "file" of the file; "old", "spare" and "target", which are active; "half", which
 * is not ready, or not in service where nothing must be set; "idle", not in service. */
static inline int set_setup(void **state)
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

#define set_test_(test) cmocka_unit_test_setup_teardown(test, set_setup, node_teardown)

static inline const struct kit *kit_of(struct node *node, enum mib_object object)
{
    size_t k = 0;
    while (kits[k].kind != node->engine.bound[object].table->kind)
        k++;
    return &kits[k];
}

static inline struct row *find_row(struct node *node, const struct kit *kit, const char *name)
{
    return config_find(node->daemon->config, kit->kind, name);
}

static inline uint64_t mix(uint64_t sum, const void *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum = (sum ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3); /* FNV-1a */
    return sum;
}

/* Of all rows with all that is in them, but for the key and its place in the index. */
static inline uint64_t rows_fingerprint(struct node *node)
{
    const struct config *config = node->daemon->config;
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (int kind = 0; kind < ROW_KINDS; kind++) {
        const size_t from = offsetof(struct row, kind), size = row_type(kind)->size;
        for (struct index_node *row = index_first(&config->rows[kind]); row; row = index_next(row))
            sum = mix(sum, (const char *)row + from, size - from);
        sum = mix(sum, &config->rows[kind].count, sizeof config->rows[kind].count);
    }
    return sum;
}

/* Of what a walk of the writable tables finds. */
static inline uint64_t walk_fingerprint(struct node *node)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (size_t k = 0; k < N_OF(kits); k++) {
        struct mib_oid at = cell_of(kits[k].table, NULL, NULL), end, found;
        struct mib_value value;
        at.len--;
        end = at;
        end.id[end.len - 1]++;
        while (engine_next(&node->engine, at.id, at.len, false, end.id, end.len, node->now, &found,
                           &value) == ENGINE_OK) {
            bool octets = value.syntax == MIB_SYNTAX_OCTETS;
            sum = mix(sum, found.id, found.len * sizeof *found.id);
            if (value.syntax == MIB_SYNTAX_OID) {
                sum = mix(sum, value.oid.at, value.oid.len * sizeof *value.oid.at);
                at = found;
                continue;
            }
            sum = mix(sum, octets ? value.octets.at : &value.number,
                      octets ? value.octets.len : sizeof value.number);
            at = found;
        }
    }
    return sum;
}

struct fingerprint {
    uint64_t rows, walk, sets;
    uint32_t serial;
    uint8_t digest[CONFIG_DIGEST];
};

static inline struct fingerprint fingerprint(struct node *node)
{
    const struct config *config = node->daemon->config;
    struct fingerprint print = {.rows = rows_fingerprint(node),
                                .walk = walk_fingerprint(node),
                                .sets = node->daemon->self.sets,
                                .serial = config->serial};
    config_digest(config, print.digest);
    return print;
}

/* The rows are as they were; the serial and the number of SETs need not be. */
static inline void assert_same_rows(struct node *node, const struct fingerprint *before)
{
    struct fingerprint now = fingerprint(node);
    assert_true(now.rows == before->rows);
    assert_true(now.walk == before->walk);
    assert_memory_equal(now.digest, before->digest, sizeof now.digest);
}

static inline void assert_nothing_changed(struct node *node, const struct fingerprint *before)
{
    assert_same_rows(node, before);
    assert_int_equal(node->daemon->config->serial, before->serial);
    assert_int_equal(node->daemon->self.sets, before->sets);
}

/* -- Bad varbinds ---------------------------------------------------------------------------- */

/* A varbind, and the error it must give wherever it stands in a PDU. */
struct bad {
    struct set_varbind varbind;
    struct mib_oid oid;
    enum set_error error;
};

enum place { FIRST, MIDDLE, LAST, PLACES };
enum around { NOTHING, CREATES, CHANGES, DESTROYS, AROUNDS };

/* Good varbinds for rows that the bad one is not for. */
static inline void add_good(struct pdu *pdu, const struct kit *kit, enum around around)
{
    switch (around) {
    case CREATES:
        return pdu_row(pdu, kit, "new", CREATE_AND_GO, kit->n_columns, false);
    case CHANGES:
        return pdu_row(pdu, kit, "old", 0, kit->n_columns, true);
    case DESTROYS:
        pdu_row(pdu, kit, "spare", DESTROY, 0, false);
        pdu_row(pdu, kit, "nowhere", DESTROY, 0, false);
        return pdu_row(pdu, kit, "file", NOT_IN_SERVICE, 0, false);
    default:
        return;
    }
}

static inline void put_at(struct pdu *pdu, size_t at, const struct set_varbind *varbind)
{
    memmove(&pdu->varbinds[at + 1], &pdu->varbinds[at], (pdu->n - at) * sizeof *pdu->varbinds);
    pdu->varbinds[at] = *varbind;
    pdu->n++;
}

static inline void check_once(struct node *node, const struct kit *kit, const struct bad *bad,
                              enum around around, enum place place)
{
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index = 0;
    uint64_t before = rows_fingerprint(node);
    struct set_varbind varbind = bad->varbind;
    varbind.oid = bad->oid.id;
    varbind.oid_len = bad->oid.len;
    add_good(&pdu, kit, around);
    size_t at = place == FIRST ? 0 : place == MIDDLE ? pdu.n / 2 : pdu.n;
    put_at(&pdu, at, &varbind);
    enum set_error error =
        set_test(&node->engine, pdu.varbinds, pdu.n, node->now, &transaction, &index);
    if (error != bad->error || index != at + 1)
        fail_msg("%s: syntax %d, number %jd, %zu octets: error %d at %zu of %zu, not %d at %zu",
                 oid_text(&bad->oid), (int)varbind.syntax, (intmax_t)varbind.number,
                 varbind.octets_len, error, index, pdu.n, bad->error, at + 1);
    assert_null(transaction);
    assert_true(rows_fingerprint(node) == before);
}

static inline void check_bad(struct node *node, const struct kit *kit, const struct bad *bad)
{
    struct fingerprint before = fingerprint(node);
    check_once(node, kit, bad, NOTHING, FIRST);
    for (enum around around = CREATES; around < AROUNDS; around++)
        for (enum place place = FIRST; place < PLACES; place++)
            check_once(node, kit, bad, around, place);
    assert_nothing_changed(node, &before);
}

/* A good varbind for a column of the row "target", to be spoiled. */
static inline struct bad bad_of(const struct kit *kit, enum mib_object object, enum set_error error)
{
    struct bad bad = {.error = error, .oid = cell_of(object, "target", NULL)};
    bad.varbind.syntax = mib_objects[object].syntax;
    if (object == kit->status)
        bad.varbind.number = ACTIVE;
    if (object == kit->storage)
        bad.varbind.number = STORAGE_NONVOLATILE;
    for (size_t i = 0; i < kit->n_columns; i++)
        if (kit->columns[i].object == object) {
            bad.varbind.number = kit->columns[i].number;
            varbind_text(&bad.varbind, kit->columns[i].text);
        }
    return bad;
}

static inline void set_octets(struct bad *bad, const char *text, size_t len)
{
    bad->varbind.octets = (const uint8_t *)text;
    bad->varbind.octets_len = len;
}

/* Every writable column of a table, RowStatus and StorageType among them. */
static inline size_t writable(const struct kit *kit, enum mib_object objects[COLUMNS_MAX + 2])
{
    size_t n = 0;
    for (size_t i = 0; i < kit->n_columns; i++)
        objects[n++] = kit->columns[i].object;
    objects[n++] = kit->status;
    objects[n++] = kit->storage;
    return n;
}

typedef void column_test(struct node *node, const struct kit *kit, enum mib_object object);

static inline void for_each_column(struct node *node, column_test *test)
{
    for (size_t k = 0; k < N_OF(kits); k++) {
        enum mib_object objects[COLUMNS_MAX + 2];
        size_t n = writable(&kits[k], objects);
        for (size_t i = 0; i < n; i++)
            test(node, &kits[k], objects[i]);
    }
}

#endif
