#include <errno.h>

#include "sampling.h"

#define ALL (MASK(MEMORY_FIELDS) - 1)

static void fixtures(void **state)
{
    static const struct expected laptop = {"total",
                                           RESOURCE_NODE,
                                           ALL,
                                           {[MEMORY_TOTAL] = 16284412,
                                            [MEMORY_FREE] = 2514220,
                                            [MEMORY_AVAILABLE] = 9431284,
                                            [MEMORY_BUFFERS] = 401624,
                                            [MEMORY_CACHED] = 6122900,
                                            [MEMORY_SWAP_TOTAL] = 8388604,
                                            [MEMORY_SWAP_FREE] = 8126460,
                                            [MEMORY_DIRTY] = 256,
                                            [MEMORY_USED] = 6853128,
                                            [MEMORY_SWAP_USED] = 262144}};
    static const struct expected old = {"total",
                                        RESOURCE_NODE,
                                        ALL & ~(MASK(MEMORY_AVAILABLE) | MASK(MEMORY_USED)),
                                        {[MEMORY_TOTAL] = 515420,
                                         [MEMORY_FREE] = 14220,
                                         [MEMORY_BUFFERS] = 40162,
                                         [MEMORY_CACHED] = 222900,
                                         [MEMORY_DIRTY] = 8}};
    static const struct expected truncated = {
        "total", RESOURCE_NODE, MASK(MEMORY_TOTAL), {[MEMORY_TOTAL] = 16284412}};
    (void)state;
    check_fixture("laptop", SOURCE_MEMORY, &laptop, 1);
    check_fixture("old-kernel", SOURCE_MEMORY, &old, 1);
    check_fixture("broken-truncated", SOURCE_MEMORY, &truncated, 1);
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_MEMORY, EBADMSG);
    check_error("broken-garbage", SOURCE_MEMORY, EBADMSG);
    check_error("broken-empty/proc", SOURCE_MEMORY, ENOENT);
}

/* Any order, unknown keys, the first of two; more available than there is gives no "used". */
static void strange_lines(void **state)
{
    static const struct expected expected = {"total",
                                             RESOURCE_NODE,
                                             MASK(MEMORY_TOTAL) | MASK(MEMORY_AVAILABLE) |
                                                 MASK(MEMORY_CACHED) | MASK(MEMORY_DIRTY) |
                                                 MASK(MEMORY_SWAP_TOTAL),
                                             {[MEMORY_TOTAL] = 1000,
                                              [MEMORY_AVAILABLE] = 1001,
                                              [MEMORY_CACHED] = 7,
                                              [MEMORY_DIRTY] = 3,
                                              [MEMORY_SWAP_TOTAL] = 50}};
    const struct tree *tree = *state;
    tree_write(tree, "/proc/meminfo",
               "SwapCached: 99 kB\nDirty: 3\nMemAvailable:1001 kB\n MemFree: 5 kB\n"
               "MemFreed: 6 kB\nDirty: 4 kB\nCached: -1 kB\nCached:\t7 kB\nNew: 1 2 3\n"
               "SwapFree: 1.5 kB\nSwapTotal: 50 kB\nMemTotal: 1000 kB\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_MEMORY, 1), 0);
    assert_slots(sampler_set(sampler, SOURCE_MEMORY), &expected, 1);
    /* What was there in the last pass and is no more must not stay. */
    tree_write(tree, "/proc/meminfo", "MemTotal: 1001 kB\n");
    static const struct expected after = {
        "total", RESOURCE_NODE, MASK(MEMORY_TOTAL), {[MEMORY_TOTAL] = 1001}};
    assert_int_equal(sampler_read(sampler, SOURCE_MEMORY, 2), 0);
    assert_slots(sampler_set(sampler, SOURCE_MEMORY), &after, 1);
    assert_int_equal(sampler_set(sampler, SOURCE_MEMORY)->membership, 1);
    sampler_free(sampler);
}

static void stale(void **state)
{
    check_stale(*state, SOURCE_MEMORY, "/proc/meminfo");
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_MEMORY, "/proc/meminfo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures), cmocka_unit_test(broken), tree_test(strange_lines),
        tree_test(stale),           tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
