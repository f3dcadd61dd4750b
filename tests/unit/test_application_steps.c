/* How far a ring was read: every record is told once or counted as lost, whatever came between. */
#include "application/steps.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static void take_all(struct steps *steps)
{
    for (uint64_t n = steps->base + 1; n <= steps->head; n++)
        steps_take(steps, n);
}

static void nothing_is_lost_within_a_ring(void **state)
{
    (void)state;
    struct steps steps = {0};
    for (uint64_t head = 0; head < 10 * SEGMENT_RING; head += head % 2 ? SEGMENT_RING : 1) {
        assert_int_equal(steps_advance(&steps, head), 0);
        assert_int_equal(steps.head, head);
        assert_true(steps.head - steps.base <= SEGMENT_RING);
        take_all(&steps);
    }
}

static void what_the_ring_has_passed_is_lost(void **state)
{
    (void)state;
    struct steps steps = {0};
    assert_int_equal(steps_advance(&steps, SEGMENT_RING), 0);
    assert_int_equal(steps.base, 0);
    take_all(&steps);
    assert_int_equal(steps_advance(&steps, 2 * SEGMENT_RING + 1), 1);
    assert_int_equal(steps.base, SEGMENT_RING + 1);
    assert_int_equal(steps_advance(&steps, 2 * SEGMENT_RING + 1), 0);
    assert_int_equal(steps_advance(&steps, 10 * SEGMENT_RING), 8 * SEGMENT_RING - 1);
    assert_int_equal(steps_advance(&steps, UINT64_MAX), UINT64_MAX - 10 * SEGMENT_RING);
    assert_int_equal(steps.base, UINT64_MAX - SEGMENT_RING);
}

/* One that was not there yet is waited for until its place is another one's. */
static void a_late_record_is_waited_for(void **state)
{
    (void)state;
    struct steps steps = {0};
    steps_advance(&steps, 10);
    for (uint64_t n = 1; n <= 10; n++)
        if (n != 4)
            steps_take(&steps, n);
    assert_int_equal(steps_advance(&steps, 300), 0);
    assert_false(steps_was_taken(&steps, 4));
    assert_true(steps_was_taken(&steps, 3) && steps_was_taken(&steps, 5));
    for (uint64_t n = 11; n <= 300; n++)
        steps_take(&steps, n);
    assert_int_equal(steps_advance(&steps, SEGMENT_RING + 3), 0);
    assert_false(steps_was_taken(&steps, 4));
    assert_int_equal(steps_advance(&steps, SEGMENT_RING + 4), 1);
    assert_false(steps_was_taken(&steps, SEGMENT_RING + 4));
    assert_true(steps_was_taken(&steps, 5));
}

static void a_ring_that_falls_is_another_one(void **state)
{
    (void)state;
    struct steps steps = {0};
    steps_advance(&steps, 1000);
    assert_int_equal(steps_advance(&steps, 7), 0);
    assert_int_equal(steps.base, 7);
    assert_int_equal(steps.head, 7);
    assert_int_equal(steps_advance(&steps, 9), 0);
    assert_false(steps_was_taken(&steps, 8));
    steps_skip(&steps, 5000);
    assert_int_equal(steps_advance(&steps, 5001), 0);
    assert_int_equal(steps.base, 5000);
}

#define RECORDS 20000

/* Any pace, any records that are late: each is told once at most, and told or lost in the end. */
static void each_is_told_or_lost(void **state)
{
    (void)state;
    static unsigned char told[RECORDS + 2 * SEGMENT_RING + 1];
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct steps steps = {0};
        unsigned random = seed;
        uint64_t lost = 0, sum = 0, head = 0;
        memset(told, 0, sizeof told);
        while (head < RECORDS) {
            head += (unsigned)rand_r(&random) % (seed % 2 ? 200 : 900);
            lost += steps_advance(&steps, head);
            for (uint64_t n = steps.base + 1; n <= head; n++)
                if (!steps_was_taken(&steps, n) && rand_r(&random) % 4) {
                    steps_take(&steps, n);
                    assert_int_equal(told[n]++, 0);
                    sum++;
                }
        }
        lost += steps_advance(&steps, head + SEGMENT_RING);
        assert_int_equal(lost + sum, head);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_within_a_ring),
        cmocka_unit_test(what_the_ring_has_passed_is_lost),
        cmocka_unit_test(a_late_record_is_waited_for),
        cmocka_unit_test(a_ring_that_falls_is_another_one),
        cmocka_unit_test(each_is_told_or_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
