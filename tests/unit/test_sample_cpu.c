#include <errno.h>
#include <stdio.h>

#include "sampling.h"

#define TIMES (MASK(CPU_BUSY + 1) - 1)
#define WHOLE                                                                                      \
    (MASK(CPU_INTERRUPTS) | MASK(CPU_SWITCHES) | MASK(CPU_FORKS) | MASK(CPU_BLOCKED) |             \
     MASK(CPU_SOFTIRQS))

static void laptop(void **state)
{
    static const struct expected expected[] = {
        {"total",
         RESOURCE_NODE,
         TIMES | WHOLE | MASK(CPU_COUNT),
         {74608, 2520, 24433, 1117073, 6176, 4054, 1000, 77, 1229941,
          106692, [CPU_INTERRUPTS] = 9273465, [CPU_SWITCHES] = 30254102, [CPU_FORKS] = 26442,
          [CPU_SOFTIRQS] = 4921323, [CPU_COUNT] = 2}},
        {"0",
         RESOURCE_CPU,
         TIMES,
         {37304, 1260, 12216, 558536, 3088, 2027, 500, 38, 614969, 53345}},
        {"1",
         RESOURCE_CPU,
         TIMES,
         {37304, 1260, 12217, 558537, 3088, 2027, 500, 39, 614972, 53347}},
    };
    (void)state;
    check_fixture("laptop", SOURCE_CPU, expected, N_OF(expected));
}

/* The file of 23 KB is read whole; the rows follow a formula. */
static void many_cpus(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("cpus128");
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 1), 0);
    const struct sample_set *set = sampler_set(sampler, SOURCE_CPU);
    assert_int_equal(present_count(set), 129);
    assert_int_equal(set->membership, 129);
    uint64_t sum = 0;
    assert_int_equal(slot_named(set, "total")->field[CPU_COUNT], 128);
    for (unsigned n = 0; n < 128; n++) {
        char name[8];
        snprintf(name, sizeof name, "%u", n);
        const struct sample_slot *slot = slot_named(set, name);
        assert_non_null(slot);
        assert_int_equal(slot->valid, TIMES);
        assert_int_equal(slot->field[CPU_USER], 100000 + n);
        assert_int_equal(slot->field[CPU_IDLE], 900000 - n);
        assert_int_equal(slot->field[CPU_TOTAL], 1020003 + 3 * n);
        assert_int_equal(slot->field[CPU_BUSY], 120003 + 3 * n);
        sum += slot->field[CPU_TOTAL];
    }
    assert_int_equal(slot_named(set, "total")->field[CPU_TOTAL], sum);
    sampler_free(sampler);
}

static void old_kernel(void **state)
{
    static const struct expected expected[] = {
        {"total",
         RESOURCE_NODE,
         MASK(CPU_USER) | MASK(CPU_NICE) | MASK(CPU_SYSTEM) | MASK(CPU_IDLE) | MASK(CPU_TOTAL) |
             MASK(CPU_BUSY) | MASK(CPU_INTERRUPTS) | MASK(CPU_SWITCHES) | MASK(CPU_COUNT),
         {7000, 300, 2000, 50000, [CPU_TOTAL] = 59300, [CPU_BUSY] = 9300, [CPU_INTERRUPTS] = 100,
          [CPU_SWITCHES] = 1, [CPU_COUNT] = 1}},
        {"0",
         RESOURCE_CPU,
         TIMES & ~MASK(CPU_STEAL),
         {7000, 300, 2000, 50000, 40, 5, 6, [CPU_TOTAL] = 59351, [CPU_BUSY] = 9311}},
    };
    (void)state;
    check_fixture("old-kernel", SOURCE_CPU, expected, N_OF(expected));
}

static void truncated(void **state)
{
    static const struct expected expected[] = {
        {"total",
         RESOURCE_NODE,
         TIMES | MASK(CPU_COUNT),
         {100, 200, 300, 400, 50, 6, 7, 8, 1071, 621, [CPU_COUNT] = 1}},
        {"0", RESOURCE_CPU, TIMES, {100, 200, 300, 400, 50, 6, 7, 8, 1071, 621}},
    };
    (void)state;
    check_fixture("broken-truncated", SOURCE_CPU, expected, N_OF(expected));
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_CPU, EBADMSG);
    check_error("broken-garbage", SOURCE_CPU, EBADMSG);
    check_error("broken-empty/proc", SOURCE_CPU, ENOENT);
}

