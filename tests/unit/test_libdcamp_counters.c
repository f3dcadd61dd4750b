/* Counters, gauges, timers and histograms, as somebody finds them who only reads the file. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calculate/histogram.h"
#include "tests/unit/published.h"
#include "tests/unit/unit.h"

static int open_app(void **state)
{
    (void)state;
    return published_open("counters");
}

static uint64_t word(const char *name, unsigned word)
{
    struct copy *copy = published_copy();
    uint64_t found = copy_word(copy, copy_descriptor(copy, name, ""), word);
    copy_free(copy);
    return found;
}

static void counters_add_up(void **state)
{
    (void)state;
    struct dcamp_counter *counter = dcamp_counter_new(published.app, "counter", "", "x");
    uint64_t sum = 0;
    for (uint64_t n = 0; n < 1000; n++) {
        dcamp_counter_add(counter, n);
        sum += n;
    }
    assert_int_equal(word("counter", SEGMENT_COUNTER_VALUE), sum);
    dcamp_counter_add(counter, UINT64_MAX);
    assert_int_equal(word("counter", SEGMENT_COUNTER_VALUE), sum - 1);
    dcamp_counter_add(counter, UINT64_C(1) << 63);
    assert_int_equal(word("counter", SEGMENT_COUNTER_VALUE), sum - 1 + (UINT64_C(1) << 63));
}

static void the_same_sensor_is_made_once(void **state)
{
    (void)state;
    struct dcamp_counter *counter = dcamp_counter_new(published.app, "same", "", "x");
    assert_ptr_equal(dcamp_counter_new(published.app, "same", NULL, "x"), counter);
    assert_int_equal(dcamp_error(), 0);
    assert_ptr_not_equal(dcamp_counter_new(published.app, "same", "other", "x"), counter);
    assert_int_equal(dcamp_error(), 0);
    dcamp_counter_add(dcamp_counter_new(published.app, "same", "", "y"), 1);
    assert_int_equal(dcamp_error(), EEXIST);
    assert_int_equal(errno, EEXIST);
    dcamp_gauge_set(dcamp_gauge_new(published.app, "same", "", "x"), 1);
    assert_int_equal(dcamp_error(), EEXIST);
    assert_string_equal(dcamp_reason(), "same: a sensor of this name has another kind or unit");
    assert_int_equal(word("same", SEGMENT_COUNTER_VALUE), 0);
}

static double gauge_value(const char *name)
{
    struct copy *copy = published_copy();
    double value = copy_double(copy, copy_descriptor(copy, name, ""), SEGMENT_GAUGE_VALUE);
    copy_free(copy);
    return value;
}

static void gauges_have_their_last_value(void **state)
{
    (void)state;
    struct dcamp_gauge *gauge = dcamp_gauge_new(published.app, "gauge", "", "m");
    assert_true(gauge_value("gauge") == 0);
    const double values[] = {1.5, -2.25, 1e300, 0, 5e-324, 36.6};
    for (size_t i = 0; i < N_OF(values); i++) {
        dcamp_gauge_set(gauge, values[i]);
        assert_true(gauge_value("gauge") == values[i]);
    }
    dcamp_gauge_set(gauge, 10);
    dcamp_gauge_add(gauge, 2.5);
    dcamp_gauge_add(gauge, -0.25);
    assert_true(gauge_value("gauge") == 12.25);
}

/* One thread less and one more, by many: nothing is lost. */
static void *go_up_and_down(void *gauge)
{
    for (int i = 0; i < 20000; i++) {
        dcamp_gauge_add(gauge, 3);
        dcamp_gauge_add(gauge, -1);
    }
    return NULL;
}

static void gauges_are_shared(void **state)
{
    (void)state;
    struct dcamp_gauge *gauge = dcamp_gauge_new(published.app, "shared", "", "m");
    pthread_t thread[4];
    for (size_t i = 0; i < N_OF(thread); i++)
        assert_int_equal(pthread_create(&thread[i], NULL, go_up_and_down, gauge), 0);
    for (size_t i = 0; i < N_OF(thread); i++)
        pthread_join(thread[i], NULL);
    assert_true(gauge_value("shared") == 4 * 20000 * 2);
}

