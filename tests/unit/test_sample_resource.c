#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/clock.h"
#include "sample/resource.h"

#include "volumes.h"

static struct resources found;

static void done(struct sampler *sampler)
{
    resources_release(&found);
    sampler_free(sampler);
}

static void read_inventory(struct sampler *sampler)
{
    sampler_read(sampler, SOURCE_CPU, 1);
    sampler_read(sampler, SOURCE_DISK, 1);
    sampler_read(sampler, SOURCE_NETWORK, 1);
}

static void check_list(struct sampler *sampler, const struct resource *expected, size_t n)
{
    const struct resource *list;
    size_t count;
    assert_int_equal(resources_list(&found, sampler, &list, &count), 0);
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++) {
        assert_string_equal(list[i].name, expected[i].name);
        assert_int_equal(list[i].class, expected[i].class);
        assert_string_equal(list[i].parent, expected[i].parent);
        if (list[i].size != expected[i].size)
            fail_msg("size of %s: %ju", list[i].name, (uintmax_t)list[i].size);
    }
}

static void laptop(void **state)
{
    static const struct resource expected[] = {
        {RESOURCE_CPU, "0", "", 0},
        {RESOURCE_CPU, "1", "", 0},
        {RESOURCE_DISK, "nvme0n1", "", 512110190592},
        {RESOURCE_PARTITION, "nvme0n1p1", "nvme0n1", 536870912},
        {RESOURCE_PARTITION, "nvme0n1p2", "nvme0n1", 511572254208},
        {RESOURCE_DISK, "loop0", "", 0},
        {RESOURCE_INTERFACE, "lo", "", 0},
        {RESOURCE_INTERFACE, "eth0", "", 1000000000},
        {RESOURCE_INTERFACE, "wlan0", "", 0},
    };
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    read_inventory(sampler);
    check_list(sampler, expected, N_OF(expected));
    check_list(sampler, expected, N_OF(expected));
    done(sampler);
}

static void nothing_read_nothing_listed(void **state)
{
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    check_list(sampler, NULL, 0);
    done(sampler);
    sampler = fixture_sampler("broken-empty");
    read_inventory(sampler);
    check_list(sampler, NULL, 0);
    done(sampler);
}

/* One source is read, the others are not; no partition has a link to its disk. */
static void partly_read(void **state)
{
    static const struct resource expected[] = {
        {RESOURCE_DISK, "sda", "", 40007761920},
        {RESOURCE_PARTITION, "sda1", "", 0},
    };
    (void)state;
    struct sampler *sampler = fixture_sampler("old-kernel");
    sampler_read(sampler, SOURCE_DISK, 1);
    check_list(sampler, expected, N_OF(expected));
    done(sampler);
}

/* sysfs is read again when an instance comes or goes, and only then. */
static void membership_decides(void **state)
{
    const struct tree *tree = *state;
    static const struct resource before[] = {{RESOURCE_INTERFACE, "eth0", "", 100000000}};
    static const struct resource after[] = {{RESOURCE_INTERFACE, "eth0", "", 10000000000},
                                            {RESOURCE_INTERFACE, "eth1", "", 0}};
    tree_write(tree, "/proc/net/dev", "eth0: 1 1 1 1\n");
    tree_write(tree, "/sys/class/net/eth0/speed", "100\n");
    struct sampler *sampler = sampler_new(tree->root);
    read_inventory(sampler);
    check_list(sampler, before, 1);
    tree_write(tree, "/sys/class/net/eth0/speed", "10000\n");
    read_inventory(sampler);
    check_list(sampler, before, 1);
    tree_write(tree, "/proc/net/dev", "eth0: 2 2 2 2\neth1: 1 1 1 1\n");
    read_inventory(sampler);
    check_list(sampler, after, 2);
    tree_write(tree, "/proc/net/dev", "eth1: 1 1 1 1\n");
    read_inventory(sampler);
    check_list(sampler, after + 1, 1);
    done(sampler);
}

/* File systems with their sizes and hardware, after the others. Pressure is of the node, and no
 * resource; the control groups that a sensor wants are not all that there are. */
