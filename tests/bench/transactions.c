/* What sensors of a program cost it.
 *
 *   transactions updates ROUNDS
 *   transactions throughput THREADS PAIRS
 *
 * With the former, a round makes many updates of each kind, one kind after the other; it prints the
 * name of a kind and, in nanoseconds for each update, median, least and greatest of the rounds.
 * Beside those of libdcamp there are an addition to one word by a relaxed atomic instruction, two
 * readings of the clock, and a datagram of statsd to a socket on loopback that is read by nobody.
 *
 * With the latter, threads make transactions of some 10 microseconds each, with and without 50
 * sensors, in turn. A transaction computes, and enters the result in one of many accounts, each of
 * which has a key and a lock. A pair is two spans of time, one of each, in changing order. It
 * prints "throughput", by how many percent the transactions per second with sensors are fewer than
 * those without, of all pairs, and the ends of the interval that has the mean with a confidence of
 * 95 %; then "transaction" and the microseconds that one takes without sensors, by CPU time, and
 * "updates" and how many each makes. */
#include <arpa/inet.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libdcamp/dcamp.h"
#include "rounds.h"

static uint64_t wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct dcamp_app *open_app(void)
{
    struct dcamp_app *app = dcamp_app_open("transactions");
    if (dcamp_error())
        fail(dcamp_reason());
    return app;
}

/* Timers read another clock when they have been in use for 0.1 s. */
static void warm_up(struct dcamp_timer *timer)
{
    for (uint64_t begin = wall_ns(); wall_ns() - begin < 200000000;)
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
}

/* -- Updates ----------------------------------------------------------------------------------- */

#define KEYS 4096

static struct {
    struct dcamp_counter *counter;
    struct dcamp_gauge *gauge;
    struct dcamp_timer *timer;
    struct dcamp_histogram *histogram;
    struct dcamp_top *top;
    struct dcamp_step *step;
    char key[KEYS][16];
    uint64_t word;
    int receiver, sender;
    struct sockaddr_in address;
} kinds;

/* Of 100,000 keys, with the frequencies of Zipf's law and the exponent 1. */
static void make_keys(void)
{
    unsigned seed = 3;
    for (size_t i = 0; i < KEYS; i++) {
        double part = (double)rand_r(&seed) / RAND_MAX;
        snprintf(kinds.key[i], sizeof *kinds.key, "key%.0f", floor(pow(100000, part)));
    }
}

static void make_sockets(void)
{
    socklen_t size = sizeof kinds.address;
    kinds.address = (struct sockaddr_in){.sin_family = AF_INET};
    kinds.address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    kinds.receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    kinds.sender = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (bind(kinds.receiver, (struct sockaddr *)&kinds.address, size) < 0 ||
        getsockname(kinds.receiver, (struct sockaddr *)&kinds.address, &size) < 0)
        fail("there is no socket");
}

static void update_atomic(size_t i)
{
    (void)i;
    __atomic_fetch_add(&kinds.word, 1, __ATOMIC_RELAXED);
}

static void update_clock(size_t i)
{
    struct timespec now;
    (void)i;
    clock_gettime(CLOCK_MONOTONIC, &now);
    clock_gettime(CLOCK_MONOTONIC, &now);
}

static void update_statsd(size_t i)
{
    char text[64];
    int length = snprintf(text, sizeof text, "orders.done:%zu|c", i);
    sendto(kinds.sender, text, (size_t)length, 0, (struct sockaddr *)&kinds.address,
           sizeof kinds.address);
}

static void update_counter(size_t i)
{
    (void)i;
    dcamp_counter_add(kinds.counter, 1);
}

static void update_gauge(size_t i)
{
    dcamp_gauge_set(kinds.gauge, (double)i);
}

static void update_timer(size_t i)
{
    (void)i;
    dcamp_timer_stop(kinds.timer, dcamp_timer_start(kinds.timer));
}

static void update_histogram(size_t i)
{
    dcamp_histogram_record(kinds.histogram, (double)(i % 1000 + 1));
}

static void update_top(size_t i)
{
    dcamp_top_add(kinds.top, kinds.key[i % KEYS], 1);
}

static void update_step(size_t i)
{
    dcamp_step_end(kinds.step, dcamp_step_begin(kinds.step, i), 0);
}

static const struct {
    const char *name;
    void (*update)(size_t i);
    size_t n;
} kind[] = {
    {"atomic", update_atomic, 300000}, {"counter", update_counter, 300000},
    {"gauge", update_gauge, 300000},   {"clock", update_clock, 30000},
    {"timer", update_timer, 30000},    {"histogram", update_histogram, 100000},
    {"top", update_top, 100000},       {"step", update_step, 30000},
    {"statsd", update_statsd, 2000},
};
#define N_KINDS (sizeof kind / sizeof *kind)

