#include <errno.h>

#include "sample/sources.h"

#include "sampling.h"

#define ALL (MASK(PRESSURE_FIELDS) - 1)
#define SOME (MASK(PRESSURE_FULL_10) - 1)

static const struct expected laptop[] = {
    {"cpu", RESOURCE_NODE, ALL, {444, 850, 793, 208898584}},
    {"memory", RESOURCE_NODE, ALL, {0, 1, 10, 1021, 0, 0, 7, 907}},
    {"io", RESOURCE_NODE, ALL, {12, 6, 17, 12216541, 10000, 4, 11, 9650593}},
};

static void fixtures(void **state)
{
    /* No line "full" for the CPU; columns in another order, strange ones; no file for io. */
    static const struct expected odd[] = {
        {"cpu", RESOURCE_NODE, SOME, {50, 25, 5, 1000}},
        {"memory",
         RESOURCE_NODE,
         MASK(PRESSURE_SOME_10) | MASK(PRESSURE_SOME_60) | MASK(PRESSURE_FULL_300) |
             MASK(PRESSURE_FULL_TIME),
         {200, 300, [PRESSURE_FULL_300] = 100, [PRESSURE_FULL_TIME] = 5}},
    };
    static const struct expected truncated = {
        "cpu", RESOURCE_NODE, SOME, {444, 850, 793, 208898584}};
    (void)state;
    check_fixture("laptop", SOURCE_PRESSURE, laptop, N_OF(laptop));
    check_fixture("odd-kernel", SOURCE_PRESSURE, odd, N_OF(odd));
    check_fixture("broken-truncated", SOURCE_PRESSURE, &truncated, 1);
}

/* A kernel without PSI, or booted with psi=0. */
static void unavailable(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_PRESSURE, EBADMSG);
    check_error("broken-garbage", SOURCE_PRESSURE, EBADMSG);
    check_error("old-kernel", SOURCE_PRESSURE, ENOENT);
}

/* Unreadable for another reason (a directory gives EISDIR, PSI that is off EOPNOTSUPP): the error
 * is the set's, and the slots stay. */
static void becomes_unreadable(void **state)
{
    const struct tree *tree = *state;
    tree_write(tree, "/proc/pressure/io", "some avg10=1.00 total=7\n");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PRESSURE);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 1), 0);
    assert_int_equal(present_count(set), 1);
    sampler_free(sampler);

    tree_remove(tree, "/proc/pressure");
    tree_write(tree, "/proc/pressure/cpu/x", "");
    tree_write(tree, "/proc/pressure/memory/x", "");
    tree_write(tree, "/proc/pressure/io/x", "");
    sampler = sampler_new(tree->root);
    set = sampler_set(sampler, SOURCE_PRESSURE);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 1), EISDIR);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 2), EISDIR);
    assert_int_equal(set->error, EISDIR);
    assert_int_equal(set->count, 0);
    sampler_free(sampler);
}

static void counters_go_on(void **state)
{
    const struct tree *tree = *state;
    tree_copy(tree, "laptop");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PRESSURE);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 1), 0);
    uint64_t before = slot_named(set, "io")->field[PRESSURE_FULL_TIME];
    tree_write(tree, "/proc/pressure/io",
               "some avg10=0.00 avg60=0.00 avg300=0.00 total=12216541\n"
               "full avg10=0.00 avg60=0.00 avg300=0.00 total=10150593\n");
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 2), 0);
    assert_int_equal(slot_named(set, "io")->field[PRESSURE_FULL_TIME] - before, 500000);
    assert_int_equal(set->membership, 3);
    sampler_free(sampler);
}

/* -- What is wanted -------------------------------------------------------------------------- */

static void each_field(void **state)
{
    (void)state;
    check_each_field("laptop", SOURCE_PRESSURE, "*", laptop, N_OF(laptop), PRESSURE_FIELDS);
}

static void each_file(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 8; bits++) {
        const char *patterns[4] = {"none of them"};
        struct expected expected[3];
        size_t n = 0;
        for (unsigned i = 0; i < 3; i++)
            if (bits >> i & 1) {
                expected[n++] = laptop[i];
                patterns[n] = laptop[i].instance;
            }
        struct sampler *sampler = fixture_sampler("laptop");
        assert_int_equal(
            sampler_select(sampler, SOURCE_PRESSURE, patterns, n + 1, SAMPLE_ALL_FIELDS), 0);
        assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 1), 0);
        assert_slots(sampler_set(sampler, SOURCE_PRESSURE), expected, n);
        const struct files *files = sampler->sources[SOURCE_PRESSURE].own;
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(files->file[i].fd >= 0, bits >> i & 1);
        sampler_free(sampler);
    }
}

/* Instances go when they are no longer selected and come, with new values, when they are again;
 * what cannot be read counts only where it is selected. */
static void selection_changes(void **state)
{
    const struct tree *tree = *state;
    tree_copy(tree, "laptop");
    tree_remove(tree, "/proc/pressure/cpu");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_PRESSURE);
    select_fields(sampler, SOURCE_PRESSURE, "!cpu *", SAMPLE_ALL_FIELDS);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 1), 0);
    assert_slots(set, laptop + 1, 2);
    select_fields(sampler, SOURCE_PRESSURE, "memory", SAMPLE_ALL_FIELDS);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 2), 0);
    assert_slots(set, laptop + 1, 1);
    tree_write(tree, "/proc/pressure/io", "some avg10=1.00 total=7\n");
    select_fields(sampler, SOURCE_PRESSURE, "io", SAMPLE_ALL_FIELDS);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 3), 0);
    assert_int_equal(present_count(set), 1);
    assert_int_equal(slot_named(set, "io")->field[PRESSURE_SOME_TIME], 7);
    assert_int_equal(slot_named(set, "io")->valid,
                     MASK(PRESSURE_SOME_10) | MASK(PRESSURE_SOME_TIME));
    select_fields(sampler, SOURCE_PRESSURE, "cpu", SAMPLE_ALL_FIELDS);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 4), ENOENT);
    tree_write(tree, "/proc/pressure/cpu", "nonsense\n");
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 5), EBADMSG);
    select_fields(sampler, SOURCE_PRESSURE, "none", SAMPLE_ALL_FIELDS);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 6), 0);
    assert_int_equal(present_count(set), 0);
    sampler_free(sampler);
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_PRESSURE, "/proc/pressure/cpu");
    check_any_bytes(*state, SOURCE_PRESSURE, "/proc/pressure/io");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures),   cmocka_unit_test(unavailable), tree_test(becomes_unreadable),
        tree_test(counters_go_on),    cmocka_unit_test(each_field),  cmocka_unit_test(each_file),
        tree_test(selection_changes), tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
