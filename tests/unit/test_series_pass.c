/* One pass over a sample that the test makes: which instances become series, when they begin and
 * end, and why one has no value. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "calculate/histogram.h"
#include "metric/field.h"
#include "series/measure.h"

#include "unit.h"

#define N_SLOTS 4

/* The publisher has no report, and nobody watches. */
struct scene {
    struct config *config;
    struct publisher publisher;
    struct measure measure;
    struct sample_slot slots[N_SLOTS];
    struct sample_set set;
    struct moment now;
};

static int setup(void **state)
{
    static struct scene scene;
    scene = (struct scene){.config = config_new(), .now = {NS_PER_S, 1700000000000}};
    assert_non_null(scene.config);
    dictionary_open(&scene.publisher.dictionary);
    measure_open(&scene.measure, &scene.publisher);
    scene.set = (struct sample_set){.slots = scene.slots, .membership = 1};
    *state = &scene;
    return 0;
}

static int teardown(void **state)
{
    struct scene *scene = *state;
    measure_close(&scene->measure);
    assert_int_equal(scene->publisher.dictionary.by_number.count, 0);
    dictionary_close(&scene->publisher.dictionary);
    config_free(scene->config);
    return 0;
}

static struct sensor *sensor_of(struct scene *scene, const char *name, const char *field,
                                const char *text)
{
    struct row *row = row_new(ROW_SENSOR, name);
    assert_int_equal(field_set_text(row, row_field(ROW_SENSOR, field), text, strlen(text)),
                     FIELD_OK);
    row->status = ROW_ACTIVE;
    assert_true(config_add(scene->config, row));
    assert_true(measure_sync(&scene->measure, scene->config, scene->now));
    return measure_find(&scene->measure, name);
}

static struct sample_slot *put(struct scene *scene, const char *name, enum resource_class class)
{
    struct sample_slot *slot = &scene->slots[scene->set.count++];
    assert_true(scene->set.count <= N_SLOTS);
    *slot = (struct sample_slot){
        .class = class, .present = true, .incarnation = 1, .valid = UINT32_MAX};
    snprintf(slot->name, sizeof slot->name, "%s", name);
    return slot;
}

static void pass(struct scene *scene, struct sensor *sensor)
{
    scene->now.mono_ns += NS_PER_S;
    scene->now.wall_ms += 1000;
    scene->set.taken_ns = scene->now.mono_ns;
    sensor_pass(&scene->measure, sensor, &scene->set, scene->now);
}

static const struct series *series_of(struct scene *scene, const char *sensor, const char *instance)
{
    return measure_series(&scene->measure, sensor, instance);
}

/* A metric is of some classes of instances, and some instances lack it. */
static void which_instances(void **state)
{
    struct scene *scene = *state;
    struct sensor *started = sensor_of(scene, "started", "metric", "proc.started");
    struct sensor *count = sensor_of(scene, "count", "metric", "proc.count");
    put(scene, "app", RESOURCE_PROGRAM);
    put(scene, "app/10", RESOURCE_PROCESS);
    put(scene, "old", RESOURCE_PROGRAM)->present = false;
    put(scene, "few", RESOURCE_PROGRAM)->lacks = 1u << PROCESS_COUNT;
    pass(scene, started);
    pass(scene, count);
    assert_int_equal(started->n_series, 2);
    assert_non_null(series_of(scene, "started", "app"));
    assert_non_null(series_of(scene, "started", "few"));
    assert_null(series_of(scene, "started", "app/10"));
    assert_null(series_of(scene, "count", "few"));
    assert_non_null(series_of(scene, "count", "app/10"));
    assert_null(series_of(scene, "count", "old"));
}

/* They are looked through again when some have come or gone, and a place that was given to another
 * instance, if of the same name, is another series. */
