#include <stdio.h>
#include <string.h>

#include "alarm/alarm.h"

#include "unit.h"

/* A token every six seconds. */
static const struct alarm_limits paced = {
    .log_size = 20000, .rate = 10, .period_ms = 60000, .queue = 1000};

static struct moment at_ms(uint64_t ms)
{
    return (struct moment){.mono_ns = ms * NS_PER_MS,
                           .wall_ms = INT64_C(1700000000000) + (int64_t)ms};
}

static int open_paced(void **state)
{
    static struct alarms alarms;
    alarms_open(&alarms, &paced, 0);
    strcpy(alarms.node, "n1");
    *state = &alarms;
    return 0;
}

static int close_it(void **state)
{
    alarms_close(*state);
    return 0;
}

static struct alarm_facts facts_of(uint32_t number)
{
    struct alarm_facts facts = {.node = "n1", .threshold = "t", .severity = SEVERITY_CRITICAL};
    snprintf(facts.instance, sizeof facts.instance, "%u", number);
    alarm_key(facts.key, facts.node, facts.threshold, facts.instance);
    return facts;
}

static void raise_in_cycle(struct alarms *alarms, uint32_t number, struct moment now)
{
    struct alarm_facts facts = facts_of(number);
    assert_true(alarm_raise(alarms, &facts, now));
}

/* The only transition of its cycle. */
static void raise_number(struct alarms *alarms, uint32_t number, struct moment now)
{
    raise_in_cycle(alarms, number, now);
    alarms_tick(alarms, now);
}

static void clear_number(struct alarms *alarms, uint32_t number, struct moment now)
{
    struct alarm_facts facts = facts_of(number);
    assert_true(alarm_clear(alarms, &facts, now));
    alarms_tick(alarms, now);
}

static const struct alarm_entry *entry_of(const struct alarms *alarms, uint32_t sequence)
{
    return (const struct alarm_entry *)index_find(&alarms->log, &sequence, 1);
}

static void drain(struct alarms *alarms)
{
    while (alarms_peek(alarms))
        alarms_pop(alarms, true);
}

/* Empties the bucket at the given time, and the queue with it. */
static void use_up(struct alarms *alarms, uint32_t tokens, struct moment now)
{
    for (uint32_t i = 0; i < tokens; i++)
        raise_number(alarms, 900000 + i, now);
    assert_int_equal(alarms->queued, tokens);
    assert_int_equal(alarms->suppressed, 0);
    drain(alarms);
}

static void test_pop(void **state)
{
    struct alarms *alarms = *state;
    alarms_pop(alarms, true);
    alarms_pop(alarms, false);
    assert_int_equal(alarms->sent, 0);
    assert_int_equal(alarms->dropped, 0);
    assert_int_equal(alarms->changes, 0);
    for (uint32_t i = 1; i <= 3; i++)
        raise_number(alarms, i, at_ms(0));
    for (uint32_t i = 1; i <= 3; i++) {
        uint64_t changes = alarms->changes;
        assert_int_equal(alarms_peek(alarms)->facts.sequence, i);
        assert_ptr_equal(alarms_peek(alarms), alarms_peek(alarms));
        alarms_pop(alarms, i != 2);
        assert_true(alarms->changes > changes);
        assert_int_equal(alarms->queued, 3 - i);
    }
    assert_null(alarms_peek(alarms));
    assert_int_equal(alarms->sent, 2);
    assert_int_equal(alarms->dropped, 1);
    raise_number(alarms, 4, at_ms(0));
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 4);
}

/* What is not in the state file yet is not sent, unless what saves it cannot. */
static void test_gate(void **state)
{
    struct alarms *alarms = *state;
    raise_number(alarms, 1, at_ms(0));
    alarms_gate(alarms, 0, false);
    assert_null(alarms_peek(alarms));
    alarms_gate(alarms, alarms->changes, false);
    raise_number(alarms, 2, at_ms(0));
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 1);
    alarms_pop(alarms, true);
    assert_int_equal(alarms->unsaved, 0);
    assert_null(alarms_peek(alarms));
    alarms_gate(alarms, 0, true);
    raise_number(alarms, 3, at_ms(0));
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 2);
    alarms_pop(alarms, true);
    assert_int_equal(alarms->unsaved, 1);
    assert_null(alarms_peek(alarms));
    alarms_pop(alarms, false);
    assert_int_equal(alarms->unsaved, 1);
    assert_int_equal(alarms->dropped, 1);
}

