#include "daemon/selftest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "series/measure.h"
#include "sample/sample.h"

/* -- Measuring ------------------------------------------------------------------------------- */

/* Derived sensors have no source of their own; those that they derive from count instead. */
static void count_sensors(const struct measure *measure, struct selftest_row *rows)
{
    for (const struct sensor *sensor = measure->all; sensor; sensor = sensor->next) {
        if (!sensor->metric)
            continue;
        struct selftest_row *row = &rows[sensor->metric->source];
        row->sensors++;
        if (sensor->interval_ns && (!row->interval_ns || sensor->interval_ns < row->interval_ns))
            row->interval_ns = sensor->interval_ns;
    }
}

static size_t count_instances(const struct sample_set *set)
{
    size_t n = 0;
    for (size_t i = 0; i < set->count; i++)
        n += set->slots[i].present;
    return n;
}

static uint64_t clock_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

static void sleep_until(uint64_t mono_ns)
{
    struct timespec t = {.tv_sec = (time_t)(mono_ns / NS_PER_S),
                         .tv_nsec = (long)(mono_ns % NS_PER_S)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
        ;
}

/* The times of all passes over one source, in their order. */
struct timings {
    uint64_t ns[1 + SELFTEST_PASSES];
};

static uint64_t read_source(struct sampler *sampler, enum metric_source source,
                            struct selftest_row *row)
{
    uint64_t now_ns = clock_mono_ns();
    uint64_t begun_ns = clock_cpu_ns();
    int error = sampler_read(sampler, source, now_ns);
    uint64_t cost_ns = clock_cpu_ns() - begun_ns;
    if (error)
        row->error = error;
    return cost_ns;
}

/* Reading what programs publish removes the files of those that have ended, whose counts belong to
 * the daemon. JVMs are reported by a process that only the daemon starts, and endpoints are asked
 * by a thread of the daemon. */
static bool is_daemons_own(enum metric_source source)
{
    return source == SOURCE_APPLICATION || source == SOURCE_JVM || source == SOURCE_ENDPOINT;
}

/* Sources that are not in use come last, so that they do not warm the caches for the others. */
static void read_sources(struct sampler *sampler, struct selftest_row *rows,
                         struct timings *timings, unsigned pass)
{
    for (int in_use = 1; in_use >= 0; in_use--)
        for (unsigned source = 0; source < SOURCE_COUNT; source++)
            if ((rows[source].sensors > 0) == in_use && !is_daemons_own(source))
                timings[source].ns[pass] = read_source(sampler, source, &rows[source]);
}

static int by_cost(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a;
    uint64_t other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static void summarize_timings(struct timings *timings, struct selftest_row *row)
{
    const size_t n = SELFTEST_PASSES;
    uint64_t *later = timings->ns + 1;
    qsort(later, n, sizeof *later, by_cost);
    row->first_ns = timings->ns[0];
    row->median_ns = (later[(n - 1) / 2] + later[n / 2]) / 2;
    row->largest_ns = later[n - 1];
}

static void run_passes(struct sampler *sampler, uint64_t pause_ns, struct selftest_row *rows)
{
    struct timings timings[SOURCE_COUNT];
    uint64_t due_ns = clock_mono_ns();
    for (unsigned pass = 0; pass <= SELFTEST_PASSES; pass++) {
        sleep_until(due_ns);
        read_sources(sampler, rows, timings, pass);
        due_ns += pause_ns;
    }
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        summarize_timings(&timings[source], &rows[source]);
        rows[source].instances = count_instances(sampler_set(sampler, source));
    }
}

int selftest_measure(const struct config *config, const char *root, uint64_t pause_ns,
                     struct selftest_row rows[SOURCE_COUNT])
{
    memset(rows, 0, SOURCE_COUNT * sizeof *rows);
    struct sampler *sampler = sampler_new(root);
    if (!sampler)
        return ENOMEM;
    struct publisher nobody = {.report = NULL};
    struct measure measure;
    dictionary_open(&nobody.dictionary);
    measure_open(&measure, &nobody);
    measure_sync(&measure, config, (struct moment){.mono_ns = clock_mono_ns()});
    count_sensors(&measure, rows);
    int error = measure_select(&measure, sampler);
    if (!error)
        run_passes(sampler, pause_ns, rows);
    measure_close(&measure);
    dictionary_close(&nobody.dictionary);
    sampler_free(sampler);
    return error;
}

/* -- Printing -------------------------------------------------------------------------------- */

static double microseconds_of(uint64_t ns)
{
    return (double)ns / 1000;
}

static void print_row(enum metric_source source, const struct selftest_row *row, FILE *to)
{
    bool is_read = row->error == 0 && !is_daemons_own(source);
    fprintf(to, "%-12s %7zu %9zu", source_name(source), row->sensors, row->instances);
    if (!is_read)
        fprintf(to, " %12s %12s %12s", "-", "-", "-");
    else
        fprintf(to, " %12.1f %12.1f %12.1f", microseconds_of(row->first_ns),
                microseconds_of(row->median_ns), microseconds_of(row->largest_ns));
    if (row->sensors == 0)
        fputs("  not in use", to);
    else if (is_daemons_own(source))
        fputs("  read by the daemon only", to);
    if (row->error)
        fprintf(to, "%s %s", row->sensors == 0 ? ":" : " ", strerror(row->error));
    fputc('\n', to);
}

void selftest_print(const struct selftest_row rows[SOURCE_COUNT], FILE *to)
{
    uint64_t sum_ns = 0;
    double share = 0;
    fprintf(to, "%-12s %7s %9s %12s %12s %12s\n", "sampler", "sensors", "instances", "first us",
            "median us", "largest us");
    for (unsigned source = 0; source < SOURCE_COUNT; source++) {
        const struct selftest_row *row = &rows[source];
        print_row((enum metric_source)source, row, to);
        if (row->sensors == 0 || row->error)
            continue;
        sum_ns += row->median_ns;
        if (row->interval_ns)
            share += (double)row->median_ns / (double)row->interval_ns;
    }
    fprintf(to, "\nIn use, together: %.1f us per tick; %.4f %% of one CPU at their intervals\n",
            microseconds_of(sum_ns), 100 * share);
}

bool selftest_passed(const struct selftest_row rows[SOURCE_COUNT])
{
    for (unsigned source = 0; source < SOURCE_COUNT; source++)
        if (rows[source].sensors > 0 && rows[source].error)
            return false;
    return true;
}
