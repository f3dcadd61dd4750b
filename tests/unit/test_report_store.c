/* The octets of blocks, one behind the other in a ring that grows: whatever comes and goes, each
 * block keeps its own. */
#include <string.h>

#include "report/store.h"
#include "unit.h"

/* A fixed sequence (Numerical Recipes, ranqd1). */
static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static uint8_t octet_of(size_t number, size_t i)
{
    return (uint8_t)(number * 31 + i * 7);
}

static void append(struct store *store, size_t number, size_t len)
{
    struct stored_block *block = store_append(store, len);
    assert_non_null(block);
    assert_int_equal(block->block.len, len);
    block->block.sequence = (uint32_t)number;
    for (size_t i = 0; i < len; i++)
        ((uint8_t *)(uintptr_t)block->block.bytes)[i] = octet_of(number, i);
}

/* Every block has its octets, inside of the room, and shares none with the next. */
static void assert_whole(const struct store *store)
{
    const struct stored_block *block;
    TAILQ_FOREACH(block, &store->blocks, link)
    {
        assert_ptr_equal(block->block.bytes, store->bytes + block->at);
        assert_true(block->at + block->block.len <= store->room);
        for (size_t i = 0; i < block->block.len; i++)
            assert_int_equal(block->block.bytes[i], octet_of(block->block.sequence, i));
    }
}

static void they_keep_their_octets(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 60; seed++) {
        struct store store;
        uint32_t random = seed;
        size_t kept = 0, most = 4 + next(&random) % 60, largest = 1 + next(&random) % 4000;
        store_open(&store);
        for (size_t number = 1; number <= 400; number++) {
            append(&store, number, 1 + next(&random) % largest);
            for (kept++; kept > most; kept--)
                store_remove(&store, TAILQ_FIRST(&store.blocks));
            if (next(&random) % 16 == 0 && kept > 1) {
                store_remove(&store, TAILQ_LAST(&store.blocks, stored_blocks));
                kept--;
            }
            if (next(&random) % 64 == 0)
                most += next(&random) % 20;
            if (number % 16 == 0)
                assert_whole(&store);
        }
        assert_whole(&store);
        store_close(&store);
        assert_null(store.bytes);
    }
}

/* Once it has room for as many as are kept, it does not grow any more. */
static void it_grows_no_further(void **state)
{
    (void)state;
    struct store store;
    store_open(&store);
    size_t room = 0;
    for (size_t number = 1; number <= 10000; number++) {
        append(&store, number, 1000);
        if (number > 50)
            store_remove(&store, TAILQ_FIRST(&store.blocks));
        if (number == 200)
            room = store.room;
    }
    assert_int_equal(store.room, room);
    assert_true(room < 50 * 1000 + 3 * 16384);
    store_close(&store);
}

/* A block that is larger than all there was. */
static void one_that_is_large(void **state)
{
    (void)state;
    struct store store;
    store_open(&store);
    append(&store, 1, 10);
    append(&store, 2, 1000000);
    append(&store, 3, 10);
    assert_whole(&store);
    store_close(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_keep_their_octets),
        cmocka_unit_test(it_grows_no_further),
        cmocka_unit_test(one_that_is_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
