/* Two runs side by side: figures against ones that were computed by hand, what is slower, what is
 * alike, and what nothing can be said of. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "runs/compare.h"
#include "runs/wording.h"
#include "tests/unit/made_run.h"
#include "unit.h"

#define SECONDS 120

struct world {
    struct run a, b;
    struct comparison comparison;
    struct compare_settings settings;
    char error[COMPARE_ERROR_SIZE];
};

static int setup(void **state)
{
    static struct world world;
    world = (struct world){
        .settings = {.level = 0.95,
                     .limit = 2,
                     .seed = 1,
                     .statistics = compare_bit(COMPARE_MEAN) | compare_bit(COMPARE_P50)}};
    made_run(&world.a, "a", SECONDS);
    made_run(&world.b, "b", SECONDS);
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    compare_release(&world->comparison);
    run_release(&world->a);
    run_release(&world->b);
    return 0;
}

static void compare(struct world *world)
{
    compare_release(&world->comparison);
    assert_true(
        compare_runs(&world->a, &world->b, &world->settings, &world->comparison, world->error));
}

static const struct compare_row *row_of(const struct world *world, const char *instance,
                                        enum compare_statistic statistic)
{
    for (size_t i = 0; i < world->comparison.n; i++) {
        const struct compare_row *row = &world->comparison.rows[i];
        if (strcmp(row->a_series->instance, instance) == 0 && row->statistic == statistic)
            return row;
    }
    return NULL;
}

/* Executions with a mean, 10 a second, whose times differ by a tenth of it. */
static void add_step(struct run *run, const char *instance, double mean, uint64_t seed)
{
    struct run_series *step =
        made_series(run, "n1", "executed", instance, "app.records", "records");
    for (int i = 0; i < 10 * SECONDS; i++)
        made_record(step, i / 10.0, mean * (1 + 0.1 * made_normal(&seed)), 0);
}

static void add_level(struct run *run, const char *instance, double mean, double spread,
                      uint64_t seed)
{
    struct run_series *series = made_series(run, "n1", "level", instance, "mem.free", "B");
    for (int i = 0; i < SECONDS; i++)
        made_point(series, i * 1000, mean + spread * made_normal(&seed));
}

/* -- What is slower -------------------------------------------------------------------------- */

static void the_step_that_was_slowed_is_named(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run *run = side ? &world->b : &world->a;
        add_step(run, "u/web:query", side ? 0.0630 : 0.0600, 1 + (uint64_t)side);
        add_step(run, "u/web:request", side ? 0.1030 : 0.1000, 3 + (uint64_t)side);
        add_step(run, "u/web:parse", side ? 0.00011 : 0.0001, 5 + (uint64_t)side);
    }
    compare(world);
    assert_true(world->comparison.n_slower > 0);
    assert_non_null(world->comparison.culprit);
    assert_string_equal(world->comparison.culprit->a_series->instance, "u/web:query");
    const struct compare_row *row = row_of(world, "u/web:query", COMPARE_MEAN);
    assert_true(row->beyond_chance && row->is_slower && row->is_step);
    assert_true(row->percent > 4 && row->percent < 6);
    assert_true(row->percent_low < row->percent && row->percent < row->percent_high);
    assert_true(fabs(row->low - row->a.value * row->percent_low / 100) < 1e-12);
    row = row_of(world, "u/web:parse", COMPARE_MEAN);
    assert_true(row->is_slower && row->is_minor && row->percent > 8);
    row = row_of(world, "u/web:query", COMPARE_RATE);
    assert_true(row->group == COMPARE_THROUGHPUT && row->note &&
                strcmp(row->note, "constant") == 0);
}

