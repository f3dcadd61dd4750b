/* Processes over time, and what their applications have counted: by segments that are forged. */
#include "application/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/forged.h"
#include "tests/unit/heap.h"
#include "tests/unit/unit.h"

#define S NS_PER_S
#define WANTS_ALL (PROGRAM_TOPS | PROGRAM_STEPS | PROGRAM_THREADS)

/* -- A scene ----------------------------------------------------------------------------------- */

struct told {
    unsigned records;
    uint64_t sequences; /* their sum */
    uint64_t last;
};

static struct segment *segment;
static struct applications applications;
static struct owner *owners;
static struct told told;
static char why[SEGMENT_WHY_SIZE];
static size_t besides[2]; /* octets that users are said to have, for tests of room */

static void stepped(void *context, const struct program *program, struct application_series *series,
                    const struct segment_record *record)
{
    struct told *into = context;
    assert_true(segment_text_is(series->key.name, SEGMENT_NAME, "step"));
    assert_ptr_equal(series->application, program->application);
    into->records++;
    into->sequences += record->sequence;
    into->last = record->number;
}

static const struct program_observer observer = {&told, stepped};

static int open_scene(void **state)
{
    (void)state;
    segment = segment_new();
    owner_get(&owners, 1000);
    applications_begin(&applications, S);
    told = (struct told){0};
    besides[0] = besides[1] = 0;
    return !segment;
}

static int close_scene(void **state)
{
    (void)state;
    applications_release(&applications);
    bool is_balanced = true;
    while (owners) {
        is_balanced &= owners->memory == 0 && !owners->departed;
        owner_free(&owners, owners);
    }
    segment_free(segment);
    return !is_balanced;
}

static void open_forged(const struct forged *forged)
{
    if (forged_open(forged, segment, why) != SEGMENT_SOUND)
        fail_msg("%s", why);
}

static struct program *begin(const struct forged *forged, bool late)
{
    open_forged(forged);
    struct program *program = program_new(&applications, owner_get(&owners, 1000), segment, late);
    assert_non_null(program);
    return program;
}

static enum program_outcome reading(struct program *program, const struct forged *forged,
                                    bool again)
{
    open_forged(forged);
    return program_read(program, &applications, segment, WANTS_ALL, again, &observer);
}

static void take(struct program *program, const struct forged *forged)
{
    assert_int_equal(reading(program, forged, false), PROGRAM_TAKEN);
    assert_false(program->no_memory);
}

static void next_pass(void)
{
    applications_begin(&applications, applications.now_ns + S);
}

static struct application_series *find_of(uid_t uid, const char *application, const char *name,
                                          const char *instance)
{
    for (struct application *is = applications.by_key; is; is = is->hh.next)
        for (struct application_series *series = is->series; series; series = series->hh.next)
            if (is->key.owner == uid && segment_text_is(is->key.name, SEGMENT_NAME, application) &&
                segment_text_is(series->key.name, SEGMENT_NAME, name) &&
                segment_text_is(series->key.instance, SEGMENT_INSTANCE, instance))
                return series;
    return NULL;
}

static struct application_series *find(const char *name)
{
    struct application_series *series = find_of(1000, "shop", name, "");
    assert_non_null(series);
    return series;
}

/* -- Growth ------------------------------------------------------------------------------------ */

static void a_counter_grows(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin(forged, false);
    *forged_word(forged, is, 0, 0) = 5;
    *forged_word(forged, is, 3, 0) = 7;
    take(program, forged);
    const struct application_series *series = find("n");
    assert_int_equal(series->total[0], 12);
    assert_int_equal(series->kind, SEGMENT_COUNTER);
    assert_string_equal(series->unit, "x");
    next_pass();
    *forged_word(forged, is, 3, 0) = 107;
    *forged_word(forged, is, 9, 0) = 1;
    take(program, forged);
    assert_int_equal(series->total[0], 113);
    take(program, forged);
    assert_int_equal(series->total[0], 113);
    assert_int_equal(program->readings, 3);
    assert_string_equal(program->writer, "forged 1.0");
    program_free(program, &applications);
    forged_free(forged);
}

static void distributions_grow(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *timer = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_HISTOGRAM, "h", "", "x");
    struct program *program = begin(forged, false);
    *forged_word(forged, timer, 2, SEGMENT_TIMER_COUNT) = 3;
    *forged_word(forged, timer, 2, SEGMENT_TIMER_NANOSECONDS) = 3000;
    *forged_bucket(forged, timer, 2, false, -1036) = 1;
    *forged_bucket(forged, timer, 1, false, 2073) = 2;
    *forged_word(forged, is, 1, SEGMENT_HISTOGRAM_COUNT) = 6;
    *forged_word(forged, is, 1, SEGMENT_HISTOGRAM_ZERO) = 4;
    forged_real(forged, is, 1, SEGMENT_HISTOGRAM_SUM, -10.5);
    *forged_bucket(forged, is, 1, true, 50) = 1;
    *forged_bucket(forged, is, 7, false, 0) = 1;
    take(program, forged);
    const struct application_series *t = find("t"), *h = find("h");
    assert_int_equal(t->total[SEGMENT_TIMER_COUNT], 3);
    assert_int_equal(t->total[SEGMENT_TIMER_NANOSECONDS], 3000);
    assert_int_equal(t->grown.count, 3);
    assert_int_equal(histogram_side_count(&t->grown.positive, -1036), 1);
    assert_int_equal(histogram_side_count(&t->grown.positive, 2073), 2);
    assert_int_equal(h->total[SEGMENT_HISTOGRAM_COUNT], 6);
    assert_true(h->sum == -10.5);
    assert_int_equal(h->grown.count, 6);
    assert_int_equal(h->grown.zero, 4);
    assert_int_equal(histogram_side_count(&h->grown.negative, 50), 1);
    assert_int_equal(histogram_side_count(&h->grown.positive, 0), 1);
    next_pass();
    assert_int_equal(h->grown.count + t->grown.count, 0);
    *forged_bucket(forged, is, 7, false, 0) = 11;
    *forged_word(forged, is, 1, SEGMENT_HISTOGRAM_COUNT) = 16;
    forged_real(forged, is, 7, SEGMENT_HISTOGRAM_SUM, 10);
    take(program, forged);
    assert_int_equal(h->grown.count, 10);
    assert_int_equal(histogram_side_count(&h->grown.positive, 0), 10);
    assert_int_equal(h->grown.zero, 0);
    assert_true(h->sum == -0.5);
    assert_int_equal(t->grown.count, 0);
    program_free(program, &applications);
    forged_free(forged);
}

/* n events of a timer more, each of which took so many nanoseconds, as far as a reading has seen
 * them. */
static void add_events(struct forged *forged, const struct segment_descriptor *timer, uint32_t n,
                       uint32_t buckets, uint32_t sums, uint64_t nanoseconds)
{
    int index = histogram_index((double)nanoseconds / (double)S);
    *forged_word(forged, timer, 1, SEGMENT_TIMER_COUNT) += n;
    *forged_bucket(forged, timer, 1, false, index) += buckets;
    *forged_word(forged, timer, 1, SEGMENT_TIMER_NANOSECONDS) += sums * nanoseconds;
}

