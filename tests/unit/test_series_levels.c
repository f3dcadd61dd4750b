/* Information levels of sensors: what the report blocks have of values and windows at each. */
#include <stdio.h>
#include <stdlib.h>

#include "manager.h"
#include "node.h"

#define THRESHOLD(name, more)                                                                      \
    "<threshold name=\"" name "\" sensor=\"load\" operator=\"gt\" limit=\"5\" clear=\"3\" " more   \
    "/>"

static const char elements[] =
    "<sensors><sensor name=\"load\" metric=\"load.1\" window=\"10s\" level=\"threshold\"/>"
    "<sensor name=\"alone\" metric=\"load.1\" window=\"10s\" level=\"threshold\"/>"
    "<sensor name=\"basic\" metric=\"load.1\" window=\"10s\" level=\"basic\"/>"
    "<sensor name=\"all\" metric=\"load.1\" window=\"10s\"/></sensors>"
    "<filters><filter name=\"seldom\" throttle=\"3s\"/></filters>";

/* What the blocks have of a series. */
struct had {
    uint32_t series;
    size_t values, gaps, windows, histograms;
    double last[16]; /* the values, from the first one on */
    struct report_entry window;
};

static int take(void *context, const struct report_entry *entry)
{
    struct had *had = context;
    if (entry->series != had->series)
        return 0;
    if (entry->kind == REPORT_WINDOW) {
        had->windows++;
        had->histograms += entry->window.histogram != NULL;
        had->window = *entry;
        return 0;
    }
    assert_int_equal(entry->kind, REPORT_VALUE);
    if (entry->result.state != RESULT_VALID)
        had->gaps++;
    else if (had->values++ < N_OF(had->last))
        had->last[had->values - 1] = entry->result.value;
    return 0;
}

static struct had had_of(const struct node *node, const char *sensor)
{
    struct had had = {.series =
                          measure_series(&node->daemon->measure, sensor, "total")->entry.number};
    for (struct index_node *i = index_first(&node->daemon->report.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct report_header header;
        const char *why = "";
        assert_int_equal(report_decode(block->bytes, block->len, &header, take, &had, &why), 0);
    }
    return had;
}

static struct node *begin(const char *thresholds)
{
    char text[4096];
    snprintf(text, sizeof text, "%s<thresholds>%s</thresholds>", elements, thresholds);
    return node_new(text);
}

/* A cycle a second; a load below 0 is one that cannot be read. */
static void run(struct node *node, const double *loads, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char load[32];
        snprintf(load, sizeof load, "%.2f", loads[i]);
        if (loads[i] < 0)
            tree_write(&node->tree, "/proc/loadavg", "");
        else
            node_load(node, load);
        node_cycle(node, node->daemon->self.cycles ? 1000 : 0);
    }
}

