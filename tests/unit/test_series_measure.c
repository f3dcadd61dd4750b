/* Sensors and series: when they are sampled, which there are, what their values are, and what of
 * them is reported. */
#include <stdio.h>
#include <stdlib.h>

#include "sample/sources.h"

#include "manager.h"
#include "node.h"

static const char elements[] =
    "<report keep=\"1000\" block-bytes=\"256\"/>\n<sensors>"
    "<sensor name=\"load\" metric=\"load.1\" filter=\"near\"/>"
    "<sensor name=\"load.all\" metric=\"load.1\"/>"
    "<sensor name=\"load.beat\" metric=\"load.1\" filter=\"near\"/>"
    "<sensor name=\"rx\" metric=\"net.rx.bytes\" instances=\"!lo *\" calculation=\"rate\"/>"
    "<sensor name=\"rx.2\" metric=\"net.rx.bytes\" instances=\"!lo *\" interval=\"2s\"/>"
    "<sensor name=\"rx.5\" metric=\"net.rx.bytes\" instances=\"eth*\" interval=\"5s\"/>"
    "</sensors>\n<filters>"
    "<filter name=\"near\" deadband=\"1\" heartbeat=\"7s\" throttle=\"2s\"/>"
    "</filters>";

static int node_setup(void **state)
{
    *state = node_new(elements);
    return 0;
}

static struct series *series_of(struct node *node, const char *sensor, const char *instance)
{
    return measure_series(&node->daemon->measure, sensor, instance);
}

static void eth0(struct node *node, uint64_t rx_bytes)
{
    const struct interface interfaces[] = {{"lo", 1}, {"eth0", rx_bytes}};
    node_network(node, interfaces, 2);
}

/* -- When ------------------------------------------------------------------------------------ */

/* In milliseconds: a sensor that is due then, sampled now. */
static const struct {
    uint64_t interval, due, now, late, next;
} schedules[] = {
    {1000, 5000, 5000, 0, 6000},    {1000, 5000, 5001, 0, 6000},
    {1000, 5000, 5500, 0, 6000},    {1000, 5000, 5501, 1, 6000},
    {1000, 5000, 5999, 1, 6000},    {1000, 5000, 6000, 1, 7000},
    {1000, 5000, 6500, 1, 7000},    {1000, 5000, 6501, 2, 7000},
    {1000, 5000, 15000, 10, 16000}, {1000, 5000, 15999, 11, 16000},
    {300, 900, 1000, 0, 1200},      {300, 900, 1100, 1, 1200},
    {100, 100, 100, 0, 200},        {100, 100, 86400000, 863999, 86400100},
    {86400000, 0, 1, 0, 86400000},  {86400000, 86400000, 172799999, 1, 172800000},
};

static void schedule(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(schedules); i++)
        for (int sampled = 0; sampled < 2; sampled++) {
            struct sensor sensor = {.interval_ns = schedules[i].interval * NS_PER_MS,
                                    .due_ns = schedules[i].due * NS_PER_MS,
                                    .sampled = sampled};
            uint64_t late = sensor_schedule(&sensor, schedules[i].now * NS_PER_MS);
            /* The first time is when the row came, not when it was due. */
            assert_int_equal(late, sampled ? schedules[i].late : 0);
            assert_int_equal(sensor.due_ns, schedules[i].next * NS_PER_MS);
            assert_true(sensor.sampled);
        }
}

/* By the times that the cycle gives back, as the loop does it: every sensor at the whole multiples
 * of its interval, all of one time in one pass. */
