#include "tests/week/world.h"

#include <math.h>
#include <stdio.h>

#define PERIOD                                                                                     \
    (6 * WORLD_HOUR) /* in each, a node may be cut off in the first half, and go down in           \
                      * the second one */
#define DOWN_STEPS 60
#define GAP_STEPS 30

/* splitmix64: G. L. Steele, D. Lea, C. H. Flood: Fast Splittable Pseudorandom Number Generators. */
static uint64_t mix(uint64_t number)
{
    number += UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

uint64_t world_hash(uint64_t a, uint64_t b, uint64_t c)
{
    return mix(mix(mix(a) ^ b) ^ c);
}

/* -- Nodes ----------------------------------------------------------------------------------- */

/* Whether a step is in a span of at most so many steps (most) of its period. One node in one_in has
 * such a span. */
static bool is_in_span(uint64_t hash, size_t one_in, size_t at, size_t first, size_t room,
                       size_t most)
{
    if (hash % one_in != 0)
        return false;
    size_t length = 1 + (hash >> 8) % most;
    size_t begin = first + (hash >> 24) % (room - length);
    return at >= begin && at < begin + length;
}

bool world_is_up(size_t node, size_t step)
{
    uint64_t hash = world_hash(1, node, step / PERIOD);
    return !is_in_span(hash, 5, step % PERIOD, PERIOD / 2, PERIOD / 2, DOWN_STEPS);
}

bool world_is_cut(size_t node, size_t step)
{
    uint64_t hash = world_hash(2, node, step / PERIOD);
    return is_in_span(hash, 4, step % PERIOD, 0, PERIOD / 2, WORLD_CUT_STEPS);
}

int64_t world_wall_ms(size_t node, size_t step)
{
    int64_t phase = (int64_t)(node * 7919 % (WORLD_STEP_MS - 10));
    return WORLD_START_MS + (int64_t)step * WORLD_STEP_MS + phase +
           (int64_t)(world_hash(3, node, step) % 3);
}

/* -- Series ---------------------------------------------------------------------------------- */

struct world_series world_series(size_t node, size_t number)
{
    return (struct world_series){
        .node = node, .number = number, .seed = world_hash(4, node, number) | 1, .told = NAN};
}

/* xorshift64*, S. Vigna: An experimental exploration of Marsaglia's xorshift generators. */
static double uniform(uint64_t *seed)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (double)(*seed * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

/* Percentages of jiffies, rates by a clock of nanoseconds, levels in pages, loads in hundredths,
 * small counts. */
static double next_value(struct world_series *series)
{
    double wander = uniform(&series->seed) - 0.5;
    switch (series->number % 5) {
    case 0:
        series->level = fmin(fmax(series->level + 40 * wander, 0), 900);
        return 100.0 * floor(series->level) / (999 + floor(3 * uniform(&series->seed)));
    case 1:
        series->level = fmax(series->level + 20000 * wander, 0);
        return floor(series->level) / (10.0 + floor(2e6 * uniform(&series->seed)) / 1e9);
    case 2:
        series->level = fmax(series->level + 200 * wander, 0);
        return 4096 * (100000 + floor(series->level));
    case 3:
        series->level = fmax(series->level + 0.2 * wander, 0);
        return floor(100 * series->level) / 100;
    default:
        series->level = fmax(series->level + 2 * wander, 0);
        return floor(series->level);
    }
}

static enum result_state state_at(const struct world_series *series, size_t step)
{
    uint64_t hash = world_hash(5, series->node * WORLD_SERIES + series->number, step / WORLD_HOUR);
    if (!is_in_span(hash, 20, step % WORLD_HOUR, 0, WORLD_HOUR, GAP_STEPS))
        return RESULT_VALID;
    return hash >> 63 ? RESULT_GAP : RESULT_UNAVAILABLE;
}

bool world_step(struct world_series *series, size_t step, bool is_up, struct result *result)
{
    double value = next_value(series);
    bool only_changes = series->number % 10 == 9;
    if (!is_up) {
        series->told = NAN;
        return false;
    }
    *result = (struct result){state_at(series, step), 0};
    if (result->state != RESULT_VALID)
        return true;
    if (only_changes && value == series->told)
        return false;
    result->value = series->told = value;
    return true;
}

struct world_words world_words(size_t number)
{
    static const char *const sensors[] = {"cpu.busy", "net.in", "mem.used", "load", "processes"};
    static const char *const units[] = {"%", "octets/s", "octets", "processes", "processes"};
    struct world_words words;
    snprintf(words.sensor, sizeof words.sensor, "%s", sensors[number % 5]);
    snprintf(words.instance, sizeof words.instance, "%zu", number / 5);
    snprintf(words.unit, sizeof words.unit, "%s", units[number % 5]);
    return words;
}

void world_node_name(size_t node, char name[24])
{
    snprintf(name, 24, "node%zu", node);
}
