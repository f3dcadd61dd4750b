/* SET that is refused for its varbind alone: notWritable, wrongType, wrongLength, wrongValue and
 * noCreation, for the first, a middle and the last varbind of a PDU that creates, changes or
 * destroys rows besides. The error and its index are right and nothing is changed. */
#include <string.h>

#include "bad.h"
#include "sets.h"

/* The good varbinds are good: what is refused below is refused for the bad one. */
static void good_varbinds_are_taken(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++)
        for (enum around around = CREATES; around < AROUNDS; around++) {
            struct pdu pdu = {.n = 0};
            struct set_transaction *transaction = NULL;
            size_t index;
            add_good(&pdu, &kits[k], around);
            assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index),
                             SET_OK);
            assert_non_null(transaction);
            set_cleanup(transaction);
        }
}

/* -- notWritable ----------------------------------------------------------------------------- */

static void check_not_writable(struct node *node, const struct kit *kit)
{
    const struct mib_info *table = &mib_objects[kit->table];
    const enum mib_object objects[] = {
        kit->read_only,       kit->name,           kit->table,
        kit->table + 1,       MIB_dcampValueText,  MIB_dcampReportBlock,
        MIB_dcampAlarmKey,    MIB_dcampMIB,        MIB_dcampSensors,
        MIB_dcampAlarmRaised, MIB_dcampReportLast, MIB_dcampThresholdStatePhase};
    for (size_t i = 0; i < N_OF(objects); i++)
        for (int named = 0; named < 2; named++) {
            if (named && mib_objects[objects[i]].role == MIB_ENTRY)
                continue; /* what is below is columns */
            struct bad bad = bad_of(kit, objects[i], SET_NOT_WRITABLE);
            bad.oid = cell_of(objects[i], named ? "target" : NULL, NULL);
            check_bad(node, kit, &bad);
        }
    static const struct mib_oid beside[] = {
        {.len = 0}, {{1, 3}, 2}, {{1, 3, 6, 1, 2, 1, 1, 5, 0}, 9}, {{2, 5, 4}, 3}};
    for (size_t i = 0; i < N_OF(beside); i++) {
        struct bad bad = {.error = SET_NOT_WRITABLE, .oid = beside[i]};
        check_bad(node, kit, &bad);
    }
    struct bad unknown = {.error = SET_NOT_WRITABLE, .oid = cell_of(kit->table + 1, "x", NULL)};
    unknown.oid.id[table->oid_len + 1] = 999; /* a column that the MIB does not have */
    check_bad(node, kit, &unknown);
}

static void not_writable(void **state)
{
    for (size_t k = 0; k < N_OF(kits); k++)
        check_not_writable(*state, &kits[k]);
}

/* -- wrongType, wrongLength, wrongValue ------------------------------------------------------- */

static void check_wrong_type(struct node *node, const struct kit *kit, enum mib_object object)
{
    static const int syntaxes[] = {
        MIB_SYNTAX_NONE,      MIB_SYNTAX_INTEGER,   MIB_SYNTAX_OCTETS,    0x05 /* NULL */,
        MIB_SYNTAX_OID,       MIB_SYNTAX_IPADDRESS, MIB_SYNTAX_COUNTER32, MIB_SYNTAX_UNSIGNED,
        MIB_SYNTAX_TIMETICKS, 0x44 /* Opaque */,    MIB_SYNTAX_COUNTER64, 0x80 /* noSuchObject */};
    for (size_t i = 0; i < N_OF(syntaxes); i++) {
        struct bad bad = bad_of(kit, object, SET_WRONG_TYPE);
        if ((int)mib_objects[object].syntax == syntaxes[i])
            continue;
        bad.varbind.syntax = (enum mib_syntax)syntaxes[i];
        check_bad(node, kit, &bad);
    }
}

static void wrong_type(void **state)
{
    for_each_column(*state, check_wrong_type);
}

static void check_wrong_length(struct node *node, const struct kit *kit, enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    static char digits[65536];
    memset(digits, '1', sizeof digits);
    if (info->syntax != MIB_SYNTAX_OCTETS || info->n_ranges == 0)
        return;
    const size_t lengths[] = {(size_t)info->ranges[0].high + 1, 4096, 65535,
                              (size_t)info->ranges[0].low - 1};
    for (size_t i = 0; i < N_OF(lengths); i++) {
        struct bad bad = bad_of(kit, object, SET_WRONG_LENGTH);
        set_octets(&bad, digits, lengths[i]);
        if (lengths[i] < sizeof digits)
            check_bad(node, kit, &bad);
    }
}