/* Means times counts are the sum of all that took, whatever a reading has seen of an update. */
static void means_add_up(void **state)
{
    (void)state;
    static const struct {
        uint32_t n, buckets, sums;
        uint64_t nanoseconds;
        double mean; /* in milliseconds; 0: nothing has grown; -1: within the bucket */
    } passes[] = {
        {1000, 1000, 1000, 1000000, 1}, {0, 0, 0, 1, 0},
        {10, 9, 9, 2000000, -1},                                /* the count has one more */
        {0, 1, 1, 2000000, -1},                                 /* which follows */
        {10, 10, 9, 2000000, -1},                               /* the sum has one less */
        {5, 5, 6, 2000000, -1},         {0, 1, 0, 4000000, -1}, /* the bucket comes first */
        {1, 0, 1, 4000000, 0},                                  /* and the rest then */
        {0, 0, 2, 4000000, 0},                                  /* sums first */
        {2, 2, 0, 4000000, -1},         {1, 1, 1, 123456789, -1},
    };
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    struct program *program = begin(forged, false);
    double sum = 0, count = 0;
    for (size_t i = 0; i < N_OF(passes); i++) {
        next_pass();
        add_events(forged, is, passes[i].n, passes[i].buckets, passes[i].sums,
                   passes[i].nanoseconds);
        take(program, forged);
        applications_end(&applications);
        const struct application_series *series = find("t");
        double mean = series->grown_mean, exact = (double)passes[i].nanoseconds / (double)S;
        assert_int_equal(series->grown.count, passes[i].buckets);
        assert_int_equal(isnan(mean), passes[i].buckets == 0);
        if (passes[i].mean > 0 && !(fabs(mean - passes[i].mean / 1000) < 1e-12))
            fail_msg("pass %zu: %.17g", i, mean);
        if (passes[i].mean < 0 && !(fabs(mean - exact) <= 0.0203 * exact))
            fail_msg("pass %zu: %.17g", i, mean);
        sum += isnan(mean) ? 0 : mean * (double)series->grown.count;
        count += (double)series->grown.count;
    }
    const struct application_series *series = find("t");
    assert_true(count == (double)series->total[SEGMENT_TIMER_COUNT]);
    assert_true(fabs(sum - (double)series->total[SEGMENT_TIMER_NANOSECONDS] / (double)S) < 1e-9);
    assert_true(series->pending == 0 && fabs(series->pending_sum) < 1e-9);
    program_free(program, &applications);
    forged_free(forged);
}

/* Events without a bucket, since the file is full, are in the mean of the others, and do not wait
 * for one. */
static void means_without_buckets(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    struct program *program = begin(forged, false);
    for (unsigned pass = 0; pass < 3; pass++) {
        next_pass();
        add_events(forged, is, 1000, 10, 1000, 1000000);
        take(program, forged);
        applications_end(&applications);
        assert_int_equal(find("t")->grown.count, 10);
        assert_true(fabs(find("t")->grown_mean - 1e-3) < 1e-12);
        assert_true(find("t")->pending == 0 && find("t")->pending_sum == 0);
    }
    program_free(program, &applications);
    forged_free(forged);
}

/* Of values of both signs, of some that are almost 0, and of what is beyond the last bucket. */
static void means_of_values(void **state)
{
    (void)state;
    static const struct {
        double sum, mean;
        uint32_t n, zeros;
        int bucket;
        bool negative;
    } passes[] = {
        {-30, -10, 3, 0, 116, true}, /* 10 is in (9.98, 10.18] */
        {30, 7.5, 4, 1, 116, false}, /* one of them 0 */
        {0, 0, 5, 5, 0, false},      /* only those */
        {2e100, 1e100, 2, 0, SEGMENT_BUCKET_LAST, false},
        {-2e100, -1e100, 2, 0, SEGMENT_BUCKET_LAST, true},
        {0, 0, 0, 0, 0, false},
    };
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_HISTOGRAM, "h", "", "x");
    struct program *program = begin(forged, false);
    double sum = 0;
    assert_int_equal(histogram_index(10), 116);
    for (size_t i = 0; i < N_OF(passes); i++) {
        next_pass();
        sum += passes[i].sum;
        *forged_word(forged, is, 1, SEGMENT_HISTOGRAM_COUNT) += passes[i].n;
        *forged_word(forged, is, 1, SEGMENT_HISTOGRAM_ZERO) += passes[i].zeros;
        *forged_bucket(forged, is, 1, passes[i].negative, passes[i].bucket) +=
            passes[i].n - passes[i].zeros;
        forged_real(forged, is, 1, SEGMENT_HISTOGRAM_SUM, sum);
        take(program, forged);
        applications_end(&applications);
        double mean = find("h")->grown_mean;
        if (passes[i].n == 0)
            assert_true(isnan(mean));
        else if (!(fabs(mean - passes[i].mean) <= 1e-12 * fabs(passes[i].mean)))
            fail_msg("pass %zu: %.17g", i, mean);
    }
    program_free(program, &applications);
    forged_free(forged);
}

/* What came before dcampd did is nobody's event, though it is in the total of a series that is new.
 */
static void a_late_one_has_no_mean(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    struct program *program = begin(forged, true);
    add_events(forged, is, 1000, 1000, 1000, 5000000);
    take(program, forged);
    applications_end(&applications);
    assert_int_equal(find("t")->total[SEGMENT_TIMER_COUNT], 1000);
    assert_true(isnan(find("t")->grown_mean));
    next_pass();
    add_events(forged, is, 1, 1, 1, 1000000);
    take(program, forged);
    applications_end(&applications);
    assert_true(fabs(find("t")->grown_mean - 1e-3) < 1e-12);
    program_free(program, &applications);
    forged_free(forged);
}

/* What the processes could not publish, and records that nobody has read, of an application. */
static void refused_and_lost_are_added_up(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_STEP, "step", "", "s");
    struct program *program = begin(forged, false);
    const struct application *application = program->application;
    forged->header->refused = 3;
    take(program, forged);
    assert_int_equal(application->refused, 3);
    forged->header->refused = 5;
    forged->header->shard[1].steps = SEGMENT_RING + 4;
    take(program, forged);
    assert_int_equal(application->refused, 5);
    assert_int_equal(program->lost, 4);
    program_free(program, &applications);
    program = begin(forged, false);
    take(program, forged);
    assert_int_equal(application->refused, 10);
    assert_int_equal(application->lost, 4 + program->lost);
    program_free(program, &applications);
    forged_free(forged);
}

