#include "tests/unit/made_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

static void *grown(void *list, size_t n, size_t *room, size_t size)
{
    void *at = run_grow(list, n, room, size);
    assert_non_null(at);
    return at;
}

void made_run(struct run *run, const char *name, int seconds)
{
    *run = (struct run){.state = RUN_STOPPED, .start_ms = MADE_START_MS};
    run->stop_ms = MADE_START_MS + seconds * INT64_C(1000);
    snprintf(run->name, sizeof run->name, "%s", name);
}

struct run_series *made_series(struct run *run, const char *node, const char *sensor,
                               const char *instance, const char *metric, const char *unit)
{
    run->series = grown(run->series, run->n_series, &run->room_series, sizeof *run->series);
    run->series[run->n_series] = (struct run_series){.node = strdup(node),
                                                     .sensor = strdup(sensor),
                                                     .instance = strdup(instance),
                                                     .metric = strdup(metric),
                                                     .unit = strdup(unit)};
    return &run->series[run->n_series++];
}

void made_point(struct run_series *series, int64_t ms, double value)
{
    series->points =
        grown(series->points, series->n_points, &series->room_points, sizeof *series->points);
    series->points[series->n_points++] = (struct run_point){MADE_START_MS + ms, value};
}

void made_record(struct run_series *series, double start_s, double seconds, int result)
{
    series->records =
        grown(series->records, series->n_records, &series->room_records, sizeof *series->records);
    series->records[series->n_records++] = (struct run_record){
        MADE_START_MS * INT64_C(1000000) + llround(start_s * 1e9), seconds, result, -1, -1};
}

struct statistics_window *made_minute(struct run_series *series, int minute)
{
    series->minutes =
        grown(series->minutes, series->n_minutes, &series->room_minutes, sizeof *series->minutes);
    series->minutes[series->n_minutes] =
        (struct run_minute){.start_ms = MADE_START_MS + minute * INT64_C(60000)};
    return &series->minutes[series->n_minutes++].window;
}

/* SplitMix64: G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number Generators.
 * OOPSLA 2014. */
double made_uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

double made_normal(uint64_t *state)
{
    double u = made_uniform(state);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * made_uniform(state));
}