static void instances_that_come_and_go(void **state)
{
    struct scene *scene = *state;
    struct sensor *sensor = sensor_of(scene, "rss", "metric", "proc.rss");
    put(scene, "a", RESOURCE_PROGRAM);
    pass(scene, sensor);
    uint32_t number = series_of(scene, "rss", "a")->entry.number;
    put(scene, "b", RESOURCE_PROGRAM);
    pass(scene, sensor);
    assert_null(series_of(scene, "rss", "b")); /* the set does not say so */
    scene->set.membership++;
    pass(scene, sensor);
    assert_non_null(series_of(scene, "rss", "b"));
    assert_int_equal(series_of(scene, "rss", "a")->entry.number, number);
    scene->slots[0].incarnation++;
    scene->set.membership++;
    pass(scene, sensor);
    assert_int_not_equal(series_of(scene, "rss", "a")->entry.number, number);
    assert_int_equal(series_of(scene, "rss", "a")->samples, 1);
    assert_int_equal(series_of(scene, "rss", "b")->samples, 2);
    scene->set.error = EIO;
    scene->slots[0].present = false;
    scene->set.membership++;
    pass(scene, sensor);
    assert_int_equal(sensor->error, EIO);
    assert_int_equal(series_of(scene, "rss", "a")->result.state, RESULT_UNAVAILABLE);
    scene->set.error = 0;
    pass(scene, sensor);
    assert_int_equal(sensor->error, 0);
    assert_null(series_of(scene, "rss", "a"));
    assert_int_equal(sensor->n_series, 1);
}

/* dcampSensorError says it in words: what the user may not see, what has not run, what is a part of
 * nothing, and what the kernel does not give. */
static void why_there_is_no_value(void **state)
{
    static const struct {
        const char *metric;
        uint32_t valid;
        bool refused, unborn;
        enum result_state state;
        enum series_lack lack; /* while it is unavailable */
    } rows[] = {
        {"proc.rss", UINT32_MAX, false, false, RESULT_VALID, 0},
        {"proc.rss", UINT32_MAX, true, false, RESULT_VALID, 0},
        {"proc.rss", 0, false, false, RESULT_UNAVAILABLE, LACK_VALUE},
        {"proc.rss", 0, true, false, RESULT_UNAVAILABLE, LACK_VALUE},
        {"proc.rss", UINT32_MAX, false, true, RESULT_UNAVAILABLE, LACK_PROCESS},
        {"proc.rss", 0, true, true, RESULT_UNAVAILABLE, LACK_PROCESS},
        {"proc.count", UINT32_MAX, false, true, RESULT_VALID, 0},
        {"proc.started", UINT32_MAX, false, true, RESULT_VALID, 0},
        {"proc.io.read.bytes", UINT32_MAX, true, false, RESULT_VALID, 0},
        {"proc.io.read.bytes", 0, true, false, RESULT_UNAVAILABLE, LACK_RIGHT},
        {"proc.io.read.bytes", 0, false, false, RESULT_UNAVAILABLE, LACK_VALUE},
        {"proc.io.write.bytes", 0, true, false, RESULT_UNAVAILABLE, LACK_RIGHT},
        {"proc.io.write.bytes", ~(1u << PROCESS_IO_WRITE), true, false, RESULT_UNAVAILABLE,
         LACK_RIGHT},
        {"proc.io.write.bytes", 1u << PROCESS_IO_WRITE, true, false, RESULT_VALID, 0},
    };
    struct scene *scene = *state;
    put(scene, "app", RESOURCE_PROGRAM);
    for (size_t i = 0; i < N_OF(rows); i++) {
        char name[16];
        snprintf(name, sizeof name, "s%zu", i);
        struct sensor *sensor = sensor_of(scene, name, "metric", rows[i].metric);
        scene->slots[0].valid = rows[i].valid;
        scene->slots[0].refused = rows[i].refused;
        scene->slots[0].unborn = rows[i].unborn;
        pass(scene, sensor);
        const struct series *series = series_of(scene, name, "app");
        assert_non_null(series);
        if (series->result.state != rows[i].state || series->lack != rows[i].lack)
            fail_msg("row %zu: state %d, lack %d", i, series->result.state, series->lack);
    }
}

/* The value is there, but what it is to be a part of is 0. */
static void a_part_of_nothing(void **state)
{
    struct scene *scene = *state;
    struct sensor *sensor = sensor_of(scene, "swap", "metric", "swap.used");
    struct row *row = config_find(scene->config, ROW_SENSOR, "swap");
    assert_int_equal(field_set_text(row, row_field(ROW_SENSOR, "calculation"), "percent", 7),
                     FIELD_OK);
    row->version++;
    assert_true(measure_sync(&scene->measure, scene->config, scene->now));
    sensor = measure_find(&scene->measure, "swap");
    struct sample_slot *slot = put(scene, "total", RESOURCE_NODE);
    pass(scene, sensor);
    assert_int_equal(series_of(scene, "swap", "total")->result.state, RESULT_UNAVAILABLE);
    assert_int_equal(series_of(scene, "swap", "total")->lack, LACK_BASE);
    slot->field[sensor->metric->base_field] = 200;
    slot->field[sensor->metric->field] = 50;
    pass(scene, sensor);
    assert_int_equal(series_of(scene, "swap", "total")->result.state, RESULT_VALID);
    assert_true(series_of(scene, "swap", "total")->result.value == 25);
    slot->valid = ~(1u << sensor->metric->base_field);
    pass(scene, sensor);
    assert_int_equal(series_of(scene, "swap", "total")->lack, LACK_VALUE);
}