/* By its series it is slower by more than by its executions, which are what it is named by. */
static void a_step_is_named_as_one(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run *run = side ? &world->b : &world->a;
        uint64_t seed = 7 + (uint64_t)side;
        add_step(run, "u/web:query", side ? 0.0630 : 0.0600, 1 + (uint64_t)side);
        struct run_series *series = made_series(run, "n1", "time", "u/web:query", "app.time", "s");
        for (int i = 0; i < SECONDS; i++)
            made_point(series, i * 1000, (side ? 0.0645 : 0.06) + 0.001 * made_normal(&seed));
    }
    compare(world);
    assert_non_null(world->comparison.culprit);
    assert_string_equal(world->comparison.rows[0].a_series->sensor, "time");
    assert_true(world->comparison.culprit->is_step);
    assert_string_equal(world->comparison.culprit->a_series->sensor, "executed");
}

static void equal_ones_are_alike_and_faster_is_not_slower(void **state)
{
    struct world *world = *state;
    add_step(&world->a, "u/web:query", 0.06, 1);
    add_step(&world->b, "u/web:query", 0.06, 2);
    compare(world);
    assert_int_equal(world->comparison.n_slower + world->comparison.n_faster, 0);
    assert_null(world->comparison.culprit);
    add_step(&world->a, "u/web:store", 0.05, 3);
    add_step(&world->b, "u/web:store", 0.04, 4);
    compare(world);
    assert_int_equal(world->comparison.n_slower, 0);
    assert_true(world->comparison.n_faster > 0);
}

static void the_limit_is_that_of_the_whole_interval(void **state)
{
    struct world *world = *state;
    add_step(&world->a, "u/web:query", 0.06, 1);
    add_step(&world->b, "u/web:query", 0.063, 2);
    compare(world);
    const struct compare_row *row = row_of(world, "u/web:query", COMPARE_MEAN);
    double low = row->percent_low;
    world->settings.limit = low + 0.01;
    world->settings.statistics = compare_bit(COMPARE_MEAN);
    compare(world);
    assert_int_equal(world->comparison.n_slower, 0);
    assert_true(row_of(world, "u/web:query", COMPARE_MEAN)->beyond_chance);
    world->settings.limit = low - 0.01;
    compare(world);
    assert_int_equal(world->comparison.n_slower, 1);
}

static void a_lower_throughput_is_slower(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run *run = side ? &world->b : &world->a;
        uint64_t seed = 7 + (uint64_t)side;
        struct run_series *series =
            made_series(run, "n1", "requests", "u/web:request", "app.count", "requests/s");
        for (int i = 0; i < SECONDS; i++)
            made_point(series, i * 1000, (side ? 90 : 100) + made_normal(&seed));
        series = made_series(run, "n1", "other", "u/web:bytes", "app.count", "B/s");
        for (int i = 0; i < SECONDS; i++)
            made_point(series, i * 1000, (side ? 90 : 100) + made_normal(&seed));
    }
    compare(world);
    assert_int_equal(world->comparison.n_slower, 0); /* nothing says that it is a response */
    add_step(&world->a, "u/web:request", 0.06, 1);
    add_step(&world->b, "u/web:request", 0.06, 2);
    compare(world);
    assert_int_equal(world->comparison.n_slower, 1);
    assert_string_equal(world->comparison.culprit->a_series->sensor, "requests");
}

/* The rate of the executions that were kept. */
static const struct compare_row *kept_of(const struct world *world, const char *instance)
{
    for (size_t i = 0; i < world->comparison.n; i++) {
        const struct compare_row *row = &world->comparison.rows[i];
        if (row->is_step && row->statistic == COMPARE_RATE &&
            strcmp(row->a_series->instance, instance) == 0)
            return row;
    }
    fail();
    return NULL;
}

/* A thousand requests a second and half of that, of which as many records could be kept; a program
 * whose records all are there is compared by them. */
