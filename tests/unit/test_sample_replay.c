/* Two moments of machines that nobody has at hand, written by tests/validity/make-tree, and exactly
 * what must be made of them. The formulas here are those of the script. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "calculate/calculate.h"

#include "sampling.h"

#define SECONDS 10

struct replay {
    struct tree tree;
    struct sampler *sampler;
    struct sample_set before[SOURCE_COUNT]; /* copies of the sets of the first moment */
};

static void make_tree(const struct replay *replay, const char *name, int snapshot)
{
    const char *source = getenv("srcdir");
    char command[PATH_MAX];
    snprintf(command, sizeof command, "bash '%s/tests/validity/make-tree' %s %d '%s'",
             source ? source : ".", name, snapshot, replay->tree.root);
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void keep(struct sample_set *copy, const struct sample_set *set)
{
    *copy = *set;
    copy->slots = malloc((set->count + 1) * sizeof *set->slots);
    assert_non_null(copy->slots);
    if (set->count)
        memcpy(copy->slots, set->slots, set->count * sizeof *set->slots);
}

/* Both moments of the sources, of which all can be read at the first one, or none is looked at. */
static void play(struct replay *replay, const char *name, const enum metric_source *sources,
                 size_t n)
{
    const char *const all = "*";
    make_tree(replay, name, 1);
    replay->sampler = sampler_new(replay->tree.root);
    assert_int_equal(sampler_select(replay->sampler, SOURCE_CGROUP, &all, 1, SAMPLE_ALL_FIELDS), 0);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(sampler_read(replay->sampler, sources[i], NS_PER_S), 0);
        keep(&replay->before[sources[i]], sampler_set(replay->sampler, sources[i]));
    }
    make_tree(replay, name, 2);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(sampler_read(replay->sampler, sources[i], (1 + SECONDS) * NS_PER_S), 0);
}

static struct observation observe(const struct metric *metric, enum calculation how,
                                  const struct sample_set *set, const char *instance)
{
    const struct sample_slot *slot = slot_named(set, instance);
    if (!slot)
        fail_msg("%s of %s is missing", metric->name, instance);
    uint32_t needed = MASK(metric->field);
    if (metric->base == BASE_FIELD && how >= CALC_AVERAGE)
        needed |= MASK(metric->base_field);
    return (struct observation){.available = (slot->valid & needed) == needed,
                                .time_ns = set->taken_ns,
                                .raw = slot->field[metric->field],
                                .base = slot->field[metric->base_field]};
}

static struct result calculate(const struct replay *replay, const char *name, enum calculation how,
                               const char *instance)
{
    const struct metric *metric = metric_find(name);
    assert_non_null(metric);
    struct observation one = observe(metric, how, &replay->before[metric->source], instance);
    struct observation two =
        observe(metric, how, sampler_set(replay->sampler, metric->source), instance);
    struct calc_state state = {0};
    calc_step(metric, how, &state, &one);
    return calc_step(metric, how, &state, &two);
}

static void check(const struct replay *replay, const char *name, enum calculation how,
                  const char *instance, double expected)
{
    struct result result = calculate(replay, name, how, instance);
    if (result.state != RESULT_VALID || result.value != expected)
        fail_msg("%s of %s: state %d, %.17g, not %.17g", name, instance, result.state, result.value,
                 expected);
}

static void check_state(const struct replay *replay, const char *name, enum calculation how,
                        const char *instance, enum result_state state)
{
    struct result result = calculate(replay, name, how, instance);
    if (result.state != state)
        fail_msg("%s of %s: state %d, %.17g", name, instance, result.state, result.value);
}

static uint64_t moved(const struct replay *replay, enum metric_source source, const char *instance,
                      unsigned field)
{
    const struct sample_slot *one = slot_named(&replay->before[source], instance);
    const struct sample_slot *two = slot_named(sampler_set(replay->sampler, source), instance);
    assert_true(one && two && one->valid >> field & two->valid >> field & 1);
    return two->field[field] - one->field[field];
}

static uint64_t now_is(const struct replay *replay, enum metric_source source, const char *instance,
                       unsigned field)
{
    const struct sample_slot *slot = slot_named(sampler_set(replay->sampler, source), instance);
    assert_true(slot && slot->valid >> field & 1);
    return slot->field[field];
}