/* What passes the filter of a sensor that pushes does not wait for the parent to ask. */
static void what_is_pushed(void **state)
{
    struct scene *scene = *state;
    struct report_ring ring;
    assert_int_equal(report_open(&ring, 7, 100, 1200), 0);
    scene->publisher.report = &ring;
    struct sensor *waits = sensor_of(scene, "waits", "metric", "load.1");
    struct sensor *pushes = sensor_of(scene, "pushes", "metric", "load.1");
    struct row *row = config_find(scene->config, ROW_SENSOR, "pushes");
    assert_int_equal(field_set_text(row, row_field(ROW_SENSOR, "report"), "push", 4), FIELD_OK);
    row->version++;
    assert_true(measure_sync(&scene->measure, scene->config, scene->now));
    assert_ptr_equal(measure_find(&scene->measure, "pushes"), pushes);
    put(scene, "total", RESOURCE_NODE);
    pass(scene, waits);
    assert_false(ring.urgent);
    pass(scene, pushes);
    assert_true(ring.urgent);
    scene->publisher.report = NULL;
    report_close(&ring);
}

/* Of all that has a number, who looks for the series of a sensor is told of those. */
static struct {
    bool wanted;
    unsigned n;
    struct series_ref last;
} looked;

static bool wants_this_node(const struct series_query *query, const char *node, const char *group)
{
    (void)query;
    assert_null(node);
    assert_null(group);
    return looked.wanted;
}

static void found_one(const struct series_query *query, struct series_ref series)
{
    (void)query;
    looked.n++;
    looked.last = series;
}

static void who_looks_for_series(void **state)
{
    static const struct {
        const char *sensor;
        bool wanted;
        unsigned n;
    } rows[] = {{"one", true, 1}, {"two", true, 2},  {"two", false, 0},
                {"on", true, 0},  {"none", true, 0}, {"one.more", true, 0}};
    struct scene *scene = *state;
    const struct series_producer producer = measure_producer(&scene->measure);
    put(scene, "a", RESOURCE_PROGRAM);
    put(scene, "b", RESOURCE_PROGRAM);
    pass(scene, sensor_of(scene, "two", "metric", "proc.rss"));
    scene->slots[1].present = false;
    pass(scene, sensor_of(scene, "one", "metric", "proc.rss"));
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct series_query query = {
            .sensor = rows[i].sensor, .wants = wants_this_node, .found = found_one};
        looked.wanted = rows[i].wanted;
        looked.n = 0;
        producer.find(producer.context, &query);
        assert_int_equal(looked.n, rows[i].n);
        if (looked.n) {
            const struct series_view view = looked.last.type->view(looked.last.series);
            assert_string_equal(view.sensor, rows[i].sensor);
        }
    }
}

/* While the source of a sensor cannot be read, its series may come yet: on this node. */
static void series_that_may_come(void **state)
{
    static const struct {
        const char *sensor, *node;
        int error;
        bool may;
    } rows[] = {{"rss", NULL, 0, false},
                {"rss", NULL, EIO, true},
                {"rss", "child", EIO, false},
                {"none", NULL, EIO, false},
                {"none", "child", EIO, false}};
    struct scene *scene = *state;
    const struct series_producer producer = measure_producer(&scene->measure);
    struct sensor *sensor = sensor_of(scene, "rss", "metric", "proc.rss");
    for (size_t i = 0; i < N_OF(rows); i++) {
        const struct series_query query = {.sensor = rows[i].sensor};
        scene->set.error = rows[i].error;
        pass(scene, sensor);
        assert_int_equal(producer.may_come(producer.context, &query, rows[i].node, scene->now),
                         rows[i].may);
    }
}

