/* What receivers are told of an alarm, and what the log and the table say of why they are not:
 * while something holds it, when it is over, when it is repeated; and what the parent is told. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "alarm/active.h"
#include "alarm/notice.h"

#include "alarms.h"
#include "heap.h"

/* What the rest of the daemon would say. */
static struct {
    enum alarm_hold hold;
    uint32_t repeat_ms;
    size_t asked;
} rest;

static struct alarm_verdict judge(void *context, const struct alarm_facts *facts,
                                  enum alarm_event event, struct moment now)
{
    (void)context, (void)facts, (void)event, (void)now;
    rest.asked++;
    return (struct alarm_verdict){.hold = rest.hold, .repeat_ms = rest.repeat_ms};
}

static int setup(void **state)
{
    alarms_setup(state);
    struct alarms *alarms = *state;
    rest.hold = HOLD_NONE;
    rest.repeat_ms = 0;
    rest.asked = 0;
    alarms->judge = judge;
    return 0;
}

#define NOTICE_TEST(function) cmocka_unit_test_setup_teardown(function, setup, alarms_teardown)

/* At that second; returns how many are in the queue then, which is emptied. */
static size_t told_at(struct alarms *alarms, uint64_t seconds)
{
    alarms_tick(alarms, at_s(seconds));
    size_t n = alarms->queued;
    while (alarms_peek(alarms))
        alarms_pop(alarms, true);
    return n;
}

static void change_to(struct alarms *alarms, enum severity severity, uint64_t seconds)
{
    struct alarm_facts facts = facts_of("k");
    facts.severity = severity;
    assert_true(alarm_change(alarms, &facts, at_s(seconds)));
}

static const struct alarm_entry *latest(const struct alarms *alarms)
{
    return entry_of(alarms, alarms->sequence);
}

static void limit_rate(struct alarms *alarms, uint32_t rate)
{
    struct alarm_limits limits = roomy;
    limits.rate = rate;
    alarms_set_limits(alarms, &limits);
}

/* -- Held ------------------------------------------------------------------------------------ */

static void what_is_held_is_told_when_nothing_holds_it(void **state)
{
    struct alarms *alarms = *state;
    rest.hold = HOLD_MAINTENANCE;
    assert_true(raise_key(alarms, "k", at_s(1)));
    const struct alarm *alarm = alarm_find(alarms, "k");
    assert_int_equal(alarm->hold, HOLD_MAINTENANCE);
    assert_int_equal(latest(alarms)->hold, HOLD_MAINTENANCE);
    assert_false(latest(alarms)->notified);
    assert_int_equal(told_at(alarms, 2), 0);
    assert_true(alarms_due(alarms) == at_s(3).mono_ns);
    rest.hold = HOLD_DEPENDENCY;
    assert_int_equal(told_at(alarms, 4), 0);
    assert_int_equal(alarm->hold, HOLD_DEPENDENCY);
    assert_int_equal(latest(alarms)->hold, HOLD_DEPENDENCY);
    assert_int_equal(alarm->memory.told, SEVERITY_CLEAR);
    rest.hold = HOLD_NONE;
    assert_int_equal(told_at(alarms, 6), 1);
    assert_int_equal(alarm->hold, HOLD_NONE);
    assert_int_equal(alarm->memory.told, SEVERITY_WARNING);
    assert_true(latest(alarms)->notified);
    assert_int_equal(latest(alarms)->hold, HOLD_NONE);
    assert_true(alarms_due(alarms) == UINT64_MAX);
    assert_int_equal(told_at(alarms, 8), 0);
}

/* The rest is asked once a second, of what waits, and not more often. */
static void it_is_judged_once_a_second(void **state)
{
    struct alarms *alarms = *state;
    rest.hold = HOLD_QUIET;
    assert_true(raise_key(alarms, "k", at_s(1)));
    told_at(alarms, 2);
    size_t asked = rest.asked;
    struct moment soon = at_s(2);
    soon.mono_ns += NS_PER_S - 1;
    alarms_tick(alarms, soon);
    assert_int_equal(rest.asked, asked);
    soon.mono_ns++;
    alarms_tick(alarms, soon);
    assert_int_equal(rest.asked, asked + 1);
}

