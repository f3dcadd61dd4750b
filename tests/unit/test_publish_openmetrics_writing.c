/* The text that is scraped: names of families, labels, numbers, and what a client takes. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "metric/metric.h"
#include "publish/openmetrics/family.h"
#include "unit.h"

static const char *said(struct octets *octets)
{
    octets_add(octets, "", 1);
    assert_false(octets->failed);
    return octets->at;
}

/* -- What is asked for ----------------------------------------------------------------------- */

static void test_accepted(void **state)
{
    (void)state;
    static const char *const open[] = {
        "application/openmetrics-text",
        "application/openmetrics-text;version=1.0.0,application/"
        "openmetrics-text;version=0.0.1;q=0.75,"
        "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
        "text/plain;q=0.5, Application/OpenMetrics-Text ; version=\"1.0.0\" ; charset=utf-8",
        "application/openmetrics-text;version=2.0.0,application/"
        "openmetrics-text;version=1.0.0;q=0.1",
        "application/openmetrics-text;q=0.5,text/plain;q=0.5",
    };
    static const char *const plain[] = {
        NULL,
        "",
        "*/*",
        "text/html,application/xhtml+xml,*/*;q=0.8",
        "text/plain;version=0.0.4",
        "application/openmetrics-text;version=2.0.0",
        "application/openmetrics-text;q=0",
        "application/openmetrics-text;q=0.2,text/plain;q=0.8",
        "application/openmetrics-text-not",
        "application/json;x=application/openmetrics-text",
        ";;;,,,=\"",
        "application/openmetrics-text;version=\"",
    };
    for (size_t i = 0; i < N_OF(open); i++)
        assert_int_equal(writing_accepted(open[i]), WRITING_OPENMETRICS);
    for (size_t i = 0; i < N_OF(plain); i++)
        assert_int_equal(writing_accepted(plain[i]), WRITING_PROMETHEUS);
}

/* -- Pieces ---------------------------------------------------------------------------------- */

static void check_label(const char *value, const char *expected)
{
    struct octets octets = {0};
    writing_add_label(&octets, 0, "a", value);
    assert_string_equal(said(&octets), expected);
    octets_release(&octets);
}

static void test_labels(void **state)
{
    (void)state;
    check_label("", "a=\"\"");
    check_label("total", "a=\"total\"");
    check_label("C:\\dir \"x\"", "a=\"C:\\\\dir \\\"x\\\"\"");
    check_label("a\nb\r\t\033[31m\x7f", "a=\"a?b???[31m?\"");
    check_label("}\ninjected{x=\"1\"} 5", "a=\"}?injected{x=\\\"1\\\"} 5\"");
    check_label("Gr\xc3\xb6\xc3\x9f"
                "e \xe6\xb8\xa9 \xf0\x9f\x8c\xa1",
                "a=\"Gr\xc3\xb6\xc3\x9f"
                "e \xe6\xb8\xa9 \xf0\x9f\x8c\xa1\"");
    check_label("\xff\xc0\xaf\xed\xa0\x80|", "a=\"??????|\"");
    check_label("\xe2\x80\xae"
                "b",
                "a=\"???b\""); /* the direction of the text */
    struct octets octets = {0};
    octets_add_text(&octets, "before");
    size_t start = octets.len;
    writing_add_label(&octets, start, "a", "1");
    writing_add_label(&octets, start, "b", "2");
    assert_string_equal(said(&octets), "beforea=\"1\",b=\"2\"");
    octets_release(&octets);
}

static void check_sample(double value, const char *expected)
{
    struct octets octets = {0};
    writing_add_sample(&octets, "n", "_total", "a=\"1\"", 5, value);
    writing_add_sample(&octets, "n", "", NULL, 0, value);
    char both[256];
    snprintf(both, sizeof both, "n_total{a=\"1\"} %s\nn %s\n", expected, expected);
    assert_string_equal(said(&octets), both);
    octets_release(&octets);
}

static void test_numbers(void **state)
{
    (void)state;
    check_sample(0, "0");
    check_sample(0.1, "0.1");
    check_sample(-12.5, "-12.5");
    check_sample(1e300, "1e+300");
    check_sample(9007199254740993.0, "9007199254740992");
    check_sample(DBL_MAX, "1.7976931348623157e+308");
    check_sample(4.9406564584124654e-324, "4.94065645841247e-324");
    check_sample(NAN, "NaN");
    check_sample(INFINITY, "+Inf");
    check_sample(-INFINITY, "-Inf");
}

static void test_family_head(void **state)
{
    (void)state;
    static const struct writing_family counter = {"dcamp_a_bytes", WRITING_COUNTER, "bytes",
                                                  "What \"it\" is\\\nof"};
    static const struct writing_family unknown = {"dcamp_b", WRITING_UNKNOWN, "", "x"};
    struct octets octets = {0};
    writing_add_family(&octets, WRITING_OPENMETRICS, &counter);
    writing_add_family(&octets, WRITING_OPENMETRICS, &unknown);
    writing_add_end(&octets, WRITING_OPENMETRICS);
    assert_string_equal(said(&octets), "# TYPE dcamp_a_bytes counter\n"
                                       "# UNIT dcamp_a_bytes bytes\n"
                                       "# HELP dcamp_a_bytes What \\\"it\\\" is\\\\\\nof\n"
                                       "# TYPE dcamp_b unknown\n"
                                       "# HELP dcamp_b x\n"
                                       "# EOF\n");
    octets_cut(&octets, 0);
    writing_add_family(&octets, WRITING_PROMETHEUS, &counter);
    writing_add_family(&octets, WRITING_PROMETHEUS, &unknown);
    writing_add_end(&octets, WRITING_PROMETHEUS);
    assert_string_equal(said(&octets), "# TYPE dcamp_a_bytes_total counter\n"
                                       "# HELP dcamp_a_bytes_total What \"it\" is\\\\\\nof\n"
                                       "# TYPE dcamp_b untyped\n"
                                       "# HELP dcamp_b x\n");
    octets_release(&octets);
}

