#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "volumes.h"

static void laptop(void **state)
{
    (void)state;
    struct volume list[] = {
        {.point = "/run",
         .result = {.f_frsize = 4096, .f_blocks = 100, .f_bfree = 60, .f_bavail = 60}},
        {.point = "/boot/efi", .error = EIO},
        {.point = "/mnt/backup",
         .result = {.f_bsize = 1024,
                    .f_blocks = 1000,
                    .f_bfree = 400,
                    .f_bavail = 350,
                    .f_files = 50,
                    .f_ffree = 20}},
        {.point = "/media/ada/My Disk\\x",
         .result = {.f_frsize = 512, .f_blocks = 8, .f_files = 3, .f_flag = ST_RDONLY | ST_NOSUID}},
        {.point = "laptop/",
         .result = {.f_bsize = 1,
                    .f_frsize = 4096,
                    .f_blocks = 124000000,
                    .f_bfree = 24000000,
                    .f_bavail = 18000000,
                    .f_files = 31000000,
                    .f_ffree = 30000001}},
    };
    static const struct expected expected[] = {
        {"/run",
         RESOURCE_FILESYSTEM,
         SPACE | FLAG,
         {409600, 40 * 4096, 60 * 4096, 60 * 4096, 409600}},
        {"/",
         RESOURCE_FILESYSTEM,
         SPACE | INODES | FLAG,
         {507904000000, 409600000000, 98304000000, 73728000000, 483328000000, 31000000, 999999,
          30000001}},
        {"/boot/efi", RESOURCE_FILESYSTEM, 0, {0}},
        {"/mnt/backup",
         RESOURCE_FILESYSTEM,
         SPACE | INODES | FLAG,
         {1024000, 614400, 409600, 358400, 972800, 50, 30, 20}},
        {"/media/ada/My Disk\\x",
         RESOURCE_FILESYSTEM,
         SPACE | INODES | FLAG,
         {4096, 4096, 0, 0, 4096, 3, 3, 0, 1}},
    };
    char root[PATH_MAX];
    fixture_path(root, "laptop");
    struct sampler *sampler = volumes_patient(volumes_sampler(root, list, N_OF(list)));
    assert_slots(volumes_pass(sampler), expected, N_OF(expected));
    assert_slots(volumes_pass(sampler), expected, N_OF(expected));
    assert_int_equal(volumes_pass(sampler)->membership, N_OF(expected));
    for (size_t i = 0; i < N_OF(list); i++)
        assert_int_equal(volumes_calls(&list[i]), 3);
    sampler_free(sampler);
    volumes_finish();
}

static void odd_kernel(void **state)
{
    static const struct expected expected[] = {{"/", RESOURCE_FILESYSTEM, 0, {0}},
                                               {"/sys/fs/cgroup", RESOURCE_FILESYSTEM, 0, {0}}};
    (void)state;
    char root[PATH_MAX];
    fixture_path(root, "odd-kernel");
    struct sampler *sampler = volumes_patient(volumes_sampler(root, NULL, 0));
    assert_slots(volumes_pass(sampler), expected, N_OF(expected));
    sampler_free(sampler);
    volumes_finish();
}