/* Each duration that is returned is in the sum, and in the bucket that it belongs to. */
static void timers_count_what_they_return(void **state)
{
    (void)state;
    struct dcamp_timer *timer = dcamp_timer_new(published.app, "timer", "");
    static uint32_t wanted[HISTOGRAM_LAST - HISTOGRAM_FIRST + 1];
    uint64_t sum = 0;
    for (int i = 0; i < 2000; i++) {
        uint64_t start = dcamp_timer_start(timer);
        if (i % 500 == 0)
            nanosleep(&(struct timespec){.tv_nsec = 60000000}, NULL);
        uint64_t ns = dcamp_timer_stop(timer, start);
        assert_true(i % 500 != 0 || ns >= 59000000);
        sum += ns;
        wanted[histogram_index((double)(ns ? ns : 1) / 1e9) - HISTOGRAM_FIRST]++;
    }
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "timer", "");
    assert_int_equal(copy_word(copy, is, SEGMENT_TIMER_COUNT), 2000);
    assert_int_equal(copy_word(copy, is, SEGMENT_TIMER_NANOSECONDS), sum);
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++)
        assert_int_equal(copy_bucket(copy, is, false, i), wanted[i - HISTOGRAM_FIRST]);
    assert_int_equal(copy->header->clock == SEGMENT_CLOCK_TSC, copy->header->clock_hz > 100000000);
    copy_free(copy);
}

static void a_start_may_be_stopped_twice(void **state)
{
    (void)state;
    struct dcamp_timer *first = dcamp_timer_new(published.app, "first", "");
    struct dcamp_timer *second = dcamp_timer_new(published.app, "second", "");
    uint64_t start = dcamp_timer_start(first);
    uint64_t ns = dcamp_timer_stop(first, start);
    assert_true(dcamp_timer_stop(second, start) >= ns);
    assert_int_equal(word("first", SEGMENT_TIMER_COUNT), 1);
    assert_int_equal(word("second", SEGMENT_TIMER_COUNT), 1);
}

static void durations_that_are_known_are_counted(void **state)
{
    static const uint64_t durations[] = {0, 1, 250000000, UINT64_C(3600000000000), INT64_MAX};
    (void)state;
    struct dcamp_timer *timer = dcamp_timer_new(published.app, "known", "");
    uint64_t sum = 0;
    for (size_t i = 0; i < N_OF(durations); i++) {
        dcamp_timer_record(timer, durations[i]);
        sum += durations[i];
    }
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "known", "");
    assert_int_equal(copy_word(copy, is, SEGMENT_TIMER_COUNT), N_OF(durations));
    assert_int_equal(copy_word(copy, is, SEGMENT_TIMER_NANOSECONDS), sum);
    assert_int_equal(copy_bucket(copy, is, false, HISTOGRAM_FIRST), 2);
    for (size_t i = 2; i < N_OF(durations); i++)
        assert_int_equal(copy_bucket(copy, is, false, histogram_index((double)durations[i] / 1e9)),
                         1);
    copy_free(copy);
}

static void histograms_count_as_the_daemon_does(void **state)
{
    (void)state;
    struct dcamp_histogram *histogram = dcamp_histogram_new(published.app, "histogram", "", "B");
    struct histogram wanted = {0};
    double sum = 0;
    uint64_t zeros = 0, n = 0;
    for (int i = -4000; i <= 4000; i++) {
        double value = (i < 0 ? -1 : 1) * 1e-10 * pow(1.0163, abs(i));
        dcamp_histogram_record(histogram, value);
        assert_int_equal(histogram_add(&wanted, value), 0);
        sum += value;
        zeros += fabs(value) < 1e-9;
        n++;
    }
    const double others[] = {0, -0.0, 1e-9, -1e-9, 1e18, 1e19, -1e19, 1, 101.0 / 99};
    for (size_t i = 0; i < N_OF(others); i++) {
        dcamp_histogram_record(histogram, others[i]);
        assert_int_equal(histogram_add(&wanted, others[i]), 0);
        sum += others[i];
        zeros += fabs(others[i]) < 1e-9;
        n++;
    }
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "histogram", "");
    assert_int_equal(copy_word(copy, is, SEGMENT_HISTOGRAM_COUNT), n);
    assert_true(copy_double(copy, is, SEGMENT_HISTOGRAM_SUM) == sum);
    assert_int_equal(copy_word(copy, is, SEGMENT_HISTOGRAM_ZERO), zeros);
    assert_int_equal(wanted.zero, zeros);
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++) {
        assert_int_equal(copy_bucket(copy, is, false, i),
                         histogram_side_count(&wanted.positive, i));
        assert_int_equal(copy_bucket(copy, is, true, i), histogram_side_count(&wanted.negative, i));
    }
    assert_int_equal(copy_buckets(copy, is, false) + copy_buckets(copy, is, true) + zeros, n);
    copy_free(copy);
    histogram_release(&wanted);
}

