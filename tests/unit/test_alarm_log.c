/* The log of alarms: its length, its sequence numbers. */

#include <stdio.h>

#include "alarms.h"

static void test_log_is_a_ring(void **state)
{
    struct alarms *alarms = *state;
    for (uint32_t i = 0; i < 130; i++) {
        assert_true(raise_key(alarms, "k", at_s(i)));
        assert_true(clear_key(alarms, "k", at_s(i)));
    }
    assert_int_equal(alarms->log.count, 100);
    uint32_t expected = 161;
    for (struct index_node *node = index_first(&alarms->log); node; node = index_next(node)) {
        const struct alarm_entry *entry = (struct alarm_entry *)node;
        assert_int_equal(entry->sequence, expected);
        assert_int_equal(entry->facts.sequence, expected);
        assert_int_equal(entry->facts.event, expected % 2 ? ALARM_RAISED : ALARM_CLEARED);
        expected++;
    }
    assert_int_equal(expected, 261);
}

static void test_log_of_no_size(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = roomy;
    limits.log_size = 0;
    alarms_set_limits(alarms, &limits);
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_true(clear_key(alarms, "k", at_s(2)));
    assert_int_equal(alarms->log.count, 0);
    assert_int_equal(alarms->sequence, 2);
    assert_int_equal(alarms->queued, 2);
}

static void test_sequence_wraps(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = roomy;
    limits.log_size = 4;
    alarms_set_limits(alarms, &limits);
    alarms->sequence = UINT32_MAX - 3;
    static const uint32_t expected[] = {UINT32_MAX - 2, UINT32_MAX - 1, UINT32_MAX, 1, 2, 3};
    char key[] = "a";
    for (size_t i = 0; i < 6; i++, key[0]++) {
        assert_true(raise_key(alarms, key, at_s(i)));
        assert_int_equal(alarm_find(alarms, key)->index, expected[i]);
        assert_int_equal(alarms->sequence, expected[i]);
        if (i >= 4)
            assert_null(entry_of(alarms, expected[i - 4]));
    }
    assert_int_equal(alarms->log.count, 4);
    for (size_t i = 2; i < 6; i++)
        assert_non_null(entry_of(alarms, expected[i]));
    assert_int_equal(alarms->active.count, 6);
    for (size_t i = 0; i < 6; i++, alarms_pop(alarms, true))
        assert_int_equal(alarms_peek(alarms)->facts.sequence, expected[i]);
}

/* Alarms and log entries that still have the numbers which come round again keep them. */
static void test_sequence_skips_what_is_in_use(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("old");
    struct alarm_entry entry = {.sequence = 2, .facts.event = ALARM_RAISED};
    assert_int_equal(alarms_restore_active(alarms, 1, &facts, NULL), 0);
    assert_int_equal(alarms_restore_entry(alarms, &entry), 0);
    strcpy(facts.key, "older");
    assert_int_equal(alarms_restore_active(alarms, 3, &facts, NULL), 0);
    alarms->sequence = UINT32_MAX;
    assert_true(raise_key(alarms, "new", at_s(2)));
    assert_int_equal(alarm_find(alarms, "new")->index, 4);
    assert_int_equal(alarm_find(alarms, "old")->index, 1);
    assert_non_null(entry_of(alarms, 4));
}

static void test_wall_clock_steps(void **state)
{
    struct alarms *alarms = *state;
    raise_key(alarms, "k", (struct moment){.mono_ns = 1, .wall_ms = INT64_MAX});
    clear_key(alarms, "k", (struct moment){.mono_ns = 2, .wall_ms = -5});
    assert_int_equal(entry_of(alarms, 2)->facts.since_ms, INT64_MAX);
    assert_int_equal(entry_of(alarms, 2)->wall_ms, -5);
}

static void test_limits_shrink_the_log(void **state)
{
    struct alarms *alarms = *state;
    char key[ALARM_KEY_SIZE];
    for (int i = 0; i < 20; i++) {
        snprintf(key, sizeof key, "%d", i);
        raise_key(alarms, key, at_s(1));
    }
    struct alarm_limits limits = roomy;
    uint64_t changes = alarms->changes;
    alarms_set_limits(alarms, &limits);
    assert_int_equal(alarms->changes, changes);
    limits.log_size = 5;
    alarms_set_limits(alarms, &limits);
    assert_true(alarms->changes > changes);
    assert_int_equal(alarms->log.count, 5);
    assert_non_null(entry_of(alarms, 16));
    assert_null(entry_of(alarms, 15));
    assert_int_equal(alarms->active.count, 20);
    limits.log_size = 50;
    alarms_set_limits(alarms, &limits);
    raise_key(alarms, "more", at_s(2));
    assert_int_equal(alarms->log.count, 6);
    limits.log_size = 0;
    alarms_set_limits(alarms, &limits);
    assert_int_equal(alarms->log.count, 0);
}

static void test_limits_shrink_a_wrapped_log(void **state)
{
    struct alarms *alarms = *state;
    alarms->sequence = UINT32_MAX - 2;
    char key[] = "a";
    for (int i = 0; i < 5; i++, key[0]++)
        raise_key(alarms, key, at_s(1));
    struct alarm_limits limits = roomy;
    limits.log_size = 4;
    alarms_set_limits(alarms, &limits);
    assert_null(entry_of(alarms, UINT32_MAX - 1));
    assert_non_null(entry_of(alarms, UINT32_MAX));
    limits.log_size = 2;
    alarms_set_limits(alarms, &limits);
    assert_null(entry_of(alarms, 1));
    assert_non_null(entry_of(alarms, 2));
    assert_non_null(entry_of(alarms, 3));
}

/* Numbers that the state file has reserved are not given again: RFC 1982, without 0. */
static void test_reserved_numbers(void **state)
{
    static const struct {
        uint32_t sequence, reserved, skipped;
    } cases[] = {
        {5, 15, 10},
        {5, 5, 0},
        {5, 4, 0},
        {5, 0, 0},
        {UINT32_MAX, 0, 0},
        {0, 1, 1},
        {UINT32_MAX, 3, 4},
        {0, INT32_MAX, INT32_MAX},
        {1, UINT32_C(1) << 31 | 1, 0},
    };
    struct alarms *alarms = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alarms->sequence = cases[i].sequence;
        assert_int_equal(alarms_skip(alarms, cases[i].reserved), cases[i].skipped);
        assert_int_equal(alarms->sequence,
                         cases[i].skipped ? cases[i].reserved : cases[i].sequence);
    }
    alarms->sequence = 5;
    assert_int_equal(alarms_reserve(alarms, 10), 15);
    alarms->sequence = UINT32_MAX - 1;
    assert_int_equal(alarms_reserve(alarms, 1), UINT32_MAX);
    assert_int_equal(alarms_reserve(alarms, 2), 1);
    assert_int_equal(alarms_reserve(alarms, 3), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALARM_TEST(test_log_is_a_ring),
        ALARM_TEST(test_log_of_no_size),
        ALARM_TEST(test_sequence_wraps),
        ALARM_TEST(test_sequence_skips_what_is_in_use),
        ALARM_TEST(test_wall_clock_steps),
        ALARM_TEST(test_limits_shrink_the_log),
        ALARM_TEST(test_limits_shrink_a_wrapped_log),
        ALARM_TEST(test_reserved_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