/* Counts that wrap; those that have fallen instead, and those behind the last bucket. */
static void buckets_wrap(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    struct program *program = begin(forged, true);
    uint32_t *count = forged_bucket(forged, is, 1, false, 100);
    uint32_t *last = forged_bucket(forged, is, 1, false, SEGMENT_BUCKET_LAST);
    *count = UINT32_MAX - 2;
    take(program, forged);
    const struct application_series *series = find("t");
    assert_int_equal(series->grown.count, 0);
    next_pass();
    *count = 7;
    last[1] = 100; /* none is there */
    take(program, forged);
    assert_int_equal(series->grown.count, 10);
    next_pass();
    *count = 5;
    take(program, forged);
    assert_int_equal(series->grown.count, 0);
    next_pass();
    *count = 6;
    take(program, forged);
    assert_int_equal(series->grown.count, 1);
    program_free(program, &applications);
    forged_free(forged);
}

static void gauges_are_those_of_the_living(void **state)
{
    (void)state;
    struct forged *forged[3];
    struct program *program[3];
    const double values[] = {2.5, NAN, 4};
    for (unsigned i = 0; i < 3; i++) {
        forged[i] = forged_new("shop");
        forged[i]->header->pid = i;
        const struct segment_descriptor *is = forged_sensor(forged[i], SEGMENT_GAUGE, "g", "", "x");
        program[i] = begin(forged[i], false);
        forged_real(forged[i], is, 0, 0, values[i]);
        take(program[i], forged[i]);
    }
    const struct application_series *series = find("g");
    assert_true(application_gauge(series) == 6.5);
    program_free(program[0], &applications);
    assert_true(application_gauge(series) == 4);
    program_free(program[2], &applications);
    assert_true(isnan(application_gauge(series)));
    program_free(program[1], &applications);
    assert_true(isnan(application_gauge(series)));
    for (unsigned i = 0; i < 3; i++)
        forged_free(forged[i]);
}

static void sums_that_are_no_numbers_add_nothing(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_HISTOGRAM, "h", "", "x");
    struct program *program = begin(forged, false);
    const double values[] = {1, INFINITY, 5, NAN, 7, 8};
    const double sums[] = {1, 1, 1, 1, 1, 2};
    for (size_t i = 0; i < N_OF(values); i++) {
        forged_real(forged, is, 0, SEGMENT_HISTOGRAM_SUM, values[i]);
        take(program, forged);
        assert_true(find("h")->sum == sums[i]);
    }
    program_free(program, &applications);
    forged_free(forged);
}

/* -- Several processes ------------------------------------------------------------------------- */

static void processes_add_up_and_totals_stay(void **state)
{
    (void)state;
    struct forged *forged[2];
    struct program *program[2];
    const struct segment_descriptor *is[2], *left[2];
    for (unsigned i = 0; i < 2; i++) {
        forged[i] = forged_new("shop");
        forged[i]->header->pid = i;
        is[i] = forged_sensor(forged[i], SEGMENT_COUNTER, "n", "", "x");
        left[i] = forged_sensor(forged[i], SEGMENT_COUNTER, "n", i ? "left" : "right", "x");
        program[i] = begin(forged[i], false);
        *forged_word(forged[i], is[i], 0, 0) = 10 + i;
        *forged_word(forged[i], left[i], 0, 0) = 1;
        take(program[i], forged[i]);
    }
    const struct application_series *series = find("n");
    assert_int_equal(series->total[0], 21);
    assert_int_equal(find_of(1000, "shop", "n", "left")->total[0], 1);
    assert_int_equal(series->application->processes, 2);
    assert_int_equal(HASH_COUNT(applications.by_key), 1);
    program_free(program[0], &applications);
    assert_int_equal(series->total[0], 21);
    assert_int_equal(series->application->ended, 1);
    next_pass();
    *forged_word(forged[1], is[1], 0, 0) = 12;
    take(program[1], forged[1]);
    assert_int_equal(series->total[0], 22);
    program_free(program[1], &applications);
    assert_int_equal(find("n")->total[0], 22);
    forged_free(forged[0]);
    forged_free(forged[1]);
}

/* The name of somebody else's application is another application. */
static void owners_do_not_mix(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin(forged, false);
    *forged_word(forged, is, 0, 0) = 10;
    take(program, forged);
    struct program *other = program_new(&applications, owner_get(&owners, 1001), segment, false);
    take(other, forged);
    assert_int_equal(find_of(1000, "shop", "n", "")->total[0], 10);
    assert_int_equal(find_of(1001, "shop", "n", "")->total[0], 10);
    program_free(program, &applications);
    program_free(other, &applications);
    forged_free(forged);
}

static void what_is_empty_is_forgotten(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin(forged, false);
    take(program, forged);
    applications_begin(&applications, 5000 * S);
    find("n");
    program_free(program, &applications);
    applications_begin(&applications, 5000 * S + APPLICATION_EMPTY_NS - 1);
    find("n");
    assert_int_equal(owner_get(&owners, 1000)->series, 1);
    applications_begin(&applications, 5000 * S + APPLICATION_EMPTY_NS);
    assert_null(applications.by_key);
    assert_int_equal(owner_get(&owners, 1000)->series, 0);
    /* One that has come again meanwhile stays, with its total. */
    program = begin(forged, false);
    take(program, forged);
    program_free(program, &applications);
    applications_begin(&applications, 6000 * S);
    program = begin(forged, false);
    take(program, forged);
    applications_begin(&applications, 9000 * S);
    find("n");
    program_free(program, &applications);
    forged_free(forged);
}

/* -- Late ones --------------------------------------------------------------------------------- */

/* What it counted before it was read is in the totals of series that are new with it only. */
static void a_late_one_has_not_grown(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop"), *late = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    const struct segment_descriptor *n = forged_sensor(late, SEGMENT_COUNTER, "n", "", "x");
    const struct segment_descriptor *timer = forged_sensor(late, SEGMENT_TIMER, "t", "", "s");
    forged_sensor(late, SEGMENT_STEP, "step", "", "s");
    late->header->pid = 1;
    struct program *program = begin(forged, false);
    *forged_word(forged, is, 0, 0) = 10;
    take(program, forged);
    next_pass();
    *forged_word(late, n, 0, 0) = 1000;
    *forged_word(late, timer, 0, SEGMENT_TIMER_COUNT) = 50;
    *forged_bucket(late, timer, 0, false, 0) = 50;
    forged_record(late, 1, 9, 2)->sequence = 1;
    struct program *other = begin(late, true);
    take(other, late);
    assert_int_equal(find("n")->total[0], 10);
    assert_int_equal(find("t")->total[SEGMENT_TIMER_COUNT], 50);
    assert_int_equal(find("t")->grown.count, 0);
    assert_int_equal(told.records, 0);
    next_pass();
    *forged_word(late, n, 0, 0) = 1001;
    *forged_bucket(late, timer, 0, false, 0) = 52;
    forged_record(late, 1, 10, 2)->sequence = 7;
    take(other, late);
    assert_int_equal(find("n")->total[0], 11);
    assert_int_equal(find("t")->grown.count, 2);
    assert_int_equal(told.records, 1);
    assert_int_equal(told.sequences, 7);
    assert_int_equal(other->lost, 0);
    program_free(program, &applications);
    program_free(other, &applications);
    forged_free(forged);
    forged_free(late);
}

