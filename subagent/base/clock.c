#include "base/clock.h"

#include <time.h>

uint64_t clock_mono_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
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
