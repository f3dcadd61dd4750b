/* Memory that fails, at each place where a pass asks for some: what could not be taken is taken by
 * the next one, and nothing is taken twice. */
#include "application/directory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/forged.h"
#include "tests/unit/scarce.h"
#include "tests/unit/segments.h"
#include "tests/unit/unit.h"

#define WANTS_ALL (PROGRAM_TOPS | PROGRAM_STEPS | PROGRAM_THREADS)

static char path[64];
static unsigned records;

/* Counts down to the read that the kernel has no memory for; 0: none has to fail. */
static unsigned read_fails;

ssize_t __real_pread(int fd, void *octets, size_t n, off_t at);
ssize_t __wrap_pread(int fd, void *octets, size_t n, off_t at);

ssize_t __wrap_pread(int fd, void *octets, size_t n, off_t at)
{
    if (read_fails == 0 || --read_fails > 0)
        return __real_pread(fd, octets, n, at);
    errno = ENOMEM;
    return -1;
}

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

static struct forged *forge(void)
{
    static const char *const name[] = {"", "counter", "gauge", "timer", "histogram", "top", "step"};
    struct forged *forged = forged_new("shop");
    for (unsigned kind = SEGMENT_COUNTER; kind <= SEGMENT_STEP; kind++) {
        const struct segment_descriptor *is = forged_sensor(forged, kind, name[kind], "", "s");
        *forged_word(forged, is, 1, 0) = 3;
        if (segment_form(kind).kind == SEGMENT_BUCKETS) {
            *forged_bucket(forged, is, 1, false, 0) = 2;
            *forged_bucket(forged, is, 2, kind == SEGMENT_HISTOGRAM, 1000) = 1;
        }
        if (kind == SEGMENT_TOP) {
            forged_entry(forged, is, 1, 0, "key", 2);
            forged_entry(forged, is, 2, 0, "key", 1);
        }
        if (kind == SEGMENT_STEP)
            forged_record(forged, 1, 1, kind - 1);
    }
    return forged;
}

/* The file of a writer that lives. */
static int publish(const char *name, const struct forged *forged)
{
    char file[256];
    snprintf(file, sizeof file, "%s/%s", path, name);
    return forged_publish(forged, file, true);
}

/* What came to the histograms in this pass. */
static uint64_t grown(const struct directory *directory)
{
    uint64_t n = 0;
    const struct application *is = directory_applications(directory)->by_key;
    for (const struct application_series *series = is ? is->series : NULL; series;
         series = series->hh.next)
        n += series->grown.count;
    return n;
}

static void assert_complete(const struct directory *directory, uint64_t values)
{
    const struct application *is = directory_applications(directory)->by_key;
    assert_int_equal(is->processes, 1);
    assert_int_equal(HASH_COUNT(is->series), SEGMENT_STEP);
    for (const struct application_series *series = is->series; series; series = series->hh.next) {
        if (series->kind != SEGMENT_GAUGE)
            assert_int_equal(series->total[0], 3);
        struct top_keys keys = {0};
        assert_int_equal(application_keys(series, &keys), 0);
        assert_int_equal(keys.size, series->kind == SEGMENT_TOP);
        assert_true(keys.size == 0 || keys.key[0].count == 3);
        keys_release(&keys);
        /* Two shards have counted of a timer, a histogram, a step: but words only in the first. */
        assert_int_equal(LIST_FIRST(&series->parts)->threads, 1);
    }
    assert_int_equal(values, 9);
    assert_int_equal(records, 1);
    assert_int_equal(directory_cost(directory).files, 1);
}

/* Whether the nth allocation of the pass that finds the file was one that could fail. */
static bool attempt(const struct forged *forged, size_t nth)
{
    struct directory *directory = directory_new(path);
    records = 0;
    assert_int_equal(directory_pass(directory, NS_PER_S, WANTS_ALL, &observer), 0);
    int fd = publish("1.1", forged);
    scarce_fail(nth);
    int error = directory_pass(directory, 2 * NS_PER_S, WANTS_ALL, &observer);
    bool failed = scarce_stop();
    uint64_t values = grown(directory);
    if (error != (failed ? ENOMEM : 0))
        fail_msg("allocation %zu: %d", nth, error);
    assert_int_equal(directory_pass(directory, 3 * NS_PER_S, WANTS_ALL, &observer), 0);
    assert_complete(directory, values + grown(directory));
    close(fd);
    assert_int_equal(directory_pass(directory, 4 * NS_PER_S, 0, NULL), 0);
    assert_int_equal(segments_count(path), 0);
    directory_free(directory);
    return failed;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    struct forged *forged = forge();
    size_t nth = 1;
    segments_use(path, sizeof path);
    while (attempt(forged, nth))
        nth++;
    print_message("%zu allocations\n", nth - 1);
    assert_true(nth > 20);
    segments_remove(path);
    forged_free(forged);
}

