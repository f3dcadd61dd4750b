/* SET that is taken: rows are made, completed, paused, changed and destroyed as RFC 2579 says; undo
 * and cleanup leave what was there before. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fingerprint.h"
#include "sets.h"

static int status_of(struct node *node, const struct kit *kit, const char *name)
{
    return find_row(node, kit, name) ? (int)number_at(node, kit->status, name, NULL) : 0;
}

static void set_status(struct node *node, const struct kit *kit, const char *name, int status)
{
    node_set_one(node, kit->status, name, status, NULL);
}

static void assert_column(struct node *node, const struct bind *bind)
{
    if (bind->text)
        assert_cell_text(node, bind->object, bind->name, NULL, bind->text);
    else
        assert_int_equal(number_at(node, bind->object, bind->name, NULL), bind->number);
}

static void assert_columns(struct node *node, const struct kit *kit, const char *name, bool other)
{
    for (size_t i = 0; i < kit->n_columns; i++) {
        struct bind bind = column_bind(kit, i, name, other);
        assert_column(node, &bind);
    }
}

/* -- createAndGo ----------------------------------------------------------------------------- */

/* The varbinds of a whole row, turned by some places and perhaps backwards. */
static void turned(const struct kit *kit, const char *name, size_t by, bool backwards,
                   struct pdu *pdu)
{
    struct bind binds[COLUMNS_MAX + 1] = {{kit->status, name, CREATE_AND_GO, NULL}};
    size_t n = kit->n_columns + 1;
    for (size_t i = 0; i < kit->n_columns; i++)
        binds[i + 1] = column_bind(kit, i, name, false);
    pdu->n = 0;
    for (size_t i = 0; i < n; i++)
        pdu_add(pdu, &binds[(backwards ? n - i : i + by) % n]);
}

static void create_and_go_in_any_order(void **state)
{
    struct node *node = *state;
    struct fingerprint before = fingerprint(node);
    for (size_t k = 0; k < N_OF(kits); k++)
        for (size_t by = 0; by <= kits[k].n_columns + 1; by++) {
            struct pdu pdu;
            size_t index;
            turned(&kits[k], "new", by, by > kits[k].n_columns, &pdu);
            assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
            assert_int_equal(status_of(node, &kits[k], "new"), ACTIVE);
            assert_columns(node, &kits[k], "new", false);
            assert_int_equal(number_at(node, kits[k].storage, "new", NULL), STORAGE_NONVOLATILE);
            set_status(node, &kits[k], "new", DESTROY);
            assert_same_rows(node, &before);
        }
}

