/* SET that is refused for the state of the rows: inconsistentName, inconsistentValue,
 * resourceUnavailable, commitFailed and undoFailed, for the first, a middle and the last varbind of
 * a PDU that creates, changes or destroys rows besides. Nothing is changed. */
#include <string.h>

#include "bad.h"
#include "fingerprint.h"
#include "sets.h"

/* -- inconsistentName, inconsistentValue ------------------------------------------------------ */

/* A column of a row that is not there and not being created. */
static void check_inconsistent_name(struct node *node, const struct kit *kit,
                                    enum mib_object object)
{
    struct bad bad = bad_of(kit, object, SET_INCONSISTENT_NAME);
    bad.oid = cell_of(object, "nobody", NULL);
    if (object != kit->status)
        check_bad(node, kit, &bad);
}

static void inconsistent_name(void **state)
{
    for_each_column(*state, check_inconsistent_name);
}

/* RowStatus that the state of the row does not allow; the row "file" is permanent. */
static void check_inconsistent_status(struct node *node, const struct kit *kit)
{
    static const struct {
        const char *name;
        int status;
    } statuses[] = {
        {"target", CREATE_AND_GO}, {"target", CREATE_AND_WAIT}, {"half", CREATE_AND_GO},
        {"half", CREATE_AND_WAIT}, {"idle", CREATE_AND_GO},     {"idle", CREATE_AND_WAIT},
        {"nobody", ACTIVE},        {"nobody", NOT_IN_SERVICE},  {"nobody", CREATE_AND_GO},
        {"half", ACTIVE},          {"half", NOT_IN_SERVICE},
    };
    for (size_t i = 0; i < N_OF(statuses); i++) {
        struct bad bad = bad_of(kit, kit->status, SET_INCONSISTENT_VALUE);
        bad.oid = cell_of(kit->status, statuses[i].name, NULL);
        bad.varbind.number = statuses[i].status;
        bool complete = kit->n_required == 0 &&
                        ((statuses[i].status <= NOT_IN_SERVICE && statuses[i].name[0] == 'h') ||
                         (statuses[i].status == CREATE_AND_GO && statuses[i].name[0] == 'n'));
        if (!complete)
            check_bad(node, kit, &bad);
    }
}

/* The file's rows are destroyed by the file alone. */
static void check_permanent(struct node *node, const struct kit *kit)
{
    struct bad bad = bad_of(kit, kit->status, SET_INCONSISTENT_VALUE);
    bad.oid = cell_of(kit->status, "file", NULL);
    bad.varbind.number = DESTROY;
    check_once(node, kit, &bad, NOTHING, FIRST);
    for (enum place place = FIRST; place < PLACES; place++) {
        check_once(node, kit, &bad, CREATES, place);
        check_once(node, kit, &bad, CHANGES, place);
    }
    /* And their StorageType cannot be written: RFC 2579. */
    static const int storages[] = {STORAGE_OTHER, STORAGE_VOLATILE, STORAGE_NONVOLATILE,
                                   STORAGE_READONLY};
    for (size_t i = 0; i < N_OF(storages); i++) {
        bad = bad_of(kit, kit->storage, SET_WRONG_VALUE);
        bad.oid = cell_of(kit->storage, "file", NULL);
        bad.varbind.number = storages[i];
        check_once(node, kit, &bad, CREATES, MIDDLE);
    }
}

/* Values that the rest of an active row does not allow. */
static const struct {
    enum mib_object object;
    int64_t number;
    const char *text;
} inconsistent_values[] = {
    {MIB_dcampSensorMetric, 0, "load.1"}, /* has no base for percent */
    {MIB_dcampFilterGate, COMPARE_GT, NULL},
    {MIB_dcampThresholdClear, 0, "90.001"},
    {MIB_dcampThresholdLimit, 0, "79"},
    {MIB_dcampThresholdOperator, COMPARE_LT, NULL},
    {MIB_dcampThresholdOperator, COMPARE_EQ, NULL},
    {MIB_dcampThresholdMatch, 4, NULL},
    {MIB_dcampThresholdWindow, 2, NULL},
};

