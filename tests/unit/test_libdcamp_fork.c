/* Processes that fork, run other programs, and close while others count. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/published.h"
#include "tests/unit/unit.h"

static struct dcamp_counter *counter;
static struct dcamp_gauge *gauge;
static struct dcamp_top *top;

static int open_app(void **state)
{
    (void)state;
    int error = published_open("fork");
    counter = dcamp_counter_new(published.app, "counter", "", "x");
    gauge = dcamp_gauge_new(published.app, "gauge", "", "x");
    top = dcamp_top_new(published.app, "top", "", "x");
    return error ? error : dcamp_error();
}

static uint64_t word_in(struct copy *copy, const char *name)
{
    return copy_word(copy, copy_descriptor(copy, name, ""), 0);
}

/* The copy of a child's file, which has ended; NULL: it has none. Its start time is not known any
 * more. */
static struct copy *copy_of_child(pid_t pid)
{
    char command[128], path[512] = "";
    snprintf(command, sizeof command, "ls -d %s/%d.* 2>/dev/null", published.directory, pid);
    FILE *pipe = popen(command, "r");
    bool found = fgets(path, sizeof path, pipe) != NULL;
    pclose(pipe);
    path[strcspn(path, "\n")] = '\0';
    struct copy *copy = found ? copy_of(path) : NULL;
    if (copy)
        assert_string_equal(copy->fault, "");
    return copy;
}

static void run_child(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The child counts from 0, in its own file; the parent's shows nothing of it. */
static void a_child_has_its_own_file(void **state)
{
    (void)state;
    dcamp_counter_add(counter, 10);
    dcamp_gauge_set(gauge, 3);
    dcamp_top_add(top, "parent", 1);
    pid_t pid = fork();
    if (pid == 0) {
        dcamp_counter_add(counter, 5);
        dcamp_gauge_add(gauge, 1);
        dcamp_top_add(top, "child", 7);
        dcamp_counter_add(dcamp_counter_new(published.app, "of.the.child", "", ""), 9);
        _exit(dcamp_error());
    }
    run_child(pid);
    dcamp_counter_add(counter, 1);
    struct copy *copy = published_copy();
    struct merged merged[4];
    assert_int_equal(word_in(copy, "counter"), 11);
    assert_true(copy_double(copy, copy_descriptor(copy, "gauge", ""), 0) == 3);
    assert_int_equal(copy_top(copy, copy_descriptor(copy, "top", ""), merged, 4), 1);
    assert_int_equal(copy->descriptors, 3);
    copy_free(copy);
    copy = copy_of_child(pid);
    assert_non_null(copy);
    assert_int_equal(copy->header->pid, pid);
    assert_int_equal(word_in(copy, "counter"), 5);
    assert_true(copy_double(copy, copy_descriptor(copy, "gauge", ""), 0) == 1);
    assert_int_equal(copy_top(copy, copy_descriptor(copy, "top", ""), merged, 4), 1);
    assert_string_equal(merged[0].key, "child");
    assert_int_equal(merged[0].count, 7);
    assert_int_equal(word_in(copy, "of.the.child"), 9);
    assert_int_equal(copy->header->shard[1].thread, pid);
    assert_int_equal(copy->header->shard[1].epoch, 1);
    copy_free(copy);
}

/* One that counts nothing makes none: thousands of them that only run other programs cost nothing.
 */
static void a_child_that_counts_nothing_has_no_file(void **state)
{
    (void)state;
    unsigned before = segments_count(published.directory);
    pid_t pid = fork();
    if (pid == 0)
        execl("/bin/true", "true", (char *)NULL);
    run_child(pid);
    pid = fork();
    if (pid == 0) {
        dcamp_app_close(published.app);
        _exit(0);
    }
    run_child(pid);
    assert_int_equal(segments_count(published.directory), before);
}

static void children_of_children_have_theirs(void **state)
{
    (void)state;
    int pipes[2];
    pid_t grandchild = 0;
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        pid = fork();
        if (pid == 0) {
            dcamp_counter_add(counter, 77);
            _exit(0);
        }
        int status;
        waitpid(pid, &status, 0);
        _exit(write(pipes[1], &pid, sizeof pid) != sizeof pid);
    }
    run_child(pid);
    assert_int_equal(read(pipes[0], &grandchild, sizeof grandchild), sizeof grandchild);
    close(pipes[0]);
    close(pipes[1]);
    struct copy *copy = copy_of_child(grandchild);
    assert_non_null(copy);
    assert_int_equal(word_in(copy, "counter"), 77);
    copy_free(copy);
    assert_null(copy_of_child(pid));
}

