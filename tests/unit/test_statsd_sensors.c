/* What datagrams of statsd become in the segment of the process that takes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "calculate/histogram.h"
#include "published.h"
#include "statsd/sensors.h"
#include "unit.h"

#define LIMIT 60

static struct statsd_sensors *sensors;

static int open_sensors(void **state)
{
    (void)state;
    if (published_open("statsd"))
        return -1;
    sensors = statsd_sensors_new(published.app, LIMIT);
    return sensors ? 0 : -1;
}

static int close_sensors(void **state)
{
    statsd_sensors_free(sensors);
    return published_close(state);
}

/* In memory of its own, so that a sanitizer sees any octet too far. */
static void take(const char *datagram, bool is_cut)
{
    size_t size = strlen(datagram);
    char *copy = malloc(size ? size : 1);
    memcpy(copy, datagram, size);
    statsd_sensors_take(sensors, copy, size, is_cut);
    free(copy);
}

static uint64_t word(const char *name, const char *instance, unsigned word)
{
    struct copy *copy = published_copy();
    uint64_t found = copy_word(copy, copy_descriptor(copy, name, instance), word);
    copy_free(copy);
    return found;
}

static double real(const char *name, const char *instance, unsigned word)
{
    struct copy *copy = published_copy();
    double found = copy_double(copy, copy_descriptor(copy, name, instance), word);
    copy_free(copy);
    return found;
}

static uint64_t lines(enum statsd_verdict verdict)
{
    return word("statsd.lines", statsd_verdict_name(verdict), 0);
}

static void counters(void **state)
{
    (void)state;
    take("orders:1|c", false);
    take("orders:2|c\norders:3|c|#kind:tea,shop:a\r\n\n\norders:4|c|#shop:a,kind:tea\n", false);
    take("orders:1|c|@0.1", false);
    assert_int_equal(word("orders", "", 0), 13);
    assert_int_equal(word("orders", "kind:tea,shop:a", 0), 7);
    for (int i = 0; i < 3; i++)
        take("thirds:1|c|@0.3\n", false);
    assert_int_equal(word("thirds", "", 0), 10);
    take("halves:0.5:0.5:0.5|c", false);
    assert_int_equal(word("halves", "", 0), 1);
    take("huge:1e300|c", false);
    assert_int_equal(word("huge", "", 0), UINT64_C(1) << 53);
}

static void gauges(void **state)
{
    (void)state;
    take("queue:7.5|g\nqueue:+2|g|@0.1\nqueue:-4|g", false);
    assert_true(real("queue", "", 0) == 5.5);
    take("queue:0|g\nqueue:-4|g", false);
    assert_true(real("queue", "", 0) == -4);
}

static void timers(void **state)
{
    (void)state;
    take("payment:320|ms|#card\npayment:0.0000014:0|ms|#card\npayment:250|ms|@0.25", false);
    take("payment:1e300|ms|#never", false);
    assert_int_equal(word("payment", "card", SEGMENT_TIMER_COUNT), 3);
    assert_int_equal(word("payment", "card", SEGMENT_TIMER_NANOSECONDS), 320000001);
    assert_int_equal(word("payment", "", SEGMENT_TIMER_COUNT), 4);
    assert_int_equal(word("payment", "", SEGMENT_TIMER_NANOSECONDS), 1000000000);
    assert_int_equal(word("payment", "never", SEGMENT_TIMER_NANOSECONDS),
                     UINT64_C(9000000000000000000));
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "payment", "");
    assert_int_equal(copy_bucket(copy, is, false, histogram_index(0.25)), 4);
    is = copy_descriptor(copy, "payment", "card");
    assert_int_equal(copy_bucket(copy, is, false, HISTOGRAM_FIRST), 2);
    copy_free(copy);
}

static void histograms(void **state)
{
    (void)state;
    take("size:1.5:-3:0|h\nsize:8|d|@0.5", false);
    assert_int_equal(word("size", "", SEGMENT_HISTOGRAM_COUNT), 5);
    assert_true(real("size", "", SEGMENT_HISTOGRAM_SUM) == 1.5 - 3 + 16);
    assert_int_equal(word("size", "", SEGMENT_HISTOGRAM_ZERO), 1);
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "size", "");
    assert_int_equal(copy_bucket(copy, is, false, histogram_index(8)), 2);
    assert_int_equal(copy_bucket(copy, is, true, histogram_index(3)), 1);
    copy_free(copy);
}

/* A sample that stands for a thousand is as if it had come a thousand times. */
static void samples_stand_for_many(void **state)
{
    (void)state;
    take("rare:320:0|ms|@0.001\nsizes:-3:8:0|h|@0.001\nodd:2:2:2|ms|@0.3", false);
    assert_int_equal(word("rare", "", SEGMENT_TIMER_COUNT), 2000);
    assert_int_equal(word("rare", "", SEGMENT_TIMER_NANOSECONDS), UINT64_C(320000000000));
    assert_int_equal(word("odd", "", SEGMENT_TIMER_COUNT), 10);
    assert_int_equal(word("odd", "", SEGMENT_TIMER_NANOSECONDS), 20000000);
    assert_int_equal(word("sizes", "", SEGMENT_HISTOGRAM_COUNT), 3000);
    assert_int_equal(word("sizes", "", SEGMENT_HISTOGRAM_ZERO), 1000);
    assert_true(real("sizes", "", SEGMENT_HISTOGRAM_SUM) == 5000);
    struct copy *copy = published_copy();
    const struct segment_descriptor *is = copy_descriptor(copy, "rare", "");
    assert_int_equal(copy_bucket(copy, is, false, histogram_index(0.32)), 1000);
    assert_int_equal(copy_bucket(copy, is, false, HISTOGRAM_FIRST), 1000);
    is = copy_descriptor(copy, "sizes", "");
    assert_int_equal(copy_bucket(copy, is, false, histogram_index(8)), 1000);
    assert_int_equal(copy_bucket(copy, is, true, histogram_index(3)), 1000);
    copy_free(copy);
}

