#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alarms.h"

static void assert_facts(const struct alarm_facts *a, const struct alarm_facts *b)
{
    assert_string_equal(a->key, b->key);
    assert_string_equal(a->node, b->node);
    assert_string_equal(a->threshold, b->threshold);
    assert_string_equal(a->sensor, b->sensor);
    assert_string_equal(a->instance, b->instance);
    assert_string_equal(a->value, b->value);
    assert_string_equal(a->limit, b->limit);
    assert_int_equal(a->severity, b->severity);
    assert_int_equal(a->sequence, b->sequence);
    assert_int_equal(a->since_ms, b->since_ms);
    assert_int_equal(a->suppressed, b->suppressed);
    assert_string_equal(a->message, b->message);
}

static void test_open_is_empty(void **state)
{
    struct alarms *alarms = *state;
    assert_int_equal(alarms->sequence, 0);
    assert_int_equal(alarms->changes, 0);
    assert_null(alarms_peek(alarms));
    assert_null(alarm_find(alarms, "k"));
    assert_null(alarm_find(alarms, ""));
    assert_null(index_first(&alarms->active));
    assert_null(index_first(&alarms->log));
}

static void test_raise(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(5)));

    struct alarm_facts expected = facts_of("k");
    expected.sequence = 1;
    expected.since_ms = at_s(5).wall_ms;
    expected.suppressed = 0;

    const struct alarm *alarm = alarm_find(alarms, "k");
    assert_non_null(alarm);
    assert_int_equal(alarm->index, 1);
    assert_facts(&alarm->facts, &expected);
    uint32_t key = 1;
    assert_ptr_equal(index_find(&alarms->active, &key, 1), alarm);

    const struct alarm_entry *entry = entry_of(alarms, 1);
    assert_non_null(entry);
    assert_int_equal(entry->facts.event, ALARM_RAISED);
    assert_int_equal(entry->wall_ms, at_s(5).wall_ms);
    assert_true(entry->notified);
    assert_facts(&entry->facts, &expected);

    const struct notification *n = alarms_peek(alarms);
    assert_non_null(n);
    assert_int_equal(n->facts.event, ALARM_RAISED);
    assert_int_equal(n->index, 1);
    assert_facts(&n->facts, &expected);
    assert_int_equal(alarms->queued, 1);
    assert_true(alarms->changes > 0);
}

static void test_raise_twice_is_one(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(1)));
    uint64_t changes = alarms->changes;
    assert_false(raise_key(alarms, "k", at_s(2)));
    assert_int_equal(alarms->changes, changes);
    assert_int_equal(alarms->sequence, 1);
    assert_int_equal(alarms->log.count, 1);
    assert_int_equal(alarms->active.count, 1);
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarm_find(alarms, "k")->facts.since_ms, at_s(1).wall_ms);
}

static void test_clear(void **state)
{
    struct alarms *alarms = *state;
    raise_key(alarms, "k", at_s(1));
    uint64_t changes = alarms->changes;
    assert_true(clear_key(alarms, "k", at_s(9)));
    assert_true(alarms->changes > changes);
    assert_null(alarm_find(alarms, "k"));
    assert_int_equal(alarms->active.count, 0);

    struct alarm_facts expected = facts_of("k");
    strcpy(expected.value, "12");
    strcpy(expected.limit, "> 80");
    strcpy(expected.message, "CPU is calm");
    expected.severity = SEVERITY_CLEAR;
    expected.sequence = 2;
    expected.since_ms = at_s(1).wall_ms;
    expected.suppressed = 0;
    const struct alarm_entry *entry = entry_of(alarms, 2);
    assert_int_equal(entry->facts.event, ALARM_CLEARED);
    assert_int_equal(entry->wall_ms, at_s(9).wall_ms);
    assert_facts(&entry->facts, &expected);

    alarms_pop(alarms, true);
    assert_int_equal(alarms_peek(alarms)->facts.event, ALARM_CLEARED);
    assert_int_equal(alarms_peek(alarms)->index, 1);
    assert_facts(&alarms_peek(alarms)->facts, &expected);
}

static void test_clear_of_nothing(void **state)
{
    struct alarms *alarms = *state;
    assert_false(clear_key(alarms, "k", at_s(1)));
    raise_key(alarms, "k", at_s(1));
    uint64_t changes = alarms->changes;
    assert_false(clear_key(alarms, "K", at_s(2)));
    assert_false(clear_key(alarms, "", at_s(2)));
    assert_int_equal(alarms->changes, changes);
    assert_true(clear_key(alarms, "k", at_s(2)));
    assert_false(clear_key(alarms, "k", at_s(3)));
    assert_int_equal(alarms->sequence, 2);
}

/* The caller may hand in the very facts of the row that goes. */
static void test_clear_with_its_own_facts(void **state)
{
    struct alarms *alarms = *state;
    raise_key(alarms, "k", at_s(1));
    assert_true(alarm_clear(alarms, &alarm_find(alarms, "k")->facts, at_s(2)));
    assert_string_equal(entry_of(alarms, 2)->facts.value, "97.5");
}