/* -- Families -------------------------------------------------------------------------------- */

static void check_family(const char *metric, const char *unit, bool is_window, const char *name,
                         const char *word, enum writing_type type)
{
    struct family_words words;
    family_of(&words, metric, unit, is_window);
    assert_string_equal(words.name, name);
    assert_string_equal(words.unit, word);
    assert_int_equal(words.type, type);
}

static void test_families(void **state)
{
    (void)state;
    struct family_words words;
    check_family("cpu.busy", "%", false, "dcamp_cpu_busy_percent", "percent", WRITING_GAUGE);
    check_family("cpu.busy", "s/s", false, "dcamp_cpu_busy_seconds_per_second",
                 "seconds_per_second", WRITING_GAUGE);
    check_family("cpu.busy", "s", false, "dcamp_cpu_busy_seconds", "seconds", WRITING_UNKNOWN);
    check_family("cpu.busy", "%", true, "dcamp_cpu_busy_window_percent", "percent",
                 WRITING_SUMMARY);
    check_family("net.rx.bytes", "B/s", false, "dcamp_net_rx_bytes_per_second", "bytes_per_second",
                 WRITING_GAUGE);
    check_family("mem.total", "B", false, "dcamp_mem_total_bytes", "bytes", WRITING_GAUGE);
    check_family("hw.fan", "1/min", false, "dcamp_hw_fan_per_minute", "per_minute", WRITING_GAUGE);
    check_family("fs.inodes", "inodes", false, "dcamp_fs_inodes", "inodes", WRITING_GAUGE);
    check_family("app.value", "1", false, "dcamp_app_value", "", WRITING_GAUGE);
    check_family("aggregate", "%", false, "dcamp_aggregate_percent", "percent", WRITING_GAUGE);
    check_family("aggregate", "B", true, "dcamp_aggregate_window_bytes", "bytes", WRITING_SUMMARY);
    check_family("", "C", false, "dcamp_value_celsius", "celsius", WRITING_UNKNOWN);
    /* What somebody else calls something is no name. */
    check_family("alarm.severity", "", false, "dcamp_value", "", WRITING_UNKNOWN);
    check_family("cpu.busy", "count", true, "dcamp_cpu_busy_window", "", WRITING_SUMMARY);
    check_family("cpu.busy", "a\nb 1", false, "dcamp_cpu_busy", "", WRITING_GAUGE);
    family_of(&words, "alarm.severity", "count", false);
    assert_true(words.needs_metric && words.needs_unit);
    family_of(&words, "cpu.busy", "1/s", false);
    assert_false(words.needs_metric || words.needs_unit);
    family_of(&words, "cpu.busy", "B/s/s", false);
    assert_true(words.needs_unit);
}

#define FAMILIES_MAX 4096

struct named {
    char name[FAMILY_NAME_SIZE];
    const char *metric;
};

static size_t add_families(struct named *named, size_t n, const char *metric)
{
    static const char *const units[] = {"", "1/s", "%", "s", "ms", "B", "B/s", "records", "lines"};
    struct family_words words;
    for (size_t i = 0; i < 2 * N_OF(units); i++, n++) {
        family_of(&words, metric, units[i / 2], i % 2);
        assert_true(n < FAMILIES_MAX);
        assert_true(strlen(words.name) < FAMILY_NAME_SIZE - 16);
        assert_int_equal(words.name[strspn(words.name, "abcdefghijklmnopqrstuvwxyz0123456789_")],
                         0);
        assert_string_equal(words.name + strlen(words.name) - strlen(words.unit), words.unit);
        strcpy(named[n].name, words.name);
        named[n].metric = metric;
    }
    return n;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* No two metrics have a family of one name, and none has that of a sample of another. */
static void test_names_are_unique(void **state)
{
    (void)state;
    static struct named named[FAMILIES_MAX];
    static const char *const suffixes[] = {"_count", "_sum"};
    size_t n = add_families(named, 0, "aggregate");
    n = add_families(named, n, "no such metric");
    for (size_t i = 0; i < metric_count; i++)
        n = add_families(named, n, metric_registry[i].name);
    qsort(named, n, sizeof *named, compare_names);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && strcmp(named[i - 1].name, named[i].name) == 0)
            assert_string_equal(named[i - 1].metric, named[i].metric);
        for (size_t k = 0; k < N_OF(suffixes) && strstr(named[i].name, "_window"); k++) {
            char sample[FAMILY_NAME_SIZE];
            text_format(sample, sizeof sample, "%s%s", named[i].name, suffixes[k]);
            assert_null(bsearch(sample, named, n, sizeof *named, compare_names));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_labels),
        cmocka_unit_test(test_numbers),  cmocka_unit_test(test_family_head),
        cmocka_unit_test(test_families), cmocka_unit_test(test_names_are_unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
