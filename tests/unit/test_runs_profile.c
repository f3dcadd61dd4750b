/* What a run shows of a step and of resources, against figures that were computed by hand. */
#include <math.h>

#include "runs/profile.h"
#include "tests/unit/made_run.h"
#include "unit.h"

static int setup(void **state)
{
    static struct run run;
    made_run(&run, "a", 60);
    *state = &run;
    return 0;
}

static int teardown(void **state)
{
    run_release(*state);
    return 0;
}

static struct run_series *add(struct run *run, const char *metric, const char *unit)
{
    return made_series(run, "n1", metric, "shop:pay", metric, unit);
}

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * fabs(b) + 1e-12)

static void figures_of_a_step(void **state)
{
    struct run_series *step = add(*state, "app.records", "records");
    struct profile_step profile;
    made_record(step, 10, 1, 0);
    made_record(step, 11, 3, 7);
    made_record(step, 12, 2, 0);
    made_record(step, 19, 1, 0);
    step->records[0].cpu_ns = 500000000;
    step->records[1].cpu_ns = 1500000000;
    step->records[3].allocated = 4096;
    profile_step(step, &profile);
    assert_int_equal(profile.n, 4);
    assert_int_equal(profile.n_failed, 1);
    assert_near(profile.runtime, 7 / 4.0);
    assert_near(profile.throughput, 4 / 7.0);
    assert_near(profile.arrivals, 4 / 10.0);
    assert_near(profile.capacity, 0.7);
    assert_near(profile.cpu, 1.0);
    assert_near(profile.allocated, 4096.0);
}

static void what_is_not_known_is_no_number(void **state)
{
    struct run_series *step = add(*state, "app.records", "records");
    struct profile_step profile;
    struct profile_range range;
    struct capacity capacity;
    profile_step(step, &profile);
    assert_int_equal(profile.n, 0);
    assert_true(isnan(profile.runtime) && isnan(profile.throughput) && isnan(profile.capacity));
    assert_true(isnan(profile.cpu) && isnan(profile.allocated));
    profile_values(step, &range);
    assert_true(range.n == 0 && isnan(range.least) && isnan(range.mean) && isnan(range.most));
    assert_true(isnan(profile_growth(step)));
    assert_true(isnan(profile_during(step, step)));
    assert_true(profile_capacity(step, step, &capacity));
    assert_false(capacity.is_known);
    made_record(step, 1, 0, 0);
    profile_step(step, &profile);
    assert_true(isnan(profile.throughput) && isnan(profile.arrivals) && isnan(profile.capacity));
    assert_true(isnan(profile_during(step, step)));
}

static void values_and_counts(void **state)
{
    struct run_series *series = add(*state, "app.sequences", "sequences");
    static const double values[] = {3, 5, 5, 9, 2, 4};
    struct profile_range range;
    for (int i = 0; i < 6; i++)
        made_point(series, 1000 * i, values[i]);
    profile_values(series, &range);
    assert_int_equal(range.n, 6);
    assert_near(range.least, 2.0);
    assert_near(range.mean, 28 / 6.0);
    assert_near(range.most, 9.0);
    assert_near(profile_growth(series), 8.0); /* 2 + 0 + 4, and 2 after a new beginning */
}

/* 10 of 1 ms, and 30 of 3 ms; the mean without weights would be 2 ms. */
static void a_mean_is_that_of_events(void **state)
{
    struct run *run = *state;
    add(run, "app.latency.count", "latencies");
    add(run, "app.latency", "s");
    struct run_series *count = &run->series[0], *means = &run->series[1];
    assert_true(isnan(profile_mean(means, count)));
    made_point(count, 0, 0);
    made_point(count, 1000, 10);
    made_point(count, 2000, 10);
    made_point(count, 3000, 40);
    made_point(means, 1000, 0.001);
    made_point(means, 3000, 0.003);
    assert_near(profile_mean(means, count), 0.0025);
}

/* Values at 1, 2 and 3 s. Two executions: 1.5 to 2.5 s, and 2.25 to 9 s, of which what is after the
 * last value is of no value: 0.5 s of 20, and 0.5 + 0.75 s of 60. */
static void resources_while_a_step_was_executed(void **state)
{
    struct run *run = *state;
    add(run, "app.records", "records");
    add(run, "cpu.busy", "%");
    struct run_series *step = &run->series[0], *cpu = &run->series[1];
    for (int i = 1; i <= 3; i++)
        made_point(cpu, 1000 * i, i == 1 ? 90 : i == 2 ? 20 : 60);
    made_record(step, 1.5, 1, 0);
    made_record(step, 2.25, 6.75, 0);
    assert_near(profile_during(step, cpu), (0.5 * 20 + 1.25 * 60) / 1.75);
}

/* In second i there are i executions, each of which takes the CPU 2 percent, with 10 percent
 * besides: it is full at 45 a second. */
