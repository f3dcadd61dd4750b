/* What watches leave to the next life of the daemon, field by field. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "watch/restart.h"
#include "watch/saved.h"
#include "watched.h"

#define HIGH "sensor=load;operator=gt;limit=5"
#define LIMITS "sensor=load;operator=gt;limit=10;severity=info;warning-limit=20;critical-limit=30"

static struct saved_series saved_of(const char *threshold, const char *node, const char *sensor,
                                    const char *instance)
{
    struct saved_series saved = {.state = {.phase = PHASE_RAISED}};
    snprintf(saved.threshold, sizeof saved.threshold, "%s", threshold);
    snprintf(saved.node, sizeof saved.node, "%s", node);
    snprintf(saved.sensor, sizeof saved.sensor, "%s", sensor);
    snprintf(saved.instance, sizeof saved.instance, "%s", instance);
    return saved;
}

static void raise_alarm(struct watched *watched, const char *node, const char *threshold,
                        const char *instance, enum severity severity)
{
    struct alarm_facts facts = {.severity = severity};
    snprintf(facts.node, sizeof facts.node, "%s", node);
    snprintf(facts.threshold, sizeof facts.threshold, "%s", threshold);
    snprintf(facts.sensor, sizeof facts.sensor, "load");
    snprintf(facts.instance, sizeof facts.instance, "%s", instance);
    strcpy(facts.value, "9");
    alarm_key(facts.key, node, threshold, instance);
    assert_true(alarm_raise(&watched->alarms, &facts, watched->now));
    watched_happened(watched);
}

static void give_saved(struct watched *watched, const struct saved_series *saved, size_t n)
{
    struct state state = {.boot = 7};
    for (size_t i = 0; i < n; i++)
        assert_int_equal(state_add_series(&state, &saved[i]), 0);
    watches_restore(&watched->watches, &state);
    assert_int_equal(state.n_series, 0);
    assert_null(state.series);
    assert_int_equal(state.boot, 0);
}

/* -- Saving --------------------------------------------------------------------------------- */

static void what_is_worth_saving(void **state)
{
    static const struct {
        double values[4];
        size_t n;
        enum threshold_phase phase; /* 0: it is not saved */
        uint32_t samples;
        uint64_t breached;
    } rows[] = {
        {{0}, 0, 0, 0, 0},
        {{1}, 1, 0, 0, 0},
        {{9}, 1, PHASE_CLEAR, 1, 1},
        {{9, 1}, 2, PHASE_CLEAR, 2, 2},
        {{9, 1, 1, 1}, 4, 0, 0, 0},
        {{9, 9}, 2, PHASE_PENDING, 2, 3},
        {{9, 9, 9, 9}, 4, PHASE_RAISED, 3, 7},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        struct state saved = {.boot = 0};
        struct fake_series *load = watched_series(watched, NULL, "load", "a");
        watched_row(watched, ROW_THRESHOLD, "t", HIGH ";match=2;window=3;duration=2s");
        watched_sync(watched);
        for (size_t k = 0; k < rows[i].n; k++) {
            watched_value(watched, load, rows[i].values[k]);
            watched_wait(watched, NS_PER_S);
        }
        assert_int_equal(watches_save(&watched->watches, &saved, watched->now.mono_ns), 0);
        if (saved.n_series != (rows[i].phase != 0))
            fail_msg("row %zu", i);
        if (rows[i].phase) {
            assert_string_equal(saved.series->threshold, "t");
            assert_string_equal(saved.series->node, "");
            assert_string_equal(saved.series->sensor, "load");
            assert_string_equal(saved.series->instance, "a");
            assert_int_equal(saved.series->state.phase, rows[i].phase);
            assert_int_equal(saved.series->state.samples, rows[i].samples);
            assert_int_equal(saved.series->state.breached, rows[i].breached);
            assert_int_equal(saved.series->state.unsettled, rows[i].breached);
            assert_int_equal(saved.series->state.since_ns,
                             watched->now.mono_ns - load->watches->state.since_ns);
        }
        state_release(&saved);
        watched_free(watched);
    }
}

/* Of children with their names; what has not come back yet is saved again, as it was. */
static void all_that_is_known(void **state)
{
    struct watched *watched = *state;
    struct state saved = {.boot = 0};
    struct saved_series before[] = {saved_of("t", "n9", "load", "x"),
                                    saved_of("t", "n8", "load", "x"),
                                    saved_of("t", "n1", "load", "a")};
    before[0].state.since_ns = 77;
    before[1].taken = true;
    struct fake_series *load = watched_series(watched, "n1", "load", "a");
    give_saved(watched, before, 3);
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";children=*");
    watched_sync(watched);
    watched_value(watched, load, 9);
    assert_int_equal(watches_save(&watched->watches, &saved, watched->now.mono_ns), 0);
    assert_int_equal(saved.n_series, 2);
    assert_string_equal(saved.series[0].node, "n1");
    assert_int_equal(saved.series[0].state.phase, PHASE_RAISED);
    assert_string_equal(saved.series[1].node, "n9");
    assert_int_equal(saved.series[1].state.since_ns, 77);
    state_release(&saved);
}

