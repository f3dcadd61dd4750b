/* The clock of timers: the time stamp counter of the processor if the kernel keeps time by it,
 * because it takes half the time of clock_gettime(2); otherwise the latter. */
#ifndef DCAMP_CLOCK_H
#define DCAMP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC, and nanoseconds since 1970. */
uint64_t dcamp_clock_monotonic(void);
uint64_t dcamp_clock_realtime(void);

/* Whether the texts of /sys/devices/system/clocksource/clocksource0/current_clocksource and of
 * /proc/cpuinfo, of which the first part is enough, say that the counter may be used: pure. */
bool dcamp_clock_is_steady(const char *source, const char *cpuinfo);

/* How many nanoseconds, times 2^32, one tick takes if a counter makes so many ticks in so many
 * nanoseconds. Returns 0 if that is implausible (plausible are 100 MHz to 10 GHz): pure. */
uint64_t dcamp_clock_rate(uint64_t ticks, uint64_t ns);

/* The counter and CLOCK_MONOTONIC at one moment, and for how long the machine had been suspended by
 * then, in nanoseconds, with an error of perhaps some microseconds. */
struct clock_pair {
    uint64_t ticks, ns, suspended;
};

/* Whether two pairs give the rate of the counter, and that rate, as from dcamp_clock_rate(): pure.
 * Between them, at least CLOCK_CALIBRATION_NS have to pass, so that the time for reading them does
 * not matter, and at most CLOCK_CALIBRATION_MAX_NS: after a longer time, the process may have been
 * stopped, or moved to another machine, and a counter that was suspended does not agree with the
 * clock. */
#define CLOCK_CALIBRATION_NS 100000000
#define CLOCK_CALIBRATION_MAX_NS 1000000000
enum clock_verdict { CLOCK_EARLY, CLOCK_LATE, CLOCK_JUDGED };
enum clock_verdict dcamp_clock_judge(const struct clock_pair *begin, const struct clock_pair *end,
                                     uint64_t *rate);

/* Finds out which clock can be used. The counter is used once it is calibrated: the first
 * dcamp_clock_elapsed() after CLOCK_CALIBRATION_NS does that; if it comes too late, calibration
 * begins anew. Called once in a process, before the first timer. */
void dcamp_clock_open(void);

/* dcamp_clock_now() returns a moment, in units that only this file knows. dcamp_clock_elapsed()
 * returns the nanoseconds since that moment, never less than 0. *calibrated: whether this call has
 * begun to use the counter. */
uint64_t dcamp_clock_now(void);
uint64_t dcamp_clock_elapsed(uint64_t moment, bool *calibrated);

/* Whether a moment is later than another one of the same clock. 0 is no moment, and never later. */
static inline bool clock_is_later(uint64_t moment, uint64_t other)
{
    return moment != 0 && ((moment ^ other) & 1) == 0 && (int64_t)(moment - other) > 0;
}

/* The nanoseconds from one moment to another: 0 if the second is before the first, and
 * CLOCK_NOT_COMPARABLE if only one of them was read from the counter. */
#define CLOCK_NOT_COMPARABLE UINT64_MAX
uint64_t dcamp_clock_between(uint64_t before, uint64_t after);

/* Ticks per second of the counter; 0 if it is not used. */
uint64_t dcamp_clock_hz(void);

#endif
