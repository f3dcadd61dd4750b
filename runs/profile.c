#include "runs/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runs/estimate.h"

#define LOST_SHARE 0.02 /* of the executions; less may come from when they were counted */
#define LOST_LEAST 2

/* -- Steps ----------------------------------------------------------------------------------- */

static double seconds_of(int64_t ns)
{
    return (double)ns * 1e-9;
}

/* Seconds since the first execution of the step: a double does not have enough digits for a time
 * since 1970. */
static double start_of(const struct run_series *step, size_t i)
{
    return seconds_of(step->records[i].start_ns - step->records[0].start_ns);
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

void profile_step(const struct run_series *step, struct profile_step *profile)
{
    double sum = 0, first = INFINITY, last = -INFINITY, cpu = 0, allocated = 0;
    size_t n_cpu = 0, n_allocated = 0;
    *profile = (struct profile_step){.n = step->n_records};
    for (size_t i = 0; i < step->n_records; i++) {
        const struct run_record *record = &step->records[i];
        profile->n_failed += record->result != 0;
        sum += record->seconds;
        first = fmin(first, start_of(step, i));
        last = fmax(last, start_of(step, i) + record->seconds);
        cpu += record->cpu_ns >= 0 ? seconds_of(record->cpu_ns) : 0;
        n_cpu += record->cpu_ns >= 0;
        allocated += record->allocated >= 0 ? (double)record->allocated : 0;
        n_allocated += record->allocated >= 0;
    }
    double n = (double)profile->n;
    profile->runtime = ratio(sum, n);
    profile->throughput = ratio(n, sum);
    profile->arrivals = ratio(n, last - first);
    profile->capacity = profile->arrivals / profile->throughput;
    profile->cpu = ratio(cpu, (double)n_cpu);
    profile->allocated = ratio(allocated, (double)n_allocated);
}

/* -- Records that were lost ------------------------------------------------------------------ */

/* The time whose executions should all be there: from when those that began before the run have
 * ended to the end of the last execution that was kept. */
struct span {
    int64_t from_ms, until_ms;
};

static struct span span_of(const struct run *run, const struct run_series *step)
{
    double longest = 0, last = 0;
    for (size_t i = 0; i < step->n_records; i++) {
        longest = fmax(longest, step->records[i].seconds);
        last = fmax(last, start_of(step, i) + step->records[i].seconds);
    }
    return (struct span){run->start_ms + (int64_t)ceil(1e3 * longest),
                         step->records[0].start_ns / 1000000 + (int64_t)floor(1e3 * last)};
}

/* The shortest time between two values, in seconds. Where the time is longer, there is a gap, or
 * values that had not changed were left out. */
static double distance_of(const struct run_series *series)
{
    double least = INFINITY;
    for (size_t i = 1; i < series->n_points; i++)
        least = fmin(least, (double)(series->points[i].ms - series->points[i - 1].ms) * 1e-3);
    return least;
}

/* The least number of executions that a series says there were, by its growth or by its rate:
 * across a gap, the rate is not known. The first interval is left out, too, because it may include
 * executions that ended before. */
static double counted_in(const struct run_series *series, const struct span *span)
{
    bool is_rate = estimate_is_rate(series->unit);
    double counted = 0, longest = 2 * distance_of(series);
    if (!is_rate && !estimate_is_count(series))
        return 0;
    for (size_t i = 2; i < series->n_points; i++) {
        const struct run_point *point = &series->points[i];
        double seconds = (double)(point->ms - point[-1].ms) * 1e-3;
        if (point[-2].ms < span->from_ms || point->ms > span->until_ms)
            continue;
        counted += fmax(0, is_rate ? point->value * fmin(seconds, longest)
                                   : point->value - point[-1].value);
    }
    return counted;
}

/* Whether no other node has records of this step. A node above others counts in app.records also
 * what those have reported. */
static bool is_alone(const struct run *run, const struct run_series *step)
{
    for (size_t i = 0; i < run->n_series; i++)
        if (run->series[i].n_records > 0 && &run->series[i] != step &&
            strcmp(run->series[i].instance, step->instance) == 0)
            return false;
    return true;
}

/* Whether the series says that the program of the step lost records: it is a count that has grown,
 * or a difference or rate that is not 0. */
static bool tells_loss(const struct run_series *step, const struct run_series *series)
{
    size_t len = strcspn(step->instance, ":");
    bool is_loss =
        strcmp(series->metric, "app.lost") == 0 || strcmp(series->metric, "app.unreported") == 0;
    if (!is_loss || strlen(series->instance) != len ||
        strncmp(series->instance, step->instance, len) != 0)
        return false;
    if (estimate_is_count(series))
        return profile_growth(series) > 0;
    for (size_t i = 0; i < series->n_points; i++)
        if (series->points[i].value > 0)
            return true;
    return false;
}

/* Whether the series counts the executions of this step, each of which should have a record. */
static bool counts_executions(const struct run *run, const struct run_series *step,
                              const struct run_series *series)
{
    return strcmp(series->instance, step->instance) == 0 &&
           (strcmp(series->metric, "app.count") == 0 ||
            (strcmp(series->metric, "app.records") == 0 && is_alone(run, step)));
}

bool profile_has_lost(const struct run *run, const struct run_series *step)
{
    if (step->n_records == 0)
        return false;
    const struct span span = span_of(run, step);
    double most = (double)step->n_records * (1 + LOST_SHARE) + LOST_LEAST;
    for (size_t i = 0; i < run->n_series; i++) {
        const struct run_series *series = &run->series[i];
        if (strcmp(series->node, step->node) == 0 &&
            (tells_loss(step, series) ||
             (counts_executions(run, step, series) && counted_in(series, &span) > most)))
            return true;
    }
    return false;
}

/* -- Series ---------------------------------------------------------------------------------- */

void profile_values(const struct run_series *series, struct profile_range *range)
{
    double sum = 0;
    *range = (struct profile_range){series->n_points, NAN, NAN, NAN};
    for (size_t i = 0; i < series->n_points; i++) {
        range->least = fmin(range->least, series->points[i].value);
        range->most = fmax(range->most, series->points[i].value);
        sum += series->points[i].value;
    }
    range->mean = ratio(sum, (double)series->n_points);
}

double profile_growth(const struct run_series *series)
{
    double grown = 0;
    for (size_t i = 1; i < series->n_points; i++)
        grown += fmax(0, series->points[i].value - series->points[i - 1].value);
    return series->n_points > 1 ? grown : NAN;
}

double profile_mean(const struct run_series *means, const struct run_series *count)
{
    double sum = 0, weight = 0;
    size_t at = 0;
    for (size_t i = 1; i < count->n_points; i++) {
        double grown = count->points[i].value - count->points[i - 1].value;
        while (at < means->n_points && means->points[at].ms < count->points[i].ms)
            at++;
        if (at == means->n_points)
            break;
        sum += fmax(0, grown) * means->points[at].value;
        weight += fmax(0, grown);
    }
    return ratio(sum, weight);
}

/* -- Both ------------------------------------------------------------------------------------ */

/* When a value of the series was measured, on the time scale of start_of(). */
static double time_of(const struct run_series *step, const struct run_series *series, size_t i)
{
    int64_t first_ns = step->records[0].start_ns;
    return (double)(series->points[i].ms - first_ns / 1000000) * 1e-3 -
           seconds_of(first_ns % 1000000);
}

/* The index of the first value at that time or later; the number of values if there is none. */
static size_t value_at(const struct run_series *step, const struct run_series *series, double time)
{
    size_t low = 0, high = series->n_points;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (time_of(step, series, middle) < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double profile_during(const struct run_series *step, const struct run_series *series)
{
    double sum = 0, weight = 0;
    for (size_t i = 0; i < step->n_records; i++) {
        double from = start_of(step, i), end = from + step->records[i].seconds;
        for (size_t at = value_at(step, series, from); at < series->n_points && from < end; at++) {
            double until = fmin(end, time_of(step, series, at));
            double since = at > 0 ? fmax(from, time_of(step, series, at - 1)) : from;
            sum += series->points[at].value * fmax(0, until - since);
            weight += fmax(0, until - since);
            from = until;
        }
    }
    return ratio(sum, weight);
}

/* Fills arrays for the intervals between values; an execution that ended before the first value is
 * in none of them. */
static void fill(const struct run_series *step, const struct run_series *utilisation,
                 double *throughput, double *used, double *response)
{
    size_t n = utilisation->n_points - 1;
    for (size_t i = 0; i < step->n_records; i++) {
        double end = start_of(step, i) + step->records[i].seconds;
        size_t at = value_at(step, utilisation, end);
        if (at < 1 || at > n)
            continue;
        throughput[at - 1]++;
        response[at - 1] += step->records[i].seconds;
    }
    for (size_t i = 0; i < n; i++) {
        const struct run_point *point = &utilisation->points[i + 1];
        double seconds = (double)(point->ms - point[-1].ms) * 1e-3;
        response[i] = ratio(response[i], throughput[i]);
        throughput[i] = ratio(throughput[i], seconds);
        used[i] = point->value;
    }
}

bool profile_capacity(const struct run_series *step, const struct run_series *utilisation,
                      struct capacity *capacity)
{
    size_t n = utilisation->n_points;
    if (n < 2 || step->n_records == 0) {
        capacity_of(NULL, NULL, NULL, 0, 100, capacity);
        return true;
    }
    double *arrays = calloc(3 * n, sizeof *arrays);
    if (!arrays)
        return false;
    fill(step, utilisation, arrays, arrays + n, arrays + 2 * n);
    capacity_of(arrays, arrays + n, arrays + 2 * n, n - 1, 100, capacity);
    free(arrays);
    return true;
}
