/* dcampd --self-test: which sources it reads, what it says of them, and its verdict. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "config/load.h"
#include "sample/sample.h"

/* For what it makes of times. */
#include "daemon/selftest.c"

#include "tree.h"

static struct config *configure(const struct tree *tree, const char *sensors)
{
    char schemas[PATH_MAX];
    char path[PATH_MAX];
    char text[4096];
    char error[1024];
    const char *source = getenv("srcdir");
    snprintf(schemas, sizeof schemas, "%s/conf", source ? source : ".");
    setenv("DCAMP_SCHEMA_DIR", schemas, 1);
    snprintf(text, sizeof text, "<dcamp version=\"1\"><sensors>%s</sensors></dcamp>\n", sensors);
    tree_write(tree, "/dcamp.xml", text);
    tree_path(tree, "/dcamp.xml", path);
    struct config *config = config_load(path, error);
    if (!config)
        fail_msg("%s", error);
    return config;
}

static void measure(const struct tree *tree, const char *sensors, struct selftest_row *rows)
{
    struct config *config = configure(tree, sensors);
    assert_int_equal(selftest_measure(config, tree->root, NS_PER_MS, rows), 0);
    config_free(config);
}

static void check_costs(const struct selftest_row *row)
{
    assert_true(row->first_ns > 0);
    assert_true(row->median_ns > 0);
    assert_true(row->largest_ns >= row->median_ns);
    assert_true(row->median_ns <
                NS_PER_S); /* the largest may be the machine's, which stood still */
}

static const char elements[] =
    "<sensor name=\"busy\" metric=\"cpu.busy\" calculation=\"percent\" interval=\"5s\"/>"
    "<sensor name=\"user\" metric=\"cpu.user\" calculation=\"percent\" interval=\"2s\"/>"
    "<sensor name=\"idle\" metric=\"cpu.idle\" calculation=\"percent\" interval=\"3s\"/>"
    "<sensor name=\"rx\" metric=\"net.rx.bytes\" instances=\"eth0\" interval=\"100ms\"/>"
    "<sensor name=\"group\" metric=\"cg.memory\" instances=\"*.service\" interval=\"1m\"/>"
    "<sensor name=\"twice\" expression=\"2 * busy\"/>"; /* without a source of its own */

static void sources_and_sensors(void **state)
{
    const struct tree *tree = *state;
    struct selftest_row rows[SOURCE_COUNT];
    tree_copy(tree, "laptop");
    measure(tree, elements, rows);
    static const struct {
        enum metric_source source;
        size_t sensors, instances;
        uint64_t interval_ms;
    } expected[] = {
        {SOURCE_CPU, 3, 3, 2000},     {SOURCE_NETWORK, 1, 3, 100}, {SOURCE_CGROUP, 1, 2, 60000},
        {SOURCE_LOAD, 0, 1, 0},       {SOURCE_DISK, 0, 4, 0},      {SOURCE_HARDWARE, 0, 10, 0},
        {SOURCE_FILESYSTEM, 0, 5, 0},
    };
    for (size_t i = 0; i < N_OF(expected); i++) {
        const struct selftest_row *row = &rows[expected[i].source];
        if (row->sensors != expected[i].sensors || row->instances != expected[i].instances)
            fail_msg("%s: %zu sensors, %zu instances", source_name(expected[i].source),
                     row->sensors, row->instances);
        assert_int_equal(row->interval_ns, expected[i].interval_ms * NS_PER_MS);
    }
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        assert_int_equal(rows[source].error, 0);
        if (source != SOURCE_APPLICATION && source != SOURCE_JVM &&
            source != SOURCE_ENDPOINT) /* which only the daemon reads */
            check_costs(&rows[source]);
    }
    assert_true(selftest_passed(rows));
}

/* Only what a sensor needs must be readable. */
static void what_cannot_be_read(void **state)
{
    const struct tree *tree = *state;
    struct selftest_row rows[SOURCE_COUNT];
    tree_write(tree, "/proc/loadavg", "0.42 1.07 12.30 2/1153 26442\n");
    tree_write(tree, "/proc/diskstats", "nonsense\n");
    const char *const load = "<sensor name=\"load\" metric=\"load.1\"/>";
    measure(tree, load, rows);
    assert_int_equal(rows[SOURCE_LOAD].error, 0);
    assert_int_equal(rows[SOURCE_CPU].error, ENOENT);
    assert_int_equal(rows[SOURCE_DISK].error, EBADMSG);
    assert_true(selftest_passed(rows));
    tree_remove(tree, "/proc/loadavg");
    measure(tree, load, rows);
    assert_int_equal(rows[SOURCE_LOAD].error, ENOENT);
    assert_int_equal(rows[SOURCE_LOAD].sensors, 1);
    assert_int_equal(rows[SOURCE_LOAD].instances, 0);
    assert_false(selftest_passed(rows));
}

