/* How long one update of a series takes: the step of its calculation, and the count of the value
 * in its statistics and histogram.
 *
 *   update SERIES ROUNDS
 *
 * The series come in turn, as they do in dcampd, so that each finds the caches full of the others.
 * One half are gauges that walk at random; the others are counters that grow by exponentially
 * distributed steps, of which the rate is taken. A round is a window of values, one a second. For
 * both parts it prints the name and, in nanoseconds for each update, median, least and greatest
 * of the rounds. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "calculate/calculate.h"
#include "calculate/statistics.h"
#include "rounds.h"

#define WINDOW_S 60
#define WARM_UP 4 /* rounds until the memory of both windows of a series has its size */

struct bench {
    size_t series;
    uint64_t second; /* of the first values of this round */
    const struct metric *gauge, *counter;
    unsigned short random[3];
    struct calc_state *calc;
    struct statistics *statistics;
    uint64_t *level; /* of each series */
    uint64_t *raw;   /* those of the first second, of the next, and so on */
    struct result *results;
};

static void begin(struct bench *bench, size_t series)
{
    *bench = (struct bench){.series = series, .second = WINDOW_S, .random = {3, 1, 4}};
    bench->gauge = metric_find("mem.free");
    bench->counter = metric_find("net.rx.bytes");
    if (!bench->gauge || !bench->counter)
        fail("a metric is missing");
    bench->calc = allocate(series, sizeof *bench->calc);
    bench->statistics = allocate(series, sizeof *bench->statistics);
    bench->level = allocate(series, sizeof *bench->level);
    bench->raw = allocate(series * WINDOW_S, sizeof *bench->raw);
    bench->results = allocate(series * WINDOW_S, sizeof *bench->results);
    for (size_t i = 0; i < series; i++)
        bench->level[i] = 1000000 + 1000 * i;
}

static void end(struct bench *bench)
{
    for (size_t i = 0; i < bench->series; i++)
        statistics_release(&bench->statistics[i]);
    free(bench->calc);
    free(bench->statistics);
    free(bench->level);
    free(bench->raw);
    free(bench->results);
}

static bool is_gauge(size_t series)
{
    return series % 2 == 0;
}

/* Steps of up to 1 %, away from 0; or the octets of one second, 10 to 10 million on average. */
static uint64_t next_level(struct bench *bench, size_t series)
{
    double level = (double)bench->level[series];
    double random = erand48(bench->random);
    if (is_gauge(series))
        return (uint64_t)(level * (1 + (random - 0.5) / 50)) + 100;
    double mean = pow(10, 1 + (double)(series % 7));
    return (uint64_t)(level - mean * log(1 - random));
}

static void make_values(struct bench *bench)
{
    uint64_t *raw = bench->raw;
    for (int second = 0; second < WINDOW_S; second++)
        for (size_t i = 0; i < bench->series; i++)
            *raw++ = bench->level[i] = next_level(bench, i);
}

static void calculate(struct bench *bench)
{
    const uint64_t *raw = bench->raw;
    struct result *result = bench->results;
    for (uint64_t second = 0; second < WINDOW_S; second++) {
        uint64_t now_ns = (bench->second + second) * NS_PER_S;
        for (size_t i = 0; i < bench->series; i++, raw++, result++) {
            struct observation now = {.available = true, .time_ns = now_ns, .raw = *raw};
            *result = calc_step(is_gauge(i) ? bench->gauge : bench->counter,
                                is_gauge(i) ? CALC_BASIC : CALC_RATE, &bench->calc[i], &now);
        }
    }
}

static void count(struct bench *bench)
{
    const struct result *result = bench->results;
    for (uint64_t second = 0; second < WINDOW_S; second++) {
        uint64_t now_ns = (bench->second + second) * NS_PER_S;
        for (size_t i = 0; i < bench->series; i++, result++)
            if (result->state == RESULT_VALID)
                statistics_add(&bench->statistics[i], result->value, now_ns, WINDOW_S * NS_PER_S);
    }
}

/* A benchmark that does not count anything would be fast. */
static void check(const struct bench *bench, size_t series)
{
    const struct result *result = bench->results + series;
    uint64_t end_ns = (bench->second + WINDOW_S) * NS_PER_S;
    struct statistics_view view = statistics_view(&bench->statistics[series], end_ns);
    double sum = 0;
    for (size_t second = 0; second < WINDOW_S; second++)
        sum += result[second * bench->series].value;
    if (!view.complete || view.window->count != WINDOW_S ||
        view.window->histogram.count != WINDOW_S)
        fail("values are missing in the window of a series");
    if (fabs(sum / WINDOW_S - view.window->mean) > 1e-9 * fabs(view.window->mean))
        fail("the mean of a series is wrong");
}

static double measure(struct bench *bench, void (*part)(struct bench *bench))
{
    uint64_t before_ns = cpu_ns();
    part(bench);
    return (double)(cpu_ns() - before_ns) / (double)(bench->series * WINDOW_S);
}

static void run(struct bench *bench, size_t rounds)
{
    double *calculated = allocate(rounds, sizeof *calculated);
    double *counted = allocate(rounds, sizeof *counted);
    for (size_t round = 0; round < WARM_UP + rounds; round++) {
        size_t at = round < WARM_UP ? 0 : round - WARM_UP;
        make_values(bench);
        calculated[at] = measure(bench, calculate);
        counted[at] = measure(bench, count);
        for (size_t i = 0; i < bench->series && round >= WARM_UP; i++)
            check(bench, i);
        bench->second += WINDOW_S;
    }
    print_rounds("calculate", calculated, rounds);
    print_rounds("count", counted, rounds);
    free(calculated);
    free(counted);
}

int main(int argc, char **argv)
{
    struct bench bench;
    if (argc != 3)
        fail("usage: update SERIES ROUNDS");
    size_t series = number_of(argv[1]), rounds = number_of(argv[2]);
    begin(&bench, series);
    run(&bench, rounds);
    end(&bench);
    return 0;
}
