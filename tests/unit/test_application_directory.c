/* The directory of segments: programs that live, fork, run others and are killed, and files of
 * those who mean no good. */
#include "application/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libdcamp/dcamp.h"
#include "tests/unit/forged.h"
#include "tests/unit/heap.h"
#include "tests/unit/said.h"
#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define WANTS_ALL (PROGRAM_TOPS | PROGRAM_STEPS | PROGRAM_THREADS)

static char path[64];
static struct directory *directory;
static uint64_t now_ns;
static unsigned records;

/* -- The directory ----------------------------------------------------------------------------- */

static void stepped(void *context, const struct program *program, struct application_series *series,
                    const struct segment_record *record)
{
    (void)context;
    (void)program;
    (void)series;
    (void)record;
    records++;
}

static const struct program_observer observer = {NULL, stepped};

static void pass_after(uint64_t ns)
{
    now_ns += ns;
    assert_int_equal(directory_pass(directory, now_ns, WANTS_ALL, &observer), 0);
}

static void pass(void)
{
    pass_after(S);
}

/* Two passes over nothing come first: what is there after them has come since. */
static int open_directory(void **state)
{
    (void)state;
    segments_use(path, sizeof path);
    directory = directory_new(path);
    assert_non_null(directory);
    now_ns = 1000 * S;
    records = 0;
    pass();
    said_begin();
    return 0;
}

static int close_directory(void **state)
{
    (void)state;
    said_end();
    directory_free(directory);
    segments_remove(path);
    return 0;
}

static size_t files(void)
{
    return directory_cost(directory).files;
}

static const struct application_series *series_of(const char *application, const char *name)
{
    const struct application *is = directory_applications(directory)->by_key;
    for (; is; is = is->hh.next) {
        const struct application_series *series = is->series;
        for (; series; series = series->hh.next)
            if (segment_text_is(is->key.name, SEGMENT_NAME, application) &&
                segment_text_is(series->key.name, SEGMENT_NAME, name))
                return series;
    }
    return NULL;
}

static uint64_t total(const char *application, const char *name)
{
    const struct application_series *series = series_of(application, name);
    return series ? series->total[0] : 0;
}

/* -- Programs ---------------------------------------------------------------------------------- */

struct writer {
    pid_t pid;
    int go, done; /* pipes: it counts once more; it has */
};

static void play(const struct writer *writer, void (*count)(void))
{
    char octet;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(writer->go, &octet, 1) == 1 && octet) {
        count();
        if (write(writer->done, &octet, 1) != 1)
            break;
    }
    _exit(0);
}

static void once_more(const struct writer *writer)
{
    char octet = 1;
    assert_int_equal(write(writer->go, &octet, 1), 1);
    assert_int_equal(read(writer->done, &octet, 1), 1);
}

/* A process that has called the function once. */
static struct writer start(void (*count)(void))
{
    int to[2], from[2];
    assert_int_equal(pipe2(to, O_CLOEXEC), 0);
    assert_int_equal(pipe2(from, O_CLOEXEC), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(to[1]);
        close(from[0]);
        play(&(struct writer){0, to[0], from[1]}, count);
    }
    close(to[0]);
    close(from[1]);
    struct writer writer = {pid, to[1], from[0]};
    once_more(&writer);
    return writer;
}

/* By a signal, or in order: 0. */
static void end(const struct writer *writer, int signal)
{
    int status;
    char octet = 0;
    if (signal)
        kill(writer->pid, signal);
    else
        assert_int_equal(write(writer->go, &octet, 1), 1);
    close(writer->go);
    close(writer->done);
    assert_int_equal(waitpid(writer->pid, &status, 0), writer->pid);
}

static void count_all(void)
{
    struct dcamp_app *app = dcamp_app_open("shop");
    dcamp_counter_add(dcamp_counter_new(app, "orders", "", "x"), 5);
    dcamp_gauge_set(dcamp_gauge_new(app, "queue", "", "x"), 2.5);
    struct dcamp_timer *timer = dcamp_timer_new(app, "timer", "");
    dcamp_timer_stop(timer, dcamp_timer_start(timer));
    dcamp_histogram_record(dcamp_histogram_new(app, "sizes", "", "B"), -3);
    dcamp_top_add(dcamp_top_new(app, "pages", "", "x"), "index", 7);
    struct dcamp_step *step = dcamp_step_new(app, "step", "", "");
    dcamp_step_end(step, dcamp_step_begin(step, 1), 0);
    if (dcamp_error())
        _exit(1);
}

static void assert_counted(uint64_t n)
{
    struct top_keys keys = {0};
    assert_int_equal(total("shop", "orders"), 5 * n);
    assert_int_equal(total("shop", "timer"), n);
    assert_int_equal(total("shop", "sizes"), n);
    assert_true(series_of("shop", "sizes")->sum == -3.0 * (double)n);
    assert_int_equal(total("shop", "pages"), 7 * n);
    assert_int_equal(application_keys(series_of("shop", "pages"), &keys), 0);
    assert_int_equal(keys.size, 1);
    assert_int_equal(keys.key[0].count, 7 * n);
    keys_release(&keys);
    assert_int_equal(total("shop", "step"), n);
    assert_int_equal(records, n);
}