/* -- Restoring ------------------------------------------------------------------------------ */

static void a_pending_duration_goes_on(void **state)
{
    struct watched *watched = *state;
    struct saved_series saved = saved_of("t", "", "load", "a");
    saved.state = (struct threshold_state){.phase = PHASE_PENDING,
                                           .samples = 3,
                                           .breached = 5,
                                           .unsettled = 7,
                                           .since_ns = 3 * NS_PER_S};
    give_saved(watched, &saved, 1);
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";duration=10s;match=3;window=5");
    watched_sync(watched);
    const struct watch *watch = load->watches;
    assert_int_equal(watch->state.phase, PHASE_PENDING);
    assert_int_equal(watch->state.samples, 3);
    assert_int_equal(watch->state.breached, 5);
    assert_int_equal(watch->state.unsettled, 7);
    assert_int_equal(watch->state.since_ns, watched->now.mono_ns - 3 * NS_PER_S);
    assert_int_equal(watch->since_ms, watched->now.wall_ms - 3000);
    assert_int_equal(watch->severity, SEVERITY_CLEAR);
    assert_true(watched->watches.saved.series->taken);
    watched_wait(watched, 7 * NS_PER_S - 1);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, 1);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw lap:t:a");
}

/* The alarm says what there is: with it the watch is raised, without it nothing is known. */
static void raised_with_and_without_alarm(void **state)
{
    static const struct {
        enum threshold_phase saved;
        bool alarm;
        enum threshold_phase phase;
        size_t transitions;
    } rows[] = {
        {PHASE_RAISED, true, PHASE_RAISED, 1},
        {PHASE_RAISED, false, PHASE_UNKNOWN, 0},
        {PHASE_PENDING, true, PHASE_RAISED, 1},
        {PHASE_CLEAR, false, PHASE_CLEAR, 0},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        struct saved_series saved = saved_of("t", "", "load", "a");
        saved.state.phase = rows[i].saved;
        saved.state.breached = 1;
        if (rows[i].alarm)
            raise_alarm(watched, "lap", "t", "a", SEVERITY_WARNING);
        give_saved(watched, &saved, 1);
        struct fake_series *load = watched_series(watched, NULL, "load", "a");
        watched_row(watched, ROW_THRESHOLD, "t", HIGH);
        watched_sync(watched);
        if (load->watches->state.phase != rows[i].phase)
            fail_msg("row %zu: %d", i, load->watches->state.phase);
        assert_int_equal(load->watches->severity,
                         rows[i].alarm ? SEVERITY_WARNING : SEVERITY_CLEAR);
        assert_int_equal(load->watches->state.breached, rows[i].phase != PHASE_UNKNOWN);
        assert_int_equal(watched->watches.transitions, rows[i].transitions);
        assert_int_equal(watched->watches.n_raised, rows[i].transitions);
        assert_int_equal(load->watches->rule->raised, rows[i].transitions);
        watched_value(watched, load, 1);
        assert_string_equal(watched_happened(watched), rows[i].alarm ? "C- lap:t:a" : "");
        watched_free(watched);
    }
}

/* Without anything in the file the alarm is not the watch's. */
static void not_in_the_file(void **state)
{
    struct watched *watched = *state;
    raise_alarm(watched, "lap", "t", "a", SEVERITY_WARNING);
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    assert_int_equal(load->watches->severity, SEVERITY_CLEAR);
    assert_int_equal(load->watches->state.phase, PHASE_UNKNOWN);
}

/* Which of several limits had been passed; or that there was no value. */
static void limits_that_had_been_passed(void **state)
{
    static const struct {
        enum severity alarm;
        enum threshold_phase phase;
        enum threshold_phase warning, critical;
        bool absent;
    } rows[] = {
        {SEVERITY_INFO, PHASE_RAISED, PHASE_UNKNOWN, PHASE_UNKNOWN, false},
        {SEVERITY_WARNING, PHASE_RAISED, PHASE_RAISED, PHASE_UNKNOWN, false},
        {SEVERITY_CRITICAL, PHASE_RAISED, PHASE_RAISED, PHASE_RAISED, false},
        {SEVERITY_INFO, PHASE_CLEAR, PHASE_UNKNOWN, PHASE_UNKNOWN, true},
        {SEVERITY_WARNING, PHASE_CLEAR, PHASE_RAISED, PHASE_UNKNOWN, false},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        struct saved_series saved = saved_of("t", "", "load", "a");
        saved.state.phase = rows[i].phase;
        raise_alarm(watched, "lap", "t", "a", rows[i].alarm);
        give_saved(watched, &saved, 1);
        struct fake_series *load = watched_series(watched, NULL, "load", "a");
        watched_row(watched, ROW_THRESHOLD, "t", LIMITS ";absence=10s");
        watched_sync(watched);
        const struct watch_special *special = load->watches->special;
        assert_int_equal(load->watches->severity, rows[i].alarm);
        assert_int_equal(load->watches->state.phase, rows[i].phase);
        assert_int_equal(special->upper[0].phase, rows[i].warning);
        assert_int_equal(special->upper[1].phase, rows[i].critical);
        if (special->absent != rows[i].absent)
            fail_msg("row %zu", i);
        watched_free(watched);
    }
}