static int measure_updates(size_t rounds)
{
    double *ns[N_KINDS];
    struct dcamp_app *app = open_app();
    kinds.counter = dcamp_counter_new(app, "counter", "", "x");
    kinds.gauge = dcamp_gauge_new(app, "gauge", "", "x");
    kinds.timer = dcamp_timer_new(app, "timer", "");
    kinds.histogram = dcamp_histogram_new(app, "histogram", "", "x");
    kinds.top = dcamp_top_new(app, "top", "", "x");
    kinds.step = dcamp_step_new(app, "step", "", "");
    make_keys();
    make_sockets();
    warm_up(kinds.timer);
    for (size_t k = 0; k < N_KINDS; k++)
        ns[k] = allocate(rounds, sizeof *ns[k]);
    for (size_t round = 0; round < rounds; round++)
        for (size_t k = 0; k < N_KINDS; k++) {
            uint64_t begin = cpu_ns();
            for (size_t i = 0; i < kind[k].n; i++)
                kind[k].update(i);
            ns[k][round] = (double)(cpu_ns() - begin) / (double)kind[k].n;
        }
    for (size_t k = 0; k < N_KINDS; k++) {
        print_rounds(kind[k].name, ns[k], rounds);
        free(ns[k]);
    }
    return 0;
}

/* -- Throughput -------------------------------------------------------------------------------- */

#define COUNTERS 24
#define TIMERS 12
#define GAUGES 4
#define HISTOGRAMS 6
#define TOPS 2
#define STEPS 2
#define TRANSACTION_NS 10000
#define SPAN_NS 50000000

static struct {
    struct dcamp_counter *counter[COUNTERS];
    struct dcamp_timer *timer[TIMERS];
    struct dcamp_gauge *gauge[GAUGES];
    struct dcamp_histogram *histogram[HISTOGRAMS];
    struct dcamp_top *top[TOPS];
    struct dcamp_step *step[STEPS];
} sensors;

static atomic_bool with_sensors, done;

struct worker {
    pthread_t thread;
    _Atomic uint64_t transactions;
    uint64_t result;
    unsigned rounds;
} __attribute__((aligned(128)));

static void make_sensors(void)
{
    char name[16];
    struct dcamp_app *app = open_app();
    for (int i = 0; i < COUNTERS; i++) {
        snprintf(name, sizeof name, "counter%d", i);
        sensors.counter[i] = dcamp_counter_new(app, name, "", "x");
    }
    for (int i = 0; i < TIMERS; i++) {
        snprintf(name, sizeof name, "timer%d", i);
        sensors.timer[i] = dcamp_timer_new(app, name, "");
    }
    for (int i = 0; i < GAUGES; i++) {
        snprintf(name, sizeof name, "gauge%d", i);
        sensors.gauge[i] = dcamp_gauge_new(app, name, "", "x");
    }
    for (int i = 0; i < HISTOGRAMS; i++) {
        snprintf(name, sizeof name, "histogram%d", i);
        sensors.histogram[i] = dcamp_histogram_new(app, name, "", "B");
    }
    for (int i = 0; i < TOPS; i++) {
        snprintf(name, sizeof name, "top%d", i);
        sensors.top[i] = dcamp_top_new(app, name, "", "x");
    }
    for (int i = 0; i < STEPS; i++) {
        snprintf(name, sizeof name, "step%d", i);
        sensors.step[i] = dcamp_step_new(app, name, "", "work");
    }
    if (dcamp_error())
        fail(dcamp_reason());
}

/* What transactions enter their results in, all threads in the same ones. */
struct account {
    pthread_mutex_t lock;
    uint64_t turnover;
    char key[16];
} __attribute__((aligned(64)));

static struct account account[KEYS];

static void make_accounts(void)
{
    make_keys();
    for (size_t i = 0; i < KEYS; i++) {
        pthread_mutex_init(&account[i].lock, NULL);
        memcpy(account[i].key, kinds.key[i], sizeof account[i].key);
    }
}

static void enter(struct account *into, uint64_t result)
{
    pthread_mutex_lock(&into->lock);
    into->turnover += result;
    pthread_mutex_unlock(&into->lock);
}

/* What a transaction computes: a chain of operations, each of which needs the one before. */
static uint64_t compute(uint64_t value, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        value ^= value << 13;
        value ^= value >> 7;
        value ^= value << 17;
        value *= UINT64_C(0x9e3779b97f4a7c15);
    }
    return value;
}

/* What every transaction updates, taking the sensors in turn: eight counters, a gauge and a timer,
 * which in every eighth one is that of a step; and in every fourth one also a histogram and a
 * top. */
#define UPDATES 10.5

static void count_transaction(uint64_t n, uint64_t result, const char *key)
{
    for (unsigned i = 0; i < 8; i++)
        dcamp_counter_add(sensors.counter[(n + i * 3) % COUNTERS], 1);
    dcamp_gauge_set(sensors.gauge[n % GAUGES], (double)n);
    if (n % 4)
        return;
    dcamp_histogram_record(sensors.histogram[n / 4 % HISTOGRAMS], (double)(result % 100000));
    dcamp_top_add(sensors.top[n / 4 % TOPS], key, 1);
}