/* 10,000 raises within a second: 10 go out, 9,990 wait, the log has all. */
static void test_storm(void **state)
{
    struct alarms *alarms = *state;
    for (uint32_t i = 1; i <= 10000; i++) {
        raise_in_cycle(alarms, i, at_ms(i / 1000 * 100));
        if (i % 1000 == 0)
            alarms_tick(alarms, at_ms(i / 1000 * 100));
    }
    assert_int_equal(alarms->queued, 10);
    assert_int_equal(alarms->suppressed, 9990);
    assert_int_equal(alarms->left, 9990);
    assert_int_equal(alarms->active.count, 10000);
    assert_int_equal(alarms->log.count, 10000);
    for (uint32_t i = 1; i <= 10000; i++) {
        const struct alarm_entry *entry = entry_of(alarms, i);
        char instance[INSTANCE_SIZE];
        snprintf(instance, sizeof instance, "%u", i);
        assert_string_equal(entry->facts.instance, instance);
        assert_int_equal(entry->facts.event, ALARM_RAISED);
        assert_int_equal(entry->notified, i <= 10);
        assert_int_equal(entry->hold, i <= 10 ? HOLD_NONE : HOLD_RATE);
    }
    for (uint32_t i = 1; i <= 10; i++, alarms_pop(alarms, true))
        assert_int_equal(alarms_peek(alarms)->facts.sequence, i);
    assert_int_equal(alarms->sent, 10);
}

static void test_storm_beyond_the_log(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = paced;
    limits.log_size = 1000;
    alarms_set_limits(alarms, &limits);
    for (uint32_t i = 1; i <= 10000; i++)
        raise_in_cycle(alarms, i, at_ms(0));
    alarms_tick(alarms, at_ms(0));
    assert_int_equal(alarms->log.count, 1000);
    uint32_t expected = 9001;
    for (struct index_node *node = index_first(&alarms->log); node; node = index_next(node))
        assert_int_equal(((struct alarm_entry *)node)->sequence, expected++);
    assert_int_equal(expected, 10001);
    assert_int_equal(alarms->active.count, 10000);
}

/* The first token after a storm is the summary's; the next summary comes a period later. */
static void test_summary(void **state)
{
    struct alarms *alarms = *state;
    for (uint32_t i = 1; i <= 10000; i++)
        raise_in_cycle(alarms, i, at_ms(0));
    alarms_tick(alarms, at_ms(0));
    drain(alarms);
    alarms_tick(alarms, at_ms(5999));
    assert_null(alarms_peek(alarms));
    uint64_t changes = alarms->changes;
    alarms_tick(alarms, at_ms(6000));
    assert_true(alarms->changes > changes);

    const struct notification *n = alarms_peek(alarms);
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(n->facts.event, ALARM_SUPPRESSED);
    assert_int_equal(n->facts.suppressed, 9990);
    assert_int_equal(n->facts.sequence, 10001);
    assert_int_equal(n->index, 10001);
    assert_int_equal(n->facts.since_ms, at_ms(6000).wall_ms);
    assert_int_equal(n->facts.severity, SEVERITY_INFO);
    assert_string_equal(n->facts.node, "n1");
    assert_string_equal(n->facts.key, "");
    assert_string_equal(n->facts.threshold, "");
    assert_string_equal(n->facts.instance, "");
    assert_string_equal(n->facts.message,
                        "notifications held back by the rate limit: 9990, see the alarm log");

    const struct alarm_entry *entry = entry_of(alarms, 10001);
    assert_int_equal(entry->facts.event, ALARM_SUPPRESSED);
    assert_int_equal(entry->wall_ms, at_ms(6000).wall_ms);
    assert_int_equal(entry->facts.suppressed, 9990);
    assert_true(entry->notified);
    assert_int_equal(alarms->suppressed, 9990);
    assert_int_equal(alarms->active.count, 10000);

    drain(alarms);
    for (uint64_t ms = 12000; ms < 66000; ms += 6000)
        alarms_tick(alarms, at_ms(ms));
    assert_int_equal(alarms->queued, 9);
    for (uint32_t i = 11; i <= 19; i++, alarms_pop(alarms, true))
        assert_int_equal(alarms_peek(alarms)->facts.sequence, i);
    alarms_tick(alarms, at_ms(66000));
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_SUPPRESSED);
    assert_int_equal(alarms_peek(alarms)->facts.suppressed, 9981);
}

