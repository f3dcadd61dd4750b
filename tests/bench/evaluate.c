/* How long a threshold takes to look at a value, and what one on a series needs of memory.
 *
 *   evaluate SERIES ROUNDS
 *
 * A threshold watches so many series, each with a value that walks at random and crosses the limit
 * now and then; a round is one value of each, in turn, as a cycle of dcampd has them. It prints the
 * name of a part and, in nanoseconds for each evaluation, median, least and greatest of the rounds:
 * "plain" is the comparison alone, over the same values in an array, "watch" is all that dcampd
 * does with a new value. Then "bytes" and the memory of one watch, which is what malloc(3) took. */
#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "series/measure.h"
#include "watch/watches.h"
#include "rounds.h"

struct bench {
    size_t n;
    struct dictionary_entry *series;
    struct result *results;
    double *values;
    char (*instances)[INSTANCE_SIZE];
    struct alarms alarms;
    struct watches watches;
    struct series_observer observer;
    struct publisher publisher;
    struct measure measure;
    struct config *config;
    struct moment now;
    unsigned short random[3];
    uint64_t breaches;
};

static void add_threshold(struct config *config)
{
    static const char *const fields[][2] = {{"sensor", "load"}, {"operator", "gt"},
                                            {"limit", "90"},    {"clear", "80"},
                                            {"match", "3"},     {"window", "5"}};
    struct row *row = row_new(ROW_THRESHOLD, "high");
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (field_set_text(row, row_field(ROW_THRESHOLD, fields[i][0]), fields[i][1],
                           strlen(fields[i][1])) != FIELD_OK)
            fail("a field is wrong");
    row->status = ROW_ACTIVE;
    if (row_fault(row) || !config_add(config, row))
        fail("the threshold is wrong");
    config_touch(config);
}

static void begin(struct bench *bench, size_t n)
{
    const struct alarm_limits limits = {
        .log_size = 1000, .rate = 10, .period_ms = 10000, .queue = 500};
    *bench = (struct bench){.n = n, .random = {2, 7, 1}, .now = {.mono_ns = NS_PER_S}};
    bench->series = allocate(n, sizeof *bench->series);
    bench->results = allocate(n, sizeof *bench->results);
    bench->values = allocate(n, sizeof *bench->values);
    bench->instances = allocate(n, sizeof *bench->instances);
    bench->config = config_new();
    if (!bench->config)
        fail("no memory");
    alarms_open(&bench->alarms, &limits, 0);
    watches_open(&bench->watches, &bench->alarms);
    bench->observer = watches_observer(&bench->watches);
    bench->publisher = (struct publisher){.observer = &bench->observer};
    dictionary_open(&bench->publisher.dictionary);
    measure_open(&bench->measure, &bench->publisher);
    for (size_t i = 0; i < n; i++) {
        text_format(bench->instances[i], INSTANCE_SIZE, "i%zu", i);
        bench->results[i].state = RESULT_VALID;
        bench->values[i] = 50;
        bench->series[i] = (struct dictionary_entry){.sensor = "load",
                                                     .instance = bench->instances[i],
                                                     .unit = "",
                                                     .result = &bench->results[i]};
        dictionary_add(&bench->publisher.dictionary, &bench->series[i]);
    }
    add_threshold(bench->config);
}

/* Steps of up to 4, between 0 and 100: some cross the limit in every round. */
static void make_values(struct bench *bench)
{
    for (size_t i = 0; i < bench->n; i++) {
        double value = bench->values[i] + 8 * erand48(bench->random) - 4;
        bench->values[i] = bench->results[i].value = fmin(fmax(value, 0), 100);
    }
    bench->now.mono_ns += NS_PER_S;
    bench->now.wall_ms += 1000;
}

static void plain(struct bench *bench)
{
    uint64_t breaches = 0;
    for (size_t i = 0; i < bench->n; i++)
        breaches += bench->values[i] > 90;
    bench->breaches += breaches;
}

static void watch(struct bench *bench)
{
    for (size_t i = 0; i < bench->n; i++)
        bench->observer.valued(&bench->watches, dictionary_series(&bench->series[i]), false,
                               bench->now);
}

static double measure_part(struct bench *bench, void (*part)(struct bench *bench))
{
    uint64_t before_ns = cpu_ns();
    part(bench);
    return (double)(cpu_ns() - before_ns) / (double)bench->n;
}

static void run(struct bench *bench, size_t rounds)
{
    double *alone = allocate(rounds, sizeof *alone), *whole = allocate(rounds, sizeof *whole);
    for (size_t round = 0; round < rounds; round++) {
        make_values(bench);
        alone[round] = measure_part(bench, plain);
        whole[round] = measure_part(bench, watch);
        alarms_tick(&bench->alarms, bench->now);
    }
    /* Something that finds nothing would be fast. */
    if (bench->breaches == 0 || bench->alarms.sequence == 0)
        fail("nothing was ever breached");
    print_rounds("plain", alone, rounds);
    print_rounds("watch", whole, rounds);
    free(alone);
    free(whole);
}

int main(int argc, char **argv)
{
    struct bench bench;
    if (argc != 3)
        fail("usage: evaluate SERIES ROUNDS");
    size_t n = number_of(argv[1]), rounds = number_of(argv[2]);
    begin(&bench, n);
    size_t before = mallinfo2().uordblks;
    const struct series_producer producer = measure_producer(&bench.measure);
    watches_sync(&bench.watches, &producer, 1, bench.config, bench.now);
    size_t used = mallinfo2().uordblks - before;
    if (bench.watches.watches.count != n)
        fail("series are not watched");
    run(&bench, rounds);
    printf("bytes %.1f\n", (double)used / (double)n);
    watches_close(&bench.watches);
    alarms_close(&bench.alarms);
    config_free(bench.config);
    return 0;
}
