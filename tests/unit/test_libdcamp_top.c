/* Tops in a segment: what is written there is what Space-Saving has, in every shard; and what a
 * reader sees while it is being written is whole. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "libdcamp/space_saving.h"
#include "tests/unit/published.h"
#include "tests/unit/unit.h"

#define KEYS 5000
#define MERGED (70 * SEGMENT_TOP_ENTRIES)

static struct merged merged[MERGED];
static uint64_t exact[KEYS];

static int open_app(void **state)
{
    (void)state;
    return published_open("top");
}

static const struct merged *find(size_t n, const char *key)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(merged[i].key, key) == 0)
            return &merged[i];
    return NULL;
}

static void few_keys_are_exact(void **state)
{
    (void)state;
    struct dcamp_top *top = dcamp_top_new(published.app, "few", "", "x");
    char longest[100];
    memset(longest, 'k', sizeof longest);
    longest[99] = '\0';
    dcamp_top_add(top, "a", 3);
    dcamp_top_add(top, "b", 4);
    dcamp_top_add(top, "a", 5);
    dcamp_top_add(top, "", 1);
    dcamp_top_add(top, longest, 7);
    longest[SEGMENT_KEY] = '\0';
    dcamp_top_add(top, longest, 8);
    dcamp_top_add(top, NULL, 100);
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "few", "");
    size_t n = copy_top(copy, is, merged, MERGED);
    assert_int_equal(n, 4);
    assert_int_equal(find(n, "a")->count, 8);
    assert_int_equal(find(n, "b")->count, 4);
    assert_int_equal(find(n, "")->count, 1);
    assert_int_equal(find(n, longest)->count, 15);
    assert_int_equal(copy_word(copy, is, SEGMENT_TOP_TOTAL), 28);
    assert_int_equal(copy_word(copy, is, SEGMENT_TOP_MISSED), 0);
    copy_free(copy);
}

static void keys_of_all_lengths_differ(void **state)
{
    (void)state;
    struct dcamp_top *top = dcamp_top_new(published.app, "lengths", "", "x");
    char key[SEGMENT_KEY + 1] = "";
    for (int i = 0; i < 2; i++)
        for (size_t length = 0; length <= SEGMENT_KEY; length++) {
            memset(key, 'x', length);
            key[length] = '\0';
            dcamp_top_add(top, key, length + 1);
        }
    struct copy *copy = published_copy();
    size_t n = copy_top(copy, copy_descriptor(copy, "lengths", ""), merged, MERGED);
    assert_int_equal(n, SEGMENT_KEY + 1);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(merged[i].count, 2 * (strlen(merged[i].key) + 1));
    copy_free(copy);
}

/* With a seed that is known, keys are found of which the counters are in one cell and have the same
 * part of their hashes. */
static bool seed_is_known;
ssize_t __real_getrandom(void *octets, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *octets, size_t size, unsigned flags);
ssize_t __wrap_getrandom(void *octets, size_t size, unsigned flags)
{
    if (!seed_is_known)
        return __real_getrandom(octets, size, flags);
    memset(octets, 0x5a, size);
    return (ssize_t)size;
}

static uint32_t low_bits(const char *key)
{
    uint64_t seed;
    memset(&seed, 0x5a, sizeof seed);
    return dcamp_space_saving_hash(key, strlen(key), seed) << 10;
}

/* A key with the same part of its hash, which begins so. */
static void find_like(char *key, size_t size, const char *begin, const char *like)
{
    unsigned i = 0;
    do
        snprintf(key, size, "%s%u", begin, i++);
    while (low_bits(key) != low_bits(like));
}