static void test_tick_without_anything_held(void **state)
{
    struct alarms *alarms = *state;
    raise_number(alarms, 1, at_ms(0));
    uint64_t changes = alarms->changes;
    for (uint64_t s = 0; s < 600; s++)
        alarms_tick(alarms, at_ms(s * 1000));
    assert_int_equal(alarms->changes, changes);
    assert_int_equal(alarms->sequence, 1);
    assert_int_equal(alarms->queued, 1);
}

/* Who was never told of a raise is not told of its clear, but of the number. */
static void test_clear_of_a_raise_that_waits(void **state)
{
    struct alarms *alarms = *state;
    use_up(alarms, 10, at_ms(0));
    raise_number(alarms, 1, at_ms(0));
    assert_false(entry_of(alarms, 11)->notified);
    clear_number(alarms, 1, at_ms(10));
    assert_int_equal(alarms->left, 0);
    assert_int_equal(alarms->held, 1);
    assert_int_equal(entry_of(alarms, 12)->hold, HOLD_RATE);
    alarms_tick(alarms, at_ms(6000));
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_SUPPRESSED);
    assert_int_equal(alarms_peek(alarms)->facts.suppressed, 1);
    assert_false(entry_of(alarms, 12)->notified);
}

/* The last of several transitions is what receivers are told. */
static void test_raise_overtakes_a_clear_that_waits(void **state)
{
    struct alarms *alarms = *state;
    raise_number(alarms, 1, at_ms(0));
    drain(alarms);
    use_up(alarms, 9, at_ms(0));
    clear_number(alarms, 1, at_ms(10));
    raise_number(alarms, 1, at_ms(20));
    assert_int_equal(alarms->left, 1);
    assert_int_equal(alarms->held, 1);
    drain(alarms);
    alarms_tick(alarms, at_ms(6000));
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_SUPPRESSED);
    drain(alarms);
    alarms_tick(alarms, at_ms(12000));
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_RAISED);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 12);
    clear_number(alarms, 1, at_ms(18000));
    assert_int_equal(alarms->queued, 2);
}

/* How many notifications go out of more than there is room for. */
static void test_refill(void **state)
{
    (void)state;
    static const struct {
        uint32_t rate, period_ms;
        uint64_t step_ms; /* a tick every step */
        uint32_t ticks, sent;
    } cases[] = {
        {10, 60000, 1, 5999, 10},
        {10, 60000, 1, 6001, 11},
        {10, 60000, 1, 60001, 20},
        {10, 60000, 6000, 100, 109},
        {10, 60000, 3000, 100, 59},
        {1, 1000, 999, 3, 2},
        {1, 1, 1, 1000, 1000},
        {3, 1000, 1, 1001, 6},
        {7, 1000, 1, 10001, 77},
        {1, 4294967295, 1000, 4000, 1},
        {4294967295, 4294967295, 0, 1, 2000},
        {4294967295, 1, 0, 1, 2000},
        {5, 0, 0, 1, 2000},
        {0, 60000, 0, 1, 2000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct alarm_limits limits = {
            .log_size = 1, .rate = cases[i].rate, .period_ms = cases[i].period_ms, .queue = 100000};
        struct alarms alarms;
        alarms_open(&alarms, &limits, 0);
        for (uint32_t n = 0; n < 2000; n++)
            raise_in_cycle(&alarms, n, at_ms(0));
        for (uint32_t t = 0; t < cases[i].ticks; t++)
            alarms_tick(&alarms, at_ms(t * cases[i].step_ms));
        assert_int_equal(alarms.queued, cases[i].sent);
        alarms_close(&alarms);
    }
}

static void test_bucket_fills_no_further_than_its_rate(void **state)
{
    struct alarms *alarms = *state;
    struct moment late = {.mono_ns = UINT64_MAX - 1, .wall_ms = 0};
    use_up(alarms, 10, late);
    late.mono_ns++;
    raise_number(alarms, 1, late);
    assert_int_equal(alarms->suppressed, 1);
}

static void test_bucket_starts_full_at_any_time(void **state)
{
    (void)state;
    struct alarms alarms;
    alarms_open(&alarms, &paced, 5000 * NS_PER_S);
    use_up(&alarms, 10, at_ms(5000000));
    raise_number(&alarms, 1, at_ms(5005999));
    assert_int_equal(alarms.left, 1);
    alarms_tick(&alarms, at_ms(5006000));
    assert_int_equal(alarms.queued, 1);
    alarms_close(&alarms);
}

/* The wall clock has no say, and a monotonic clock that stands or goes back gives nothing. */
static void test_clock_steps(void **state)
{
    struct alarms *alarms = *state;
    use_up(alarms, 10, at_ms(10000));
    struct moment now = {.mono_ns = at_ms(10000).mono_ns, .wall_ms = INT64_MAX};
    raise_number(alarms, 1, now);
    now.wall_ms = INT64_MIN;
    raise_number(alarms, 2, now);
    now.mono_ns = 0;
    raise_number(alarms, 3, now);
    assert_int_equal(alarms->left, 3);
    now.mono_ns = at_ms(15999).mono_ns;
    alarms_tick(alarms, now);
    assert_int_equal(alarms->queued, 0);
    now.mono_ns = at_ms(16000).mono_ns;
    alarms_tick(alarms, now);
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->facts.suppressed, 3);
}

