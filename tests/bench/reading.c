/* What it costs dcampd to read programs that publish their own sensors: reading [PROGRAMS
 * [PASSES]]. Their files are in a directory of its own below that which TMPDIR names.
 *
 * 100 programs of 4 threads have 50 sensors each, and count in all of them between two passes.
 * Prints the CPU time of a pass and of one program in it, and the octets that were read: of words
 * and buckets alone, and of tops and records of steps as well. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "application/directory.h"
#include "base/clock.h"
#include "libdcamp/dcamp.h"

#define SENSORS 50
#define THREADS 4

struct load {
    struct dcamp_counter *counter[20];
    struct dcamp_gauge *gauge[5];
    struct dcamp_timer *timer[15];
    struct dcamp_histogram *histogram[5];
    struct dcamp_top *top[2];
    struct dcamp_step *step[3];
};

_Static_assert(sizeof(struct load) == SENSORS * sizeof(void *), "sensors");

#define MAKE(kind, ...)                                                                            \
    for (size_t i = 0; i < sizeof load->kind / sizeof *load->kind; i++) {                          \
        snprintf(name, sizeof name, #kind "%zu", i);                                               \
        load->kind[i] = dcamp_##kind##_new(app, name, __VA_ARGS__);                                \
    }
#define EACH(kind, ...)                                                                            \
    for (size_t i = 0; i < sizeof load->kind / sizeof *load->kind; i++)                            \
    __VA_ARGS__

static void make(struct load *load)
{
    char name[32];
    struct dcamp_app *app = dcamp_app_open("reading");
    MAKE(counter, "", "x")
    MAKE(gauge, "", "x")
    MAKE(timer, "")
    MAKE(histogram, "", "x")
    MAKE(top, "", "x")
    MAKE(step, "", "")
    if (dcamp_error())
        fprintf(stderr, "reading: %s\n", dcamp_reason());
}

static void *count(void *argument)
{
    const struct load *load = argument;
    char key[16];
    for (int n = 0; n < 30; n++) {
        snprintf(key, sizeof key, "key%d", n);
        EACH(counter, dcamp_counter_add(load->counter[i], 1));
        EACH(gauge, dcamp_gauge_set(load->gauge[i], n));
        EACH(timer, dcamp_timer_stop(load->timer[i], dcamp_timer_start(load->timer[i])));
        EACH(histogram, dcamp_histogram_record(load->histogram[i], 1 << n));
        EACH(top, dcamp_top_add(load->top[i], key, 1));
        EACH(step, dcamp_step_end(load->step[i], dcamp_step_begin(load->step[i], 1), 0));
    }
    return NULL;
}

/* One user may have 64 files: if this is root, it gives each 50 programs to another user. */
static void be_another(unsigned program)
{
    if (geteuid() == 0 && setuid(20000 + program / 50) < 0)
        _exit(1);
}

/* Counts each time that it is told to. */
static void run(unsigned program, int go, int done)
{
    struct load load;
    pthread_t thread[THREADS];
    char octet;
    be_another(program);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    make(&load);
    while (read(go, &octet, 1) == 1) {
        for (size_t i = 0; i < THREADS; i++)
            if (pthread_create(&thread[i], NULL, count, &load) != 0)
                _exit(1);
        for (size_t i = 0; i < THREADS; i++)
            pthread_join(thread[i], NULL);
        if (write(done, &octet, 1) != 1)
            break;
    }
    _exit(0);
}

struct child {
    pid_t pid;
    int go, done;
};

static struct child start(unsigned program)
{
    int go[2], done[2];
    if (pipe(go) < 0 || pipe(done) < 0)
        exit(1);
    struct child is = {fork(), go[1], done[0]};
    if (is.pid == 0)
        run(program, go[0], done[1]);
    close(go[0]);
    close(done[1]);
    return is;
}

static void all_count(const struct child *child, unsigned n)
{
    char octet = 0;
    for (unsigned i = 0; i < n; i++)
        if (write(child[i].go, &octet, 1) != 1)
            exit(1);
    for (unsigned i = 0; i < n; i++)
        if (read(child[i].done, &octet, 1) != 1)
            exit(1);
}

static double cpu_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static void measure(struct directory *directory, const char *what, unsigned wanted,
                    const struct child *child, unsigned n, unsigned passes)
{
    double sum = 0;
    uint64_t octets = 0;
    for (unsigned i = 0; i < passes + 1; i++) {
        all_count(child, n);
        double before = cpu_ms();
        directory_pass(directory, clock_mono_ns(), wanted, NULL);
        if (i > 0) {
            sum += cpu_ms() - before;
            octets += directory_cost(directory).octets;
        }
    }
    double reads = (double)passes * (double)directory_cost(directory).files;
    printf("%-20s %8.3f ms/pass %8.1f us/program %8.0f octets/program, %.0f programs\n", what,
           sum / passes, sum / reads * 1e3, (double)octets / reads, reads / passes);
}

/* One more pass removes those that are dead. */
static void end_all(struct directory *directory, const struct child *child, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        kill(child[i].pid, SIGKILL);
    for (unsigned i = 0; i < n; i++)
        waitpid(child[i].pid, NULL, 0);
    directory_pass(directory, clock_mono_ns(), 0, NULL);
    directory_free(directory);
}

int main(int argc, char **argv)
{
    unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
    unsigned passes = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
    char path[PATH_MAX];
    const char *parent = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/dcamp-reading.XXXXXX", parent ? parent : "/tmp");
    struct child *child = calloc(n, sizeof *child);
    if (!child || passes == 0 || !mkdtemp(path) || chmod(path, 01777) < 0)
        return 1;
    setenv(SEGMENT_DIRECTORY_VARIABLE, path, 1);
    for (unsigned i = 0; i < n; i++)
        child[i] = start(i);
    struct directory *directory = directory_new(path);
    if (!directory)
        return 1;
    all_count(child, n);
    directory_pass(directory, clock_mono_ns(), 0, NULL);
    measure(directory, "words and buckets", 0, child, n, passes);
    measure(directory, "tops and steps, too", PROGRAM_TOPS | PROGRAM_STEPS, child, n, passes);
    end_all(directory, child, n);
    free(child);
    return rmdir(path) < 0;
}
