#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trapd-handlers/sequence.h"

#include "traps.h"
#include "unit.h"

static struct sequence *fresh(void)
{
    struct sequence *sequence = calloc(1, sizeof *sequence);
    assert_non_null(sequence);
    return sequence;
}

static enum sequence_verdict take(struct sequence *sequence, uint32_t number, uint32_t *missing)
{
    struct trap trap = traps_raised(number);
    return sequence_take(sequence, &trap, missing);
}

static void test_order(void **state)
{
    (void)state;
    static const struct {
        uint32_t number;
        enum sequence_verdict verdict;
        uint32_t missing;
    } steps[] = {
        {10, SEQUENCE_NEXT, 0},         {11, SEQUENCE_NEXT, 0}, {11, SEQUENCE_DUPLICATE, 0},
        {14, SEQUENCE_GAP, 2},          {12, SEQUENCE_LATE, 0}, {12, SEQUENCE_DUPLICATE, 0},
        {15, SEQUENCE_NEXT, 0},         {13, SEQUENCE_LATE, 0}, {5000, SEQUENCE_GAP, 4984},
        {1, SEQUENCE_NEXT, 0},          {2, SEQUENCE_NEXT, 0},  {4, SEQUENCE_GAP, 1},
        {UINT32_MAX, SEQUENCE_LATE, 0},
    };
    struct sequence *sequence = fresh();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        uint32_t missing;
        assert_int_equal(take(sequence, steps[i].number, &missing), steps[i].verdict);
        assert_int_equal(missing, steps[i].missing);
    }
    free(sequence);
}

static void test_numbers_wrap(void **state)
{
    (void)state;
    struct sequence *sequence = fresh();
    uint32_t missing;
    take(sequence, UINT32_MAX - 1, &missing);
    assert_int_equal(take(sequence, UINT32_MAX, &missing), SEQUENCE_NEXT);
    assert_int_equal(take(sequence, 0, &missing), SEQUENCE_NEXT);
    assert_int_equal(take(sequence, 3, &missing), SEQUENCE_GAP);
    assert_int_equal(missing, 2);
    free(sequence);
}

/* What the rate limit has held back is not missing. */
static void test_held_back(void **state)
{
    (void)state;
    struct sequence *sequence = fresh();
    struct trap summary = traps_summary(20);
    uint32_t missing;
    take(sequence, 7, &missing);
    assert_int_equal(sequence_take(sequence, &summary, &missing), SEQUENCE_NEXT);
    struct trap next = traps_summary(30);
    next.suppressed = 5;
    assert_int_equal(sequence_take(sequence, &next, &missing), SEQUENCE_GAP);
    assert_int_equal(missing, 4);
    free(sequence);
}

/* The same number with another content is of a daemon that began anew: nothing is left out. */
static void test_same_number_other_content(void **state)
{
    (void)state;
    struct sequence *sequence = fresh();
    struct trap trap = traps_raised(3);
    uint32_t missing;
    sequence_take(sequence, &trap, &missing);
    traps_set(&trap, TRAP_MESSAGE, "another");
    assert_int_equal(sequence_take(sequence, &trap, &missing), SEQUENCE_LATE);
    free(sequence);
}

static void test_senders(void **state)
{
    (void)state;
    struct sequence *sequence = fresh();
    struct trap a = traps_raised(10), b = traps_raised(500);
    uint32_t missing;
    /* Two daemons of one address count for themselves. */
    strcpy(b.source, "UDP: [192.0.2.7]:50000->[192.0.2.1]:162");
    traps_set(&b, TRAP_NODE, "node2");
    sequence_take(sequence, &a, &missing);
    assert_int_equal(sequence_take(sequence, &b, &missing), SEQUENCE_NEXT);
    a.sequence = 11;
    assert_int_equal(sequence_take(sequence, &a, &missing), SEQUENCE_NEXT);
    /* snmpd was started again: another port, the same node. */
    a.sequence = 14;
    strcpy(a.source, "UDP: [192.0.2.7]:40001->[192.0.2.1]:162");
    assert_int_equal(sequence_take(sequence, &a, &missing), SEQUENCE_GAP);
    assert_int_equal(missing, 2);
    /* A collector tells of its children in its own numbers. */
    a.sequence = 15;
    traps_set(&a, TRAP_NODE, "child");
    assert_int_equal(sequence_take(sequence, &a, &missing), SEQUENCE_NEXT);
    free(sequence);
}

static void test_many_senders(void **state)
{
    (void)state;
    struct sequence *sequence = fresh();
    uint32_t missing;
    for (int i = 0; i < 3 * SEQUENCE_SENDERS; i++) {
        struct trap trap = traps_raised(7);
        snprintf(trap.address, sizeof trap.address, "10.0.%d.%d", i / 256, i % 256);
        assert_int_equal(sequence_take(sequence, &trap, &missing), SEQUENCE_NEXT);
    }
    struct trap last = traps_raised(9);
    snprintf(last.address, sizeof last.address, "10.0.%d.%d", (3 * SEQUENCE_SENDERS - 1) / 256,
             (3 * SEQUENCE_SENDERS - 1) % 256);
    assert_int_equal(sequence_take(sequence, &last, &missing), SEQUENCE_GAP);
    free(sequence);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),     cmocka_unit_test(test_numbers_wrap),
        cmocka_unit_test(test_held_back), cmocka_unit_test(test_same_number_other_content),
        cmocka_unit_test(test_senders),   cmocka_unit_test(test_many_senders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