static int setup(void **state)
{
    struct replay *replay = calloc(1, sizeof *replay);
    tree_new(&replay->tree);
    *state = replay;
    return 0;
}

static int teardown(void **state)
{
    struct replay *replay = *state;
    sampler_free(replay->sampler);
    for (unsigned i = 0; i < SOURCE_COUNT; i++)
        free(replay->before[i].slots);
    tree_remove(&replay->tree, "");
    free(replay);
    return 0;
}

/* -- big ------------------------------------------------------------------------------------- */

static void big_cpus(const struct replay *replay)
{
    uint64_t all = 0, busy = 0;
    for (unsigned n = 0; n < 128; n++) {
        char name[8];
        snprintf(name, sizeof name, "%u", n);
        /* user + nice + system + softirq + steal; idle and iowait come to 1001 - n. */
        uint64_t of_one = (n + 1) + 2 + 3 + 4 + n;
        assert_int_equal(moved(replay, SOURCE_CPU, name, CPU_USER), n + 1);
        assert_int_equal(moved(replay, SOURCE_CPU, name, CPU_BUSY), of_one);
        assert_int_equal(moved(replay, SOURCE_CPU, name, CPU_TOTAL), of_one + 1001 - n);
        assert_int_equal(now_is(replay, SOURCE_CPU, name, CPU_SYSTEM), 5000 * n + 3);
        check(replay, "cpu.busy", CALC_PERCENT, name,
              100.0 * (double)of_one / (double)(of_one + 1001 - n));
        busy += of_one;
        all += of_one + 1001 - n;
    }
    assert_int_equal(moved(replay, SOURCE_CPU, "total", CPU_BUSY), busy);
    assert_int_equal(moved(replay, SOURCE_CPU, "total", CPU_TOTAL), all);
    assert_int_equal(sampler_set(replay->sampler, SOURCE_CPU)->membership, 129);
    check(replay, "kernel.interrupts", CALC_RATE, "total", 1234.5);
    check(replay, "kernel.switches", CALC_DELTA, "total", 999);
    check(replay, "kernel.forks", CALC_RATE, "total", 1.7);
    check(replay, "kernel.softirqs", CALC_RATE, "total", 5.5);
    check(replay, "kernel.blocked", CALC_DELTA, "total", 1);
    check(replay, "kernel.blocked", CALC_BASIC, "total", 3);
}

static void big_disks(const struct replay *replay)
{
    const struct sample_set *set = sampler_set(replay->sampler, SOURCE_DISK);
    assert_int_equal(present_count(set), 800);
    assert_int_equal(set->membership, 800);
    for (unsigned j = 0; j < 800; j++) {
        /* The slots are in the order of the file. */
        const struct sample_slot *one = &replay->before[SOURCE_DISK].slots[j];
        const struct sample_slot *two = &set->slots[j];
        static const uint8_t column[DISK_FIELDS] = {1, 3, 4, 5, 7, 8, 9, 10, 11};
        char name[32];
        snprintf(name, sizeof name, j % 2 ? "nvme%un1p%u" : "nvme%un1", j / 2, j % 2);
        assert_string_equal(two->name, name);
        assert_int_equal(two->class, j % 2 ? RESOURCE_PARTITION : RESOURCE_DISK);
        for (unsigned f = 0; f < DISK_FIELDS; f++) {
            assert_int_equal(one->field[f], 1000 * j + column[f]);
            assert_int_equal(two->field[f] - one->field[f], (uint64_t)(j + 1) * column[f]);
        }
    }
    check(replay, "disk.reads", CALC_RATE, "nvme399n1p1", 80);
    check(replay, "disk.read.bytes", CALC_RATE, "nvme399n1p1", 800 * 3 * 512 / 10);
    check(replay, "disk.read.time", CALC_AVERAGE, "nvme7n1", 4);
    check(replay, "disk.busy", CALC_PERCENT, "nvme7n1", 100.0 * 15 * 10 / 10000);
}

static void big_interfaces(const struct replay *replay)
{
    assert_int_equal(present_count(sampler_set(replay->sampler, SOURCE_NETWORK)), 200);
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "veth%u", i);
        check(replay, "net.rx.bytes", CALC_DELTA, name, i + 1);
        check(replay, "net.rx.drops", CALC_DELTA, name, i + 4);
        check(replay, "net.tx.bytes", CALC_RATE, name, (i + 9) / 10.0);
        assert_int_equal(now_is(replay, SOURCE_NETWORK, name, NETWORK_TX_DROPS), 101 * i + 24);
    }
}