/* After a change of what it says, it is asked of the active ones, too: at once, unless that was
 * less than a second ago. */
static void all_are_judged_again_after_a_change(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(told_at(alarms, 1), 1);
    assert_true(alarms_due(alarms) == UINT64_MAX);
    rest.repeat_ms = 60000;
    size_t asked = rest.asked;
    alarms_tick(alarms, at_s(8));
    assert_int_equal(rest.asked, asked);
    alarms_rejudge(alarms);
    assert_true(alarms_due(alarms) <= at_s(9).mono_ns);
    alarms_tick(alarms, at_s(9));
    assert_int_equal(rest.asked, asked + 1);
    assert_int_equal(alarm_find(alarms, "k")->repeat_ms, 60000);
    struct moment soon = at_s(9);
    soon.mono_ns += NS_PER_S - 1;
    rest.repeat_ms = 0;
    alarms_rejudge(alarms);
    alarms_tick(alarms, soon);
    assert_int_equal(rest.asked, asked + 1);
    assert_true(alarms_due(alarms) == at_s(10).mono_ns);
    alarms_tick(alarms, at_s(10));
    assert_int_equal(alarm_find(alarms, "k")->repeat_ms, 0);
    assert_true(alarms_due(alarms) == UINT64_MAX);
}

/* Thousands may wait for the rate limit: these are judged every few seconds, and in their turn. */
static void many_that_wait_are_judged_less_often(void **state)
{
    struct alarms *alarms = *state;
    limit_rate(alarms, 1);
    char key[16];
    for (int i = 0; i < 1000; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_true(raise_key(alarms, key, at_s(1)));
    }
    assert_int_equal(told_at(alarms, 10), 1);
    size_t asked = rest.asked;
    for (uint64_t s = 11; s < 14; s++)
        assert_int_equal(told_at(alarms, s), 0);
    assert_int_equal(rest.asked, asked);
    assert_int_equal(told_at(alarms, 14), 0);
    assert_int_equal(rest.asked, asked + 999);
}

/* A maintenance begins, and a part of a second later, before all are judged again, there is a
 * token. */
static void it_is_judged_in_its_turn(void **state)
{
    struct alarms *alarms = *state;
    limit_rate(alarms, 1);
    struct moment begin = at_s(10), turn = at_s(70);
    begin.mono_ns += NS_PER_S / 2;
    turn.mono_ns += NS_PER_S / 2;
    assert_true(raise_key(alarms, "first", begin));
    alarms_tick(alarms, begin);
    assert_int_equal(alarms->queued, 1);
    assert_true(raise_key(alarms, "second", at_s(60)));
    alarms_tick(alarms, at_s(70));
    assert_int_equal(alarms->queued, 1);
    rest.hold = HOLD_MAINTENANCE;
    alarms_tick(alarms, turn);
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarm_find(alarms, "second")->hold, HOLD_MAINTENANCE);
}

/* It went up and came back while it was held: receivers know already what it is. */
static void back_to_what_is_known_is_no_news(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(told_at(alarms, 1), 1);
    rest.hold = HOLD_MAINTENANCE;
    change_to(alarms, SEVERITY_CRITICAL, 2);
    uint32_t up = alarms->sequence;
    assert_int_equal(alarm_find(alarms, "k")->hold, HOLD_MAINTENANCE);
    change_to(alarms, SEVERITY_WARNING, 3);
    assert_int_equal(alarm_find(alarms, "k")->hold, HOLD_NONE);
    assert_int_equal(entry_of(alarms, up)->hold, HOLD_MAINTENANCE);
    assert_int_equal(latest(alarms)->hold, HOLD_MAINTENANCE);
    rest.hold = HOLD_NONE;
    assert_int_equal(told_at(alarms, 5), 0);
    assert_false(entry_of(alarms, up)->notified);
}