static void broken(void **state)
{
    const struct tree *tree = *state;
    check_error("broken-empty", SOURCE_FILESYSTEM, EBADMSG);
    check_error("broken-garbage", SOURCE_FILESYSTEM, EBADMSG);
    check_error("old-kernel", SOURCE_FILESYSTEM, ENOENT);
    tree_write(tree, "/proc/self/mountinfo", "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(sampler_read(sampler, SOURCE_FILESYSTEM, 1), ENOENT);
    /* It is not forgotten that the mounts were never listed. */
    tree_write(tree, "/proc/filesystems", "\text4\n");
    assert_int_equal(sampler_read(sampler, SOURCE_FILESYSTEM, 2), 0);
    assert_int_equal(present_count(sampler_set(sampler, SOURCE_FILESYSTEM)), 1);
    /* The slots outlive a pass that cannot be read. */
    tree_write(tree, "/proc/self/mountinfo", "");
    assert_int_equal(sampler_read(sampler, SOURCE_FILESYSTEM, 3), EBADMSG);
    assert_int_equal(present_count(sampler_set(sampler, SOURCE_FILESYSTEM)), 1);
    sampler_free(sampler);
}

/* A machine (or a container) with nothing but pseudo file systems has none: no error. */
static void none(void **state)
{
    const struct tree *tree = *state;
    tree_write(tree, "/proc/filesystems", "nodev\tproc\n\text4\n");
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:1 / /proc rw - proc proc rw\n");
    struct sampler *sampler = sampler_new(tree->root);
    assert_int_equal(volumes_pass(sampler)->count, 0);
    tree_write(tree, "/proc/self/mountinfo", "2 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    assert_int_equal(present_count(volumes_pass(sampler)), 1);
    tree_write(tree, "/proc/self/mountinfo", "1 1 0:1 / /proc rw - proc proc rw\n");
    assert_int_equal(present_count(volumes_pass(sampler)), 0);
    assert_int_equal(volumes_pass(sampler)->membership, 2);
    sampler_free(sampler);
}

static void strange_figures(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        struct statvfs result;
        uint32_t valid;
        uint64_t field[FILESYSTEM_FIELDS];
    } rows[] = {
        /* More is free than there is. */
        {{.f_frsize = 1, .f_blocks = 5, .f_bfree = 6, .f_bavail = 4},
         SPACE & ~(MASK(FILESYSTEM_USED) | MASK(FILESYSTEM_USABLE)),
         {5, 0, 6, 4}},
        /* Less than nothing is available, as some servers say. */
        {{.f_frsize = 1024, .f_blocks = 5, .f_bfree = 5, .f_bavail = (fsblkcnt_t)-3},
         SPACE & ~(MASK(FILESYSTEM_AVAILABLE) | MASK(FILESYSTEM_USABLE)),
         {5120, 0, 5120}},
        /* Too much for an int64. */
        {{.f_frsize = 4096, .f_blocks = UINT64_C(1) << 51, .f_bfree = 1, .f_bavail = 1},
         MASK(FILESYSTEM_FREE) | MASK(FILESYSTEM_AVAILABLE),
         {0, 0, 4096, 4096}},
        {{.f_frsize = 4096, .f_blocks = (UINT64_C(1) << 51) - 1},
         SPACE,
         {INT64_MAX - 4095, INT64_MAX - 4095, 0, 0, INT64_MAX - 4095}},
        {{.f_files = 3, .f_ffree = 4}, SPACE, {0}},
        {{.f_files = 4, .f_ffree = 4}, SPACE | INODES, {0, 0, 0, 0, 0, 4, 0, 4}},
        {{.f_files = (fsfilcnt_t)-1, .f_ffree = 4}, SPACE, {0}},
    };
    struct volume list[] = {{.point = "/"}};
    tree_write(tree, "/proc/filesystems", "\text4\n");
    tree_write(tree, "/proc/self/mountinfo", "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    struct sampler *sampler = volumes_patient(volumes_sampler(tree->root, list, 1));
    for (size_t i = 0; i < N_OF(rows); i++) {
        list[0].result = rows[i].result;
        struct expected expected = {"/", RESOURCE_FILESYSTEM, rows[i].valid | FLAG, {0}};
        memcpy(expected.field, rows[i].field, sizeof rows[i].field);
        assert_slots(volumes_pass(sampler), &expected, 1);
    }
    sampler_free(sampler);
    volumes_finish();
}

static void types(void **state)
{
    const struct tree *tree = *state;
    static const char *const listed[] = {"ext4", "tmpfs", "overlay",    "nfs",     "nfs4",
                                         "cifs", "fuse",  "fuse.sshfs", "fuseblk", "fuseblk.ntfs",
                                         "zfs",  "btrfs", "virtiofs"};
    static const char *const others[] = {"proc",    "sysfs", "autofs", "nfsd",  "tmpfs.x",
                                         "fusectl", "ext",   "ext44",  "never", "-"};
    char text[4096] = "";
    size_t n = 0;
    for (size_t i = 0; i < N_OF(listed); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "1 1 8:%zu / /l%zu rw - %s x rw\n", i, i,
                              listed[i]);
    for (size_t i = 0; i < N_OF(others); i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "1 1 9:%zu / /o%zu rw - %s x rw\n", i, i,
                              others[i]);
    tree_write(tree, "/proc/filesystems",
               "nodev\tproc\nnodev\tsysfs\nnodev\tautofs\nnodev\tnfsd\nnodev\tfusectl\nnodev\tnfs\n"
               "\text4\n\tbtrfs\nnever\nnodev\tnever\n");
    tree_write(tree, "/proc/self/mountinfo", text);
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = volumes_pass(sampler);
    for (size_t i = 0; i < N_OF(listed); i++) {
        char name[16];
        snprintf(name, sizeof name, "/l%zu", i);
        if (!slot_named(set, name))
            fail_msg("%s is not listed", listed[i]);
    }
    assert_int_equal(present_count(set), N_OF(listed));
    sampler_free(sampler);
}

/* The later mount hides the earlier; a device is listed once, at the first point that shows it. */
static void points_and_devices(void **state)
{
    const struct tree *tree = *state;
    tree_write(tree, "/proc/filesystems", "nodev\tproc\n\text4\n");
    tree_write(tree, "/proc/self/mountinfo",
               "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
               "2 1 8:1 /home /home rw - ext4 /dev/sda1 rw\n"
               "3 1 0:9 / /dev/shm rw - tmpfs tmpfs rw\n"
               "4 1 0:10 / /dev/shm rw - tmpfs tmpfs rw\n"
               "5 1 0:9 / /jail/shm rw - tmpfs tmpfs rw\n"
               "6 1 8:2 / /over rw - ext4 /dev/sda2 rw\n"
               "7 1 0:3 / /over rw - proc proc rw\n"
               "8 1 8:2 /sub /below rw - ext4 /dev/sda2 rw\n"
               "9 1 8:12 / /eight rw - ext4 /dev/sda12 rw\n");
    struct sampler *sampler = sampler_new(tree->root);
    const struct sample_set *set = volumes_pass(sampler);
    static const char *const names[] = {"/", "/dev/shm", "/jail/shm", "/below", "/eight"};
    for (size_t i = 0; i < N_OF(names); i++)
        assert_non_null(slot_named(set, names[i]));
    assert_int_equal(present_count(set), N_OF(names));
    sampler_free(sampler);
}

static void names(void **state)
{
    const struct tree *tree = *state;
    static const struct {
        const char *point;
        const char *name;
    } rows[] = {
        {"/a\\040b", "/a b"},
        {"/a\\011\\012b", "/a??b"},
        {"/a\\134040b", "/a\\040b"},
        {"/a\\04", "/a\\04"},
        {"/a\\999", "/a\\999"},
        {"/a\\/40b", "/a\\/40b"},
        {"/a\\0/0b", "/a\\0/0b"},
        {"/a\\04/b", "/a\\04/b"},
        {"/a\\048", "/a\\048"},
        {"/a\\777", "/a\\777"},
        {"/blank\\040", "/blank"},
        {"/\\303\\251t\\303\\251", "/\xc3\xa9t\xc3\xa9"},
        /* 64 octets, and 65. */
        {"/23456789012345678901234567890123456789012345678901234567890abcd",
         "/23456789012345678901234567890123456789012345678901234567890abcd"},
        {"/x23456789012345678901234567890123456789012345678901234567890abcd",
         "~23456789012345678901234567890123456789012345678901234567890abcd"},
        /* Not in the middle of a character. */
        {"/\xc3\xa9"
         "3456789012345678901234567890123456789012345678901234567890abcd",
         "~3456789012345678901234567890123456789012345678901234567890abcd"},
    };
    tree_write(tree, "/proc/filesystems", "\text4\n");
    for (size_t i = 0; i < N_OF(rows); i++) {
        char text[256];
        snprintf(text, sizeof text, "1 1 8:1 / %s rw - ext4 /dev/sda1 rw\n", rows[i].point);
        tree_write(tree, "/proc/self/mountinfo", text);
        struct sampler *sampler = sampler_new(tree->root);
        const struct sample_set *set = volumes_pass(sampler);
        assert_int_equal(set->count, 1);
        assert_string_equal(set->slots[0].name, rows[i].name);
        sampler_free(sampler);
    }
}

static void hot_plug(void **state)
{
    const struct tree *tree = *state;
    struct volume list[] = {{.point = "/a", .result = {.f_frsize = 1, .f_blocks = 10}},
                            {.point = "/b", .result = {.f_frsize = 1, .f_blocks = 20}},
                            {.point = "/c", .result = {.f_frsize = 1, .f_blocks = 30}}};
    tree_write(tree, "/proc/filesystems", "\text4\n");
    tree_write(tree, "/proc/self/mountinfo",
               "1 1 8:1 / /a rw - ext4 x rw\n2 1 8:2 / /b rw - ext4 x rw\n");
    struct sampler *sampler = volumes_patient(volumes_sampler(tree->root, list, N_OF(list)));
    const struct sample_set *set = volumes_pass(sampler);
    assert_int_equal(set->membership, 2);
    assert_int_equal(slot_named(set, "/b")->field[FILESYSTEM_SIZE], 20);

    /* /a goes, /c comes and takes its slot; the disk at /b is another one now. */
    tree_write(tree, "/proc/self/mountinfo",
               "3 1 8:3 / /c rw - ext4 x rw\n2 1 8:4 / /b rw - ext4 x rw\n");
    list[1].result.f_blocks = 25;
    volumes_pass(sampler);
    assert_int_equal(set->membership, 4);
    assert_int_equal(present_count(set), 2);
    assert_null(slot_named(set, "/a"));
    assert_int_equal(slot_named(set, "/b")->field[FILESYSTEM_SIZE], 25);
    assert_int_equal(slot_named(set, "/c")->field[FILESYSTEM_SIZE], 30);
    /* It becomes read-only by itself. */
    list[2].result.f_flag = ST_RDONLY;
    volumes_pass(sampler);
    assert_int_equal(slot_named(set, "/c")->field[FILESYSTEM_READ_ONLY], 1);
    assert_int_equal(set->membership, 4);
    sampler_free(sampler);
    volumes_finish();
}

static void any_bytes(void **state)
{
    check_any_bytes(*state, SOURCE_FILESYSTEM, "/proc/self/mountinfo");
    check_any_bytes(*state, SOURCE_FILESYSTEM, "/proc/filesystems");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laptop),
        cmocka_unit_test(odd_kernel),
        tree_test(broken),
        tree_test(none),
        tree_test(strange_figures),
        tree_test(types),
        tree_test(points_and_devices),
        tree_test(names),
        tree_test(hot_plug),
        tree_test(any_bytes),

    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
