/* Steps: their sums, and the ring of their records, which comes round. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/published.h"
#include "tests/unit/unit.h"

static struct dcamp_step *step;

static int open_app(void **state)
{
    (void)state;
    int error = published_open("steps");
    dcamp_counter_new(published.app, "first", "", "");
    step = dcamp_step_new(published.app, "check", "", "payment");
    return error ? error : dcamp_error();
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void a_record_has_all_of_it(void **state)
{
    (void)state;
    uint64_t before = now();
    struct dcamp_execution execution = dcamp_step_begin(step, 4711);
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    dcamp_step_end(step, execution, -3);
    uint64_t after = now();
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "check", "");
    const struct segment_record *record = copy_record(copy, 1, 1);
    assert_non_null(record);
    assert_ptr_equal(copy->descriptor[record->descriptor], is);
    assert_int_equal(record->result, -3);
    assert_int_equal(record->sequence, 4711);
    /* The clock of the records can be set at any time: by a second, at most, while this runs. */
    assert_true(record->start + 1000000000 >= before && record->start <= after + 1000000000);
    assert_true(record->duration >= 1990000);
    assert_int_equal(record->thread, gettid());
    assert_int_equal(record->flags, 0);
    assert_int_equal(copy->header->shard[1].steps, 1);
    assert_int_equal(copy_word(copy, is, SEGMENT_STEP_BEGUN), 1);
    assert_int_equal(copy_word(copy, is, SEGMENT_STEP_COUNT), 1);
    assert_int_equal(copy_word(copy, is, SEGMENT_STEP_NANOSECONDS), record->duration);
    assert_int_equal(copy_word(copy, is, SEGMENT_STEP_FAILED), 1);
    assert_int_equal(copy_buckets(copy, is, false), 1);
    copy_free(copy);
}

static void what_has_begun_is_told_from_what_has_ended(void **state)
{
    (void)state;
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "check", "");
    uint64_t begun = copy_word(copy, is, SEGMENT_STEP_BEGUN);
    uint64_t ended = copy_word(copy, is, SEGMENT_STEP_COUNT);
    copy_free(copy);
    struct dcamp_execution one = dcamp_step_begin(step, 1), two = dcamp_step_begin(step, 2);
    dcamp_step_end(step, two, 0);
    copy = published_copy();
    is = copy_descriptor(copy, "check", "");
    assert_int_equal(copy_word(copy, is, SEGMENT_STEP_BEGUN), begun + 2);
    assert_int_equal(copy_word(copy, is, SEGMENT_STEP_COUNT), ended + 1);
    copy_free(copy);
    dcamp_step_end(step, one, 0);
}

/* Of 3 times as many as the ring holds, the last ones are there, and how many are lost is known. */
static void the_ring_comes_round(void **state)
{
    (void)state;
    struct copy *copy = published_copy();
    uint64_t read = copy->header->shard[1].steps;
    copy_free(copy);
    for (uint64_t i = 1; i <= 3 * SEGMENT_RING; i++)
        dcamp_step_end(step, dcamp_step_begin(step, read + i), (int32_t)i);
    copy = published_copy();
    uint64_t head = copy->header->shard[1].steps, lost = head - read - SEGMENT_RING, found = 0;
    assert_int_equal(head, read + 3 * SEGMENT_RING);
    assert_int_equal(lost, 2 * SEGMENT_RING);
    for (uint64_t n = 1; n <= head; n++) {
        const struct segment_record *record = copy_record(copy, 1, n);
        assert_int_equal(record != NULL, n > head - SEGMENT_RING);
        if (!record)
            continue;
        assert_int_equal(record->sequence, n);
        assert_int_equal(record->result, n - read);
        found++;
    }
    assert_int_equal(found, SEGMENT_RING);
    copy_free(copy);
}

#define EACH 300

static void *execute(void *sequence)
{
    for (uint64_t i = 0; i < EACH; i++)
        dcamp_step_end(step, dcamp_step_begin(step, *(uint64_t *)sequence * 1000 + i), 0);
    return NULL;
}

/* Each thread has its own ring; a thread that has no shard writes to that of shard 0. */
static void rings_are_of_threads(void **state)
{
    (void)state;
    pthread_t thread[6];
    uint64_t sequence[N_OF(thread)], seen = 0;
    struct copy *copy = published_copy();
    uint64_t before[SEGMENT_SHARDS];
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++)
        before[shard] = copy->header->shard[shard].steps;
    copy_free(copy);
    for (unsigned i = 0; i < N_OF(thread); i++) {
        sequence[i] = i + 10;
        assert_int_equal(pthread_create(&thread[i], NULL, execute, &sequence[i]), 0);
    }
    for (unsigned i = 0; i < N_OF(thread); i++)
        pthread_join(thread[i], NULL);
    copy = published_copy();
    uint64_t records = 0;
    for (unsigned shard = 0; shard < SEGMENT_SHARDS; shard++) {
        uint64_t head = copy->header->shard[shard].steps;
        records += head - before[shard];
        for (uint64_t n = before[shard] + 1; n <= head; n++) {
            const struct segment_record *record = copy_record(copy, shard, n);
            if (record && record->sequence >= 10000 && record->sequence < 16000)
                seen++;
        }
    }
    assert_int_equal(records, N_OF(thread) * EACH);
    assert_true(seen >= SEGMENT_RING / 2);
    copy_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_all_of_it),
        cmocka_unit_test(what_has_begun_is_told_from_what_has_ended),
        cmocka_unit_test(the_ring_comes_round),
        cmocka_unit_test(rings_are_of_threads),
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
