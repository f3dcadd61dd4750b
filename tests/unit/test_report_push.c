/* Which blocks are pushed: never more than allowed, in their order, and all others are counted. */

#include <stdlib.h>

#include "base/clock.h"
#include "report/push.h"

#include "unit.h"

#define START (1000 * NS_PER_S)

/* Takes all that wait: they follow each other from first on. */
static void assert_waiting(struct push *push, uint32_t first, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(push_next(push), first + i);
        push_done(push, true);
    }
    assert_int_equal(push_next(push), 0);
}

static void in_order(void **state)
{
    (void)state;
    struct push push;
    push_open(&push, 1000, START);
    assert_int_equal(push_next(&push), 0);
    push_blocks(&push, 5, 7, START);
    push_blocks(&push, 9, 9, START);
    push_blocks(&push, 10, 9, START); /* none */
    assert_int_equal(push.n, 4);
    assert_int_equal(push_next(&push), 5);
    assert_int_equal(push_next(&push), 5);
    push_done(&push, false);
    assert_int_equal(push_next(&push), 6);
    push_done(&push, true);
    push_done(&push, true);
    assert_waiting(&push, 9, 1);
    push_done(&push, true); /* of none */
    assert_int_equal(push.sent, 3);
    assert_int_equal(push.held, 1);
}

static void off(void **state)
{
    (void)state;
    struct push push;
    push_open(&push, 0, START);
    for (uint32_t i = 1; i <= 100; i++)
        push_blocks(&push, i, i, START + i * NS_PER_S);
    assert_int_equal(push_next(&push), 0);
    assert_int_equal(push.held, 100);
}

static void the_queue_is_bounded(void **state)
{
    (void)state;
    struct push push;
    push_open(&push, 1000, START);
    push_blocks(&push, 1, UINT32_MAX, START);
    assert_int_equal(push.n, PUSH_QUEUE_MAX);
    assert_int_equal(push.held, UINT32_MAX - PUSH_QUEUE_MAX);
    push_clear(&push);
    assert_int_equal(push_next(&push), 0);
    assert_int_equal(push.held, UINT32_MAX);
    push_blocks(&push, UINT32_MAX, UINT32_MAX, START);
    assert_waiting(&push, UINT32_MAX, 1);
}

/* A block every ms, for ten seconds, at any rate. */
static void the_rate_is_kept(void **state)
{
    (void)state;
    static const uint32_t rates[] = {1, 2, 3, 7, 10, 100, 999, 1000};
    for (size_t r = 0; r < sizeof rates / sizeof *rates; r++) {
        struct push push;
        uint32_t number = 0;
        push_open(&push, rates[r], START);
        for (uint64_t ms = 0; ms < 10000; ms++) {
            number++;
            push_blocks(&push, number, number, START + ms * NS_PER_MS);
            if (push_next(&push)) {
                assert_int_equal(push_next(&push), number);
                push_done(&push, true);
            }
        }
        assert_int_equal(push.sent + push.held, 10000);
        /* One second's worth was saved up; a thousand a second is all that there are. */
        uint64_t most = 11 * (uint64_t)rates[r];
        assert_in_range(push.sent, most > 10000 ? 10000 : most - 2, most > 10000 ? 10000 : most);
    }
}

/* After a rest of any length, no more than a second's worth. */
static void rest_is_not_saved_up(void **state)
{
    (void)state;
    struct push push;
    push_open(&push, 5, START);
    push_blocks(&push, 1, 20, START);
    assert_waiting(&push, 1, 5);
    push_blocks(&push, 21, 40, START + 3600 * NS_PER_S);
    assert_waiting(&push, 21, 5);
    push_blocks(&push, 41, 41, START); /* the clock does not go back, but if it did */
    assert_int_equal(push_next(&push), 0);
    push_blocks(&push, 42, 42, START + 3600 * NS_PER_S + NS_PER_S / 5);
    assert_waiting(&push, 42, 1);
}

static void any_sequence(void **state)
{
    (void)state;
    struct push push;
    uint64_t now = START, given = 0;
    uint32_t number = 0, last_sent = 0;
    srandom(1);
    push_open(&push, 50, START);
    for (int i = 0; i < 200000; i++) {
        uint32_t n = (uint32_t)random() % 4;
        now += (uint64_t)random() % (50 * NS_PER_MS);
        push_blocks(&push, number + 1, number + n, now);
        number += n;
        given += n;
        for (long k = random() % 3; k > 0 && push_next(&push); k--) {
            assert_true(push_next(&push) > last_sent);
            last_sent = push_next(&push);
            push_done(&push, random() % 8 != 0);
        }
        if (random() % 1000 == 0)
            push_clear(&push);
        assert_true(push.n <= PUSH_QUEUE_MAX);
        assert_int_equal(push.sent + push.held + push.n, given);
    }
    assert_true(push.sent < 51 * ((now - START) / NS_PER_S + 1));
    assert_true(push.sent > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order),
        cmocka_unit_test(off),
        cmocka_unit_test(the_queue_is_bounded),
        cmocka_unit_test(the_rate_is_kept),
        cmocka_unit_test(rest_is_not_saved_up),
        cmocka_unit_test(any_sequence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
