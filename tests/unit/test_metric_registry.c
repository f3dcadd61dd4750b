#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include "base/limits.h"
#include "metric/field.h"
#include "metric/metric.h"

#include "unit.h"

static const unsigned fields[SOURCE_COUNT] = {
    [SOURCE_CPU] = CPU_FIELDS,
    [SOURCE_LOAD] = LOAD_FIELDS,
    [SOURCE_MEMORY] = MEMORY_FIELDS,
    [SOURCE_NETWORK] = NETWORK_FIELDS,
    [SOURCE_DISK] = DISK_FIELDS,
    [SOURCE_KERNEL] = KERNEL_FIELDS,
    [SOURCE_FILESYSTEM] = FILESYSTEM_FIELDS,
    [SOURCE_PRESSURE] = PRESSURE_FIELDS,
    [SOURCE_PROTOCOL] = PROTOCOL_FIELDS,
    [SOURCE_HARDWARE] = HARDWARE_FIELDS,
    [SOURCE_CGROUP] = CGROUP_FIELDS,
    [SOURCE_PROCESS] = PROCESS_FIELDS,
    [SOURCE_APPLICATION] = APPLICATION_FIELDS,
    [SOURCE_JVM] = JVM_FIELDS,
    [SOURCE_ENDPOINT] = ENDPOINT_FIELDS,
};

static void other_names_are_not_found(void **state)
{
    static const char *const others[] = {"", "cpu", "cpu.", "cpu.busy ", "CPU.BUSY", "cpu.busyy"};
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(metric_find(others[i]));
}

static void names_are_unique_and_valid(void **state)
{
    (void)state;
    for (size_t i = 0; i < metric_count; i++) {
        const char *name = metric_registry[i].name;
        assert_in_range(strlen(name), 1, NAME_SIZE - 1);
        assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789."), strlen(name));
        assert_ptr_equal(metric_find(name), &metric_registry[i]);
    }
}

static void rows_are_complete(void **state)
{
    const unsigned classes =
        1u << RESOURCE_NODE | 1u << RESOURCE_CPU | 1u << RESOURCE_DISK | 1u << RESOURCE_PARTITION |
        1u << RESOURCE_INTERFACE | 1u << RESOURCE_FILESYSTEM | 1u << RESOURCE_HARDWARE |
        1u << RESOURCE_CGROUP | 1u << RESOURCE_PROCESS | 1u << RESOURCE_PROGRAM |
        1u << RESOURCE_APPLICATION | 1u << RESOURCE_APPLICATION_SENSOR | 1u << RESOURCE_JVM |
        1u << RESOURCE_JVM_COLLECTOR | 1u << RESOURCE_ENDPOINT | 1u << RESOURCE_ENDPOINT_SERIES;
    (void)state;
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metric_registry[i];
        assert_true(metric->unit && *metric->unit);
        assert_true(metric->origin && (strncmp(metric->origin, "/proc/", 6) == 0 ||
                                       strncmp(metric->origin, "/sys/", 5) == 0 ||
                                       strncmp(metric->origin, "/run/dcamp/apps ", 16) == 0 ||
                                       strncmp(metric->origin, "hsperfdata ", 11) == 0 ||
                                       strncmp(metric->origin, "the url of an ", 14) == 0));
        assert_true(!metric->has_events ||
                    (metric->kind == METRIC_COUNTER && metric->base == BASE_FIELD));
        assert_true(metric->meaning && *metric->meaning);
        assert_in_range(metric->source, 0, SOURCE_COUNT - 1);
        assert_true(metric->classes != 0 && (metric->classes & ~classes) == 0);
        assert_in_range(metric->field, 0, fields[metric->source] - 1);
        assert_true(metric->scale > 0);
        if (metric->kind == METRIC_COUNTER)
            assert_true(metric->width == 32 || metric->width == 64);
        else
            assert_true(metric->kind == METRIC_GAUGE && metric->width == 0);
    }
}

static void bases_exist(void **state)
{
    (void)state;
    for (size_t i = 0; i < metric_count; i++) {
        const struct metric *metric = &metric_registry[i];
        switch (metric->base) {
        case BASE_FIELD:
            assert_in_range(metric->base_field, 0, fields[metric->source] - 1);
            assert_true(metric->base_scale > 0);
            break;
        case BASE_TIME:
            assert_int_equal(metric->kind, METRIC_COUNTER);
            assert_true(metric->base_scale > 0);
            break;
        default:
            assert_int_equal(metric->base, BASE_NONE);
            assert_true(metric->base_scale == 0);
        }
    }
}