/* Which sources are read, and which instances and fields of them. */
static void what_is_due(void **state)
{
    struct scene *scene = *state;
    const struct measure *measure = &scene->measure;
    assert_int_equal(measure_sources(measure, UINT64_MAX - 1), 0);
    assert_true(measure_due(measure) == UINT64_MAX);
    struct sensor *load = sensor_of(scene, "load", "metric", "load.1");
    struct sensor *rss = sensor_of(scene, "rss", "metric", "proc.rss");
    struct sensor *twice = sensor_of(scene, "twice", "expression", "2 * load");
    assert_int_equal(measure_sources(measure, NS_PER_S - 1), 0);
    assert_int_equal(measure_sources(measure, NS_PER_S), 1u << SOURCE_LOAD | 1u << SOURCE_PROCESS);
    load->due_ns = 7 * NS_PER_S;
    rss->due_ns = 5 * NS_PER_S;
    twice->due_ns = 3 * NS_PER_S;
    measure_plan(&scene->measure);
    assert_int_equal(measure_due(measure), 3 * NS_PER_S);
    assert_int_equal(measure_sources(measure, 3 * NS_PER_S), 0); /* derived: nothing is read */
    assert_int_equal(measure_sources(measure, 5 * NS_PER_S), 1u << SOURCE_PROCESS);
    assert_int_equal(measure_sources(measure, 7 * NS_PER_S),
                     1u << SOURCE_LOAD | 1u << SOURCE_PROCESS);
}

#define scene_test(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* -- Events ----------------------------------------------------------------------------------- */

