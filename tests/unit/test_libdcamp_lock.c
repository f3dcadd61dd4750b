/* Locks, as somebody finds them who only reads the file. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "application/contention.h"
#include "libdcamp/clock.h"
#include "tests/unit/published.h"
#include "tests/unit/unit.h"

/* Before the first test, timers have begun to read the counter, where they do, which takes another
 * attempt after one that came too late: a gap that begins by the one clock and ends by the other is
 * not known. */
static int open_app(void **state)
{
    (void)state;
    uint64_t begun = dcamp_clock_monotonic(), began;
    int error = published_open("locks");
    do {
        began = begun;
        nanosleep(&(struct timespec){.tv_nsec = CLOCK_CALIBRATION_NS + 1000000}, NULL);
        begun = dcamp_clock_monotonic();
        dcamp_timer_stop(NULL, dcamp_timer_start(NULL));
    } while (dcamp_clock_monotonic() - began > CLOCK_CALIBRATION_MAX_NS);
    return error;
}

/* What is published of a lock. */
struct seen {
    uint64_t arrivals, waits, failures;
    uint64_t gaps, gaps_ns, waited, waited_ns, holds, held_ns;
};

static uint64_t word(const struct copy *copy, const char *lock, const char *suffix, unsigned word)
{
    char name[64];
    snprintf(name, sizeof name, "%s.%s", lock, suffix);
    const struct segment_descriptor *is = copy_descriptor(copy, name, "");
    if (is->kind == SEGMENT_TIMER)
        assert_int_equal(copy_buckets(copy, is, false),
                         copy_word(copy, is, SEGMENT_TIMER_COUNT) & UINT32_MAX);
    return copy_word(copy, is, word);
}

static struct seen look(const char *lock)
{
    struct copy *copy = published_copy();
    struct seen seen = {
        .arrivals = word(copy, lock, "arrivals", SEGMENT_COUNTER_VALUE),
        .waits = word(copy, lock, "waits", SEGMENT_COUNTER_VALUE),
        .failures = word(copy, lock, "failures", SEGMENT_COUNTER_VALUE),
        .gaps = word(copy, lock, "interarrival", SEGMENT_TIMER_COUNT),
        .gaps_ns = word(copy, lock, "interarrival", SEGMENT_TIMER_NANOSECONDS),
        .waited = word(copy, lock, "wait", SEGMENT_TIMER_COUNT),
        .waited_ns = word(copy, lock, "wait", SEGMENT_TIMER_NANOSECONDS),
        .holds = word(copy, lock, "hold", SEGMENT_TIMER_COUNT),
        .held_ns = word(copy, lock, "hold", SEGMENT_TIMER_NANOSECONDS),
    };
    copy_free(copy);
    return seen;
}

#define CHECK_COUNTS(seen, ...)                                                                    \
    do {                                                                                           \
        const uint64_t wanted[] = {__VA_ARGS__};                                                   \
        assert_int_equal((seen).arrivals, wanted[0]);                                              \
        assert_int_equal((seen).gaps, wanted[1]);                                                  \
        assert_int_equal((seen).waits, wanted[2]);                                                 \
        assert_int_equal((seen).waited, wanted[3]);                                                \
        assert_int_equal((seen).failures, wanted[4]);                                              \
        assert_int_equal((seen).holds, wanted[5]);                                                 \
    } while (0)

#define PAUSE_NS 3000000

static void pause_once(void)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* -- One attempt ------------------------------------------------------------------------------- */

static void a_free_lock_is_held_at_once(void **state)
{
    (void)state;
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "free", "");
    assert_int_equal(dcamp_error(), 0);
    struct dcamp_claim claim = dcamp_lock_arrive(lock);
    CHECK_COUNTS(look("free"), 1, 0, 0, 0, 0, 0);
    pause_once();
    uint64_t before = dcamp_clock_monotonic();
    dcamp_lock_acquire(lock, &claim);
    pause_once();
    dcamp_lock_release(lock, &claim);
    double passed = (double)(dcamp_clock_monotonic() - before);
    struct seen seen = look("free");
    CHECK_COUNTS(seen, 1, 0, 0, 0, 0, 1);
    assert_true(seen.held_ns >= PAUSE_NS * 0.98);
    assert_true((double)seen.held_ns <= passed * 1.02);
    claim = dcamp_lock_arrive(lock);
    seen = look("free");
    CHECK_COUNTS(seen, 2, 1, 0, 0, 0, 1);
    assert_true(seen.gaps_ns >= 2 * PAUSE_NS * 0.98);
    assert_true(seen.gaps_ns >= seen.held_ns);
}

