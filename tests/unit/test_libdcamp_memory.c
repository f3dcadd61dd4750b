/* Memory that fails, at each place where the library asks for some: the program runs the same, and
 * what can be read is sound. Each attempt is a process of its own. */
#include "libdcamp/dcamp.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/scarce.h"
#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

static char directory[64];

/* See scarce.c. */
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset);
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return scarce_fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
    return scarce_fails() ? MAP_FAILED
                          : __real_mmap(address, length, protection, flags, fd, offset);
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
    return scarce_fails() ? ENOMEM : __real_pthread_setspecific(key, value);
}

/* What a program does. How many of the sensors are published. */
static int use(void)
{
    int published = 0;
    struct dcamp_app *app = dcamp_app_open("memory");
    published += dcamp_error() == 0;
    struct dcamp_counter *counter = dcamp_counter_new(app, "counter", "", "x");
    published += dcamp_error() == 0;
    struct dcamp_timer *timer = dcamp_timer_new(app, "timer", "");
    published += dcamp_error() == 0;
    struct dcamp_top *top = dcamp_top_new(app, "top", "", "x");
    published += dcamp_error() == 0;
    struct dcamp_step *step = dcamp_step_new(app, "step", "", "x");
    published += dcamp_error() == 0;
    struct dcamp_lock *lock = dcamp_lock_new(app, "lock", "");
    published += dcamp_error() == 0;
    for (int i = 0; i < 10; i++) {
        dcamp_counter_add(counter, 1);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
        dcamp_top_add(top, "key", 1);
        dcamp_step_end(step, dcamp_step_begin(step, 1), 0);
        struct dcamp_claim claim = dcamp_lock_arrive(lock);
        dcamp_lock_fail(lock, &claim);
        claim = dcamp_lock_arrive(lock);
        dcamp_lock_acquire(lock, &claim);
        dcamp_lock_release(lock, &claim);
    }
    return published;
}

static uint64_t word(const struct copy *copy, const char *name, unsigned word)
{
    for (uint32_t i = 0; i < copy->descriptors; i++)
        if (strcmp(copy->descriptor[i]->name, name) == 0)
            return copy_word(copy, copy->descriptor[i], word);
    return 0;
}

/* How often a sensor was used, unless it is of a lock that could not be made: that counts nothing.
 */
static uint64_t times_used(const struct copy *copy, const char *name)
{
    if (strncmp(name, "lock.", 5) != 0)
        return 10;
    if (word(copy, "lock.failures", SEGMENT_COUNTER_VALUE) == 0)
        return 0;
    return strcmp(name, "lock.arrivals") == 0       ? 20
           : strcmp(name, "lock.interarrival") == 0 ? 19
                                                    : 10;
}

/* Whatever is published has all ten. 0: sound, and the nth allocation did fail; 1: it is not sound;
 * 2: there were fewer. */
static int attempt(size_t nth)
{
    char path[512];
    scarce_fail(nth);
    int published = use();
    bool failed = scarce_stop();
    struct copy *copy = copy_of(segment_path(directory, getpid(), path, sizeof path));
    if (!copy)
        return !failed || published > 0;
    if (*copy->fault || copy->descriptors + 1 < (uint32_t)published)
        return 1;
    for (uint32_t i = 0; i < copy->descriptors; i++) {
        const struct segment_descriptor *is = copy->descriptor[i];
        unsigned count = is->kind == SEGMENT_STEP ? SEGMENT_STEP_COUNT : 0;
        char name[SEGMENT_NAME + 1];
        snprintf(name, sizeof name, "%.*s", SEGMENT_NAME, is->name);
        if (copy_word(copy, is, count) != times_used(copy, name))
            return 1;
    }
    struct merged merged[2] = {0};
    if (word(copy, "top", SEGMENT_TOP_TOTAL) == 10) {
        copy_top(copy, copy_descriptor(copy, "top", ""), merged, 2);
        if (merged[0].count + word(copy, "top", SEGMENT_TOP_MISSED) != 10)
            return 1;
    }
    return failed ? 0 : 2;
}

/* Lets the first, the second and every further allocation fail, until there are no more. */
static void fail_each(int (*attempt_once)(size_t nth), size_t least)
{
    int status, result = 0;
    size_t nth = 1;
    for (; result == 0; nth++) {
        segments_use(directory, sizeof directory);
        pid_t pid = fork();
        if (pid == 0)
            _exit(attempt_once(nth));
        assert_int_equal(waitpid(pid, &status, 0), pid);
        segments_remove(directory);
        if (!WIFEXITED(status) || WEXITSTATUS(status) == 1)
            fail_msg("allocation %zu: status 0x%x", nth, status);
        result = WEXITSTATUS(status);
    }
    print_message("%zu allocations\n", nth - 2);
    assert_true(nth - 2 >= least);
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    fail_each(attempt, 8);
}

/* The child of a process cannot take the memory of its parent's file for its own, or make another.
 */
static int attempt_in_child(size_t nth)
{
    struct dcamp_app *app = dcamp_app_open("memory");
    struct dcamp_counter *counter = dcamp_counter_new(app, "counter", "", "x");
    dcamp_counter_add(counter, 1);
    scarce_fail(nth);
    pid_t pid = fork();
    if (pid == 0) {
        for (int i = 0; i < 100; i++)
            dcamp_counter_add(counter, 1000);
        _exit(scarce_stop() ? 0 : 2);
    }
    int status;
    waitpid(pid, &status, 0);
    scarce_stop();
    dcamp_counter_add(counter, 1);
    struct copy *copy = own_copy(directory);
    if (!WIFEXITED(status) || word(copy, "counter", 0) != 2)
        return 1;
    return WEXITSTATUS(status);
}

static void children_without_memory_do_no_harm(void **state)
{
    (void)state;
    fail_each(attempt_in_child, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(children_without_memory_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
