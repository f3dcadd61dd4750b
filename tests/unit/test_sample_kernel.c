#include <errno.h>

#include "sample/sources.h"

#include "sampling.h"

#define ALL (MASK(KERNEL_FIELDS) - 1)

static const struct expected laptop = {"total",
                                       RESOURCE_NODE,
                                       ALL,
                                       {[KERNEL_UPTIME] = 540193,
                                        [KERNEL_FAULTS] = 92886288,
                                        [KERNEL_MAJOR_FAULTS] = 7154,
                                        [KERNEL_SWAP_IN] = 812,
                                        [KERNEL_SWAP_OUT] = 66321,
                                        [KERNEL_PAGED_IN] = 4682497,
                                        [KERNEL_PAGED_OUT] = 5304996,
                                        [KERNEL_OOM_KILLS] = 3}};

static void fixtures(void **state)
{
    static const struct expected odd = {"total",
                                        RESOURCE_NODE,
                                        MASK(KERNEL_UPTIME) | MASK(KERNEL_FAULTS) |
                                            MASK(KERNEL_PAGED_IN) | MASK(KERNEL_PAGED_OUT),
                                        {[KERNEL_UPTIME] = 1704,
                                         [KERNEL_FAULTS] = INT64_MAX,
                                         [KERNEL_PAGED_IN] = 10,
                                         [KERNEL_PAGED_OUT] = 20}};
    static const struct expected truncated = {
        "total", RESOURCE_NODE, MASK(KERNEL_PAGED_IN), {[KERNEL_PAGED_IN] = 4682497}};
    (void)state;
    check_fixture("laptop", SOURCE_KERNEL, &laptop, 1);
    check_fixture("odd-kernel", SOURCE_KERNEL, &odd, 1);
    check_fixture("broken-truncated", SOURCE_KERNEL, &truncated, 1);
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_KERNEL, EBADMSG);
    check_error("broken-garbage", SOURCE_KERNEL, EBADMSG);
    check_error("old-kernel", SOURCE_KERNEL, ENOENT);
}

/* One of the two files is enough; what one does not say any more does not stay. */
static void one_file_of_two(void **state)
{
    const struct tree *tree = *state;
    static const struct expected only_uptime = {
        "total", RESOURCE_NODE, MASK(KERNEL_UPTIME), {[KERNEL_UPTIME] = 100}};
    static const struct expected only_vmstat = {
        "total", RESOURCE_NODE, MASK(KERNEL_FAULTS), {[KERNEL_FAULTS] = 5}};
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_KERNEL);
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 1), ENOENT);
    tree_write(tree, "/proc/uptime", "1.00 2.00\n");
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 2), 0);
    assert_slots(set, &only_uptime, 1);
    tree_write(tree, "/proc/uptime", "1.0 2.00\n");
    tree_write(tree, "/proc/vmstat", "pgfault 5\npgfault 6\npgfaults 7\n pswpin 8\n");
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 3), 0);
    assert_slots(set, &only_vmstat, 1);
    tree_write(tree, "/proc/vmstat", "");
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 4), EBADMSG);
    assert_slots(set, &only_vmstat, 1);
    assert_int_equal(set->membership, 1);
    sampler_free(sampler);
}

/* -- What is wanted -------------------------------------------------------------------------- */

static void each_field(void **state)
{
    (void)state;
    check_each_field("laptop", SOURCE_KERNEL, "*", &laptop, 1, KERNEL_FIELDS);
}

static bool is_open(const struct sampler *sampler, unsigned file)
{
    return ((struct files *)sampler->sources[SOURCE_KERNEL].own)->file[file].fd >= 0;
}

/* A file that nobody wants need not be there, and is not opened; once it is wanted, its error
 * counts, and its value is that of the pass. */
static void unwanted_file(void **state)
{
    const struct tree *tree = *state;
    static const uint32_t up = MASK(KERNEL_UPTIME), faults = MASK(KERNEL_FAULTS);
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_KERNEL);
    tree_write(tree, "/proc/vmstat", "pgfault 1\npgpgin 2\n");
    tree_write(tree, "/proc/uptime", "1.00 2.00\n");
    select_fields(sampler, SOURCE_KERNEL, "*", up);
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 1), 0);
    assert_int_equal(set->slots[0].valid, up);
    assert_false(is_open(sampler, 1));
    tree_remove(tree, "/proc/vmstat");
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 2), 0);

    select_fields(sampler, SOURCE_KERNEL, "*", faults);
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 3), ENOENT);
    tree_write(tree, "/proc/vmstat", "pgfault 5\npgpgin 6\n");
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 4), 0);
    assert_int_equal(set->slots[0].valid, faults);
    assert_int_equal(set->slots[0].field[KERNEL_FAULTS], 5);
    assert_int_equal(set->slots[0].field[KERNEL_UPTIME] + set->slots[0].field[KERNEL_PAGED_IN], 0);

    /* Not read for a while, though its handle is kept: no value of then. */
    select_fields(sampler, SOURCE_KERNEL, "*", up);
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 5), 0);
    assert_int_equal(set->slots[0].valid, up);
    tree_write(tree, "/proc/vmstat", "pgfault 900\n");
    tree_write(tree, "/proc/uptime", "7.00 2.00\n");
    select_fields(sampler, SOURCE_KERNEL, "*", up | faults);
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 6), 0);
    assert_int_equal(set->slots[0].valid, up | faults);
    assert_int_equal(set->slots[0].field[KERNEL_FAULTS], 900);
    assert_int_equal(set->slots[0].field[KERNEL_UPTIME], 700);
    assert_int_equal(set->membership, 1);

    /* A kernel without the wanted field has the others; without anything it is strange. */
    select_fields(sampler, SOURCE_KERNEL, "*", MASK(KERNEL_OOM_KILLS));
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 7), 0);
    assert_int_equal(set->slots[0].valid, 0);
    tree_write(tree, "/proc/vmstat", "nonsense\n");
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 8), EBADMSG);
    sampler_free(sampler);
}

/* Nobody wants the source: whoever reads it gets everything. */
static void nobody(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    select_fields(sampler, SOURCE_KERNEL, "*", MASK(KERNEL_UPTIME));
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 1), 0);
    assert_int_equal(sampler_select(sampler, SOURCE_KERNEL, NULL, 0, 0), 0);
    assert_int_equal(sampler_read(sampler, SOURCE_KERNEL, 2), 0);
    assert_slots(sampler_set(sampler, SOURCE_KERNEL), &laptop, 1);
    sampler_free(sampler);
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_KERNEL, "/proc/uptime");
    check_any_bytes(*state, SOURCE_KERNEL, "/proc/vmstat");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fixtures),   cmocka_unit_test(broken), tree_test(one_file_of_two),
        cmocka_unit_test(each_field), tree_test(unwanted_file), cmocka_unit_test(nobody),
        tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