static void one_that_is_held_is_waited_for(void **state)
{
    (void)state;
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "held", "");
    struct dcamp_claim claim = dcamp_lock_arrive(lock);
    dcamp_lock_wait(lock, &claim);
    CHECK_COUNTS(look("held"), 1, 0, 1, 0, 0, 0);
    pause_once();
    dcamp_lock_acquire(lock, &claim);
    struct seen seen = look("held");
    CHECK_COUNTS(seen, 1, 0, 1, 1, 0, 0);
    assert_true(seen.waited_ns >= PAUSE_NS * 0.98);
    dcamp_lock_release(lock, &claim);
    CHECK_COUNTS(look("held"), 1, 0, 1, 1, 0, 1);
}

/* Whoever gives up has found it held, whether it has waited or not. */
static void who_gives_up_has_found_it_held(void **state)
{
    (void)state;
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "given.up", "");
    struct dcamp_claim claim = dcamp_lock_arrive(lock);
    dcamp_lock_fail(lock, &claim);
    CHECK_COUNTS(look("given.up"), 1, 0, 1, 1, 1, 0);
    claim = dcamp_lock_arrive(lock);
    dcamp_lock_wait(lock, &claim);
    pause_once();
    dcamp_lock_fail(lock, &claim);
    struct seen seen = look("given.up");
    CHECK_COUNTS(seen, 2, 1, 2, 2, 2, 0);
    assert_true(seen.waited_ns >= PAUSE_NS * 0.98);
}

/* -- Making them ------------------------------------------------------------------------------- */

static uint32_t descriptors(void)
{
    struct copy *copy = published_copy();
    uint32_t n = copy->descriptors;
    copy_free(copy);
    return n;
}

static void is_made_once(void **state)
{
    (void)state;
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "once", NULL);
    uint32_t n = descriptors();
    assert_ptr_equal(dcamp_lock_new(published.app, "once", ""), lock);
    assert_int_equal(dcamp_error(), 0);
    assert_int_equal(descriptors(), n);
    assert_ptr_not_equal(dcamp_lock_new(published.app, "once", "other"), lock);
    assert_int_equal(descriptors(), n + 6);
}

/* Its parts are sensors as others are, whoever makes them first. */
static void its_parts_are_sensors(void **state)
{
    (void)state;
    struct dcamp_counter *waits = dcamp_counter_new(published.app, "parts.waits", "", "waits");
    struct dcamp_timer *hold = dcamp_timer_new(published.app, "parts.hold", "");
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "parts", "");
    assert_int_equal(dcamp_error(), 0);
    struct dcamp_claim claim = dcamp_lock_arrive(lock);
    dcamp_lock_wait(lock, &claim);
    dcamp_lock_acquire(lock, &claim);
    dcamp_lock_release(lock, &claim);
    dcamp_counter_add(waits, 1);
    dcamp_timer_stop(hold, dcamp_timer_start(hold));
    CHECK_COUNTS(look("parts"), 1, 0, 2, 1, 0, 2);
}

static void check_refused(const char *name, int error, const char *reason)
{
    struct dcamp_lock *lock = dcamp_lock_new(published.app, name, "");
    assert_int_equal(dcamp_error(), error);
    assert_string_equal(dcamp_reason(), reason);
    struct dcamp_claim claim = dcamp_lock_arrive(lock);
    dcamp_lock_wait(lock, &claim);
    dcamp_lock_acquire(lock, &claim);
    dcamp_lock_release(lock, &claim);
    claim = dcamp_lock_arrive(lock);
    dcamp_lock_fail(lock, &claim);
}

static void what_cannot_be_named_counts_nowhere(void **state)
{
    (void)state;
    dcamp_lock_new(published.app, "nineteen.characters", "");
    assert_int_equal(dcamp_error(), 0);
    uint32_t n = descriptors();
    check_refused("twenty.characters.xx", EINVAL,
                  "twenty.characters.xx.interarriva: the name has more than 32 characters");
    check_refused("a.name.that.is.so.long.that.no.buffer.has.room.for.it.and.more", EINVAL,
                  "a.name.that.is.so.long.that.no.b: the name has more than 32 characters");
    check_refused("", EINVAL, ": the name is empty");
    check_refused(NULL, EINVAL, ": the name is empty");
    assert_int_equal(descriptors(), n);
}

/* Half of a lock would tell lies. */
static void counts_nothing_where_one_part_is_something_else(void **state)
{
    (void)state;
    dcamp_gauge_set(dcamp_gauge_new(published.app, "half.hold", "", "x"), 1);
    check_refused("half", EEXIST, "half.hold: a sensor of this name has another kind or unit");
    struct copy *copy = published_copy();
    assert_int_equal(word(copy, "half", "arrivals", SEGMENT_COUNTER_VALUE), 0);
    assert_int_equal(word(copy, "half", "waits", SEGMENT_COUNTER_VALUE), 0);
    copy_free(copy);
}

static void no_lock_is_fine(void **state)
{
    (void)state;
    struct dcamp_claim claim = dcamp_lock_arrive(NULL);
    dcamp_lock_wait(NULL, &claim);
    dcamp_lock_acquire(NULL, &claim);
    dcamp_lock_release(NULL, &claim);
    claim = dcamp_lock_arrive(NULL);
    dcamp_lock_fail(NULL, &claim);
    assert_int_equal(claim.waits, 1);
    dcamp_lock_new(NULL, "none", "");
    assert_int_equal(dcamp_error(), EINVAL);
}