static void names_of_all_lengths(void **state)
{
    struct node *node = *state;
    static const char *const names[] = {"a",
                                        "Z.9_-",
                                        "-",
                                        "..",
                                        "0123456789012345678901234567890x",
                                        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"};
    struct fingerprint before = fingerprint(node);
    for (size_t k = 0; k < N_OF(kits); k++) {
        for (size_t i = 0; i < N_OF(names); i++)
            set_row(node, &kits[k], names[i], CREATE_AND_GO, kits[k].n_required);
        node_cycle(node, 1000);
        for (size_t i = 0; i < N_OF(names); i++) {
            assert_int_equal(status_of(node, &kits[k], names[i]), ACTIVE);
            set_status(node, &kits[k], names[i], DESTROY);
        }
    }
    node_cycle(node, 1000);
    assert_memory_equal(fingerprint(node).digest, before.digest, sizeof before.digest);
    assert_true(rows_fingerprint(node) == before.rows);
}

/* -- createAndWait --------------------------------------------------------------------------- */

/* One column after the other, in the order that the number stands for: until the last one that must
 * be there, the row is not ready and cannot be made active. */
static void by_steps(struct node *node, const struct kit *kit, size_t order)
{
    bool done[COLUMNS_MAX] = {false};
    set_status(node, kit, "new", CREATE_AND_WAIT);
    for (size_t left = kit->n_required; left > 0; left--) {
        struct bind active = {kit->status, "new", ACTIVE, NULL};
        assert_int_equal(status_of(node, kit, "new"), NOT_READY);
        assert_int_equal(node_set(node, &active, 1), SET_INCONSISTENT_VALUE);
        active.number = NOT_IN_SERVICE;
        assert_int_equal(node_set(node, &active, 1), SET_INCONSISTENT_VALUE);
        size_t pick = order % left, column = 0;
        order /= left;
        for (; done[column] || pick-- > 0; column++)
            ;
        struct bind bind = column_bind(kit, column, "new", false);
        /* RFC 2579: what has no default is not there. */
        bool has_default = mib_objects[bind.object].initial != NULL;
        assert_int_equal(node_has(node, bind.object, "new", NULL), has_default);
        assert_int_equal(node_set(node, &bind, 1), SET_OK);
        assert_column(node, &bind);
        done[column] = true;
    }
    assert_int_equal(status_of(node, kit, "new"), NOT_IN_SERVICE);
    set_status(node, kit, "new", ACTIVE);
    assert_int_equal(status_of(node, kit, "new"), ACTIVE);
    set_status(node, kit, "new", DESTROY);
}

static void create_and_wait_by_steps(void **state)
{
    struct node *node = *state;
    struct fingerprint before = fingerprint(node);
    for (size_t k = 0; k < N_OF(kits); k++)
        for (size_t order = 0; order < 6; order++) /* 3! */
            by_steps(node, &kits[k], order);
    assert_same_rows(node, &before);
}

/* RFC 2579, RowStatus, notes 1 to 3: what is missing may come in the same PDU. */
static void missing_columns_in_the_same_pdu(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++) {
        set_row(node, &kits[k], "new", CREATE_AND_WAIT, kits[k].n_columns);
        assert_int_equal(status_of(node, &kits[k], "new"), NOT_IN_SERVICE);
        set_status(node, &kits[k], "new", DESTROY);
        set_row(node, &kits[k], "half", ACTIVE, kits[k].n_required);
        assert_int_equal(status_of(node, &kits[k], "half"), ACTIVE);
        set_status(node, &kits[k], "half", DESTROY);
        set_status(node, &kits[k], "half", CREATE_AND_WAIT);
        set_row(node, &kits[k], "half", NOT_IN_SERVICE, kits[k].n_required);
        assert_int_equal(status_of(node, &kits[k], "half"), NOT_IN_SERVICE);
    }
}

/* -- The table of RowStatus ------------------------------------------------------------------ */

/* RFC 2579, RowStatus: states (no row, not ready, not in service, active) by requests. A row that
 * is not ready misses what must be set; 0 is no request but another column. */
static const struct {
    int from, request;
    enum set_error error;
    int to;
} transitions[] = {
    {0, CREATE_AND_GO, SET_INCONSISTENT_VALUE, 0},
    {0, CREATE_AND_WAIT, SET_OK, NOT_READY},
    {0, ACTIVE, SET_INCONSISTENT_VALUE, 0},
    {0, NOT_IN_SERVICE, SET_INCONSISTENT_VALUE, 0},
    {0, NOT_READY, SET_WRONG_VALUE, 0},
    {0, DESTROY, SET_OK, 0},
    {0, 0, SET_INCONSISTENT_NAME, 0},
    {NOT_READY, CREATE_AND_GO, SET_INCONSISTENT_VALUE, NOT_READY},
    {NOT_READY, CREATE_AND_WAIT, SET_INCONSISTENT_VALUE, NOT_READY},
    {NOT_READY, ACTIVE, SET_INCONSISTENT_VALUE, NOT_READY},
    {NOT_READY, NOT_IN_SERVICE, SET_INCONSISTENT_VALUE, NOT_READY},
    {NOT_READY, NOT_READY, SET_WRONG_VALUE, NOT_READY},
    {NOT_READY, DESTROY, SET_OK, 0},
    {NOT_READY, 0, SET_OK, NOT_READY},
    {NOT_IN_SERVICE, CREATE_AND_GO, SET_INCONSISTENT_VALUE, NOT_IN_SERVICE},
    {NOT_IN_SERVICE, CREATE_AND_WAIT, SET_INCONSISTENT_VALUE, NOT_IN_SERVICE},
    {NOT_IN_SERVICE, ACTIVE, SET_OK, ACTIVE},
    {NOT_IN_SERVICE, NOT_IN_SERVICE, SET_OK, NOT_IN_SERVICE},
    {NOT_IN_SERVICE, NOT_READY, SET_WRONG_VALUE, NOT_IN_SERVICE},
    {NOT_IN_SERVICE, DESTROY, SET_OK, 0},
    {NOT_IN_SERVICE, 0, SET_OK, NOT_IN_SERVICE},
    {ACTIVE, CREATE_AND_GO, SET_INCONSISTENT_VALUE, ACTIVE},
    {ACTIVE, CREATE_AND_WAIT, SET_INCONSISTENT_VALUE, ACTIVE},
    {ACTIVE, ACTIVE, SET_OK, ACTIVE},
    {ACTIVE, NOT_IN_SERVICE, SET_OK, NOT_IN_SERVICE},
    {ACTIVE, NOT_READY, SET_WRONG_VALUE, ACTIVE},
    {ACTIVE, DESTROY, SET_OK, 0},
    {ACTIVE, 0, SET_OK, ACTIVE},
};