/* Nobody knew of it: its clear is not told, and the log says what kept it. */
static void the_clear_of_what_was_held_is_not_told(void **state)
{
    struct alarms *alarms = *state;
    rest.hold = HOLD_MAINTENANCE;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_true(clear_key(alarms, "k", at_s(2)));
    assert_int_equal(latest(alarms)->facts.event, ALARM_CLEARED);
    assert_int_equal(latest(alarms)->hold, HOLD_MAINTENANCE);
    rest.hold = HOLD_NONE;
    assert_int_equal(told_at(alarms, 4), 0);
    assert_null(notice_find(alarms, "k"));
}

/* What waits only for the rate is held, too, if something holds it meanwhile: of every severity. */
static void what_is_ready_can_be_held_again(void **state)
{
    struct alarms *alarms = *state;
    limit_rate(alarms, 1);
    for (int i = 0; i < 2; i++) { /* the first takes the token */
        struct alarm_facts facts = facts_of(i ? "worse" : "k");
        facts.severity = SEVERITY_CRITICAL;
        assert_true(alarm_raise(alarms, &facts, at_s(1)));
        alarms_tick(alarms, at_s(1));
    }
    assert_true(raise_key(alarms, "late", at_s(1)));
    alarms_tick(alarms, at_s(2));
    assert_int_equal(alarms->n_ready, 2);
    assert_int_equal(alarm_find(alarms, "worse")->hold, HOLD_RATE);
    rest.hold = HOLD_MAINTENANCE;
    alarms_tick(alarms, at_s(3));
    assert_int_equal(alarms->n_ready, 0);
    assert_int_equal(alarms->left, 0);
    assert_int_equal(alarm_find(alarms, "worse")->hold, HOLD_MAINTENANCE);
    assert_int_equal(alarm_find(alarms, "late")->hold, HOLD_MAINTENANCE);
    rest.hold = HOLD_NONE;
    alarms_tick(alarms, at_s(4));
    assert_int_equal(alarms->n_ready, 2);
    assert_int_equal(alarm_find(alarms, "worse")->hold, HOLD_RATE);
}

/* That an alarm comes and goes too often is told, whatever holds it. */
static void flapping_is_told_though_it_is_held(void **state)
{
    struct alarms *alarms = *state;
    rest.hold = HOLD_DAMPENED;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(told_at(alarms, 1), 0);
    struct alarm_facts facts = facts_of("k");
    strcpy(facts.message, "came and went 9 times");
    assert_true(alarm_flapping(alarms, &facts, at_s(2)));
    assert_int_equal(latest(alarms)->facts.event, ALARM_FLAPPING);
    assert_string_equal(alarm_find(alarms, "k")->facts.message, "came and went 9 times");
    assert_int_equal(told_at(alarms, 4), 1);
    assert_false(alarm_flapping(alarms, &(struct alarm_facts){.key = "other"}, at_s(5)));
}

/* A node that has joined while the rate is used up: it waits, is counted, and is told. */
static void joined_waits_for_the_rate(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("n2:node-lost:");
    limit_rate(alarms, 1);
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(told_at(alarms, 1), 1);
    assert_true(alarm_announce(alarms, &facts, at_s(2)));
    assert_int_equal(told_at(alarms, 2), 0);
    assert_int_equal(alarms->suppressed, 1);
    assert_int_equal(alarms->left, 1);
    assert_int_equal(told_at(alarms, 62), 1);
    assert_true(latest(alarms)->notified);
    assert_int_equal(alarms->left, 0);
}

/* -- Acknowledged ---------------------------------------------------------------------------- */