static void a_rate_of_what_was_kept_is_none(void **state)
{
    struct world *world = *state;
    char doubt[WORDING_NAME_SIZE];
    for (int side = 0; side < 2; side++) {
        struct run *run = side ? &world->b : &world->a;
        uint64_t seed = 7 + (uint64_t)side;
        add_step(run, "u/web:get", 0.06, 1 + (uint64_t)side);
        struct run_series *count =
            made_series(run, "n1", "requests", "u/web:get", "app.count", "requests/s");
        for (int i = 0; i < SECONDS; i++)
            made_point(count, i * 1000, (side ? 500 : 1000) + made_normal(&seed));
        add_step(run, "u/other:get", 0.06, 3 + (uint64_t)side);
    }
    compare(world);
    assert_int_equal(world->comparison.n_slower, 1);
    assert_string_equal(world->comparison.culprit->a_series->sensor, "requests");
    assert_string_equal(kept_of(world, "u/web:get")->note, "records were lost");
    assert_string_equal(kept_of(world, "u/other:get")->note, "constant");
    wording_doubt(&world->b, doubt);
    assert_string_equal(doubt, "records of executions were lost, of u/web:get: executions, "
                               "arrivals and capacity are of those that were kept");
}

/* -- Figures --------------------------------------------------------------------------------- */

static void counters_are_compared_by_their_rates(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run_series *series =
            made_series(side ? &world->b : &world->a, "n1", "rx", "eth0", "net.rx.bytes", "B");
        for (int i = 0; i < SECONDS; i++)
            made_point(series, i * 2000, 1e6 + i * (side ? 300.0 : 200.0) + (i % 2 ? 5 : 0));
    }
    compare(world);
    const struct compare_row *row = row_of(world, "eth0", COMPARE_RATE);
    assert_non_null(row);
    assert_true(fabs(row->a.value - 100) < 0.1 && fabs(row->b.value - 150) < 0.1);
    assert_true(row->beyond_chance && row->group == COMPARE_RESOURCE && !row->is_slower);
}

/* Of a program that was started again during one of the runs. */
static void counters_that_begin_anew(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run_series *series =
            made_series(side ? &world->b : &world->a, "n1", "sum", "u/web:query", "app.sum", "s");
        for (int i = 0; i < SECONDS; i++)
            made_point(series, i * 1000, side && i >= 70 ? (i - 70) * 0.2 : 500 + i * 0.2);
    }
    compare(world);
    assert_null(row_of(world, "u/web:query", COMPARE_MEAN));
    const struct compare_row *row = row_of(world, "u/web:query", COMPARE_RATE);
    assert_non_null(row);
    assert_true(fabs(row->a.value - 0.2) < 1e-9 && fabs(row->b.value - 0.2) < 1e-9);
    assert_int_equal(world->comparison.n_slower, 0);
}

static void counters_that_counted_nothing(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run_series *series =
            made_series(side ? &world->b : &world->a, "n1", "errors", "eth0", "net.rx.errors", "");
        for (int i = 0; i < SECONDS; i++)
            made_point(series, i * 1000, 1000 + (side ? i / 3 : 0));
    }
    compare(world);
    const struct compare_row *row = row_of(world, "eth0", COMPARE_RATE);
    assert_non_null(row);
    assert_true(row->a.value == 0 && fabs(row->b.value - 1 / 3.) < 0.01);
    assert_true(row->beyond_chance && !row->is_relative && row->low > 0);
}

static void percentiles_of_minutes_are_of_all_values(void **state)
{
    struct world *world = *state;
    for (int side = 0; side < 2; side++) {
        struct run_series *series =
            made_series(side ? &world->b : &world->a, "n1", "time", "u/web:get", "app.time", "s");
        for (int minute = 0; minute < 20; minute++) {
            struct statistics_window *window = made_minute(series, minute);
            int n = minute % 2 ? 1000 : 10; /* minutes do not count alike: values do */
            for (int i = 0; i < n; i++)
                assert_int_equal(statistics_window_add(window, (minute % 2 ? 0.010 : 0.100) *
                                                                   (1 + i / (double)n)),
                                 0);
        }
    }
    compare(world);
    const struct compare_row *row = row_of(world, "u/web:get", COMPARE_P50);
    assert_non_null(row);
    assert_true(fabs(row->a.value - 0.015) < 0.015 * 0.011);
    assert_int_equal(row->a.count, 10 * 1010);
    row = row_of(world, "u/web:get", COMPARE_MEAN);
    assert_true(fabs(row->a.value - (1000 * 0.014995 + 10 * 0.1450) / 1010) < 1e-5);
    row = row_of(world, "u/web:get", COMPARE_P99);
    assert_true(row->a.value > 0.0195 && row->a.value < 0.11);
}