static const char *in_state(int status)
{
    switch (status) {
    case ACTIVE:
        return "target";
    case NOT_IN_SERVICE:
        return "idle";
    case NOT_READY:
        return "half";
    default:
        return "nobody";
    }
}

static void row_status_is_that_of_rfc_2579(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++)
        for (size_t i = 0; i < N_OF(transitions) && kits[k].n_required; i++) {
            const char *name = in_state(transitions[i].from);
            struct bind bind = {kits[k].status, name, transitions[i].request, NULL};
            if (!transitions[i].request)
                bind = column_bind(&kits[k], kits[k].n_columns - 1, name, false);
            assert_int_equal(status_of(node, &kits[k], name), transitions[i].from);
            assert_int_equal(node_set(node, &bind, 1), transitions[i].error);
            assert_int_equal(status_of(node, &kits[k], name), transitions[i].to);
            /* And back again. */
            if (transitions[i].to == transitions[i].from)
                continue;
            set_status(node, &kits[k], name, DESTROY);
            if (transitions[i].from)
                set_row(node, &kits[k], name,
                        transitions[i].from == ACTIVE ? CREATE_AND_GO : CREATE_AND_WAIT,
                        transitions[i].from == NOT_READY ? 0 : kits[k].n_required);
        }
}

/* A row that is not active may be wrong for a while; an active one may not. */
static void repair_while_not_in_service(void **state)
{
    struct node *node = *state;
    const struct kit *kit = &kits[ROW_THRESHOLD];
    const struct bind pause_and_break[] = {
        {MIB_dcampThresholdRowStatus, "spare", NOT_IN_SERVICE, NULL},
        {MIB_dcampThresholdLimit, "spare", 0, "70"},
    };
    assert_int_equal(node_set(node, pause_and_break, 2), SET_INCONSISTENT_VALUE);
    set_status(node, kit, "spare", NOT_IN_SERVICE);
    node_set_one(node, MIB_dcampThresholdLimit, "spare", 0, "70"); /* its clear is 80 */
    assert_int_equal(status_of(node, kit, "spare"), NOT_READY);
    struct bind active = {MIB_dcampThresholdRowStatus, "spare", ACTIVE, NULL};
    assert_int_equal(node_set(node, &active, 1), SET_INCONSISTENT_VALUE);
    node_set_one(node, MIB_dcampThresholdClear, "spare", 0, "60");
    assert_int_equal(status_of(node, kit, "spare"), NOT_IN_SERVICE);
    assert_int_equal(node_set(node, &active, 1), SET_OK);
}

/* -- Changing and destroying ------------------------------------------------------------------ */

static void columns_can_be_set_while_active(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++)
        for (int other = 0; other < 2; other++) {
            struct pdu pdu = {.n = 0};
            size_t index;
            pdu_row(&pdu, &kits[k], "old", 0, kits[k].n_columns, other);
            assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
            assert_int_equal(status_of(node, &kits[k], "old"), ACTIVE);
            assert_columns(node, &kits[k], "old", other);
        }
}

