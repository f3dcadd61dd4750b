/* Pools: objects of one size. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "unit.h"

#include "base/cache.h"

/* What malloc(3) was asked for, what of it is not freed yet, and how often it still succeeds. */
static int allowed, slabs;

static void *counted_malloc(size_t size)
{
    if (allowed-- <= 0)
        return NULL;
    slabs++;
    return malloc(size);
}

static void counted_free(void *memory)
{
    slabs -= memory != NULL;
    free(memory);
}

/* What memory was asked for: how often, and the sum of the addresses. */
static struct {
    size_t n;
    uintptr_t sum;
} asked;

static void counted_prefetch(const void *from, size_t size)
{
    assert_int_equal(size, 7);
    asked.n++;
    asked.sum += (uintptr_t)from;
}

/* The file itself, so that nothing else is counted. Before cmocka, which has a macro fail(). */
#define malloc counted_malloc
#define free counted_free
#define cache_prefetch counted_prefetch
#include "base/pool.c"
#undef malloc
#undef free
#undef cache_prefetch

#define PLENTY 1000000
#define OBJECTS 1000

struct object {
    size_t number;
    char bytes[193]; /* no multiple of anything */
};

static struct pool pool;

static int set_up(void **state)
{
    (void)state;
    allowed = PLENTY;
    slabs = 0;
    pool_init(&pool, sizeof(struct object));
    return 0;
}

/* As a caller has to, after everything was given back. */
static int tear_down(void **state)
{
    (void)state;
    pool_release(&pool);
    return slabs;
}

static bool is_zero(const struct object *object)
{
    const unsigned char *bytes = (const unsigned char *)object;
    for (size_t i = 0; i < sizeof *object; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

static struct object *take(size_t number)
{
    struct object *object = pool_take(&pool);
    assert_non_null(object);
    assert_int_equal((uintptr_t)object % CACHE_LINE, 0);
    assert_true(is_zero(object));
    memset(object, 0xff, sizeof *object);
    object->number = number;
    return object;
}

static void give(struct object *object, size_t number)
{
    assert_int_equal(object->number, number);
    assert_int_equal(object->bytes[0] & object->bytes[sizeof object->bytes - 1], -1);
    pool_give(&pool, object);
}

static void takes_nothing_before_it_must(void **state)
{
    (void)state;
    assert_int_equal(slabs, 0);
    pool_give(&pool, NULL);
    assert_int_equal(slabs, 0);
}

static void what_was_given_back_comes_next(void **state)
{
    (void)state;
    struct object *first = take(1), *second = take(2), *third = take(3);
    give(second, 2);
    assert_ptr_equal(take(4), second);
    give(first, 1);
    give(third, 3);
    assert_ptr_equal(take(5), third);
    assert_ptr_equal(take(6), first);
    assert_int_equal(slabs, 1);
    give(first, 6);
    give(second, 4);
    give(third, 5);
}

/* Objects come and go in any order: none is another's, and each keeps what was written to it. */
static void objects_are_apart(void **state)
{
    (void)state;
    static struct object *objects[OBJECTS];
    unsigned random = 1;
    int most = 0;
    for (size_t step = 0; step < 100 * OBJECTS; step++) {
        random = random * 1103515245 + 12345;
        size_t i = (random >> 8) % OBJECTS;
        if (objects[i])
            give(objects[i], i);
        objects[i] = objects[i] ? NULL : take(i);
        most = slabs > most ? slabs : most;
    }
    size_t in_slab = SLAB_ROOM / (sizeof(struct object) + CACHE_LINE);
    assert_in_range(most, 1, OBJECTS / in_slab + 1);
    for (size_t i = 0; i < OBJECTS; i++)
        if (objects[i])
            give(objects[i], i);
}

static void a_peak_is_given_back(void **state)
{
    (void)state;
    static struct object *objects[OBJECTS];
    for (size_t i = 0; i < OBJECTS; i++)
        objects[i] = take(i);
    int peak = slabs;
    assert_true(peak > 10);
    for (size_t i = 0; i < OBJECTS; i++)
        give(objects[i], i);
    assert_int_equal(slabs, 1); /* for what comes soon */
    struct object *next = take(0);
    assert_int_equal(slabs, 1);
    give(next, 0);
}

static void without_memory(void **state)
{
    (void)state;
    allowed = 0;
    assert_null(pool_take(&pool));
    allowed = 1;
    struct object *object = take(1);
    struct object *others[OBJECTS];
    size_t n = 0;
    while ((others[n] = pool_take(&pool)))
        n++;
    assert_true(n >= OBJECTS_MIN - 1);
    give(object, 1);
    object = take(2); /* the pool is as it was */
    assert_null(pool_take(&pool));
    give(object, 2);
    while (n > 0)
        pool_give(&pool, others[--n]);
}

/* Memory is asked for what every object has there, and for nothing else. */
static void asks_memory_for_objects(void **state)
{
    (void)state;
    pool_prefetch(&pool, offsetof(struct object, bytes), 7);
    assert_int_equal(asked.n, 0);
    struct object *objects[OBJECTS];
    for (size_t i = 0; i < OBJECTS; i++)
        objects[i] = take(i);
    for (size_t i = 0; i < OBJECTS; i++)
        asked.sum -= (uintptr_t)&objects[i]->bytes;
    pool_prefetch(&pool, offsetof(struct object, bytes), 7);
    assert_int_equal(asked.n, OBJECTS);
    assert_int_equal(asked.sum, 0);
    for (size_t i = 0; i < OBJECTS; i++)
        give(objects[i], i);
}

/* Larger than a slab otherwise is. */
static void large_objects(void **state)
{
    (void)state;
    struct pool large;
    void *objects[2 * OBJECTS_MIN];
    pool_init(&large, 3 * SLAB_ROOM);
    for (size_t i = 0; i < 2 * OBJECTS_MIN; i++)
        assert_non_null(objects[i] = pool_take(&large));
    assert_int_equal(slabs, 2);
    for (size_t i = 0; i < 2 * OBJECTS_MIN; i++)
        pool_give(&large, objects[i]);
    pool_release(&large);
    assert_int_equal(slabs, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(takes_nothing_before_it_must, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_was_given_back_comes_next, set_up, tear_down),
        cmocka_unit_test_setup_teardown(objects_are_apart, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_peak_is_given_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(asks_memory_for_objects, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_objects, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