static void equal_parts_of_hashes_are_told_apart(void **state)
{
    (void)state;
    char other[16], longer[16], whole[24];
    const char *key = "key";
    find_like(other, sizeof other, "", "key00000");
    find_like(longer, sizeof longer, key, key);
    find_like(whole, sizeof whole, "key00000", "key00000");
    seed_is_known = true;
    struct dcamp_top *top = dcamp_top_new(published.app, "equal", "", "x");
    seed_is_known = false;
    const char *const keys[] = {whole, "key00000", other, longer, key};
    for (size_t n = 0; n < 2 * N_OF(keys); n++)
        dcamp_top_add(top, keys[n % N_OF(keys)], n % N_OF(keys) + 1);
    struct copy *copy = published_copy();
    size_t n = copy_top(copy, copy_descriptor(copy, "equal", ""), merged, MERGED);
    assert_int_equal(n, N_OF(keys));
    for (size_t at = 0; at < N_OF(keys); at++)
        assert_int_equal(find(n, keys[at])->count, 2 * (at + 1));
    copy_free(copy);
}

/* Keys of all lengths replace each other; behind each there are zeros only, whatever was there. */
static void keys_are_padded_with_zeros(void **state)
{
    (void)state;
    struct dcamp_top *top = dcamp_top_new(published.app, "padded", "", "x");
    unsigned seed = 4, entries = 0;
    for (int i = 0; i < 20000; i++) {
        char key[SEGMENT_KEY + 1] = "", number[16];
        int digits = snprintf(number, sizeof number, "%05d", i);
        memset(key, 'k', (size_t)rand_r(&seed) % (SEGMENT_KEY + 1));
        memcpy(key, number, (size_t)digits);
        dcamp_top_add(top, key, 1);
    }
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "padded", "");
    for (uint32_t p = 0; p < SEGMENT_SHARDS * SEGMENT_NUMBERS; p++) {
        const struct segment_panel *panel = copy->panel[p];
        uint32_t number = p % SEGMENT_NUMBERS;
        if (!panel || number < is->first_panel || number >= is->first_panel + is->panels)
            continue;
        for (size_t i = 0; i < SEGMENT_ENTRIES_IN_PANEL && panel->sequence[i]; i++, entries++)
            for (size_t at = strnlen(panel->entry[i].key, SEGMENT_KEY); at < SEGMENT_KEY; at++)
                assert_int_equal(panel->entry[i].key[at], 0);
    }
    assert_int_equal(entries, SEGMENT_TOP_ENTRIES);
    copy_free(copy);
}

/* Several threads, each with its own skew; the promise of the merge is that of one of all. */
struct share {
    struct dcamp_top *top;
    unsigned seed;
    uint64_t exact[KEYS];
};

static void *add_many(void *argument)
{
    struct share *share = argument;
    for (int i = 0; i < 100000; i++) {
        char key[16];
        unsigned r = (unsigned)rand_r(&share->seed) % KEYS,
                 s = (unsigned)rand_r(&share->seed) % KEYS;
        unsigned number = i % 2 ? r : r * s / KEYS;
        unsigned n = number < 20 ? 20 : 1;
        snprintf(key, sizeof key, "key%u", number);
        dcamp_top_add(share->top, key, n);
        share->exact[number] += n;
    }
    return NULL;
}

static void merged_shards_keep_the_bound(void **state)
{
    (void)state;
    static struct share share[4];
    pthread_t thread[N_OF(share)];
    struct dcamp_top *top = dcamp_top_new(published.app, "many", "", "x");
    uint64_t total = 0, counted = 0;
    for (unsigned i = 0; i < N_OF(share); i++) {
        share[i].top = top;
        share[i].seed = i;
        assert_int_equal(pthread_create(&thread[i], NULL, add_many, &share[i]), 0);
    }
    for (unsigned i = 0; i < N_OF(share); i++) {
        pthread_join(thread[i], NULL);
        for (unsigned key = 0; key < KEYS; key++)
            exact[key] += share[i].exact[key];
    }
    for (unsigned key = 0; key < KEYS; key++)
        total += exact[key];
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "many", "");
    size_t n = copy_top(copy, is, merged, MERGED);
    assert_int_equal(copy_word(copy, is, SEGMENT_TOP_TOTAL), total);
    assert_int_equal(copy_word(copy, is, SEGMENT_TOP_MISSED), 0);
    for (size_t i = 0; i < n; i++) {
        unsigned key = (unsigned)strtoul(merged[i].key + 3, NULL, 10);
        assert_true(merged[i].count - merged[i].error <= exact[key]);
        assert_true(merged[i].error <= total / SEGMENT_TOP_ENTRIES);
        counted += merged[i].count;
    }
    assert_int_equal(counted, total);
    for (unsigned key = 0; key < KEYS; key++) {
        char text[16];
        snprintf(text, sizeof text, "key%u", key);
        const struct merged *found = find(n, text);
        if (exact[key] > total / SEGMENT_TOP_ENTRIES)
            assert_non_null(found);
        if (found)
            assert_true(found->count + total / SEGMENT_TOP_ENTRIES >= exact[key]);
    }
    copy_free(copy);
}

