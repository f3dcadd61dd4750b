/* When a node announces itself: while no root looks at it, more and more seldom. */
#include "base/clock.h"
#include "tree/announcing.h"

#include "unit.h"

#define WAIT (60 * NS_PER_S)

/* The next time that one is to be sent, from then on; it is sent. */
static uint64_t next(struct announcing *announcing, uint64_t now)
{
    uint64_t due = announcing->due_ns;
    assert_true(due > now);
    assert_false(announcing_step(announcing, due - 1));
    assert_true(announcing_step(announcing, due));
    assert_true(announcing_step(announcing, due)); /* until it is */
    announcing_done(announcing, true);
    assert_false(announcing_step(announcing, due));
    return due;
}

static void assert_about(uint64_t took, uint64_t waits)
{
    assert_in_range(took, waits - waits / 4, waits + waits / 4);
}

static void never(void **state)
{
    (void)state;
    struct announcing announcing;
    announcing_open(&announcing, 1, 5);
    assert_int_equal(announcing.due_ns, UINT64_MAX);
    announcing_set(&announcing, 0, 5);
    assert_false(announcing_step(&announcing, UINT64_MAX - 1));
    announcing_looked(&announcing, true, 9);
    assert_int_equal(announcing.due_ns, UINT64_MAX);
    assert_int_equal(announcing.looked_ns, 9);
}

static void more_and_more_seldom(void **state)
{
    (void)state;
    static const unsigned times[] = {1, 2, 4, 5, 5, 5};
    struct announcing announcing;
    uint64_t now = 1000 * NS_PER_S;
    announcing_open(&announcing, 7, now);
    announcing_set(&announcing, WAIT, now);
    for (size_t i = 0; i < N_OF(times); i++) {
        uint64_t then = next(&announcing, now);
        assert_about(then - now, times[i] * WAIT);
        now = then;
    }
    assert_int_equal(announcing.sent, N_OF(times));
    /* The same again changes nothing; another wait begins anew. */
    uint64_t due = announcing.due_ns;
    announcing_set(&announcing, WAIT, now + 1);
    assert_int_equal(announcing.due_ns, due);
    announcing_set(&announcing, 2 * WAIT, now);
    assert_about(announcing.due_ns - now, 2 * WAIT);
    announcing_set(&announcing, 0, now);
    assert_int_equal(announcing.due_ns, UINT64_MAX);
}

static void while_a_root_looks(void **state)
{
    (void)state;
    struct announcing announcing;
    uint64_t now = NS_PER_S;
    announcing_open(&announcing, 7, now);
    announcing_set(&announcing, WAIT, now);
    for (int i = 0; i < 1000; i++) {
        now += 30 * NS_PER_S;
        assert_false(announcing_step(&announcing, now));
        announcing_looked(&announcing, i % 2, now);
        assert_int_equal(announcing.looked_ns, now);
    }
    assert_int_equal(announcing.sent, 0);
    uint64_t then = next(&announcing, now);
    assert_about(then - now, WAIT);
}

/* A root that looks at it and gives it no work does not make it louder; one that does, begins anew.
 */
static void without_work(void **state)
{
    (void)state;
    struct announcing announcing;
    uint64_t now = NS_PER_S;
    announcing_open(&announcing, 3, now);
    announcing_set(&announcing, WAIT, now);
    for (int i = 0; i < 5; i++)
        now = next(&announcing, now);
    announcing_looked(&announcing, false, now);
    assert_about(announcing.due_ns - now, 5 * WAIT);
    announcing_looked(&announcing, true, now);
    assert_about(announcing.due_ns - now, WAIT);
}

static void what_is_not_sent(void **state)
{
    (void)state;
    struct announcing announcing;
    uint64_t now = NS_PER_S;
    announcing_open(&announcing, 3, now);
    announcing_set(&announcing, WAIT, now);
    now = announcing.due_ns;
    assert_true(announcing_step(&announcing, now));
    announcing_done(&announcing, false); /* snmpd refused it: the next one comes in its time */
    assert_int_equal(announcing.sent, 0);
    assert_false(announcing_step(&announcing, now));
    now = announcing.due_ns;
    assert_true(announcing_step(&announcing, now));
    announcing_looked(&announcing, true, now); /* a root was there before it went out */
    assert_false(announcing_step(&announcing, now));
}

/* The longest wait there is, and any chance. */
static void bounds(void **state)
{
    (void)state;
    const uint64_t longest = 3600 * NS_PER_S;
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t seed = 0; seed < 2000; seed++) {
        struct announcing announcing;
        announcing_open(&announcing, seed * 2654435761u, 0);
        announcing.tries = UINT32_MAX;
        announcing_set(&announcing, longest, 0);
        assert_about(announcing.due_ns, longest);
        least = announcing.due_ns < least ? announcing.due_ns : least;
        most = announcing.due_ns > most ? announcing.due_ns : most;
        announcing.tries = UINT32_MAX;
        assert_true(announcing_step(&announcing, announcing.due_ns));
        assert_int_equal(announcing.tries, UINT32_MAX);
    }
    assert_true(most - least > longest / 100 * 45); /* nodes are not in step */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never),
        cmocka_unit_test(more_and_more_seldom),
        cmocka_unit_test(while_a_root_looks),
        cmocka_unit_test(without_work),
        cmocka_unit_test(what_is_not_sent),
        cmocka_unit_test(bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
