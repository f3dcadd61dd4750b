/* For tests: runs in memory, made of what the test says. */
#ifndef DCAMP_TESTS_MADE_RUN_H
#define DCAMP_TESTS_MADE_RUN_H

#include "runs/run.h"

#define MADE_START_MS INT64_C(1795730400000)

/* A run of so many seconds. */
void made_run(struct run *run, const char *name, int seconds);

/* Adds a series, which is valid until another is added. */
struct run_series *made_series(struct run *run, const char *node, const char *sensor,
                               const char *instance, const char *metric, const char *unit);
void made_point(struct run_series *series, int64_t ms, double value);
void made_record(struct run_series *series, double start_s, double seconds, int result);
/* The minute is to have values, by statistics_window_add(). */
struct statistics_window *made_minute(struct run_series *series, int minute);

/* Uniform in (0, 1); and normal: the same each time. */
double made_uniform(uint64_t *state);
double made_normal(uint64_t *state);

#endif