static void what_is_no_number_is_not_counted(void **state)
{
    (void)state;
    struct dcamp_histogram *histogram = dcamp_histogram_new(published.app, "numbers", "", "");
    dcamp_histogram_record(histogram, NAN);
    dcamp_histogram_record(histogram, INFINITY);
    dcamp_histogram_record(histogram, -INFINITY);
    assert_int_equal(word("numbers", SEGMENT_HISTOGRAM_COUNT), 0);
}

static void no_handle_does_nothing(void **state)
{
    (void)state;
    dcamp_counter_add(NULL, 1);
    dcamp_gauge_set(NULL, 1);
    dcamp_gauge_add(NULL, 1);
    dcamp_timer_stop(NULL, dcamp_timer_start(NULL));
    dcamp_timer_record(NULL, 1);
    dcamp_histogram_record(NULL, 1);
    dcamp_top_add(NULL, "a", 1);
    dcamp_step_end(NULL, dcamp_step_begin(NULL, 1), 0);
    dcamp_app_close(NULL);
    assert_int_equal(dcamp_error(), 0);
}

static struct dcamp_timer *timers[20];
static struct dcamp_counter *counters[22];
static struct dcamp_top *top;

static void *work(void *seed)
{
    for (int i = 0; i < 5000; i++) {
        char key[16];
        for (size_t t = 0; t < N_OF(timers); t++)
            dcamp_timer_stop(timers[t], dcamp_timer_start(timers[t]));
        for (size_t c = 0; c < N_OF(counters); c++)
            dcamp_counter_add(counters[c], 1);
        snprintf(key, sizeof key, "tenant%d", (*(int *)seed + i) % 50);
        dcamp_top_add(top, key, 1);
    }
    return NULL;
}

/* 50 sensors in 8 threads take well under a megabyte. */
static void the_file_is_small(void **state)
{
    (void)state;
    char name[16], path[512];
    pthread_t thread[8];
    int seed[N_OF(thread)];
    struct stat status;
    for (size_t i = 0; i < N_OF(timers); i++) {
        snprintf(name, sizeof name, "timer%zu", i);
        timers[i] = dcamp_timer_new(published.app, name, "");
    }
    for (size_t i = 0; i < N_OF(counters); i++) {
        snprintf(name, sizeof name, "counter%zu", i);
        counters[i] = dcamp_counter_new(published.app, name, "", "x");
    }
    top = dcamp_top_new(published.app, "tenants", "", "requests");
    for (size_t i = 0; i < 7; i++) {
        snprintf(name, sizeof name, "gauge%zu", i);
        dcamp_gauge_set(dcamp_gauge_new(published.app, name, "", "m"), 1);
    }
    for (size_t i = 0; i < N_OF(thread); i++) {
        seed[i] = (int)i;
        assert_int_equal(pthread_create(&thread[i], NULL, work, &seed[i]), 0);
    }
    for (size_t i = 0; i < N_OF(thread); i++)
        pthread_join(thread[i], NULL);
    assert_non_null(segment_path(published.directory, getpid(), path, sizeof path));
    assert_int_equal(stat(path, &status), 0);
    print_message("50 sensors and more in 8 threads: %lld KB\n", (long long)status.st_size / 1024);
    assert_true(status.st_size <= 768 * 1024);
    assert_int_equal(word("counter21", 0), 8 * 5000);
    assert_int_equal(word("timer19", SEGMENT_TIMER_COUNT), 8 * 5000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_add_up),
        cmocka_unit_test(the_same_sensor_is_made_once),
        cmocka_unit_test(gauges_have_their_last_value),
        cmocka_unit_test(gauges_are_shared),
        cmocka_unit_test(timers_count_what_they_return),
        cmocka_unit_test(a_start_may_be_stopped_twice),
        cmocka_unit_test(durations_that_are_known_are_counted),
        cmocka_unit_test(histograms_count_as_the_daemon_does),
        cmocka_unit_test(what_is_no_number_is_not_counted),
        cmocka_unit_test(no_handle_does_nothing),
        cmocka_unit_test(the_file_is_small),
    };
    return cmocka_run_group_tests(tests, open_app, published_close);
}
