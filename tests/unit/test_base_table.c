/* Hash tables without memory: what is left out, and that nothing else is. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The n-th allocation from now on fails, and all after it; 0: none. */
static unsigned fails_at;

static void *scarce(size_t size)
{
    if (fails_at == 1)
        return NULL;
    fails_at -= fails_at > 0;
    return malloc(size);
}

#define uthash_malloc(size) scarce(size)

#include "base/table.h"

#define N 2000

struct element {
    UT_hash_handle hh, by_name;
    uint32_t number;
    char name[8];
};

static struct element elements[N];

static int begin(void **state)
{
    (void)state;
    memset(elements, 0, sizeof elements);
    for (uint32_t i = 0; i < N; i++)
        elements[i].number = i;
    fails_at = 0;
    return 0;
}

static bool add(struct element **table, uint32_t i)
{
    HASH_ADD(hh, *table, number, (unsigned)sizeof elements[i].number, &elements[i]);
    return table_has(hh, &elements[i]);
}

static bool find(struct element *table, uint32_t i)
{
    struct element *found;
    HASH_FIND(hh, table, &i, (unsigned)sizeof i, found);
    assert_true(!found || found == &elements[i]);
    return found != NULL;
}

static void with_memory(void **state)
{
    (void)state;
    struct element *table = NULL;
    for (uint32_t i = 0; i < N; i++)
        assert_true(add(&table, i));
    for (uint32_t i = 0; i < N; i++)
        assert_true(find(table, i));
    HASH_CLEAR(hh, table);
}

/* The first element needs the table, and its buckets. */
static void first(void **state)
{
    (void)state;
    struct element *table = NULL;
    for (unsigned n = 1; n <= 2; n++) {
        fails_at = n;
        assert_false(add(&table, 0));
        assert_null(table);
    }
    fails_at = 3;
    assert_true(add(&table, 0));
    assert_true(find(table, 0));
    HASH_CLEAR(hh, table);
}

/* Some elements make the table grow: without memory they are left out, and come in later. */
static void growth(void **state)
{
    (void)state;
    struct element *table = NULL;
    unsigned left_out = 0;
    assert_true(add(&table, 0));
    for (uint32_t i = 1; i < N; i++) {
        fails_at = 1;
        bool added = add(&table, i);
        assert_int_equal(find(table, i), added);
        assert_int_equal(HASH_COUNT(table), added ? i + 1 : i);
        fails_at = 0;
        if (!added) {
            left_out++;
            for (uint32_t k = 0; k < i; k++)
                assert_true(find(table, k));
            assert_true(add(&table, i));
        }
    }
    assert_true(left_out > 0);
    uint32_t order = 0;
    for (struct element *element = table; element; element = element->hh.next)
        assert_int_equal(element->number, order++);
    assert_int_equal(order, N);
    for (uint32_t i = 0; i < N; i += 2)
        HASH_DEL(table, &elements[i]);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(find(table, i), i % 2);
    HASH_CLEAR(hh, table);
}

/* An element of two tables may be in one of them, and one that is replaced is out of the table. */
static void two_tables(void **state)
{
    (void)state;
    struct element *table = NULL, *names = NULL, *old;
    strcpy(elements[0].name, "a");
    strcpy(elements[1].name, "a");
    assert_true(add(&table, 0));
    fails_at = 1;
    HASH_ADD_KEYPTR(by_name, names, elements[0].name, 1, &elements[0]);
    assert_false(table_has(by_name, &elements[0]));
    assert_true(table_has(hh, &elements[0]));
    assert_null(names);
    fails_at = 0;
    HASH_ADD_KEYPTR(by_name, names, elements[0].name, 1, &elements[0]);
    assert_true(table_has(by_name, &elements[0]));
    HASH_CLEAR(hh, table);
    HASH_CLEAR(by_name, names);

    assert_true(add(&table, 2));
    elements[3].number = 2;
    fails_at = 1;
    HASH_REPLACE(hh, table, number, sizeof elements[3].number, &elements[3], old);
    assert_ptr_equal(old, &elements[2]);
    assert_false(table_has(hh, &elements[3]));
    assert_null(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(with_memory, begin),
        cmocka_unit_test_setup(first, begin),
        cmocka_unit_test_setup(growth, begin),
        cmocka_unit_test_setup(two_tables, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
