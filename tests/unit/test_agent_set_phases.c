/* The phases of a SET in every order: each does its work once, however often it comes. */
#include "fingerprint.h"
#include "sets.h"

enum { COMMIT, UNDO, CLEANUP, RELOAD };

/* What must be after the phases so far. */
struct model {
    bool changed;  /* the rows are those of the transaction */
    bool undone;   /* it cannot be committed any more */
    bool reloaded; /* since the test */
    struct fingerprint before, after;
};

static struct set_transaction *tested(struct node *node)
{
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    for (size_t k = 0; k < N_OF(kits); k++) {
        pdu_row(&pdu, &kits[k], "new", CREATE_AND_GO, kits[k].n_required, false);
        pdu_row(&pdu, &kits[k], "old", 0, kits[k].n_required, true);
        pdu_row(&pdu, &kits[k], "spare", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "nobody", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "file", NOT_IN_SERVICE, 0, false);
    }
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    return transaction;
}

static void put_back(struct node *node)
{
    for (size_t k = 0; k < N_OF(kits); k++) {
        struct pdu pdu = {.n = 0};
        size_t index;
        set_row(node, &kits[k], "spare", DESTROY, 0);
        pdu_row(&pdu, &kits[k], "new", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "old", 0, kits[k].n_required, false);
        pdu_row(&pdu, &kits[k], "file", ACTIVE, 0, false);
        pdu_row(&pdu, &kits[k], "spare", CREATE_AND_GO, kits[k].n_columns, false);
        assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
    }
}

static enum set_error expected_commit(struct model *model)
{
    if (model->changed)
        return SET_OK;
    if (model->undone || model->reloaded)
        return SET_COMMIT_FAILED;
    model->changed = true;
    return SET_OK;
}

static enum set_error expected_undo(struct model *model)
{
    if (model->changed && model->reloaded)
        return SET_UNDO_FAILED;
    model->undone = true;
    model->changed = false;
    return SET_OK;
}

/* As a manager sees it: that a row was changed once stays in the row. */
static void assert_is(struct node *node, const struct fingerprint *expected)
{
    uint8_t digest[CONFIG_DIGEST];
    config_digest(node->daemon->config, digest);
    assert_true(walk_fingerprint(node) == expected->walk);
    assert_memory_equal(digest, expected->digest, sizeof digest);
}

static void take(struct node *node, struct set_transaction **transaction, int phase,
                 struct model *model)
{
    char error[1024];
    switch (phase) {
    case COMMIT:
        assert_int_equal(set_commit(*transaction, node->now), expected_commit(model));
        break;
    case UNDO:
        assert_int_equal(set_undo(*transaction, node->now), expected_undo(model));
        break;
    case CLEANUP:
        set_cleanup(*transaction);
        if (model->changed)
            put_back(node);
        model->changed = model->undone = model->reloaded = false;
        *transaction = tested(node);
        break;
    default:
        assert_true(dcampd_reload(node->daemon, error));
        model->reloaded = true;
    }
    assert_is(node, model->changed ? &model->after : &model->before);
    assert_int_equal(set_is_committed(*transaction), model->changed);
}

/* Every sequence of that length, of the first kinds of phases. */
static void every_order(struct node *node, size_t kinds, size_t length)
{
    struct model model = {0};
    size_t orders = 1;
    model.before = fingerprint(node);
    struct set_transaction *transaction = tested(node);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    model.after = fingerprint(node);
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    set_cleanup(transaction);
    for (size_t i = 0; i < length; i++)
        orders *= kinds;
    for (size_t order = 0; order < orders; order++) {
        size_t left = order;
        transaction = tested(node);
        for (size_t i = 0; i < length; i++, left /= kinds)
            take(node, &transaction, (int)(left % kinds), &model);
        take(node, &transaction, CLEANUP, &model);
        set_cleanup(transaction);
    }
}

static void six_phases(void **state)
{
    every_order(*state, RELOAD, 6);
}

static void four_phases_and_reloads(void **state)
{
    every_order(*state, RELOAD + 1, 4);
}

/* What goes to disk has a number, which its answer waits for; what does not, has none. */
static void numbered_if_saved(void **state)
{
    static const struct {
        enum row_storage before, after;
        bool saved;
    } cases[] = {{STORAGE_NONVOLATILE, STORAGE_NONVOLATILE, true},
                 {STORAGE_VOLATILE, STORAGE_VOLATILE, false},
                 {STORAGE_NONVOLATILE, STORAGE_VOLATILE, true},
                 {STORAGE_VOLATILE, STORAGE_NONVOLATILE, true}};
    struct node *node = *state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        uint64_t commits = node->daemon->commits;
        struct row *row = config_find(node->daemon->config, ROW_SENSOR, "old");
        struct pdu pdu = {.n = 0};
        struct set_transaction *transaction;
        size_t index;
        row->storage = cases[i].before;
        const struct bind bind = {MIB_dcampSensorStorageType, "old", cases[i].after, NULL};
        pdu_add(&pdu, &bind);
        assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
        assert_int_equal(set_commit_number(transaction), 0);
        assert_int_equal(set_commit(transaction, node->now), SET_OK);
        assert_int_equal(set_commit_number(transaction), cases[i].saved ? commits + 1 : 0);
        set_cleanup(transaction);
        assert_int_equal(node->daemon->commits, commits + cases[i].saved);
    }
}

/* What is undone and cleaned up is no SET; what is committed twice is one. */
static void counted_once(void **state)
{
    struct node *node = *state;
    uint64_t sets = node->daemon->self.sets;
    uint32_t serial = node->daemon->config->serial;
    struct set_transaction *transaction = tested(node);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    set_cleanup(transaction);
    assert_int_equal(node->daemon->self.sets, sets + 1);
    assert_int_equal(node->daemon->config->serial, serial + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {set_test_(six_phases), set_test_(four_phases_and_reloads),
                                       set_test_(counted_once), set_test_(numbered_if_saved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
