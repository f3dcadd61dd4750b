/* What is now: values, windows and alarms of blocks, as a text of metrics; what ends, falls silent,
 * is too much, or is of a boot that is over. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calculate/statistics.h"
#include "publish/openmetrics/present.h"
#include "report/report.h"
#include "tests/unit/scarce.h"
#include "unit.h"

#define NOW_MS INT64_C(1795737598000)

static const struct sink_words words[] = {
    [1] = {"cpu", "total", "cpu.busy", "%", ""},
    [2] = {"cpu", "0", "cpu.busy", "%", ""},
    [3] = {"rx", "eth0", "net.rx.bytes", "B/s", ""},
    [4] = {"cpu", "total", "cpu.busy", "%", ""},
    [5] = {"odd", "a\"b\\c\nd", "no.metric", "furlongs", ""},
};

static const struct sink_words *words_of(const void *context, uint32_t series)
{
    (void)context;
    return series < N_OF(words) && words[series].sensor ? &words[series] : NULL;
}

/* -- A node, and what is known of it --------------------------------------------------------- */

struct leaf {
    struct sink_stream stream;
    struct report_ring ring;
    uint32_t given;
};

static struct leaf leaf_of(const char *path, const char *name, uint32_t boot)
{
    static const uint8_t engine[] = {0x80, 0, 1, 2};
    struct leaf leaf = {.stream = {.boot = boot,
                                   .path = path,
                                   .name = name,
                                   .group = "",
                                   .engine_id = engine,
                                   .engine_id_len = *path ? sizeof engine : 0}};
    assert_int_equal(report_open(&leaf.ring, boot, 1000, 1200), 0);
    return leaf;
}

static void add_value(struct leaf *leaf, uint32_t series, enum result_state state, double value)
{
    const struct result result = {.state = state, .value = value};
    assert_int_equal(report_add(&leaf->ring, series, NOW_MS, &result), 0);
}

static void add_window(struct leaf *leaf, uint32_t series, const double *values, size_t n)
{
    struct statistics_window window = {0};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(statistics_window_add(&window, values[i]), 0);
    assert_int_equal(report_add_window(&leaf->ring, series, NOW_MS, 10000, &window), 0);
    statistics_window_release(&window);
}

static void put_text(struct report_alarm *alarm, enum report_alarm_text which, const char *text)
{
    alarm->text[which].at = text;
    alarm->text[which].len = strlen(text);
}

static void add_alarm(struct leaf *leaf, uint32_t id, const char *path, uint32_t severity)
{
    struct report_written written;
    struct report_alarm alarm = {
        .id = id, .index = id, .severity = severity, .since_ms = NOW_MS - 500};
    for (int i = 0; i < REPORT_ALARM_TEXTS; i++)
        put_text(&alarm, (enum report_alarm_text)i, "x");
    put_text(&alarm, REPORT_ALARM_ACKNOWLEDGED, "");
    put_text(&alarm, REPORT_ALARM_PATH, path);
    put_text(&alarm, REPORT_ALARM_THRESHOLD, "hot");
    put_text(&alarm, REPORT_ALARM_SENSOR, "cpu");
    put_text(&alarm, REPORT_ALARM_INSTANCE, "total");
    assert_int_equal(report_add_alarm(&leaf->ring, NOW_MS, &alarm, &written), 0);
}

/* All blocks that there are by now. */
static int give(struct present *present, struct leaf *leaf, int64_t now_ms)
{
    assert_int_equal(report_flush(&leaf->ring), 0);
    while (leaf->given < leaf->ring.last) {
        uint32_t number = leaf->given + 1;
        const struct report_block *block = (const void *)index_find(&leaf->ring.index, &number, 1);
        const struct sink_block given = {.stream = &leaf->stream,
                                         .number = number,
                                         .octets = block->bytes,
                                         .len = block->len,
                                         .words = words_of};
        int error = present_take(present, &given, now_ms);
        if (error)
            return error;
        leaf->given = number;
    }
    return 0;
}

static struct present *new_present(size_t limit)
{
    const struct present_settings settings = {.limit = limit, .silent_ms = 60000, .sensors = ""};
    struct present *present = present_new(&settings);
    assert_non_null(present);
    return present;
}

