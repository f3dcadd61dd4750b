/* Tree documents in parts: documents of every length around those of parts, others that take their
 * place, and memory that fails. */
#include <stdlib.h>
#include <string.h>

#include "daemon/parts.h"
#include "scarce.h"
#include "unit.h"

static struct parcel *random_parcel(uint32_t seed, size_t len)
{
    uint8_t *octets = malloc(len);
    assert_non_null(octets);
    for (size_t i = 0; i < len; i++)
        octets[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 24);
    struct parcel *parcel = parcel_of(octets, len);
    free(octets);
    assert_non_null(parcel);
    return parcel;
}

/* Whether the rows are the parts of these documents, in their order, and nothing else. */
static void assert_parts(const struct index *index, const struct kept_document kept[PARTS_KEPT])
{
    const struct index_node *node = index_first(index);
    for (uint32_t which = 1; which <= PARTS_KEPT; which++) {
        const struct parcel *parcel = kept[which - 1].parcel;
        uint32_t at = 0, number = 1;
        for (; parcel && at < parcel->len; number++) {
            const struct part_row *row = (const struct part_row *)node;
            assert_non_null(row);
            assert_int_equal(row->key[0], which);
            assert_int_equal(row->key[1], number);
            assert_ptr_equal(row->of->parcel, parcel);
            assert_int_equal(row->of->serial, kept[which - 1].serial);
            assert_in_range(row->len, 1, PART_SIZE);
            assert_true(row->len == PART_SIZE || at + row->len == parcel->len);
            assert_memory_equal(row->octets, parcel->octets + at, row->len);
            at += row->len;
            node = index_next((struct index_node *)node);
        }
        assert_int_equal(at, parcel ? parcel->len : 0);
    }
    assert_null(node);
}

static void every_length(void **state)
{
    (void)state;
    static const size_t lengths[] = {1,    2,    PART_SIZE - 1,     PART_SIZE,
                                     1025, 2047, 2 * PART_SIZE + 1, PARCEL_MAX};
    struct parts parts;
    parts_open(&parts);
    for (size_t i = 0; i < N_OF(lengths); i++)
        for (size_t k = 0; k <= N_OF(lengths); k++) {
            struct kept_document kept[PARTS_KEPT] = {
                {random_parcel((uint32_t)i, lengths[i]), 7},
                {k < N_OF(lengths) ? random_parcel((uint32_t)k + 50, lengths[k]) : NULL, 0}};
            assert_parts(parts_of(&parts, kept), kept);
            parcel_drop(kept[0].parcel); /* the rows have use of it */
            parcel_drop(kept[1].parcel);
            assert_parts(parts_of(&parts, kept), kept);
        }
    parts_close(&parts);
    assert_int_equal(parts.index.count, 0);
}

static void others_take_their_place(void **state)
{
    (void)state;
    struct parcel *one = random_parcel(1, 3000), *two = random_parcel(2, 100);
    struct kept_document kept[PARTS_KEPT] = {{NULL, 0}, {NULL, 0}};
    struct parts parts;
    parts_open(&parts);
    assert_parts(parts_of(&parts, kept), kept);
    kept[0].parcel = one;
    assert_parts(parts_of(&parts, kept), kept);
    const struct index_node *first = index_first(&parts.index);
    kept[0].serial = 4; /* of the same document: its rows stay */
    assert_parts(parts_of(&parts, kept), kept);
    assert_ptr_equal(index_first(&parts.index), first);
    kept[1] = kept[0];
    kept[0] = (struct kept_document){two, 5};
    assert_parts(parts_of(&parts, kept), kept);
    kept[1] = (struct kept_document){NULL, 0};
    assert_parts(parts_of(&parts, kept), kept);
    kept[0].parcel = NULL;
    assert_parts(parts_of(&parts, kept), kept);
    assert_int_equal(one->users, 1);
    assert_int_equal(two->users, 1);
    parts_close(&parts);
    parcel_drop(one);
    parcel_drop(two);
}

static void memory_may_fail(void **state)
{
    (void)state;
    struct parcel *one = random_parcel(1, 300000), *two = random_parcel(2, 2000);
    const struct kept_document kept[PARTS_KEPT] = {{one, 1}, {two, 2}};
    const struct kept_document none[PARTS_KEPT] = {{NULL, 0}, {NULL, 0}};
    struct parts parts;
    size_t failures = 0;
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        parts_open(&parts);
        scarce_fail(nth);
        const struct index *index = parts_of(&parts, kept);
        failed = scarce_stop();
        failures += failed;
        bool no_rows = failed && nth == 1; /* what follows is the index's, which works without */
        assert_parts(index, no_rows ? none : kept);
        assert_int_equal(one->users, no_rows ? 1 : 2);
        assert_int_equal(two->users, no_rows ? 1 : 2);
        assert_parts(parts_of(&parts, kept), kept); /* the next time */
        parts_close(&parts);
    }
    assert_in_range(failures, 2, 100);
    parcel_drop(one);
    parcel_drop(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(others_take_their_place),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