/* Each key is a number and 54 times the letter that it gives, and comes once: an entry of which a
 * part is another's is noticed. */
static atomic_bool done;

static void *replace_keys(void *top)
{
    char key[SEGMENT_KEY + 1] = "";
    for (unsigned i = 0; !atomic_load(&done); i++) {
        snprintf(key, sizeof key, "%010u", i);
        memset(key + 10, 'a' + (int)(i % 26), SEGMENT_KEY - 10);
        dcamp_top_add(top, key, 1);
    }
    return NULL;
}

static bool is_whole(const struct segment_entry *entry)
{
    char digits[11] = "";
    memcpy(digits, entry->key, 10);
    unsigned letter = (unsigned)(strtoul(digits, NULL, 10) % 26);
    for (size_t i = 10; i < SEGMENT_KEY; i++)
        if (entry->key[i] != 'a' + (int)letter)
            return false;
    return entry->count == entry->error + 1;
}

/* Three readings, as segment.h says. */
static unsigned check_entries(const struct segment_descriptor *is, char *first, char *second,
                              char *third, size_t panels)
{
    unsigned whole = 0;
    for (size_t p = 0; p < panels; p++) {
        const struct segment_panel *before = (struct segment_panel *)(void *)first + p,
                                   *panel = (struct segment_panel *)(void *)second + p,
                                   *after = (struct segment_panel *)(void *)third + p;
        uint32_t number = SEGMENT_PLACE_NUMBER(before->place);
        if (SEGMENT_PLACE_KIND(before->place) != SEGMENT_ENTRIES || number < is->first_panel ||
            number >= is->first_panel + is->panels)
            continue;
        for (size_t i = 0; i < SEGMENT_ENTRIES_IN_PANEL; i++) {
            uint32_t sequence = before->sequence[i];
            if (sequence == 0 || sequence % 2 || sequence != after->sequence[i])
                continue;
            whole++;
            assert_true(is_whole(&panel->entry[i]));
        }
    }
    return whole;
}

static void entries_are_whole_while_they_are_written(void **state)
{
    (void)state;
    enum { SIZE = 1 << 20 };
    char path[512];
    pthread_t thread;
    unsigned whole = 0, rounds = 0;
    struct dcamp_top *top = dcamp_top_new(published.app, "busy", "", "x");
    char *reading[3] = {calloc(1, SIZE), calloc(1, SIZE), calloc(1, SIZE)};
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "busy", "");
    assert_non_null(segment_path(published.directory, getpid(), path, sizeof path));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pthread_create(&thread, NULL, replace_keys, top), 0);
    for (; rounds < 300 || (whole == 0 && rounds < 100000); rounds++) {
        ssize_t least = SIZE;
        for (int i = 0; i < 3; i++) {
            ssize_t n = pread(fd, reading[i], SIZE, SEGMENT_HEADER_SIZE);
            least = n < least ? n : least;
        }
        whole += check_entries(is, reading[0], reading[1], reading[2],
                               (size_t)least / SEGMENT_PANEL_SIZE);
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    print_message("%u readings, %u whole entries\n", rounds, whole);
    assert_true(whole > 0);
    for (int i = 0; i < 3; i++)
        free(reading[i]);
    close(fd);
    copy_free(copy);
}