static void big_mounts(const struct replay *replay)
{
    size_t listed = 0;
    const struct sample_set *set = sampler_set(replay->sampler, SOURCE_FILESYSTEM);
    for (unsigned i = 0; i < 200; i++) {
        char name[16];
        snprintf(name, sizeof name, "/m%u", i);
        bool shown_before = i % 10 == 9 && (i - 1) % 7 != 6;
        bool expected = i % 7 != 6 && !shown_before;
        assert_int_equal(slot_named(set, name) != NULL, expected);
        listed += expected;
    }
    assert_int_equal(present_count(set), listed);
    assert_int_equal(set->membership, listed);
}

static void big_groups(const struct replay *replay)
{
    /* The slices have no files of their own, and so are none. */
    assert_int_equal(present_count(sampler_set(replay->sampler, SOURCE_CGROUP)), 150);
    for (unsigned i = 0; i < 10; i++)
        for (unsigned j = 0; j < 15; j++) {
            char name[32];
            snprintf(name, sizeof name, "slice%u/service%u", i, j);
            assert_int_equal(moved(replay, SOURCE_CGROUP, name, CGROUP_CPU), i + j);
            check(replay, "cg.memory", CALC_BASIC, name, 4096 * (i + 1) * (j + 2));
        }
    check(replay, "cg.cpu", CALC_PERCENT, "slice9/service14", 100.0 * 23 / 10000 * (1e-6 / 1e-3));
}

static void big(void **state)
{
    struct replay *replay = *state;
    static const enum metric_source sources[] = {SOURCE_CPU,     SOURCE_MEMORY,     SOURCE_DISK,
                                                 SOURCE_NETWORK, SOURCE_FILESYSTEM, SOURCE_CGROUP};
    play(replay, "big", sources, N_OF(sources));
    big_cpus(replay);
    big_disks(replay);
    big_interfaces(replay);
    big_mounts(replay);
    big_groups(replay);
    check(replay, "mem.free", CALC_DELTA, "total", -4096.0 * 1024);
    check(replay, "mem.used", CALC_BASIC, "total", 1024.0 * (2113929216 - 1500000000 + 8192));
    check(replay, "mem.dirty", CALC_DELTA, "total", 1024);
    check_state(replay, "swap.used", CALC_PERCENT, "total", RESULT_UNAVAILABLE);
}

/* -- wrap ------------------------------------------------------------------------------------ */

static void wrap(void **state)
{
    struct replay *replay = *state;
    static const enum metric_source sources[] = {SOURCE_CPU,    SOURCE_DISK,     SOURCE_NETWORK,
                                                 SOURCE_KERNEL, SOURCE_PRESSURE, SOURCE_PROTOCOL};
    static const struct {
        const char *metric;
        const char *instance;
        double scale; /* of the 11 that a counter went on; 0: it was reset */
    } rows[] = {
        {"cpu.user", "total", 0.01},       {"kernel.switches", "total", 1},
        {"kernel.interrupts", "total", 1}, {"kernel.forks", "total", 0},
        {"disk.reads", "sda", 1},          {"disk.writes", "sda", 0},
        {"disk.read.bytes", "sda", 512},   {"disk.write.bytes", "sda", 512},
        {"disk.read.time", "sda", 1},      {"disk.write.time", "sda", 1},
        {"disk.busy", "sda", 1},           {"disk.queue.time", "sda", 1},
        {"net.rx.bytes", "eth0", 1},       {"net.rx.packets", "eth0", 1},
        {"net.rx.errors", "eth0", 0},      {"net.tx.bytes", "eth0", 0},
        {"net.tx.packets", "eth0", 1},     {"vm.faults", "total", 1},
        {"vm.paged.in", "total", 1024},    {"vm.swap.in", "total", 0},
        {"pressure.some.time", "cpu", 1},  {"tcp.segments.in", "total", 1},
        {"tcp.segments.out", "total", 0},
    };
    play(replay, "wrap", sources, N_OF(sources));
    for (size_t i = 0; i < N_OF(rows); i++) {
        const char *instance = rows[i].instance;
        if (rows[i].scale == 0) {
            check_state(replay, rows[i].metric, CALC_DELTA, instance, RESULT_GAP);
            check_state(replay, rows[i].metric, CALC_RATE, instance, RESULT_GAP);
            continue;
        }
        check(replay, rows[i].metric, CALC_DELTA, instance, 11 * rows[i].scale);
        check(replay, rows[i].metric, CALC_RATE, instance, 11 * rows[i].scale / SECONDS);
    }
    check(replay, "ip.packets.in", CALC_DELTA, "total", 11 + 1000);
    check(replay, "cpu.user", CALC_PERCENT, "total", 100);
    check(replay, "cpu.idle", CALC_PERCENT, "total", 0);
    check(replay, "disk.read.time", CALC_AVERAGE, "sda", 1);
    check_state(replay, "disk.write.time", CALC_AVERAGE, "sda", RESULT_GAP);
    check(replay, "disk.busy", CALC_PERCENT, "sda", 100.0 * 11 / (1000 * SECONDS));
}

