/* Threads that come and go, more of them than there are shards, and handlers that interrupt them:
 * no update is lost. DCAMP_THREADS says how many come and go (make sensors-long: a million). */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/published.h"
#include "tests/unit/unit.h"

static struct dcamp_counter *counter;
static struct dcamp_timer *timer;
static uint64_t added; /* what the tests have added so far */
static uint64_t timed;

static int open_app(void **state)
{
    (void)state;
    int error = published_open("threads");
    counter = dcamp_counter_new(published.app, "counter", "", "x");
    timer = dcamp_timer_new(published.app, "timer", "");
    return error ? error : dcamp_error();
}

/* What the file says now is all that was added; it fell at no time. */
static struct copy *check_sums(void)
{
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "timer", "");
    assert_int_equal(copy_word(copy, copy_descriptor(copy, "counter", ""), 0), added);
    assert_int_equal(copy_word(copy, is, SEGMENT_TIMER_COUNT), timed);
    assert_int_equal(copy_buckets(copy, is, false), timed);
    return copy;
}

static unsigned living(const struct copy *copy)
{
    unsigned n = 0;
    for (unsigned i = 0; i < SEGMENT_SHARDS; i++)
        n += copy->header->shard[i].thread != 0;
    return n;
}

static void *count_once(void *argument)
{
    (void)argument;
    dcamp_counter_add(counter, 3);
    dcamp_timer_stop(timer, dcamp_timer_start(timer));
    return NULL;
}

/* One after the other they have the same shard, and what it has is never cleared. */
static void threads_come_and_go(void **state)
{
    (void)state;
    const char *number = getenv("DCAMP_THREADS");
    unsigned long threads = number ? strtoul(number, NULL, 10) : 5000;
    dcamp_counter_add(counter, 1);
    added += 1;
    for (unsigned long i = 0; i < threads; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, count_once, NULL), 0);
        pthread_join(thread, NULL);
        added += 3;
        timed++;
        if (i % (threads / 20 + 1) == 0) {
            struct copy *copy = check_sums();
            assert_int_equal(living(copy), 1);
            copy_free(copy);
        }
    }
    struct copy *copy = check_sums();
    assert_int_equal(copy->header->shard[1].epoch, 1);
    assert_int_equal(copy->header->shard[2].epoch, threads);
    assert_int_equal(copy->header->shard[3].epoch, 0);
    assert_int_equal(copy->header->shard[2].thread, 0);
    assert_int_equal(copy->header->crowded, 0);
    print_message("%lu threads\n", threads);
    copy_free(copy);
}

static pthread_barrier_t barrier;

static void *count_together(void *argument)
{
    (void)argument;
    dcamp_counter_add(counter, 1);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 100; i++) {
        dcamp_counter_add(counter, 5);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
    }
    pthread_barrier_wait(&barrier);
    return NULL;
}

/* 64 of them have shards, the others share one; what each adds is there while all of them live. */
static void a_thousand_at_once(void **state)
{
    (void)state;
    enum { THREADS = 1000 };
    static pthread_t thread[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    pthread_barrier_init(&barrier, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], &attributes, count_together, NULL), 0);
    pthread_barrier_wait(&barrier);
    struct copy *copy = published_copy();
    assert_int_equal(living(copy), SEGMENT_OWN_SHARDS);
    assert_int_equal(copy->header->crowded, THREADS + 1 - SEGMENT_OWN_SHARDS);
    copy_free(copy);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    added += THREADS * 501;
    timed += THREADS * 100;
    copy = check_sums();
    assert_true(copy_word_of(copy, 0, copy_descriptor(copy, "counter", ""), 0) > 0);
    assert_int_equal(living(copy), 1);
    assert_int_equal(copy->header->full, 0);
    copy_free(copy);
    pthread_barrier_destroy(&barrier);
    pthread_attr_destroy(&attributes);
}

/* A handler may interrupt an update anywhere, the very first of its thread as well. */
static volatile sig_atomic_t handled;
static atomic_bool running;

static void handle(int signal)
{
    (void)signal;
    dcamp_counter_add(counter, 1000000);
    dcamp_timer_stop(timer, dcamp_timer_start(timer));
    handled++;
}

static void *be_interrupted(void *updates)
{
    atomic_store(&running, true);
    for (int i = 0; i < *(int *)updates; i++) {
        dcamp_counter_add(counter, 1);
        dcamp_timer_stop(timer, dcamp_timer_start(timer));
    }
    return NULL;
}

