/* Aggregates over children: groupings, functions, what is missing, what comes and goes. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "captured.h"
#include "collector.h"
#include "heap.h"

/* -- Functions and groupings ----------------------------------------------------------------- */

/* a and b in group web, c in db. */
static void three_leaves(struct collector *collector, struct leaf *leaves[3])
{
    static const struct {
        const char *name, *group, *instance[2];
        double value[2];
    } all[] = {{"a", "web", {"eth0", "eth1"}, {1, 20}},
               {"b", "web", {"eth0", "eth2"}, {300, 4000}},
               {"c", "db", {"eth0", "eth1"}, {50000, 600000}}};
    for (size_t i = 0; i < 3; i++) {
        leaves[i] = collector_leaf(collector, all[i].name, all[i].group);
        for (size_t j = 0; j < 2; j++)
            leaf_value(leaves[i], "rx", all[i].instance[j], all[i].value[j]);
        leaf_value(leaves[i], "rx.errors", "eth0", 1e6); /* of another sensor */
        leaf_value(leaves[i], "load", "total", (double)i);
        leaf_answer(collector, leaves[i]);
    }
}

static void functions(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    static const struct {
        const char *function, *parameter, *unit;
        double value;
    } cases[] = {{"sum", "", "tasks", 654321},   {"avg", "", "tasks", 654321 / 6.0},
                 {"min", "", "tasks", 1},        {"max", "", "tasks", 600000},
                 {"count", "", "", 6},           {"stddev", "", "tasks", 220287.7267074057},
                 {"percentile", "0", "tasks", 1}};
    three_leaves(collector, leaves);
    for (size_t i = 0; i < N_OF(cases); i++)
        AGGREGATE(collector, cases[i].function, "sensor", "rx", "function", cases[i].function,
                  "parameter", cases[i].parameter);
    assert_int_equal(collector_step(collector, 0), N_OF(cases));
    for (size_t i = 0; i < N_OF(cases); i++) {
        check_row(collector, cases[i].function, "total", cases[i].value, 6, 6);
        const struct rollup_value *row = row_at(collector, cases[i].function, "total");
        assert_string_equal(row->entry.unit, cases[i].unit);
        assert_string_equal(row->entry.sensor, cases[i].function);
        assert_string_equal(row->entry.metric, "aggregate");
    }
    assert_int_equal(collector->begun, N_OF(cases));
    assert_int_equal(collector->valued, N_OF(cases));
}

static void groupings(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "group", "sensor", "rx", "function", "sum", "by", "group");
    AGGREGATE(collector, "instance", "sensor", "rx", "function", "sum", "by", "instance");
    AGGREGATE(collector, "child", "sensor", "rx", "function", "sum", "by", "child");
    collector_step(collector, 0);
    check_row(collector, "all", "total", 654321, 6, 6);
    check_row(collector, "group", "web", 4321, 4, 4);
    check_row(collector, "group", "db", 650000, 2, 2);
    check_row(collector, "instance", "eth0", 50301, 3, 3);
    check_row(collector, "instance", "eth1", 600020, 2, 2);
    check_row(collector, "instance", "eth2", 4000, 1, 1);
    check_row(collector, "child", "a", 21, 2, 2);
    check_row(collector, "child", "b", 4300, 2, 2);
    check_row(collector, "child", "c", 650000, 2, 2);
    assert_int_equal(n_values(collector, "all"), 1);
    assert_int_equal(n_values(collector, "group"), 2);
    assert_int_equal(n_values(collector, "instance"), 3);
    assert_int_equal(n_values(collector, "child"), 3);
    assert_int_equal(collector->aggregates.values.shown.count, 9);
    assert_int_equal(collector->publisher.dictionary.by_number.count, 9);
}