/* A handler that interrupts an addition finds the entries in use, and counts what it missed. */
static struct dcamp_top *interrupted;
static volatile sig_atomic_t handled;

static void handle(int signal)
{
    (void)signal;
    dcamp_top_add(interrupted, "handler", 1);
    handled++;
}

static void *send_signals(void *target)
{
    for (int i = 0; i < 2000; i++) {
        pthread_kill(*(pthread_t *)target, SIGUSR1);
        sched_yield();
    }
    atomic_store(&done, true);
    return NULL;
}

static void nothing_is_lost_to_handlers(void **state)
{
    (void)state;
    pthread_t thread, self = pthread_self();
    uint64_t own = 0;
    interrupted = dcamp_top_new(published.app, "interrupted", "", "x");
    struct sigaction action = {.sa_handler = handle};
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    atomic_store(&done, false);
    assert_int_equal(pthread_create(&thread, NULL, send_signals, &self), 0);
    for (; !atomic_load(&done); own++) {
        char key[16];
        snprintf(key, sizeof key, "%llu", (unsigned long long)own % 3000);
        dcamp_top_add(interrupted, key, 1);
    }
    pthread_join(thread, NULL);
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "interrupted", "");
    size_t n = copy_top(copy, is, merged, MERGED);
    uint64_t counted = 0;
    for (size_t i = 0; i < n; i++)
        counted += merged[i].count;
    assert_true(handled > 0);
    assert_int_equal(copy_word(copy, is, SEGMENT_TOP_TOTAL), own + (uint64_t)handled);
    assert_int_equal(counted + copy_word(copy, is, SEGMENT_TOP_MISSED), own + (uint64_t)handled);
    copy_free(copy);
}

/* A handler forks while it interrupts an addition, which goes on in the child: nothing that the
 * parent has counted comes into the child's file. */
static volatile sig_atomic_t forked, in_child;

static void handle_by_fork(int signal)
{
    (void)signal;
    pid_t pid = fork();
    in_child = in_child || pid == 0;
    forked = (sig_atomic_t)pid;
}

static int errors_of_a_child(struct dcamp_top *top)
{
    dcamp_top_add(top, "own", 1);
    struct copy *copy = published_copy();
    size_t n = copy_top(copy, copy_descriptor(copy, "forked", ""), merged, MERGED);
    for (size_t i = 0; i < n; i++)
        if (merged[i].error > 0)
            return 1;
    return n > 0 ? 0 : 2;
}

static void a_child_has_nothing_of_an_interrupted_addition(void **state)
{
    (void)state;
    struct dcamp_top *top = dcamp_top_new(published.app, "forked", "", "x");
    struct sigaction action = {.sa_handler = handle_by_fork};
    const struct itimerval timer = {.it_value.tv_usec = 500};
    assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
    for (unsigned children = 0, i = 0; children < 40; children++) {
        int status;
        forked = 0;
        assert_int_equal(setitimer(ITIMER_REAL, &timer, NULL), 0);
        for (; !forked && !in_child; i++) {
            char key[16];
            snprintf(key, sizeof key, "%u", i % 5000);
            dcamp_top_add(top, key, 1);
        }
        if (in_child)
            _exit(errors_of_a_child(top));
        assert_int_equal(waitpid((pid_t)forked, &status, 0), forked);
        assert_int_equal(status, 0);
    }
}

/* While these threads have all shards, others have the entries of shard 0 together. */
#define HOLDERS (SEGMENT_SHARDS - 1)
#define OTHERS 8
#define ADDITIONS 30000
static pthread_barrier_t held, released;

static void *hold_a_shard(void *top)
{
    dcamp_top_add(top, "holder", 1);
    pthread_barrier_wait(&held);
    pthread_barrier_wait(&released);
    return NULL;
}