static void percentiles_of_executions(void **state)
{
    struct world *world = *state;
    struct run_series *step =
        made_series(&world->a, "n1", "executed", "u/web:x", "app.records", "records");
    for (int i = 0; i <= 1000; i++)
        made_record(step, i * 0.1, (i * 8 % 1001) / 1000.0, i % 100 == 0);
    step = made_series(&world->b, "n1", "executed", "u/web:x", "app.records", "records");
    for (int i = 0; i <= 1000; i++)
        made_record(step, i * 0.1, (i * 8 % 1001) / 1000.0, 0);
    compare(world);
    assert_true(fabs(row_of(world, "u/web:x", COMPARE_P50)->a.value - 0.5) < 1e-9);
    assert_true(fabs(row_of(world, "u/web:x", COMPARE_P99)->a.value - 0.99) < 1e-9);
    assert_true(fabs(row_of(world, "u/web:x", COMPARE_MEAN)->a.value - 0.5) < 1e-9);
    assert_true(fabs(row_of(world, "u/web:x", COMPARE_RATE)->a.value - 1001.0 / SECONDS) < 1e-9);
    assert_true(fabs(row_of(world, "u/web:x", COMPARE_FAILED)->a.value - 1100.0 / 1001) < 1e-9);
}

/* Intervals that are wide enough, and not much wider: of runs that are alike, one in twenty lacks 0
 * if nothing is corrected for their number. */
static void intervals_cover(void **state)
{
    struct world *world = *state;
    int lacking[COMPARE_STATISTICS] = {0}, rounds = CASES(400);
    for (int round = 0; round < rounds; round++) {
        uint64_t seed = (uint64_t)round * 1000;
        run_release(&world->a);
        run_release(&world->b);
        made_run(&world->a, "a", SECONDS);
        made_run(&world->b, "b", SECONDS);
        for (int side = 0; side < 2; side++) {
            struct run_series *step = made_series(side ? &world->b : &world->a, "n1", "executed",
                                                  "u/web:x", "app.records", "records");
            for (double at = 0; at < SECONDS; at -= log(made_uniform(&seed)) / 20)
                made_record(step, at, -0.01 * log(made_uniform(&seed)), 0);
        }
        compare(world);
        for (int i = 0; i < COMPARE_FAILED; i++) {
            const struct compare_row *row = row_of(world, "u/web:x", (enum compare_statistic)i);
            lacking[i] += row->percent_low > 0 || row->percent_high < 0;
        }
    }
    for (int i = 0; i < COMPARE_FAILED; i++)
        assert_in_range(lacking[i], 0, rounds / 10);
    assert_true(lacking[COMPARE_MEAN] + lacking[COMPARE_P50] + lacking[COMPARE_RATE] > 0);
}

/* -- Many ------------------------------------------------------------------------------------ */

static void of_a_thousand_that_are_alike_none_is_marked(void **state)
{
    struct world *world = *state;
    size_t lacking = 0;
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", i);
        add_level(&world->a, name, 100, 5, 2 * (uint64_t)i + 1000);
        add_level(&world->b, name, i < 10 ? 120 : 100, 5, 2 * (uint64_t)i + 1001000);
    }
    compare(world);
    assert_int_equal(world->comparison.n_tested, 1000);
    for (size_t i = 0; i < world->comparison.n; i++)
        lacking +=
            world->comparison.rows[i].percent_low > 0 || world->comparison.rows[i].percent_high < 0;
    assert_in_range(lacking, 30, 110); /* alone, each of 20 would be */
    assert_in_range(world->comparison.n_beyond, 10, 12);
    for (size_t i = 0; i < 10; i++)
        assert_true(world->comparison.rows[i].beyond_chance);
    assert_true(fabs(world->comparison.rows[0].percent) >= fabs(world->comparison.rows[1].percent));
}