static void a_program_is_read_until_it_is_killed(void **state)
{
    (void)state;
    struct writer writer = start(count_all);
    pass();
    assert_counted(1);
    assert_int_equal(files(), 1);
    assert_true(application_gauge(series_of("shop", "queue")) == 2.5);
    assert_int_equal(series_of("shop", "timer")->grown.count, 1);
    pass();
    assert_counted(1);
    assert_int_equal(series_of("shop", "timer")->grown.count, 0);
    once_more(&writer);
    pass();
    assert_counted(2);
    once_more(&writer);
    end(&writer, SIGKILL);
    pass();
    assert_counted(3);
    assert_int_equal(series_of("shop", "timer")->grown.count, 1);
    assert_int_equal(files(), 0);
    assert_int_equal(directory_cost(directory).removed, 1);
    assert_int_equal(segments_count(path), 0);
    assert_true(isnan(application_gauge(series_of("shop", "queue"))));
    pass();
    assert_counted(3);
    assert_string_equal(said_now(), "");
}

/* Born and dead between two passes: it is counted all the same. */
static void short_lives_are_counted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct writer writer = start(count_all);
        end(&writer, i % 2 ? SIGKILL : 0);
    }
    assert_int_equal(segments_count(path), 5);
    pass();
    assert_counted(5);
    assert_int_equal(segments_count(path), 0);
    assert_int_equal(series_of("shop", "timer")->grown.count, 5);
}

static void processes_of_one_name_add_up(void **state)
{
    (void)state;
    struct writer writer[4];
    for (size_t i = 0; i < N_OF(writer); i++)
        writer[i] = start(count_all);
    pass();
    assert_counted(4);
    assert_int_equal(files(), 4);
    assert_true(application_gauge(series_of("shop", "queue")) == 10);
    end(&writer[2], SIGKILL);
    once_more(&writer[1]);
    pass();
    assert_counted(5);
    assert_true(application_gauge(series_of("shop", "queue")) == 7.5);
    for (size_t i = 0; i < N_OF(writer); i++)
        if (i != 2)
            end(&writer[i], 0);
    pass();
    assert_counted(5);
    assert_int_equal(series_of("shop", "orders")->application->ended, 4);
}

/* The child of a fork has its own file. */
static void fork_and_count(void)
{
    count_all();
    pid_t pid = fork();
    if (pid == 0) {
        count_all();
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

static void a_fork_is_another_process(void **state)
{
    (void)state;
    struct writer writer = start(fork_and_count);
    pass();
    assert_counted(2);
    assert_int_equal(files(), 1);
    end(&writer, 0);
    pass();
    assert_counted(2);
}

/* A process that becomes another program renames the file that it had, and makes a new one. */
static void become_another(void)
{
    count_all();
    execl("/proc/self/exe", "again", path, (char *)NULL);
}

static void exec_keeps_what_was_counted(void **state)
{
    (void)state;
    struct writer writer = start(count_all);
    pass();
    end(&writer, 0);
    int to[2];
    assert_int_equal(pipe(to), 0);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(to[1], STDOUT_FILENO);
        become_another();
        _exit(1);
    }
    char octet;
    close(to[1]);
    assert_int_equal(read(to[0], &octet, 1), 1);
    assert_int_equal(segments_count(path), 3);
    pass();
    assert_int_equal(total("shop", "orders"), 5 * 3);
    assert_int_equal(files(), 1);
    assert_int_equal(segments_count(path), 1);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    close(to[0]);
    pass();
    assert_int_equal(total("shop", "orders"), 5 * 3);
    assert_int_equal(segments_count(path), 0);
}

/* What the second program of exec_keeps_what_was_counted does. */
static int again(const char *where)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv(SEGMENT_DIRECTORY_VARIABLE, where, 1);
    count_all();
    if (write(STDOUT_FILENO, "x", 1) != 1)
        return 1;
    pause();
    return 0;
}

/* Threads that count as fast as they can until they are killed: what is in the file then is the
 * total, in spite of whatever was read in between. */
static void *count_fast(void *argument)
{
    struct dcamp_app *app = dcamp_app_open("fast");
    struct dcamp_counter *counter = dcamp_counter_new(app, "n", "", "");
    struct dcamp_timer *timer = dcamp_timer_new(app, "timer", "");
    struct dcamp_top *top = dcamp_top_new(app, "top", "", "");
    char key[16];
    for (unsigned i = 0;; i++) {
        snprintf(key, sizeof key, "%u", i % 3000);
        dcamp_counter_add(counter, 1);
        dcamp_top_add(top, key, 1);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
    }
    return argument;
}

static void begin_to_count(void)
{
    pthread_t thread;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, count_fast, NULL);
}