static void machine(void **state)
{
    static const struct resource expected[] = {
        {RESOURCE_INTERFACE, "lo", "", 0},
        {RESOURCE_INTERFACE, "eth0", "", 1000000000},
        {RESOURCE_INTERFACE, "wlan0", "", 0},
        {RESOURCE_FILESYSTEM, "/run", "", 4096},
        {RESOURCE_FILESYSTEM, "/", "", 0},
        {RESOURCE_FILESYSTEM, "/boot/efi", "", 0},
        {RESOURCE_FILESYSTEM, "/mnt/backup", "", 0},
        {RESOURCE_FILESYSTEM, "/media/ada/My Disk\\x", "", 0},
        {RESOURCE_HARDWARE, "coretemp/Package id 0", "", 0},
        {RESOURCE_HARDWARE, "coretemp/Core 0", "", 0},
        {RESOURCE_HARDWARE, "coretemp/Core 1", "", 0},
        {RESOURCE_HARDWARE, "nvme/Composite", "", 0},
        {RESOURCE_HARDWARE, "thinkpad/CPU", "", 0},
        {RESOURCE_HARDWARE, "thinkpad/fan2", "", 0},
        {RESOURCE_HARDWARE, "thinkpad/Battery", "", 0},
        {RESOURCE_HARDWARE, "thinkpad/curr1", "", 0},
        {RESOURCE_HARDWARE, "thinkpad/power1", "", 0},
        {RESOURCE_HARDWARE, "thinkpad/power2", "", 0},
    };
    (void)state;
    char root[PATH_MAX];
    fixture_path(root, "laptop");
    struct volume list[] = {{.point = "/run", .result = {.f_frsize = 4096, .f_blocks = 1}}};
    struct sampler *sampler = volumes_patient(volumes_sampler(root, list, 1));
    const char *const user = "user.slice";
    assert_int_equal(sampler_select(sampler, SOURCE_CGROUP, &user, 1, SAMPLE_ALL_FIELDS), 0);
    sampler_read(sampler, SOURCE_NETWORK, 1);
    sampler_read(sampler, SOURCE_FILESYSTEM, 1);
    sampler_read(sampler, SOURCE_PRESSURE, 1);
    sampler_read(sampler, SOURCE_HARDWARE, 1);
    sampler_read(sampler, SOURCE_CGROUP, 1);
    check_list(sampler, expected, N_OF(expected));
    done(sampler);
    volumes_finish();
}