static void patterns(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    static const struct {
        const char *name, *field, *pattern;
        double value;
        uint32_t n;
    } cases[] = {{"some", "children", "a c", 650021, 4},  {"others", "children", "!a *", 654300, 4},
                 {"web", "groups", "w*", 4321, 4},        {"nobody", "groups", "x", NONE, 0},
                 {"eth0", "instances", "eth0", 50301, 3}, {"none", "instances", "lo", NONE, 0}};
    three_leaves(collector, leaves);
    for (size_t i = 0; i < N_OF(cases); i++)
        AGGREGATE(collector, cases[i].name, "sensor", "rx", "function", "sum", cases[i].field,
                  cases[i].pattern);
    collector_step(collector, 0);
    for (size_t i = 0; i < N_OF(cases); i++)
        check_row(collector, cases[i].name, "total", cases[i].value, cases[i].n, cases[i].n);
}

/* Names that one begins with are others, and so are those between. */
static void names_that_begin_alike(void **state)
{
    struct collector *collector = *state;
    static const char *const names[] = {"a", "aa", "a.b", "ab"};
    for (size_t i = 0; i < N_OF(names); i++) {
        struct leaf *leaf = collector_leaf(collector, names[i], "default");
        for (size_t j = 0; j < N_OF(names); j++)
            leaf_value(leaf, names[j], "total", pow(10, (double)j));
        leaf_answer(collector, leaf);
    }
    for (size_t j = 0; j < N_OF(names); j++)
        AGGREGATE(collector, names[j], "sensor", names[j], "function", "sum");
    collector_step(collector, 0);
    for (size_t j = 0; j < N_OF(names); j++)
        check_row(collector, names[j], "total", 4 * pow(10, (double)j), 4, 4);
}

/* -- What is missing ------------------------------------------------------------------------- */

static void a_child_that_is_lost(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "child", "sensor", "rx", "function", "count", "by", "child");
    collector_step(collector, 0);
    leaf_silent(collector, leaves[1], 1); /* late: what it said still counts */
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 654321, 6, 6);
    leaf_silent(collector, leaves[1], 2);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 650021, 6, 4);
    check_row(collector, "child", "b", NONE, 2, 0);
    assert_int_equal(row_at(collector, "child", "b")->result.state, RESULT_UNAVAILABLE);
    leaf_silent(collector, leaves[0], 3);
    leaf_silent(collector, leaves[2], 3);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", NONE, 6, 0);
    leaf_says(collector, leaves[1], "rx", "eth0", 299);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 4299, 6, 2);
    check_row(collector, "child", "b", 2, 2, 2);
    assert_int_equal(row_at(collector, "all", "total")->oldest_ms, 20000);
}

static void values_that_are_missing(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaf = collector_leaf(collector, "a", "default");
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "instance", "sensor", "rx", "function", "avg", "by", "instance");
    leaf_value(leaf, "rx", "eth0", NONE);
    leaf_says(collector, leaf, "rx", "eth1", 0);
    collector_step(collector, 0);
    check_row(collector, "all", "total", 0, 2, 1);
    check_row(collector, "instance", "eth0", NONE, 1, 0);
    check_row(collector, "instance", "eth1", 0, 1, 1);
    leaf_says(collector, leaf, "rx", "eth0", 4);
    leaf_says(collector, leaf, "rx", "eth1", 1e141); /* more than statistics take */
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 4, 2, 1);
    check_row(collector, "instance", "eth1", NONE, 1, 0);
}

