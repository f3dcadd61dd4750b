/* Statistics of the series: what dcampValueTable shows of them, what is reported; and sensors that
 * are sampled on demand. */
#include <stdlib.h>

#include "manager.h"
#include "node.h"

static const char elements[] =
    "<sensors>"
    "<sensor name=\"load\" metric=\"load.1\" window=\"10s\"/>"
    "<sensor name=\"bare\" metric=\"load.1\" window=\"none\"/>"
    "<sensor name=\"rx\" metric=\"net.rx.bytes\" instances=\"eth0\" calculation=\"rate\""
    " window=\"10s\"/>"
    "<sensor name=\"rare\" metric=\"load.5\" interval=\"on-demand\" window=\"10s\"/>"
    "<sensor name=\"sum\" expression=\"rare + load\" interval=\"on-demand\"/>"
    "</sensors>";

static int node_setup(void **state)
{
    *state = node_new(elements);
    return 0;
}

static const enum mib_object cells[] = {
    MIB_dcampValueMin, MIB_dcampValueMax, MIB_dcampValueMean, MIB_dcampValueStdDev,
    MIB_dcampValueP50, MIB_dcampValueP90, MIB_dcampValueP95,  MIB_dcampValueP99,
};

static void assert_no_values(struct node *node, const char *sensor)
{
    for (size_t i = 0; i < N_OF(cells); i++)
        assert_false(node_has(node, cells[i], sensor, "total"));
}

/* One cycle a second with these loads. */
static void run(struct node *node, const char *const *loads, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        node_load(node, loads[i]);
        node_cycle(node, 1000);
    }
}

static const char *const first[] = {"1.00", "2.00", "3.00", "4.00", "5.00",
                                    "6.00", "7.00", "8.00", "9.00"};

static void open_window_is_shown_until_one_is_complete(void **state)
{
    struct node *node = *state;
    node_load(node, "0.00");
    node_cycle(node, 0); /* at a whole minute: the window begins with it */
    run(node, first, 4);
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "load", "total"), 5);
    assert_cell_text(node, MIB_dcampValueMin, "load", "total", "0");
    assert_cell_text(node, MIB_dcampValueMax, "load", "total", "4");
    assert_cell_text(node, MIB_dcampValueMean, "load", "total", "2");
    assert_cell_text(node, MIB_dcampValueStdDev, "load", "total", "1.414214");
}

static void complete_window_is_shown_until_the_next_one_is(void **state)
{
    struct node *node = *state;
    node_load(node, "0.00");
    node_cycle(node, 0);
    run(node, first, 9);
    run(node, (const char *[]){"50.00", "60.00"}, 2); /* the second window */
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "load", "total"), 10);
    assert_cell_text(node, MIB_dcampValueMin, "load", "total", "0");
    assert_cell_text(node, MIB_dcampValueMax, "load", "total", "9");
    assert_cell_text(node, MIB_dcampValueMean, "load", "total", "4.5");
    assert_cell_text(node, MIB_dcampValueStdDev, "load", "total", "2.872281");
    double p50, p99;
    char text[MESSAGE_SIZE];
    p50 = strtod(text_at(node, MIB_dcampValueP50, "load", "total", text), NULL);
    p99 = strtod(text_at(node, MIB_dcampValueP99, "load", "total", text), NULL);
    assert_true(p50 >= 4 * 0.99 && p50 <= 4 * 1.01);
    assert_true(p99 >= 8 * 0.99 && p99 <= 8 * 1.01);
}

/* The window that the clock says is the latest complete one had no values. */
static void window_without_values_has_no_statistics(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_cycle(node, 1000);
    node->now.mono_ns += 25 * NS_PER_S;
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "load", "total"), 0);
    assert_no_values(node, "load");
}

static void without_a_window_there_is_nothing(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_false(node_has(node, MIB_dcampValueWindowBegin, "bare", "total"));
    assert_false(node_has(node, MIB_dcampValueWindowSamples, "bare", "total"));
    assert_no_values(node, "bare");
    assert_true(node_has(node, MIB_dcampValueText, "bare", "total"));
}

/* The first of two samples of a rate is no value. */
static void what_is_no_value_is_not_counted(void **state)
{
    struct node *node = *state;
    node_network(node, (const struct interface[]){{"eth0", 1000}}, 1);
    node_cycle(node, 0);
    assert_false(node_has(node, MIB_dcampValueWindowSamples, "rx", "eth0"));
    node_network(node, (const struct interface[]){{"eth0", 3000}}, 1);
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "rx", "eth0"), 1);
    assert_cell_text(node, MIB_dcampValueMean, "rx", "eth0", "2000");
    tree_write(&node->tree, "/proc/net/dev", "");
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "rx", "eth0"), 1);
}

