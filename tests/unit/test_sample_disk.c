#include <errno.h>

#include "sampling.h"

#define ALL (MASK(DISK_FIELDS) - 1)
#define FOUR                                                                                       \
    (MASK(DISK_READS) | MASK(DISK_READ_SECTORS) | MASK(DISK_WRITES) | MASK(DISK_WRITE_SECTORS))

static void laptop(void **state)
{
    static const struct expected expected[] = {
        {"nvme0n1",
         RESOURCE_DISK,
         ALL,
         {312271, 26873060, 173270, 224843, 26495921, 4294967295, 3, 438401, 2096481}},
        {"nvme0n1p1", RESOURCE_PARTITION, ALL, {211, 9402, 55, 2, 2, 1, 0, 48, 57}},
        {"nvme0n1p2",
         RESOURCE_PARTITION,
         ALL,
         {311900, 26860018, 173100, 224841, 26495919, 1922337, 3, 438300, 2095437}},
        {"loop0", RESOURCE_DISK, ALL, {0}},
    };
    (void)state;
    check_fixture("laptop", SOURCE_DISK, expected, N_OF(expected));
}

/* No discards and flushes; partitions with four columns; no /sys/dev/block. */
static void old_kernel(void **state)
{
    static const struct expected expected[] = {
        {"sda", RESOURCE_DISK, ALL, {3127, 268730, 7327, 1248, 64959, 1922, 0, 4384, 9648}},
        {"sda1",
         RESOURCE_PARTITION,
         FOUR,
         {[DISK_READS] = 3100,
          [DISK_READ_SECTORS] = 268000,
          [DISK_WRITES] = 1200,
          [DISK_WRITE_SECTORS] = 64000}},
    };
    (void)state;
    check_fixture("old-kernel", SOURCE_DISK, expected, N_OF(expected));
}

static void truncated(void **state)
{
    static const struct expected expected[] = {
        {"sda", RESOURCE_DISK, ALL, {1, 3, 4, 5, 7, 8, 9, 10, 11}},
        {"sda1",
         RESOURCE_DISK,
         MASK(DISK_READS) | MASK(DISK_READ_SECTORS),
         {[DISK_READS] = 1, [DISK_READ_SECTORS] = 3}},
    };
    (void)state;
    check_fixture("broken-truncated", SOURCE_DISK, expected, N_OF(expected));
}

static void broken(void **state)
{
    (void)state;
    check_error("broken-empty", SOURCE_DISK, EBADMSG);
    check_error("broken-garbage", SOURCE_DISK, EBADMSG);
    check_error("broken-empty/proc", SOURCE_DISK, ENOENT);
}

static void strange_lines(void **state)
{
    static const struct expected expected[] = {
        {"cciss/c0d0", RESOURCE_DISK, ALL, {1, 3, 4, 5, 7, 8, 9, 10, 11}},
        {"sda", RESOURCE_DISK, ALL & ~MASK(DISK_IN_FLIGHT), {1, 3, 4, 5, 7, 8, 0, 10, 11}},
        {"sdb", RESOURCE_DISK, ALL & ~MASK(DISK_WRITES), {1, 3, 4, 0, 7, 8, 9, 10, 11}},
        {"sdc", RESOURCE_DISK, ALL, {1, 3, 4, 5, 7, 8, 2147483647, 10, 11}},
        {"sdd", RESOURCE_DISK, ALL & ~MASK(DISK_IN_FLIGHT), {1, 3, 4, 5, 7, 8, 0, 10, 11}},
    };
    const struct tree *tree = *state;
    tree_write(tree, "/proc/diskstats",
               " 104 0 cciss/c0d0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 new 19\n"
               "8 0 sda 1 2 3 4 5 6 7 8 4294967295 10 11\n"
               "8 16 sdb 1 2 3 4 -5 6 7 8 9 10 11\n"
               "8 16 sdb 2 2 2 2 2 2 2 2 2 2 2\n"
               "8 32 sdc 1 2 3 4 5 6 7 8 2147483647 10 11\n"
               "8 48 sdd 1 2 3 4 5 6 7 8 2147483648 10 11\n"
               "8 32 ");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_DISK, 1), 0);
    assert_slots(sampler_set(sampler, SOURCE_DISK), expected, N_OF(expected));
    sampler_free(sampler);
}

