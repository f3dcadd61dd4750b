#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alarm/alarm.h"

#include "unit.h"

static const struct alarm_limits some = {
    .log_size = 100, .rate = 10, .period_ms = 60000, .queue = 100};
static const struct moment now = {.mono_ns = 1, .wall_ms = INT64_C(1700000000000)};

static int open_some(void **state)
{
    static struct alarms alarms;
    alarms_open(&alarms, &some, now.mono_ns);
    *state = &alarms;
    return 0;
}

static int close_it(void **state)
{
    alarms_close(*state);
    return 0;
}

static struct alarm_facts facts_of(const char *key)
{
    struct alarm_facts facts = {
        .instance = "total", .severity = SEVERITY_WARNING, .sequence = 4711};
    snprintf(facts.key, sizeof facts.key, "%s", key);
    return facts;
}

static bool raise_key(struct alarms *alarms, const char *key)
{
    struct alarm_facts facts = facts_of(key);
    return alarm_raise(alarms, &facts, now);
}

static const struct alarm_entry *entry_of(const struct alarms *alarms, uint32_t sequence)
{
    return (const struct alarm_entry *)index_find(&alarms->log, &sequence, 1);
}

static void test_restore_active(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("k");
    facts.since_ms = 17;
    assert_int_equal(alarms_restore_active(alarms, 40, &facts, NULL), 0);
    assert_int_equal(alarms_restore_active(alarms, 41, &facts, NULL), EEXIST);
    strcpy(facts.key, "other");
    assert_int_equal(alarms_restore_active(alarms, 40, &facts, NULL), EEXIST);
    assert_int_equal(alarms_restore_active(alarms, 41, &facts, NULL), 0);
    assert_int_equal(alarms->active.count, 2);
    assert_int_equal(alarms->changes, 0);
    assert_int_equal(alarms->log.count, 0);
    assert_int_equal(alarms->queued, 0);

    const struct alarm *alarm = alarm_find(alarms, "k");
    assert_int_equal(alarm->index, 40);
    assert_int_equal(alarm->facts.sequence, 40);
    assert_int_equal(alarm->facts.since_ms, 17);
    assert_false(raise_key(alarms, "k"));
    alarms->sequence = 60;
    assert_true(alarm_clear(alarms, &alarm->facts, now));
    assert_int_equal(entry_of(alarms, 61)->facts.since_ms, 17);
}

static int restore_entry(struct alarms *alarms, uint32_t sequence)
{
    struct alarm_entry entry = {
        .sequence = sequence, .wall_ms = 99, .notified = true, .facts = facts_of("k")};
    entry.facts.event = ALARM_CLEARED;
    entry.facts.instance[0] = '\n';
    return alarms_restore_entry(alarms, &entry);
}

/* An acknowledgement keeps from receivers what they do not know: the table says so. */
static void test_restore_acknowledged(void **state)
{
    struct alarms *alarms = *state;
    const struct alarm_facts facts = facts_of("k");
    const struct alarm_memory memory = {
        .told = SEVERITY_CLEAR, .acknowledged_at = facts.severity, .acknowledged = "Ann"};
    assert_int_equal(alarms_restore_active(alarms, 3, &facts, &memory), 0);
    assert_int_equal(alarm_find(alarms, facts.key)->hold, HOLD_ACKNOWLEDGED);
    alarms_tick(alarms, (struct moment){.mono_ns = 1});
    assert_int_equal(alarms->queued, 0);
}

static void test_restore_entry(void **state)
{
    struct alarms *alarms = *state;
    assert_int_equal(restore_entry(alarms, 7), 0);
    assert_int_equal(restore_entry(alarms, 7), EEXIST);
    assert_int_equal(alarms->log.count, 1);
    assert_int_equal(alarms->sequence, 7);
    const struct alarm_entry *entry = entry_of(alarms, 7);
    assert_int_equal(entry->facts.event, ALARM_CLEARED);
    assert_int_equal(entry->wall_ms, 99);
    assert_true(entry->notified);
    assert_int_equal(entry->facts.sequence, 7);
    assert_string_equal(entry->facts.instance, "_otal");
    assert_int_equal(alarms->changes, 0);
    assert_int_equal(restore_entry(alarms, 5), 0);
    assert_int_equal(alarms->sequence, 7);
    assert_true(raise_key(alarms, "k"));
    assert_int_equal(alarms->sequence, 8);
}