/* One that was never heard of is missing; one that is there and has no such sensor is not. */
static void children_without_series(void **state)
{
    struct collector *collector = *state;
    struct leaf *here = collector_leaf(collector, "here", "web");
    struct leaf *never = collector_leaf(collector, "never", "db");
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "group", "sensor", "rx", "function", "sum", "by", "group");
    AGGREGATE(collector, "instance", "sensor", "rx", "function", "sum", "by", "instance");
    AGGREGATE(collector, "child", "sensor", "rx", "function", "sum", "by", "child");
    leaf_says(collector, here, "rx", "eth0", 3);
    collector_step(collector, 0);
    check_row(collector, "all", "total", 3, 2, 1);
    check_row(collector, "group", "web", 3, 1, 1);
    check_row(collector, "group", "db", NONE, 1, 0);
    check_row(collector, "instance", "eth0", 3, 2, 1); /* it may have one */
    check_row(collector, "child", "never", NONE, 1, 0);
    leaf_says(collector, never, "load", "total", 1);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 3, 1, 1);
    assert_null(row_at(collector, "group", "db"));
    assert_null(row_at(collector, "child", "never"));
    check_row(collector, "instance", "eth0", 3, 1, 1);
    leaf_silent(collector, never, 3);
    collector_step(collector, 5000);
    check_row(collector, "group", "db", NONE, 1, 0);
    check_row(collector, "all", "total", 3, 2, 1);
    assert_int_equal(collector->begun - collector->ended, collector->aggregates.values.shown.count);
}

/* -- What comes and goes --------------------------------------------------------------------- */

static void series_that_come_and_go(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    struct child *child = child_of(collector, leaves[1]);
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "instance", "sensor", "rx", "function", "sum", "by", "instance");
    collector_step(collector, 0);
    uint32_t number = row_at(collector, "instance", "eth1")->entry.number;
    leaf_says(collector, leaves[1], "rx", "eth1", 7000000);
    collector_step(collector, 5000);
    check_row(collector, "instance", "eth1", 7600020, 3, 3);
    check_row(collector, "all", "total", 7654321, 7, 7);
    assert_int_equal(row_at(collector, "instance", "eth1")->entry.number, number);
    polled_name(collector->polled, child, leaf_number(leaves[1], "rx", "eth2"), NULL, NULL);
    collector_step(collector, 5000);
    assert_null(row_at(collector, "instance", "eth2"));
    check_row(collector, "all", "total", 7650321, 6, 6);
    assert_int_equal(collector->publisher.dictionary.by_number.count, 3);
    assert_int_equal(collector->ended, 1);
}

static void children_that_come_and_go(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "group", "sensor", "rx", "function", "sum", "by", "group");
    collector_step(collector, 0);
    struct config *config = collector->polled->config;
    struct row *row = config_find(config, ROW_CHILD, "c");
    config_remove(config, row);
    row_free(row);
    collector_sync(collector);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 4321, 4, 4);
    assert_null(row_at(collector, "group", "db"));
    leaf_says(collector, collector_leaf(collector, "d", "web"), "rx", "eth0", 9);
    collector_step(collector, 5000);
    check_row(collector, "group", "web", 4330, 5, 5);
    for (size_t i = 0; i < 2; i++) {
        row = config_find(config, ROW_CHILD, leaves[i]->name);
        row->status = ROW_NOT_IN_SERVICE;
    }
    collector_sync(collector);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 9, 1, 1);
}

/* Not even the parent is told of what the configuration of every node has. */
static void no_children(void **state)
{
    struct collector *collector = *state;
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    AGGREGATE(collector, "child", "sensor", "rx", "function", "sum", "by", "child");
    assert_int_equal(collector_step(collector, 0), 2);
    assert_null(row_at(collector, "all", "total"));
    assert_int_equal(collector->publisher.dictionary.by_number.count, 0);
    struct leaf *only = collector_leaf(collector, "only", "web");
    collector_step(collector, 5000);
    check_row(collector, "all", "total", NONE, 1, 0);
    leaf_says(collector, only, "rx", "eth0", 9);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 9, 1, 1);
    config_find(collector->polled->config, ROW_CHILD, "only")->status = ROW_NOT_IN_SERVICE;
    collector_sync(collector);
    collector_step(collector, 5000);
    assert_null(row_at(collector, "all", "total"));
    assert_int_equal(collector->publisher.dictionary.by_number.count, 0);
    assert_int_equal(collector->begun, collector->ended);
}

