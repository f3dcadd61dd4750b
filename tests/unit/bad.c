#include "bad.h"

#include <string.h>

#include "fingerprint.h"
#include "walk.h"

void add_good(struct pdu *pdu, const struct kit *kit, enum around around)
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

static void put_at(struct pdu *pdu, size_t at, const struct set_varbind *varbind)
{
    memmove(&pdu->varbinds[at + 1], &pdu->varbinds[at], (pdu->n - at) * sizeof *pdu->varbinds);
    pdu->varbinds[at] = *varbind;
    pdu->n++;
}

void check_once(struct node *node, const struct kit *kit, const struct bad *bad, enum around around,
                enum place place)
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
    enum set_error error = node_test_set(node, pdu.varbinds, pdu.n, &transaction, &index);
    if (error != bad->error || index != at + 1)
        fail_msg("%s: syntax %d, number %jd, %zu octets: error %d at %zu of %zu, not %d at %zu",
                 oid_text(&bad->oid), (int)varbind.syntax, (intmax_t)varbind.number,
                 varbind.octets_len, error, index, pdu.n, bad->error, at + 1);
    assert_null(transaction);
    assert_true(rows_fingerprint(node) == before);
}

void check_bad(struct node *node, const struct kit *kit, const struct bad *bad)
{
    struct fingerprint before = fingerprint(node);
    check_once(node, kit, bad, NOTHING, FIRST);
    for (enum around around = CREATES; around < AROUNDS; around++)
        for (enum place place = FIRST; place < PLACES; place++)
            check_once(node, kit, bad, around, place);
    assert_nothing_changed(node, &before);
}

struct bad bad_of(const struct kit *kit, enum mib_object object, enum set_error error)
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

void set_octets(struct bad *bad, const char *text, size_t len)
{
    bad->varbind.octets = (const uint8_t *)text;
    bad->varbind.octets_len = len;
}

/* Every writable column of a table, RowStatus and StorageType among them. */
static size_t writable(const struct kit *kit, enum mib_object objects[COLUMNS_MAX + 2])
{
    size_t n = 0;
    for (size_t i = 0; i < kit->n_columns; i++)
        objects[n++] = kit->columns[i].object;
    objects[n++] = kit->status;
    objects[n++] = kit->storage;
    return n;
}

void for_each_column(struct node *node, column_test *test)
{
    for (size_t k = 0; k < N_OF(kits); k++) {
        enum mib_object objects[COLUMNS_MAX + 2];
        size_t n = writable(&kits[k], objects);
        for (size_t i = 0; i < n; i++)
            test(node, &kits[k], objects[i]);
    }
}