static void capacity_is_where_utilisation_is_full(void **state)
{
    struct run *run = *state;
    add(run, "app.records", "records");
    add(run, "cpu.busy", "%");
    struct run_series *step = &run->series[0], *cpu = &run->series[1];
    struct capacity capacity;
    for (int i = 0; i <= 30; i++) {
        made_point(cpu, 1000 * i, 10 + 2 * i);
        for (int j = 0; j < i; j++)
            made_record(step, i - 0.9 + 0.02 * j, 0.01, 0);
    }
    assert_true(profile_capacity(step, cpu, &capacity));
    assert_true(capacity.is_known);
    assert_int_equal(capacity.n, 30);
    assert_near(capacity.load, 45.0);
    assert_near(capacity.most, 30.0);
    assert_true(capacity.is_linear && capacity.is_spread && capacity.is_reached);
    assert_false(capacity.is_proportional);
}

/* -- Records that were lost ------------------------------------------------------------------ */

/* A run of 60 s in which as many executions are recorded as can be, 10 a second. */
static void make_kept(struct run *run)
{
    run_release(run);
    made_run(run, "a", 60);
    struct run_series *step = made_series(run, "n1", "executed", "u/web:get", "app.records", "");
    for (int i = 0; i < 600; i++)
        made_record(step, i * 0.1, 0.05, 0);
}

/* What another series has in each second: first and from then on by so much more. */
static bool is_lost_by(struct run *run, const char *instance, const char *metric, const char *unit,
                       double first, double more)
{
    make_kept(run);
    struct run_series *series = made_series(run, "n1", "other", instance, metric, unit);
    for (int i = 0; i < 60; i++)
        made_point(series, 500 + 1000 * i, first + more * i);
    return profile_has_lost(run, &run->series[0]);
}

static void nothing_says_that_records_were_lost(void **state)
{
    struct run *run = *state;
    make_kept(run);
    assert_false(profile_has_lost(run, &run->series[0]));
    assert_false(is_lost_by(run, "u/web", "app.lost", "records", 7, 0));
    assert_false(is_lost_by(run, "u/web2", "app.lost", "records", 7, 1));
    assert_false(is_lost_by(run, "u/web", "app.lost", "records/s", 0, 0));
    assert_false(is_lost_by(run, "u/web:get", "app.count", "requests", 1e6, 10.1));
    assert_false(is_lost_by(run, "u/web:get", "app.count", "requests/s", 10.1, 0));
    assert_false(is_lost_by(run, "u/web:put", "app.count", "requests", 0, 20));
    assert_false(profile_has_lost(run, &run->series[1]));
}

static void records_that_were_lost(void **state)
{
    struct run *run = *state;
    assert_true(is_lost_by(run, "u/web", "app.lost", "records", 7, 0.1));
    assert_true(is_lost_by(run, "u/web", "app.unreported", "records", 0, 1));
    assert_true(is_lost_by(run, "u/web", "app.unreported", "records/s", 1, 0));
    assert_true(is_lost_by(run, "u/web:get", "app.count", "requests", 1e6, 11));
    assert_true(is_lost_by(run, "u/web:get", "app.count", "requests/s", 11, 0));
    assert_true(is_lost_by(run, "u/web:get", "app.records", "records", 0, 11));
}

/* A parent counts what its children have reported: they have the records. */
static void records_of_nodes_below_are_not_lost(void **state)
{
    struct run *run = *state;
    assert_true(is_lost_by(run, "u/web:get", "app.records", "records", 0, 20));
    made_record(made_series(run, "n1.n2", "executed", "u/web:get", "app.records", ""), 1, 1, 0);
    assert_false(profile_has_lost(run, &run->series[0]));
}

/* Executions that went on when the run began are counted in it, and those of a rate that stood
 * across a gap may have been none. */
static void what_is_counted_and_not_of_the_run(void **state)
{
    struct run *run = *state;
    made_run(run, "a", 60);
    struct run_series *step = made_series(run, "n1", "executed", "u/web:get", "app.records", "");
    for (int i = 0; i < 50; i++)
        made_record(step, i, 10, 0);
    struct run_series *series = made_series(run, "n1", "n", "u/web:get", "app.count", "requests");
    for (int i = 0; i < 60; i++)
        made_point(series, 1000 * i, i < 10 ? 100 * i : 1000 + i);
    assert_false(profile_has_lost(run, &run->series[0]));
    make_kept(run);
    series = made_series(run, "n1", "rate", "u/web:get", "app.count", "requests/s");
    for (int i = 0; i < 60; i++)
        if (i < 20 || i > 40)
            made_point(series, 1000 * i, i == 41 ? 50 : 10);
    assert_false(profile_has_lost(run, &run->series[0]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(figures_of_a_step, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_known_is_no_number, setup, teardown),
        cmocka_unit_test_setup_teardown(values_and_counts, setup, teardown),
        cmocka_unit_test_setup_teardown(a_mean_is_that_of_events, setup, teardown),
        cmocka_unit_test_setup_teardown(resources_while_a_step_was_executed, setup, teardown),
        cmocka_unit_test_setup_teardown(capacity_is_where_utilisation_is_full, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_says_that_records_were_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(records_that_were_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(records_of_nodes_below_are_not_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_counted_and_not_of_the_run, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
