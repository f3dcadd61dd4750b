#include "base/clock.h"

#include <time.h>

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t clock_mono_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t clock_boot_us(void)
{
    return read_clock(CLOCK_BOOTTIME) / NS_PER_US;
}

struct moment clock_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (struct moment){
        .mono_ns = clock_mono_ns(),
        .wall_ms = (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000,
    };
}