static void cycles_at_whole_multiples(void **state)
{
    struct node *node = *state;
    uint64_t begin = node->now.mono_ns;
    node->now.mono_ns += 123 * NS_PER_MS; /* not on one */
    uint64_t due = dcampd_cycle(node->daemon, node->now);
    while (due <= begin + 20 * NS_PER_S) {
        assert_true(due > node->now.mono_ns);
        node->now.mono_ns = due;
        due = dcampd_cycle(node->daemon, node->now);
        bool second = node->now.mono_ns % NS_PER_S == 0;
        bool fifth = node->now.mono_ns % (5 * NS_PER_S) == 0;
        assert_int_equal(series_of(node, "load", "total")->taken.mono_ns == node->now.mono_ns,
                         second);
        assert_int_equal(series_of(node, "rx.5", "eth0")->taken.mono_ns == node->now.mono_ns,
                         fifth);
    }
    assert_int_equal(series_of(node, "load", "total")->samples, 21);
    assert_int_equal(series_of(node, "rx.2", "eth0")->samples, 11);
    assert_int_equal(series_of(node, "rx.5", "eth0")->samples, 5);
    assert_int_equal(node->daemon->self.cycles, 21);
    assert_int_equal(node->daemon->self.late_cycles, 0);
}

/* Passes are counted, not sensors: four of them are due every second here. */
static void late_and_missed_cycles_are_counted(void **state)
{
    struct node *node = *state;
    static const struct {
        uint64_t ms, late;
    } steps[] = {{0, 0},   {1000, 0}, {1500, 0}, {501, 0} /* 3001: in time */, {1599, 1} /* 4600 */,
                 {400, 1}, {3600, 4}, {400, 4}};
    for (size_t i = 0; i < N_OF(steps); i++) {
        node_cycle(node, steps[i].ms);
        assert_int_equal(node->daemon->self.late_cycles, steps[i].late);
    }
    assert_int_equal(number_at(node, MIB_dcampSelfLateCycles, NULL, NULL), 4);
}

static void a_changed_sensor_begins_anew_at_once(void **state)
{
    struct node *node = *state;
    node_cycle(node, 0);
    node_cycle(node, 1000);
    uint32_t number = series_of(node, "rx.5", "eth0")->entry.number;
    node_set_one(node, MIB_dcampSensorInterval, "rx.5", 10000, NULL);
    node_cycle(node, 300);
    const struct series *series = series_of(node, "rx.5", "eth0");
    assert_int_equal(series->samples, 1);
    assert_int_equal(series->taken.mono_ns, node->now.mono_ns);
    assert_true(series->entry.number > number);
    /* Another filter is no other sensor. */
    number = series->entry.number;
    node_set_one(node, MIB_dcampSensorFilter, "rx.5", 0, "near");
    node_cycle(node, 300);
    assert_int_equal(series_of(node, "rx.5", "eth0")->entry.number, number);
    assert_string_equal(measure_find(&node->daemon->measure, "rx.5")->row.filter, "near");
}

/* -- Which ----------------------------------------------------------------------------------- */

static void instances_come_and_go(void **state)
{
    struct node *node = *state;
    static const struct interface first[] = {{"lo", 1}, {"eth0", 100}, {"eth1", 200}};
    static const struct interface second[] = {{"lo", 1}, {"tap0", 77}, {"eth1", 300}};
    static const struct interface third[] = {{"eth0", 100}, {"eth1", 400}, {"tap0", 77}};
    node_network(node, first, 3);
    node_cycle(node, 0);
    assert_null(series_of(node, "rx", "lo")); /* the pattern */
    uint32_t number = series_of(node, "rx", "eth0")->entry.number;
    assert_int_equal(number_at(node, MIB_dcampSensorSeries, "rx", NULL), 2);
    /* eth0 goes, and tap0 may get its place in the sample: none of its values. */
    node_network(node, second, 3);
    node_cycle(node, 1000);
    assert_null(series_of(node, "rx", "eth0"));
    assert_int_equal(series_of(node, "rx", "tap0")->result.state, RESULT_WAITING);
    assert_int_equal(series_of(node, "rx", "tap0")->samples, 1);
    assert_int_equal(series_of(node, "rx", "eth1")->result.state, RESULT_VALID);
    assert_int_equal((int)series_of(node, "rx", "eth1")->result.value, 100);
    assert_null(series_of(node, "rx.5", "tap0"));
    assert_non_null(series_of(node, "rx.2", "eth0")); /* not due yet */
    /* eth0 is back: another series, with another number. */
    node_network(node, third, 3);
    node_cycle(node, 1000);
    assert_int_equal(series_of(node, "rx", "eth0")->result.state, RESULT_WAITING);
    assert_true(series_of(node, "rx", "eth0")->entry.number > number);
    assert_true(series_of(node, "rx.2", "eth0")->samples == 1);
    assert_int_equal(number_at(node, MIB_dcampSensorSeries, "rx", NULL), 3);
    assert_int_equal(node->daemon->publisher.dictionary.by_number.count,
                     node->daemon->measure.series.count);
}

