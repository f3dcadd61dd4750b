/* What timers read: the time stamp counter of the processor where the kernel keeps time by it,
 * which takes half the time of clock_gettime(2), and that otherwise. */
#ifndef DCAMP_CLOCK_H
#define DCAMP_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Nanoseconds of CLOCK_MONOTONIC and since 1970. */
uint64_t dcamp_clock_monotonic(void);
uint64_t dcamp_clock_realtime(void);

/* Whether texts of /sys/devices/system/clocksource/clocksource0/current_clocksource and of
 * /proc/cpuinfo, of which the beginning does, say that the counter may be read: pure. */
bool dcamp_clock_is_steady(const char *source, const char *cpuinfo);

/* How many nanoseconds, times 2^32, a tick of a counter takes that has made so many in so many
 * nanoseconds; 0 if that cannot be (a counter between 100 MHz and 10 GHz makes sense): pure. */
uint64_t dcamp_clock_rate(uint64_t ticks, uint64_t ns);

/* The counter and CLOCK_MONOTONIC at one moment, and for how long the machine had been suspended by
 * then, which may be some microseconds off. */
struct clock_pair {
    uint64_t ticks, ns, suspended;
};

/* Whether the rate of the counter can be told by two of them, and that rate, as dcamp_clock_rate()
 * has it: pure. Between them at least CLOCK_CALIBRATION_NS have passed, so that reading them takes
 * no part of it that counts, and at most CLOCK_CALIBRATION_MAX_NS: who comes later may have been
 * stopped, or on another machine, meanwhile, and a counter that was suspended has not run on as
 * the clock says. */
#define CLOCK_CALIBRATION_NS 100000000
#define CLOCK_CALIBRATION_MAX_NS 1000000000
enum clock_verdict { CLOCK_EARLY, CLOCK_LATE, CLOCK_JUDGED };
enum clock_verdict dcamp_clock_judge(const struct clock_pair *begin, const struct clock_pair *end,
                                     uint64_t *rate);

/* Looks which of them it is. The counter is used when it is calibrated: the first
 * dcamp_clock_elapsed() that comes CLOCK_CALIBRATION_NS later does it, unless it comes too late;
 * then that begins anew. Once in a process, before the first timer. */
void dcamp_clock_open(void);

/* A moment, in units that only dcamp_clock_elapsed() knows, and the nanoseconds since then; never
 * less than none. *calibrated: whether this call has begun to use the counter. */
uint64_t dcamp_clock_now(void);
uint64_t dcamp_clock_elapsed(uint64_t moment, bool *calibrated);

/* Whether a moment is later than another one of the same clock. 0 is no moment, and never later. */
static inline bool clock_is_later(uint64_t moment, uint64_t other)
{
    return moment != 0 && ((moment ^ other) & 1) == 0 && (int64_t)(moment - other) > 0;
}

/* The nanoseconds from one moment to another one; none where that was before it, and
 * CLOCK_NOT_COMPARABLE where the counter was not used yet at the first one. */
#define CLOCK_NOT_COMPARABLE UINT64_MAX
uint64_t dcamp_clock_between(uint64_t before, uint64_t after);

/* Ticks per second of the counter; 0 where it is not used. */
uint64_t dcamp_clock_hz(void);

#endif