/* What does not fit waits with its alarm, and goes on when there is room. */
static void test_full_queue(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = {.log_size = 100, .rate = 0, .queue = 5};
    alarms_set_limits(alarms, &limits);
    for (uint32_t i = 1; i <= 12; i++)
        raise_number(alarms, i, at_ms(0));
    assert_int_equal(alarms->queued, 5);
    assert_int_equal(alarms->n_ready, 7);
    assert_int_equal(alarms->suppressed, 7);
    assert_true(entry_of(alarms, 5)->notified);
    assert_false(entry_of(alarms, 6)->notified);
    alarms_tick(alarms, at_ms(100));
    assert_int_equal(alarms->queued, 5);
    assert_true(alarms_due(alarms) == UINT64_MAX); /* not before one is delivered */
    uint32_t told = 0;
    for (; alarms_peek(alarms); alarms_tick(alarms, at_ms(200))) {
        assert_int_equal(alarms_peek(alarms)->facts.sequence, ++told);
        alarms_pop(alarms, true);
    }
    assert_int_equal(told, 12);
    assert_int_equal(alarms->sent, 12);
    assert_int_equal(alarms->dropped, 0);
}

/* While the queue is full, an alarm comes and goes: nobody has heard of it, but it is counted. */
static void test_overtaken_beside_a_full_queue(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = {.log_size = 100, .rate = 0, .period_ms = 1000, .queue = 2};
    alarms_set_limits(alarms, &limits);
    raise_number(alarms, 1, at_ms(0));
    raise_number(alarms, 2, at_ms(0));
    raise_number(alarms, 3, at_ms(0));
    clear_number(alarms, 3, at_ms(10));
    clear_number(alarms, 1, at_ms(10));
    assert_int_equal(alarms->held, 1);
    alarms_tick(alarms, at_ms(2000));
    assert_int_equal(alarms->queued, 2);
    drain(alarms);
    alarms_tick(alarms, at_ms(2000));
    assert_int_equal(alarms->queued, 2);
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_SUPPRESSED);
    assert_int_equal(alarms_peek(alarms)->facts.suppressed, 2);
    alarms_pop(alarms, true);
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_CLEARED);
    assert_int_equal(alarms->dropped, 0);
}

static void test_queue_of_no_size(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = {.log_size = 100, .rate = 0, .queue = 0};
    alarms_set_limits(alarms, &limits);
    raise_number(alarms, 1, at_ms(0));
    assert_null(alarms_peek(alarms));
    assert_int_equal(alarms->log.count, 1);
    limits.queue = 1;
    alarms_set_limits(alarms, &limits);
    alarms_tick(alarms, at_ms(100));
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 1);
    assert_int_equal(alarms->dropped, 0);
}