static void destroyed_and_paused_sensors_lose_their_series(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {{MIB_dcampSensorRowStatus, "mine", 4, NULL},
                                 {MIB_dcampSensorMetric, "mine", 0, "load.5"}};
    assert_int_equal(node_set(node, binds, 2), SET_OK);
    node_cycle(node, 0);
    assert_true(node_has(node, MIB_dcampValueText, "mine", "total"));
    node_set_one(node, MIB_dcampSensorRowStatus, "mine", 6, NULL);
    node_set_one(node, MIB_dcampSensorRowStatus, "load", 2, NULL);
    node_cycle(node, 10);
    assert_null(series_of(node, "mine", "total"));
    assert_null(series_of(node, "load", "total"));
    assert_null(measure_find(&node->daemon->measure, "load"));
    node_set_one(node, MIB_dcampSensorRowStatus, "load", 1, NULL);
    node_cycle(node, 10);
    assert_int_equal(series_of(node, "load", "total")->samples, 1);
}

/* -- Values ---------------------------------------------------------------------------------- */

/* A counter that falls gives a gap, never a spike; the sample after it goes on from there. */
static void counter_resets_give_a_gap(void **state)
{
    struct node *node = *state;
    static const struct {
        uint64_t bytes;
        enum result_state state;
        int value, gaps;
    } steps[] = {
        {1000000, RESULT_WAITING, 0, 0},
        {1000500, RESULT_VALID, 500, 0},
        {1000500, RESULT_VALID, 0, 0},
        {40, RESULT_GAP, 0, 1},
        {140, RESULT_VALID, 100, 1},
        {0, RESULT_GAP, 0, 2},
        {0, RESULT_VALID, 0, 2},
        {UINT64_MAX - 9, RESULT_VALID, -1, 2},
        {10, RESULT_VALID, 20, 2} /* a wrap, not a reset */,
    };
    for (size_t i = 0; i < N_OF(steps); i++) {
        eth0(node, steps[i].bytes);
        node_cycle(node, i ? 1000 : 0);
        const struct series *series = series_of(node, "rx", "eth0");
        assert_int_equal(series->result.state, steps[i].state);
        assert_int_equal(series->gaps, steps[i].gaps);
        assert_true(series->raw == steps[i].bytes);
        if (steps[i].value >= 0)
            assert_int_equal((int)series->result.value, steps[i].value);
    }
}

static int sensor_state(struct node *node, const char *sensor)
{
    return (int)number_at(node, MIB_dcampSensorState, sensor, NULL);
}

/* A source that cannot be read: series stay, without a value, and are there again with it. */
static void source_that_disappears(void **state)
{
    struct node *node = *state;
    static const struct interface back[] = {{"eth1", 5}, {"wlan0", 2000}};
    eth0(node, 1000);
    assert_int_equal(sensor_state(node, "rx"), dcampSensorState_waiting);
    node_cycle(node, 0);
    assert_int_equal(sensor_state(node, "rx"), dcampSensorState_sampling);
    uint32_t number = series_of(node, "rx", "eth0")->entry.number;
    tree_write(&node->tree, "/proc/net/dev", "");
    for (int i = 1; i <= 4; i++) {
        node_cycle(node, 1000);
        assert_int_equal(sensor_state(node, "rx"), dcampSensorState_unavailable);
        assert_int_equal(sensor_state(node, "load"), dcampSensorState_sampling);
        assert_int_equal(series_of(node, "rx", "eth0")->result.state, RESULT_UNAVAILABLE);
        assert_int_equal(series_of(node, "rx", "eth0")->samples, i + 1);
        /* One read for all sensors of a source. */
        assert_int_equal(node->daemon->self.sample_errors, i);
    }
    eth0(node, 9000);
    node_cycle(node, 1000);
    assert_int_equal(sensor_state(node, "rx"), dcampSensorState_sampling);
    assert_int_equal(series_of(node, "rx", "eth0")->result.state, RESULT_WAITING);
    assert_int_equal(series_of(node, "rx", "eth0")->entry.number, number);
    tree_write(&node->tree, "/proc/net/dev", "");
    node_cycle(node, 1000);
    node_network(node, back, 2); /* others than before */
    node_cycle(node, 1000);
    assert_null(series_of(node, "rx", "eth0"));
    assert_non_null(series_of(node, "rx", "wlan0"));
    assert_int_equal(node->daemon->self.sample_errors, 5);
}