static void interrupt(int updates, int signals)
{
    pthread_t thread;
    atomic_store(&running, false);
    assert_int_equal(pthread_create(&thread, NULL, be_interrupted, &updates), 0);
    for (int i = 0; i < signals; i++)
        pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
    added += (uint64_t)updates;
    timed += (uint64_t)updates;
}

static void handlers_count_too(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = handle};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    for (int i = 0; i < 300; i++)
        interrupt(100, 3);
    interrupt(200000, 2000);
    assert_true(handled > 0);
    added += (uint64_t)handled * 1000000;
    timed += (uint64_t)handled;
    copy_free(check_sums());
}

static void *name_itself(void *name)
{
    dcamp_thread_name(name);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static const struct segment_shard *shard_named(const struct copy *copy, const char *name)
{
    for (unsigned i = 1; i < SEGMENT_SHARDS; i++)
        if (copy->header->shard[i].thread &&
            strncmp(copy->header->shard[i].name, name, sizeof copy->header->shard[i].name) == 0)
            return &copy->header->shard[i];
    return NULL;
}

static void threads_have_names(void **state)
{
    (void)state;
    pthread_t one, two;
    pthread_barrier_init(&barrier, NULL, 3);
    pthread_create(&one, NULL, name_itself, "a name of more than 32 characters, cut");
    pthread_create(&two, NULL, name_itself, "worker");
    pthread_setname_np(pthread_self(), "main thread");
    pthread_barrier_wait(&barrier);
    struct copy *copy = published_copy();
    const struct segment_shard *shard = shard_named(copy, "worker");
    assert_non_null(shard);
    assert_true(shard->thread > 0 && shard->thread != (uint32_t)gettid());
    assert_int_equal(shard->sequence % 2, 0);
    assert_true(shard->since > 0);
    assert_non_null(shard_named(copy, "a name of more than 32 character"));
    uint32_t epoch = copy->header->shard[1].epoch;
    copy_free(copy);
    pthread_barrier_wait(&barrier);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    dcamp_thread_name("first");
    copy = published_copy();
    assert_null(shard_named(copy, "worker"));
    shard = shard_named(copy, "first");
    assert_non_null(shard);
    assert_int_equal(shard->thread, gettid());
    assert_int_equal(copy->header->shard[1].epoch, epoch);
    copy_free(copy);
    pthread_barrier_destroy(&barrier);
}

/* Destructors of other keys may count after the shard was given back. */
static void count_late(void *key)
{
    dcamp_counter_add(counter, 1);
    if (*(int *)key > 0) {
        --*(int *)key;
        pthread_setspecific(*((pthread_key_t *)key + 1), key);
    }
}

static void *end_late(void *key)
{
    pthread_setspecific(*((pthread_key_t *)key + 1), key);
    dcamp_counter_add(counter, 1);
    return NULL;
}

static void destructors_count_too(void **state)
{
    (void)state;
    struct {
        int rounds;
        pthread_key_t key;
    } late;
    pthread_t thread;
    assert_int_equal(pthread_key_create(&late.key, count_late), 0);
    for (int i = 0; i < 2 * SEGMENT_OWN_SHARDS; i++) {
        late.rounds = 2;
        assert_int_equal(pthread_create(&thread, NULL, end_late, &late), 0);
        pthread_join(thread, NULL);
        added += 4;
    }
    struct copy *copy = check_sums();
    assert_int_equal(living(copy), 1);
    copy_free(copy);
    pthread_key_delete(late.key);
}

/* A thread that is cancelled in the midst of updates gives back what it has. */
static void *count_for_ever(void *argument)
{
    (void)argument;
    for (;;) {
        dcamp_counter_add(counter, 0);
        struct dcamp_top *top = dcamp_top_new(published.app, "cancelled", "", "x");
        dcamp_top_add(top, "key", 1);
        pthread_testcancel();
    }
    return NULL;
}

static void cancelled_threads_leave_nothing(void **state)
{
    (void)state;
#if defined __SANITIZE_ADDRESS__
    print_message("AddressSanitizer takes the stack of a thread that is cancelled for in use\n");
    skip();
#endif
    for (int i = 0; i < 200; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, count_for_ever, NULL), 0);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    struct copy *copy = check_sums();
    assert_int_equal(living(copy), 1);
    copy_free(copy);
    dcamp_counter_new(published.app, "after", "", "");
    assert_int_equal(dcamp_error(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_come_and_go),   cmocka_unit_test(a_thousand_at_once),
        cmocka_unit_test(handlers_count_too),    cmocka_unit_test(threads_have_names),
        cmocka_unit_test(destructors_count_too), cmocka_unit_test(cancelled_threads_leave_nothing),
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
