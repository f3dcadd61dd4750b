/* How old a message may be: RFC 3414, section 3.2, step 7 b. */
#include "base/clock.h"
#include "snmpv3/engine_time.h"

#include "unit.h"

#define NOW (1000 * NS_PER_S)

static void first_message(void **state)
{
    (void)state;
    struct engine_time time = {0};
    assert_true(engine_time_is_recent(&time, 1, 0, NOW));
    assert_true(engine_time_is_recent(&time, 0, 0, NOW));
    assert_true(engine_time_is_recent(&time, ENGINE_BOOTS_MAX - 1, ENGINE_BOOTS_MAX, NOW));
    assert_false(engine_time_is_recent(&time, ENGINE_BOOTS_MAX, 5, NOW));
    assert_false(engine_time_is_recent(&time, -1, 5, NOW));
    assert_false(engine_time_is_recent(&time, 1, -1, NOW));
    assert_false(engine_time_is_recent(&time, 1, INT64_C(1) << 31, NOW));
    /* What is known of the boots holds from the first message on. */
    engine_time_set_boots(&time, 7);
    assert_false(engine_time_is_recent(&time, 6, 100000, NOW));
    assert_true(engine_time_is_recent(&time, 7, 0, NOW));
    assert_true(engine_time_is_recent(&time, 8, 0, NOW));
}

static void window(void **state)
{
    (void)state;
    struct engine_time time = {0};
    engine_time_advance(&time, 3, 1000, NOW);
    assert_true(engine_time_is_recent(&time, 3, 850, NOW));
    assert_false(engine_time_is_recent(&time, 3, 849, NOW));
    assert_true(engine_time_is_recent(&time, 3, 850, NOW + NS_PER_S - 1));
    assert_false(engine_time_is_recent(&time, 3, 850, NOW + NS_PER_S));
    assert_true(engine_time_is_recent(&time, 3, 900000, NOW));
    assert_false(engine_time_is_recent(&time, 2, 900000, NOW));
    assert_true(engine_time_is_recent(&time, 4, 0, NOW));
    /* A recorded message is of no use after 150 seconds, for ever. */
    for (uint64_t s = 151; s < 10000000; s = s * 3 / 2)
        assert_false(engine_time_is_recent(&time, 3, 1000, NOW + s * NS_PER_S));
}

static void estimates(void **state)
{
    (void)state;
    struct engine_time time = {.boots = 3, .time = 1000};
    assert_int_equal(engine_time_estimate(&time, NOW), 0); /* none of these boots has come */
    time.heard_ns = NOW;
    assert_int_equal(engine_time_estimate(&time, NOW - 1), 1000);
    assert_int_equal(engine_time_estimate(&time, NOW), 1000);
    assert_int_equal(engine_time_estimate(&time, NOW + NS_PER_S - 1), 1000);
    assert_int_equal(engine_time_estimate(&time, NOW + NS_PER_S), 1001);
    time.time = ENGINE_BOOTS_MAX - 1;
    assert_int_equal(engine_time_estimate(&time, NOW), ENGINE_BOOTS_MAX - 1);
    assert_int_equal(engine_time_estimate(&time, NOW + NS_PER_S), ENGINE_BOOTS_MAX);
    assert_int_equal(engine_time_estimate(&time, UINT64_MAX), ENGINE_BOOTS_MAX);
}

static void the_time_goes_on(void **state)
{
    (void)state;
    struct engine_time time = {0};
    engine_time_advance(&time, 3, 1000, NOW);
    engine_time_advance(&time, 3, 900, NOW + NS_PER_S); /* older, though authentic */
    assert_int_equal(time.time, 1000);
    assert_int_equal(time.heard_ns, NOW);
    engine_time_advance(&time, 3, 1001, NOW + NS_PER_S);
    assert_int_equal(time.time, 1001);
    engine_time_advance(&time, 4, 0, NOW + 2 * NS_PER_S);
    assert_int_equal(time.boots, 4);
    assert_false(engine_time_is_recent(&time, 3, 1002, NOW + 2 * NS_PER_S));
    engine_time_set_boots(&time, 4); /* no news */
    assert_int_equal(time.heard_ns, NOW + 2 * NS_PER_S);
    engine_time_set_boots(&time, 2); /* the node was restored, and a poll has found that out */
    assert_true(engine_time_is_recent(&time, 2, 0, NOW + 2 * NS_PER_S));
}

