/* What a run shows of a step, and of resources while the step was executed. Pure.
 *
 * Throughput is that of one worker that does nothing else: the number of executions divided by the
 * sum of their durations. Arrivals per second divided by throughput is how many executions go on at
 * a time: the offered load in erlang, which the research on performance tests of programs for JVMs
 * calls capacity (see doc/applications.md). */
#ifndef DCAMP_RUNS_PROFILE_H
#define DCAMP_RUNS_PROFILE_H

#include "analysis/capacity.h"
#include "runs/run.h"

/* All executions of a step in the run. NAN means not known. */
struct profile_step {
    size_t n, n_failed;
    double runtime;    /* s, on average */
    double throughput; /* 1/s; NAN if none took any time */
    double arrivals;   /* 1/s, from the first start to the last end */
    double capacity;   /* arrivals divided by throughput */
    double cpu;        /* s, the average of those for which it is known */
    double allocated;  /* octets, the average of those for which it is known */
};

void profile_step(const struct run_series *step, struct profile_step *profile);

/* Whether executions of the step are missing in the run because their records were lost: either the
 * node's own count of losses (app.lost, app.unreported) has grown, or the step has counted more
 * executions (app.count, app.records) than there are records, by more than 2 percent. Returns
 * false, too, if the run has none of these. If records were lost, the rate of executions is not
 * known; how long an execution took is known from the records that were kept. */
bool profile_has_lost(const struct run *run, const struct run_series *step);

/* The values of a series. If there are none, n is 0 and the others are NAN. */
struct profile_range {
    size_t n;
    double least, mean, most;
};

void profile_values(const struct run_series *series, struct profile_range *range);

/* The mean of a series while the step was executed. Each value stands for the time since the one
 * before; its weight is the time that executions took in that interval, so that concurrent ones
 * count several times. NAN if it is not known. */
double profile_during(const struct run_series *step, const struct run_series *series);

/* By how much a counter grew during the run, if it has at least two values. If it falls, it has
 * begun anew, and the fall is not counted. NAN if it is not known. */
double profile_growth(const struct run_series *series);

/* The mean of what a counter counted. The other series, means, has the mean since the value before,
 * at the same times; each is weighted by how much was counted. NAN if it is not known. */
double profile_mean(const struct run_series *means, const struct run_series *count);

/* The load of the step, in executions per second, at which a resource is full. The series has its
 * utilisation in percent, and the law is fitted to the intervals between its values. Returns false
 * if memory runs out. */
bool profile_capacity(const struct run_series *step, const struct run_series *utilisation,
                      struct capacity *capacity);

#endif