static char text[65536];

/* Without what the publisher says of itself and of ages. */
static const char *shown(struct present *present, int64_t now_ms)
{
    struct octets octets = {0};
    present_write(present, &octets, WRITING_OPENMETRICS, now_ms);
    octets_add(&octets, "", 1);
    assert_false(octets.failed);
    assert_true(octets.len < sizeof text);
    memcpy(text, octets.at, octets.len);
    octets_release(&octets);
    char *end = strstr(text, "# TYPE dcamp_node_up");
    if (end)
        *end = '\0';
    return text;
}

static bool has(struct present *present, int64_t now_ms, const char *line)
{
    return strstr(shown(present, now_ms), line) != NULL;
}

static double figure(struct present *present, const char *name, int64_t now_ms)
{
    struct octets octets = {0};
    char wanted[128];
    present_write(present, &octets, WRITING_PROMETHEUS, now_ms);
    octets_add(&octets, "", 1);
    snprintf(wanted, sizeof wanted, "\n%s ", name);
    const char *at = strstr(octets.at, wanted);
    assert_non_null(at);
    double value = strtod(at + strlen(wanted), NULL);
    octets_release(&octets);
    return value;
}

/* -- Values ---------------------------------------------------------------------------------- */

static void test_text(void **state)
{
    (void)state;
    struct present *present = new_present(100);
    struct leaf leaf = leaf_of("", "node1", 7);
    add_value(&leaf, 1, RESULT_VALID, 12.5);
    add_value(&leaf, 2, RESULT_VALID, 1);
    add_value(&leaf, 3, RESULT_VALID, 1e6);
    add_value(&leaf, 5, RESULT_VALID, -1);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_string_equal(
        shown(present, NOW_MS),
        "# TYPE dcamp_cpu_busy_percent gauge\n"
        "# UNIT dcamp_cpu_busy_percent percent\n"
        "# HELP dcamp_cpu_busy_percent Time the CPU was not idle and not waiting for I/O "
        "(cpu.busy)\n"
        "dcamp_cpu_busy_percent{node=\"node1\",sensor=\"cpu\",dcamp_instance=\"total\"} 12.5\n"
        "dcamp_cpu_busy_percent{node=\"node1\",sensor=\"cpu\",dcamp_instance=\"0\"} 1\n"
        "# TYPE dcamp_net_rx_bytes_per_second gauge\n"
        "# UNIT dcamp_net_rx_bytes_per_second bytes_per_second\n"
        "# HELP dcamp_net_rx_bytes_per_second Octets received (net.rx.bytes)\n"
        "dcamp_net_rx_bytes_per_second{node=\"node1\",sensor=\"rx\",dcamp_instance=\"eth0\"} "
        "1000000\n"
        "# TYPE dcamp_value unknown\n"
        "# HELP dcamp_value Of a device, or a metric that this version does not know\n"
        "dcamp_value{node=\"node1\",sensor=\"odd\",dcamp_instance=\"a\\\"b\\\\c?d\","
        "metric=\"no.metric\",unit=\"furlongs\"} -1\n");
    assert_float_equal(figure(present, "dcamp_publish_series", NOW_MS), 4, 0);
    assert_float_equal(figure(present, "dcamp_node_up{node=\"node1\"}", NOW_MS), 1, 0);
    assert_float_equal(figure(present, "dcamp_node_age_seconds{node=\"node1\"}", NOW_MS + 1500),
                       1.5, 0);
    report_close(&leaf.ring);
    present_free(present);
}

#define CPU "dcamp_cpu_busy_percent{node=\"node1\",sensor=\"cpu\",dcamp_instance=\"total\"} "

/* A gap, or a value that cannot be had: nobody knows it. */
static void test_unknown(void **state)
{
    (void)state;
    static const enum result_state unknown[] = {RESULT_GAP, RESULT_UNAVAILABLE};
    struct present *present = new_present(100);
    struct leaf leaf = leaf_of("", "node1", 7);
    for (size_t i = 0; i < N_OF(unknown); i++) {
        add_value(&leaf, 1, RESULT_VALID, 3);
        assert_int_equal(give(present, &leaf, NOW_MS), 0);
        assert_true(has(present, NOW_MS, CPU "3\n"));
        add_value(&leaf, 1, unknown[i], 0);
        assert_int_equal(give(present, &leaf, NOW_MS), 0);
        assert_string_equal(shown(present, NOW_MS), "");
    }
    add_value(&leaf, 1, RESULT_VALID, 4);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_true(has(present, NOW_MS, CPU "4\n"));
    add_value(&leaf, 99, RESULT_VALID, 4);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_float_equal(figure(present, "dcamp_publish_nameless_total", NOW_MS), 1, 0);
    report_close(&leaf.ring);
    present_free(present);
}

