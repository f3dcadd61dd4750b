/* The buckets of libdcamp are those of the daemon: at each border, and for a million values. */
#include "libdcamp/bucket.h"

#include <math.h>
#include <string.h>

#include "calculate/histogram.h"
#include "libdcamp/segment.h"
#include "tests/unit/distributions.h"
#include "tests/unit/unit.h"

static unsigned expected(double magnitude)
{
    return (unsigned)(histogram_index(magnitude) - HISTOGRAM_FIRST);
}

static void it_is_the_same_scheme(void **state)
{
    (void)state;
    assert_int_equal(SEGMENT_BUCKET_FIRST, HISTOGRAM_FIRST);
    assert_int_equal(SEGMENT_BUCKET_LAST, HISTOGRAM_LAST);
    assert_true(SEGMENT_LEAST == HISTOGRAM_MIN);
    assert_int_equal(HISTOGRAM_VERSION, 1);
    assert_true(SEGMENT_PANELS_OF_SIGN * SEGMENT_BUCKETS_IN_PANEL >= SEGMENT_BUCKETS_OF_SIGN);
}

/* Both functions rise with the value: where they agree on both sides of each border, they agree
 * everywhere. */
static void each_border_is_where_the_daemon_has_it(void **state)
{
    (void)state;
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++) {
        double border = histogram_border(i);
        assert_int_equal(dcamp_bucket_of(border), expected(border));
        if (nextafter(border, 0) >= HISTOGRAM_MIN)
            assert_int_equal(dcamp_bucket_of(nextafter(border, 0)), expected(nextafter(border, 0)));
        assert_int_equal(dcamp_bucket_of(nextafter(border, INFINITY)),
                         expected(nextafter(border, INFINITY)));
    }
    assert_int_equal(dcamp_bucket_of(HISTOGRAM_MIN), 0);
    assert_int_equal(dcamp_bucket_of(HISTOGRAM_MAX), SEGMENT_BUCKETS_OF_SIGN - 1);
    assert_int_equal(dcamp_bucket_of(1e300), SEGMENT_BUCKETS_OF_SIGN - 1);
}

/* The logarithms of the values are spread evenly from 1e-9 to beyond 1e18. */
static void a_million_values_are_where_the_daemon_has_them(void **state)
{
    (void)state;
    uint64_t seed = 4711;
    for (int i = 0; i < 1000000; i++) {
        double value = exp(log(1e-9) + uniform(&seed) * log(1.1e27));
        if (value >= HISTOGRAM_MIN && dcamp_bucket_of(value) != expected(value))
            fail_msg("%a: %u, not %u", value, dcamp_bucket_of(value), expected(value));
    }
}

static void nanoseconds_are_seconds(uint64_t ns)
{
    unsigned found = dcamp_bucket_of_nanoseconds(ns),
             wanted = expected((double)(ns ? ns : 1) / 1e9);
    if (found != wanted)
        fail_msg("%llu ns: %u, not %u", (unsigned long long)ns, found, wanted);
}

/* Durations are whole nanoseconds: those around each border are all that can be wrong. */
static void durations_are_where_the_daemon_has_them(void **state)
{
    (void)state;
    uint64_t seed = 815;
    for (int i = HISTOGRAM_FIRST; i <= HISTOGRAM_LAST; i++) {
        double border = histogram_border(i) * 1e9;
        for (int d = -3; d <= 3 && border < 9e18; d++)
            if ((int64_t)border + d >= 0)
                nanoseconds_are_seconds((uint64_t)((int64_t)border + d));
    }
    for (uint64_t ns = 0; ns < 100000; ns++)
        nanoseconds_are_seconds(ns);
    for (int i = 0; i < 1000000; i++) {
        nanoseconds_are_seconds((uint64_t)exp(uniform(&seed) * log(9e18)));
    }
    assert_int_equal(dcamp_bucket_of_nanoseconds(1), 0);
    assert_int_equal(dcamp_bucket_of_nanoseconds(1000000000), -HISTOGRAM_FIRST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_the_same_scheme),
        cmocka_unit_test(each_border_is_where_the_daemon_has_it),
        cmocka_unit_test(a_million_values_are_where_the_daemon_has_them),
        cmocka_unit_test(durations_are_where_the_daemon_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