static void who_knows_is_not_told(void **state)
{
    struct alarms *alarms = *state;
    rest.hold = HOLD_MAINTENANCE;
    assert_true(raise_key(alarms, "k", at_s(1)));
    uint32_t raised = alarms->sequence;
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(2)));
    assert_int_equal(entry_of(alarms, raised)->hold, HOLD_ACKNOWLEDGED);
    assert_int_equal(alarm_find(alarms, "k")->hold, HOLD_ACKNOWLEDGED);
    assert_null(notice_find(alarms, "k"));
    rest.hold = HOLD_NONE;
    assert_int_equal(told_at(alarms, 4), 0);
    /* Taken back: they are told now. */
    assert_true(alarm_acknowledge(alarms, "k", "", at_s(5)));
    assert_string_equal(alarm_find(alarms, "k")->memory.acknowledged, "");
    assert_int_equal(alarm_find(alarms, "k")->memory.acknowledged_at, 0);
    assert_true(alarm_find(alarms, "k")->memory.acknowledged_ms == 0);
    assert_int_equal(told_at(alarms, 6), 1);
    /* Once more: they know. */
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(7)));
    assert_true(alarm_acknowledge(alarms, "k", "", at_s(8)));
    assert_int_equal(told_at(alarms, 9), 0);
}

/* A lower or an equal severity leaves an acknowledgement as it is, a higher one ends it. */
static void worse_ends_an_acknowledgement(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(told_at(alarms, 1), 1);
    const struct alarm *alarm = alarm_find(alarms, "k");
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(2)));
    change_to(alarms, SEVERITY_INFO, 3);
    assert_string_equal(alarm->memory.acknowledged, "Ann");
    assert_int_equal(alarm->hold, HOLD_ACKNOWLEDGED);
    change_to(alarms, SEVERITY_WARNING, 4);
    assert_int_equal(alarm->memory.acknowledged_at, SEVERITY_WARNING);
    assert_int_equal(told_at(alarms, 5), 0);
    change_to(alarms, SEVERITY_CRITICAL, 6);
    assert_string_equal(alarm->memory.acknowledged, "");
    assert_int_equal(alarm->memory.acknowledged_at, 0);
    assert_int_equal(told_at(alarms, 7), 1);
}

/* -- Repeated -------------------------------------------------------------------------------- */

static void repeated_until_it_is_over(void **state)
{
    struct alarms *alarms = *state;
    rest.repeat_ms = 60000;
    assert_true(raise_key(alarms, "k", at_s(10)));
    assert_int_equal(told_at(alarms, 10), 1);
    assert_int_equal(alarms->repeating, 1);
    assert_true(alarms_due(alarms) == at_s(11).mono_ns);
    assert_int_equal(told_at(alarms, 69), 0);
    assert_int_equal(told_at(alarms, 70), 1);
    assert_int_equal(latest(alarms)->facts.event, ALARM_REPEATED);
    assert_true(latest(alarms)->notified);
    assert_int_equal(told_at(alarms, 129), 0);
    assert_int_equal(told_at(alarms, 131), 1);
    rest.hold = HOLD_MAINTENANCE;
    assert_int_equal(told_at(alarms, 200), 0);
    rest.hold = HOLD_NONE;
    assert_int_equal(told_at(alarms, 202), 1);
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(203)));
    assert_int_equal(told_at(alarms, 300), 0);
    assert_true(clear_key(alarms, "k", at_s(301)));
    assert_int_equal(alarms->repeating, 0);
    assert_int_equal(told_at(alarms, 302), 1);
    assert_true(alarms_due(alarms) == UINT64_MAX);
}

/* Another rule for the same alarm: what is counted is right however often it changes. */
static void repetition_comes_and_goes(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(10)));
    assert_int_equal(told_at(alarms, 10), 1);
    assert_int_equal(alarms->repeating, 0);
    rest.repeat_ms = 60000;
    alarms_rejudge(alarms);
    assert_int_equal(told_at(alarms, 12), 0);
    assert_int_equal(alarms->repeating, 1);
    rest.repeat_ms = 90000;
    alarms_rejudge(alarms);
    assert_int_equal(told_at(alarms, 14), 0);
    assert_int_equal(alarms->repeating, 1);
    assert_int_equal(told_at(alarms, 99), 0);
    assert_int_equal(told_at(alarms, 100), 1);
    rest.repeat_ms = 0;
    alarms_rejudge(alarms);
    assert_int_equal(told_at(alarms, 102), 0);
    assert_int_equal(alarms->repeating, 0);
}