/* -- What nothing can be said of ------------------------------------------------------------- */

/* The same noise each time, so that all intervals of one level are equally wide; and differences of
 * which the small ones are beyond chance at the first level, the middle one at the second, and the
 * large one at all. */
static void what_is_not_marked_has_its_own_interval(void **state)
{
    static const double differences[] = {0.37, 0.46, 0.8};
    struct world *world = *state;
    char name[16];
    for (int i = 0; i < 40; i++) {
        double differs = i < 10 ? differences[0] : i < 12 ? differences[i - 9] : 0;
        snprintf(name, sizeof name, "i%d", i);
        add_level(&world->a, name, 1000, 1, 1);
        add_level(&world->b, name, 1000 + differs, 1, 1);
    }
    compare(world);
    assert_int_equal(world->comparison.n_beyond, 1);
    const struct compare_row *alike = row_of(world, "i39", COMPARE_MEAN);
    const struct compare_row *middle = row_of(world, "i10", COMPARE_MEAN);
    const struct compare_row *marked = row_of(world, "i11", COMPARE_MEAN);
    double width = alike->high - alike->low;
    assert_true(!middle->beyond_chance && middle->low > 0);
    assert_true(fabs(middle->high - middle->low - width) < 0.01 * width);
    assert_true(marked->beyond_chance && marked->high - marked->low > 1.2 * width);
}

static void notes(void **state)
{
    struct world *world = *state;
    add_level(&world->a, "constant", 5, 0, 1);
    add_level(&world->b, "constant", 5, 0, 1);
    add_level(&world->a, "steps", 5, 0, 1);
    add_level(&world->b, "steps", 6, 0, 1);
    add_level(&world->a, "tenths", 0.1, 0, 1);
    add_level(&world->b, "tenths", 0.1, 0, 1);
    made_series(&world->a, "n1", "level", "none", "mem.free", "B")->n_gaps = 3;
    made_series(&world->b, "n1", "level", "none", "mem.free", "B")->n_gaps = 3;
    made_series(&world->a, "n1", "level", "half", "mem.free", "B")->n_gaps = 3;
    add_level(&world->b, "half", 5, 1, 1);
    for (int i = 0; i < 7; i++)
        made_point(i ? &world->a.series[world->a.n_series - 1]
                     : made_series(&world->a, "n1", "level", "few", "mem.free", "B"),
                   i * 1000, i);
    add_level(&world->b, "few", 5, 1, 1);
    compare(world);
    static const char *const expected[][2] = {
        {"constant", "constant"},   {"steps", "constant in each, and not the same"},
        {"tenths", "constant"},     {"none", "no values"},
        {"half", "no values in A"}, {"few", "too few values"}};
    for (size_t i = 0; i < N_OF(expected); i++) {
        const struct compare_row *row = row_of(world, expected[i][0], COMPARE_MEAN);
        assert_non_null(row);
        assert_non_null(row->note);
        assert_string_equal(row->note, expected[i][1]);
        assert_false(row->beyond_chance);
    }
    assert_int_equal(world->comparison.n_tested, 0);
}

static void add_few(struct run *run, const char *instance, int n, double seconds)
{
    struct run_series *step =
        made_series(run, "n1", "executed", instance, "app.records", "records");
    for (int i = 0; i < n; i++)
        made_record(step, 10.0 * i, seconds, 0);
}

static void concludes(const struct world *world, const char *expected)
{
    char text[2 * WORDING_NAME_SIZE];
    wording_conclusion(&world->a, &world->b, &world->comparison, &world->settings, text);
    assert_string_equal(text, expected);
}