static void destroy(void **state)
{
    struct node *node = *state;
    static const char *const names[] = {"old", "half", "idle", "nobody"};
    for (size_t k = 0; k < N_OF(kits); k++) {
        for (size_t i = 0; i < N_OF(names); i++) {
            uint32_t serial = node->daemon->config->serial;
            set_status(node, &kits[k], names[i], DESTROY);
            assert_int_equal(status_of(node, &kits[k], names[i]), 0);
            assert_false(node_has(node, kits[k].columns[0].object, names[i], NULL));
            assert_int_equal(node->daemon->config->serial, serial + 1);
        }
        /* With columns beside it, before and after: they go with the row. */
        struct pdu pdu = {.n = 0};
        size_t index;
        struct bind column = column_bind(&kits[k], 0, "target", true);
        pdu_add(&pdu, &column);
        pdu_row(&pdu, &kits[k], "target", DESTROY, kits[k].n_columns, false);
        assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
        assert_int_equal(status_of(node, &kits[k], "target"), 0);
    }
}

static void several_rows_and_tables_in_one_pdu(void **state)
{
    struct node *node = *state;
    struct pdu pdu = {.n = 0};
    size_t index;
    uint64_t sets = node->daemon->self.sets;
    for (size_t k = 0; k < N_OF(kits); k++) {
        pdu_row(&pdu, &kits[k], "one", CREATE_AND_GO, kits[k].n_columns, false);
        pdu_row(&pdu, &kits[k], "two", CREATE_AND_WAIT, 0, false);
        pdu_row(&pdu, &kits[k], "old", 0, kits[k].n_required, true);
        pdu_row(&pdu, &kits[k], "spare", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "target", NOT_IN_SERVICE, 0, false);
    }
    assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
    assert_int_equal(node->daemon->self.sets, sets + 1);
    for (size_t k = 0; k < N_OF(kits); k++) {
        assert_columns(node, &kits[k], "one", false);
        assert_int_equal(status_of(node, &kits[k], "one"), ACTIVE);
        assert_int_equal(status_of(node, &kits[k], "two"),
                         kits[k].n_required ? NOT_READY : NOT_IN_SERVICE);
        assert_int_equal(status_of(node, &kits[k], "spare"), 0);
        assert_int_equal(status_of(node, &kits[k], "target"), NOT_IN_SERVICE);
    }
}

/* RFC 3416 leaves open what counts: here, the last one. Both must be right. */
static void the_same_column_twice(void **state)
{
    struct node *node = *state;
    const struct bind twice[] = {
        {MIB_dcampSensorInterval, "old", 5000, NULL},
        {MIB_dcampSensorInterval, "old", 7000, NULL},
        {MIB_dcampSensorRowStatus, "old", DESTROY, NULL},
        {MIB_dcampSensorRowStatus, "old", ACTIVE, NULL},
    };
    const struct bind wrong[] = {
        {MIB_dcampSensorInterval, "old", 5, NULL},
        {MIB_dcampSensorInterval, "old", 9000, NULL},
    };
    assert_int_equal(node_set(node, twice, N_OF(twice)), SET_OK);
    assert_int_equal(node_set(node, wrong, N_OF(wrong)), SET_WRONG_VALUE);
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "old", NULL), 7000);
    assert_int_equal(status_of(node, &kits[ROW_SENSOR], "old"), ACTIVE);
}

static void no_varbinds(void **state)
{
    struct node *node = *state;
    struct fingerprint before = fingerprint(node);
    assert_int_equal(node_set(node, NULL, 0), SET_OK);
    assert_same_rows(node, &before);
    set_cleanup(NULL);
}

/* -- How many ---------------------------------------------------------------------------------- */

static enum set_error make_rows(struct node *node, const struct kit *kit, size_t from, size_t n)
{
    struct pdu pdu = {.n = 0};
    char name[NAME_SIZE];
    size_t index;
    for (size_t i = from; i < from + n; i++) {
        snprintf(name, sizeof name, "row%zu", i);
        pdu_row(&pdu, kit, name, CREATE_AND_WAIT, 0, false);
    }
    return pdu_set(node, &pdu, &index);
}