/* -- Doubt ------------------------------------------------------------------------------------- */

static void a_counter_that_falls_is_read_again(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    const struct segment_descriptor *m = forged_sensor(forged, SEGMENT_COUNTER, "m", "", "x");
    struct program *program = begin(forged, false);
    *forged_word(forged, is, 0, 0) = 100;
    take(program, forged);
    *forged_word(forged, is, 0, 0) = 90;
    *forged_word(forged, m, 0, 0) = 1;
    assert_int_equal(reading(program, forged, false), PROGRAM_DOUBTFUL);
    assert_int_equal(find("m")->total[0], 0);
    /* It was but for that reading. */
    *forged_word(forged, is, 0, 0) = 103;
    assert_int_equal(reading(program, forged, true), PROGRAM_TAKEN);
    assert_int_equal(find("n")->total[0], 103);
    assert_int_equal(find("m")->total[0], 1);
    assert_int_equal(program->fallen, 0);
    /* It has really fallen: from there on it counts. */
    *forged_word(forged, is, 0, 0) = 50;
    assert_int_equal(reading(program, forged, false), PROGRAM_DOUBTFUL);
    assert_int_equal(reading(program, forged, true), PROGRAM_TAKEN);
    assert_int_equal(find("n")->total[0], 103);
    assert_int_equal(program->fallen, 1);
    *forged_word(forged, is, 0, 0) = 51;
    take(program, forged);
    assert_int_equal(find("n")->total[0], 104);
    program_free(program, &applications);
    forged_free(forged);
}

static void which_words_may_not_jump(void **state)
{
    (void)state;
    static const struct {
        enum segment_kind kind;
        unsigned word;
        bool falls, jumps;
    } rows[] = {
        {SEGMENT_COUNTER, 0, true, true},
        {SEGMENT_GAUGE, 0, false, false},
        {SEGMENT_TIMER, SEGMENT_TIMER_COUNT, true, true},
        {SEGMENT_TIMER, SEGMENT_TIMER_NANOSECONDS, true, false},
        {SEGMENT_HISTOGRAM, SEGMENT_HISTOGRAM_COUNT, true, true},
        {SEGMENT_HISTOGRAM, SEGMENT_HISTOGRAM_SUM, false, false},
        {SEGMENT_HISTOGRAM, SEGMENT_HISTOGRAM_ZERO, true, true},
        {SEGMENT_TOP, SEGMENT_TOP_TOTAL, true, true},
        {SEGMENT_TOP, SEGMENT_TOP_MISSED, true, true},
        {SEGMENT_STEP, SEGMENT_STEP_BEGUN, true, true},
        {SEGMENT_STEP, SEGMENT_STEP_COUNT, true, true},
        {SEGMENT_STEP, SEGMENT_STEP_NANOSECONDS, true, false},
        {SEGMENT_STEP, SEGMENT_STEP_FAILED, true, true},
    };
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct forged *forged = forged_new("shop");
        const struct segment_descriptor *is = forged_sensor(forged, rows[i].kind, "n", "", "s");
        uint64_t *word = forged_word(forged, is, 0, rows[i].word);
        struct program *program = begin(forged, false);
        *word = UINT64_C(1) << 40; /* as much as there was before the first reading */
        take(program, forged);
        *word += (UINT64_C(1) << 32) - 1;
        take(program, forged);
        *word += UINT64_C(1) << 32;
        if ((reading(program, forged, false) == PROGRAM_DOUBTFUL) != rows[i].jumps)
            fail_msg("row %zu: a jump", i);
        assert_int_equal(reading(program, forged, true), PROGRAM_TAKEN);
        if (rows[i].falls)
            assert_int_equal(find("n")->total[rows[i].word], *word);
        --*word;
        if ((reading(program, forged, false) == PROGRAM_DOUBTFUL) != rows[i].falls)
            fail_msg("row %zu: a fall", i);
        program_free(program, &applications);
        forged_free(forged);
        applications_begin(&applications, applications.now_ns + APPLICATION_EMPTY_NS);
    }
}

/* -- Descriptors that come and change ---------------------------------------------------------- */

static void sensors_come_later(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    struct program *program = begin(forged, false);
    take(program, forged);
    next_pass();
    for (uint64_t i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%llu", (unsigned long long)i);
        const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, name, "", "x");
        *forged_word(forged, is, 0, 0) = i + 1;
        take(program, forged);
        assert_int_equal(find(name)->total[0], i + 1);
    }
    assert_int_equal(find("n0")->total[0], 1);
    assert_int_equal(owner_get(&owners, 1000)->series, 20);
    program_free(program, &applications);
    forged_free(forged);
}

static void another_sensor_takes_a_place(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin(forged, false);
    *forged_word(forged, is, 0, 0) = 100;
    take(program, forged);
    is->generation++;
    *forged_word(forged, is, 0, 0) = 3;
    take(program, forged);
    assert_int_equal(find("n")->total[0], 103);
    is->name[0] = 'm';
    take(program, forged);
    assert_int_equal(find("m")->total[0], 3);
    assert_true(LIST_EMPTY(&find("n")->parts));
    assert_false(LIST_EMPTY(&find("m")->parts));
    forged->header->descriptors = 0;
    take(program, forged);
    assert_true(LIST_EMPTY(&find("m")->parts));
    program_free(program, &applications);
    forged_free(forged);
}

static void another_segment_is_another_process(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin(forged, false);
    take(program, forged);
    struct segment_header sound = *forged->header;
    forged->header->pid++;
    assert_int_equal(reading(program, forged, false), PROGRAM_REPLACED);
    *forged->header = sound;
    forged->header->opened++;
    assert_int_equal(reading(program, forged, true), PROGRAM_REPLACED);
    *forged->header = sound;
    forged->header->start_time++;
    assert_int_equal(reading(program, forged, false), PROGRAM_REPLACED);
    *forged->header = sound;
    forged->header->name[0] = 'S';
    assert_int_equal(reading(program, forged, false), PROGRAM_REPLACED);
    *forged->header = sound;
    forged->header->state = SEGMENT_CLOSED;
    forged->header->refused = 3;
    take(program, forged);
    assert_true(program->is_closed);
    assert_int_equal(program->refused, 3);
    program_free(program, &applications);
    forged_free(forged);
}

/* -- Sensors without series -------------------------------------------------------------------- */

static void an_owner_has_so_many_series(void **state)
{
    (void)state;
    struct owner *owner = owner_get(&owners, 1000);
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, "a", "", "x");
    const struct segment_descriptor *b = forged_sensor(forged, SEGMENT_COUNTER, "b", "", "x");
    struct program *program = begin(forged, false);
    owner->series = OWNER_SERIES_MAX - 1;
    *forged_word(forged, is, 0, 0) = 1;
    *forged_word(forged, b, 0, 0) = 10;
    take(program, forged);
    assert_int_equal(program->over_quota, 1);
    assert_int_equal(find("a")->total[0], 1);
    assert_null(find_of(1000, "shop", "b", ""));
    /* When there is room, what it has counted until then is in the total of the new series. */
    next_pass();
    owner->series = 1;
    take(program, forged);
    assert_int_equal(program->over_quota, 0);
    assert_int_equal(find("b")->total[0], 10);
    assert_int_equal(owner->series, 2);
    program_free(program, &applications);
    forged_free(forged);
}