/* Three executions of each run, of which the second one's took 49 times as long. */
static void few_executions_say_nothing(void **state)
{
    struct world *world = *state;
    add_few(&world->a, "u/web:query", 3, 0.010);
    add_few(&world->b, "u/web:query", 3, 0.490);
    compare(world);
    assert_int_equal(world->comparison.n_judged, 0);
    assert_string_equal(row_of(world, "u/web:query", COMPARE_RATE)->note, "too few values");
    concludes(world, "Not known: too few values of any response time or throughput");
    add_step(&world->a, "u/web:other", 0.06, 1);
    add_step(&world->b, "u/web:other", 0.06, 2);
    compare(world);
    assert_true(world->comparison.n_judged > 0);
    concludes(world, "Alike: no response time or throughput is slower by more than 2 %, beyond "
                     "chance");
}

/* But a few where there were many is a throughput that fell. */
static void few_where_there_were_many_are_slower(void **state)
{
    struct world *world = *state;
    add_step(&world->a, "u/web:query", 0.06, 1);
    add_few(&world->b, "u/web:query", 3, 0.06);
    compare(world);
    assert_true(row_of(world, "u/web:query", COMPARE_RATE)->is_slower);
    assert_int_equal(world->comparison.n_slower, 1);
}

static void resources_alone_say_nothing(void **state)
{
    struct world *world = *state;
    add_level(&world->a, "x", 10, 1, 1);
    add_level(&world->b, "x", 10, 1, 2);
    compare(world);
    assert_int_equal(world->comparison.n_tested, 1);
    assert_int_equal(world->comparison.n_judged, 0);
}

/* 10 a second, of which one in so many fails, by chance; 0: none. */
static void add_failing(struct run *run, const char *instance, int n, double mean, int one_in,
                        uint64_t seed)
{
    struct run_series *step =
        made_series(run, "n1", "executed", instance, "app.records", "records");
    for (int i = 0; i < n; i++) {
        double seconds = mean * (1 + 0.1 * made_normal(&seed));
        made_record(step, i / 10.0, seconds, one_in > 0 && made_uniform(&seed) * one_in < 1);
    }
}

/* Each request fails at once. */
static void what_fails_is_not_faster(void **state)
{
    struct world *world = *state;
    add_failing(&world->a, "u/web:get", 1000, 0.06, 0, 1);
    add_failing(&world->b, "u/web:get", 1000, 0.01, 1, 2);
    compare(world);
    assert_null(world->comparison.culprit);
    assert_int_equal(world->comparison.n_slower, 1);
    assert_ptr_equal(world->comparison.failing, row_of(world, "u/web:get", COMPARE_FAILED));
    concludes(world, "Not slower; faster by more than 2 %, beyond chance, are 2 figures; but 100.0 "
                     "% of u/web:get on n1 failed instead of 0 %");
}

static void more_failures_are_slower_and_fewer_are_not(void **state)
{
    static const struct {
        int a, b; /* one in so many */
        size_t slower;
    } cases[] = {{0, 20, 1}, {20, 0, 0}, {20, 20, 0}, {20, 5, 1}, {5, 20, 0}, {1, 0, 0}};
    struct world *world = *state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        run_release(&world->a);
        run_release(&world->b);
        made_run(&world->a, "a", SECONDS);
        made_run(&world->b, "b", SECONDS);
        add_failing(&world->a, "u/web:get", 1000, 0.06, cases[i].a, 1);
        add_failing(&world->b, "u/web:get", 1000, 0.06, cases[i].b, 2);
        compare(world);
        assert_int_equal(world->comparison.n_slower, cases[i].slower);
    }
}

/* Three that failed are too few to know, and a limit holds where some failed before. */
static void failures_that_say_nothing(void **state)
{
    struct world *world = *state;
    add_failing(&world->a, "u/web:get", 1000, 0.06, 0, 1);
    add_failing(&world->b, "u/web:get", 3, 0.06, 1, 2);
    compare(world);
    assert_null(world->comparison.failing);
    assert_string_equal(row_of(world, "u/web:get", COMPARE_FAILED)->note, "too few values");
    add_failing(&world->a, "u/web:put", 1000, 0.06, 20, 1);
    add_failing(&world->b, "u/web:put", 1000, 0.06, 5, 2);
    compare(world);
    assert_non_null(world->comparison.failing);
    world->settings.limit = 1000;
    compare(world);
    assert_null(world->comparison.failing);
}

