/* A program with sensors, for tests/integration/libdcamp.sh: what the first argument says.
 *
 * - work: every kind of sensor in threads that come and go, forks, closes and opens again
 * - repeat WHAT N: N updates after all that only the first ones need: counter, timer, duration (of
 *   a timer, which is known), top, lock, nothing
 * - image N: counts, and runs itself as image N - 1, down to 0
 * - fill: makes sensors and counts until nothing more can be published; then goes on
 * - plugin FILE N: loads an object, calls its function "plugin_count" in a thread, and unloads it;
 * N times
 *
 * It prints what it has counted, and exits with 0 unless something is not as it should be. */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libdcamp/dcamp.h"

static struct dcamp_app *app;
static struct dcamp_counter *counter;
static struct dcamp_gauge *gauge;
static struct dcamp_timer *timer;
static struct dcamp_histogram *histogram;
static struct dcamp_top *top;
static struct dcamp_step *step;
static struct dcamp_lock *lock;

static void open_sensors(void)
{
    app = dcamp_app_open("driver");
    counter = dcamp_counter_new(app, "counter", "", "x");
    gauge = dcamp_gauge_new(app, "gauge", "", "x");
    timer = dcamp_timer_new(app, "timer", "");
    histogram = dcamp_histogram_new(app, "histogram", "", "x");
    top = dcamp_top_new(app, "top", "", "x");
    step = dcamp_step_new(app, "step", "", "purpose");
    lock = dcamp_lock_new(app, "lock", "");
}

/* A lock that is free, or waited for, or not to be had. */
static void use_lock(unsigned how)
{
    struct dcamp_claim claim = dcamp_lock_arrive(lock);
    if (how == 1)
        dcamp_lock_wait(lock, &claim);
    if (how < 2) {
        dcamp_lock_acquire(lock, &claim);
        dcamp_lock_release(lock, &claim);
    } else {
        dcamp_lock_fail(lock, &claim);
    }
}

/* -- work -------------------------------------------------------------------------------------- */

static void *use_all(void *seed)
{
    unsigned number = *(unsigned *)seed;
    dcamp_thread_name("worker");
    for (unsigned i = 0; i < 300; i++) {
        char key[16];
        struct dcamp_execution execution = dcamp_step_begin(step, i);
        uint64_t start = dcamp_timer_start(timer);
        snprintf(key, sizeof key, "%u", (unsigned)rand_r(&number) % 2000);
        dcamp_counter_add(counter, 1);
        dcamp_gauge_add(gauge, i % 2 ? 1 : -1);
        dcamp_histogram_record(histogram, (double)i - 150);
        dcamp_top_add(top, key, 1);
        dcamp_timer_stop(timer, start);
        use_lock(i % 3);
        dcamp_step_end(step, execution, 0);
        if (i % 100 == 0)
            dcamp_counter_new(app, key, "", "");
    }
    return NULL;
}

static void *stay(void *until)
{
    sem_wait(until);
    return NULL;
}

/* Another thread is there while it forks: without one, ThreadSanitizer checks the child as well,
 * and reports races with threads of the parent that have ended and were not joined yet. */
static int fork_once(void)
{
    int status;
    sem_t forked;
    pthread_t thread;
    sem_init(&forked, 0, 0);
    if (pthread_create(&thread, NULL, stay, &forked))
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        unsigned seed = 1;
        use_all(&seed);
        _exit(0);
    }
    sem_post(&forked);
    pthread_join(thread, NULL);
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

static int work(void)
{
    enum { THREADS = 80 };
    pthread_t thread[THREADS];
    unsigned seed[THREADS];
    int error = 0;
    for (int round = 0; round < 2; round++) {
        open_sensors();
        for (unsigned i = 0; i < THREADS; i++) {
            seed[i] = i;
            error |= pthread_create(&thread[i], NULL, use_all, &seed[i]);
            if (i == THREADS / 2)
                error |= fork_once();
        }
        if (round == 0)
            dcamp_app_close(app);
        for (unsigned i = 0; i < THREADS; i++)
            error |= pthread_join(thread[i], NULL);
    }
    printf("%s\n", dcamp_error() ? dcamp_reason() : "published");
    return error;
}

/* -- repeat ------------------------------------------------------------------------------------ */

static int repeat(const char *what, unsigned long n)
{
    open_sensors();
    dcamp_timer_stop(timer, dcamp_timer_start(timer));
    nanosleep(&(struct timespec){.tv_nsec = 150000000}, NULL);
    for (int i = 0; i < 100; i++) {
        dcamp_counter_add(counter, 1);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
        dcamp_timer_record(timer, 1000);
        dcamp_top_add(top, "key", 1);
        use_lock(0);
    }
    for (unsigned long i = 0; i < n; i++)
        if (*what == 'c')
            dcamp_counter_add(counter, 1);
        else if (*what == 'd')
            dcamp_timer_record(timer, 1000);
        else if (*what == 'l')
            use_lock(0);
        else if (*what == 't' && what[1] == 'i')
            dcamp_timer_stop(timer, dcamp_timer_start(timer));
        else if (*what == 't')
            dcamp_top_add(top, "key", 1);
    printf("%s\n", dcamp_timer_start(timer) & 1 ? "tsc" : "gettime");
    return 0;
}

/* -- image, fill, plugin ----------------------------------------------------------------------- */

static int become(char *program, unsigned long n)
{
    char text[16];
    open_sensors();
    dcamp_counter_add(counter, 100 + n);
    printf("%s\n", dcamp_error() ? dcamp_reason() : "published");
    fflush(stdout);
    snprintf(text, sizeof text, "%lu", n - 1);
    return n == 0 ? 0 : execv(program, (char *[]){program, "image", text, NULL});
}

static int fill(void)
{
    char text[16];
    int error = 0;
    open_sensors();
    for (unsigned i = 0; i < 100000; i++) {
        snprintf(text, sizeof text, "key%u", i);
        dcamp_counter_add(counter, 1);
        dcamp_top_add(top, text, 1);
        dcamp_histogram_record(histogram, i % 2 ? i : 1.0 / (i + 1));
        dcamp_step_end(step, dcamp_step_begin(step, i), 0);
        if (!error) {
            dcamp_timer_new(app, text, "");
            error = dcamp_error();
        }
    }
    printf("%s\n", dcamp_reason());
    return error ? 0 : 1;
}

static void *call(void *function)
{
    ((void (*)(void))(uintptr_t)function)();
    return NULL;
}

static int load(const char *file, unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        pthread_t thread;
        void *object = dlopen(file, RTLD_NOW);
        void *function = object ? dlsym(object, "plugin_count") : NULL;
        if (!function || pthread_create(&thread, NULL, call, function)) {
            fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        pthread_join(thread, NULL);
        dlclose(object);
    }
    puts("done");
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    unsigned long n = argc > 2 ? strtoul(argv[argc - 1], NULL, 10) : 0;
    if (strcmp(what, "work") == 0)
        return work();
    if (strcmp(what, "repeat") == 0 && argc == 4)
        return repeat(argv[2], n);
    if (strcmp(what, "image") == 0 && argc == 3)
        return become(argv[0], n);
    if (strcmp(what, "fill") == 0)
        return fill();
    if (strcmp(what, "plugin") == 0 && argc == 4)
        return load(argv[2], n);
    fprintf(stderr, "libdcamp-driver: see its source\n");
    return 2;
}
