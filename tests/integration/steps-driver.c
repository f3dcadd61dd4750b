/* A program with steps, a lock and times between arrivals for tests/integration/stepping.sh, which
 * does as it is told:
 *
 *     run STEP SEQUENCE MS RESULT     an execution that takes that long
 *     many STEP SEQUENCE N 0          N executions one after the other, from that sequence on
 *     arrive KIND SEED N 0            N times between arrivals into a timer with the name of their
 *                                     kind: chance, regular, bursts; 5 ms in the mean
 *     lock ARRIVALS WAITS HOLDS US    what a lock counts, each hold of so many microseconds
 *
 * After each line it prints when, in nanoseconds since 1970, that began and ended. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "libdcamp/dcamp.h"

#define MEAN_NS 5e6
#define IN_BURST 10

static struct dcamp_app *app;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void run(const char *name, uint64_t sequence, long ms, int32_t result)
{
    struct dcamp_step *step = dcamp_step_new(app, name, "", "test");
    struct dcamp_execution execution = dcamp_step_begin(step, sequence);
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
    dcamp_step_end(step, execution, result);
}

static void many(const char *name, uint64_t sequence, long n)
{
    struct dcamp_step *step = dcamp_step_new(app, name, "", "test");
    for (long i = 0; i < n; i++)
        dcamp_step_end(step, dcamp_step_begin(step, sequence + (uint64_t)i), 0);
}

static double time_of(const char *kind, long i)
{
    if (strcmp(kind, "chance") == 0)
        return -log1p(-drand48()) * MEAN_NS;
    if (strcmp(kind, "regular") == 0)
        return MEAN_NS;
    return i % IN_BURST ? 1000 : IN_BURST * MEAN_NS - (IN_BURST - 1) * 1000;
}

static void arrive(const char *kind, long seed, long n)
{
    struct dcamp_timer *timer = dcamp_timer_new(app, kind, "");
    srand48(seed);
    for (long i = 0; i < n; i++)
        dcamp_timer_record(timer, (uint64_t)time_of(kind, i));
}

/* The sensors that dcamp_lock_new() makes. */
static void lock(uint64_t arrivals, uint64_t waits, long holds, int us)
{
    struct dcamp_timer *hold = dcamp_timer_new(app, "stock.hold", "");
    dcamp_counter_add(dcamp_counter_new(app, "stock.failures", "", "failures"), 0);
    dcamp_counter_add(dcamp_counter_new(app, "stock.arrivals", "", "arrivals"), arrivals);
    dcamp_counter_add(dcamp_counter_new(app, "stock.waits", "", "waits"), waits);
    for (long i = 0; i < holds; i++)
        dcamp_timer_record(hold, (uint64_t)us * 1000);
}

static void obey(const char *word, const char *first, uint64_t second, long third, int fourth)
{
    if (strcmp(word, "run") == 0)
        run(first, second, third, fourth);
    else if (strcmp(word, "many") == 0)
        many(first, second, third);
    else if (strcmp(word, "arrive") == 0)
        arrive(first, (long)second, third);
    else if (strcmp(word, "lock") == 0)
        lock(strtoull(first, NULL, 10), second, third, fourth);
}

int main(int argc, char **argv)
{
    char line[128], word[32], first[32];
    uint64_t second;
    long third;
    int fourth;
    app = dcamp_app_open(argc > 1 ? argv[1] : "shop");
    if (dcamp_error())
        fprintf(stderr, "%s\n", dcamp_reason());
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "%31s %31s %" SCNu64 " %ld %d", word, first, &second, &third, &fourth) !=
            5)
            return 1;
        uint64_t begun = now_ns();
        obey(word, first, second, third, fourth);
        printf("%" PRIu64 " %" PRIu64 "\n", begun, now_ns());
        fflush(stdout);
    }
    return 0;
}