/* While a child lives, its parent's file is not taken for alive because of it. */
static void a_child_keeps_no_lock_of_its_parent(void **state)
{
    (void)state;
    char path[512];
    int pipes[2];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(pipe(pipes), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char octet;
        close(pipes[1]);
        _exit(read(pipes[0], &octet, 1) != 0);
    }
    segment_path(published.directory, getpid(), path, sizeof path);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
    assert_int_equal(lock.l_type, F_WRLCK);
    dcamp_app_close(published.app);
    lock = (struct flock){.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(fcntl(fd, F_OFD_GETLK, &lock), 0);
    assert_int_equal(lock.l_type, F_UNLCK);
    close(fd);
    close(pipes[1]);
    close(pipes[0]);
    run_child(pid);
    published.app = dcamp_app_open("fork");
    assert_int_equal(dcamp_error(), 0);
}

/* Threads that count all the time while the process forks: each child, and the parent, are sound.
 */
static atomic_bool done;

static void *count_on(void *argument)
{
    uint64_t n = 0;
    (void)argument;
    while (!atomic_load(&done)) {
        dcamp_counter_add(counter, 1);
        dcamp_top_add(top, "key", 1);
        n++;
    }
    return (void *)(uintptr_t)n;
}

static uint64_t count_in_threads(void (*meanwhile)(void))
{
    pthread_t thread[3];
    uint64_t sum = 0;
    atomic_store(&done, false);
    for (size_t i = 0; i < N_OF(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, count_on, NULL), 0);
    meanwhile();
    atomic_store(&done, true);
    for (size_t i = 0; i < N_OF(thread); i++) {
        void *n;
        pthread_join(thread[i], &n);
        sum += (uintptr_t)n;
    }
    return sum;
}

static void fork_often(void)
{
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            alarm(60);
            dcamp_counter_add(counter, 3);
            dcamp_counter_new(published.app, "in.the.child", "", "");
            int error = dcamp_error();
            struct copy *copy = published_copy();
            _exit(error || word_in(copy, "counter") != 3);
        }
        run_child(pid);
    }
}

static void threads_count_while_it_forks(void **state)
{
    (void)state;
    struct copy *copy = published_copy();
    uint64_t before = word_in(copy, "counter");
    copy_free(copy);
    uint64_t sum = count_in_threads(fork_often);
    copy = published_copy();
    assert_int_equal(word_in(copy, "counter"), before + sum);
    copy_free(copy);
}

/* The entries of a top that another thread was changing at the moment of the fork are the child's
 * own: a process forks that has counted nothing in its main thread, so that the one that counts has
 * the shard that the main thread of each child gets. */
#define ADDITIONS 100

static void *add_keys(void *argument)
{
    char key[16];
    (void)argument;
    for (unsigned i = 0; !atomic_load(&done); i++) {
        snprintf(key, sizeof key, "%u", i % 5000);
        dcamp_top_add(top, key, 1);
    }
    return NULL;
}

static int count_in_child(void)
{
    struct merged merged[2];
    alarm(60);
    for (int i = 0; i < ADDITIONS; i++)
        dcamp_top_add(top, "child", 1);
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "top", "");
    bool sound = copy_top(copy, is, merged, N_OF(merged)) == 1 && merged[0].count == ADDITIONS &&
                 copy_word(copy, is, SEGMENT_TOP_MISSED) == 0;
    return !sound;
}

static int fork_beside_a_thread(void)
{
    pthread_t thread;
    int bad = 0, status;
    atomic_store(&done, false);
    if (pthread_create(&thread, NULL, add_keys, NULL) != 0)
        return 1;
    for (int i = 0; i < 40; i++) {
        usleep(137);
        pid_t pid = fork();
        if (pid == 0)
            _exit(count_in_child());
        bad += waitpid(pid, &status, 0) != pid || status != 0;
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    return bad;
}

static void a_child_counts_in_a_top_that_was_in_use(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(fork_beside_a_thread());
    run_child(pid);
}

/* What is counted while it is closed is not seen; what is counted after that is. */
static void close_often(void)
{
    for (int i = 0; i < 300; i++) {
        dcamp_app_close(published.app);
        published.app = dcamp_app_open("fork");
        assert_int_equal(dcamp_error(), 0);
        struct copy *copy = published_copy();
        assert_int_equal(copy->descriptors, 3);
        copy_free(copy);
    }
}

static void threads_count_while_it_is_closed(void **state)
{
    (void)state;
    uint64_t sum = count_in_threads(close_often);
    struct copy *copy = published_copy();
    uint64_t before = word_in(copy, "counter");
    assert_true(before <= sum);
    copy_free(copy);
    dcamp_counter_add(counter, 4);
    copy = published_copy();
    assert_int_equal(word_in(copy, "counter"), before + 4);
    copy_free(copy);
}

/* The shards of a parent's threads are free in a child, even if nothing was open when it forked. */
static int open_in_child(void)
{
    alarm(60);
    dcamp_app_open("fork");
    dcamp_counter_add(counter, 6);
    struct copy *copy = published_copy();
    bool sound = word_in(copy, "counter") == 6 &&
                 copy->header->shard[1].thread == (uint32_t)getpid() &&
                 copy->header->shard[1].epoch == 1;
    for (unsigned i = 2; i < SEGMENT_SHARDS; i++)
        sound = sound && copy->header->shard[i].thread == 0;
    return !sound;
}

static void fork_while_closed(void)
{
    usleep(1000); /* most of them have their shards by then */
    dcamp_app_close(published.app);
    pid_t pid = fork();
    if (pid == 0)
        _exit(open_in_child());
    run_child(pid);
    published.app = dcamp_app_open("fork");
    assert_int_equal(dcamp_error(), 0);
}

static void a_child_of_one_that_is_closed_opens_its_own(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++)
        count_in_threads(fork_while_closed);
}

