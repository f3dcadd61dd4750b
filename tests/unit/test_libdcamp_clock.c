/* Which clock timers read, and that both of them say the same. */
#include "libdcamp/clock.h"

#include <time.h>

#include "tests/unit/unit.h"

#define CPU "processor\t: 0\nmodel name\t: constant_tsc nonstop_tsc\nflags\t\t: "

static void the_counter_is_read_where_it_is_steady(void **state)
{
    (void)state;
    const struct {
        const char *source, *cpuinfo;
        bool steady;
    } cases[] = {
        {"tsc\n", CPU "fpu tsc constant_tsc rep_good nonstop_tsc cpuid\nbugs\t: x\n", true},
        {"tsc", CPU "constant_tsc nonstop_tsc\n", true},
        {"tsc\n", CPU "nonstop_tsc constant_tsc", false}, /* cut: the line may go on */
        {"tsc\n", CPU "fpu constant_tsc\n", false},
        {"tsc\n", CPU "fpu nonstop_tsc\n", false},
        {"tsc\n", CPU "fpu nonstop_tsc_s3 constant_tsc\n", false},
        {"tsc\n", CPU "fpu xnonstop_tsc constant_tsc\n", false},
        {"tsc\n", CPU "fpu\nbugs\t: constant_tsc nonstop_tsc\n", false},
        {"tsc\n", "", false},
        {"hpet\n", CPU "constant_tsc nonstop_tsc\n", false},
        {"kvm-clock\n", CPU "constant_tsc nonstop_tsc\n", false},
        {"tsc-early\n", CPU "constant_tsc nonstop_tsc\n", false},
        {"", CPU "constant_tsc nonstop_tsc\n", false},
    };
    for (size_t i = 0; i < N_OF(cases); i++)
        if (dcamp_clock_is_steady(cases[i].source, cases[i].cpuinfo) != cases[i].steady)
            fail_msg("case %zu", i);
}

static void a_rate_makes_sense_or_is_none(void **state)
{
    (void)state;
    assert_int_equal(dcamp_clock_rate(100000000, 100000000), UINT64_C(1) << 32);
    assert_int_equal(dcamp_clock_rate(200000000, 100000000), UINT64_C(1) << 31);
    assert_int_equal(dcamp_clock_rate(300000000, 100000000), (UINT64_C(1) << 32) / 3);
    assert_int_equal(dcamp_clock_rate(0, 100), 0);
    assert_int_equal(dcamp_clock_rate(100, 0), 0);
    assert_int_equal(dcamp_clock_rate(10000000, 100000000), UINT64_C(10) << 32);
    assert_int_equal(dcamp_clock_rate(9999999, 100000000), 0);
    assert_int_not_equal(dcamp_clock_rate(1000000000, 100000000), 0);
    assert_int_equal(dcamp_clock_rate(1000000001, 100000000), 0);
    assert_int_not_equal(dcamp_clock_rate(UINT64_MAX, UINT64_MAX / 2), 0);
}

/* The two readings must be near to each other, with no sleep of the machine between them. */
static void a_calibration_that_comes_late_begins_anew(void **state)
{
    (void)state;
    const uint64_t never = 77;
    const struct {
        uint64_t ticks, ns, suspended;
        enum clock_verdict verdict;
        uint64_t rate;
    } cases[] = {
        {200000000, 100000000, 0, CLOCK_JUDGED, UINT64_C(1) << 31},
        {200000000, 100000000, 10000000, CLOCK_JUDGED, UINT64_C(1) << 31},
        {200000000, 100000000, (uint64_t)-10000000, CLOCK_JUDGED, UINT64_C(1) << 31},
        {200000000, 100000000, 10000001, CLOCK_LATE, never},
        {200000000, 100000000, (uint64_t)-10000001, CLOCK_LATE, never},
        {200000000, 99999999, 0, CLOCK_EARLY, never},
        {2000000000, 1000000000, 0, CLOCK_JUDGED, UINT64_C(1) << 31},
        {2000000000, 1000000001, 0, CLOCK_LATE, never},
        {UINT64_MAX, 100000000, 0, CLOCK_JUDGED, 0},
        {0, 100000000, 0, CLOCK_JUDGED, 0},
    };
    const struct clock_pair begin = {.ticks = UINT64_MAX - 5, .ns = 12345, .suspended = 10};
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct clock_pair end = begin;
        uint64_t rate = never;
        end.ticks += cases[i].ticks;
        end.ns += cases[i].ns;
        end.suspended += cases[i].suspended;
        if (dcamp_clock_judge(&begin, &end, &rate) != cases[i].verdict || rate != cases[i].rate)
            fail_msg("case %zu: %llu", i, (unsigned long long)rate);
    }
}