static void inconsistent_value(void **state)
{
    struct node *node = *state;
    const struct bind prepare[] = {
        {MIB_dcampSensorMetric, "target", 0, "cpu.busy"},
        {MIB_dcampSensorCalculation, "target", CALC_PERCENT, NULL},
        {MIB_dcampThresholdClear, "target", 0, "80"},
        {MIB_dcampThresholdMatch, "target", 3, NULL},
        {MIB_dcampThresholdWindow, "target", 3, NULL},
    };
    assert_int_equal(node_set(node, prepare, N_OF(prepare)), SET_OK);
    for (size_t i = 0; i < N_OF(inconsistent_values); i++) {
        const struct kit *kit = kit_of(node, inconsistent_values[i].object);
        struct bad bad = bad_of(kit, inconsistent_values[i].object, SET_INCONSISTENT_VALUE);
        bad.varbind.number = inconsistent_values[i].number;
        if (inconsistent_values[i].text)
            set_octets(&bad, inconsistent_values[i].text, strlen(inconsistent_values[i].text));
        check_bad(node, kit, &bad);
    }
    for (size_t k = 0; k < N_OF(kits); k++) {
        check_inconsistent_status(node, &kits[k]);
        check_permanent(node, &kits[k]);
    }
}

/* -- resourceUnavailable, commitFailed, undoFailed -------------------------------------------- */

static void resource_unavailable(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++) {
        struct index *rows = &node->daemon->config->rows[kits[k].kind];
        size_t count = rows->count;
        struct bad bad = bad_of(&kits[k], kits[k].status, SET_RESOURCE_UNAVAILABLE);
        bad.oid = cell_of(kits[k].status, "more", NULL);
        bad.varbind.number = CREATE_AND_WAIT;
        rows->count = 100000; /* as if there were as many */
        check_once(node, &kits[k], &bad, NOTHING, FIRST);
        for (enum place place = FIRST; place < PLACES; place++) {
            check_once(node, &kits[k], &bad, CHANGES, place);
            check_once(node, &kits[k], &bad, DESTROYS, place);
        }
        rows->count = count;
    }
}

static struct set_transaction *tested(struct node *node, const struct kit *kit, enum around around)
{
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    add_good(&pdu, kit, around);
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    return transaction;
}

/* A reload between test and commit, or between commit and undo: the rows are others. */
static void reload_between(void **state)
{
    struct node *node = *state;
    char error[1024];
    for (size_t k = 0; k < N_OF(kits); k++)
        for (enum around around = CREATES; around < AROUNDS; around++) {
            struct fingerprint before = fingerprint(node);
            struct set_transaction *transaction = tested(node, &kits[k], around);
            assert_true(dcampd_reload(node->daemon, error));
            assert_int_equal(set_commit(transaction, node->now), SET_COMMIT_FAILED);
            assert_int_equal(set_undo(transaction, node->now), SET_OK); /* nothing to undo */
            set_cleanup(transaction);
            assert_nothing_changed(node, &before);
        }
    struct set_transaction *transaction = tested(node, &kits[0], DESTROYS);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_true(dcampd_reload(node->daemon, error));
    assert_int_equal(set_undo(transaction, node->now), SET_UNDO_FAILED);
    set_cleanup(transaction);
    assert_null(find_row(node, &kits[0], "spare"));
}

/* Of two errors the first is told: of two varbinds, and of two rows. */
static void first_error_counts(void **state)
{
    struct node *node = *state;
    const struct bind two[] = {
        {MIB_dcampSensorInterval, "target", 1000, NULL},
        {MIB_dcampSensorInterval, "target", 99, NULL},
        {MIB_dcampThresholdLimit, "target", 0, "many"},
    };
    const struct bind rows[] = {
        {MIB_dcampThresholdRowStatus, "x", CREATE_AND_GO, NULL},
        {MIB_dcampSensorMetric, "y", 0, "load.1"},
        {MIB_dcampThresholdLimit, "x", 0, "1"},
    };
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    for (size_t i = 0; i < N_OF(two); i++)
        pdu_add(&pdu, &two[i]);
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index),
                     SET_WRONG_VALUE);
    assert_int_equal(index, 2);
    pdu.n = 0;
    for (size_t i = 0; i < N_OF(rows); i++)
        pdu_add(&pdu, &rows[i]);
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index),
                     SET_INCONSISTENT_VALUE);
    assert_int_equal(index, 1);
    assert_null(transaction);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        set_test_(inconsistent_name),    set_test_(inconsistent_value),
        set_test_(resource_unavailable), set_test_(reload_between),
        set_test_(first_error_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