/* The file may have another severity since. */
static void severity_of_now(void **state)
{
    struct watched *watched = *state;
    struct saved_series saved = saved_of("t", "", "load", "a");
    raise_alarm(watched, "lap", "t", "a", SEVERITY_INFO);
    give_saved(watched, &saved, 1);
    watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";severity=critical");
    watched_sync(watched);
    assert_string_equal(watched_happened(watched), "Hc lap:t:a");
}

/* -- The names under which it is saved ------------------------------------------------------ */

static void found_by_all_its_names(void **state)
{
    static const char *const words[] = {"a", "b"};
    struct state state_of = {.boot = 0};
    (void)state;
    /* All of them but one, in an order that is not the one to search in. */
    for (unsigned i = 15; i > 0; i--) {
        struct saved_series saved =
            saved_of(words[i & 1], words[i >> 1 & 1], words[i >> 2 & 1], words[i >> 3 & 1]);
        saved.state.samples = i;
        assert_int_equal(state_add_series(&state_of, &saved), 0);
    }
    saved_sort(&state_of);
    for (unsigned i = 0; i < 16; i++) {
        struct threshold_row *row = (struct threshold_row *)row_new(ROW_THRESHOLD, words[i & 1]);
        strcpy(row->children, "*");
        struct watch_rule *rule = rule_new(row);
        const struct series_view view = {
            .node = words[i >> 1 & 1], .sensor = words[i >> 2 & 1], .instance = words[i >> 3 & 1]};
        struct saved_series *found = saved_find(&state_of, rule, &view);
        assert_int_equal(found ? found->state.samples : 0, i);
        if (found) {
            found->taken = true;
            assert_null(saved_find(&state_of, rule, &view));
        }
        free(rule);
        row_free(&row->row);
    }
    state_release(&state_of);
}

static void rule_that_ends(void **state)
{
    struct watched *watched = *state;
    struct saved_series saved[] = {saved_of("t", "", "load", "a"), saved_of("u", "", "load", "a"),
                                   saved_of("t", "", "load", "b")};
    struct state later = {.boot = 0};
    give_saved(watched, saved, 3);
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    watched_remove(watched, ROW_THRESHOLD, "t");
    watched_sync(watched);
    assert_int_equal(watches_save(&watched->watches, &later, watched->now.mono_ns), 0);
    assert_int_equal(later.n_series, 1);
    assert_string_equal(later.series->threshold, "u");
    state_release(&later);
}

/* -- What does not come again --------------------------------------------------------------- */

static void alarms_without_series(void **state)
{
    static const struct {
        const char *fields; /* of the rule t; NULL: there is none */
        const char *node;   /* of the alarm */
        const char *coming; /* the sensor of which series may come */
        bool stays;
    } rows[] = {
        {NULL, "lap", "load", false},
        {HIGH, "lap", NULL, false},
        {HIGH, "lap", "load", true},
        {HIGH, "lap", "rx", false},
        {HIGH ";children=*", "n1", NULL, false},
        {HIGH ";children=*", "n1", "load", true},
        {HIGH ";children=n2", "n1", "load", false},
        {"sensor=rx;operator=gt;limit=5;children=*", "n1", "load", false},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        raise_alarm(watched, rows[i].node, "t", "a", SEVERITY_WARNING);
        struct saved_series saved =
            saved_of("t", strcmp(rows[i].node, "lap") == 0 ? "" : rows[i].node, "load", "a");
        give_saved(watched, &saved, 1);
        if (rows[i].fields)
            watched_row(watched, ROW_THRESHOLD, "t", rows[i].fields);
        watched_sync(watched);
        watched->coming = rows[i].coming;
        watched_wait(watched, NS_PER_S);
        assert_false(watched->watches.all_began);
        bool waits = watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now);
        if (waits != rows[i].stays)
            fail_msg("row %zu", i);
        assert_true(watched->watches.all_began);
        assert_int_equal(watched->watches.saved.n_series, rows[i].stays);
        char cleared[64];
        snprintf(cleared, sizeof cleared, "C- %s:t:a", rows[i].node);
        assert_string_equal(watched_happened(watched), rows[i].stays ? "" : cleared);
        if (!rows[i].stays) {
            assert_string_equal(watched_message(watched),
                                "t: cleared, its series was gone after a restart");
        } else if (strcmp(rows[i].node, "lap") == 0) {
            assert_null(watched->asked);
        } else {
            assert_string_equal(watched->asked, rows[i].node);
        }
        watched_free(watched);
    }
}