/* A child that starts again has its series to tell again. */
static void a_child_that_starts_again(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    collector_step(collector, 0);
    struct report_ring *ring = ring_new(8);
    struct child *child = child_of(collector, leaves[2]);
    polled_answer(collector->polled, child, 8, NULL, 1);
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 4321, 6, 4);
    ring_value(ring, 1, 5);
    polled_answer(collector->polled, child, 8, ring, 1);
    polled_name(collector->polled, child, 1, "rx", "eth1");
    collector_step(collector, 5000);
    check_row(collector, "all", "total", 4326, 6, 5);
    ring_free(ring);
}

/* -- Top and share --------------------------------------------------------------------------- */

static void top(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    AGGREGATE(collector, "top", "sensor", "rx", "function", "top", "parameter", "2");
    collector_step(collector, 0);
    check_row(collector, "top", "c/eth1", 600000, 6, 6);
    check_row(collector, "top", "c/eth0", 50000, 6, 6);
    assert_int_equal(n_values(collector, "top"), 2);
    uint32_t number = row_at(collector, "top", "c/eth0")->entry.number;
    leaf_says(collector, leaves[0], "rx", "eth1", 999999);
    collector_step(collector, 5000);
    check_row(collector, "top", "a/eth1", 999999, 6, 6);
    assert_null(row_at(collector, "top", "c/eth0"));
    leaf_silent(collector, leaves[0], 3);
    collector_step(collector, 5000);
    check_row(collector, "top", "c/eth0", 50000, 6, 4);
    assert_int_equal(row_at(collector, "top", "c/eth0")->entry.number, number);
    assert_int_equal(n_values(collector, "top"), 2);
    assert_int_equal(collector->begun, 4);
    assert_int_equal(collector->ended, 2);
}

static void top_of_each_group(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    three_leaves(collector, leaves);
    AGGREGATE(collector, "group", "sensor", "rx", "function", "top", "parameter", "1", "by",
              "group");
    AGGREGATE(collector, "instance", "sensor", "rx", "function", "top", "parameter", "1", "by",
              "instance");
    AGGREGATE(collector, "many", "sensor", "rx", "function", "top", "parameter", "100");
    collector_step(collector, 0);
    check_row(collector, "group", "b/eth2", 4000, 4, 4);
    check_row(collector, "group", "c/eth1", 600000, 2, 2);
    assert_int_equal(n_values(collector, "group"), 2);
    check_row(collector, "instance", "c/eth0", 50000, 3, 3);
    check_row(collector, "instance", "c/eth1", 600000, 2, 2);
    check_row(collector, "instance", "b/eth2", 4000, 1, 1);
    assert_int_equal(n_values(collector, "instance"), 3);
    assert_int_equal(n_values(collector, "many"), 6);
}

static void share(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaf = collector_leaf(collector, "a", "default");
    AGGREGATE(collector, "share", "sensor", "rx", "function", "share");
    leaf_value(leaf, "rx", "eth0", 1);
    leaf_value(leaf, "rx", "eth1", 3);
    leaf_says(collector, leaf, "rx", "eth2", NONE);
    collector_step(collector, 0);
    check_row(collector, "share", "a/eth0", 25, 3, 2);
    check_row(collector, "share", "a/eth1", 75, 3, 2);
    check_row(collector, "share", "a/eth2", NONE, 3, 2);
    assert_string_equal(row_at(collector, "share", "a/eth0")->entry.unit, "%");
    leaf_value(leaf, "rx", "eth0", 0);
    leaf_says(collector, leaf, "rx", "eth1", 0); /* of nothing there is no share */
    collector_step(collector, 5000);
    check_row(collector, "share", "a/eth0", NONE, 3, 2);
}

