/* A program with sensors for tests/integration/applications.sh and others, which does as it is
 * told:
 *
 *     add N              to its counter
 *     set VALUE          of its gauge
 *     work MS N [MS]     N times what takes that long: its timer; every fifth time the second one
 *     record VALUE N     N times, in its histogram
 *     mix N              0, 1 ... 999, 0 and so on, N of them, in the histogram
 *     step N FAILED      N executions, of which so many fail
 *     touch KEY N        of its top
 *     make NAME N        a counter whose instance has so many letters
 *     call INSTANCE N    a counter "calls" of that instance, without blanks, which has counted N
 *     crew N FIRST       N threads, of which the first adds FIRST to the counter, the next one
 *                        more, and so on; they live until it is told of another crew
 *     come N             N threads one after the other, each of which adds 1 to the counter
 *     fork N             N children one after the other, each of which adds 1 to the counter; every
 *                        second one then becomes another program, which adds 1, too
 *
 * After each line it prints what it has counted so far:
 *
 *     COUNTER GAUGE TIMES NANOSECONDS VALUES SUM BEGUN ENDED FAILED TOUCHED */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libdcamp/dcamp.h"

static struct {
    struct dcamp_counter *counter;
    struct dcamp_gauge *gauge;
    struct dcamp_timer *timer;
    struct dcamp_histogram *histogram;
    struct dcamp_step *step;
    struct dcamp_top *top;
} sensors;

static struct dcamp_app *application;

static struct {
    uint64_t counter, times, nanoseconds, values, begun, failed, touched;
    double gauge, sum;
} counted;

static void open_sensors(const char *name)
{
    struct dcamp_app *app = application = dcamp_app_open(name);
    sensors.counter = dcamp_counter_new(app, "orders", "", "orders");
    sensors.gauge = dcamp_gauge_new(app, "queue", "north", "jobs");
    sensors.timer = dcamp_timer_new(app, "payment", "card");
    sensors.histogram = dcamp_histogram_new(app, "weight", "", "kg");
    sensors.step = dcamp_step_new(app, "cook", "", "kitchen");
    sensors.top = dcamp_top_new(app, "dishes", "", "dishes");
    if (dcamp_error())
        fprintf(stderr, "%s\n", dcamp_reason());
}

static void sleep_ms(unsigned long ms)
{
    struct timespec pause = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    nanosleep(&pause, NULL);
}

static void work(unsigned long usual_ms, unsigned long n, unsigned long fifth_ms)
{
    for (unsigned long i = 0; i < n; i++) {
        uint64_t start = dcamp_timer_start(sensors.timer);
        sleep_ms(i % 5 == 4 ? fifth_ms : usual_ms);
        counted.nanoseconds += dcamp_timer_stop(sensors.timer, start);
        counted.times++;
    }
}

static void record(double value)
{
    dcamp_histogram_record(sensors.histogram, value);
    counted.values++;
    counted.sum += value;
}

static void step(unsigned long n, unsigned long failing)
{
    for (unsigned long i = 0; i < n; i++) {
        struct dcamp_execution execution = dcamp_step_begin(sensors.step, i);
        dcamp_step_end(sensors.step, execution, i < failing);
        counted.begun++;
        counted.failed += i < failing;
    }
}

static void make(const char *name, unsigned long letters)
{
    char instance[65] = "";
    memset(instance, 'i', letters < sizeof instance ? letters : sizeof instance - 1);
    dcamp_counter_new(application, name, instance, "");
}

static void call(const char *instance, unsigned long n)
{
    dcamp_counter_add(dcamp_counter_new(application, "calls", instance, ""), n);
    if (dcamp_error())
        fprintf(stderr, "%s\n", dcamp_reason());
}

/* -- Threads ----------------------------------------------------------------------------------- */

#define CREW_MAX 1000

static struct {
    pthread_mutex_t lock;
    pthread_cond_t news;
    pthread_t thread[CREW_MAX];
    unsigned long n, first, come;
    bool is_dismissed;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER, .news = PTHREAD_COND_INITIALIZER};