/* A field that the kernel does not give is missing for its sensors alone. */
static void field_that_is_missing(void **state)
{
    struct node *node = *state;
    tree_write(&node->tree, "/proc/loadavg", "x 1.07 12.30 2/1153 26442\n");
    node_set_one(node, MIB_dcampSensorMetric, "load.all", 0, "load.5");
    node_cycle(node, 0);
    assert_int_equal(series_of(node, "load", "total")->result.state, RESULT_UNAVAILABLE);
    assert_int_equal(series_of(node, "load.all", "total")->result.state, RESULT_VALID);
    assert_int_equal(sensor_state(node, "load"), dcampSensorState_sampling);
    assert_int_equal(node->daemon->self.sample_errors, 0);
}

static void add_sensor(struct node *node, const char *name, const char *metric, int calculation)
{
    const struct bind binds[] = {{MIB_dcampSensorRowStatus, name, 4, NULL},
                                 {MIB_dcampSensorMetric, name, 0, metric},
                                 {MIB_dcampSensorCalculation, name, calculation, NULL}};
    assert_int_equal(node_set(node, binds, N_OF(binds)), SET_OK);
}

/* A file of which no sensor wants anything need not be there; a sensor that wants it later begins
 * with waiting, and has the difference of two passes, no more. */
static void only_what_is_wanted_is_read(void **state)
{
    struct node *node = *state;
    const struct source *kernel = &node->daemon->sampler->sources[SOURCE_KERNEL];
    const struct source *volumes = &node->daemon->sampler->sources[SOURCE_FILESYSTEM];
    tree_remove(&node->tree, "/proc/vmstat");
    add_sensor(node, "up", "kernel.uptime", CALC_BASIC);
    add_sensor(node, "used", "fs.used", CALC_BASIC);
    node_cycle(node, 0);
    assert_int_equal(series_of(node, "up", "total")->result.state, RESULT_VALID);
    assert_int_equal(kernel->fields, 1u << KERNEL_UPTIME);
    assert_int_equal(volumes->fields, 1u << FILESYSTEM_USED);
    assert_int_equal(node->daemon->sampler->sources[SOURCE_PROTOCOL].fields, SAMPLE_ALL_FIELDS);
    add_sensor(node, "used.percent", "fs.used", CALC_PERCENT);
    add_sensor(node, "faults", "vm.faults", CALC_RATE);
    for (int again = 0; again < 2; again++) {
        tree_write(&node->tree, "/proc/vmstat", again ? "pgfault 90000\n" : "pgfault 1000\n");
        node_cycle(node, 1000);
        assert_int_equal(series_of(node, "faults", "total")->result.state, RESULT_WAITING);
        tree_write(&node->tree, "/proc/vmstat", again ? "pgfault 90500\n" : "pgfault 1500\n");
        node_cycle(node, 1000);
        assert_int_equal((int)series_of(node, "faults", "total")->result.value, 500);
        assert_int_equal(volumes->fields, 1u << FILESYSTEM_USED | 1u << FILESYSTEM_USABLE);
        node_set_one(node, MIB_dcampSensorRowStatus, "faults", 2, NULL);
        tree_write(&node->tree, "/proc/vmstat", "pgfault 7\n");
        node_cycle(node, 1000);
        assert_int_equal(kernel->fields, 1u << KERNEL_UPTIME);
        node_set_one(node, MIB_dcampSensorRowStatus, "faults", 1, NULL);
    }
    assert_int_equal(series_of(node, "up", "total")->gaps, 0);
    assert_int_equal(node->daemon->self.sample_errors, 0);
}