static void there_is_no_directory_without_memory(void **state)
{
    (void)state;
    size_t nth = 0;
    struct directory *directory;
    bool failed;
    do {
        scarce_fail(++nth);
        directory = directory_new("/nowhere");
        failed = scarce_stop();
        assert_int_equal(failed, !directory);
        directory_free(directory);
    } while (failed);
    assert_int_equal(nth, 4);
}

/* Keys of a process that has ended: a part of them is missing then, and that is known. */
static void keys_of_the_dead_may_be_lost(void **state)
{
    (void)state;
    struct forged *forged = forge();
    size_t nth = 0;
    bool failed, lost = false;
    segments_use(path, sizeof path);
    do {
        struct directory *directory = directory_new(path);
        int fd = publish("1.1", forged);
        assert_int_equal(directory_pass(directory, NS_PER_S, WANTS_ALL, &observer), 0);
        close(fd);
        scarce_fail(++nth);
        directory_pass(directory, 2 * NS_PER_S, WANTS_ALL, &observer);
        failed = scarce_stop();
        directory_pass(directory, 3 * NS_PER_S, WANTS_ALL, &observer);
        assert_int_equal(segments_count(path), 0);
        const struct application_series *series = directory_applications(directory)->by_key->series;
        for (; series; series = series->hh.next)
            if (series->kind == SEGMENT_TOP) {
                assert_int_equal(series->departed_in_part, series->departed.size == 0);
                lost |= series->departed_in_part;
            }
        directory_free(directory);
    } while (failed);
    assert_true(lost);
    segments_remove(path);
    forged_free(forged);
}

static uint64_t total(const struct directory *directory, const char *name)
{
    const struct application *is = directory_applications(directory)->by_key;
    const struct application_series *series = is ? is->series : NULL;
    while (series && !segment_text_is(series->key.name, SEGMENT_NAME, name))
        series = series->hh.next;
    return series ? series->total[0] : 0;
}

/* The last that a process has counted is doubtful, since one of its counters has fallen, so that
 * its file is read twice; and it stays until both readings have succeeded. */
static void the_last_counts_are_not_lost(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *falls =
        forged_sensor(forged, SEGMENT_COUNTER, "falls", "", "");
    const struct segment_descriptor *grows =
        forged_sensor(forged, SEGMENT_COUNTER, "grows", "", "");
    unsigned nth = 0;
    bool failed;
    segments_use(path, sizeof path);
    do {
        struct directory *directory = directory_new(path);
        *forged_word(forged, falls, 0, 0) = 10;
        *forged_word(forged, grows, 0, 0) = 10;
        int fd = publish("1.1", forged);
        assert_int_equal(directory_pass(directory, NS_PER_S, 0, NULL), 0);
        *forged_word(forged, falls, 0, 0) = 4;
        *forged_word(forged, grows, 0, 0) = 17;
        assert_int_equal(pwrite(fd, forged->octets, forged->size, 0), forged->size);
        close(fd);
        read_fails = ++nth;
        int error = directory_pass(directory, 2 * NS_PER_S, 0, NULL);
        failed = read_fails == 0;
        read_fails = 0;
        assert_int_equal(error, failed ? ENOMEM : 0);
        assert_int_equal(segments_count(path), failed);
        assert_int_equal(directory_pass(directory, 3 * NS_PER_S, 0, NULL), 0);
        assert_int_equal(segments_count(path), 0);
        assert_int_equal(total(directory, "grows"), 17);
        directory_free(directory);
    } while (failed);
    assert_true(nth > 2); /* one for each reading at least */
    segments_remove(path);
    forged_free(forged);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_may_fail),
        cmocka_unit_test(there_is_no_directory_without_memory),
        cmocka_unit_test(keys_of_the_dead_may_be_lost),
        cmocka_unit_test(the_last_counts_are_not_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