static void test_limits_shrink_the_queue(void **state)
{
    struct alarms *alarms = *state;
    for (uint32_t i = 1; i <= 10; i++)
        raise_number(alarms, i, at_ms(0));
    uint64_t changes = alarms->changes;
    struct alarm_limits limits = paced;
    limits.queue = 4;
    alarms_set_limits(alarms, &limits);
    assert_true(alarms->changes > changes);
    assert_int_equal(alarms->queued, 4);
    assert_int_equal(alarms->dropped, 6);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 7);
    limits.queue = 0;
    alarms_set_limits(alarms, &limits);
    assert_null(alarms_peek(alarms));
    assert_int_equal(alarms->dropped, 10);
}

/* How many tokens there are after a change of the limits, some having been used before. */
static void test_limits_change_the_rate(void **state)
{
    (void)state;
    static const struct {
        uint32_t rate, period_ms, used, new_rate, new_period_ms, tokens;
    } cases[] = {
        {10, 60000, 0, 4, 60000, 4},  {10, 60000, 4, 4, 60000, 4},  {10, 60000, 8, 4, 60000, 2},
        {10, 60000, 10, 4, 60000, 0}, {10, 60000, 2, 20, 60000, 8}, {10, 60000, 7, 10, 1000, 3},
        {10, 60000, 7, 10, 60000, 3}, {0, 60000, 50, 5, 60000, 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct alarm_limits limits = paced;
        limits.rate = cases[i].rate;
        limits.period_ms = cases[i].period_ms;
        struct alarms alarms;
        alarms_open(&alarms, &limits, 0);
        use_up(&alarms, cases[i].used, at_ms(0));
        limits.rate = cases[i].new_rate;
        limits.period_ms = cases[i].new_period_ms;
        alarms_set_limits(&alarms, &limits);
        for (uint32_t n = 0; n < 30; n++)
            raise_number(&alarms, n, at_ms(0));
        assert_int_equal(alarms.queued, cases[i].tokens);
        assert_int_equal(alarms.left, 30 - cases[i].tokens);
        alarms_close(&alarms);
    }
}

/* Reloads of the same limits must not cost what has accrued. */
static void test_same_limits_keep_the_credit(void **state)
{
    struct alarms *alarms = *state;
    use_up(alarms, 10, at_ms(0));
    raise_number(alarms, 1, at_ms(0));
    for (uint64_t ms = 0; ms < 6000; ms += 500) {
        alarms_tick(alarms, at_ms(ms));
        alarms_set_limits(alarms, &paced);
    }
    assert_int_equal(alarms->queued, 0);
    alarms_tick(alarms, at_ms(6000));
    assert_int_equal(alarms->queued, 1);
}

static void test_no_limit_releases_what_waits(void **state)
{
    struct alarms *alarms = *state;
    use_up(alarms, 10, at_ms(0));
    raise_number(alarms, 1, at_ms(0));
    struct alarm_limits limits = paced;
    limits.rate = 0;
    alarms_set_limits(alarms, &limits);
    alarms_tick(alarms, at_ms(0));
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_RAISED);
    for (uint32_t i = 2; i < 100; i++)
        raise_in_cycle(alarms, i, at_ms(0));
    assert_int_equal(alarms->queued, 99);
    assert_int_equal(alarms->suppressed, 1);
}

#define ALARM_TEST(function) cmocka_unit_test_setup_teardown(function, open_paced, close_it)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALARM_TEST(test_pop),
        ALARM_TEST(test_gate),
        ALARM_TEST(test_storm),
        ALARM_TEST(test_storm_beyond_the_log),
        ALARM_TEST(test_summary),
        ALARM_TEST(test_tick_without_anything_held),
        ALARM_TEST(test_clear_of_a_raise_that_waits),
        ALARM_TEST(test_raise_overtakes_a_clear_that_waits),
        cmocka_unit_test(test_refill),
        ALARM_TEST(test_bucket_fills_no_further_than_its_rate),
        cmocka_unit_test(test_bucket_starts_full_at_any_time),
        ALARM_TEST(test_clock_steps),
        ALARM_TEST(test_full_queue),
        ALARM_TEST(test_overtaken_beside_a_full_queue),
        ALARM_TEST(test_queue_of_no_size),
        ALARM_TEST(test_limits_shrink_the_queue),
        cmocka_unit_test(test_limits_change_the_rate),
        ALARM_TEST(test_same_limits_keep_the_credit),
        ALARM_TEST(test_no_limit_releases_what_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