static void threads_are_killed_while_they_count(void **state)
{
    (void)state;
    char file[256];
    for (unsigned round = 0; round < 3; round++) {
        uint64_t before = total("fast", "n"), timed = total("fast", "timer"), values = 0;
        struct writer writer = start(begin_to_count);
        segment_path(path, writer.pid, file, sizeof file);
        do {
            pass_after(NS_PER_MS);
            if (series_of("fast", "timer"))
                values += series_of("fast", "timer")->grown.count;
        } while (total("fast", "n") < before + 20000);
        end(&writer, SIGKILL);
        struct copy *copy = copy_of(file);
        assert_non_null(copy);
        assert_string_equal(copy->fault, "");
        uint64_t counted = copy_word(copy, copy_descriptor(copy, "n", ""), 0);
        uint64_t buckets = copy_buckets(copy, copy_descriptor(copy, "timer", ""), false);
        uint64_t times = copy_word(copy, copy_descriptor(copy, "timer", ""), 0);
        copy_free(copy);
        pass();
        values += series_of("fast", "timer")->grown.count;
        assert_int_equal(total("fast", "n"), before + counted);
        assert_int_equal(total("fast", "timer"), timed + times);
        assert_int_equal(values, buckets);
        assert_int_equal(segments_count(path), 0);
    }
    assert_string_equal(said_now(), "");
}

/* -- Files that are forged --------------------------------------------------------------------- */

static const char *file_in(const char *name)
{
    static char file[256];
    snprintf(file, sizeof file, "%s/%s", path, name);
    return file;
}

static int publish(const char *name, const struct forged *forged, bool lives)
{
    return forged_publish(forged, file_in(name), lives);
}

static struct forged *forge(const char *name, uint64_t count)
{
    struct forged *forged = forged_new(name);
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    *forged_word(forged, is, 0, 0) = count;
    return forged;
}

static void rewrite(int fd, const struct forged *forged)
{
    assert_int_equal(pwrite(fd, forged->octets, forged->size, 0), forged->size);
}

static void a_writer_may_cut_its_file(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    const off_t sizes[] = {8, 100, SEGMENT_HEADER_SIZE - 1, SEGMENT_HEADER_SIZE,
                           SEGMENT_HEADER_SIZE + 500};
    pass();
    assert_int_equal(files(), 1);
    for (size_t i = 0; i < N_OF(sizes); i++) {
        assert_int_equal(ftruncate(fd, sizes[i]), 0);
        pass();
        assert_int_equal(files(), 0);
        assert_int_equal(directory_cost(directory).waiting, 1);
        rewrite(fd, forged);
        pass();
        assert_int_equal(files(), 0);
        pass_after(DIRECTORY_AGAIN_NS);
        assert_int_equal(files(), 1);
        assert_int_equal(total("shop", "n"), 10);
    }
    const char *said = said_now();
    assert_non_null(strstr(said, "1.1 is not read: it ends at octet 8, within the header"));
    assert_null(strchr(strchr(said, '\n') + 1, '\n'));
    /* Cut to nothing it is one that is being created. */
    assert_int_equal(ftruncate(fd, 0), 0);
    pass();
    assert_int_equal(files(), 0);
    rewrite(fd, forged);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 1);
    close(fd);
    pass();
    assert_int_equal(segments_count(path), 0);
    forged_free(forged);
}

static void a_file_may_grow(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    pass();
    for (uint32_t i = 0; i < 500; i++)
        forged_panel(forged, 9, 0, i);
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "m", "", "x");
    *forged_word(forged, is, 60, 0) = 3;
    rewrite(fd, forged);
    pass();
    assert_int_equal(total("shop", "m"), 3);
    assert_int_equal(ftruncate(fd, SEGMENT_SIZE_MAX), 0);
    pass();
    assert_int_equal(files(), 1);
    assert_int_equal(ftruncate(fd, SEGMENT_SIZE_MAX + 1), 0);
    pass();
    assert_int_equal(files(), 0);
    assert_non_null(strstr(said_now(), "1.1 is not read: it has more than 16 MiB; more"));
    assert_int_equal(ftruncate(fd, INT64_C(1) << 40), 0);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 0);
    close(fd);
    forged_free(forged);
}

static void another_segment_in_a_file_is_another_process(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    pass();
    forged->header->opened++;
    *(uint64_t *)(void *)(forged->octets + forged->size - SEGMENT_PANEL_DATA) = 4;
    rewrite(fd, forged);
    pass();
    assert_int_equal(total("shop", "n"), 14);
    assert_int_equal(files(), 1);
    assert_int_equal(series_of("shop", "n")->application->processes, 1);
    close(fd);
    forged_free(forged);
}

static void a_counter_that_falls_does_not_lower_the_total(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    uint64_t *word = (uint64_t *)(void *)(forged->octets + forged->size - SEGMENT_PANEL_DATA);
    int fd = publish("1.1", forged, true);
    pass();
    uint64_t octets = directory_cost(directory).octets;
    *word = 4;
    rewrite(fd, forged);
    pass();
    assert_int_equal(total("shop", "n"), 10);
    assert_int_equal(directory_cost(directory).octets, 2 * octets);
    *word = 6;
    rewrite(fd, forged);
    pass();
    assert_int_equal(total("shop", "n"), 12);
    assert_int_equal(directory_cost(directory).octets, octets);
    close(fd);
    forged_free(forged);
}

/* -- Dead files -------------------------------------------------------------------------------- */