/* -- When there is something to do ----------------------------------------------------------- */

static void due_when_a_token_is_there(void **state)
{
    struct alarms *alarms = *state;
    limit_rate(alarms, 10); /* one in six seconds */
    assert_true(alarms_due(alarms) == UINT64_MAX);
    char key[] = "a";
    for (; key[0] < 'm'; key[0]++)
        assert_true(raise_key(alarms, key, at_s(60)));
    assert_int_equal(told_at(alarms, 60), 10);
    assert_true(alarms_due(alarms) == at_s(66).mono_ns);
    /* Two wait for one token: what goes out tells of both. */
    assert_int_equal(told_at(alarms, 65), 0);
    assert_int_equal(told_at(alarms, 66), 1);
    assert_int_equal(latest(alarms)->facts.event, ALARM_SUPPRESSED);
    /* They are over before they were told: only their number is left, for the next summary, which
     * comes a period after the last. */
    assert_true(clear_key(alarms, "k", at_s(67)));
    assert_true(clear_key(alarms, "l", at_s(67)));
    assert_int_equal(told_at(alarms, 67), 0);
    assert_int_equal(alarms->held, 2);
    assert_true(alarms_due(alarms) == at_s(126).mono_ns);
    assert_int_equal(told_at(alarms, 125), 0);
    assert_int_equal(told_at(alarms, 126), 1);
    assert_true(alarms_due(alarms) == UINT64_MAX);
}

/* -- Told besides ---------------------------------------------------------------------------- */

static size_t audited;
static enum alarm_event audited_event;
static void audit(void *context, const struct alarm_entry *entry)
{
    assert_ptr_equal(context, &audited);
    audited++;
    audited_event = entry->facts.event;
}

static void every_entry_is_audited(void **state)
{
    struct alarms *alarms = *state;
    audited = 0;
    alarms->audit = audit;
    alarms->audit_context = &audited;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(audited, 1);
    assert_int_equal(audited_event, ALARM_RAISED);
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(2)));
    assert_true(clear_key(alarms, "k", at_s(3)));
    assert_int_equal(audited, 3);
    assert_int_equal(audited_event, ALARM_CLEARED);
}

static void assert_text(const struct report_alarm *report, enum report_alarm_text which,
                        const char *expected)
{
    assert_int_equal(report->text[which].len, strlen(expected));
    assert_memory_equal(report->text[which].at, expected, strlen(expected));
}

static void the_parent_is_told_all_of_it(void **state)
{
    struct alarms *alarms = *state;
    struct report_alarm report;
    static struct feed feed;
    feed_open(&feed);
    alarms->feed = &feed;
    assert_true(raise_key(alarms, "k", at_s(1)));
    const struct alarm *alarm = alarm_find(alarms, "k");
    alarm->fed.describe(&alarm->fed, &report);
    assert_int_equal(report.index, alarm->index);
    assert_true(report.since_ms == at_s(1).wall_ms);
    assert_true(report.acknowledged_ms == 0);
    assert_text(&report, REPORT_ALARM_PATH, "");
    assert_text(&report, REPORT_ALARM_KEY, "k");
    assert_text(&report, REPORT_ALARM_NODE, "n1");
    assert_text(&report, REPORT_ALARM_THRESHOLD, "cpu-high");
    assert_text(&report, REPORT_ALARM_SENSOR, "cpu");
    assert_text(&report, REPORT_ALARM_INSTANCE, "total");
    assert_text(&report, REPORT_ALARM_VALUE, "97.5");
    assert_text(&report, REPORT_ALARM_LIMIT, "> 90");
    assert_text(&report, REPORT_ALARM_MESSAGE, "CPU is busy");
    assert_text(&report, REPORT_ALARM_ACKNOWLEDGED, "");
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(2)));
    alarm->fed.describe(&alarm->fed, &report);
    assert_true(report.acknowledged_ms == at_s(2).wall_ms);
    assert_text(&report, REPORT_ALARM_ACKNOWLEDGED, "Ann");
    assert_true(clear_key(alarms, "k", at_s(3)));
    assert_int_equal(feed.items.count, 0);
    alarms->feed = NULL;
    feed_close(&feed);
}