/* A sensor that has begun again has another number, and its end may have been lost. */
static void test_begun_again(void **state)
{
    (void)state;
    struct present *present = new_present(100);
    struct leaf leaf = leaf_of("", "node1", 7);
    add_value(&leaf, 1, RESULT_VALID, 3);
    add_value(&leaf, 4, RESULT_VALID, 5);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_true(has(present, NOW_MS, CPU "5\n"));
    assert_false(has(present, NOW_MS, CPU "3\n"));
    report_close(&leaf.ring);
    present_free(present);
}

static void test_silence(void **state)
{
    (void)state;
    struct present *present = new_present(100);
    struct leaf leaf = leaf_of("", "node1", 7);
    add_value(&leaf, 1, RESULT_VALID, 3);
    add_alarm(&leaf, 1, "", 4);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_true(has(present, NOW_MS + 60000, CPU "3\n"));
    assert_string_equal(shown(present, NOW_MS + 60001), "");
    assert_float_equal(figure(present, "dcamp_node_up{node=\"node1\"}", NOW_MS + 60001), 0, 0);
    present_step(present, NOW_MS + 60001);
    /* It has held back what has not changed, and is heard again. */
    add_value(&leaf, 2, RESULT_VALID, 1);
    assert_int_equal(give(present, &leaf, NOW_MS + 70000), 0);
    assert_true(has(present, NOW_MS + 70000, CPU "3\n"));
    /* A clock that goes back makes nobody silent, and nobody heard for ever. */
    assert_true(has(present, NOW_MS - 3600000, CPU "3\n"));
    assert_false(has(present, NOW_MS - 3600000 + 60001, CPU "3\n"));
    present_step(present, NOW_MS + 1000 * INT64_C(3600000));
    assert_null(strstr(shown(present, NOW_MS), "node1"));
    report_close(&leaf.ring);
    present_free(present);
}

/* What a node has kept comes at once, the oldest first: nothing of it is shown until it is over. */
static void test_settles(void **state)
{
    (void)state;
    const struct present_settings settings = {
        .limit = 100, .silent_ms = 60000, .settle_ms = 100, .sensors = ""};
    struct present *present = present_new(&settings);
    struct leaf leaf = leaf_of("", "node1", 7);
    add_value(&leaf, 1, RESULT_VALID, 3);
    add_alarm(&leaf, 1, "", 4);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_string_equal(shown(present, NOW_MS + 99), "");
    add_value(&leaf, 1, RESULT_VALID, 4);
    assert_int_equal(give(present, &leaf, NOW_MS + 99), 0);
    assert_string_equal(shown(present, NOW_MS + 198), "");
    assert_true(has(present, NOW_MS + 199, CPU "4\n"));
    /* From then on, it stays. */
    add_value(&leaf, 1, RESULT_VALID, 5);
    assert_int_equal(give(present, &leaf, NOW_MS + 200), 0);
    assert_true(has(present, NOW_MS + 200, CPU "5\n"));
    present_free(present);
    present = present_new(&settings);
    for (int64_t i = 0; i <= 60; i++) { /* one that always has something to say */
        add_value(&leaf, 1, RESULT_VALID, (double)i);
        assert_int_equal(give(present, &leaf, NOW_MS + 50 * i), 0);
        assert_true(has(present, NOW_MS + 50 * i, CPU) == (i == 60));
    }
    report_close(&leaf.ring);
    present_free(present);
}