static void wrong_length(void **state)
{
    for_each_column(*state, check_wrong_length);
}

/* Numbers beside the range, and beside the labels. */
static void check_wrong_number(struct node *node, const struct kit *kit, enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    if (info->syntax == MIB_SYNTAX_OCTETS || info->syntax == MIB_SYNTAX_OID)
        return;
    bool is_enum = info->n_labels > 0;
    int64_t low = is_enum ? info->labels[0].value : info->ranges[0].low;
    int64_t high = is_enum ? info->labels[info->n_labels - 1].value : info->ranges[0].high;
    const int64_t numbers[] = {
        low - 1,   high + 1, is_enum ? INT32_MAX : UINT32_MAX, is_enum ? INT32_MIN : -1,
        INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < N_OF(numbers); i++) {
        struct bad bad = bad_of(kit, object, SET_WRONG_VALUE);
        bad.varbind.number = numbers[i];
        check_bad(node, kit, &bad);
    }
}

/* What the MIB's syntax allows and its descriptions do not. */
static const struct {
    enum mib_object object;
    int64_t number;
    const char *text;
} wrong_values[] = {
    {MIB_dcampSensorMetric, 0, "no.such.metric"},
    {MIB_dcampSensorMetric, 0, "CPU.BUSY"},
    {MIB_dcampSensorExpression, 0, "file +"},
    {MIB_dcampSensorExpression, 0, "file file"},
    {MIB_dcampSensorExpression, 0, "\xff"},
    {MIB_dcampSensorInstances, 0, " "},
    {MIB_dcampSensorInstances, 0, "eth*\n"},
    {MIB_dcampSensorInstances, 0, "a;b"},
    {MIB_dcampSensorInstances, 0, "\xff"},
    {MIB_dcampSensorFilter, 0, "no name"},
    {MIB_dcampSensorFilter, 0, "a/b"},
    {MIB_dcampSensorRowStatus, NOT_READY, NULL},
    {MIB_dcampSensorStorageType, STORAGE_OTHER, NULL},
    {MIB_dcampSensorStorageType, STORAGE_PERMANENT, NULL},
    {MIB_dcampSensorStorageType, STORAGE_READONLY, NULL},
    {MIB_dcampFilterDeadband, 0, "-0.1"},
    {MIB_dcampFilterDeadband, 0, "1e3"},
    {MIB_dcampFilterDeadbandPercent, 0, "5%"},
    {MIB_dcampFilterDeadbandPercent, 0, "-5"},
    {MIB_dcampFilterGateLimit, 0, "nan"},
    {MIB_dcampFilterGateLimit, 0, "0x10"},
    {MIB_dcampFilterRowStatus, NOT_READY, NULL},
    {MIB_dcampFilterStorageType, STORAGE_OTHER, NULL},
    {MIB_dcampFilterStorageType, STORAGE_PERMANENT, NULL},
    {MIB_dcampFilterStorageType, STORAGE_READONLY, NULL},
    {MIB_dcampThresholdSensor, 0, ""},
    {MIB_dcampThresholdSensor, 0, "not a name"},
    {MIB_dcampThresholdOperator, COMPARE_NONE, NULL},
    {MIB_dcampThresholdLimit, 0, ""},
    {MIB_dcampThresholdLimit, 0, " 5"},
    {MIB_dcampThresholdLimit, 0, "5,5"},
    {MIB_dcampThresholdLimit, 0, "--1"},
    {MIB_dcampThresholdLimit, 0, "."},
    {MIB_dcampThresholdLimit, 0, "inf"},
    {MIB_dcampThresholdLimit, 0, "12345678901234567"},
    {MIB_dcampThresholdLimit, 0, "9999999999999990000000000000000"},
    {MIB_dcampThresholdClear, 0, "ten"},
    {MIB_dcampThresholdSeverity, SEVERITY_CLEAR, NULL},
    {MIB_dcampThresholdDescription, 0, "bell\a"},
    {MIB_dcampThresholdDescription, 0, "a|b"},
    {MIB_dcampThresholdDescription, 0, "\xc3"},
    {MIB_dcampObjectOid, 0, "0.0"},
    {MIB_dcampObjectOid, 0, ""},
    {MIB_dcampThresholdRowStatus, NOT_READY, NULL},
    {MIB_dcampThresholdStorageType, STORAGE_OTHER, NULL},
    {MIB_dcampThresholdStorageType, STORAGE_PERMANENT, NULL},
    {MIB_dcampThresholdStorageType, STORAGE_READONLY, NULL},
};