static void kinds_may_not_clash(void **state)
{
    (void)state;
    static const struct {
        enum segment_kind kind;
        const char *unit;
        unsigned clashes;
    } rows[] = {{SEGMENT_COUNTER, "x", 0}, {SEGMENT_COUNTER, "y", 1}, {SEGMENT_GAUGE, "x", 1}};
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    struct program *program = begin(forged, false);
    take(program, forged);
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct forged *other = forged_new("shop");
        forged_sensor(other, rows[i].kind, "n", "", rows[i].unit);
        forged_sensor(other, SEGMENT_COUNTER, "fine", "", "x");
        struct program *clashing = begin(other, false);
        take(clashing, other);
        assert_int_equal(clashing->clashing, rows[i].clashes);
        assert_false(LIST_EMPTY(&find("fine")->parts));
        program_free(clashing, &applications);
        forged_free(other);
    }
    program_free(program, &applications);
    forged_free(forged);
}

/* -- Tops and steps ---------------------------------------------------------------------------- */

static void assert_keys(const char *expected)
{
    struct top_keys keys = {0};
    char text[256] = "";
    assert_int_equal(application_keys(find("top"), &keys), 0);
    for (size_t i = 0; i < keys.size; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.64s %llu ", keys.key[i].octets,
                 (unsigned long long)keys.key[i].count);
    assert_string_equal(text, expected);
    keys_release(&keys);
}

static void keys_of_processes_are_merged(void **state)
{
    (void)state;
    struct forged *forged[2];
    struct program *program[2];
    const struct segment_descriptor *top[2];
    for (unsigned i = 0; i < 2; i++) {
        forged[i] = forged_new("shop");
        forged[i]->header->pid = i;
        top[i] = forged_sensor(forged[i], SEGMENT_TOP, "top", "", "x");
        program[i] = begin(forged[i], false);
    }
    forged_entry(forged[0], top[0], 1, 0, "a", 5);
    take(program[0], forged[0]);
    assert_keys("a 5 ");
    forged_entry(forged[1], top[1], 0, 0, "b", 3);
    forged_entry(forged[1], top[1], 0, 1, "a", 2);
    take(program[1], forged[1]);
    assert_keys("a 7 b 3 ");
    forged_entry(forged[0], top[0], 1, 0, "a", 6);
    take(program[0], forged[0]);
    assert_keys("a 8 b 3 ");
    program_free(program[0], &applications);
    assert_keys("a 8 b 3 ");
    program_free(program[1], &applications);
    assert_keys("a 8 b 3 ");
    assert_false(find("top")->departed_in_part);
    forged_free(forged[0]);
    forged_free(forged[1]);
}

static void records_are_told_once(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_STEP, "step", "", "s");
    struct program *program = begin(forged, false);
    for (uint64_t n = 1; n <= 3; n++)
        forged_record(forged, 1, n, 0)->sequence = n;
    forged_record(forged, 2, 1, 0)->sequence = 100;
    take(program, forged);
    assert_int_equal(told.records, 4);
    assert_int_equal(told.sequences, 106);
    take(program, forged);
    assert_int_equal(told.records, 4);
    /* One that is being written comes later. */
    forged_record(forged, 1, 4, 0)->number = 0;
    forged_record(forged, 1, 5, 0)->sequence = 5;
    take(program, forged);
    assert_int_equal(told.records, 5);
    assert_int_equal(told.last, 5);
    forged_record(forged, 1, 4, 0)->sequence = 4;
    take(program, forged);
    assert_int_equal(told.records, 6);
    assert_int_equal(told.last, 4);
    assert_int_equal(program->lost, 0);
    for (uint64_t n = 6; n <= 5 + SEGMENT_RING + 10; n++)
        forged_record(forged, 1, n, 0)->sequence = 1;
    take(program, forged);
    assert_int_equal(told.records, 6 + SEGMENT_RING);
    assert_int_equal(program->lost, 10);
    program_free(program, &applications);
    forged_free(forged);
}

/* Who lies that the ring has come to the highest number there is. */
static void the_highest_number_of_all(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_STEP, "step", "", "s");
    struct program *program = begin(forged, false);
    forged_record(forged, 1, UINT64_MAX, 0)->sequence = 7;
    forged->header->shard[1].steps = UINT64_MAX;
    alarm(20);
    take(program, forged);
    alarm(0);
    assert_int_equal(told.records, 1);
    assert_true(told.last == UINT64_MAX);
    assert_int_equal(told.sequences, 7);
    assert_true(program->lost == UINT64_MAX - SEGMENT_RING);
    program_free(program, &applications);
    forged_free(forged);
}

/* Who begins to want records gets those that come from then on, and those of new threads. */
static void records_are_wanted_later(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    forged_sensor(forged, SEGMENT_STEP, "step", "", "s");
    struct program *program = begin(forged, false);
    forged_record(forged, 1, 3, 0);
    open_forged(forged);
    assert_int_equal(program_read(program, &applications, segment, 0, false, &observer),
                     PROGRAM_TAKEN);
    take(program, forged);
    assert_int_equal(told.records, 0);
    assert_int_equal(program->application->unread, 3);
    forged_record(forged, 1, 4, 0);
    forged_record(forged, 2, 1, 0);
    take(program, forged);
    assert_int_equal(told.records, 2);
    assert_int_equal(program->application->unread, 3);
    assert_int_equal(program_read(program, &applications, segment, PROGRAM_STEPS, false, NULL),
                     PROGRAM_TAKEN);
    program_free(program, &applications);
    forged_free(forged);
}

/* -- Threads ----------------------------------------------------------------------------------- */

static void name_thread(struct forged *forged, unsigned shard, uint32_t id, const char *name)
{
    struct segment_shard *is = &forged->header->shard[shard];
    is->thread = id;
    is->epoch++;
    is->sequence += 2;
    memset(is->name, 0, sizeof is->name);
    memcpy(is->name, name, strlen(name));
}

static const struct application_part *part_of(const char *name)
{
    return LIST_FIRST(&find(name)->parts);
}