static uint64_t bits_of(double real)
{
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* n events came since the pass before, each of which took that long. */
static void events(struct sample_slot *slot, struct histogram *histogram, unsigned n, double took)
{
    histogram_reset(histogram);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(histogram_add(histogram, took), 0);
    slot->field[APPLICATION_COUNT] += n;
    slot->field[APPLICATION_TIME] += (uint64_t)(n * took * 1e9);
    slot->events = n > 0 ? histogram : NULL;
    slot->events_mean = took;
}

/* What a sensor does in a pass over its source, due or not. */
static void source_pass(struct scene *scene, struct sensor *sensor, bool is_due)
{
    scene->set.taken_ns = scene->now.mono_ns;
    if (is_due) {
        sensor_pass(&scene->measure, sensor, &scene->set, scene->now);
        sensor_schedule(sensor, scene->now.mono_ns);
    } else {
        assert_true(sensor_listens(sensor, 1u << SOURCE_APPLICATION));
        assert_false(sensor_listens(sensor, ~(1u << SOURCE_APPLICATION)));
        sensor_listen(&scene->measure, sensor, &scene->set, scene->now);
    }
}

static struct sensor *average_of(struct scene *scene, const char *name, const char *metric,
                                 const char *window)
{
    struct row *row = row_new(ROW_SENSOR, name);
    static const char *const fields[] = {"metric", "calculation", "window"};
    const char *const texts[] = {metric, "average", window};
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(
            field_set_text(row, row_field(ROW_SENSOR, fields[i]), texts[i], strlen(texts[i])),
            FIELD_OK);
    row->status = ROW_ACTIVE;
    assert_true(config_add(scene->config, row));
    assert_true(measure_sync(&scene->measure, scene->config, scene->now));
    return measure_find(&scene->measure, name);
}

static const struct statistics_window *window_of(struct scene *scene, const char *sensor,
                                                 const char *instance)
{
    struct series *series = measure_series(&scene->measure, sensor, instance);
    assert_non_null(series);
    return statistics_view(&series->statistics, scene->now.mono_ns).window;
}

/* Each sensor counts every event once, whichever of them are due in a pass; but those before its
 * first pass are not its own. */
static void every_event_once(void **state)
{
    struct scene *scene = *state;
    struct histogram histogram = {0};
    struct sensor *often = average_of(scene, "often", "app.time", "1h"), *seldom = NULL;
    struct sample_slot *slot = put(scene, "u/shop:t", RESOURCE_APPLICATION_SENSOR);
    double sum = 0;
    unsigned count = 0, before = 0;
    for (unsigned pass = 0; pass < 40; pass++) {
        unsigned n = pass % 4;
        double took = 0.001 * (1 + pass);
        scene->now.mono_ns += NS_PER_S;
        if (pass == 3)
            seldom = average_of(scene, "seldom", "app.time", "1h");
        events(slot, &histogram, n, took);
        source_pass(scene, often, true);
        if (seldom)
            source_pass(scene, seldom, pass == 3 || pass % 7 == 0);
        if (pass <= 3)
            before += n;
        if (pass > 0) {
            count += n;
            sum += n * took;
        }
    }
    const struct statistics_window *window = window_of(scene, "often", "u/shop:t");
    assert_int_equal(window->count, count);
    assert_true(window->mean > sum / count - 1e-12 && window->mean < sum / count + 1e-12);
    assert_int_equal(window_of(scene, "seldom", "u/shop:t")->count, count - before);
    assert_int_equal(series_of(scene, "seldom", "u/shop:t")->samples, 6);
    histogram_release(&histogram);
}

/* An instance that comes in a pass in which the sensor is not due is there at once, with what it
 * has brought; its value comes when the sensor is due. */
static void an_instance_that_comes_between(void **state)
{
    struct scene *scene = *state;
    struct histogram histogram = {0};
    struct sensor *sensor = average_of(scene, "mean", "app.time", "1h");
    source_pass(scene, sensor, true);
    struct sample_slot *slot = put(scene, "u/shop:t", RESOURCE_APPLICATION_SENSOR);
    scene->set.membership++;
    scene->now.mono_ns += NS_PER_S;
    events(slot, &histogram, 5, 0.25);
    source_pass(scene, sensor, false);
    assert_int_equal(window_of(scene, "mean", "u/shop:t")->count, 5);
    assert_int_equal(series_of(scene, "mean", "u/shop:t")->result.state, RESULT_WAITING);
    assert_int_equal(series_of(scene, "mean", "u/shop:t")->samples, 0);
    /* What cannot be read has no events, whatever its slot points to. */
    scene->set.error = EIO;
    slot->events = (const struct histogram *)1;
    source_pass(scene, sensor, false);
    source_pass(scene, sensor, true);
    assert_int_equal(window_of(scene, "mean", "u/shop:t")->count, 5);
    histogram_release(&histogram);
}

/* Other calculations have other units than the events: their statistics are of what was sampled. */
static void which_statistics_are_of_events(void **state)
{
    struct scene *scene = *state;
    struct sensor *total = sensor_of(scene, "total", "metric", "app.time");
    struct sensor *disk = average_of(scene, "disk", "disk.read.time", "1h");
    struct sensor *mean = average_of(scene, "mean", "app.sum", "1h");
    assert_false(sensor_listens(total, ~0u));
    assert_false(sensor_listens(disk, ~0u));
    assert_true(sensor_listens(mean, ~0u));
    struct histogram histogram = {0};
    struct sample_slot *slot = put(scene, "u/shop:t", RESOURCE_APPLICATION_SENSOR);
    for (unsigned i = 0; i < 3; i++) {
        scene->now.mono_ns += NS_PER_S;
        events(slot, &histogram, 10, 0.5);
        source_pass(scene, total, true);
    }
    assert_int_equal(window_of(scene, "total", "u/shop:t")->count, 3);
    histogram_release(&histogram);
}

static struct {
    unsigned values, windows;
    struct statistics_window last;
} heard;

static void begun(void *context, struct series_ref series, struct moment now)
{
    (void)now;
    *series.type->watches(series.series) = context;
}

static void valued(void *context, struct series_ref series, bool window, struct moment now)
{
    (void)context;
    uint64_t number;
    const struct statistics_window *last = series.type->window(series.series, now.mono_ns, &number);
    heard.values += !window;
    heard.windows += window;
    heard.last = last ? *last : (struct statistics_window){0};
}

static void ended(void *context, struct series_ref series, const char *why, struct moment now)
{
    (void)context, (void)series, (void)why, (void)now;
}

/* Who watches hears of a window of events that has ended, though no event has come since and there
 * is no value; and of none that has no events. */
static void windows_that_end_without_a_value(void **state)
{
    struct scene *scene = *state;
    struct histogram histogram = {0};
    struct series_observer observer = {
        .begun = begun, .valued = valued, .ended = ended, .context = scene};
    scene->publisher.observer = &observer;
    memset(&heard, 0, sizeof heard);
    struct sensor *sensor = average_of(scene, "mean", "app.time", "2s");
    struct sample_slot *slot = put(scene, "u/shop:t", RESOURCE_APPLICATION_SENSOR);
    static const struct {
        unsigned n, values, windows;
    } passes[] = {{0, 0, 0}, {5, 1, 0}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1}, {0, 1, 1},
                  {3, 2, 1}, {2, 3, 1}, {2, 4, 1}, {0, 4, 1}, {0, 4, 2}, {0, 4, 2}};
    for (size_t i = 0; i < N_OF(passes); i++) {
        scene->now.mono_ns += NS_PER_S; /* from 2 s on */
        events(slot, &histogram, passes[i].n, 0.25);
        source_pass(scene, sensor, true);
        if (heard.values != passes[i].values || heard.windows != passes[i].windows)
            fail_msg("pass %zu: %u values, %u windows", i, heard.values, heard.windows);
        if (i == 2)
            assert_int_equal(heard.last.count, 5);
    }
    assert_int_equal(heard.last.count, 2);
    scene->publisher.observer = NULL;
    histogram_release(&histogram);
}