#define RUN(node, ...)                                                                             \
    run(node, (const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void assert_values(const struct had *had, const double *expected, size_t n)
{
    assert_int_equal(had->values, n);
    for (size_t i = 0; i < n; i++)
        assert_true(had->last[i] == expected[i]);
}

/* -- Values ---------------------------------------------------------------------------------- */

/* The first after what breaches; while there is an alarm; and what breaches without becoming one.
 */
static void what_breaches_is_reported(void **state)
{
    static const struct {
        const char *thresholds;
        double loads[10], expected[10];
        size_t n;
    } rows[] = {
        {THRESHOLD("t", ""), {1, 6, 4, 4, 2, 1, 7, 1, 1, 1}, {6, 4, 4, 2, 7, 1}, 6},
        {THRESHOLD("t", "match=\"2\" window=\"2\""),
         {1, 6, 1, 1, 6, 7, 4, 2, 2, 2},
         {6, 1, 6, 7, 4, 2},
         6},
        {THRESHOLD("t", "duration=\"1m\""), {6, 6, 1, 1, 6, 1, 1, 1, 1, 1}, {6, 6, 1, 6, 1}, 5},
        {THRESHOLD("t", "") THRESHOLD("u", "critical-limit=\"7\" critical-clear=\"6\""),
         {1, 6, 8, 4, 2, 1, 1, 1, 1, 1},
         {6, 8, 4, 2},
         4},
        {THRESHOLD("r", "source=\"rate\" span=\"10m\""), {9, 9, 1, 9, 9, 9, 9, 9, 9, 9}, {0}, 0},
        {THRESHOLD("w", "source=\"mean\""), {9, 9, 9, 1, 1, 1, 1, 1, 1, 1}, {0}, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct node *node = begin(rows[i].thresholds);
        run(node, rows[i].loads, N_OF(rows[i].loads));
        struct had had = had_of(node, "load");
        print_message("row %zu\n", i);
        assert_values(&had, rows[i].expected, rows[i].n);
        assert_int_equal(number_at(node, MIB_dcampSensorPassed, "load", NULL), rows[i].n);
        assert_int_equal(number_at(node, MIB_dcampSensorHeld, "load", NULL), 10 - rows[i].n);
        had = had_of(node, "alone");
        assert_int_equal(had.values + had.gaps + had.windows, 0);
        assert_int_equal(had_of(node, "basic").values, 10);
        assert_int_equal(had_of(node, "all").values, 10);
        node_free(node);
    }
}

/* What is no value ends a breach that is no alarm, and is told while there is an alarm. */
static void what_is_no_value(void **state)
{
    (void)state;
    struct node *node = begin(THRESHOLD("t", "match=\"2\" window=\"2\""));
    RUN(node, 1, -1, 6, -1, -1);
    struct had had = had_of(node, "load");
    assert_int_equal(had.values, 1);
    assert_int_equal(had.gaps, 1);
    RUN(node, 6, 6, -1, -1, 2, 2, -1);
    had = had_of(node, "load");
    assert_int_equal(had.values, 4); /* the first 2 clears the alarm */
    assert_int_equal(had.gaps, 3);
    node_free(node);
}

/* By a hysteresis of the test's own, over very many values. */
static void as_an_oracle_says(void **state)
{
    (void)state;
    struct node *node = begin(THRESHOLD("t", ""));
    uint64_t expected = 0, n = CASES(20000);
    unsigned seed = 20261126;
    bool raised = false, told = false;
    for (uint64_t i = 0; i < n; i++) {
        double load = rand_r(&seed) % 700 / 100.0;
        raised = load > 5 || (raised && load > 3);
        expected += raised || told;
        told = raised;
        RUN(node, load);
    }
    assert_int_equal(number_at(node, MIB_dcampSensorPassed, "load", NULL), expected);
    assert_int_equal(number_at(node, MIB_dcampSensorHeld, "load", NULL), n - expected);
    assert_in_range(expected, n / 10, n * 9 / 10);
    node_free(node);
}

/* What the filter holds back is held back; the end is told with the next value that passes. */
static void filters_hold_back_all_the_same(void **state)
{
    (void)state;
    struct node *node = begin(THRESHOLD("t", ""));
    node_cycle(node, 0);
    node_set_one(node, MIB_dcampSensorFilter, "load", 0, "seldom");
    RUN(node, 1, 6, 6, 2, 1.5, 1, 1, 7, 1, 1, 1, 1);
    const struct had had = had_of(node, "load");
    assert_values(&had, (const double[]){6, 1.5, 7, 1}, 4);
    assert_int_equal(number_at(node, MIB_dcampFilterPassed, "seldom", NULL), 4);
    node_free(node);
}

/* -- Windows --------------------------------------------------------------------------------- */

#define QUIET 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
#define SHORT_BREACH 1, 1, 6, 2, 1, 1, 1, 1, 1, 1
#define BUSY 9, 9, 9, 9, 9, 9, 9, 9, 9, 9

static void windows_in_which_a_value_breached(void **state)
{
    (void)state;
    struct node *node = begin(THRESHOLD("t", ""));
    RUN(node, QUIET, SHORT_BREACH, QUIET, 6, 2);
    struct had had = had_of(node, "load");
    assert_int_equal(had.windows, 1); /* that of the last values is open */
    assert_int_equal(had.histograms, 0);
    assert_true(had.window.window.count == 10 && had.window.window.max == 6);
    assert_true(had.window.window.min == 1 && had.window.window.mean == 1.6);
    had = had_of(node, "basic");
    assert_int_equal(had.windows, 3);
    assert_int_equal(had.histograms, 0);
    had = had_of(node, "all");
    assert_int_equal(had.windows, 3);
    assert_int_equal(had.histograms, 3);
    node_free(node);
}

/* The rule sees the window only when it is over: it is reported, and so are the values up to the
 * end of the next one, which clears the alarm. */
static void windows_that_breach_themselves(void **state)
{
    (void)state;
    struct node *node = begin(THRESHOLD("w", "source=\"p90\""));
    RUN(node, QUIET, SHORT_BREACH, BUSY, QUIET, QUIET, QUIET, 1);
    const struct had had = had_of(node, "load");
    assert_int_equal(had.windows, 2);
    assert_true(had.window.window.max == 1); /* with which the alarm ended */
    assert_int_equal(had.histograms, 0);
    assert_int_equal(had.values, 11);
    node_free(node);
}

/* -- While it runs --------------------------------------------------------------------------- */

static void set_while_it_runs(void **state)
{
    static const struct {
        int64_t level;
        size_t values, windows, histograms;
    } rows[] = {{LEVEL_PERCENTILE, 30, 3, 3},
                {LEVEL_THRESHOLD, 0, 0, 0},
                {LEVEL_BASIC, 30, 3, 0},
                {LEVEL_PERCENTILE, 30, 3, 3}};
    (void)state;
    struct node *node = begin(THRESHOLD("t", ""));
    RUN(node, QUIET, 1);
    struct had before = had_of(node, "all");
    uint32_t number = before.series;
    for (size_t i = 0; i < N_OF(rows); i++) {
        node_set_one(node, MIB_dcampSensorLevel, "all", rows[i].level, NULL);
        RUN(node, QUIET, QUIET, QUIET);
        struct had had = had_of(node, "all");
        assert_int_equal(had.series, number);
        assert_int_equal(had.values - before.values, rows[i].values);
        assert_int_equal(had.windows - before.windows, rows[i].windows);
        assert_int_equal(had.histograms - before.histograms, rows[i].histograms);
        before = had;
    }
    assert_int_equal(number_at(node, MIB_dcampValueSamples, "all", "total"), 11 + 30 * N_OF(rows));
    struct bind bad = {MIB_dcampSensorLevel, "all", 4, NULL};
    assert_int_equal(node_set(node, &bad, 1), SET_WRONG_VALUE);
    node_free(node);
}

/* A level that was set is kept, and what a breach told before it does not count after it. */
static void kept_and_begun_anew(void **state)
{
    (void)state;
    struct node *node = begin(THRESHOLD("t", ""));
    RUN(node, 6);
    node_set_one(node, MIB_dcampSensorLevel, "load", LEVEL_BASIC, NULL);
    RUN(node, 6, 1);
    node_set_one(node, MIB_dcampSensorLevel, "load", LEVEL_THRESHOLD, NULL);
    RUN(node, 1, 1);
    const struct had had = had_of(node, "load");
    assert_values(&had, (const double[]){6, 6, 1}, 3);
    node_set_one(node, MIB_dcampSensorLevel, "all", LEVEL_BASIC, NULL);
    node_start_again(node);
    assert_int_equal(number_at(node, MIB_dcampSensorLevel, "all", NULL), LEVEL_BASIC);
    assert_int_equal(number_at(node, MIB_dcampSensorLevel, "load", NULL), LEVEL_THRESHOLD);
    node_free(node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_breaches_is_reported),
        cmocka_unit_test(what_is_no_value),
        cmocka_unit_test(as_an_oracle_says),
        cmocka_unit_test(filters_hold_back_all_the_same),
        cmocka_unit_test(windows_in_which_a_value_breached),
        cmocka_unit_test(windows_that_breach_themselves),
        cmocka_unit_test(set_while_it_runs),
        cmocka_unit_test(kept_and_begun_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
