#include "libdcamp/clock.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define HZ_MIN UINT64_C(100000000)
#define HZ_MAX UINT64_C(10000000000)

/* How often the two clocks are read for one pair; the reading that takes the least time counts. */
#define TRIES 5

/* The time for which the machine was suspended is the difference of two clocks, which are read one
 * after the other; a smaller difference than this is no suspension. */
#define SUSPENDED_NS INT64_C(10000000)

static struct {
    _Atomic uint64_t rate;    /* as from dcamp_clock_rate(); 0: clock_gettime(2) is used */
    _Atomic uint64_t due;     /* when to calibrate, by CLOCK_MONOTONIC; 0 if never */
    struct clock_pair opened; /* written before due is */
} state;

static uint64_t read_clock(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t dcamp_clock_monotonic(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t dcamp_clock_realtime(void)
{
    return read_clock(CLOCK_REALTIME);
}

static inline uint64_t read_counter(void)
{
#if defined __x86_64__
    return __builtin_ia32_rdtsc();
#else
    return 0;
#endif
}

static bool has_word(const char *line, const char *word)
{
    size_t length = strlen(word), end = strcspn(line, "\n");
    for (const char *at = line; (at = strstr(at, word)) && at < line + end; at += length)
        if (at > line && (at[-1] == ' ' || at[-1] == '\t') &&
            (at[length] == ' ' || at[length] == '\n'))
            return true;
    return false;
}

bool dcamp_clock_is_steady(const char *source, const char *cpuinfo)
{
    const char *flags = strstr(cpuinfo, "\nflags");
    return (strcmp(source, "tsc\n") == 0 || strcmp(source, "tsc") == 0) && flags &&
           has_word(flags + 1, "constant_tsc") && has_word(flags + 1, "nonstop_tsc");
}

uint64_t dcamp_clock_rate(uint64_t ticks, uint64_t ns)
{
    if (ns == 0 || ticks == 0)
        return 0;
    unsigned __int128 hz = (unsigned __int128)ticks * NS_PER_S / ns;
    if (hz < HZ_MIN || hz > HZ_MAX)
        return 0;
    return (uint64_t)(((unsigned __int128)ns << 32) / ticks);
}

enum clock_verdict dcamp_clock_judge(const struct clock_pair *begin, const struct clock_pair *end,
                                     uint64_t *rate)
{
    uint64_t ns = end->ns - begin->ns;
    int64_t suspended = (int64_t)(end->suspended - begin->suspended);
    if (ns < CLOCK_CALIBRATION_NS)
        return CLOCK_EARLY;
    if (ns > CLOCK_CALIBRATION_MAX_NS || suspended > SUSPENDED_NS || suspended < -SUSPENDED_NS)
        return CLOCK_LATE;
    *rate = dcamp_clock_rate(end->ticks - begin->ticks, ns);
    return CLOCK_JUDGED;
}

static void read_text(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
    text[n > 0 ? n : 0] = '\0';
    if (fd >= 0)
        close(fd);
}

static struct clock_pair read_pair(void)
{
    struct clock_pair best = {0};
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < TRIES; i++) {
        uint64_t before = read_counter(), ns = dcamp_clock_monotonic(), after = read_counter();
        if (after - before < least) {
            least = after - before;
            best = (struct clock_pair){.ticks = before + least / 2, .ns = ns};
        }
    }
    best.suspended = read_clock(CLOCK_BOOTTIME) - dcamp_clock_monotonic();
    return best;
}

static void begin(void)
{
    state.opened = read_pair();
    atomic_store(&state.due, state.opened.ns + CLOCK_CALIBRATION_NS);
}

void dcamp_clock_open(void)
{
#if defined __x86_64__
    char source[32], cpuinfo[4096];
    read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
              sizeof source);
    read_text("/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
    if (!dcamp_clock_is_steady(source, cpuinfo))
        return;
    begin();
#endif
}

/* One thread calibrates, when it is due. If too much time has passed since the first reading of the
 * clocks, the calibration begins anew. */
static bool calibrate(uint64_t now)
{
    uint64_t due = atomic_load(&state.due);
    if (due == 0 || now < due || !atomic_compare_exchange_strong(&state.due, &due, 0))
        return false;
    struct clock_pair pair = read_pair();
    uint64_t rate = 0;
    if (dcamp_clock_judge(&state.opened, &pair, &rate) != CLOCK_JUDGED) {
        begin();
        return false;
    }
    atomic_store(&state.rate, rate);
    return rate != 0;
}

/* The lowest bit says what the other bits are: 1 for ticks, 0 for nanoseconds. */
uint64_t dcamp_clock_now(void)
{
    if (atomic_load_explicit(&state.rate, memory_order_relaxed))
        return read_counter() << 1 | 1;
    return dcamp_clock_monotonic() << 1;
}

/* The difference of two numbers of 63 bits that wrap; a result of more than half the range means
 * that the clock has gone backwards. */
static inline uint64_t since(uint64_t now, uint64_t before)
{
    uint64_t passed = (now - before) << 1 >> 1;
    return passed >> 62 ? 0 : passed;
}

static inline uint64_t nanoseconds_of(uint64_t ticks)
{
    uint64_t rate = atomic_load_explicit(&state.rate, memory_order_relaxed);
    return (uint64_t)((unsigned __int128)ticks * rate >> 32);
}

uint64_t dcamp_clock_between(uint64_t before, uint64_t after)
{
    uint64_t passed = since(after >> 1, before >> 1);
    if ((before ^ after) & 1)
        return CLOCK_NOT_COMPARABLE;
    return after & 1 ? nanoseconds_of(passed) : passed;
}

uint64_t dcamp_clock_elapsed(uint64_t moment, bool *calibrated)
{
    *calibrated = false;
    if (moment & 1)
        return nanoseconds_of(since(read_counter(), moment >> 1));
    uint64_t now = dcamp_clock_monotonic();
    *calibrated = calibrate(now);
    return since(now, moment >> 1);
}

uint64_t dcamp_clock_hz(void)
{
    uint64_t rate = atomic_load(&state.rate);
    return rate ? (NS_PER_S << 32) / rate : 0;
}