/* Its clock is slower than ours by a hundredth: what counts is the time of its messages. */
static void clocks_may_differ(void **state)
{
    (void)state;
    struct engine_time time = {0};
    for (uint64_t s = 0; s < 10 * 86400; s += 10) {
        long said = (long)(s - s / 100);
        assert_true(engine_time_is_recent(&time, 1, said, NOW + s * NS_PER_S));
        engine_time_advance(&time, 1, said, NOW + s * NS_PER_S);
    }
}

/* What is known, what comes and what is known then. */
static void what_becomes_known(void **state)
{
    (void)state;
    static const struct {
        struct engine_time known;
        long boots, time;
        uint64_t now_ns;
        struct engine_time then;
    } cases[] = {
        {{0, 0, 0}, 0, 0, NOW, {0, 0, NOW}}, /* the first one, whatever it says */
        {{3, 0, 0}, 3, 0, NOW, {3, 0, NOW}},
        {{3, 100, 5}, 3, 100, NOW, {3, 100, 5}}, /* no later one */
        {{3, 100, 5}, 3, 99, NOW, {3, 100, 5}},
        {{3, 100, 5}, 3, 101, NOW, {3, 101, NOW}},
        {{3, 100, 5}, 2, 101, NOW, {2, 101, NOW}}, /* it is asked before whether it is recent */
        {{3, 100, 5}, 4, 7, NOW, {4, 7, NOW}},
        {{3, 100, 5}, 4, 7, 0, {4, 7, 1}}, /* 0 would be: none */
        {{3, 100, 5}, 4, 7, 1, {4, 7, 1}},
    };
    for (size_t i = 0; i < N_OF(cases); i++) {
        struct engine_time time = cases[i].known;
        engine_time_advance(&time, cases[i].boots, cases[i].time, cases[i].now_ns);
        assert_int_equal(time.boots, cases[i].then.boots);
        assert_int_equal(time.time, cases[i].then.time);
        assert_int_equal(time.heard_ns, cases[i].then.heard_ns);
    }
}

static void boots_that_are_told(void **state)
{
    (void)state;
    struct engine_time time = {3, 100, 5};
    engine_time_set_boots(&time, 3);
    assert_int_equal(time.time, 100);
    assert_int_equal(time.heard_ns, 5);
    engine_time_set_boots(&time, 4);
    assert_int_equal(time.boots, 4);
    assert_int_equal(time.time, 0);
    assert_int_equal(time.heard_ns, 0);
}

/* A clock that stands still, or is behind the time when the message came. */
static void no_time_has_passed(void **state)
{
    (void)state;
    const struct engine_time time = {3, 1000, NOW};
    assert_true(engine_time_is_recent(&time, 3, 850, NOW - 1));
    assert_true(engine_time_is_recent(&time, 3, 850, NOW));
    assert_false(engine_time_is_recent(&time, 3, 849, 0));
    assert_true(engine_time_is_recent(&time, 3, 853, NOW + 3 * NS_PER_S));
    assert_false(engine_time_is_recent(&time, 3, 852, NOW + 3 * NS_PER_S));
    /* Of a boot that nothing has come of, its time is not known. */
    const struct engine_time told = {3, 1000, 0};
    assert_true(engine_time_is_recent(&told, 3, 0, NOW));
}

/* The largest boots and times there may be, on both sides. */
static void limits(void **state)
{
    (void)state;
    const struct engine_time none = {0, 0, 0};
    assert_true(engine_time_is_recent(&none, ENGINE_BOOTS_MAX - 1, 0, NOW));
    assert_false(engine_time_is_recent(&none, ENGINE_BOOTS_MAX, 0, NOW));
    assert_true(engine_time_is_recent(&none, 0, ENGINE_BOOTS_MAX, NOW));
    assert_false(engine_time_is_recent(&none, 0, (long)ENGINE_BOOTS_MAX + 1, NOW));
    assert_false(engine_time_is_recent(&none, (long)ENGINE_BOOTS_MAX + 1, 0, NOW));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_message),
        cmocka_unit_test(window),
        cmocka_unit_test(estimates),
        cmocka_unit_test(the_time_goes_on),
        cmocka_unit_test(clocks_may_differ),
        cmocka_unit_test(what_becomes_known),
        cmocka_unit_test(boots_that_are_told),
        cmocka_unit_test(no_time_has_passed),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