/* A later boot ends what was before; blocks of an earlier one may come after it. */
static void test_boots(void **state)
{
    (void)state;
    struct present *present = new_present(100);
    struct leaf old = leaf_of("node1", "node1", 7), new = leaf_of("node1", "node1", 8);
    add_value(&old, 1, RESULT_VALID, 3);
    add_alarm(&old, 1, "", 4);
    assert_int_equal(give(present, &old, NOW_MS), 0);
    add_value(&new, 2, RESULT_VALID, 1);
    assert_int_equal(give(present, &new, NOW_MS), 0);
    assert_false(has(present, NOW_MS, CPU));
    assert_false(has(present, NOW_MS, "dcamp_alarm"));
    add_value(&old, 1, RESULT_VALID, 4);
    assert_int_equal(give(present, &old, NOW_MS), 0);
    assert_false(has(present, NOW_MS, CPU));
    present_count_anew(present, &new.stream);
    assert_string_equal(shown(present, NOW_MS), "");
    report_close(&old.ring);
    report_close(&new.ring);
    present_free(present);
}

/* -- Windows --------------------------------------------------------------------------------- */

#define WINDOW "dcamp_cpu_busy_window_percent"
#define OF_CPU "{node=\"node1\",sensor=\"cpu\",dcamp_instance=\"total\""

static void test_windows(void **state)
{
    (void)state;
    static const double one[] = {1, 2, 3, 4}, other[] = {10, 10}, negative[] = {-4, 4};
    struct present *present = new_present(100);
    struct leaf leaf = leaf_of("", "node1", 7);
    add_window(&leaf, 1, one, 4);
    add_window(&leaf, 1, other, 2);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_true(has(present, NOW_MS, "# TYPE " WINDOW " summary\n# UNIT " WINDOW " percent\n"));
    assert_true(has(present, NOW_MS, WINDOW OF_CPU ",quantile=\"0\"} 10\n"));
    assert_true(has(present, NOW_MS, WINDOW OF_CPU ",quantile=\"0.5\"} 10\n"));
    assert_true(has(present, NOW_MS, WINDOW OF_CPU ",quantile=\"1\"} 10\n"));
    assert_true(has(present, NOW_MS, WINDOW "_count" OF_CPU "} 6\n"));
    assert_true(has(present, NOW_MS, WINDOW "_sum" OF_CPU "} 30\n"));
    /* A sum that may fall is no counter, and no quantile of a summary is negative. */
    add_window(&leaf, 1, negative, 2);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_true(has(present, NOW_MS, WINDOW "_count" OF_CPU "} 8\n"));
    assert_false(has(present, NOW_MS, WINDOW "_sum"));
    assert_false(has(present, NOW_MS, "} -"));
    assert_true(has(present, NOW_MS, ",quantile=\"1\"} 4\n"));
    /* One that has no successor, of a node that is heard. */
    add_value(&leaf, 2, RESULT_VALID, 1);
    assert_int_equal(give(present, &leaf, NOW_MS + 60001), 0);
    present_step(present, NOW_MS + 60001);
    assert_false(has(present, NOW_MS + 60001, WINDOW));
    report_close(&leaf.ring);
    present_free(present);
}

/* -- Alarms ---------------------------------------------------------------------------------- */

#define ALARM "dcamp_alarm_severity{node=\"node7\",threshold=\"hot\",sensor=\"cpu\","

/* A collector tells of the alarms of a child, and so does the child: it is one. */
static void test_alarms(void **state)
{
    (void)state;
    struct present *present = new_present(100);
    struct leaf own = leaf_of("", "collector1", 7), child = leaf_of("node7", "node7", 3);
    add_alarm(&own, 5, "node7", 3);
    add_alarm(&child, 1, "", 4);
    assert_int_equal(give(present, &own, NOW_MS), 0);
    assert_int_equal(give(present, &child, NOW_MS), 0);
    assert_true(has(present, NOW_MS, ALARM "dcamp_instance=\"total\"} 4\n"));
    assert_false(has(present, NOW_MS, ALARM "dcamp_instance=\"total\"} 3\n"));
    assert_true(has(present, NOW_MS, "# UNIT dcamp_alarm_since_seconds seconds\n"));
    assert_true(has(present, NOW_MS, "dcamp_instance=\"total\"} 1795737597.5\n"));
    assert_int_equal(report_add_alarm_cleared(&child.ring, NOW_MS, 1), 0);
    assert_int_equal(give(present, &child, NOW_MS), 0);
    assert_true(has(present, NOW_MS, ALARM "dcamp_instance=\"total\"} 3\n"));
    assert_int_equal(report_add_alarm_cleared(&own.ring, NOW_MS, 5), 0);
    assert_int_equal(report_add_alarm_cleared(&own.ring, NOW_MS, 77), 0);
    assert_int_equal(give(present, &own, NOW_MS), 0);
    assert_string_equal(shown(present, NOW_MS), "");
    report_close(&own.ring);
    report_close(&child.ring);
    present_free(present);
}