/* One strange column lacks its bit, and the sums theirs; the others are there. */
static void strange_columns(void **state)
{
    static const struct expected expected[] = {
        {"total",
         RESOURCE_NODE,
         TIMES | MASK(CPU_COUNT),
         {1, 2, 3, 4, 5, 6, 7, 8, 36, 27, [CPU_COUNT] = 5}},
        {"0", RESOURCE_CPU, MASK(CPU_USER) | MASK(CPU_SYSTEM) | MASK(CPU_IDLE), {1, 0, 3, 4}},
        {"1", RESOURCE_CPU, MASK(CPU_USER) | MASK(CPU_NICE) | MASK(CPU_SYSTEM), {1, 2, 3}},
        {"2", RESOURCE_CPU, MASK(CPU_NICE), {0, 2}},
        {"3",
         RESOURCE_CPU,
         TIMES & ~(MASK(CPU_STEAL) | MASK(CPU_TOTAL) | MASK(CPU_BUSY)),
         {1, 2, 3, 4, 5, 6, 7}},
        {"4", RESOURCE_CPU, MASK(CPU_USER), {UINT64_MAX}},
    };
    const struct tree *tree = *state;
    tree_write(tree, "/proc/stat",
               "cpu  1 2 3 4 5 6 7 8 9 10 11 new 13 14\n"
               "cpu0 1 -2 3 4\n"
               "cpu1 1 2 3\n"
               "cpu2 1x 2\n"
               "cpu3 1 2 3 4 5 6 7 18446744073709551616\n"
               "cpu4 18446744073709551615\n"
               "cpu0 99 99 99 99\n"
               "cpu5 99999999999999999999999\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 1), 0);
    assert_slots(sampler_set(sampler, SOURCE_CPU), expected, N_OF(expected));
    sampler_free(sampler);
}

/* What only the machine as a whole has: in any order, the first of two; it is no part of a CPU, and
 * nothing without the line of the whole. */
static void whole_machine(void **state)
{
    static const struct expected first[] = {
        {"total",
         RESOURCE_NODE,
         TIMES | MASK(CPU_SWITCHES) | MASK(CPU_FORKS) | MASK(CPU_BLOCKED) | MASK(CPU_COUNT),
         {1, 2, 3, 4, 5, 6, 7, 8, 36,
          27, [CPU_SWITCHES] = UINT64_MAX, [CPU_FORKS] = 9, [CPU_BLOCKED] = 3, [CPU_COUNT] = 1}},
        {"0", RESOURCE_CPU, TIMES, {1, 2, 3, 4, 5, 6, 7, 8, 36, 27}},
    };
    static const struct expected second[] = {
        {"total",
         RESOURCE_NODE,
         TIMES | MASK(CPU_SOFTIRQS),
         {1, 2, 3, 4, 5, 6, 7, 8, 36, 27, [CPU_SOFTIRQS] = 5}},
    };
    static const struct expected third[] = {
        {"0", RESOURCE_CPU, TIMES, {1, 2, 3, 4, 5, 6, 7, 8, 36, 27}},
    };
    const struct tree *tree = *state;
    tree_write(tree, "/proc/stat",
               "cpu  1 2 3 4 5 6 7 8\ncpu0 1 2 3 4 5 6 7 8\nprocesses 9\nintr x 1 2\nsoftirq\n"
               "ctxt 18446744073709551615\nprocesses 10\nprocs_blocked 3\nprocesses_new 4\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 1), 0);
    assert_slots(sampler_set(sampler, SOURCE_CPU), first, N_OF(first));
    tree_write(tree, "/proc/stat", "cpu  1 2 3 4 5 6 7 8\nsoftirq 5 1 2\nintr 12");
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 2), 0);
    assert_slots(sampler_set(sampler, SOURCE_CPU), second, N_OF(second));
    tree_write(tree, "/proc/stat", "ctxt 7\ncpu0 1 2 3 4 5 6 7 8\nintr 5\n");
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 3), 0);
    assert_slots(sampler_set(sampler, SOURCE_CPU), third, N_OF(third));
    sampler_free(sampler);
}

/* A CPU goes offline and comes back. */
static void hot_plug(void **state)
{
    const struct tree *tree = *state;
    tree_copy(tree, "laptop");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_CPU);
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 1), 0);
    assert_int_equal(set->membership, 3);
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 2), 0);
    assert_int_equal(set->membership, 3);

    tree_write(tree, "/proc/stat", "cpu  9 9 9 9\ncpu1 8 8 8 8\n");
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 3), 0);
    assert_int_equal(set->membership, 4);
    assert_int_equal(set->count, 3);
    assert_false(set->slots[1].present);
    assert_string_equal(set->slots[2].name, "1");
    assert_int_equal(set->slots[2].field[CPU_USER], 8);

    tree_write(tree, "/proc/stat", "cpu  9 9 9 9\ncpu0 1 1 1 1\ncpu1 8 8 8 8\n");
    assert_int_equal(sampler_read(sampler, SOURCE_CPU, 4), 0);
    assert_int_equal(set->membership, 5);
    assert_int_equal(set->count, 3);
    assert_true(set->slots[1].present);
    assert_string_equal(set->slots[1].name, "0");
    assert_int_equal(set->slots[1].incarnation, 2);
    assert_int_equal(set->slots[2].incarnation, 1);
    sampler_free(sampler);
}

static void stale(void **state)
{
    check_stale(*state, SOURCE_CPU, "/proc/stat");
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_CPU, "/proc/stat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laptop),    cmocka_unit_test(many_cpus), cmocka_unit_test(old_kernel),
        cmocka_unit_test(truncated), cmocka_unit_test(broken),    tree_test(strange_columns),
        tree_test(whole_machine),    tree_test(hot_plug),         tree_test(stale),
        tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