/* Where an instance has a unit of its own, it is that of its series. A sum of doubles that falls
 * has not begun anew. */
static void units_and_sums(void **state)
{
    struct scene *scene = *state;
    struct sensor *sensor = sensor_of(scene, "sum", "metric", "app.sum");
    struct sensor *count = sensor_of(scene, "count", "metric", "app.count");
    struct sample_slot *slot = put(scene, "u/shop:h", RESOURCE_APPLICATION_SENSOR);
    snprintf(slot->unit, sizeof slot->unit, "kg");
    slot->united = 1u << APPLICATION_SUM;
    slot->field[APPLICATION_SUM] = bits_of(-1);
    pass(scene, sensor);
    pass(scene, count);
    uint64_t since_ns = series_of(scene, "sum", "u/shop:h")->since_ns;
    slot->field[APPLICATION_SUM] = bits_of(2.5);
    pass(scene, sensor);
    assert_int_equal(series_of(scene, "sum", "u/shop:h")->since_ns, since_ns);
    assert_true(series_of(scene, "sum", "u/shop:h")->result.value == 2.5);
    assert_string_equal(series_of(scene, "sum", "u/shop:h")->entry.unit, "kg");
    assert_string_equal(series_of(scene, "count", "u/shop:h")->entry.unit, "events");
}

/* -- What is computed of all that came -------------------------------------------------------- */

/* The sum of the first field, by the seconds; it may lack memory. */
struct sum {
    bool has_begun;
    double sum;
};

static int error_of_sum;

static int take_sum(void *state, const struct sample_slot *slot)
{
    struct sum *sum = state;
    if (sum->has_begun)
        sum->sum += (double)slot->field[0];
    sum->has_begun = true;
    return error_of_sum;
}

static double sum_value(const void *state, unsigned field, double seconds)
{
    const struct sum *sum = state;
    assert_int_equal(field, APPLICATION_LOAD);
    return sum->sum > 0 ? sum->sum / seconds : NAN;
}

static void begin_sum(void *state)
{
    ((struct sum *)state)->sum = 0;
}

static void release_sum(void *state)
{
    (void)state;
}

static const struct sample_computed of_sums = {sizeof(struct sum), take_sum, sum_value, begin_sum,
                                               release_sum};

static void listen(struct scene *scene, struct sensor *sensor)
{
    scene->now.mono_ns += NS_PER_S;
    scene->now.wall_ms += 1000;
    scene->set.taken_ns = scene->now.mono_ns;
    assert_true(sensor_listens(sensor, 1u << SOURCE_APPLICATION));
    assert_false(sensor_listens(sensor, 1u << SOURCE_CPU));
    sensor_listen(&scene->measure, sensor, &scene->set, scene->now);
}

/* Each pass counts, due or not, and each interval has its own value. */
static void computed_values(void **state)
{
    struct scene *scene = *state;
    struct sensor *sensor = sensor_of(scene, "load", "metric", "app.step.load");
    struct sample_slot *slot = put(scene, "u/shop:pay", RESOURCE_APPLICATION_SENSOR);
    slot->computed = &of_sums;
    slot->field[0] = 100;
    pass(scene, sensor);
    const struct series *series = series_of(scene, "load", "u/shop:pay");
    assert_int_equal(series->result.state, RESULT_WAITING);
    slot->field[0] = 10;
    listen(scene, sensor);
    listen(scene, sensor);
    slot->field[0] = 4;
    pass(scene, sensor);
    assert_int_equal(series->result.state, RESULT_VALID);
    assert_true(series->result.value == 8); /* 24 in 3 seconds */
    pass(scene, sensor);
    assert_true(series->result.value == 4);
    slot->field[0] = 0;
    pass(scene, sensor);
    assert_int_equal(series->result.state, RESULT_UNAVAILABLE);
    slot->field[0] = 6;
    scene->set.error = EIO;
    pass(scene, sensor);
    assert_int_equal(series->result.state, RESULT_UNAVAILABLE);
    scene->set.error = 0;
    pass(scene, sensor);
    assert_true(series->result.value == 6);
    error_of_sum = ENOMEM;
    pass(scene, sensor);
    assert_int_equal(series->result.state, RESULT_UNAVAILABLE);
    error_of_sum = 0;
    pass(scene, sensor); /* it has begun anew */
    assert_int_equal(series->result.state, RESULT_WAITING);
    pass(scene, sensor);
    assert_true(series->result.value == 6);
}