static void test_raise_again_is_new(void **state)
{
    struct alarms *alarms = *state;
    raise_key(alarms, "k", at_s(1));
    clear_key(alarms, "k", at_s(2));
    assert_true(raise_key(alarms, "k", at_s(3)));
    assert_int_equal(alarm_find(alarms, "k")->index, 3);
    assert_int_equal(alarm_find(alarms, "k")->facts.since_ms, at_s(3).wall_ms);
}

static void test_many_active(void **state)
{
    struct alarms *alarms = *state;
    char key[ALARM_KEY_SIZE];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "n1:t:%d", i);
        assert_true(raise_key(alarms, key, at_s(1)));
    }
    assert_int_equal(alarms->active.count, 1000);
    for (int i = 0; i < 1000; i += 2) {
        snprintf(key, sizeof key, "n1:t:%d", i);
        assert_true(clear_key(alarms, key, at_s(2)));
    }
    uint32_t expected = 2;
    for (struct index_node *node = index_first(&alarms->active); node; node = index_next(node)) {
        assert_int_equal(((struct alarm *)node)->index, expected);
        expected += 2;
    }
    assert_int_equal(expected, 1002);
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "n1:t:%d", i);
        assert_int_equal(alarm_find(alarms, key) != NULL, i % 2);
    }
}

static void test_acknowledge(void **state)
{
    struct alarms *alarms = *state;
    assert_false(alarm_acknowledge(alarms, "k", "seen", at_s(1)));
    raise_key(alarms, "k", at_s(1));
    uint64_t changes = alarms->changes;
    assert_true(alarm_acknowledge(alarms, "k", "seen by Ann;\n on it", at_s(2)));
    assert_true(alarms->changes > changes);
    const struct alarm_entry *entry = entry_of(alarms, 2);
    assert_int_equal(entry->facts.event, ALARM_ACKNOWLEDGED);
    assert_false(entry->notified);
    assert_string_equal(entry->facts.message, "seen by Ann   on it");
    assert_string_equal(entry->facts.key, "k");
    assert_int_equal(entry->facts.severity, SEVERITY_WARNING);
    assert_int_equal(entry->facts.since_ms, at_s(1).wall_ms);
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms->suppressed, 0);
    assert_int_equal(alarms->held, 0);
    const struct alarm *alarm = alarm_find(alarms, "k");
    assert_int_equal(alarm->facts.sequence, 1);
    assert_string_equal(alarm->facts.message, "CPU is busy");
    char longest[2 * MESSAGE_SIZE];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_true(alarm_acknowledge(alarms, "k", longest, at_s(3)));
    assert_int_equal(strlen(entry_of(alarms, 3)->facts.message), MESSAGE_SIZE - 1);
}

static void test_facts_are_cleaned(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("k;1");
    strcpy(facts.node, "a\tb");
    strcpy(facts.threshold, "c|d");
    strcpy(facts.sensor, "e;f");
    strcpy(facts.instance, "g\x7fh \xc3\xa4 \xff\xc3");
    strcpy(facts.value, "1;2");
    strcpy(facts.limit, "> \n9");
    strcpy(facts.message, "one\r\ntwo;three|four \xc2\x80 \xe2\x82\xac \xe2\x82");
    assert_true(alarm_raise(alarms, &facts, at_s(1)));
    assert_null(alarm_find(alarms, "k;1"));
    const struct alarm_facts *clean = &alarm_find(alarms, "k_1")->facts;
    assert_string_equal(clean->node, "a_b");
    assert_string_equal(clean->threshold, "c_d");
    assert_string_equal(clean->sensor, "e_f");
    assert_string_equal(clean->instance, "g_h \xc3\xa4 __");
    assert_string_equal(clean->value, "1_2");
    assert_string_equal(clean->limit, "> _9");
    assert_string_equal(clean->message, "one  two three four    \xe2\x82\xac   ");
    assert_string_equal(entry_of(alarms, 1)->facts.message, clean->message);
    assert_string_equal(alarms_peek(alarms)->facts.message, clean->message);
    assert_true(alarm_clear(alarms, &facts, at_s(2)));
    assert_string_equal(entry_of(alarms, 2)->facts.value, "1_2");
}

static void test_unterminated_facts(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts;
    memset(&facts, 'x', sizeof facts);
    facts.severity = SEVERITY_INFO;
    assert_true(alarm_raise(alarms, &facts, at_s(1)));
    const struct alarm_facts *clean = &entry_of(alarms, 1)->facts;
    assert_int_equal(strlen(clean->key), ALARM_KEY_SIZE - 1);
    assert_int_equal(strlen(clean->node), NAME_SIZE - 1);
    assert_int_equal(strlen(clean->threshold), NAME_SIZE - 1);
    assert_int_equal(strlen(clean->sensor), NAME_SIZE - 1);
    assert_int_equal(strlen(clean->instance), INSTANCE_SIZE - 1);
    assert_int_equal(strlen(clean->value), DECIMAL_SIZE - 1);
    assert_int_equal(strlen(clean->limit), DECIMAL_SIZE + 3);
    assert_int_equal(strlen(clean->message), MESSAGE_SIZE - 1);
    assert_true(alarm_clear(alarms, &facts, at_s(2)));
}