static uint64_t transact_counted(uint64_t n, uint64_t value, unsigned rounds, struct account *into)
{
    if (n % 8 == 0) {
        struct dcamp_step *step = sensors.step[n / 8 % STEPS];
        struct dcamp_execution execution = dcamp_step_begin(step, n);
        value = compute(value, rounds);
        enter(into, value);
        count_transaction(n, value, into->key);
        dcamp_step_end(step, execution, 0);
    } else {
        struct dcamp_timer *timer = sensors.timer[n % TIMERS];
        uint64_t begin = dcamp_timer_start(timer);
        value = compute(value, rounds);
        enter(into, value);
        count_transaction(n, value, into->key);
        dcamp_timer_stop(timer, begin);
    }
    return value;
}

static uint64_t transact(uint64_t n, uint64_t value, unsigned rounds)
{
    struct account *into = &account[value % KEYS];
    if (atomic_load_explicit(&with_sensors, memory_order_relaxed))
        return transact_counted(n, value, rounds, into);
    value = compute(value, rounds);
    enter(into, value);
    return value;
}

/* How many rounds of work take this time. Of several attempts the fastest counts, for nothing else
 * has run meanwhile. */
static unsigned rounds_of(uint64_t ns)
{
    enum { ROUNDS = 100000 };
    uint64_t fastest = UINT64_MAX, value = 1;
    for (int i = 0; i < 20; i++) {
        uint64_t begin = cpu_ns();
        value = compute(value, ROUNDS);
        uint64_t took = cpu_ns() - begin;
        fastest = took < fastest ? took : fastest;
    }
    if (value == 0 || fastest == 0)
        fail("there is no clock");
    return (unsigned)(ns * ROUNDS / fastest);
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    uint64_t value = (uintptr_t)worker | 1;
    for (uint64_t n = 0; !atomic_load_explicit(&done, memory_order_relaxed); n++) {
        value = transact(n, value, worker->rounds);
        atomic_store_explicit(&worker->transactions, n + 1, memory_order_relaxed);
    }
    worker->result = value;
    return NULL;
}

/* Transactions per second, and the CPU time of each. */
static double measure_span(struct worker *workers, size_t threads, bool on, double *cpu)
{
    uint64_t before = 0, after = 0;
    atomic_store(&with_sensors, on);
    usleep(2000);
    uint64_t begin = wall_ns(), used = cpu_ns();
    for (size_t i = 0; i < threads; i++)
        before += atomic_load(&workers[i].transactions);
    while (wall_ns() - begin < SPAN_NS)
        usleep(1000);
    for (size_t i = 0; i < threads; i++)
        after += atomic_load(&workers[i].transactions);
    uint64_t took = wall_ns() - begin;
    if (after == before)
        fail("there were no transactions");
    *cpu += (double)(cpu_ns() - used) / (double)(after - before);
    return (double)(after - before) * 1e9 / (double)took;
}

static void print_interval(const double *loss, size_t pairs)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < pairs; i++)
        sum += loss[i];
    double mean = sum / (double)pairs;
    for (size_t i = 0; i < pairs; i++)
        squares += (loss[i] - mean) * (loss[i] - mean);
    double half = 1.96 * sqrt(squares / (double)(pairs - 1) / (double)pairs);
    printf("throughput %.3f %.3f %.3f\n", mean, mean - half, mean + half);
}

static int measure_throughput(size_t threads, size_t pairs)
{
    struct worker *workers = aligned_alloc(128, threads * sizeof *workers);
    double *loss = allocate(pairs, sizeof *loss), cpu_off = 0, cpu_on = 0;
    if (!workers || pairs < 30)
        fail("a confidence interval needs 30 pairs");
    memset(workers, 0, threads * sizeof *workers);
    make_accounts();
    make_sensors();
    warm_up(sensors.timer[0]);
    unsigned rounds = rounds_of(TRANSACTION_NS);
    for (size_t i = 0; i < threads; i++) {
        workers[i].rounds = rounds;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            fail("there is no thread");
    }
    for (size_t i = 0; i < pairs; i++) {
        double off = 0, on;
        if (i % 2 == 0)
            off = measure_span(workers, threads, false, &cpu_off);
        on = measure_span(workers, threads, true, &cpu_on);
        if (i % 2 == 1)
            off = measure_span(workers, threads, false, &cpu_off);
        loss[i] = (1 - on / off) * 100;
    }
    atomic_store(&done, true);
    for (size_t i = 0; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
    print_interval(loss, pairs);
    printf("transaction %.2f\ncpu %.2f\nupdates %.1f\n", cpu_off / (double)pairs / 1000,
           (cpu_on / cpu_off - 1) * 100, UPDATES);
    free(loss);
    free(workers);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "updates") == 0)
        return measure_updates(number_of(argv[2]));
    if (argc == 4 && strcmp(argv[1], "throughput") == 0)
        return measure_throughput(number_of(argv[2]), number_of(argv[3]));
    fail("usage: transactions updates ROUNDS | throughput THREADS PAIRS");
}