static void test_restore_entry_knows_the_wrap(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = some;
    limits.log_size = 3;
    alarms_set_limits(alarms, &limits);
    /* In the order of the keys, as the log is walked. */
    assert_int_equal(restore_entry(alarms, 1), 0);
    assert_int_equal(restore_entry(alarms, 2), 0);
    assert_int_equal(restore_entry(alarms, UINT32_MAX), 0);
    assert_int_equal(alarms->sequence, 2);
    raise_key(alarms, "k");
    assert_int_equal(alarms->sequence, 3);
    assert_null(entry_of(alarms, UINT32_MAX));
    assert_non_null(entry_of(alarms, 1));
}

static void test_restore_more_than_the_log_holds(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = some;
    limits.log_size = 3;
    alarms_set_limits(alarms, &limits);
    for (uint32_t i = 10; i < 20; i++)
        assert_int_equal(restore_entry(alarms, i), 0);
    assert_int_equal(alarms->log.count, 3);
    assert_non_null(entry_of(alarms, 17));
    assert_int_equal(restore_entry(alarms, 4), 0);
    assert_int_equal(alarms->log.count, 3);
    assert_null(entry_of(alarms, 4));
}

static int restore_queued(struct alarms *alarms, uint32_t sequence)
{
    struct notification n = {.index = 2, .facts = facts_of("k")};
    n.facts.event = ALARM_CLEARED;
    n.next = &n; /* what it was linked to must not matter */
    n.facts.sequence = sequence;
    n.facts.suppressed = 6;
    strcpy(n.facts.message, "a;b");
    return alarms_restore_queued(alarms, &n);
}

static void test_restore_queued(void **state)
{
    struct alarms *alarms = *state;
    assert_int_equal(restore_queued(alarms, 4), 0);
    assert_int_equal(restore_queued(alarms, 5), 0);
    assert_int_equal(restore_queued(alarms, 4), EEXIST);
    assert_int_equal(restore_queued(alarms, 5), EEXIST);
    assert_int_equal(alarms->queued, 2);
    assert_int_equal(alarms->changes, 0);
    assert_int_equal(alarms->log.count, 0);
    alarms->sequence = 8;
    char key[] = "a";
    for (int i = 0; i < 11; i++, key[0]++) /* what was queued before cost no token */
        assert_true(raise_key(alarms, key));
    alarms_tick(alarms, (struct moment){.mono_ns = 1});
    assert_int_equal(alarms->queued, 12);
    const struct notification *n = alarms_peek(alarms);
    assert_int_equal(n->facts.event, ALARM_CLEARED);
    assert_int_equal(n->index, 2);
    assert_int_equal(n->facts.sequence, 4);
    assert_int_equal(n->facts.suppressed, 6);
    assert_string_equal(n->facts.message, "a b");
    alarms_pop(alarms, true);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 5);
    alarms_pop(alarms, true);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 9);
}

static void test_restore_more_than_the_queue_holds(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = some;
    limits.queue = 3;
    alarms_set_limits(alarms, &limits);
    for (uint32_t i = 1; i <= 10; i++)
        assert_int_equal(restore_queued(alarms, i), 0);
    assert_int_equal(alarms->queued, 3);
    assert_int_equal(alarms->dropped, 7);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 8);
}

#define ALARM_TEST(function) cmocka_unit_test_setup_teardown(function, open_some, close_it)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALARM_TEST(test_restore_active),
        ALARM_TEST(test_restore_acknowledged),
        ALARM_TEST(test_restore_entry),
        ALARM_TEST(test_restore_entry_knows_the_wrap),
        ALARM_TEST(test_restore_more_than_the_log_holds),
        ALARM_TEST(test_restore_queued),
        ALARM_TEST(test_restore_more_than_the_queue_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