/* A stick comes and goes; a partition that takes its slot is a partition. The class is looked up
 * once, when the device comes. */
static void hot_plug(void **state)
{
    const struct tree *tree = *state;
    tree_write(tree, "/proc/diskstats", "8 0 sda 1 1 1 1\n8 16 sdb 2 2 2 2\n");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = sampler_set(sampler, SOURCE_DISK);
    assert_int_equal(sampler_read(sampler, SOURCE_DISK, 1), 0);
    assert_int_equal(set->membership, 2);

    tree_write(tree, "/sys/dev/block/8:0/partition", "1\n");
    tree_write(tree, "/proc/diskstats", "8 0 sda 1 1 1 1\n");
    assert_int_equal(sampler_read(sampler, SOURCE_DISK, 2), 0);
    assert_int_equal(set->membership, 3);
    assert_int_equal(set->slots[0].class, RESOURCE_DISK);
    assert_false(set->slots[1].present);

    tree_write(tree, "/sys/dev/block/8:1/partition", "1\n");
    tree_write(tree, "/proc/diskstats", "8 0 sda 1 1 1 1\n8 1 sda1 3 3 3 3\n");
    assert_int_equal(sampler_read(sampler, SOURCE_DISK, 3), 0);
    assert_int_equal(set->membership, 4);
    assert_int_equal(set->count, 2);
    assert_string_equal(set->slots[1].name, "sda1");
    assert_int_equal(set->slots[1].class, RESOURCE_PARTITION);
    assert_int_equal(set->slots[1].incarnation, 2);
    assert_int_equal(set->slots[1].field[DISK_READS], 3);
    sampler_free(sampler);
}

/* -- Few wanted ones of many: their own files are read, and the list now and then -------------- */

#define SECOND UINT64_C(1000000000)
#define MANY                                                                                       \
    "7 0 loop0 1 1 1 1 1 1 1 1 1 1 1\n"                                                            \
    "7 1 loop1 1 1 1 1 1 1 1 1 1 1 1\n"                                                            \
    "104 0 cciss/c0d0 1 1 1 1 1 1 1 1 1 1 1\n"

static const char *const no_loops[] = {"cciss*", "sd*"};

/* The numbers of the list are 1, those of the file 2. */
static struct sampler *few_of_many(const struct tree *tree)
{
    tree_write(tree, "/proc/diskstats", MANY);
    tree_write(tree, "/sys/class/block/cciss!c0d0/stat",
               "       2        2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_select(sampler, SOURCE_DISK, no_loops, 2, SAMPLE_ALL_FIELDS), 0);
    return sampler;
}

static uint64_t reads_at(struct sampler *sampler, const char *name, uint64_t second)
{
    assert_int_equal(sampler_read(sampler, SOURCE_DISK, second * SECOND), 0);
    const struct sample_slot *slot = slot_named(sampler_set(sampler, SOURCE_DISK), name);
    return slot && slot->valid ? slot->field[DISK_READS] : 0;
}

static void own_file(void **state)
{
    static const struct expected expected[] = {
        {"loop0", RESOURCE_DISK, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {"loop1", RESOURCE_DISK, 0, {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {"cciss/c0d0", RESOURCE_DISK, ALL, {2, 2, 2, 2, 2, 2, 2, 2, 2}},
    };
    struct sampler *sampler = few_of_many(*state);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 100), 1);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 101), 2);
    const struct sample_set *set = sampler_set(sampler, SOURCE_DISK);
    assert_slots(set, expected, N_OF(expected));
    assert_int_equal(set->membership, 3);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 104), 2);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 105), 1);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 106), 2);
    sampler_free(sampler);
}