static void wait_ns(long ns)
{
    nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

/* Reads the clock until timers read the counter, where they do: it may be that this thread comes
 * too late for that several times. */
static void wait_for_calibration(uint64_t early, bool *calibrated)
{
    for (int i = 0; i < 100 && !*calibrated; i++) {
        wait_ns(CLOCK_CALIBRATION_NS + 10000000);
        assert_true(dcamp_clock_elapsed(early, calibrated) >= CLOCK_CALIBRATION_NS);
    }
}

/* What has elapsed lies between what CLOCK_MONOTONIC says of a shorter and of a longer time, but
 * for a thousandth, and never is less than none. */
static void compare(long ns)
{
    bool calibrated;
    uint64_t before = dcamp_clock_monotonic(), moment = dcamp_clock_now();
    uint64_t begun = dcamp_clock_monotonic();
    wait_ns(ns);
    uint64_t ending = dcamp_clock_monotonic(), elapsed = dcamp_clock_elapsed(moment, &calibrated);
    uint64_t between = dcamp_clock_between(moment, dcamp_clock_now());
    uint64_t ended = dcamp_clock_monotonic();
    assert_true(between >= elapsed && between <= (ended - before) + (ended - before) / 1000 + 1);
    assert_true(elapsed >= (ending - begun) - (ending - begun) / 1000);
    assert_true(elapsed <= (ended - before) + (ended - before) / 1000 + 1);
}

static void both_clocks_say_the_same(void **state)
{
    (void)state;
    bool calibrated = false;
    dcamp_clock_open();
    assert_int_equal(dcamp_clock_hz(), 0);
    compare(1000);
    uint64_t early = dcamp_clock_now();
    assert_int_equal(early & 1, 0);
    wait_ns(CLOCK_CALIBRATION_MAX_NS - 1);
    wait_ns(10000000);
    assert_true(dcamp_clock_elapsed(early, &calibrated) >= CLOCK_CALIBRATION_MAX_NS);
    assert_false(calibrated); /* it has come too late */
    wait_for_calibration(early, &calibrated);
    uint64_t elapsed = dcamp_clock_elapsed(early, &(bool){false});
    assert_int_equal(calibrated, dcamp_clock_hz() != 0);
    print_message("timers read %s\n", calibrated ? "the time stamp counter" : "clock_gettime(2)");
    assert_int_equal(dcamp_clock_now() & 1, calibrated);
    compare(1000);
    compare(20000000);
    assert_true(dcamp_clock_elapsed(early, &calibrated) >= elapsed);
    assert_false(calibrated);
    /* A moment that is yet to come, as another processor's might be. */
    assert_int_equal(dcamp_clock_elapsed(dcamp_clock_now() + (UINT64_C(1) << 40), &calibrated), 0);
    assert_int_equal(dcamp_clock_elapsed(early + (UINT64_C(1) << 60), &calibrated), 0);
    uint64_t now = dcamp_clock_now();
    assert_int_equal(dcamp_clock_between(now, now), 0);
    assert_int_equal(dcamp_clock_between(now + 2, now), 0);
    assert_true(clock_is_later(now + 2, now));
    assert_false(clock_is_later(now, now));
    assert_false(clock_is_later(now, now + 2));
    assert_false(clock_is_later(now + 3, now));
    assert_false(clock_is_later(0, UINT64_MAX - 1));
    assert_true(clock_is_later(2, UINT64_MAX - 1));
    assert_int_equal(dcamp_clock_between(early, now) == CLOCK_NOT_COMPARABLE, now & 1);
    assert_int_equal(dcamp_clock_between(now, early) == CLOCK_NOT_COMPARABLE, now & 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counter_is_read_where_it_is_steady),
        cmocka_unit_test(a_rate_makes_sense_or_is_none),
        cmocka_unit_test(a_calibration_that_comes_late_begins_anew),
        cmocka_unit_test(both_clocks_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