/* -- A thread that makes the segment of a child, and another one that makes a sensor --------- */

/* The first one is held in the midst of that. */
static _Thread_local bool is_held;
static sem_t arrived, may_go;
static atomic_bool made;

/* See scarce.c. */
void *__real_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    if (is_held && fd >= 0) {
        sem_post(&arrived);
        sem_wait(&may_go);
    }
    return __real_mmap(address, length, protection, flags, fd, offset);
}

static void *count_held(void *argument)
{
    (void)argument;
    is_held = true;
    dcamp_counter_add(counter, 8);
    return NULL;
}

static void *make_one(void *argument)
{
    (void)argument;
    dcamp_counter_add(dcamp_counter_new(published.app, "beside", "", ""), 9);
    atomic_store(&made, true);
    return NULL;
}

/* Somebody who goes through the list of sensors must not find it changing. The longer this waits,
 * the surer it is that the second one waits as well. */
static int make_beside_a_revival(void)
{
    pthread_t held, maker;
    alarm(60);
    if (sem_init(&arrived, 0, 0) || sem_init(&may_go, 0, 0) ||
        pthread_create(&held, NULL, count_held, NULL))
        return 1;
    sem_wait(&arrived);
    if (pthread_create(&maker, NULL, make_one, NULL))
        return 1;
    usleep(300000);
    bool was_made = atomic_load(&made);
    sem_post(&may_go);
    pthread_join(held, NULL);
    pthread_join(maker, NULL);
    struct copy *copy = published_copy();
    return was_made || word_in(copy, "counter") != 8 || word_in(copy, "beside") != 9;
}

static void a_sensor_waits_for_the_segment_of_a_child(void **state)
{
    (void)state;
    pid_t pid = fork();
    if (pid == 0)
        _exit(make_beside_a_revival());
    run_child(pid);
}

/* As often closed as opened. */
static void it_is_closed_with_the_last_one(void **state)
{
    (void)state;
    char path[512];
    assert_ptr_equal(dcamp_app_open("another"), published.app);
    assert_int_equal(dcamp_error(), EBUSY);
    assert_string_equal(dcamp_reason(), "this process is published as fork already");
    assert_ptr_equal(dcamp_app_open("fork"), published.app);
    assert_int_equal(dcamp_error(), 0);
    dcamp_app_close(published.app);
    dcamp_app_close(published.app);
    struct copy *copy = published_copy();
    assert_int_equal(copy->header->state, SEGMENT_OPEN);
    copy_free(copy);
    dcamp_app_close(published.app);
    segment_path(published.directory, getpid(), path, sizeof path);
    copy = copy_of(path);
    assert_int_equal(copy->header->state, SEGMENT_CLOSED);
    copy_free(copy);
    dcamp_app_close(published.app);
    dcamp_counter_add(counter, 1);
    published.app = dcamp_app_open("fork");
    assert_int_equal(dcamp_error(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_child_has_its_own_file),
        cmocka_unit_test(a_child_that_counts_nothing_has_no_file),
        cmocka_unit_test(children_of_children_have_theirs),
        cmocka_unit_test(a_child_keeps_no_lock_of_its_parent),
        cmocka_unit_test(threads_count_while_it_forks),
        cmocka_unit_test(a_child_counts_in_a_top_that_was_in_use),
        cmocka_unit_test(threads_count_while_it_is_closed),
        cmocka_unit_test(a_child_of_one_that_is_closed_opens_its_own),
        cmocka_unit_test(a_sensor_waits_for_the_segment_of_a_child),
        cmocka_unit_test(it_is_closed_with_the_last_one),
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
