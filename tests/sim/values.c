#include "values.h"

#include "base/text.h"
#include "calculate/calculate.h"
#include "metric/metric.h"

/* Instances are numbered; the first one of a sensor of the whole machine is "total". */
static const struct kind {
    const char *metric;
    const char *instance;
    enum calculation calculation;
    uint64_t values;  /* how many there are */
    double step, low; /* the values are low + i step */
} kinds[] = {
    {"cpu.busy", "total", CALC_PERCENT, 6401, 1.0 / 64, 0},
    {"mem.free", "total", CALC_BASIC, UINT64_C(1) << 21, 4096, 1 << 20},
    {"net.rx.bytes", "eth0", CALC_RATE, 1000000000, 1.0 / 8, 0},
    {"disk.reads", "sda", CALC_RATE, 64000, 1.0 / 64, 0},
    {"fs.used", "/", CALC_BASIC, UINT64_C(1) << 21, 4096, 0},
    {"load.1", "total", CALC_BASIC, 2048, 1.0 / 64, 0},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

void sim_series(uint32_t place, struct sim_series *series)
{
    const struct kind *kind = &kinds[place % N_KINDS];
    uint32_t turn = place / (uint32_t)N_KINDS;
    series->sensor = kind->metric;
    series->metric = kind->metric;
    if (turn == 0)
        text_format(series->instance, sizeof series->instance, "%s", kind->instance);
    else
        text_format(series->instance, sizeof series->instance, "%s.%u", kind->instance, turn);
    calc_unit(metric_find(kind->metric), kind->calculation, series->unit, sizeof series->unit);
}

uint32_t sim_series_number(uint32_t place, uint32_t boot, uint32_t n)
{
    return 1 + (uint32_t)(((uint64_t)place + boot) % n);
}

uint32_t sim_series_place(uint32_t number, uint32_t boot, uint32_t n)
{
    if (number == 0 || number > n)
        return n;
    return (uint32_t)(((uint64_t)number - 1 + n - boot % n) % n);
}

uint32_t sim_phase(uint32_t child, uint32_t period_ms)
{
    return (uint32_t)((uint64_t)child * 7919 % period_ms);
}

int64_t sim_report_time(uint32_t child, uint32_t period_ms, int64_t wall_ms)
{
    int64_t since = wall_ms - sim_phase(child, period_ms);
    return wall_ms - since % period_ms;
}

bool sim_changes(uint32_t place, uint32_t n, uint32_t share, uint32_t period_ms, int64_t wall_ms)
{
    uint64_t changed = ((uint64_t)n * share + 99) / 100;
    uint64_t first = (uint64_t)(wall_ms / period_ms) % n * changed % n;
    return (place + n - first) % n < changed;
}

/* The finalizer of splitmix64 (G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom
 * Number Generators. OOPSLA 2014). */
static uint64_t mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

double sim_value(uint32_t child, uint32_t place, int64_t wall_ms)
{
    const struct kind *kind = &kinds[place % N_KINDS];
    uint64_t random = mix(mix(((uint64_t)child << 32) | place) ^ (uint64_t)wall_ms);
    return kind->low + kind->step * (double)(random % kind->values);
}

int sim_window(uint32_t child, uint32_t place, int64_t end_ms, struct statistics_window *window)
{
    for (int i = 1; i <= SIM_WINDOW_SAMPLES; i++) {
        int error = statistics_window_add(window, sim_value(child, place, end_ms - i));
        if (error)
            return error;
    }
    return 0;
}