/* -- Values that are not those of the pass --------------------------------------------------- */

/* A value counts once, by the time at which it was, however often it is looked at; one that is not
 * there is missing at each pass. */
static void values_of_another_time(void **state)
{
    struct scene *scene = *state;
    struct sensor *value = sensor_of(scene, "value", "metric", "endpoint.value");
    struct sample_slot *slot = put(scene, "web:g", RESOURCE_ENDPOINT_SERIES);
    slot->field[ENDPOINT_VALUE] = bits_of(5);
    slot->taken_ns = NS_PER_S / 2;
    pass(scene, value);
    const struct series *series = series_of(scene, "value", "web:g");
    assert_true(series->result.state == RESULT_VALID && series->result.value == 5);
    uint64_t shown_ns = series->taken.mono_ns;
    pass(scene, value);
    pass(scene, value);
    assert_int_equal(series->samples, 1);
    assert_int_equal(series->taken.mono_ns, shown_ns);
    assert_int_equal(window_of(scene, "value", "web:g")->count, 1);
    slot->field[ENDPOINT_VALUE] = bits_of(7);
    slot->taken_ns = 5 * NS_PER_S / 2;
    pass(scene, value);
    assert_true(series->result.value == 7);
    assert_int_equal(series->samples, 2);
    assert_int_equal(window_of(scene, "value", "web:g")->count, 2);
    slot->valid = 0;
    pass(scene, value);
    assert_int_equal(series->result.state, RESULT_UNAVAILABLE);
    slot->valid = UINT32_MAX; /* the same one is there again */
    pass(scene, value);
    assert_true(series->result.state == RESULT_VALID && series->result.value == 7);
}

/* A rate is over the time between the values, not between the passes. */
static void rates_of_another_time(void **state)
{
    struct scene *scene = *state;
    struct row *row = row_new(ROW_SENSOR, "rate");
    field_set_text(row, row_field(ROW_SENSOR, "metric"), "endpoint.count", 14);
    field_set_text(row, row_field(ROW_SENSOR, "calculation"), "rate", 4);
    row->status = ROW_ACTIVE;
    assert_true(config_add(scene->config, row));
    assert_true(measure_sync(&scene->measure, scene->config, scene->now));
    struct sensor *rate = measure_find(&scene->measure, "rate");
    struct sample_slot *slot = put(scene, "web:c", RESOURCE_ENDPOINT_SERIES);
    slot->field[ENDPOINT_COUNT] = bits_of(100);
    slot->taken_ns = NS_PER_S;
    pass(scene, rate);
    const struct series *series = series_of(scene, "rate", "web:c");
    assert_int_equal(series->result.state, RESULT_WAITING);
    pass(scene, rate);
    assert_int_equal(series->result.state, RESULT_WAITING);
    slot->field[ENDPOINT_COUNT] = bits_of(120);
    slot->taken_ns = 5 * NS_PER_S;
    pass(scene, rate);
    assert_true(series->result.state == RESULT_VALID && series->result.value == 5);
    pass(scene, rate);
    assert_true(series->result.value == 5);
    assert_int_equal(series->samples, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(which_instances),
        scene_test(instances_that_come_and_go),
        scene_test(why_there_is_no_value),
        scene_test(a_part_of_nothing),
        scene_test(what_is_pushed),
        scene_test(who_looks_for_series),
        scene_test(series_that_may_come),
        scene_test(what_is_due),
        scene_test(every_event_once),
        scene_test(an_instance_that_comes_between),
        scene_test(which_statistics_are_of_events),
        scene_test(units_and_sums),
        scene_test(computed_values),
        scene_test(windows_that_end_without_a_value),
        scene_test(values_of_another_time),
        scene_test(rates_of_another_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
