/* dcampd --self-test: what each sampler would do and cost with this configuration, on this machine.
 * It does its own sampling, and needs neither a master agent nor state. */
#ifndef DCAMP_DAEMON_SELFTEST_H
#define DCAMP_DAEMON_SELFTEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/clock.h"
#include "config/config.h"
#include "metric/metric.h"

/* How often every source is read after the first pass, which opens files and finds the instances;
 * and the pause between passes, which is long enough for the caches to be as cold as in a daemon
 * that sleeps most of the time. */
#define SELFTEST_PASSES 20
#define SELFTEST_PAUSE_NS (50 * NS_PER_MS)

/* One source. Times are CPU times of the thread that samples. */
struct selftest_row {
    size_t sensors; /* 0: not in use */
    size_t instances;
    uint64_t interval_ns; /* the shortest of its sensors; 0: all of them are on demand */
    uint64_t first_ns;
    uint64_t median_ns;
    uint64_t largest_ns;
    int error; /* that of the last pass that failed */
};

/* Samples what the active sensors of the configuration need, below root. 0 or ENOMEM. */
int selftest_measure(const struct config *config, const char *root, uint64_t pause_ns,
                     struct selftest_row rows[SOURCE_COUNT]);

/* Prints the table, and what the sources in use cost together. */
void selftest_print(const struct selftest_row rows[SOURCE_COUNT], FILE *to);

/* Whether every source in use could be read in every pass. */
bool selftest_passed(const struct selftest_row rows[SOURCE_COUNT]);

#endif
