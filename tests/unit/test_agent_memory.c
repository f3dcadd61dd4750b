/* A SET of which some allocation fails: it is refused and nothing has changed, or it is done,
 * whole; and the next one can be done. */
#include "fingerprint.h"
#include "scarce.h"
#include "sets.h"

/* Creates, changes, destroys and pauses rows of every table. */
static void fill(struct pdu *pdu)
{
    for (size_t k = 0; k < N_OF(kits); k++) {
        pdu_row(pdu, &kits[k], "new", CREATE_AND_GO, kits[k].n_required, false);
        pdu_row(pdu, &kits[k], "old", 0, kits[k].n_required, true);
        pdu_row(pdu, &kits[k], "spare", DESTROY, 0, false);
        pdu_row(pdu, &kits[k], "file", NOT_IN_SERVICE, 0, false);
    }
}

static void put_back(struct node *node)
{
    for (size_t k = 0; k < N_OF(kits); k++) {
        struct pdu pdu = {.n = 0};
        size_t index;
        pdu_row(&pdu, &kits[k], "new", DESTROY, 0, false);
        pdu_row(&pdu, &kits[k], "old", 0, kits[k].n_required, false);
        pdu_row(&pdu, &kits[k], "file", ACTIVE, 0, false);
        pdu_row(&pdu, &kits[k], "spare", CREATE_AND_GO, kits[k].n_columns, false);
        assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
    }
}

static void a_set_is_done_or_not(void **state)
{
    struct node *node = *state;
    struct fingerprint before = fingerprint(node), after;
    struct pdu pdu = {.n = 0};
    size_t index, refused = 0, nth = 0;
    fill(&pdu);
    assert_int_equal(pdu_set(node, &pdu, &index), SET_OK);
    after = fingerprint(node);
    put_back(node);
    for (bool failed = true; failed; nth++) {
        before = fingerprint(node);
        scarce_fail(nth + 1);
        enum set_error error = pdu_set(node, &pdu, &index);
        failed = scarce_stop();
        if (error) {
            assert_true(error == SET_RESOURCE_UNAVAILABLE || error == SET_COMMIT_FAILED ||
                        error == SET_GEN_ERR);
            assert_nothing_changed(node, &before);
            refused++;
            continue;
        }
        assert_same_rows(node, &after);
        node_cycle(node, 10);
        put_back(node);
    }
    assert_true(refused > 10);
    assert_true(nth > refused);
}

/* A row that is made in several PDUs, as some managers do. */
static void a_row_by_and_by(void **state)
{
    struct node *node = *state;
    for (size_t k = 0; k < N_OF(kits); k++)
        for (size_t nth = 1, failed = 1; failed; nth++) {
            struct pdu create = {.n = 0}, rest = {.n = 0}, destroy = {.n = 0};
            size_t index;
            pdu_row(&create, &kits[k], "new", CREATE_AND_WAIT, 0, false);
            pdu_row(&rest, &kits[k], "new", ACTIVE, kits[k].n_columns, false);
            pdu_row(&destroy, &kits[k], "new", DESTROY, 0, false);
            struct fingerprint before = fingerprint(node);
            scarce_fail(nth);
            enum set_error error = pdu_set(node, &create, &index);
            if (!error)
                error = pdu_set(node, &rest, &index);
            failed = scarce_stop();
            if (!find_row(node, &kits[k], "new"))
                assert_nothing_changed(node, &before);
            else if (error)
                assert_int_not_equal(find_row(node, &kits[k], "new")->status, ROW_ACTIVE);
            else
                assert_int_equal(find_row(node, &kits[k], "new")->status, ROW_ACTIVE);
            assert_int_equal(pdu_set(node, &destroy, &index), SET_OK);
            node_cycle(node, 10);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        set_test_(a_set_is_done_or_not),
        set_test_(a_row_by_and_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