/* The size of a file system may change, or become known, while it stays. */
static void size_of_a_file_system(void **state)
{
    const struct tree *tree = *state;
    struct resource expected[] = {{RESOURCE_FILESYSTEM, "/", "", 0}};
    struct volume list[] = {{.point = "/", .error = EIO}};
    tree_write(tree, "/proc/filesystems", "\text4\n");
    tree_write(tree, "/proc/self/mountinfo", "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    struct sampler *sampler = volumes_patient(volumes_sampler(tree->root, list, 1));
    for (uint64_t blocks = 0; blocks < 3; blocks++) {
        volumes_pass(sampler);
        expected[0].size = 512 * blocks;
        check_list(sampler, expected, 1);
        list[0] =
            (struct volume){.point = "/", .result = {.f_frsize = 512, .f_blocks = blocks + 1}};
    }
    done(sampler);
    volumes_finish();
}

/* -- What is read for the inventory alone ---------------------------------------------------- */

#define MINUTE_NS (60 * NS_PER_S)

static void refresh(struct sampler *sampler, uint64_t now_ns)
{
    resources_refresh(&found, sampler, now_ns);
    const struct resource *list;
    size_t n;
    assert_int_equal(resources_list(&found, sampler, &list, &n), 0);
}

static uint64_t passes_of(const struct sampler *sampler, enum metric_source source)
{
    return sampler_cost(sampler, source)->passes;
}

static void refresh_reads_what_is_old(void **state)
{
    static const struct {
        uint64_t at_ns;
        uint64_t cpu, disk, network, filesystem, hardware; /* passes, then */
    } steps[] = {
        {1, 1, 1, 1, 1, 1},
        {MINUTE_NS, 1, 1, 1, 1, 1},
        {MINUTE_NS + 1, 2, 2, 1, 2, 1}, /* a sensor has read the network, see below */
        {MINUTE_NS + 2, 2, 2, 1, 2, 1},
        {2 * MINUTE_NS - 1, 2, 2, 2, 2, 1},
        {10 * MINUTE_NS, 3, 3, 3, 3, 1},
        {10 * MINUTE_NS + 1, 3, 3, 3, 3, 2},
    };
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    for (size_t i = 0; i < N_OF(steps); i++) {
        uint64_t by_sensor = i > 1;
        if (i == 2)
            sampler_read(sampler, SOURCE_NETWORK, MINUTE_NS - 1);
        refresh(sampler, steps[i].at_ns);
        assert_int_equal(passes_of(sampler, SOURCE_CPU), steps[i].cpu);
        assert_int_equal(passes_of(sampler, SOURCE_DISK), steps[i].disk);
        assert_int_equal(passes_of(sampler, SOURCE_NETWORK), steps[i].network + by_sensor);
        assert_int_equal(passes_of(sampler, SOURCE_FILESYSTEM), steps[i].filesystem);
        assert_int_equal(passes_of(sampler, SOURCE_HARDWARE), steps[i].hardware);
        assert_int_equal(passes_of(sampler, SOURCE_CGROUP), 0);
        assert_int_equal(passes_of(sampler, SOURCE_PROCESS), 0);
    }
    done(sampler);
}

static bool lists(struct sampler *sampler, enum resource_class class, const char *name)
{
    const struct resource *list;
    size_t n;
    assert_int_equal(resources_list(&found, sampler, &list, &n), 0);
    for (size_t i = 0; i < n; i++)
        if (list[i].class == class && strcmp(list[i].name, name) == 0)
            return true;
    return false;
}

static size_t count_groups(struct sampler *sampler)
{
    const struct resource *list;
    size_t n;
    size_t groups = 0;
    assert_int_equal(resources_list(&found, sampler, &list, &n), 0);
    for (size_t i = 0; i < n; i++)
        groups += list[i].class == RESOURCE_CGROUP;
    return groups;
}

/* All of them, whatever the sensors want, and without a look into them. */
static void all_groups(void **state)
{
    static const char *const names[] = {
        "system.slice",
        "system.slice/ssh.service",
        "system.slice/web.service",
        "user.slice",
        "user.slice/user-1000.slice",
        "user.slice/user-1000.slice/user@1000.service",
        "user.slice/user-1000.slice/user@1000.service/app.slice",
        "~@1000.service/app.slice/app-gnome-org.gnome.Terminal-2211.scope",
    };
    (void)state;
    struct sampler *sampler = fixture_sampler("laptop");
    for (size_t wanted = 0; wanted < 2; wanted++) {
        const char *const user = "user.slice";
        assert_int_equal(sampler_select(sampler, SOURCE_CGROUP, &user, wanted, SAMPLE_ALL_FIELDS),
                         0);
        sampler_read(sampler, SOURCE_CGROUP, wanted + 1);
        refresh(sampler, wanted * MINUTE_NS + 1);
        assert_int_equal(present_count(sampler_set(sampler, SOURCE_CGROUP)), wanted);
        assert_int_equal(count_groups(sampler), N_OF(names));
        for (size_t i = 0; i < N_OF(names); i++)
            assert_true(lists(sampler, RESOURCE_CGROUP, names[i]));
    }
    done(sampler);
}

static void groups_come_and_go(void **state)
{
    static const char mounted[] = "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                  "2 1 0:26 / /c\\040g rw - cgroup2 cgroup2 rw\n";
    const struct tree *tree = *state;
    tree_write(tree, "/proc/filesystems", "\text4\n");
    tree_write(tree, "/proc/self/mountinfo", mounted);
    struct sampler *sampler = sampler_new(tree->root);
    refresh(sampler, 1); /* mountinfo tells of what is not there */
    assert_int_equal(count_groups(sampler), 0);
    tree_write(tree, "/c g/a/cpu.stat", "");
    refresh(sampler, MINUTE_NS + 1);
    assert_int_equal(count_groups(sampler), 1);
    uint64_t membership = resources_membership(&found, sampler);
    refresh(sampler, 2 * MINUTE_NS + 1);
    assert_int_equal(resources_membership(&found, sampler), membership);
    tree_write(tree, "/c g/b/cpu.stat", "");
    tree_remove(tree, "/c g/a");
    refresh(sampler, 3 * MINUTE_NS); /* not yet */
    assert_true(lists(sampler, RESOURCE_CGROUP, "a"));
    refresh(sampler, 3 * MINUTE_NS + 1);
    assert_true(resources_membership(&found, sampler) > membership);
    assert_false(lists(sampler, RESOURCE_CGROUP, "a"));
    assert_true(lists(sampler, RESOURCE_CGROUP, "b"));
    tree_remove(tree, "/c g"); /* cannot be read: what was known stays */
    refresh(sampler, 4 * MINUTE_NS + 1);
    assert_true(lists(sampler, RESOURCE_CGROUP, "b"));
    tree_write(tree, "/proc/self/mountinfo", "1 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
    refresh(sampler, 5 * MINUTE_NS + 1);
    assert_int_equal(count_groups(sampler), 0);
    assert_true(lists(sampler, RESOURCE_FILESYSTEM, "/"));
    done(sampler);
}

static void slash_in_a_name(void **state)
{
    const struct tree *tree = *state;
    static const struct resource expected[] = {
        {RESOURCE_DISK, "cciss/c0d0", "", 5120},
        {RESOURCE_PARTITION, "cciss/c0d0p1", "cciss/c0d0", 512},
    };
    tree_write(tree, "/sys/devices/cciss!c0d0/size", "10\n");
    tree_write(tree, "/sys/devices/cciss!c0d0/cciss!c0d0p1/size", "1\n");
    tree_write(tree, "/sys/devices/cciss!c0d0/cciss!c0d0p1/partition", "1\n");
    tree_link(tree, "/sys/class/block/cciss!c0d0", "../../devices/cciss!c0d0");
    tree_link(tree, "/sys/class/block/cciss!c0d0p1", "../../devices/cciss!c0d0/cciss!c0d0p1");
    tree_link(tree, "/sys/dev/block/104:1", "../../devices/cciss!c0d0/cciss!c0d0p1");
    tree_write(tree, "/proc/diskstats", "104 0 cciss/c0d0 1 1 1 1\n104 1 cciss/c0d0p1 1 1 1 1\n");
    struct sampler *sampler = sampler_new(tree->root);
    read_inventory(sampler);
    check_list(sampler, expected, N_OF(expected));
    done(sampler);
}

static void strange_sizes(void **state)
{
    static const char *const sizes[] = {"",
                                        "-1\n",
                                        "x\n",
                                        "12x\n",
                                        "99999999999999999999999\n",
                                        "36028797018963968\n" /* 2^55 sectors: 2^64 octets */};
    static const struct resource expected[] = {{RESOURCE_DISK, "sda", "", 0}};
    const struct tree *tree = *state;
    tree_write(tree, "/proc/diskstats", "8 0 sda 1 1 1 1\n");
    for (size_t i = 0; i < N_OF(sizes); i++) {
        tree_write(tree, "/sys/class/block/sda/size", sizes[i]);
        struct sampler *sampler = sampler_new(tree->root);
        read_inventory(sampler);
        check_list(sampler, expected, 1);
        done(sampler);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(laptop),
        cmocka_unit_test(nothing_read_nothing_listed),
        cmocka_unit_test(partly_read),
        tree_test(membership_decides),
        cmocka_unit_test(machine),
        tree_test(size_of_a_file_system),
        tree_test(slash_in_a_name),
        tree_test(strange_sizes),
        cmocka_unit_test(refresh_reads_what_is_old),
        cmocka_unit_test(all_groups),
        tree_test(groups_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