static void the_dead_are_removed(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    publish("1.1", forged, false);
    forged->header->major = 2;
    publish("2.1", forged, false);
    forged->header->major = 1;
    forged->header->panel_size = 7;
    publish("3.1", forged, false);
    publish("3.1.1", forged, false);
    forged->header->magic++;
    publish("4.1.9", forged, false);
    pass();
    assert_int_equal(total("shop", "n"), 10);
    assert_int_equal(segments_count(path), 0);
    assert_int_equal(directory_cost(directory).removed, 5);
    const char *said = said_now();
    assert_non_null(strstr(said, "2.1 is not read: it is of version 2.0, and this dcampd knows"));
    assert_non_null(strstr(said, ".1 is not read: panel_size, at octet 16, is 7 instead of 576"));
    assert_non_null(strstr(said, "4.1.9 is not read: it does not begin with \"dCAMPseg\""));
    forged_free(forged);
}

static void find_only_file(char file[256])
{
    glob_t found;
    char pattern[128];
    snprintf(pattern, sizeof pattern, "%s/*", path);
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 1);
    assert_true((size_t)snprintf(file, 256, "%s", found.gl_pathv[0]) < 256);
    globfree(&found);
}

/* Its keys come again with it, and it has neither ended nor started. */
static void what_is_read_again_brings_nothing_twice(void **state)
{
    (void)state;
    struct writer writer = start(count_all);
    char file[256];
    struct stat status;
    find_only_file(file);
    assert_int_equal(stat(file, &status), 0);
    pass();
    assert_int_equal(truncate(file, SEGMENT_SIZE_MAX + 1), 0);
    pass();
    assert_int_equal(files(), 0);
    assert_int_equal(truncate(file, status.st_size), 0);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 1);
    assert_counted(1);
    const struct application *shop = directory_applications(directory)->by_key;
    assert_int_equal(shop->processes + shop->ended, 1);
    end(&writer, SIGKILL);
    pass();
    assert_counted(1);
    assert_int_equal(shop->processes + shop->ended, 1);
}

/* Somebody has the name that it gets before it is removed. */
static void a_dead_one_that_stays_is_taken_once(void **state)
{
    (void)state;
    struct writer writer = start(count_all);
    char file[256], aside[128];
    struct stat status;
    find_only_file(file);
    pass();
    end(&writer, SIGKILL);
    assert_int_equal(stat(file, &status), 0);
    snprintf(aside, sizeof aside, "%s/.dead-%llx-%llx", path, (unsigned long long)(now_ns + S),
             (unsigned long long)status.st_ino);
    assert_int_equal(mkdir(aside, 0700), 0);
    pass();
    assert_counted(1);
    assert_int_equal(directory_cost(directory).removed, 0);
    assert_non_null(
        strstr(said_now(), ", of a program that has ended, cannot be removed: File exists"));
    pass_after(DIRECTORY_AGAIN_NS);
    assert_counted(1);
    assert_int_equal(directory_cost(directory).removed, 1);
    assert_int_equal(directory_applications(directory)->by_key->ended, 1);
    assert_int_equal(rmdir(aside), 0);
    assert_int_equal(segments_count(path), 0);
}

/* By a dcampd that was killed when it removed them. */
static void what_was_left_is_removed(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    char name[32];
    int fd = publish(".dead-1-1", forged, true);
    publish(".dead-1-2", forged, false);
    publish(".hidden", forged, false);
    assert_int_equal(mkdir(file_in(".dead-1-3"), 0700), 0);
    assert_int_equal(symlink("1.1", file_in(".dead-1-4")), 0);
    pass();
    assert_int_equal(directory_cost(directory).removed, 1);
    assert_int_equal(access(file_in(".dead-1-1"), F_OK), 0);
    assert_int_equal(access(file_in(".dead-1-2"), F_OK), -1);
    assert_int_equal(access(file_in(".hidden"), F_OK), 0);
    close(fd);
    pass();
    assert_int_equal(directory_cost(directory).removed, 0);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(directory_cost(directory).removed, 1);
    assert_int_equal(access(file_in(".dead-1-1"), F_OK), -1);
    assert_int_equal(files(), 0);
    assert_null(directory_applications(directory)->by_key);
    assert_int_equal(rmdir(file_in(".dead-1-3")), 0);
    assert_int_equal(unlink(file_in(".dead-1-4")), 0);
    assert_int_equal(unlink(file_in(".hidden")), 0);
    /* So many in a pass. */
    for (unsigned i = 0; i < DIRECTORY_AGAIN_MAX + 3; i++) {
        snprintf(name, sizeof name, ".dead-2-%u", i);
        publish(name, forged, false);
    }
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(directory_cost(directory).removed, DIRECTORY_AGAIN_MAX);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(directory_cost(directory).removed, 3);
    assert_string_equal(said_now(), "");
    forged_free(forged);
}