/* The rows of one PDU count, too. */
static void no_more_than_the_mib_says(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++) {
        const size_t max = config_rows_max(kits[k].kind);
        const struct index *rows = &node->daemon->config->rows[kits[k].kind];
        size_t n = 0;
        for (; rows->count + 50 < max; n += 50)
            assert_int_equal(make_rows(node, &kits[k], n, 50), SET_OK);
        size_t room = max - rows->count;
        assert_int_equal(make_rows(node, &kits[k], n, room + 1), SET_RESOURCE_UNAVAILABLE);
        assert_int_equal(make_rows(node, &kits[k], n, room), SET_OK);
        assert_int_equal(make_rows(node, &kits[k], n + room, 1), SET_RESOURCE_UNAVAILABLE);
        set_status(node, &kits[k], "row7", DESTROY);
        assert_int_equal(make_rows(node, &kits[k], n + room, 1), SET_OK);
    }
}

/* The sentence in the description of each table. */
static void the_mib_says_how_many(void **state)
{
    (void)state;
    char path[PATH_MAX], *text = calloc(1, 1 << 20), table[64];
    const char *source = getenv("srcdir");
    snprintf(path, sizeof path, "%s/mibs/DCAMP-MIB.txt", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    static const enum row_kind kinds[] = {ROW_SENSOR,    ROW_FILTER,      ROW_THRESHOLD,
                                          ROW_CHILD,     ROW_AGGREGATE,   ROW_OBJECT,
                                          ROW_CONDITION, ROW_MAINTENANCE, ROW_RELAY};
    for (size_t i = 0; i < N_OF(kinds); i++) {
        const char *element = row_type(kinds[i])->element;
        unsigned long said = 0;
        snprintf(table, sizeof table, "dcamp%c%sTable OBJECT-TYPE", element[0] - 'a' + 'A',
                 element + 1);
        const char *at = strstr(text, table);
        at = at ? strstr(at, "A SET makes no row beyond ") : NULL;
        assert_non_null(at);
        sscanf(at, "A SET makes no row beyond %lu", &said);
        assert_int_equal(said, config_rows_max(kinds[i]));
    }
    free(text);
}

/* -- Undo and cleanup ------------------------------------------------------------------------- */

static struct set_transaction *tested(struct node *node)
{
    struct pdu pdu = {.n = 0};
    struct set_transaction *transaction = NULL;
    size_t index;
    for (size_t k = 0; k < N_OF(kits); k++) {
        pdu_row(&pdu, &kits[k], "new", CREATE_AND_GO, kits[k].n_columns, false);
        pdu_row(&pdu, &kits[k], "old", 0, kits[k].n_required, true);
        pdu_row(&pdu, &kits[k], "spare", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "nobody", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "file", NOT_IN_SERVICE, 0, false);
    }
    assert_int_equal(node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index), SET_OK);
    assert_non_null(transaction);
    return transaction;
}

static void cleanup_without_commit(void **state)
{
    struct node *node = *state;
    struct fingerprint before = fingerprint(node);
    set_cleanup(tested(node));
    assert_nothing_changed(node, &before);
    struct set_transaction *transaction = tested(node);
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    set_cleanup(transaction);
    assert_nothing_changed(node, &before);
}

static void commit_and_undo(void **state)
{
    struct node *node = *state;
    struct fingerprint before = fingerprint(node);
    struct set_transaction *transaction = tested(node);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    assert_true(rows_fingerprint(node) != before.rows);
    assert_int_equal(node->daemon->self.sets, before.sets); /* a counter, it cannot go back */
    assert_memory_not_equal(fingerprint(node).digest, before.digest, sizeof before.digest);
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    assert_same_rows(node, &before);
    assert_int_equal(node->daemon->self.sets, before.sets);
    /* The serial went on: somebody may have seen what was there in between. */
    assert_int_equal(node->daemon->config->serial, before.serial + 2);
    set_cleanup(transaction);
    assert_same_rows(node, &before);
}

/* The core may run between the phases. */
static void cycles_between_the_phases(void **state)
{
    struct node *node = *state;
    struct set_transaction *transaction = tested(node);
    node_cycle(node, 1000);
    assert_int_equal(set_commit(transaction, node->now), SET_OK);
    node_cycle(node, 1000);
    assert_non_null(measure_find(&node->daemon->measure, "new"));
    assert_null(measure_find(&node->daemon->measure, "spare"));
    assert_int_equal(set_undo(transaction, node->now), SET_OK);
    node_cycle(node, 1000);
    assert_null(measure_find(&node->daemon->measure, "new"));
    assert_non_null(measure_find(&node->daemon->measure, "spare"));
    set_cleanup(transaction);
    node_cycle(node, 1000);
}