/* The new one is wanted, too: two of four are too many for files of their own. */
static void new_disk(void **state)
{
    struct sampler *sampler = few_of_many(*state);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 100), 1);
    tree_write(*state, "/proc/diskstats", MANY "8 0 sda 3 3 3 3 3 3 3 3 3 3 3\n");
    tree_write(*state, "/sys/class/block/sda/stat", "4 4 4 4 4 4 4 4 4 4 4\n");
    assert_int_equal(reads_at(sampler, "sda", 104), 0);
    assert_int_equal(reads_at(sampler, "sda", 105), 3);
    assert_int_equal(reads_at(sampler, "sda", 106), 3);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 106), 1);
    sampler_free(sampler);
}

/* What the file no longer tells, the list does at once; then the file is looked for again. */
static void gone_disk(void **state)
{
    static const char *const broken[] = {"", "2 2 2 2", "x x x x x x x x x x x\n"};
    for (size_t i = 0; i < N_OF(broken); i++) {
        struct sampler *sampler = few_of_many(*state);
        assert_int_equal(reads_at(sampler, "cciss/c0d0", 100), 1);
        assert_int_equal(reads_at(sampler, "cciss/c0d0", 101), 2);
        tree_write(*state, "/sys/class/block/cciss!c0d0/stat", broken[i]);
        assert_int_equal(reads_at(sampler, "cciss/c0d0", 102), 1);
        tree_write(*state, "/sys/class/block/cciss!c0d0/stat", "5 5 5 5 5 5 5 5 5 5 5\n");
        assert_int_equal(reads_at(sampler, "cciss/c0d0", 103), 5);
        tree_write(*state, "/sys/class/block/cciss!c0d0/stat", "");
        tree_write(*state, "/proc/diskstats", "7 0 loop0 1 1 1 1 1 1 1 1 1 1 1\n");
        assert_int_equal(reads_at(sampler, "cciss/c0d0", 104), 0);
        assert_int_equal(present_count(sampler_set(sampler, SOURCE_DISK)), 1);
        sampler_free(sampler);
    }
}

static void others_wanted(void **state)
{
    static const char *const loops[] = {"loop1"};
    struct sampler *sampler = few_of_many(*state);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 100), 1);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 101), 2);
    tree_write(*state, "/sys/class/block/loop1/stat", "6 6 6 6 6 6 6 6 6 6 6\n");
    assert_int_equal(sampler_select(sampler, SOURCE_DISK, loops, 1, SAMPLE_ALL_FIELDS), 0);
    assert_int_equal(reads_at(sampler, "loop1", 102), 6);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 103), 0);
    assert_int_equal(sampler_select(sampler, SOURCE_DISK, NULL, 0, 0), 0);
    assert_int_equal(reads_at(sampler, "loop1", 104), 1);
    assert_int_equal(reads_at(sampler, "cciss/c0d0", 104), 1);
    sampler_free(sampler);
}

static void no_such_file(void **state)
{
    struct sampler *sampler = few_of_many(*state);
    tree_remove(*state, "/sys/class/block/cciss!c0d0/stat");
    for (uint64_t second = 100; second < 104; second++)
        assert_int_equal(reads_at(sampler, "cciss/c0d0", second), 1);
    sampler_free(sampler);
}

static void stale(void **state)
{
    check_stale(*state, SOURCE_DISK, "/proc/diskstats");
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_DISK, "/proc/diskstats");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laptop), cmocka_unit_test(old_kernel), cmocka_unit_test(truncated),
        cmocka_unit_test(broken), tree_test(strange_lines),     tree_test(hot_plug),
        tree_test(own_file),      tree_test(new_disk),          tree_test(gone_disk),
        tree_test(others_wanted), tree_test(no_such_file),      tree_test(stale),
        tree_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