/* Until there is a magic number, nobody knows whether the writer lives. */
static void one_that_is_being_created_is_waited_for(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    forged->header->magic = 0;
    publish("1.1", forged, false);
    int locked = publish("2.1", forged, true);
    int late = publish("3.1", forged, true);
    lock.l_type = F_UNLCK;
    assert_int_equal(fcntl(late, F_OFD_SETLK, &lock), 0);
    pass();
    assert_int_equal(files(), 0);
    lock.l_type = F_WRLCK;
    assert_int_equal(fcntl(late, F_OFD_SETLK, &lock), 0);
    forged->header->magic = SEGMENT_MAGIC;
    rewrite(late, forged);
    pass();
    assert_int_equal(files(), 1);
    assert_int_equal(total("shop", "n"), 10);
    pass_after(DIRECTORY_UNFINISHED_NS - 2 * S);
    assert_int_equal(segments_count(path), 3);
    pass();
    assert_int_equal(segments_count(path), 2);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(segments_count(path), 2);
    rewrite(locked, forged);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 2);
    assert_int_equal(total("shop", "n"), 20);
    assert_string_equal(said_now(), "");
    close(locked);
    close(late);
    pass();
    assert_int_equal(segments_count(path), 0);
    forged_free(forged);
}

/* -- What is no segment ------------------------------------------------------------------------ */

static void make_directory(const char *file)
{
    assert_int_equal(mkdir(file, 0755), 0);
}

static void make_pipe(const char *file)
{
    assert_int_equal(mkfifo(file, 0644), 0);
}

static void make_link(const char *file)
{
    assert_int_equal(symlink("/etc/passwd", file), 0);
}

static void make_socket(const char *file)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", file);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

/* Only root can; for others it is a link to one. */
static void make_device(const char *file)
{
    if (mknod(file, S_IFCHR | 0644, makedev(1, 5)) < 0)
        assert_int_equal(symlink("/dev/zero", file), 0);
}

static void make_garbage(const char *file)
{
    int fd = open(file, O_WRONLY | O_CREAT | O_EXCL, 0644);
    assert_int_equal(write(fd, "garbage, and more of it", 23), 23);
    close(fd);
}

static void other_files_are_left_alone(void **state)
{
    (void)state;
    static const struct {
        void (*make)(const char *file);
        const char *name, *said;
    } rows[] = {
        {make_directory, "1.1", "it is no regular file"},
        {make_pipe, "1.1", "it is no regular file"},
        {make_link, "1.1", "it is no regular file"},
        {make_socket, "1.1", "it is no regular file"},
        {make_device, "1.1", "it is no regular file"},
        {make_garbage, "lock", "its name is not PID.STARTTIME"},
        {make_garbage, "1", "its name is not PID.STARTTIME"},
        {make_garbage, "1.", "its name is not PID.STARTTIME"},
        {make_garbage, "1..2", "its name is not PID.STARTTIME"},
        {make_garbage, "1.2.3.4", "its name is not PID.STARTTIME"},
        {make_garbage, "1.2x", "its name is not PID.STARTTIME"},
        {make_garbage, "a\nb", "its name is not PID.STARTTIME"},
        {make_garbage,
         "1.2222222222222222222222222222222222222222222222222222222222222222222222222222222x",
         "its name is not PID.STARTTIME"},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        rows[i].make(file_in(rows[i].name));
        for (int n = 0; n < 3; n++)
            pass_after(DIRECTORY_AGAIN_NS);
        const char *said = said_now();
        if (!strstr(said, rows[i].said) || strchr(said, '\n')[1])
            fail_msg("%zu: %s", i, said);
        assert_int_equal(files(), 0);
        assert_int_equal(remove(file_in(rows[i].name)), 0);
        pass_after(OWNER_QUIET_NS);
        assert_non_null(strstr(said_now(), "has no files there that are no segments in "));
        pass();
        assert_null(directory_owners(directory));
    }
}

static void a_file_with_two_links_is_not_read(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    char other[256];
    snprintf(other, sizeof other, "%s/2.1", path);
    assert_int_equal(link(file_in("1.1"), other), 0);
    pass();
    assert_int_equal(files(), 0);
    assert_non_null(strstr(said_now(), "it has several links"));
    assert_int_equal(unlink(other), 0);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 1);
    assert_int_equal(link(file_in("1.1"), other), 0);
    pass();
    assert_int_equal(files(), 0);
    close(fd);
    forged_free(forged);
}

/* The owner is that of the file; only root can give files away. */
static void owners_are_those_of_the_files(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    struct forged *forged = forge("shop", 10);
    int one = publish("1.1", forged, true), other = publish("2.1", forged, true);
    assert_int_equal(fchown(other, 4321, 0), 0);
    pass();
    assert_int_equal(files(), 2);
    assert_int_equal(HASH_COUNT(directory_applications(directory)->by_key), 2);
    assert_int_equal(total("shop", "n"), 10);
    assert_int_equal(HASH_COUNT(directory_owners(directory)), 2);
    /* One that is given to somebody else is that one's from then on, and nothing is counted twice
     * for anybody. */
    assert_int_equal(fchown(one, 4321, 0), 0);
    pass();
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 2);
    const struct application *is = directory_applications(directory)->by_key;
    for (; is; is = is->hh.next)
        assert_int_equal(is->processes, is->key.owner == 4321 ? 2 : 0);
    close(one);
    close(other);
    forged_free(forged);
}

/* -- Limits ------------------------------------------------------------------------------------ */