/* -- Filters and reports ----------------------------------------------------------------------- */

#define ENTRIES_MAX 4000

struct entries {
    struct report_entry list[ENTRIES_MAX];
    size_t n;
};

static int add_entry(void *context, const struct report_entry *entry)
{
    struct entries *entries = context;
    if (entry->kind != REPORT_VALUE)
        return 0; /* windows: test_series_statistics */
    assert_true(entries->n < ENTRIES_MAX);
    entries->list[entries->n++] = *entry;
    return 0;
}

static void decode_all(struct node *node, struct entries *entries)
{
    uint32_t sequence = node->daemon->report.first;
    for (struct index_node *i = index_first(&node->daemon->report.index); i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        struct report_header header;
        const char *why = "";
        assert_int_equal(report_decode(block->bytes, block->len, &header, add_entry, entries, &why),
                         0);
        assert_int_equal(header.sequence, sequence++);
        assert_int_equal(header.boot, node->daemon->boot);
    }
    assert_int_equal(sequence, node->daemon->report.last + 1);
}

/* What a filter of its own lets pass of a sensor's series after a cycle. */
struct oracle {
    const char *sensor, *instance;
    struct filter_rule rule;
    struct filter_state state;
    uint64_t passed, held;
    uint64_t samples; /* of the series, at the last look */
};

static void expect(struct node *node, struct oracle *oracle, struct entries *expected)
{
    const struct series *series = series_of(node, oracle->sensor, oracle->instance);
    if (series->samples == oracle->samples)
        return;
    oracle->samples = series->samples;
    if (series->result.state == RESULT_WAITING)
        return;
    if (!filter_step(&oracle->rule, &oracle->state, &series->result, node->now.mono_ns)) {
        oracle->held++;
        return;
    }
    oracle->passed++;
    const struct report_entry entry = {.series = series->entry.number,
                                       .wall_ms = node->now.wall_ms,
                                       .kind = REPORT_VALUE,
                                       .result = series->result};
    add_entry(expected, &entry);
}

static int by_series_and_time(const void *a, const void *b)
{
    const struct report_entry *x = a, *y = b;
    if (x->series != y->series)
        return x->series < y->series ? -1 : 1;
    return (x->wall_ms > y->wall_ms) - (x->wall_ms < y->wall_ms);
}

static void assert_same_entries(struct entries *a, struct entries *b)
{
    assert_int_equal(a->n, b->n);
    qsort(a->list, a->n, sizeof *a->list, by_series_and_time);
    qsort(b->list, b->n, sizeof *b->list, by_series_and_time);
    for (size_t i = 0; i < a->n; i++) {
        assert_int_equal(by_series_and_time(&a->list[i], &b->list[i]), 0);
        assert_int_equal(a->list[i].result.state, b->list[i].result.state);
        assert_memory_equal(&a->list[i].result.value, &b->list[i].result.value, sizeof(double));
    }
}

/* Values that move a little, much, not at all, fall, and are not there. */
static void vary(struct node *node, unsigned *seed, uint64_t *bytes)
{
    char load[16];
    snprintf(load, sizeof load, "%d.%02d", rand_r(seed) % 4, rand_r(seed) % 100);
    int fate = rand_r(seed) % 12;
    if (fate == 0)
        tree_write(&node->tree, "/proc/loadavg", "");
    else
        node_load(node, load);
    *bytes = fate == 1 ? 0 : *bytes + (uint64_t)rand_r(seed) % 5000;
    eth0(node, *bytes);
}