static void *add_without_a_shard(void *top)
{
    char key[16];
    for (unsigned i = 0; i < ADDITIONS; i++) {
        snprintf(key, sizeof key, "key%u", i % 1700);
        dcamp_top_add(top, key, 1);
    }
    return NULL;
}

/* How much the entries have, and what no entry has; *total: that of the word. */
static uint64_t accounted(const char *name, uint64_t *total)
{
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, name, "");
    size_t n = copy_top(copy, is, merged, MERGED);
    uint64_t sum = copy_word(copy, is, SEGMENT_TOP_MISSED);
    for (size_t i = 0; i < n; i++)
        sum += merged[i].count;
    *total = copy_word(copy, is, SEGMENT_TOP_TOTAL);
    copy_free(copy);
    return sum;
}

static void start(pthread_t *thread, size_t n, void *(*run)(void *), void *argument)
{
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, run, argument), 0);
}

static void join(pthread_t *thread, size_t n)
{
    for (size_t i = 0; i < n; i++)
        pthread_join(thread[i], NULL);
}

static void threads_without_a_shard_lose_nothing(void **state)
{
    (void)state;
    pthread_t holder[HOLDERS], other[OTHERS];
    uint64_t total;
    struct dcamp_top *top = dcamp_top_new(published.app, "crowd", "", "x");
    pthread_barrier_init(&held, NULL, HOLDERS + 1);
    pthread_barrier_init(&released, NULL, HOLDERS + 1);
    start(holder, HOLDERS, hold_a_shard, top);
    pthread_barrier_wait(&held);
    start(other, OTHERS, add_without_a_shard, top);
    join(other, OTHERS);
    pthread_barrier_wait(&released);
    join(holder, HOLDERS);
    assert_int_equal(accounted("crowd", &total), HOLDERS + OTHERS * ADDITIONS);
    assert_int_equal(total, HOLDERS + OTHERS * ADDITIONS);
}

/* -- One instruction after the other ----------------------------------------------------------- */

/* Not with ThreadSanitizer, which holds signals back and makes very many instructions of one. */
#if defined __x86_64__ && !defined __SANITIZE_THREAD__
#define CAN_STEP
#define SINGLE_STEP 0x100 /* of the flags: a SIGTRAP follows each instruction */

/* AddressSanitizer makes about twenty instructions of one. */
#define STRIDE (CASES(10) > 1 ? 1 : 29)

static struct {
    void (*handle)(void);
    volatile long target, at; /* handle() is called behind that instruction */
    volatile bool adding, slow, done;
} stepping;

static void trap(int signal, siginfo_t *info, void *context)
{
    (void)signal, (void)info;
    long at = stepping.at++;
    if (at == stepping.target && stepping.adding) {
        stepping.done = true;
        stepping.handle();
    }
    if (stepping.slow)
        sched_yield();
    if (!stepping.adding || (at >= stepping.target && !stepping.slow))
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
}

/* Below the octets that a function may use without saying so. */
static inline void begin_steps(void)
{
    __asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq %0, (%%rsp); popfq; lea 128(%%rsp), %%rsp"
                     :
                     : "i"(SINGLE_STEP)
                     : "memory", "cc");
}

/* False: the addition has no such instruction, or nobody counts them, as under Valgrind. */
static bool add_in_steps(struct dcamp_top *top, const char *key, long target)
{
    stepping.target = target;
    stepping.at = 0;
    stepping.done = false;
    stepping.adding = true;
    begin_steps();
    dcamp_top_add(top, key, 1);
    stepping.adding = false;
    __asm__ volatile("nop; nop");
    return stepping.done;
}

static void step_with(void (*handler)(void))
{
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    stepping.handle = handler;
    stepping.slow = false;
    assert_int_equal(sigaction(SIGTRAP, &action, NULL), 0);
}

static char stepped_key[16];

static void add_nested(void)
{
    dcamp_top_add(interrupted, stepped_key, 1);
    handled++;
}

/* With a key that is there, and with one that takes the place of another; the handler has the same,
 * which must not be there twice then. */