/* -- missing --------------------------------------------------------------------------------- */

static void missing(void **state)
{
    struct replay *replay = *state;
    static const enum metric_source sources[] = {SOURCE_CPU,    SOURCE_DISK,     SOURCE_NETWORK,
                                                 SOURCE_KERNEL, SOURCE_PROTOCOL, SOURCE_HARDWARE};
    play(replay, "missing", sources, N_OF(sources));
    struct sampler *sampler = replay->sampler;
    assert_int_equal(sampler_read(sampler, SOURCE_MEMORY, 1), ENOENT);
    assert_int_equal(sampler_read(sampler, SOURCE_PRESSURE, 1), ENOENT);
    assert_int_equal(sampler_read(sampler, SOURCE_FILESYSTEM, 1), ENOENT);
    assert_int_equal(sampler_read(sampler, SOURCE_CGROUP, 1), ENOENT);
    assert_int_equal(sampler_set(sampler, SOURCE_HARDWARE)->count, 0);

    assert_int_equal(sampler_set(sampler, SOURCE_CPU)->membership, 4); /* CPU 0 went */
    assert_null(slot_named(sampler_set(sampler, SOURCE_CPU), "0"));
    check(replay, "cpu.busy", CALC_PERCENT, "1", 100.0 * (1 + 2 + 3) / (1 + 2 + 3 + 4));
    check(replay, "cpu.busy", CALC_DELTA, "total", 0.01 * (5 + 6 + 7));
    check_state(replay, "kernel.switches", CALC_DELTA, "total", RESULT_UNAVAILABLE);
    check_state(replay, "cpu.iowait", CALC_DELTA, "1", RESULT_UNAVAILABLE);

    /* The load was cut off in its second number: nothing of such a line is believed. */
    assert_int_equal(sampler_read(sampler, SOURCE_LOAD, 2), EBADMSG);

    assert_int_equal(sampler_set(sampler, SOURCE_DISK)->membership, 3); /* the partition went */
    check(replay, "disk.reads", CALC_DELTA, "sda", 1);
    check(replay, "disk.write.bytes", CALC_DELTA, "sda", 2 * 512);
    check_state(replay, "disk.busy", CALC_DELTA, "sda", RESULT_UNAVAILABLE);
    assert_int_equal(present_count(sampler_set(sampler, SOURCE_NETWORK)), 1);
    check(replay, "net.rx.packets", CALC_DELTA, "eth0", 3);
    check_state(replay, "net.tx.bytes", CALC_DELTA, "eth0", RESULT_UNAVAILABLE);
    check(replay, "tcp.segments.in", CALC_DELTA, "total", 15); /* in another column now */
    check_state(replay, "tcp.segments.out", CALC_DELTA, "total", RESULT_UNAVAILABLE);
    check_state(replay, "vm.faults", CALC_DELTA, "total", RESULT_UNAVAILABLE);
    check(replay, "vm.faults.major", CALC_DELTA, "total", 1);
    check_state(replay, "kernel.uptime", CALC_BASIC, "total", RESULT_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(big, setup, teardown),
        cmocka_unit_test_setup_teardown(wrap, setup, teardown),
        cmocka_unit_test_setup_teardown(missing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