/* -- Restored -------------------------------------------------------------------------------- */

static void a_clear_that_waited_is_told_after_a_restart(void **state)
{
    struct alarms *alarms = *state;
    struct notification clear = {.index = 7, .facts = facts_of("k")};
    clear.facts.event = ALARM_CLEARED;
    clear.facts.severity = SEVERITY_CLEAR;
    clear.facts.sequence = 8;
    assert_int_equal(alarms_restore_clear(alarms, &clear, SEVERITY_CRITICAL), 0);
    assert_int_equal(alarms_restore_clear(alarms, &clear, SEVERITY_CRITICAL), EEXIST);
    assert_int_equal(notice_find(alarms, "k")->rank, SEVERITY_CRITICAL);
    alarms_tick(alarms, at_s(1));
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->index, 7);
    assert_int_equal(alarms_peek(alarms)->facts.sequence, 8);
}

/* A raise while its clear still waits: receivers believe that it is raised, and are told nothing if
 * it is what it was. */
static void what_receivers_believe_is_restored(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("k");
    struct alarm_memory memory = {.told = SEVERITY_INFO};
    assert_int_equal(alarms_restore_active(alarms, 7, &facts, &memory), 0);
    assert_int_equal(alarm_find(alarms, "k")->hold, HOLD_RATE);
    alarms_tick(alarms, at_s(1));
    assert_int_equal(alarms->queued, 1);
    assert_int_equal(alarms_peek(alarms)->facts.severity, SEVERITY_WARNING);
    assert_int_equal(alarm_find(alarms, "k")->memory.told, SEVERITY_WARNING);
    memory.acknowledged_at = SEVERITY_WARNING;
    strcpy(facts.key, "l");
    assert_int_equal(alarms_restore_active(alarms, 9, &facts, &memory), 0);
    assert_int_equal(alarm_find(alarms, "l")->hold, HOLD_ACKNOWLEDGED);
    assert_null(notice_find(alarms, "l"));
}

static void play_alarms(void)
{
    struct alarms alarms;
    alarms_open(&alarms, &roomy, 0);
    alarms.judge = judge;
    for (uint64_t i = 0; i < 4; i++) {
        const char *const keys[] = {"a", "b", "c", "d"};
        rest.hold = i % 2 ? HOLD_MAINTENANCE : HOLD_NONE;
        raise_key(&alarms, keys[i], at_s(i));
        alarms_tick(&alarms, at_s(i));
    }
    clear_key(&alarms, "a", at_s(5));
    clear_key(&alarms, "b", at_s(5)); /* nobody was told */
    alarms_tick(&alarms, at_s(6));
    alarms_pop(&alarms, true);
    alarms_close(&alarms);
}

/* Told, held, cleared, waiting: what alarms need is given back. */
static void it_gives_back_everything(void **state)
{
    (void)state;
    assert_keeps_nothing(play_alarms);
}

/* Up and down while it was held: receivers know already how it is, and nothing holds it. */
static void back_to_what_was_told(void **state)
{
    struct alarms *alarms = *state;
    assert_true(raise_key(alarms, "k", at_s(1)));
    assert_int_equal(told_at(alarms, 2), 1);
    const struct alarm *alarm = alarm_find(alarms, "k");
    rest.hold = HOLD_MAINTENANCE;
    change_to(alarms, SEVERITY_CRITICAL, 3);
    change_to(alarms, SEVERITY_WARNING, 4);
    told_at(alarms, 5);
    rest.hold = HOLD_NONE;
    assert_int_equal(told_at(alarms, 7), 0);
    assert_int_equal(alarm->hold, HOLD_NONE);
    assert_true(alarms_due(alarms) == UINT64_MAX);
}