static void threads_have_their_shares(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *n = forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x");
    const struct segment_descriptor *gauge = forged_sensor(forged, SEGMENT_GAUGE, "g", "", "x");
    const struct segment_descriptor *timer = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    struct program *program = begin(forged, false);
    *forged_word(forged, n, 64, 0) = 64;
    *forged_word(forged, n, 1, 0) = UINT64_MAX;
    *forged_word(forged, timer, 2, SEGMENT_TIMER_NANOSECONDS) = 9;
    forged_real(forged, gauge, 0, 0, -1.5);
    name_thread(forged, 1, 0, "ended");
    name_thread(forged, 64, 4712, "thirty-two octets without an end");
    name_thread(forged, 64, 4713, "thirty-two octets without an end");
    forged->header->shard[2].sequence = 3;
    take(program, forged);
    const struct application_part *part = part_of("n");
    assert_int_equal(part->pid, 4711);
    assert_int_equal(part->threads, 2);
    assert_true(part->thread[0].shard == 1 && part->thread[0].word[0] == UINT64_MAX);
    assert_true(part->thread[0].is_known && part->thread[0].id == 0);
    assert_string_equal(part->thread[0].name, "ended");
    assert_true(part->thread[1].shard == 64 && part->thread[1].word[0] == 64);
    assert_true(part->thread[1].is_known && part->thread[1].id == 4713);
    assert_int_equal(part->thread[1].threads, 2);
    assert_memory_equal(part->thread[1].name, "thirty-two octets without an end", 32);
    part = part_of("t");
    assert_true(part->threads == 1 && part->thread[0].shard == 2 && !part->thread[0].is_known);
    assert_int_equal(part->thread[0].word[SEGMENT_TIMER_NANOSECONDS], 9);
    part = part_of("g");
    double value;
    assert_true(part->threads == 1 && part->thread[0].shard == 0);
    memcpy(&value, part->thread[0].word, sizeof value);
    assert_true(value == -1.5);
    assert_int_equal(applications.threads, 4);
    program_free(program, &applications);
    assert_int_equal(applications.threads, 0);
    forged_free(forged);
}

/* Nobody pays for them. */
static void shares_that_nobody_wants_are_given_up(void **state)
{
    (void)state;
    struct forged *forged = forged_new("shop");
    *forged_word(forged, forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x"), 1, 0) = 1;
    struct program *program = begin(forged, false);
    for (int i = 0; i < 3; i++) {
        take(program, forged);
        assert_int_equal(applications.threads, 1);
        assert_int_equal(owners->threads, 1);
        assert_int_equal(program_read(program, &applications, segment, WANTS_ALL & ~PROGRAM_THREADS,
                                      false, NULL),
                         PROGRAM_TAKEN);
        assert_int_equal(applications.threads + owners->threads, 0);
        assert_true(part_of("n")->threads == 0 && !part_of("n")->thread);
    }
    program_free(program, &applications);
    forged_free(forged);
}

/* Who has more than there is room for leaves room for others. */
static void so_many_shares_are_kept(void **state)
{
    (void)state;
    static struct program *program[6];
    struct forged *forged = forged_new("shop");
    for (unsigned i = 0; i < 35; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_COUNTER, name, "", "x");
        for (unsigned shard = 1; shard < SEGMENT_SHARDS; shard++)
            *forged_word(forged, is, shard, 0) = 1;
    }
    open_forged(forged);
    for (unsigned i = 0; i < N_OF(program); i++) {
        struct owner *owner = owner_get(&owners, 2000 + i);
        program[i] = program_new(&applications, owner, segment, false);
        assert_int_equal(
            program_read(program[i], &applications, segment, WANTS_ALL, false, &observer),
            PROGRAM_TAKEN);
        unsigned kept = i < 5 ? APPLICATION_USER_THREADS_MAX : 0;
        assert_int_equal(owner->threads, kept);
        const struct application_series *series = find_of(2000 + i, "shop", "n31", "");
        assert_int_equal(LIST_FIRST(&series->parts)->threads, i < 5 ? 2000 % 64 : 0);
        assert_int_equal(LIST_FIRST(&series->parts)->threads_left_out, i < 5 ? 64 - 2000 % 64 : 64);
    }
    assert_int_equal(applications.threads, APPLICATION_THREADS_MAX);
    for (unsigned i = 0; i < N_OF(program); i++)
        program_free(program[i], &applications);
    assert_int_equal(applications.threads, 0);
    forged_free(forged);
}

/* -- Room -------------------------------------------------------------------------------------- */

/* Leaves a user room for so many octets, by what it has besides; that is given back at last. */
static void leave_room(struct owner *owner, size_t octets, size_t *more)
{
    application_discharge(&applications, owner, *more);
    *more = OWNER_MEMORY_MAX - owner->memory - octets;
    application_charge(&applications, owner, *more);
}

static void clear_room(struct owner *owner, size_t *more)
{
    application_discharge(&applications, owner, *more);
    *more = 0;
}

/* The second sensor of a kind costs as much as the first one. */
static void sensors_need_room(void **state)
{
    (void)state;
    struct owner *owner = owner_get(&owners, 1000);
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *a = forged_sensor(forged, SEGMENT_COUNTER, "a", "", "x");
    struct program *program = begin(forged, false);
    program_read(program, &applications, segment, 0, false, NULL);
    size_t cost = owner->memory;
    const struct segment_descriptor *b = forged_sensor(forged, SEGMENT_COUNTER, "b", "", "x");
    *forged_word(forged, b, 0, 0) = 10;
    leave_room(owner, cost - 1, &besides[0]);
    for (unsigned pass = 1; pass < 4; pass++) {
        next_pass();
        *forged_word(forged, a, 0, 0) = pass;
        open_forged(forged);
        program_read(program, &applications, segment, 0, false, NULL);
        assert_int_equal(program->no_room, 1);
        assert_int_equal(program->over_quota + program->no_memory, 0);
        assert_int_equal(find("a")->total[0], pass);
        assert_null(find_of(1000, "shop", "b", ""));
    }
    /* As with those that are too many: the total of a series that is new with it. */
    next_pass();
    clear_room(owner, &besides[0]);
    take(program, forged);
    assert_int_equal(program->no_room, 0);
    assert_int_equal(find("b")->total[0], 10);
    program_free(program, &applications);
    forged_free(forged);
}

/* Exactly one counter, without the shares of its threads. */
static unsigned counters_read(unsigned uid, const char *name)
{
    struct forged *forged = forged_new(name);
    *forged_word(forged, forged_sensor(forged, SEGMENT_COUNTER, "n", "", "x"), 0, 0) = 7;
    open_forged(forged);
    struct program *program = program_new(&applications, owner_get(&owners, uid), segment, false);
    assert_int_equal(program_read(program, &applications, segment, 0, false, NULL), PROGRAM_TAKEN);
    unsigned no_room = program->no_room;
    program_free(program, &applications);
    forged_free(forged);
    return 1 - no_room;
}

/* Who has all that a user may have keeps nobody else out; all that there is for all does. */
static void users_have_room_of_their_own(void **state)
{
    (void)state;
    struct owner *one = owner_get(&owners, 1000), *all = owner_get(&owners, 0);
    leave_room(one, 0, &besides[0]);
    assert_int_equal(counters_read(1000, "shop"), 0);
    assert_int_equal(counters_read(2000, "shop"), 1);
    besides[1] = OWNERS_MEMORY_MAX - applications.memory;
    application_charge(&applications, all, besides[1]);
    assert_int_equal(counters_read(3000, "shop"), 0);
    clear_room(all, &besides[1]);
    assert_int_equal(counters_read(3000, "shop"), 1);
    assert_int_equal(counters_read(1000, "shop"), 0);
    clear_room(one, &besides[0]);
    assert_int_equal(counters_read(1000, "shop"), 1);
}