/* 64 octets hold no more than the end; of two that end alike the first one has it. */
static void long_names(void **state)
{
    struct collector *collector = *state;
    char instance[INSTANCE_SIZE], expected[2 * INSTANCE_SIZE];
    struct leaf *leaf = collector_leaf(collector, "a.name.of.thirty-two.octets.long", "default");
    struct leaf *other = collector_leaf(collector, "b.name.of.thirty-two.octets.long", "default");
    memset(instance, 'x', 40);
    snprintf(instance + 40, sizeof instance - 40, "0");
    snprintf(expected, sizeof expected, "~%s/%s", leaf->name + 11, instance);
    assert_int_equal(strlen(expected), 64);
    AGGREGATE(collector, "share", "sensor", "rx", "function", "share");
    leaf_says(collector, leaf, "rx", instance, 1);
    leaf_says(collector, other, "rx", instance, 3);
    collector_step(collector, 0);
    assert_int_equal(n_values(collector, "share"), 1);
    check_row(collector, "share", expected, 25, 2, 2);
}

/* -- When ------------------------------------------------------------------------------------ */

static void due_at_whole_multiples(void **state)
{
    struct collector *collector = *state;
    const struct aggregates *aggregates = &collector->aggregates;
    assert_true(aggregates_due(aggregates) == UINT64_MAX);
    assert_int_equal(collector_step(collector, 1), 0);
    polled_wait(collector->polled, 1234);
    AGGREGATE(collector, "slow", "sensor", "rx", "function", "sum", "interval", "5s");
    AGGREGATE(collector, "fast", "sensor", "rx", "function", "sum", "interval", "2s");
    assert_true(aggregates_due(aggregates) == collector->polled->now.mono_ns);
    assert_int_equal(collector_step(collector, 0), 2);
    assert_true(aggregates_due(aggregates) == 1002 * NS_PER_S);
    assert_int_equal(collector_step(collector, 764), 0);
    assert_int_equal(collector_step(collector, 1), 1);
    assert_true(aggregates_due(aggregates) == 1004 * NS_PER_S);
    assert_int_equal(collector_step(collector, 3000), 2);
    assert_true(aggregates_due(aggregates) == 1006 * NS_PER_S);
    assert_int_equal(collector_step(collector, 3600000), 2);
    assert_true(aggregates_due(aggregates) == 4606 * NS_PER_S);
}

static void a_changed_row_begins_anew(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaves[3];
    static const char *const changes[][2] = {
        {"sensor", "load"}, {"function", "max"}, {"by", "child"},     {"children", "a b"},
        {"groups", "web"},  {"interval", "1s"},  {"instances", "t*"}, {"function", "top"}};
    three_leaves(collector, leaves);
    struct row *row = AGGREGATE(collector, "all", "sensor", "rx", "function", "sum");
    collector_step(collector, 0);
    uint32_t number = row_at(collector, "all", "total")->entry.number;
    polled_set(row, "filter", "none");
    collector_sync(collector);
    assert_int_equal(row_at(collector, "all", "total")->entry.number, number);
    for (size_t i = 0; i < N_OF(changes); i++) {
        polled_set(row, changes[i][0], changes[i][1]);
        if (strcmp(changes[i][1], "top") == 0)
            polled_set(row, "parameter", "1");
        collector_sync(collector);
        assert_int_equal(collector->aggregates.values.shown.count, 0);
        assert_int_equal(collector->publisher.dictionary.by_number.count, 0);
        assert_int_equal(collector_step(collector, 1), 1);
        assert_true(collector->aggregates.values.shown.count > 0);
    }
    check_row(collector, "all", "b/total", 1, 1, 1);
    row->status = ROW_NOT_IN_SERVICE;
    collector_sync(collector);
    assert_int_equal(collector->aggregates.index.count, 0);
    assert_int_equal(collector_step(collector, 10000), 0);
    assert_int_equal(collector->begun, collector->ended);
}

static unsigned lines_of(FILE *file, const char *what)
{
    char line[512];
    unsigned n = 0;
    rewind(file);
    while (fgets(line, sizeof line, file))
        n += strstr(line, what) != NULL;
    return n;
}