/* No two metrics of a source stand at the same place, but for what has two names. */
static void fields_are_unique(void **state)
{
    (void)state;
    for (size_t i = 0; i < metric_count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct metric *one = &metric_registry[i], *other = &metric_registry[j];
            if (one->source == other->source && one->field == other->field &&
                strcmp(one->name, "app.step.capacity") != 0)
                fail_msg("%s and %s are one", one->name, other->name);
        }
}

/* (V * scale) / (B * base_scale) for a few metrics by hand. */
static void scales_come_out_right(void **state)
{
    static const struct {
        const char *name;
        double value, base, average;
    } rows[] = {
        {"cpu.busy", 50, 200, 0.25},    /* ticks of ticks */
        {"mem.used", 3000, 4000, 0.75}, /* KiB of KiB */
        {"swap.used", 1, 8, 0.125},
        {"disk.read.time", 300, 20, 15}, /* ms for each read */
        {"disk.write.time", 5, 10, 0.5},
        {"disk.busy", 250, 1000, 0.25},       /* ms of ms */
        {"disk.queue.time", 3500, 1000, 3.5}, /* operations waiting */
        {"fs.used", 75, 100, 0.75},
        {"fs.inodes.free", 1, 4, 0.25},
        {"pressure.full.time", 500000, 1000, 0.5}, /* microseconds of milliseconds */
        {"tcp.retransmits", 3, 100, 0.03},
        {"cg.cpu", 1500000, 1000, 1.5}, /* CPUs */
        {"cg.cpu.throttled", 250000, 1000, 0.25},
        {"cg.memory", 1, 2, 0.5},
        {"proc.cpu", 250000, 1000, 0.25}, /* CPUs */
        {"proc.cpu.user", 3000000, 1000, 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct metric *metric = metric_find(rows[i].name);
        double average = rows[i].value * metric->scale / (rows[i].base * metric->base_scale);
        assert_float_equal(average, rows[i].average, 1e-9);
    }
}

static void kernel_types_are_known(void **state)
{
    static const struct {
        const char *name;
        unsigned width;
        double scale;
    } rows[] = {
        {"cpu.busy", 64, 0.01},
        {"net.rx.bytes", 64, 1},
        {"disk.reads", CHAR_BIT * sizeof(long), 1},
        {"disk.read.bytes", CHAR_BIT * sizeof(long), 512},
        {"disk.read.time", 32, 1},
        {"disk.write.time", 32, 1},
        {"disk.busy", 32, 1},
        {"disk.queue.time", 32, 1},
        {"disk.queue", 0, 1},
        {"load.15", 0, 0.01},
        {"load.tasks", 0, 1},
        {"mem.total", 0, 1024},
        {"kernel.switches", 64, 1},
        {"kernel.forks", CHAR_BIT * sizeof(long), 1},
        {"kernel.uptime", 0, 0.01},
        {"vm.faults", CHAR_BIT * sizeof(long), 1},
        {"vm.paged.out", CHAR_BIT * sizeof(long), 1024},
        {"fs.available", 0, 1},
        {"pressure.some.avg10", 0, 0.01},
        {"pressure.some.time", 64, 1},
        {"tcp.segments.in", CHAR_BIT * sizeof(long), 1},
        {"ip.packets.in", 64, 1},
        {"hw.temperature", 0, 0.001},
        {"hw.power", 0, 0.000001},
        {"cg.cpu", 64, 0.000001},
        {"cg.pids", 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct metric *metric = metric_find(rows[i].name);
        assert_int_equal(metric->width, rows[i].width);
        assert_float_equal(metric->scale, rows[i].scale, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_names_are_not_found), cmocka_unit_test(names_are_unique_and_valid),
        cmocka_unit_test(rows_are_complete),         cmocka_unit_test(bases_exist),
        cmocka_unit_test(fields_are_unique),         cmocka_unit_test(scales_come_out_right),
        cmocka_unit_test(kernel_types_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