/* What was never raised: logged and notified as cleared, and no alarm before or after. */
static void test_announce(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("n:node-lost:");
    facts.kind = ALARM_OF_NODE;
    assert_true(alarm_announce(alarms, &facts, at_s(1)));
    assert_int_equal(alarms->active.count, 0);
    assert_int_equal(alarms->log.count, 1);
    const struct notification *notification = alarms_peek(alarms);
    assert_int_equal(notification->facts.event, ALARM_CLEARED);
    assert_int_equal(notification->facts.kind, ALARM_OF_NODE);
    assert_int_equal(notification->facts.severity, SEVERITY_CLEAR);
    assert_int_equal(notification->facts.since_ms, at_s(1).wall_ms);
    assert_int_equal(notification->index, notification->facts.sequence);
    assert_int_equal(notification->facts.suppressed, 0);
    assert_true(alarm_raise(alarms, &facts, at_s(2)));
    assert_false(alarm_announce(alarms, &facts, at_s(3)));
    assert_int_equal(alarms->active.count, 1);
    assert_int_equal(alarms->log.count, 2);
    assert_true(alarm_clear(alarms, &facts, at_s(4)));
    assert_null(alarm_find(alarms, facts.key));
    assert_int_equal(
        ((struct alarm_entry *)index_find(&alarms->log, &alarms->sequence, 1))->facts.kind,
        ALARM_OF_NODE);
}

/* Of a thousand nodes that join at once receivers are told; the others are in the log, and counted.
 * An alarm is told whatever waits, and so is another role. */
static void test_announce_many(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("n:node-lost:");
    facts.kind = ALARM_OF_NODE;
    alarms->limits.rate = 1;
    for (int i = 0; i < 3 * ALARM_ANNOUNCEMENTS; i++) {
        snprintf(facts.key, sizeof facts.key, "n%d:node-lost:", i);
        assert_true(alarm_announce(alarms, &facts, at_s(1)));
    }
    assert_int_equal(alarms->n_ready, ALARM_ANNOUNCEMENTS);
    assert_int_equal(alarms->sequence, 3 * ALARM_ANNOUNCEMENTS);
    assert_int_equal(alarms->suppressed, 2 * ALARM_ANNOUNCEMENTS);
    facts = facts_of("a:b:c");
    assert_true(alarm_raise(alarms, &facts, at_s(1)));
    facts = facts_of("n:role:");
    facts.kind = ALARM_OF_ROLE;
    assert_true(alarm_announce(alarms, &facts, at_s(1)));
    assert_int_equal(alarms->n_ready, ALARM_ANNOUNCEMENTS + 2);
}

static struct alarm_verdict judge(void *context, const struct alarm_facts *facts,
                                  enum alarm_event event, struct moment now)
{
    (void)facts;
    (void)event;
    (void)now;
    return (struct alarm_verdict){.hold = *(enum alarm_hold *)context};
}

/* What waits for the rate limit is held by what begins meanwhile, and is told after it. */
static void test_held_while_it_waits(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = roomy;
    enum alarm_hold hold = HOLD_NONE;
    limits.rate = 1;
    alarms_set_limits(alarms, &limits);
    alarms->judge = judge;
    alarms->judge_context = &hold;
    for (const char *key = "a\0b\0c\0"; *key; key += 2)
        raise_key(alarms, key, at_s(1));
    alarms_tick(alarms, at_s(1));
    alarms_pop(alarms, true);
    assert_int_equal(alarms->left, 2);
    hold = HOLD_MAINTENANCE;
    for (uint64_t s = 2; s < 200; s++)
        alarms_tick(alarms, at_s(s));
    assert_int_equal(alarms->left + alarms->held, 0);
    assert_int_equal(alarms->queued, 0);
    assert_int_equal(entry_of(alarms, 2)->hold, HOLD_MAINTENANCE);
    assert_int_equal(alarm_find(alarms, "b")->hold, HOLD_MAINTENANCE);
    assert_true(alarms_due(alarms) <= at_s(200).mono_ns);
    hold = HOLD_NONE;
    alarms_tick(alarms, at_s(200));
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 2);
    assert_int_equal(alarm_find(alarms, "b")->hold, HOLD_NONE);
    assert_int_equal(alarm_find(alarms, "c")->hold, HOLD_RATE);
    assert_true(alarms_due(alarms) > at_s(200).mono_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALARM_TEST(test_open_is_empty),      ALARM_TEST(test_raise),
        ALARM_TEST(test_raise_twice_is_one), ALARM_TEST(test_clear),
        ALARM_TEST(test_clear_of_nothing),   ALARM_TEST(test_clear_with_its_own_facts),
        ALARM_TEST(test_raise_again_is_new), ALARM_TEST(test_many_active),
        ALARM_TEST(test_acknowledge),        ALARM_TEST(test_announce),
        ALARM_TEST(test_announce_many),      ALARM_TEST(test_held_while_it_waits),
        ALARM_TEST(test_facts_are_cleaned),  ALARM_TEST(test_unterminated_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