static void blocks_hold_exactly_what_passed(void **state)
{
    struct node *node = *state;
    const struct filter_rule near = {.deadband = 1, .heartbeat_ms = 7000, .throttle_ms = 2000};
    struct oracle oracles[] = {{.sensor = "load", .instance = "total", .rule = near},
                               {.sensor = "load.all", .instance = "total"},
                               {.sensor = "load.beat", .instance = "total", .rule = near},
                               {.sensor = "rx", .instance = "eth0"},
                               {.sensor = "rx.2", .instance = "eth0"},
                               {.sensor = "rx.5", .instance = "eth0"}};
    struct entries *expected = calloc(1, sizeof *expected), *got = calloc(1, sizeof *got);
    unsigned seed = 20241121;
    uint64_t bytes = 0;
    for (int i = 0; i < 200; i++) {
        vary(node, &seed, &bytes);
        node_cycle(node, i ? 1000 : 0);
        for (size_t o = 0; o < N_OF(oracles); o++)
            expect(node, &oracles[o], expected);
    }
    decode_all(node, got);
    assert_same_entries(got, expected);
    for (size_t o = 0; o < N_OF(oracles); o++) {
        assert_int_equal(number_at(node, MIB_dcampSensorPassed, oracles[o].sensor, NULL),
                         oracles[o].passed);
        assert_int_equal(number_at(node, MIB_dcampSensorHeld, oracles[o].sensor, NULL),
                         oracles[o].held);
    }
    assert_true(oracles[0].passed > 20 && oracles[0].held > 20);
    assert_int_equal(oracles[1].held, 0);
    assert_int_equal(number_at(node, MIB_dcampFilterPassed, "near", NULL),
                     oracles[0].passed + oracles[2].passed);
    assert_int_equal(number_at(node, MIB_dcampFilterHeld, "near", NULL),
                     oracles[0].held + oracles[2].held);
    free(expected);
    free(got);
}

/* How often the blocks of this node say in this cycle that the series has ended. */
static size_t count_ends(struct node *node, uint32_t number)
{
    static struct entries got;
    size_t ends = 0;
    got.n = 0;
    decode_all(node, &got);
    for (const struct report_entry *entry = got.list; entry < got.list + got.n; entry++)
        ends += entry->series == number && entry->result.state == RESULT_UNAVAILABLE &&
                entry->wall_ms == node->now.wall_ms;
    return ends;
}

/* Whatever a filter holds back, and whatever state the series is in by then: who fetches the blocks
 * has nothing else to know it by. What was never reported nobody knows. */
static void ends_are_reported(void **state)
{
    struct node *node = *state;
    const struct interface lo = {"lo", 1};
    for (int i = 0; i < 3; i++) {
        eth0(node, 1000);
        node_cycle(node, 1000);
        if (i < 2)
            node_cycle(node, 1000); /* a rate needs two */
        struct series *series = series_of(node, "rx", "eth0");
        uint32_t number = series->entry.number;
        if (i == 1)
            series->result.state = RESULT_WAITING;
        node_network(node, &lo, 1);
        node_cycle(node, 1000);
        assert_int_equal(count_ends(node, number), i < 2);
    }
}

/* MIB: a filter that is not active holds nothing back. */
static void paused_filters_hold_nothing(void **state)
{
    struct node *node = *state;
    node_load(node, "1.00");
    node_cycle(node, 0);
    for (int i = 0; i < 3; i++)
        node_cycle(node, 1000);
    const struct sensor *sensor = measure_find(&node->daemon->measure, "load");
    assert_int_equal(sensor->passed, 1);
    assert_int_equal(sensor->held, 3);
    node_set_one(node, MIB_dcampFilterRowStatus, "near", 2, NULL);
    node_cycle(node, 1000);
    assert_int_equal(sensor->passed, 2);
    node_set_one(node, MIB_dcampFilterRowStatus, "near", 1, NULL);
    node_cycle(node, 1000);
    assert_int_equal(sensor->held, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(schedule),
        node_test(cycles_at_whole_multiples),
        node_test(late_and_missed_cycles_are_counted),
        node_test(a_changed_sensor_begins_anew_at_once),
        node_test(instances_come_and_go),
        node_test(destroyed_and_paused_sensors_lose_their_series),
        node_test(counter_resets_give_a_gap),
        node_test(source_that_disappears),
        node_test(field_that_is_missing),
        node_test(only_what_is_wanted_is_read),
        node_test(blocks_hold_exactly_what_passed),
        node_test(ends_are_reported),
        node_test(paused_filters_hold_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