/* A line for each row that says so, not one for each at every change of the configuration. */
static void a_name_that_is_taken_is_said_once(void **state)
{
    struct collector *collector = *state;
    const struct config *config = collector->polled->config;
    FILE *log = tmpfile();
    int standard = dup(STDERR_FILENO);
    struct row *sensor = row_new(ROW_SENSOR, "all");
    polled_set(sensor, "metric", "cpu.busy");
    sensor->status = ROW_ACTIVE;
    assert_true(config_add(collector->polled->config, sensor));
    measure_sync(&collector->measure, config, collector->polled->now);
    dup2(fileno(log), STDERR_FILENO);
    struct row *row = AGGREGATE(collector, "all", "sensor", "load", "function", "sum");
    for (int i = 0; i < 3; i++)
        collector_sync(collector);
    config_remove(collector->polled->config, row);
    assert_true(config_add(collector->polled->config, row));
    collector_sync(collector);
    fflush(stderr);
    dup2(standard, STDERR_FILENO);
    close(standard);
    assert_int_equal(lines_of(log, "aggregate all is not computed"), 2);
    fclose(log);
}

/* The same of one that was computed until a sensor got its name. */
static void a_name_that_is_taken_later(void **state)
{
    struct collector *collector = *state;
    struct config *config = collector->polled->config;
    leaf_says(collector, collector_leaf(collector, "a", "web"), "load", "total", 5);
    AGGREGATE(collector, "all", "sensor", "load", "function", "sum");
    collector_step(collector, 0);
    check_row(collector, "all", "total", 5, 1, 1);
    struct row *sensor = row_new(ROW_SENSOR, "all");
    polled_set(sensor, "metric", "cpu.busy");
    sensor->status = ROW_ACTIVE;
    assert_true(config_add(config, sensor));
    measure_sync(&collector->measure, config, collector->polled->now);
    char text[CAPTURED_SIZE];
    struct captured captured = captured_begin();
    for (int i = 0; i < 3; i++)
        collector_sync(collector);
    captured_end(&captured, text);
    const char *said = strstr(text, "aggregate all is not computed: a sensor has the same name");
    assert_non_null(said);
    assert_null(strstr(said + 1, "aggregate all"));
    assert_int_equal(collector->aggregates.index.count, 0);
    assert_int_equal(collector->begun, collector->ended);
}

/* A parent asks for an entry of the dictionary once: it must not get one without the unit. */
static void units_that_come_late(void **state)
{
    struct collector *collector = *state;
    struct leaf *leaf = collector_leaf(collector, "a", "web");
    AGGREGATE(collector, "sum", "sensor", "rx", "function", "sum");
    collector_step(collector, 0);
    const struct rollup_value *row = row_at(collector, "sum", "total");
    uint32_t early = row->entry.number;
    assert_string_equal(row->entry.unit, "");
    leaf_says(collector, leaf, "rx", "eth0", 5);
    collector_step(collector, 5000);
    check_row(collector, "sum", "total", 5, 1, 1);
    row = row_at(collector, "sum", "total");
    uint32_t number = row->entry.number;
    assert_string_equal(row->entry.unit, "tasks");
    assert_int_not_equal(number, early);
    leaf_says(collector, leaf, "rx", "eth1", 6);
    collector_step(collector, 5000);
    assert_int_equal(row_at(collector, "sum", "total")->entry.number, number);
    assert_int_equal(collector->publisher.dictionary.by_number.count, 1);
    assert_int_equal(collector->ended, 0);
}

static void play_functions(void)
{
    static const char *const functions[] = {"percentile", "stddev", "top", "share"};
    void *state;
    struct leaf *leaves[3];
    collector_setup(&state);
    struct collector *collector = state;
    three_leaves(collector, leaves);
    for (size_t i = 0; i < N_OF(functions); i++)
        AGGREGATE(collector, functions[i], "sensor", "rx", "function", functions[i], "by", "group",
                  "parameter",
                  i == 0   ? "50"
                  : i == 2 ? "2"
                           : "");
    collector_step(collector, 0);
    leaf_says(collector, leaves[0], "rx", "eth7", 5); /* all is matched again */
    collector_step(collector, 5000);
    collector_teardown(&state);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play_functions);
}