/* A change to what it is, or of what is not active, is none. */
static void no_change(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_facts facts = facts_of("k");
    assert_false(alarm_change(alarms, &facts, at_s(1)));
    assert_true(raise_key(alarms, "k", at_s(2)));
    uint32_t sequence = alarms->sequence;
    facts.severity = SEVERITY_WARNING;
    assert_false(alarm_change(alarms, &facts, at_s(3)));
    assert_int_equal(alarms->sequence, sequence);
}

/* What could have gone at once goes before what changes it, in the order in which it was. */
static void each_of_a_cycle_is_told(void **state)
{
    struct alarms *alarms = *state;
    limit_rate(alarms, 10);
    assert_true(raise_key(alarms, "k", at_s(1)));
    change_to(alarms, SEVERITY_CRITICAL, 1);
    assert_true(clear_key(alarms, "k", at_s(1)));
    alarms_tick(alarms, at_s(1));
    static const enum alarm_event events[] = {ALARM_RAISED, ALARM_CHANGED, ALARM_CLEARED};
    assert_int_equal(alarms->queued, N_OF(events));
    for (size_t i = 0; i < N_OF(events); i++, alarms_pop(alarms, true))
        assert_int_equal(alarms_peek(alarms)->facts.event, events[i]);
}

/* A log that keeps nothing has no entry of the summary either. */
static void summary_without_a_log(void **state)
{
    struct alarms *alarms = *state;
    struct alarm_limits limits = roomy;
    limits.rate = 1;
    limits.log_size = 0;
    alarms_set_limits(alarms, &limits);
    static const char *const keys[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < N_OF(keys); i++)
        assert_true(raise_key(alarms, keys[i], at_s(1)));
    told_at(alarms, 1);
    bool summed = false;
    for (uint64_t s = 2; s < 200; s++) {
        alarms_tick(alarms, at_s(s));
        for (; alarms_peek(alarms); alarms_pop(alarms, true))
            summed |= alarms_peek(alarms)->facts.event == ALARM_SUPPRESSED;
    }
    assert_true(summed);
    assert_int_equal(alarms->log.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        NOTICE_TEST(what_is_held_is_told_when_nothing_holds_it),
        NOTICE_TEST(it_is_judged_once_a_second),
        NOTICE_TEST(all_are_judged_again_after_a_change),
        NOTICE_TEST(many_that_wait_are_judged_less_often),
        NOTICE_TEST(it_is_judged_in_its_turn),
        NOTICE_TEST(back_to_what_is_known_is_no_news),
        NOTICE_TEST(the_clear_of_what_was_held_is_not_told),
        NOTICE_TEST(what_is_ready_can_be_held_again),
        NOTICE_TEST(flapping_is_told_though_it_is_held),
        NOTICE_TEST(joined_waits_for_the_rate),
        NOTICE_TEST(who_knows_is_not_told),
        NOTICE_TEST(worse_ends_an_acknowledgement),
        NOTICE_TEST(repeated_until_it_is_over),
        NOTICE_TEST(repetition_comes_and_goes),
        NOTICE_TEST(due_when_a_token_is_there),
        NOTICE_TEST(every_entry_is_audited),
        NOTICE_TEST(the_parent_is_told_all_of_it),
        NOTICE_TEST(a_clear_that_waited_is_told_after_a_restart),
        NOTICE_TEST(what_receivers_believe_is_restored),
        NOTICE_TEST(it_gives_back_everything),
        NOTICE_TEST(back_to_what_was_told),
        NOTICE_TEST(no_change),
        NOTICE_TEST(each_of_a_cycle_is_told),
        NOTICE_TEST(summary_without_a_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
