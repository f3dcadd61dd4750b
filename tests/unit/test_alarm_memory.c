/* Whatever allocation fails while something happens to alarms: it has happened, whole, or nothing
 * has, and what comes then goes on from there. */
#include <stdio.h>
#include <string.h>

#include "alarms.h"
#include "scarce.h"

static const struct alarm_limits slow = {
    .log_size = 100, .rate = 2, .period_ms = 60000, .queue = 100};

/* What can be seen of alarms. */
struct print {
    uint32_t sequence, held, severity;
    size_t active, logged, queued, ready, keys, left;
    uint64_t changes, suppressed;
    int acknowledged;
};

static struct print print_of(const struct alarms *alarms)
{
    const struct alarm *alarm = alarm_find(alarms, "k");
    return (struct print){.sequence = alarms->sequence,
                          .held = alarms->held,
                          .severity = alarm ? alarm->facts.severity : 0,
                          .active = alarms->active.count,
                          .logged = alarms->log.count,
                          .queued = alarms->queued,
                          .ready = alarms->n_ready,
                          .keys = HASH_CNT(by_key, alarms->by_key),
                          .left = alarms->left,
                          .changes = alarms->changes,
                          .suppressed = alarms->suppressed,
                          .acknowledged = alarm ? (int)alarm->memory.acknowledged_at : 0};
}

static bool same(const struct print *a, const struct print *b)
{
    return a->sequence == b->sequence && a->held == b->held && a->severity == b->severity &&
           a->active == b->active && a->logged == b->logged && a->queued == b->queued &&
           a->ready == b->ready && a->keys == b->keys && a->left == b->left &&
           a->changes == b->changes && a->suppressed == b->suppressed &&
           a->acknowledged == b->acknowledged;
}

/* -- Before ---------------------------------------------------------------------------------- */

static void nothing(struct alarms *alarms)
{
    (void)alarms;
}

static void raised(struct alarms *alarms)
{
    assert_true(raise_key(alarms, "k", at_s(1)));
    alarms_tick(alarms, at_s(1));
}

static void acknowledged(struct alarms *alarms)
{
    raised(alarms);
    assert_true(alarm_acknowledge(alarms, "k", "Ann", at_s(2)));
}

/* More than the rate lets through. */
static void waiting(struct alarms *alarms)
{
    char key[] = "a";
    for (; key[0] < 'f'; key[0]++)
        assert_true(raise_key(alarms, key, at_s(1)));
    alarms_tick(alarms, at_s(1));
}

static struct alarm_verdict each_minute(void *context, const struct alarm_facts *facts,
                                        enum alarm_event event, struct moment now)
{
    (void)context, (void)facts, (void)event, (void)now;
    return (struct alarm_verdict){.hold = HOLD_NONE, .repeat_ms = 60000};
}

static void repeating(struct alarms *alarms)
{
    alarms->judge = each_minute;
    raised(alarms);
    alarms_tick(alarms, at_s(3));
}

/* -- What happens ---------------------------------------------------------------------------- */

static bool raises(struct alarms *alarms)
{
    return raise_key(alarms, "k", at_s(90));
}

static bool clears(struct alarms *alarms)
{
    return clear_key(alarms, "k", at_s(90));
}

static struct alarm_facts worse(void)
{
    struct alarm_facts facts = facts_of("k");
    facts.severity = SEVERITY_CRITICAL;
    return facts;
}

static bool changes(struct alarms *alarms)
{
    struct alarm_facts facts = worse();
    return alarm_change(alarms, &facts, at_s(90));
}

static bool flaps(struct alarms *alarms)
{
    struct alarm_facts facts = worse();
    return alarm_flapping(alarms, &facts, at_s(90));
}

static bool announces(struct alarms *alarms)
{
    struct alarm_facts facts = facts_of("k");
    return alarm_announce(alarms, &facts, at_s(90));
}

static bool acknowledges(struct alarms *alarms)
{
    return alarm_acknowledge(alarms, "k", "Bob", at_s(90));
}

static bool takes_back(struct alarms *alarms)
{
    return alarm_acknowledge(alarms, "k", "", at_s(90));
}

static bool restores_active(struct alarms *alarms)
{
    struct alarm_facts facts = facts_of("k");
    struct alarm_memory memory = {.told = SEVERITY_INFO};
    return alarms_restore_active(alarms, 7, &facts, &memory) == 0;
}