/* What there is no room for when it could be told is told when there is, but not what was there
 * before the first reading. */
static void panels_need_room(void **state)
{
    (void)state;
    struct owner *owner = owner_get(&owners, 1000);
    const size_t panel = SEGMENT_BUCKETS_IN_PANEL * sizeof(uint32_t);
    for (unsigned late = 0; late < 2; late++) {
        struct forged *forged = forged_new(late ? "late" : "shop");
        const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
        struct program *program = begin(forged, late);
        open_forged(forged);
        program_read(program, &applications, segment, 0, false, NULL);
        struct application_series *series = find_of(1000, late ? "late" : "shop", "t", "");
        program_free(program, &applications);
        *forged_word(forged, is, 0, SEGMENT_TIMER_COUNT) = 3;
        *forged_bucket(forged, is, 0, false, 1000) = 3;
        size_t growth = histogram_side_growth(&series->grown.positive, 1000);
        assert_true(growth > 0);
        open_forged(forged);
        program = program_new(&applications, owner, segment, late);
        next_pass();
        program_read(program, &applications, segment, 0, false, NULL);
        assert_int_equal(program->no_room, 0);
        assert_int_equal(series->grown.count, late ? 0 : 3);
        assert_int_equal(series->grown_octets, late ? 0 : growth);
        *forged_bucket(forged, is, 0, false, 2000) = 2;
        /* Too little for the panel; and for counters from the one bucket to the other. */
        static const size_t room_less[] = {1, 0};
        for (unsigned i = 0; i < N_OF(room_less); i++) {
            next_pass();
            leave_room(owner, panel - room_less[i], &besides[0]);
            ++*forged_bucket(forged, is, 0, false, 1000);
            open_forged(forged);
            program_read(program, &applications, segment, 0, false, NULL);
            assert_int_equal(program->no_room, 1);
            assert_int_equal(series->grown.count, 1);
            assert_int_equal(series->total[0], late ? 0 : 3);
        }
        next_pass();
        clear_room(owner, &besides[0]);
        open_forged(forged);
        program_read(program, &applications, segment, 0, false, NULL);
        assert_int_equal(program->no_room, 0);
        assert_int_equal(series->grown.count, 2);
        program_free(program, &applications);
        forged_free(forged);
    }
}

/* Of a program that comes late, what a panel had before there was room for it is not told. */
static void a_late_panel_has_not_grown(void **state)
{
    (void)state;
    struct owner *owner = owner_get(&owners, 1000);
    struct forged *forged = forged_new("shop");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TIMER, "t", "", "s");
    struct program *other = begin(forged, false);
    program_read(other, &applications, segment, 0, false, NULL);
    struct application_series *series = find("t");
    *forged_bucket(forged, is, 0, false, 1000) = 5;
    struct program *program = begin(forged, true);
    size_t before = owner->memory;
    program_read(program, &applications, segment, 0, false, NULL);
    size_t cost = owner->memory - before - SEGMENT_BUCKETS_IN_PANEL * sizeof(uint32_t);
    program_free(program, &applications);
    program = begin(forged, true);
    next_pass();
    leave_room(owner, cost, &besides[0]);
    program_read(program, &applications, segment, 0, false, NULL);
    assert_int_equal(program->no_room, 1);
    next_pass();
    clear_room(owner, &besides[0]);
    program_read(program, &applications, segment, 0, false, NULL);
    assert_int_equal(program->no_room, 0);
    assert_int_equal(series->grown.count, 0);
    *forged_bucket(forged, is, 0, false, 1000) = 6;
    open_forged(forged);
    program_read(program, &applications, segment, 0, false, NULL);
    assert_int_equal(series->grown.count, 1);
    program_free(program, &applications);
    program_free(other, &applications);
    forged_free(forged);
}

/* A top of a process whose keys are "k0", "k1" and so on, of which the first has the largest count,
 * 10 n; it ends. How many sensors had not room for all. */
static unsigned top_comes_and_goes(unsigned uid, const char *name, unsigned n)
{
    struct forged *forged = forged_new(name);
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TOP, "top", "", "x");
    for (unsigned i = 0; i < n; i++) {
        char key[16];
        snprintf(key, sizeof key, "k%u", i);
        forged_entry(forged, is, 1, i, key, 10 * (n - i));
    }
    open_forged(forged);
    struct program *program = program_new(&applications, owner_get(&owners, uid), segment, false);
    program_read(program, &applications, segment, PROGRAM_TOPS, false, NULL);
    unsigned no_room = program->no_room;
    program_free(program, &applications);
    forged_free(forged);
    return no_room;
}

static void assert_departed(unsigned uid, const char *name, size_t size, uint64_t absent)
{
    const struct application_series *series = find_of(uid, name, "top", "");
    struct top_keys keys = {0};
    assert_non_null(series);
    assert_int_equal(application_keys(series, &keys), 0);
    assert_int_equal(keys.size, size);
    assert_int_equal(keys.absent, absent);
    assert_int_equal(series->departed_is_cut, size == 0);
    keys_release(&keys);
}

/* Of the keys of a process, those with the largest counts; the others had no more than `absent`. */
static void keys_need_room(void **state)
{
    (void)state;
    struct owner *owner = owner_get(&owners, 1000);
    assert_int_equal(top_comes_and_goes(1000, "first", 3), 0);
    assert_departed(1000, "first", 3, 0);
    struct forged *forged = forged_new("second");
    const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TOP, "top", "", "x");
    for (unsigned i = 0; i < 3; i++)
        forged_entry(forged, is, 1, i, (const char *[]){"a", "b", "c"}[i], 10 + i);
    open_forged(forged);
    struct program *program = program_new(&applications, owner, segment, false);
    program_read(program, &applications, segment, 0, false, NULL);
    assert_int_equal(program->no_room, 0);
    struct application_series *series = find_of(1000, "second", "top", "");
    /* Room for two: those of the departed are in the way, and go. */
    leave_room(owner, 0, &besides[0]);
    application_discharge(&applications, owner, 2 * sizeof(struct top_key));
    besides[0] -= 2 * sizeof(struct top_key);
    application_charge(&applications, owner, 3 * sizeof(struct top_key));
    besides[0] += 3 * sizeof(struct top_key);
    program_read(program, &applications, segment, PROGRAM_TOPS, false, NULL);
    assert_int_equal(program->no_room, 1);
    assert_departed(1000, "first", 0, 30);
    struct application_part *part = LIST_FIRST(&series->parts);
    assert_int_equal(part->keys.size, 2);
    assert_int_equal(part->keys.absent, 10);
    assert_string_equal(part->keys.key[0].octets, "b");
    assert_string_equal(part->keys.key[1].octets, "c");
    assert_int_equal(owner->memory, OWNER_MEMORY_MAX);
    clear_room(owner, &besides[0]);
    program_read(program, &applications, segment, PROGRAM_TOPS, false, NULL);
    assert_int_equal(program->no_room, 0);
    assert_int_equal(part->keys.size, 3);
    assert_int_equal(part->keys.absent, 0);
    program_free(program, &applications);
    forged_free(forged);
}