/* The largest datagram, full of values, and the CPU time that it takes. */
static uint64_t cost_of_values(const char *end)
{
    static char datagram[65507];
    struct timespec before, after;
    size_t room = sizeof datagram - strlen(end) - 1, n = 4;
    memcpy(datagram, "cost", n);
    for (; n + 2 <= room; n += 2)
        memcpy(datagram + n, ":1", 2);
    memcpy(datagram + n, end, strlen(end) + 1);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
    take(datagram, false);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
    return (uint64_t)(after.tv_sec - before.tv_sec) * 1000000000 +
           (uint64_t)(after.tv_nsec - before.tv_nsec);
}

/* Whoever says that his samples are rare does not get more time for them. */
static void rare_samples_cost_no_more(void **state)
{
    (void)state;
    cost_of_values("|ms");
    uint64_t each = cost_of_values("|ms"), rare = cost_of_values("|ms|@0.001");
    print_message("%llu and %llu ns\n", (unsigned long long)each, (unsigned long long)rare);
    assert_true(word("cost", "", SEGMENT_TIMER_COUNT) > 30000000);
    assert_true(rare < 20 * each);
}

/* One line is counted once, whatever became of it; and nothing of it where it is wrong. */
static void what_becomes_of_lines(void **state)
{
    uint64_t before[STATSD_VERDICTS], datagrams = word("statsd.datagrams", "", 0);
    (void)state;
    for (unsigned i = 0; i < STATSD_VERDICTS; i++)
        before[i] = lines(i);
    take("good:1|c\nnonsense\na:1|s\ngood:-1|c\ngood:1:-1|c\ngood:1|ms\n"
         "123456789012345678901234567890123:1|c\ngood:1:x|c\nstatsd.datagrams:1|g",
         false);
    take("", false);
    take("\n\r\n", false);
    take("good:1|c\ngood:1000|c", true);
    take("good:1|c\n", true);
    assert_int_equal(word("good", "", 0), 3);
    assert_int_equal(word("statsd.datagrams", "", 0), datagrams + 5);
    static const unsigned more[STATSD_VERDICTS] = {
        [STATSD_COUNTED] = 3,  [STATSD_MALFORMED] = 3, [STATSD_UNSUPPORTED] = 1,
        [STATSD_NEGATIVE] = 2, [STATSD_LONG] = 1,      [STATSD_CONFLICT] = 2,
    };
    for (unsigned i = 0; i < STATSD_VERDICTS; i++)
        assert_int_equal(lines(i) - before[i], more[i]);
    statsd_sensors_lose(sensors, 7);
    assert_int_equal(word("statsd.lost", "", 0), 7);
    take("statsd.lost:3|c", false); /* as the router says it */
    assert_int_equal(word("statsd.lost", "", 0), 10);
}

/* A sensor that cannot be made, for whatever reason, has counted nothing: here in a process that
 * has lost the descriptor of its file. */
static int count_without_a_file(void)
{
    char line[64];
    take("before:1|c", false);
    for (int fd = 3; fd < 100; fd++)
        close(fd);
    for (double ms = 1e-6; ms < 1e12; ms *= 1.7)
        for (int i = 0; i < 8; i++) {
            snprintf(line, sizeof line, "wide:%.9f|ms|#%d", ms, i);
            take(line, false);
        }
    uint64_t counted = lines(STATSD_COUNTED), crowded = lines(STATSD_CROWDED);
    size_t made = statsd_sensors_size(sensors);
    for (int i = 0; i < 8; i++) {
        snprintf(line, sizeof line, "late:1|c|#%d", i);
        take(line, false);
    }
    counted = lines(STATSD_COUNTED) - counted;
    crowded = lines(STATSD_CROWDED) - crowded;
    made = statsd_sensors_size(sensors) - made;
    return statsd_sensors_size(sensors) < LIMIT && crowded > 0 && counted == made &&
                   counted + crowded == 8
               ? 0
               : 1;
}

static void no_sensor_is_made_where_nobody_sees_it(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0)
        _exit(count_without_a_file());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void no_more_sensors_than_allowed(void **state)
{
    char line[64];
    (void)state;
    uint64_t crowded = lines(STATSD_CROWDED);
    size_t room = LIMIT - statsd_sensors_size(sensors);
    for (int i = 0; i < 200; i++) {
        snprintf(line, sizeof line, "many:1|c|#%d", i);
        take(line, false);
        take(line, false);
    }
    assert_int_equal(statsd_sensors_size(sensors), LIMIT);
    assert_int_equal(lines(STATSD_CROWDED) - crowded, 2 * (200 - room));
    assert_int_equal(word("many", "0", 0), 2);
    struct copy *copy = published_copy();
    /* Of those, a line has made statsd.lost one, which it is anyway. */
    assert_int_equal(copy->descriptors, LIMIT - 1 + STATSD_VERDICTS + 2);
    copy_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters),
        cmocka_unit_test(gauges),
        cmocka_unit_test(timers),
        cmocka_unit_test(histograms),
        cmocka_unit_test(samples_stand_for_many),
        cmocka_unit_test(rare_samples_cost_no_more),
        cmocka_unit_test(what_becomes_of_lines),
        cmocka_unit_test(no_sensor_is_made_where_nobody_sees_it),
        cmocka_unit_test(no_more_sensors_than_allowed),
    };
    return cmocka_run_group_tests(tests, open_sensors, close_sensors);
}