/* -- Windows ----------------------------------------------------------------------------------- */

/* The window of a child has the values from one on. */
static void window_of(struct leaf *leaf, int from, int n, int64_t wall_ms)
{
    struct statistics_window window = {0};
    for (int i = 0; i < n; i++)
        assert_int_equal(statistics_window_add(&window, from + i), 0);
    assert_int_equal(
        report_add_window(leaf->ring, leaf_number(leaf, "rx", "eth0"), wall_ms, 10000, &window), 0);
    statistics_window_release(&window);
}

static void windows(struct collector *collector)
{
    AGGREGATE(collector, "avg", "sensor", "rx", "function", "avg", "source", "window");
    AGGREGATE(collector, "sum", "sensor", "rx", "function", "sum", "source", "window");
    AGGREGATE(collector, "p50", "sensor", "rx", "function", "percentile", "parameter", "50",
              "source", "window");
    AGGREGATE(collector, "of.values", "sensor", "rx", "function", "avg");
}

/* All values count, however many a child has, and what is missing is a window. */
static void all_values_in_windows(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x"), *b = collector_leaf(collector, "b", "x");
    windows(collector);
    leaf_value(a, "rx", "eth0", 1000);
    leaf_value(b, "rx", "eth0", 2000);
    leaf_answer(collector, a);
    leaf_answer(collector, b);
    collector_step(collector, 5000);
    check_row(collector, "avg", "total", NONE, 2, 0);
    window_of(a, 1, 99, 1700000000000);
    window_of(b, 100, 1, 1700000000000);
    leaf_answer(collector, a);
    collector_step(collector, 5000);
    check_row(collector, "avg", "total", 50, 100, 99);
    check_row(collector, "of.values", "total", 1500, 2, 2);
    leaf_answer(collector, b);
    collector_step(collector, 5000);
    check_row(collector, "avg", "total", 50.5, 100, 100);
    check_row(collector, "sum", "total", 5050, 100, 100);
    double p50 = row_at(collector, "p50", "total")->result.value;
    assert_true(p50 >= 50 * 0.99 && p50 <= 51 * 1.01);
}

/* A window is of the present until the next but one should have come, or its child is lost. */
static void windows_that_are_old(void **state)
{
    struct collector *collector = *state;
    struct leaf *a = collector_leaf(collector, "a", "x"), *b = collector_leaf(collector, "b", "x");
    windows(collector);
    window_of(a, 1, 10, 1700000000000);
    window_of(b, 1, 20, 1700000000000);
    leaf_answer(collector, a);
    leaf_answer(collector, b);
    collector_step(collector, 20000);
    check_row(collector, "sum", "total", 55 + 210, 30, 30);
    window_of(b, 1, 3, 1700000010000);
    leaf_answer(collector, b);
    collector_step(collector, 20000);
    check_row(collector, "sum", "total", 6, 4, 3);
    leaf_silent(collector, b, 3);
    collector_step(collector, 5000);
    check_row(collector, "sum", "total", NONE, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        collector_test(functions),
        collector_test(groupings),
        collector_test(patterns),
        collector_test(names_that_begin_alike),
        collector_test(a_child_that_is_lost),
        collector_test(values_that_are_missing),
        collector_test(children_without_series),
        collector_test(series_that_come_and_go),
        collector_test(children_that_come_and_go),
        collector_test(no_children),
        collector_test(a_child_that_starts_again),
        collector_test(top),
        collector_test(top_of_each_group),
        collector_test(share),
        collector_test(long_names),
        collector_test(due_at_whole_multiples),
        collector_test(a_changed_row_begins_anew),
        collector_test(a_name_that_is_taken_is_said_once),
        collector_test(a_name_that_is_taken_later),
        collector_test(units_that_come_late),
        collector_test(all_values_in_windows),
        collector_test(windows_that_are_old),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