static void an_addition_may_be_interrupted_anywhere(void **state)
{
    (void)state;
    uint64_t additions = 0, total;
    interrupted = dcamp_top_new(published.app, "steps", "", "x");
    handled = 0;
    step_with(add_nested);
    for (; additions < 2000; additions++) {
        snprintf(stepped_key, sizeof stepped_key, "%u", (unsigned)additions);
        dcamp_top_add(interrupted, stepped_key, 1);
    }
    for (int replaces = 0; replaces < 2; replaces++)
        for (long target = 0;; target += STRIDE) {
            additions++;
            snprintf(stepped_key, sizeof stepped_key, replaces ? "key%ld" : "key", target);
            if (!add_in_steps(interrupted, stepped_key, target))
                break;
        }
    print_message("%d instructions\n", (int)handled);
    if (stepping.at == 0) /* nobody counts them, as under Valgrind */
        skip();
    assert_true(handled > 50);
    assert_int_equal(accounted("steps", &total), additions + (uint64_t)handled);
    assert_int_equal(total, additions + (uint64_t)handled);
}

static pthread_t heir;

static void *add_as_heir(void *ready)
{
    char key[16];
    for (unsigned i = 0; i < 1500; i++) {
        snprintf(key, sizeof key, "heir%u", i % 1200);
        dcamp_top_add(interrupted, key, 1);
        atomic_store((atomic_bool *)ready, true);
    }
    return NULL;
}

/* The child's thread gets the shard that the interrupted one has had in the parent; or the handler
 * itself does. */
static bool is_alone;

static void fork_with_heir(void)
{
    static atomic_bool ready;
    pid_t pid = fork();
    forked = (sig_atomic_t)pid;
    if (pid != 0)
        return;
    in_child = 1;
    if (is_alone) {
        dcamp_top_add(interrupted, "handler", 5);
        return;
    }
    stepping.slow = true;
    if (pthread_create(&heir, NULL, add_as_heir, &ready))
        _exit(3);
    while (!atomic_load(&ready))
        sched_yield();
}

/* The total of what was interrupted may have been counted in the parent. */
static int account_of_a_child(void)
{
    uint64_t total, sum;
    if (!is_alone)
        pthread_join(heir, NULL);
    sum = accounted("heir", &total);
    return sum >= total && sum <= total + 1 ? 0 : 1;
}

static bool fork_at(struct dcamp_top *top, long target, bool alone)
{
    int status;
    forked = 0;
    is_alone = alone;
    bool more = add_in_steps(top, "main", target);
    if (in_child)
        _exit(account_of_a_child());
    if (!more)
        return false;
    assert_int_equal(waitpid((pid_t)forked, &status, 0), forked);
    assert_int_equal(status, 0);
    return true;
}

static void a_shard_has_one_thread_after_a_fork_anywhere(void **state)
{
    (void)state;
    long target = 0;
    interrupted = dcamp_top_new(published.app, "heir", "", "x");
    in_child = 0;
    step_with(fork_with_heir);
    while (fork_at(interrupted, target, false) && fork_at(interrupted, target, true))
        target += 7 * STRIDE;
    if (stepping.at == 0)
        skip();
    assert_true(target > 100);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_keys_are_exact),
        cmocka_unit_test(keys_of_all_lengths_differ),
        cmocka_unit_test(equal_parts_of_hashes_are_told_apart),
        cmocka_unit_test(keys_are_padded_with_zeros),
        cmocka_unit_test(merged_shards_keep_the_bound),
        cmocka_unit_test(entries_are_whole_while_they_are_written),
        cmocka_unit_test(nothing_is_lost_to_handlers),
        cmocka_unit_test(a_child_has_nothing_of_an_interrupted_addition),
        cmocka_unit_test(threads_without_a_shard_lose_nothing),
#ifdef CAN_STEP
        cmocka_unit_test(an_addition_may_be_interrupted_anywhere),
        cmocka_unit_test(a_shard_has_one_thread_after_a_fork_anywhere),
#endif
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