/* -- Threads that come late -------------------------------------------------------------------- */

/* What the clock says, if the test does. See ld(1), --wrap. */
static uint64_t said;

uint64_t __real_dcamp_clock_now(void);
uint64_t __wrap_dcamp_clock_now(void);

uint64_t __wrap_dcamp_clock_now(void)
{
    return said ? said : __real_dcamp_clock_now();
}

/* Moments are times in units of 2, which is a nanosecond of CLOCK_MONOTONIC. */
static void arrive_at(struct dcamp_lock *lock, uint64_t ns)
{
    said = 2 * ns;
    dcamp_lock_arrive(lock);
    said = 0;
}

/* A thread that was stopped between reading the clock and saying so has come earlier than the last
 * one: the gaps add up to the time all the same. */
static void who_says_late_that_he_has_come_is_not_the_last(void **state)
{
    (void)state;
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "late", "");
    arrive_at(lock, 1000);
    arrive_at(lock, 3000);
    assert_int_equal(look("late").gaps_ns, 2000);
    arrive_at(lock, 2000);
    assert_int_equal(look("late").gaps_ns, 2000);
    arrive_at(lock, 3000);
    arrive_at(lock, 4500);
    struct seen seen = look("late");
    assert_int_equal(seen.gaps, 4);
    assert_int_equal(seen.gaps_ns, 3500);
}

/* -- Threads and processes --------------------------------------------------------------------- */

#define THREADS 4
#define ROUNDS 20000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static atomic_int met; /* how often the mutex was held when somebody came */

static void *make_and_use(void *unused)
{
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "busy", "");
    for (int i = 0; i < ROUNDS; i++) {
        struct dcamp_claim claim = dcamp_lock_arrive(lock);
        if (pthread_mutex_trylock(&mutex) != 0) {
            met++;
            dcamp_lock_wait(lock, &claim);
            pthread_mutex_lock(&mutex);
        }
        dcamp_lock_acquire(lock, &claim);
        dcamp_lock_release(lock, &claim);
        pthread_mutex_unlock(&mutex);
    }
    (void)unused;
    return lock;
}

/* Nothing is lost; and since one thread at a time has it, it was not held for longer than there was
 * time, nor were there more gaps than that. */
static void threads_count_together(void **state)
{
    (void)state;
    pthread_t thread[THREADS];
    void *lock[THREADS];
    uint64_t begun = dcamp_clock_monotonic();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, make_and_use, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], &lock[i]);
    double passed = (double)(dcamp_clock_monotonic() - begun);
    struct seen seen = look("busy");
    uint64_t all = (uint64_t)THREADS * ROUNDS, waits = (uint64_t)met;
    assert_int_equal(seen.arrivals, all);
    assert_int_equal(seen.holds, all);
    assert_int_equal(seen.waits, waits);
    assert_int_equal(seen.waited, waits);
    assert_int_equal(seen.gaps, all - 1);
    assert_true((double)seen.held_ns <= passed * 1.02);
    for (int i = 1; i < THREADS; i++)
        assert_ptr_equal(lock[i], lock[0]);
    struct contention contention = contention_of(&(struct contention_sums){
        passed / 1e9, seen.arrivals, seen.waits, seen.failures, seen.holds, seen.held_ns});
    assert_true(contention.load > 0 && contention.load <= 1.02);
}

/* The parent's last arrival is not one at the child's lock. */
static void a_child_begins_anew(void **state)
{
    (void)state;
    struct dcamp_lock *lock = dcamp_lock_new(published.app, "forked", "");
    dcamp_lock_arrive(lock);
    dcamp_lock_arrive(lock);
    pid_t pid = fork();
    if (pid == 0) {
        dcamp_lock_arrive(lock);
        struct copy *copy = own_copy(published.directory);
        _exit(word(copy, "forked", "arrivals", 0) == 1 &&
                      word(copy, "forked", "interarrival", 0) == 0
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    dcamp_lock_arrive(lock);
    CHECK_COUNTS(look("forked"), 3, 2, 0, 0, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_lock_is_held_at_once),
        cmocka_unit_test(one_that_is_held_is_waited_for),
        cmocka_unit_test(who_gives_up_has_found_it_held),
        cmocka_unit_test(is_made_once),
        cmocka_unit_test(its_parts_are_sensors),
        cmocka_unit_test(what_cannot_be_named_counts_nowhere),
        cmocka_unit_test(counts_nothing_where_one_part_is_something_else),
        cmocka_unit_test(no_lock_is_fine),
        cmocka_unit_test(who_says_late_that_he_has_come_is_not_the_last),
        cmocka_unit_test(threads_count_together),
        cmocka_unit_test(a_child_begins_anew),
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