/* A new length of the window, or none, counts from then on; the series goes on. */
static void window_is_changed(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_cycle(node, 1000);
    uint32_t number = (uint32_t)number_at(node, MIB_dcampValueSeries, "load", "total");
    node_set_one(node, MIB_dcampSensorWindow, "load", 30000, NULL);
    node_cycle(node, 1000);
    assert_int_equal(number_at(node, MIB_dcampValueWindowSamples, "load", "total"), 1);
    assert_int_equal(number_at(node, MIB_dcampValueSeries, "load", "total"), number);
    assert_int_equal(number_at(node, MIB_dcampValueSamples, "load", "total"), 3);
    node_set_one(node, MIB_dcampSensorWindow, "load", 0, NULL);
    node_cycle(node, 1000);
    assert_no_values(node, "load");
    struct bind bad = {MIB_dcampSensorWindow, "load", 999, NULL};
    assert_int_equal(node_set(node, &bad, 1), SET_WRONG_VALUE);
}

/* -- Reports --------------------------------------------------------------------------------- */

struct windows {
    uint32_t series;
    size_t n;
    int64_t wall_ms;
    uint64_t count, values;
    double mean;
};

static int add_window(void *context, const struct report_entry *entry)
{
    struct windows *windows = context;
    if (entry->kind != REPORT_WINDOW || entry->series != windows->series)
        return 0;
    windows->n++;
    windows->wall_ms = entry->wall_ms;
    windows->count = entry->window.count;
    windows->values = entry->window.histogram->count;
    windows->mean = entry->window.mean;
    assert_int_equal(entry->window.window_ms, 10000);
    return 0;
}

static struct windows reported(struct node *node, const char *sensor)
{
    struct windows windows = {
        .series = measure_series(&node->daemon->measure, sensor, "total")->entry.number};
    for (struct index_node *i = index_first(&node->daemon->report.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct report_header header;
        const char *why = "";
        assert_int_equal(
            report_decode(block->bytes, block->len, &header, add_window, &windows, &why), 0);
    }
    return windows;
}

static void window_that_ended_is_reported_once(void **state)
{
    struct node *node = *state;
    node_load(node, "0.00");
    node_cycle(node, 0);
    int64_t begin = node->now.wall_ms;
    run(node, first, 9);
    assert_int_equal(reported(node, "load").n, 0);
    run(node, first, 3);
    struct windows windows = reported(node, "load");
    assert_int_equal(windows.n, 1);
    assert_int_equal(windows.wall_ms, begin + 10000);
    assert_int_equal(windows.count, 10);
    assert_int_equal(windows.values, 10);
    assert_true(windows.mean > 4.49 && windows.mean < 4.51);
}

/* Also when the next value comes only windows later. */
static void window_is_reported_late(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    int64_t begin = node->now.wall_ms;
    node_cycle(node, 37000);
    struct windows windows = reported(node, "load");
    assert_int_equal(windows.n, 1);
    assert_int_equal(windows.wall_ms, begin + 10000);
    assert_int_equal(windows.count, 1);
}

/* What comes after it may be no value. */
static void window_is_reported_once_while_values_are_missing(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    run(node, first, 5);
    tree_write(&node->tree, "/proc/loadavg", "");
    for (int i = 0; i < 30; i++)
        node_cycle(node, 1000);
    struct windows windows = reported(node, "load");
    assert_int_equal(windows.n, 1);
    assert_int_equal(windows.count, 6);
    run(node, first, 9);
    run(node, first, 9);
    assert_int_equal(reported(node, "load").n, 3); /* 4 of the next window, 10 of the one after */
}

/* -- On demand ------------------------------------------------------------------------------- */

static uint64_t samples_of(struct node *node, const char *sensor)
{
    return measure_series(&node->daemon->measure, sensor, "total")->samples;
}

static void sampled_when_read(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    assert_int_equal(samples_of(node, "rare"), 1); /* at the start */
    for (int i = 0; i < 5; i++)
        node_cycle(node, 1000);
    assert_int_equal(samples_of(node, "rare"), 1);
    assert_int_equal(number_at(node, MIB_dcampValueAge, "rare", "total"), 5000);
    assert_int_equal(node_cycle(node, 10), 990 * (int64_t)NS_PER_MS); /* the agent wakes the core */
    assert_int_equal(samples_of(node, "rare"), 1);
    node_cycle(node, 990);
    assert_int_equal(samples_of(node, "rare"), 2);
    node_cycle(node, 1000);
    assert_int_equal(samples_of(node, "rare"), 2);
}

static void not_more_than_once_a_second(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_cycle(node, 5000);
    for (int i = 0; i < 100; i++) { /* for 2 s */
        number_at(node, MIB_dcampValueAge, "rare", "total");
        node_cycle(node, 20);
    }
    assert_in_range(samples_of(node, "rare"), 3, 4);
}

/* Nothing but being asked makes it due: not the ticks of others, not other tables. */
static void cost_nothing_while_nobody_asks(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    uint64_t passes = sampler_cost(node->daemon->sampler, SOURCE_LOAD)->passes;
    node_set_one(node, MIB_dcampSensorInterval, "load", 86400000, NULL);
    node_set_one(node, MIB_dcampSensorInterval, "bare", 86400000, NULL);
    node_cycle(node, 0);
    passes = sampler_cost(node->daemon->sampler, SOURCE_LOAD)->passes;
    for (int i = 0; i < 10; i++)
        node_cycle(node, 1000);
    assert_int_equal(sampler_cost(node->daemon->sampler, SOURCE_LOAD)->passes, passes);
    /* The row of the sensor asks, too. */
    number_at(node, MIB_dcampSensorSeries, "rare", NULL);
    node_cycle(node, 1000);
    assert_int_equal(sampler_cost(node->daemon->sampler, SOURCE_LOAD)->passes, passes + 1);
}

static void derived_one_asks_its_inputs(void **state)
{
    struct node *node = *state;
    tree_write(&node->tree, "/proc/loadavg", "1.00 10.00 12.30 2/1153 26442\n");
    node_cycle(node, 0);
    assert_cell_text(node, MIB_dcampValueText, "sum", "total", "11");
    node_cycle(node, 5000);
    tree_write(&node->tree, "/proc/loadavg", "2.00 20.00 12.30 2/1153 26442\n");
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "sum", "total", "11"); /* and asks */
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "sum", "total", "22");
}