static void a_user_has_so_many_files(void **state)
{
    (void)state;
    enum { N = OWNER_FILES_MAX + 6 };
    struct forged *forged = forge("shop", 1);
    int fd[N];
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "%d.1", i + 1);
        forged->header->pid = (uint32_t)i;
        fd[i] = publish(name, forged, true);
    }
    pass();
    assert_int_equal(files(), OWNER_FILES_MAX);
    assert_int_equal(total("shop", "n"), OWNER_FILES_MAX);
    for (int i = 0; i < 3; i++)
        pass_after(DIRECTORY_AGAIN_NS);
    const char *said = said_now();
    assert_non_null(strstr(said, " is not read: 64 others of its user are; more of the like"));
    assert_int_equal(strchr(said, '\n')[1], '\0');
    /* Places that become free go to those that wait. Those that died meanwhile count once. */
    for (int i = 0; i < N - 3; i++)
        close(fd[i]);
    pass();
    pass_after(DIRECTORY_AGAIN_NS);
    pass_after(DIRECTORY_AGAIN_NS);
    assert_int_equal(files(), 3);
    assert_int_equal(segments_count(path), 3);
    pass_after(OWNER_QUIET_NS);
    assert_non_null(strstr(said_now(), "has no more files than are read in "));
    for (int i = N - 3; i < N; i++)
        close(fd[i]);
    forged_free(forged);
}

/* Files of 16 MiB that take no room on the disk: so many are read in a pass, and all in turn. */
static void a_user_makes_so_much_work(void **state)
{
    (void)state;
    enum { N = 12 };
    int fd[N];
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "app%d", i);
        struct forged *forged = forge(name, 1);
        snprintf(name, sizeof name, "%d.1", i + 1);
        fd[i] = publish(name, forged, true);
        assert_int_equal(ftruncate(fd[i], SEGMENT_SIZE_MAX), 0);
        forged_free(forged);
    }
    for (int i = 0; i < 2 * N; i++) {
        pass();
        assert_true(directory_cost(directory).octets <
                    OWNER_OCTETS_MAX + SEGMENT_COPIES * (uint64_t)SEGMENT_SIZE_MAX);
    }
    assert_int_equal(files(), N);
    for (int i = 0; i < N; i++) {
        uint64_t count = 2;
        snprintf(name, sizeof name, "app%d", i);
        assert_int_equal(total(name, "n"), 1);
        /* Its one word is in the panel behind that of its descriptor. */
        assert_int_equal(pwrite(fd[i], &count, sizeof count,
                                SEGMENT_HEADER_SIZE + SEGMENT_PANEL_SIZE + SEGMENT_PANEL_HEAD),
                         sizeof count);
    }
    for (int i = 0; i < N; i++)
        pass();
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "app%d", i);
        assert_int_equal(total(name, "n"), 2);
    }
    const char *said = said_now();
    assert_non_null(strstr(said, "has to wait: its user has more than 64 MiB there; more of"));
    assert_int_equal(strchr(said, '\n')[1], '\0');
    for (int i = 0; i < N; i++)
        close(fd[i]);
}

/* A pass looks at so many; a program that comes with them is found all the same. */
/* As if the user had so much besides. */
static void have_besides(struct owner *owner, size_t octets)
{
    application_charge((struct applications *)directory_applications(directory), owner, octets);
}

static void have_no_more(struct owner *owner, size_t octets)
{
    application_discharge((struct applications *)directory_applications(directory), owner, octets);
}

static void a_user_has_so_much_memory(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    pass();
    struct owner *owner = (struct owner *)directory_owners(directory);
    const struct application *shop = directory_applications(directory)->by_key;
    const size_t besides = OWNER_MEMORY_MAX - owner->memory;
    have_besides(owner, besides);
    int other = publish("2.1", forged, true);
    pass();
    pass();
    assert_int_equal(files(), 2);
    assert_int_equal(owner->problem[OWNER_MUCH_MEMORY].count, 1);
    assert_int_equal(shop->no_room, 1);
    assert_int_equal(total("shop", "n"), 10);
    const char *said = said_now();
    const char *told = strstr(said, "1 sensors of ");
    assert_non_null(told);
    assert_non_null(strstr(told, "/2.1 are not read, or not all of them: no more than 32 MiB are "
                                 "kept for its user, and 96 MiB for all users together"));
    assert_null(strstr(told + 1, "1 sensors of "));
    have_no_more(owner, besides);
    pass();
    assert_int_equal(shop->no_room, 0);
    assert_int_equal(owner->problem[OWNER_MUCH_MEMORY].count, 0);
    pass_after(OWNER_QUIET_NS);
    assert_non_null(strstr(said_now(), "has no sensors that there is no room for in "));
    close(fd);
    close(other);
    pass();
    pass_after(APPLICATION_EMPTY_NS);
    assert_null(directory_owners(directory)); /* nothing of that user is left */
    assert_int_equal(directory_applications(directory)->memory, 0);
    forged_free(forged);
}