static bool restores_entry(struct alarms *alarms)
{
    struct alarm_entry entry = {.sequence = 9, .facts = facts_of("k")};
    return alarms_restore_entry(alarms, &entry) == 0;
}

static bool restores_queued(struct alarms *alarms)
{
    struct notification notification = {.index = 9, .facts = facts_of("k")};
    return alarms_restore_queued(alarms, &notification) == 0;
}

static bool restores_clear(struct alarms *alarms)
{
    struct notification notification = {.index = 9, .facts = facts_of("k")};
    notification.facts.event = ALARM_CLEARED;
    return alarms_restore_clear(alarms, &notification, SEVERITY_WARNING) == 0;
}

/* Without memory for a summary or a repetition there is none, this time. */
static bool ticks(struct alarms *alarms)
{
    size_t logged = alarms->log.count;
    alarms_tick(alarms, at_s(90));
    return alarms->log.count > logged;
}

static const struct {
    const char *name;
    void (*before)(struct alarms *alarms);
    bool (*happens)(struct alarms *alarms);
    bool partly; /* what needs no memory happens in any case */
} cases[] = {
    {"raise", nothing, raises, false},
    {"raise beside others", waiting, raises, false},
    {"clear", raised, clears, false},
    {"change", raised, changes, false},
    {"flapping", raised, flaps, false},
    {"announce", nothing, announces, false},
    {"acknowledge", raised, acknowledges, false},
    {"acknowledgement taken back", acknowledged, takes_back, false},
    {"restore an alarm", nothing, restores_active, false},
    {"restore an entry", nothing, restores_entry, false},
    {"restore a notification", nothing, restores_queued, false},
    {"restore a clear", nothing, restores_clear, false},
    {"summary", waiting, ticks, true},
    {"repetition", repeating, ticks, true},
};

static struct print print_after(size_t i, size_t nth, bool *done, bool *failed, bool *goes_on)
{
    static struct alarms alarms;
    alarms_open(&alarms, &slow, 1);
    cases[i].before(&alarms);
    struct print before = print_of(&alarms);
    scarce_fail(nth);
    *done = cases[i].happens(&alarms);
    *failed = scarce_stop();
    struct print after = print_of(&alarms);
    if (!*done && !cases[i].partly && !same(&before, &after))
        fail_msg("%s, allocation %zu fails: something has happened", cases[i].name, nth);
    *goes_on = *done || cases[i].happens(&alarms) || cases[i].partly;
    alarms_close(&alarms);
    return after;
}

static void all_or_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        bool done, failed, goes_on;
        struct print whole = print_after(i, 0, &done, &failed, &goes_on);
        assert_true(done);
        assert_true(scarce_count() > 0);
        for (size_t nth = 1, n = scarce_count(); nth <= n; nth++) {
            struct print after = print_after(i, nth, &done, &failed, &goes_on);
            assert_true(failed);
            if (!goes_on)
                fail_msg("%s, allocation %zu fails: it cannot happen any more", cases[i].name, nth);
            if (done && !cases[i].partly && !same(&after, &whole))
                fail_msg("%s, allocation %zu fails: only a part has happened", cases[i].name, nth);
        }
    }
}

/* What was raised but could not be told of is not lost: it is active, or it is as if nothing had
 * been raised, and the next raise tells of it. */
static void nothing_is_told_by_half(void **state)
{
    (void)state;
    static struct alarms alarms;
    for (size_t nth = 1, failed = 1; failed; nth++) {
        alarms_open(&alarms, &slow, 1);
        scarce_fail(nth);
        bool done = raise_key(&alarms, "k", at_s(1));
        failed = scarce_stop();
        assert_int_equal(done, alarm_find(&alarms, "k") != NULL);
        if (!done)
            assert_true(raise_key(&alarms, "k", at_s(2)));
        alarms_tick(&alarms, at_s(2));
        assert_non_null(alarms_peek(&alarms));
        assert_string_equal(alarms_peek(&alarms)->facts.key, "k");
        assert_true(clear_key(&alarms, "k", at_s(3)));
        alarms_tick(&alarms, at_s(3));
        assert_int_equal(alarms.queued, 2);
        alarms_close(&alarms);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_or_nothing),
        cmocka_unit_test(nothing_is_told_by_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
