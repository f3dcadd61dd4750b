/* Time. Schedules and intervals use the monotonic clock in nanoseconds; wall-clock time,
 * in milliseconds since 1970 UTC, appears only in what people read. */
#ifndef DCAMP_BASE_CLOCK_H
#define DCAMP_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)
#define MS_PER_HOUR UINT64_C(3600000)

/* A reading of both clocks, taken together. It travels as the parameter "now". */
struct moment {
    uint64_t mono_ns;
    int64_t wall_ms;
};

struct moment clock_now(void);
uint64_t clock_mono_ns(void);

/* Microseconds since boot, including the time in which the machine was suspended: the start times
 * of processes are counted like this. */
uint64_t clock_boot_us(void);

#endif