/* A sensor that is due by itself asks for those on demand that it derives from, and what is
 * published as new was computed of what is new. */
static void due_sensor_asks_for_its_inputs(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {{MIB_dcampSensorExpression, "due", 0, "sum * 2"},
                                 {MIB_dcampSensorInterval, "due", 5000, NULL},
                                 {MIB_dcampSensorRowStatus, "due", 4, NULL}};
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
    tree_write(&node->tree, "/proc/loadavg", "1.00 2.00 0.00 1/1 1\n");
    node_cycle(node, 0);
    assert_cell_text(node, MIB_dcampValueText, "due", "total", "6");
    tree_write(&node->tree, "/proc/loadavg", "3.00 4.00 0.00 1/1 1\n");
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "rare", "total", "2"); /* asks, too */
    node_cycle(node, 1000);
    assert_cell_text(node, MIB_dcampValueText, "rare", "total", "4");
    tree_write(&node->tree, "/proc/loadavg", "5.00 6.00 0.00 1/1 1\n");
    node_cycle(node, 3000);
    assert_cell_text(node, MIB_dcampValueText, "due", "total", "22");
}

static void on_demand_is_zero_over_snmp(void **state)
{
    struct node *node = *state;
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "rare", NULL), 0);
    node_set_one(node, MIB_dcampSensorInterval, "load", 0, NULL);
    struct bind bad = {MIB_dcampSensorInterval, "load", 99, NULL};
    assert_int_equal(node_set(node, &bad, 1), SET_WRONG_VALUE);
    node_cycle(node, 0);
    node_cycle(node, 5000);
    assert_int_equal(samples_of(node, "load"), 1);
    node_start_again(node);
    assert_int_equal(number_at(node, MIB_dcampSensorInterval, "load", NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(open_window_is_shown_until_one_is_complete),
        node_test(complete_window_is_shown_until_the_next_one_is),
        node_test(window_without_values_has_no_statistics),
        node_test(without_a_window_there_is_nothing),
        node_test(what_is_no_value_is_not_counted),
        node_test(window_is_changed),
        node_test(window_that_ended_is_reported_once),
        node_test(window_is_reported_late),
        node_test(window_is_reported_once_while_values_are_missing),
        node_test(sampled_when_read),
        node_test(not_more_than_once_a_second),
        node_test(cost_nothing_while_nobody_asks),
        node_test(derived_one_asks_its_inputs),
        node_test(due_sensor_asks_for_its_inputs),
        node_test(on_demand_is_zero_over_snmp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