/* -- Limits ---------------------------------------------------------------------------------- */

static void test_limit(void **state)
{
    (void)state;
    struct present *present = new_present(2);
    struct leaf old = leaf_of("old", "old", 1), leaf = leaf_of("", "node1", 7);
    add_value(&old, 1, RESULT_VALID, 9);
    assert_int_equal(give(present, &old, NOW_MS - 100000), 0);
    add_value(&leaf, 1, RESULT_VALID, 1);
    add_value(&leaf, 2, RESULT_VALID, 2); /* for which the silent node goes */
    add_value(&leaf, 3, RESULT_VALID, 3);
    add_alarm(&leaf, 1, "", 4);
    add_value(&leaf, 1, RESULT_VALID, 4);
    assert_int_equal(give(present, &leaf, NOW_MS), 0);
    assert_true(has(present, NOW_MS, CPU "4\n"));
    assert_true(has(present, NOW_MS, "dcamp_instance=\"0\"} 2\n"));
    assert_false(has(present, NOW_MS, "net_rx"));
    assert_false(has(present, NOW_MS, "dcamp_alarm"));
    assert_float_equal(figure(present, "dcamp_publish_left_out_total", NOW_MS), 2, 0);
    report_close(&old.ring);
    report_close(&leaf.ring);
    present_free(present);
}

static void remember(void *context, const struct sink_stream *stream, uint32_t next)
{
    char *told = context;
    snprintf(told + strlen(told), 64, "%s/%u:%u ", stream->path, stream->boot, next);
}

static void test_cursors(void **state)
{
    (void)state;
    char told[256] = "";
    struct present *present = new_present(100);
    struct leaf own = leaf_of("", "node1", 7), child = leaf_of("node7", "node7", 3);
    add_value(&own, 1, RESULT_VALID, 1);
    assert_int_equal(give(present, &own, NOW_MS), 0);
    add_value(&child, 1, RESULT_VALID, 1);
    assert_int_equal(give(present, &child, NOW_MS), 0);
    add_value(&own, 1, RESULT_VALID, 2);
    assert_int_equal(give(present, &own, NOW_MS), 0);
    present_cursors(present, remember, told);
    assert_string_equal(told, "/7:3 node7/3:2 ");
    report_close(&own.ring);
    report_close(&child.ring);
    present_free(present);
}

/* Wherever memory fails, it is said, and what is there can be written and freed. */
static void test_memory(void **state)
{
    (void)state;
    static const double one[] = {1, 2};
    struct leaf leaf = leaf_of("", "node1", 7);
    add_value(&leaf, 1, RESULT_VALID, 1);
    add_value(&leaf, 5, RESULT_VALID, 1);
    add_window(&leaf, 1, one, 2);
    add_alarm(&leaf, 1, "", 4);
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct octets octets = {0};
        leaf.given = 0;
        struct present *present = new_present(100);
        assert_int_equal(report_flush(&leaf.ring), 0);
        scarce_fail(nth);
        int error = give(present, &leaf, NOW_MS);
        if (!error)
            present_write(present, &octets, WRITING_OPENMETRICS, NOW_MS);
        failed = scarce_stop();
        assert_true(failed == (error == ENOMEM || octets.failed));
        octets_release(&octets);
        shown(present, NOW_MS);
        present_free(present);
        assert_true(nth < 1000);
    }
    report_close(&leaf.ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),        cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_begun_again), cmocka_unit_test(test_silence),
        cmocka_unit_test(test_settles),     cmocka_unit_test(test_boots),
        cmocka_unit_test(test_windows),     cmocka_unit_test(test_alarms),
        cmocka_unit_test(test_limit),       cmocka_unit_test(test_cursors),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