/* The oldest first, the user's own before those of others, and no more than is needed. */
static void the_departed_are_given_up_first(void **state)
{
    (void)state;
    struct owner *one = owner_get(&owners, 1000), *other = owner_get(&owners, 2000);
    top_comes_and_goes(2000, "alien", 4);
    top_comes_and_goes(1000, "first", 2);
    top_comes_and_goes(1000, "second", 2);
    top_comes_and_goes(1000, "first", 2); /* is the one that has come last */
    leave_room(one, 0, &besides[0]);
    assert_true(application_has_room(&applications, one, sizeof(struct top_key)));
    assert_departed(1000, "second", 0, 20);
    assert_departed(1000, "first", 2, 0);
    assert_true(application_has_room(&applications, one, 2 * sizeof(struct top_key)));
    assert_departed(1000, "first", 2, 0);
    assert_true(application_has_room(&applications, one, 3 * sizeof(struct top_key)));
    assert_departed(1000, "first", 0, 40);
    assert_false(application_has_room(&applications, one, 5 * sizeof(struct top_key)));
    assert_departed(2000, "alien", 4, 0);
    clear_room(one, &besides[0]);
    top_comes_and_goes(1000, "third", 2);
    besides[1] = OWNERS_MEMORY_MAX - applications.memory;
    application_charge(&applications, owner_get(&owners, 3000), besides[1]);
    assert_true(application_has_room(&applications, one, 2 * sizeof(struct top_key)));
    assert_departed(1000, "third", 0, 20);
    assert_departed(2000, "alien", 4, 0);
    assert_true(application_has_room(&applications, one, 3 * sizeof(struct top_key)));
    assert_departed(2000, "alien", 0, 40);
    assert_false(application_has_room(&applications, one, 7 * sizeof(struct top_key)));
    clear_room(owner_get(&owners, 3000), &besides[1]);
    assert_null(other->departed);
    assert_null(applications.departed);
}

/* What the review of this bound began with: programs that come and go. */
static void short_lives_leave_no_more_than_the_bound(void **state)
{
    (void)state;
    struct owner *owner = owner_get(&owners, 1000);
    struct forged *forged = forged_new("p");
    for (unsigned i = 0; i < 60; i++) {
        char name[8];
        snprintf(name, sizeof name, "t%u", i);
        const struct segment_descriptor *is = forged_sensor(forged, SEGMENT_TOP, name, "", "x");
        for (unsigned key = 0; key < SEGMENT_TOP_ENTRIES; key++) {
            char text[8];
            snprintf(text, sizeof text, "%u", key);
            forged_entry(forged, is, 1, key, text, 1);
        }
    }
    for (unsigned i = 0; i < 10; i++) {
        snprintf(forged->header->name, sizeof forged->header->name, "p%u", i);
        open_forged(forged);
        struct program *program = program_new(&applications, owner, segment, false);
        program_read(program, &applications, segment, PROGRAM_TOPS, false, NULL);
        assert_int_equal(program->no_room, 0);
        assert_true(owner->memory <= OWNER_MEMORY_MAX);
        program_free(program, &applications);
    }
    assert_int_equal(owner->series, 600);
    const struct application_series *newest = find_of(1000, "p9", "t59", "");
    assert_int_equal(newest->departed.size, SEGMENT_TOP_ENTRIES);
    assert_int_equal(find_of(1000, "p0", "t0", "")->departed.size, 0);
    forged_free(forged);
}

/* -- Memory ------------------------------------------------------------------------------------ */

static void play(void)
{
    struct applications some = {0};
    struct owner *someone = NULL;
    struct forged *forged = forged_new("shop");
    for (unsigned kind = SEGMENT_COUNTER; kind <= SEGMENT_STEP; kind++) {
        const struct segment_descriptor *is =
            forged_sensor(forged, kind, kind == SEGMENT_STEP ? "step" : "n", "", "s");
        forged->header->descriptors = 1;
        if (segment_form(kind).kind == SEGMENT_BUCKETS)
            *forged_bucket(forged, is, 1, false, 5) = 7;
        if (kind == SEGMENT_TOP)
            forged_entry(forged, is, 1, 0, "key", 5);
        if (kind == SEGMENT_STEP)
            forged_record(forged, 1, 1, 0);
        open_forged(forged);
        struct program *program = program_new(&some, owner_get(&someone, 7), segment, false);
        program_read(program, &some, segment, WANTS_ALL, false, NULL);
        program_free(program, &some);
        applications_begin(&some, APPLICATION_EMPTY_NS * kind);
        forged_free(forged);
        forged = forged_new("shop");
    }
    forged_free(forged);
    applications_release(&some);
    owner_free(&someone, someone);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play);
}

#define scene_test(f) cmocka_unit_test_setup_teardown(f, open_scene, close_scene)

int main(void)
{
    const struct CMUnitTest tests[] = {
        scene_test(a_counter_grows),
        scene_test(distributions_grow),
        scene_test(means_add_up),
        scene_test(means_without_buckets),
        scene_test(means_of_values),
        scene_test(a_late_one_has_no_mean),
        scene_test(refused_and_lost_are_added_up),
        scene_test(buckets_wrap),
        scene_test(gauges_are_those_of_the_living),
        scene_test(sums_that_are_no_numbers_add_nothing),
        scene_test(processes_add_up_and_totals_stay),
        scene_test(owners_do_not_mix),
        scene_test(what_is_empty_is_forgotten),
        scene_test(a_late_one_has_not_grown),
        scene_test(a_counter_that_falls_is_read_again),
        scene_test(which_words_may_not_jump),
        scene_test(sensors_come_later),
        scene_test(another_sensor_takes_a_place),
        scene_test(another_segment_is_another_process),
        scene_test(an_owner_has_so_many_series),
        scene_test(kinds_may_not_clash),
        scene_test(keys_of_processes_are_merged),
        scene_test(records_are_told_once),
        scene_test(the_highest_number_of_all),
        scene_test(records_are_wanted_later),
        scene_test(threads_have_their_shares),
        scene_test(shares_that_nobody_wants_are_given_up),
        scene_test(so_many_shares_are_kept),
        scene_test(sensors_need_room),
        scene_test(users_have_room_of_their_own),
        scene_test(panels_need_room),
        scene_test(a_late_panel_has_not_grown),
        scene_test(keys_need_room),
        scene_test(the_departed_are_given_up_first),
        scene_test(short_lives_leave_no_more_than_the_bound),
        scene_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