/* A value that is not above 0 has no percent, but a difference. */
static void values_around_zero(void **state)
{
    struct world *world = *state;
    add_level(&world->a, "balance", -1, 1, 1);
    add_level(&world->b, "balance", 3, 1, 2);
    add_level(&world->a, "idle", 0, 0, 1);
    add_level(&world->b, "idle", 4, 1, 2);
    compare(world);
    const struct compare_row *row = row_of(world, "balance", COMPARE_MEAN);
    assert_true(!row->is_relative && row->beyond_chance && isnan(row->percent));
    assert_true(row->low < row->difference && row->difference < row->high);
    assert_true(fabs(row->difference - 4) < 0.5);
    assert_true(row_of(world, "idle", COMPARE_MEAN)->beyond_chance);
}

static void runs_that_have_nothing_in_common(void **state)
{
    struct world *world = *state;
    add_level(&world->a, "x", 1, 1, 1);
    add_level(&world->b, "y", 1, 1, 1);
    assert_false(
        compare_runs(&world->a, &world->b, &world->settings, &world->comparison, world->error));
    assert_non_null(strstr(world->error, "nothing that both have measured: a has 1 series"));
}

static void the_same_seed_gives_the_same(void **state)
{
    struct world *world = *state;
    add_level(&world->a, "x", 10, 1, 1);
    add_level(&world->b, "x", 10, 1, 2);
    compare(world);
    double low = world->comparison.rows[0].low;
    compare(world);
    assert_true(world->comparison.rows[0].low == low);
    world->settings.seed = 2;
    compare(world);
    assert_true(world->comparison.rows[0].low != low);
}

/* Values of app.records each 10 s, until 120 s: the next one was to come at 130 s. */
static void executions_that_had_not_come(void **state)
{
    static const char missing[] = "of u/web:get records of the last 5.0 s may be missing";
    struct world *world = *state;
    struct run *run = &world->a;
    char doubt[WORDING_NAME_SIZE];
    struct run_node node = {.path = strdup("n1"), .name = strdup("n1")};
    run->stop_ms += 5000;
    run->nodes = run_grow(NULL, 0, &run->room_nodes, sizeof *run->nodes);
    run->nodes[run->n_nodes++] = node;
    struct run_series *series = made_series(run, "n1", "x", "u/web:get", "app.records", "records");
    for (int i = 0; i <= 12; i++)
        made_point(series, 10000 * i, i);
    for (int at = 126; at <= 130; at++) {
        run->nodes[0].last_ms = MADE_START_MS + 1000 * at;
        wording_doubt(run, doubt);
        assert_string_equal(doubt, at < 129 ? missing : "");
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_step_that_was_slowed_is_named),
        TEST(a_step_is_named_as_one),
        TEST(equal_ones_are_alike_and_faster_is_not_slower),
        TEST(the_limit_is_that_of_the_whole_interval),
        TEST(a_lower_throughput_is_slower),
        TEST(a_rate_of_what_was_kept_is_none),
        TEST(counters_are_compared_by_their_rates),
        TEST(counters_that_begin_anew),
        TEST(counters_that_counted_nothing),
        TEST(percentiles_of_minutes_are_of_all_values),
        TEST(percentiles_of_executions),
        TEST(intervals_cover),
        TEST(of_a_thousand_that_are_alike_none_is_marked),
        TEST(what_is_not_marked_has_its_own_interval),
        TEST(notes),
        TEST(few_executions_say_nothing),
        TEST(few_where_there_were_many_are_slower),
        TEST(resources_alone_say_nothing),
        TEST(what_fails_is_not_faster),
        TEST(more_failures_are_slower_and_fewer_are_not),
        TEST(failures_that_say_nothing),
        TEST(executions_that_had_not_come),
        TEST(values_around_zero),
        TEST(runs_that_have_nothing_in_common),
        TEST(the_same_seed_gives_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