static void *serve(void *argument)
{
    char name[16];
    pthread_mutex_lock(&crew.lock);
    unsigned long i = crew.come;
    snprintf(name, sizeof name, "crew %lu", i);
    dcamp_thread_name(name);
    dcamp_counter_add(sensors.counter, crew.first + i);
    for (unsigned long n = 0; n < i; n++)
        dcamp_timer_record(sensors.timer, 1000);
    crew.come++;
    pthread_cond_broadcast(&crew.news);
    while (!crew.is_dismissed)
        pthread_cond_wait(&crew.news, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
    return argument;
}

static void dismiss(void)
{
    pthread_mutex_lock(&crew.lock);
    crew.is_dismissed = true;
    pthread_cond_broadcast(&crew.news);
    pthread_mutex_unlock(&crew.lock);
    for (unsigned long i = 0; i < crew.n; i++)
        pthread_join(crew.thread[i], NULL);
    crew.n = 0;
    crew.is_dismissed = false;
}

/* All have counted when this returns. */
static void hire(unsigned long n, unsigned long first)
{
    dismiss();
    crew.come = 0;
    crew.first = first;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 << 10);
    for (; crew.n < n && crew.n < CREW_MAX; crew.n++)
        if (pthread_create(&crew.thread[crew.n], &small, serve, NULL) != 0)
            exit(1);
    pthread_attr_destroy(&small);
    pthread_mutex_lock(&crew.lock);
    while (crew.come < crew.n)
        pthread_cond_wait(&crew.news, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
    for (unsigned long i = 0; i < crew.n; i++) {
        counted.counter += first + i;
        counted.times += i;
        counted.nanoseconds += i * 1000;
    }
}

static void *add_one(void *argument)
{
    dcamp_counter_add(sensors.counter, 1);
    return argument;
}

static void come(unsigned long n)
{
    pthread_t thread;
    for (unsigned long i = 0; i < n; i++) {
        if (pthread_create(&thread, NULL, add_one, NULL) != 0)
            exit(1);
        pthread_join(thread, NULL);
    }
    counted.counter += n;
}

static void fork_children(const char *name, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            add_one(NULL);
            if (i % 2)
                execl("/proc/self/exe", "driver", name, "once", (char *)NULL);
            _exit(i % 2);
        }
        if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
            exit(1);
        counted.counter += 1 + i % 2;
    }
}

static void obey(const char *name, const char *word, const char *first, unsigned long second,
                 unsigned long third)
{
    unsigned long number = strtoul(first, NULL, 10);
    double value = strtod(first, NULL);
    if (strcmp(word, "add") == 0) {
        dcamp_counter_add(sensors.counter, number);
        counted.counter += number;
    } else if (strcmp(word, "set") == 0) {
        dcamp_gauge_set(sensors.gauge, value);
        counted.gauge = value;
    } else if (strcmp(word, "work") == 0) {
        work(number, second, third);
    } else if (strcmp(word, "record") == 0) {
        for (unsigned long i = 0; i < second; i++)
            record(value);
    } else if (strcmp(word, "mix") == 0) {
        for (unsigned long i = 0; i < number; i++)
            record((double)(i % 1000));
    } else if (strcmp(word, "step") == 0) {
        step(number, second);
    } else if (strcmp(word, "make") == 0) {
        make(first, second);
    } else if (strcmp(word, "call") == 0) {
        call(first, second);
    } else if (strcmp(word, "come") == 0) {
        come(number);
    } else if (strcmp(word, "fork") == 0) {
        fork_children(name, number);
    } else if (strcmp(word, "crew") == 0) {
        hire(number, second);
    } else if (strcmp(word, "touch") == 0) {
        dcamp_top_add(sensors.top, first, second);
        counted.touched += second;
    }
}

int main(int argc, char **argv)
{
    char line[128], word[32], first[32];
    const char *name = argc > 1 ? argv[1] : "shop";
    open_sensors(name);
    if (argc > 2) {
        add_one(NULL);
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        unsigned long second = 0, third = 0;
        int n = sscanf(line, "%31s %31s %lu %lu", word, first, &second, &third);
        if (n < 2)
            return 1;
        obey(name, word, first, second, n > 3 ? third : strtoul(first, NULL, 10));
        printf("%" PRIu64 " %.17g %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g %" PRIu64 " %" PRIu64
               " %" PRIu64 " %" PRIu64 "\n",
               counted.counter, counted.gauge, counted.times, counted.nanoseconds, counted.values,
               counted.sum, counted.begun, counted.begun, counted.failed, counted.touched);
        fflush(stdout);
    }
    return 0;
}