/* What is watched stays, and what is no alarm of a threshold. */
static void alarms_with_series(void **state)
{
    struct watched *watched = *state;
    struct saved_series saved[] = {saved_of("t", "", "load", "a"),
                                   saved_of("t", "", "load", "b\tc")};
    raise_alarm(watched, "lap", "t", "a", SEVERITY_WARNING);
    raise_alarm(watched, "lap", "t", "b\tc", SEVERITY_WARNING);
    raise_alarm(watched, "lap", "t", "gone", SEVERITY_WARNING);
    struct alarm_facts facts = {.kind = ALARM_OF_NODE, .severity = SEVERITY_CRITICAL};
    strcpy(facts.node, "n1");
    alarm_key(facts.key, "n1", "node-lost", "");
    assert_true(alarm_raise(&watched->alarms, &facts, watched->now));
    facts.kind = ALARM_OF_CONDITION;
    alarm_key(facts.key, "n1", "cond", "");
    assert_true(alarm_raise(&watched->alarms, &facts, watched->now));
    watched_happened(watched);
    give_saved(watched, saved, 2);
    watched_series(watched, NULL, "load", "a");
    watched_series(watched, NULL, "load", "b\tc");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    assert_false(watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now));
    assert_string_equal(watched_happened(watched), "C- lap:t:gone");
    assert_int_equal(watched->alarms.active.count, 4);
    assert_int_equal(watched->watches.saved.n_series, 0);
}

/* Others of its sensor may come; the alarm waits for none of them. */
static void watched_already(void **state)
{
    struct watched *watched = *state;
    struct saved_series saved = saved_of("t", "", "load", "a");
    raise_alarm(watched, "lap", "t", "a", SEVERITY_WARNING);
    give_saved(watched, &saved, 1);
    watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    watched->coming = "load";
    assert_false(watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now));
    assert_string_equal(watched_happened(watched), "");
}

/* A watch of that name without an alarm does not stand for the alarm. */
static void watched_and_not_raised(void **state)
{
    struct watched *watched = *state;
    watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    raise_alarm(watched, "lap", "t", "a", SEVERITY_WARNING);
    assert_false(watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now));
    assert_string_equal(watched_happened(watched), "C- lap:t:a");
    assert_string_equal(alarm_find(&watched->alarms, "lap:t:a") ? "there" : "", "");
}

/* Some that may come, some that may not: in their order. */
static void some_may_come(void **state)
{
    struct watched *watched = *state;
    struct saved_series saved[] = {
        saved_of("t", "n1", "load", "a"), saved_of("u", "n1", "load", "b"),
        saved_of("t", "n1", "load", "c"), saved_of("t", "n1", "load", "d")};
    saved[2].taken = true;
    give_saved(watched, saved, 4);
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";children=*");
    watched_sync(watched);
    watched->coming = "load";
    assert_true(watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now));
    assert_int_equal(watched->watches.saved.n_series, 2);
    assert_string_equal(watched->watches.saved.series[0].instance, "a");
    assert_string_equal(watched->watches.saved.series[1].instance, "d");
    assert_true(watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now));
    watched->watches.saved.series[1].taken = true; /* and one is enough */
    assert_true(watches_end_orphans(&watched->watches, &watched->producer, 1, watched->now));
    assert_int_equal(watched->watches.saved.n_series, 1);
    assert_false(watches_end_orphans(&watched->watches, &watched->producer, 0, watched->now));
    assert_int_equal(watched->watches.saved.n_series, 0);
}

static void play_all(void)
{
    struct watched *watched = watched_new();
    struct state later = {.boot = 0};
    const struct saved_series saved = saved_of("t", "", "load", "a");
    give_saved(watched, &saved, 1);
    give_saved(watched, &saved, 1);
    watched_free(watched);
    state_release(&later);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_worth_saving),
        watched_test(all_that_is_known),
        watched_test(a_pending_duration_goes_on),
        cmocka_unit_test(raised_with_and_without_alarm),
        watched_test(not_in_the_file),
        cmocka_unit_test(limits_that_had_been_passed),
        watched_test(severity_of_now),
        cmocka_unit_test(found_by_all_its_names),
        watched_test(rule_that_ends),
        cmocka_unit_test(alarms_without_series),
        watched_test(alarms_with_series),
        watched_test(watched_already),
        watched_test(watched_and_not_raised),
        watched_test(some_may_come),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