/* What can be an object identifier on the wire, and not be written in numbers. */
static void wrong_oids(struct node *node)
{
    static uint32_t arcs[OID_MAX] = {1, 3, 6, 1};
    const struct kit *kit = kit_of(node, MIB_dcampObjectOid);
    struct bad bad = bad_of(kit, MIB_dcampObjectOid, SET_WRONG_VALUE);
    bad.varbind.arcs = arcs;
    for (size_t i = 4; i < OID_MAX; i++)
        arcs[i] = UINT32_MAX;
    bad.varbind.n_arcs = OID_MAX;
    check_bad(node, kit, &bad);
    arcs[0] = 3;
    bad.varbind.n_arcs = 4;
    check_bad(node, kit, &bad);
    arcs[0] = 1;
    bad.varbind.n_arcs = 1;
    check_bad(node, kit, &bad);
    arcs[1] = 40;
    bad.varbind.n_arcs = 2;
    check_bad(node, kit, &bad);
}

static void wrong_value(void **state)
{
    struct node *node = *state;
    for_each_column(node, check_wrong_number);
    for (size_t i = 0; i < N_OF(wrong_values); i++) {
        const struct kit *kit = kit_of(node, wrong_values[i].object);
        struct bad bad = bad_of(kit, wrong_values[i].object, SET_WRONG_VALUE);
        bad.varbind.number = wrong_values[i].number;
        if (wrong_values[i].text)
            varbind_text(&bad.varbind, wrong_values[i].text);
        check_bad(node, kit, &bad);
    }
    wrong_oids(node);
    struct bad nul = bad_of(&kits[ROW_THRESHOLD], MIB_dcampThresholdDescription, SET_WRONG_VALUE);
    set_octets(&nul, "a\0b", 3);
    check_bad(node, &kits[ROW_THRESHOLD], &nul);
}

/* -- noCreation ------------------------------------------------------------------------------ */

/* Instances that no row can have. */
static const struct {
    size_t len;
    uint32_t id[40];
} instances[] = {
    {0, {0}},
    {1, {0}},           /* the empty name */
    {1, {1}},           /* no octet of one */
    {2, {2, 'a'}},      /* one of two */
    {3, {1, 'a', 'b'}}, /* two of one */
    {2, {1, ' '}},
    {2, {1, '/'}},
    {2, {1, 0}},
    {2, {1, 200}},
    {2, {1, 256 + 'a'}}, /* no octet at all */
    {2, {1, UINT32_MAX}},
    {4, {3, 'a', ' ', 'b'}},
    {2, {UINT32_MAX, 'a'}},
    {34, {33,  'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a',
          'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'}},
};

static void check_no_creation(struct node *node, const struct kit *kit, enum mib_object object)
{
    const struct mib_info *info = &mib_objects[object];
    for (size_t i = 0; i < N_OF(instances); i++) {
        struct bad bad = bad_of(kit, object, SET_NO_CREATION);
        if (object == kit->status)
            bad.varbind.number = CREATE_AND_GO;
        bad.oid.len = info->oid_len + instances[i].len;
        memcpy(bad.oid.id + info->oid_len, instances[i].id, instances[i].len * sizeof *bad.oid.id);
        check_bad(node, kit, &bad);
        /* RFC 3416, section 4.2.5: what is wrong with the value comes first. */
        bad.error = SET_WRONG_VALUE;
        bad.varbind.number = object == kit->status ? NOT_READY : object == kit->storage ? 4 : 0;
        set_octets(&bad, "\x01", 1);
        if (object == kit->status || object == kit->storage || info->syntax == MIB_SYNTAX_OCTETS)
            check_once(node, kit, &bad, CREATES, LAST);
    }
}

static void no_creation(void **state)
{
    for_each_column(*state, check_no_creation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        set_test_(good_varbinds_are_taken),
        set_test_(not_writable),
        set_test_(wrong_type),
        set_test_(wrong_length),
        set_test_(wrong_value),
        set_test_(no_creation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