/* -- Rows of the file, storage ----------------------------------------------------------------- */

static void permanent_rows_can_be_changed(void **state)
{
    struct node *node = *state;
    char error[1024];
    for (size_t k = 0; k < N_OF(kits); k++) {
        assert_int_equal(number_at(node, kits[k].storage, "file", NULL), STORAGE_PERMANENT);
        assert_false(find_row(node, &kits[k], "file")->changed);
        set_row(node, &kits[k], "file", 0, kits[k].n_columns);
        set_status(node, &kits[k], "file", NOT_IN_SERVICE);
        /* What it is already may be said again. */
        node_set_one(node, kits[k].storage, "file", STORAGE_PERMANENT, NULL);
        assert_true(find_row(node, &kits[k], "file")->changed);
    }
    for (int life = 0; life < 3; life++) {
        for (size_t k = 0; k < N_OF(kits); k++) {
            assert_columns(node, &kits[k], "file", false);
            assert_int_equal(status_of(node, &kits[k], "file"), NOT_IN_SERVICE);
            assert_int_equal(number_at(node, kits[k].storage, "file", NULL), STORAGE_PERMANENT);
        }
        if (life == 0)
            assert_true(dcampd_reload(node->daemon, error));
        else
            node_start_again(node);
    }
}

static void volatile_rows_do_not_survive(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++) {
        node_set_one(node, kits[k].storage, "old", STORAGE_VOLATILE, NULL);
        node_set_one(node, kits[k].storage, "spare", STORAGE_VOLATILE, NULL);
        node_set_one(node, kits[k].storage, "spare", STORAGE_NONVOLATILE, NULL);
        assert_int_equal(number_at(node, kits[k].storage, "old", NULL), STORAGE_VOLATILE);
    }
    char error[1024];
    assert_true(dcampd_reload(node->daemon, error));
    for (size_t k = 0; k < N_OF(kits); k++)
        assert_int_equal(status_of(node, &kits[k], "old"), ACTIVE);
    node_start_again(node);
    for (size_t k = 0; k < N_OF(kits); k++) {
        assert_int_equal(status_of(node, &kits[k], "old"), 0);
        assert_int_equal(status_of(node, &kits[k], "spare"), ACTIVE);
        assert_columns(node, &kits[k], "spare", false);
        assert_int_equal(number_at(node, kits[k].storage, "spare", NULL), STORAGE_NONVOLATILE);
        assert_int_equal(status_of(node, &kits[k], "idle"), NOT_IN_SERVICE);
        assert_int_equal(status_of(node, &kits[k], "half"),
                         kits[k].n_required ? NOT_READY : NOT_IN_SERVICE);
    }
}

static void storage_is_given_when_a_row_is_made(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++) {
        struct pdu pdu = {.n = 0};
        size_t index;
        struct bind storage = {kits[k].storage, "new", STORAGE_VOLATILE, NULL};
        pdu_add(&pdu, &storage);
        pdu_row(&pdu, &kits[k], "new", CREATE_AND_GO, kits[k].n_required, false);
        assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
        assert_int_equal(number_at(node, kits[k].storage, "new", NULL), STORAGE_VOLATILE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        set_test_(create_and_go_in_any_order),
        set_test_(names_of_all_lengths),
        set_test_(create_and_wait_by_steps),
        set_test_(missing_columns_in_the_same_pdu),
        set_test_(row_status_is_that_of_rfc_2579),
        set_test_(repair_while_not_in_service),
        set_test_(columns_can_be_set_while_active),
        set_test_(destroy),
        set_test_(several_rows_and_tables_in_one_pdu),
        set_test_(the_same_column_twice),
        set_test_(no_varbinds),
        set_test_(no_more_than_the_mib_says),
        cmocka_unit_test(the_mib_says_how_many),
        set_test_(cleanup_without_commit),
        set_test_(commit_and_undo),
        set_test_(cycles_between_the_phases),
        set_test_(permanent_rows_can_be_changed),
        set_test_(volatile_rows_do_not_survive),
        set_test_(storage_is_given_when_a_row_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