static void ten_thousand_files(void **state)
{
    (void)state;
    enum { N = 10000 };
    char name[16];
    for (int i = 0; i < N; i++) {
        snprintf(name, sizeof name, "%d.1", i + 100000);
        int fd = open(file_in(name), O_WRONLY | O_CREAT | O_EXCL, 0644);
        assert_true(fd >= 0);
        if (i % 2)
            assert_int_equal(write(fd, "x is no segment", 15), 15);
        close(fd);
    }
    struct forged *forged = forge("shop", 10);
    int lives = publish("1.1", forged, true);
    int passes = 0;
    for (; files() == 0; passes++) {
        pass();
        assert_true(directory_cost(directory).examined <= DIRECTORY_NEW_MAX + DIRECTORY_AGAIN_MAX);
        assert_true(passes < 10 * N / DIRECTORY_NEW_MAX);
    }
    assert_int_equal(total("shop", "n"), 10);
    for (int i = 0; i < 2 * N / DIRECTORY_AGAIN_MAX && segments_count(path) > 1; i++) {
        pass();
        assert_true(directory_cost(directory).octets < 300 * 1000);
    }
    assert_int_equal(segments_count(path), 1);
    assert_int_equal(directory_cost(directory).names, 1);
    close(lives);
    forged_free(forged);
}

static void a_directory_has_so_many_names(void **state)
{
    (void)state;
    char name[16];
    for (int i = 0; i < DIRECTORY_NAMES_MAX + 10; i++) {
        snprintf(name, sizeof name, "x%d", i);
        close(open(file_in(name), O_WRONLY | O_CREAT | O_EXCL, 0644));
    }
    pass();
    assert_int_equal(directory_cost(directory).names, DIRECTORY_NAMES_MAX);
    assert_non_null(strstr(said_now(), "has more than 16384 files: others are not looked at"));
    pass();
    assert_null(strstr(said_now(), "16384"));
    segments_remove(path);
    assert_int_equal(mkdir(path, 0755), 0);
    pass();
    assert_int_equal(directory_cost(directory).names, 0);
    assert_non_null(strstr(said_now(), "has no more than 16384 files any more"));
}

/* -- The directory itself ---------------------------------------------------------------------- */

static void the_directory_comes_and_goes(void **state)
{
    (void)state;
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    pass();
    segments_remove(path);
    assert_int_equal(directory_pass(directory, now_ns += S, 0, NULL), ENOENT);
    assert_int_equal(mkdir(path, 0755), 0);
    pass();
    assert_int_equal(files(), 0);
    int other = publish("1.1", forged, true);
    pass();
    assert_int_equal(files(), 1);
    assert_int_equal(total("shop", "n"), 20);
    assert_string_equal(said_now(), "");
    close(fd);
    close(other);
    /* In the place of the directory there is something else. */
    segments_remove(path);
    make_garbage(path);
    assert_int_equal(directory_pass(directory, now_ns += S, 0, NULL), ENOTDIR);
    assert_non_null(strstr(said_now(), ": Not a directory\n"));
    assert_int_equal(directory_pass(directory, now_ns += S, 0, NULL), ENOTDIR);
    assert_string_equal(said_now(), "");
    unlink(path);
    assert_int_equal(mkdir(path, 0755), 0);
    pass();
    assert_non_null(strstr(said_now(), " can be read again\n"));
    forged_free(forged);
}

/* It may be out of reach for a while, and come back as it was. */
static void programs_end_with_the_directory(void **state)
{
    (void)state;
    char aside[80];
    struct writer writer = start(count_all);
    snprintf(aside, sizeof aside, "%s-aside", path);
    pass();
    assert_counted(1);
    const struct application *shop = directory_applications(directory)->by_key;
    assert_int_equal(shop->processes, 1);
    assert_int_equal(rename(path, aside), 0);
    assert_int_equal(directory_pass(directory, now_ns += S, WANTS_ALL, &observer), ENOENT);
    assert_int_equal(shop->processes, 0);
    assert_int_equal(shop->ended, 1);
    assert_int_equal(files(), 0);
    assert_int_equal(directory_cost(directory).waiting, 1);
    assert_int_equal(rename(aside, path), 0);
    pass();
    assert_int_equal(shop->processes, 1);
    assert_int_equal(shop->ended, 0);
    assert_counted(1);
    once_more(&writer);
    pass();
    assert_counted(2);
    /* For good: what it had counted stays, its keys as well. */
    segments_remove(path);
    assert_int_equal(directory_pass(directory, now_ns += S, WANTS_ALL, &observer), ENOENT);
    assert_int_equal(shop->processes, 0);
    assert_int_equal(mkdir(path, 0755), 0);
    pass();
    assert_counted(2);
    assert_int_equal(shop->ended, 1);
    end(&writer, SIGKILL);
    assert_string_equal(said_now(), "");
}

