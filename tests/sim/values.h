/* What the simulated children report: pure functions of the child, the series and the time, so that
 * a test can compute again every value, and from these every aggregate.
 *
 * A child has n series, in places 0 to n - 1. What a place means is the same on every child; its
 * number in the dictionary differs from boot to boot, so that a parent that goes on with the
 * dictionary of the boot before is found out.
 *
 * Child c makes a report at the times t * period + phase(c), t a whole number, in milliseconds of
 * the wall clock. The first one of a boot, and the first one after its rate was changed or a report
 * was missed because the simulator had no time, has every series; the others have those for which
 * sim_changes() holds. The value that is reported at that time is sim_value(): a multiple of 1/64
 * below 2^34, so that sums of millions are exact in a double, whatever their order. */
#ifndef DCAMP_SIM_VALUES_H
#define DCAMP_SIM_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/limits.h"
#include "calculate/statistics.h"

#define SIM_WINDOW_SAMPLES 30

struct sim_series {
    const char *sensor;
    const char *metric;
    char instance[INSTANCE_SIZE];
    char unit[NAME_SIZE];
};

void sim_series(uint32_t place, struct sim_series *series);

/* number = 1 + (place + boot) mod n, and back; a number that is none has the place n. */
uint32_t sim_series_number(uint32_t place, uint32_t boot, uint32_t n);
uint32_t sim_series_place(uint32_t number, uint32_t boot, uint32_t n);

/* phase(c) = 7919 c mod period: spread over the period. */
uint32_t sim_phase(uint32_t child, uint32_t period_ms);

/* The latest time of a report that is not after wall_ms. */
int64_t sim_report_time(uint32_t child, uint32_t period_ms, int64_t wall_ms);

/* Of n series, share percent change from report to report, rounded up, in turns: with k of them,
 * those in the k places from t k mod n on, t = floor(wall_ms / period_ms). */
bool sim_changes(uint32_t place, uint32_t n, uint32_t share, uint32_t period_ms, int64_t wall_ms);

double sim_value(uint32_t child, uint32_t place, int64_t wall_ms);

/* Where children report windows: the statistics of SIM_WINDOW_SAMPLES values, sim_value() at
 * end_ms - i for i from 1 on. The window is zeroed or released before. ENOMEM. */
int sim_window(uint32_t child, uint32_t place, int64_t end_ms, struct statistics_window *window);

#endif