/* A paused sensor needs nothing; one on demand needs its source, but at no interval. */
static void paused_and_on_demand(void **state)
{
    const struct tree *tree = *state;
    struct selftest_row rows[SOURCE_COUNT];
    tree_copy(tree, "laptop");
    struct config *config = configure(tree, elements);
    config_find(config, ROW_SENSOR, "group")->status = ROW_NOT_IN_SERVICE;
    ((struct sensor_row *)config_find(config, ROW_SENSOR, "rx"))->interval_ms = 0;
    ((struct sensor_row *)config_find(config, ROW_SENSOR, "idle"))->interval_ms = 0;
    assert_int_equal(selftest_measure(config, tree->root, NS_PER_MS, rows), 0);
    config_free(config);
    assert_int_equal(rows[SOURCE_CGROUP].sensors, 0);
    assert_int_equal(rows[SOURCE_CGROUP].instances, 0);
    assert_int_equal(rows[SOURCE_NETWORK].sensors, 1);
    assert_int_equal(rows[SOURCE_NETWORK].interval_ns, 0);
    assert_int_equal(rows[SOURCE_CPU].sensors, 3);
    assert_int_equal(rows[SOURCE_CPU].interval_ns, 2 * NS_PER_S);
}

static void passes_are_paced(void **state)
{
    const struct tree *tree = *state;
    struct selftest_row rows[SOURCE_COUNT];
    struct config *config = configure(tree, "");
    uint64_t begun_ns = clock_mono_ns();
    assert_int_equal(selftest_measure(config, tree->root, 10 * NS_PER_MS, rows), 0);
    assert_true(clock_mono_ns() - begun_ns >= SELFTEST_PASSES * 10 * NS_PER_MS);
    config_free(config);
}

/* -- The table ------------------------------------------------------------------------------- */

static void check_print(const struct selftest_row *rows, const char *expected)
{
    char *text;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_non_null(to);
    selftest_print(rows, to);
    assert_int_equal(fclose(to), 0);
    assert_string_equal(text, expected);
    free(text);
}

static const char header[] =
    "sampler      sensors instances     first us    median us   largest us\n";

static void table(void **state)
{
    (void)state;
    /* 100 us each second, 50 us each 100 ms; the others have no interval, or no cost that counts.
     */
    static const struct selftest_row rows[SOURCE_COUNT] = {
        [SOURCE_CPU] = {3, 3, NS_PER_S, 251234, 100000, 110060, 0},
        [SOURCE_LOAD] = {0, 1, 0, 9000, 8000, 9000, 0},
        [SOURCE_MEMORY] = {1, 1, 0, 1, 7000, 123456789, 0},
        [SOURCE_NETWORK] = {12, 1234, NS_PER_S / 10, 50000, 50000, 50000, 0},
        [SOURCE_DISK] = {2, 0, NS_PER_S, 1000, 1000, 1000, EBADMSG},
        [SOURCE_PRESSURE] = {0, 0, 0, 1000, 1000, 1000, ENOENT},
        [SOURCE_PROCESS] = {0, 0, 0, 0, 0, 0, 0},
        [SOURCE_APPLICATION] = {1, 0, NS_PER_S, 0, 0, 0, 0},
        [SOURCE_ENDPOINT] = {2, 0, NS_PER_S, 0, 0, 0, 0},
    };
    char expected[4096];
    snprintf(expected, sizeof expected, "%s%s%s%s%s", header,
             "cpu                3         3        251.2        100.0        110.1\n"
             "load               0         1          9.0          8.0          9.0  not in use\n"
             "memory             1         1          0.0          7.0     123456.8\n"
             "network           12      1234         50.0         50.0         50.0\n"
             "disk               2         0            -            -            -  Bad message\n"
             "kernel             0         0          0.0          0.0          0.0  not in use\n"
             "filesystem         0         0          0.0          0.0          0.0  not in use\n",
             "pressure           0         0            -            -            -"
             "  not in use: No such file or directory\n",
             "protocol           0         0          0.0          0.0          0.0  not in use\n"
             "hardware           0         0          0.0          0.0          0.0  not in use\n"
             "cgroup             0         0          0.0          0.0          0.0  not in use\n"
             "process            0         0          0.0          0.0          0.0  not in use\n"
             "application        1         0            -            -            -"
             "  read by the daemon only\n"
             "jvm                0         0            -            -            -  not in use\n"
             "endpoint           2         0            -            -            -"
             "  read by the daemon only\n",
             "\nIn use, together: 157.0 us per tick; 0.0600 % of one CPU at their intervals\n");
    check_print(rows, expected);
    assert_false(selftest_passed(rows));
}

/* The first pass warms the caches: it is told by itself, and is none of the others. */
static void times_of_passes(void **state)
{
    (void)state;
    static const uint64_t firsts[] = {1, 150, 1000};
    for (size_t i = 0; i < N_OF(firsts); i++) {
        struct timings timings = {.ns = {firsts[i]}};
        struct selftest_row row = {.error = 0};
        for (uint64_t pass = 1; pass <= SELFTEST_PASSES; pass++) /* in no order */
            timings.ns[pass] = 100 + 10 * (pass * 8 % (SELFTEST_PASSES + 1));
        summarize_timings(&timings, &row);
        assert_int_equal(row.first_ns, firsts[i]);
        assert_int_equal(row.median_ns, 100 + 10 * (SELFTEST_PASSES + 1) / 2);
        assert_int_equal(row.largest_ns, 100 + 10 * SELFTEST_PASSES);
    }
}

static void nothing_in_use(void **state)
{
    (void)state;
    static const struct selftest_row rows[SOURCE_COUNT] = {[SOURCE_CPU] = {.error = ENOENT}};
    assert_true(selftest_passed(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        tree_test(sources_and_sensors),    tree_test(what_cannot_be_read),
        tree_test(paused_and_on_demand),   tree_test(passes_are_paced),
        cmocka_unit_test(table),           cmocka_unit_test(nothing_in_use),
        cmocka_unit_test(times_of_passes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