/* Who makes passes only where there is something to do learns of it, and of nothing else. */
static void it_says_whether_a_pass_has_work(void **state)
{
    (void)state;
    assert_false(directory_has_files(directory));
    assert_int_equal(mkdir(file_in("below"), 0755), 0);
    assert_true(directory_has_files(directory));
    assert_int_equal(rmdir(file_in("below")), 0);
    assert_false(directory_has_files(directory));
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    assert_true(directory_has_files(directory));
    pass();
    assert_true(directory_has_files(directory));
    close(fd);
    assert_true(directory_has_files(directory));
    pass();
    assert_false(directory_has_files(directory));
    publish("1.1", forged, false);
    segments_remove(path);
    assert_false(directory_has_files(directory));
    make_garbage(path);
    assert_false(directory_has_files(directory));
    unlink(path);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_string_equal(said_now(), "");
    forged_free(forged);
}

/* Nobody has to make a pass over nothing first, in order that what comes then is new. */
static void what_comes_into_nothing_is_new(void **state)
{
    (void)state;
    directory_free(directory);
    directory = directory_new(path);
    assert_non_null(directory);
    assert_false(directory_has_files(directory));
    struct writer writer = start(count_all);
    pass();
    assert_int_equal(series_of("shop", "timer")->grown.count, 1);
    end(&writer, SIGKILL);
    pass();
}

static void a_pass_says_whether_it_has_left_some(void **state)
{
    (void)state;
    char name[16];
    struct forged *forged = forge("shop", 1);
    assert_false(directory_has_more(directory));
    for (int i = 0; i < DIRECTORY_NEW_MAX + 1; i++) {
        snprintf(name, sizeof name, "%d.1", i + 1);
        publish(name, forged, false);
    }
    pass();
    assert_int_equal(segments_count(path), 1);
    assert_true(directory_has_more(directory));
    pass();
    assert_int_equal(segments_count(path), 0);
    assert_false(directory_has_more(directory));
    /* What is refused, being made or read is not left. */
    make_garbage(file_in("garbage"));
    int lives = publish("1.1", forged, true);
    forged->header->magic = 0;
    publish("2.1", forged, false);
    pass();
    assert_int_equal(directory_cost(directory).names, 3);
    assert_false(directory_has_more(directory));
    close(lives);
    forged_free(forged);
}

/* What was there before the first pass has not grown in it. */
static void programs_were_there_before(void **state)
{
    (void)state;
    struct writer writer = start(count_all);
    directory_free(directory);
    directory = directory_new(path);
    pass();
    assert_int_equal(total("shop", "orders"), 5);
    assert_int_equal(series_of("shop", "timer")->grown.count, 0);
    assert_int_equal(records, 0);
    once_more(&writer);
    pass();
    assert_int_equal(total("shop", "orders"), 10);
    assert_int_equal(series_of("shop", "timer")->grown.count, 1);
    assert_int_equal(records, 1);
    end(&writer, 0);
}

static void play_a_life(void)
{
    struct directory *one = directory_new(path);
    struct forged *forged = forge("shop", 10);
    int fd = publish("1.1", forged, true);
    publish("x", forged, false);
    directory_pass(one, 1, WANTS_ALL, &observer);
    publish("2.1", forged, false);
    directory_pass(one, 2, WANTS_ALL, &observer);
    close(fd);
    directory_pass(one, 3, 0, NULL);
    directory_free(one);
    unlink(file_in("x"));
    forged_free(forged);
}

static void all_is_given_back(void **state)
{
    (void)state;
    said_end();
    int null = open("/dev/null", O_WRONLY), kept = dup(STDERR_FILENO);
    dup2(null, STDERR_FILENO);
    assert_keeps_nothing(play_a_life);
    dup2(kept, STDERR_FILENO);
    close(null);
    close(kept);
    said_begin();
}

#define directory_test(f) cmocka_unit_test_setup_teardown(f, open_directory, close_directory)

int main(int argc, char **argv)
{
    if (argc == 2)
        return again(argv[1]);
    const struct CMUnitTest tests[] = {
        directory_test(a_program_is_read_until_it_is_killed),
        directory_test(short_lives_are_counted),
        directory_test(processes_of_one_name_add_up),
        directory_test(a_fork_is_another_process),
        directory_test(exec_keeps_what_was_counted),
        directory_test(threads_are_killed_while_they_count),
        directory_test(a_writer_may_cut_its_file),
        directory_test(a_file_may_grow),
        directory_test(another_segment_in_a_file_is_another_process),
        directory_test(a_counter_that_falls_does_not_lower_the_total),
        directory_test(the_dead_are_removed),
        directory_test(what_is_read_again_brings_nothing_twice),
        directory_test(a_dead_one_that_stays_is_taken_once),
        directory_test(what_was_left_is_removed),
        directory_test(one_that_is_being_created_is_waited_for),
        directory_test(other_files_are_left_alone),
        directory_test(a_file_with_two_links_is_not_read),
        directory_test(owners_are_those_of_the_files),
        directory_test(a_user_has_so_many_files),
        directory_test(a_user_makes_so_much_work),
        directory_test(a_user_has_so_much_memory),
        directory_test(ten_thousand_files),
        directory_test(a_directory_has_so_many_names),
        directory_test(the_directory_comes_and_goes),
        directory_test(programs_end_with_the_directory),
        directory_test(it_says_whether_a_pass_has_work),
        directory_test(what_comes_into_nothing_is_new),
        directory_test(a_pass_says_whether_it_has_left_some),
        directory_test(programs_were_there_before),
        directory_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
