/* What a run shows of a step and of resources while it was executed. Pure.
 *
 * Throughput is that of one worker that does nothing else, executions by the sum of their
 * durations. What arrives in a second by that is how many executions go on at a time: the offered
 * load in erlang, which the research on performance tests of programs for JVMs calls capacity (see
 * doc/applications.md). */
#ifndef DCAMP_RUNS_PROFILE_H
#define DCAMP_RUNS_PROFILE_H

#include "analysis/capacity.h"
#include "runs/run.h"

/* All executions that the run has of a step. NAN: not known. */
struct profile_step {
    size_t n, n_failed;
    double runtime;    /* s, in the mean */
    double throughput; /* 1/s; NAN if none took any time */
    double arrivals;   /* 1/s, from the first start to the last end */
    double capacity;   /* arrivals by throughput */
    double cpu;        /* s, in the mean of those of which it is known */
    double allocated;  /* octets, likewise */
};

void profile_step(const struct run_series *step, struct profile_step *profile);

/* Whether executions of the step are not in the run since their records were lost: because what the
 * node says of that (app.lost, app.unreported) has grown, or because the step has counted more
 * executions (app.count, app.records) than there are records, by more than 2 percent. False, too,
 * where the run has none of these. What the step has in a second is then unknown; how long an
 * execution took is known from those that were kept. */
bool profile_has_lost(const struct run *run, const struct run_series *step);

/* The values of a series; n is 0: there are none, and the others are NAN. */
struct profile_range {
    size_t n;
    double least, mean, most;
};

void profile_values(const struct run_series *series, struct profile_range *range);

/* The mean of a series while the step was executed: a value stands for the time since the one
 * before, and counts by how long how many executions went on then. NAN: not known. */
double profile_during(const struct run_series *step, const struct run_series *series);

/* By how much a counter grew during the run, where it has two values at least; what it falls by is
 * a new beginning, and counts as nothing. NAN: not known. */
double profile_growth(const struct run_series *series);

/* The mean of what a counter counted, of which another series has the mean since the value before,
 * at the same times: each of these by how much was counted then. NAN: not known. */
double profile_mean(const struct run_series *means, const struct run_series *count);

/* The load of the step, in executions a second, at which a resource is full, whose utilisation the
 * series has in percent; by the intervals between its values. False: no memory. */
bool profile_capacity(const struct run_series *step, const struct run_series *utilisation,
                      struct capacity *capacity);

#endif
