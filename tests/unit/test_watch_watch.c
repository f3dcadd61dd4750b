/* One rule on one series: what each value and each moment makes of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "watched.h"

#define HIGH "sensor=load;operator=gt;limit=5"

static const struct watch *watch_on(const struct fake_series *series)
{
    assert_non_null(series->watches);
    return series->watches;
}

/* -- Plain rules ---------------------------------------------------------------------------- */

static void phases_of_a_plain_rule(void **state)
{
    static const struct {
        uint64_t wait_ns;
        double value;
        enum threshold_phase phase;
        const char *happened;
    } steps[] = {
        {0, 5, PHASE_CLEAR, ""},
        {NS_PER_S, 5.1, PHASE_PENDING, ""},
        {2 * NS_PER_S - 1, 6, PHASE_PENDING, ""},
        {1, 6, PHASE_RAISED, "Rw lap:high:total"},
        {1, 4, PHASE_RAISED, ""}, /* between the two limits */
        {1, 3.1, PHASE_RAISED, ""},
        {NS_PER_S, 3, PHASE_CLEAR, "C- lap:high:total"},
        {1, 6, PHASE_PENDING, ""},
        {1, 5, PHASE_CLEAR, ""},
    };
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "high", HIGH ";clear=3;duration=2s");
    watched_sync(watched);
    assert_int_equal(watch_phase(watch_on(load)), PHASE_UNKNOWN);
    assert_int_equal(watch_on(load)->since_ms, watched->now.wall_ms);
    uint64_t changes = watched->watches.changes, transitions = watched->watches.transitions;
    for (size_t i = 0; i < N_OF(steps); i++) {
        enum threshold_phase before = watch_phase(watch_on(load));
        int64_t since_ms = watch_on(load)->since_ms;
        watched_wait(watched, steps[i].wait_ns);
        watched_value(watched, load, steps[i].value);
        if (watch_phase(watch_on(load)) != steps[i].phase)
            fail_msg("step %zu: phase %d", i, watch_phase(watch_on(load)));
        assert_string_equal(watched_happened(watched), steps[i].happened);
        assert_int_equal(watch_on(load)->since_ms,
                         before == steps[i].phase ? since_ms : watched->now.wall_ms);
        changes += steps[i].happened[0] != '\0';
        transitions += steps[i].happened[0] != '\0';
        assert_int_equal(watched->watches.changes, changes);
        assert_int_equal(watched->watches.transitions, transitions);
    }
}

/* x of y: both edges of both numbers. */
static void match_of_window(void **state)
{
    static const struct {
        double value;
        const char *happened;
    } steps[] = {{9, ""},
                 {9, ""},
                 {1, ""},
                 {1, ""},
                 {9, ""},
                 {9, ""},
                 {9, "Rw lap:some:total"},
                 {1, ""},
                 {1, "C- lap:some:total"},
                 {9, ""},
                 {9, ""},
                 {9, "Rw lap:some:total"}};
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "some", HIGH ";match=3;window=4");
    watched_sync(watched);
    for (size_t i = 0; i < N_OF(steps); i++) {
        watched_wait(watched, NS_PER_S);
        watched_value(watched, load, steps[i].value);
        const char *happened = watched_happened(watched);
        if (strcmp(happened, steps[i].happened) != 0)
            fail_msg("step %zu: %s", i, happened);
    }
}

/* -- Several limits ------------------------------------------------------------------------- */

static void limits_of_three_severities(void **state)
{
    static const struct {
        double value;
        const char *happened, *message;
    } steps[] = {
        {10, "", NULL},
        {11, "Ri lap:l:total", "l: load on total is 11 (limit > 10)"},
        {20, "", NULL},
        {31, "Hc lap:l:total", "l: load on total is 31 (limit > 30)"},
        {28, "", NULL}, /* above the clear limit */
        {25, "Hw lap:l:total", "l: load on total is 25 (limit > 20)"},
        {15, "Hi lap:l:total", "l: load on total is 15 (limit > 10)"},
        {5, "C- lap:l:total", "l: load on total is back at 5 (limit > 10)"},
        {21, "Rw lap:l:total", "l: load on total is 21 (limit > 20)"},
    };
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "l",
                "sensor=load;operator=gt;limit=10;clear=8;severity=info;warning-limit=20;warning-"
                "clear=18;critical-limit=30;critical-clear=27");
    watched_sync(watched);
    for (size_t i = 0; i < N_OF(steps); i++) {
        watched_wait(watched, NS_PER_S);
        watched_value(watched, load, steps[i].value);
        const char *happened = watched_happened(watched);
        if (strcmp(happened, steps[i].happened) != 0)
            fail_msg("step %zu: %s", i, happened);
        if (steps[i].message)
            assert_string_equal(watched_message(watched), steps[i].message);
    }
}

/* -- Absence -------------------------------------------------------------------------------- */

static void absence_to_the_nanosecond(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    assert_int_equal(watches_due(&watched->watches), UINT64_MAX);
    watched_row(watched, ROW_THRESHOLD, "a", HIGH ";absence=10s");
    watched_sync(watched);
    watches_tick(&watched->watches, watched->now);
    assert_int_equal(watches_due(&watched->watches), watched->now.mono_ns + NS_PER_S);
    watched_wait(watched, 3 * NS_PER_S);
    watched_value(watched, load, 1);
    watched_wait(watched, 10 * NS_PER_S - 1);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, NS_PER_S - 1); /* it is not looked at again so soon */
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, 1);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "Rw lap:a:total");
    assert_string_equal(watched_message(watched), "a: load on total: no value for 10s");
    assert_string_equal(alarm_find(&watched->alarms, "lap:a:total")->facts.value, "");
    assert_string_equal(alarm_find(&watched->alarms, "lap:a:total")->facts.limit, "> 5");
    assert_true(watch_on(load)->special->absent);
    assert_int_equal(watch_phase(watch_on(load)), PHASE_RAISED);
    watched_wait(watched, 20 * NS_PER_S);
    watches_tick(&watched->watches, watched->now); /* and not again */
    assert_string_equal(watched_happened(watched), "");
    watched_value(watched, load, 2);
    assert_string_equal(watched_happened(watched), "C- lap:a:total");
    assert_false(watch_on(load)->special->absent);
    watched_wait(watched, 9 * NS_PER_S);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, NS_PER_S);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "Rw lap:a:total");
    watched_value(watched, load, 9); /* it is back, and too high: the same severity */
    assert_string_equal(watched_happened(watched), "");
    watched_remove(watched, ROW_THRESHOLD, "a");
    watched_sync(watched);
    assert_string_equal(watched_happened(watched), "C- lap:a:total");
    assert_int_equal(watches_due(&watched->watches), UINT64_MAX);
}

/* A series that never had a value is absent since the watch began. */
static void absent_from_the_beginning(void **state)
{
    struct watched *watched = *state;
    watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "a", HIGH ";absence=10s");
    watched_sync(watched);
    watched_wait(watched, 10 * NS_PER_S - 1);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, NS_PER_S);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "Rw lap:a:total");
}

/* -- Hold-off ------------------------------------------------------------------------------- */

static void hold_off_to_the_nanosecond(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "h", HIGH ";hold-off=10s;absence=4s");
    watched_sync(watched);
    watched_value(watched, load, 9);
    watched_wait(watched, 5 * NS_PER_S);
    watches_tick(&watched->watches, watched->now); /* no value for 5 s, but held off */
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, 5 * NS_PER_S - 1);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, 1);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw lap:h:total");
    watched_wait(watched, NS_PER_S);
    watched_value(watched, load, 1);
    assert_string_equal(watched_happened(watched), "C- lap:h:total");
    watched_wait(watched, 10 * NS_PER_S - 1); /* a clear begins the time again */
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, 1);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw lap:h:total");
    /* What is raised is not held: a change of its limits would be told at once. */
    watched_wait(watched, 1);
    watched_value(watched, load, 1);
    assert_string_equal(watched_happened(watched), "C- lap:h:total");
    watched_wait(watched, 10 * NS_PER_S);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "Rw lap:h:total");
}

/* A duration goes on while alarms are held off. */
static void duration_within_hold_off(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "h", HIGH ";hold-off=10s;duration=12s");
    watched_sync(watched);
    for (int second = 0; second <= 12; second++) {
        assert_string_equal(watched_happened(watched), "");
        watched_value(watched, load, 9);
        watched_wait(watched, NS_PER_S);
    }
    assert_string_equal(watched_happened(watched), "Rw lap:h:total");
}

/* -- Rules that disable each other ---------------------------------------------------------- */

static void disabled_by_the_same_instance(void **state)
{
    struct watched *watched = *state;
    struct fake_series *a = watched_series(watched, NULL, "load", "a");
    struct fake_series *b = watched_series(watched, NULL, "load", "b");
    watched_row(watched, ROW_THRESHOLD, "high", "sensor=load;operator=gt;limit=50");
    watched_row(watched, ROW_THRESHOLD, "low", HIGH ";disabled-by=high;absence=5s");
    watched_sync(watched);
    watched_value(watched, a, 9);
    assert_string_equal(watched_happened(watched), "Rw lap:low:a");
    watched_wait(watched, NS_PER_S);
    watched_value(watched, a, 60);
    assert_string_equal(watched_happened(watched), "Rw lap:high:a, C- lap:low:a");
    assert_string_equal(watched_message(watched), "low: load on a: cleared, disabled by high");
    watched_value(watched, b, 9); /* of the other instance it is not */
    assert_string_equal(watched_happened(watched), "Rw lap:low:b");
    watched_wait(watched, 6 * NS_PER_S);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "");
    watched_value(watched, a, 9);
    assert_string_equal(watched_happened(watched), "C- lap:high:a, Rw lap:low:a");
    watched_remove(watched, ROW_THRESHOLD, "high");
    watched_sync(watched);
    watched_value(watched, a, 1);
    assert_string_equal(watched_happened(watched), "C- lap:low:a");
}

/* Where the other rule has no such instance, any of its alarms of that node counts. */
static void disabled_by_another_instance(void **state)
{
    struct watched *watched = *state;
    struct fake_series *link = watched_series(watched, "n1", "link", "eth0");
    struct fake_series *other = watched_series(watched, "n2", "link", "eth0");
    struct fake_series *load = watched_series(watched, "n1", "load", "total");
    watched_row(watched, ROW_THRESHOLD, "down", "sensor=link;operator=lt;limit=1;children=*");
    watched_row(watched, ROW_THRESHOLD, "high", HIGH ";children=*;disabled-by=down");
    watched_sync(watched);
    watched_value(watched, other, 0);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw n2:down:eth0, Rw n1:high:total");
    assert_string_equal(watched_message(watched), "high: load on total of n1 is 9 (limit > 5)");
    watched_value(watched, link, 0);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw n1:down:eth0, C- n1:high:total");
    watched_value(watched, link, 1);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "C- n1:down:eth0, Rw n1:high:total");
}

/* -- What is watched ------------------------------------------------------------------------ */

static void series_come_and_go(void **state)
{
    struct watched *watched = *state;
    watched_row(watched, ROW_THRESHOLD, "high", HIGH ";instances=a b");
    watched_row(watched, ROW_THRESHOLD, "child", HIGH ";groups=default");
    watched_sync(watched);
    struct fake_series *a = watched_series(watched, NULL, "load", "a");
    struct fake_series *b = watched_series(watched, NULL, "load", "b");
    struct fake_series *c = watched_series(watched, NULL, "load", "c");
    struct fake_series *other = watched_series(watched, NULL, "rx", "a");
    struct fake_series *child = watched_series(watched, "n1", "load", "a");
    a->result = b->result = (struct result){RESULT_VALID, 9};
    a->is_current = true;
    for (size_t i = 0; i < watched->n; i++)
        watched_begin(watched, &watched->series[i]);
    assert_null(c->watches);
    assert_null(other->watches);
    /* The value of a is a sample; that of b is not, the next one will be. */
    assert_string_equal(watched_happened(watched), "Rw lap:high:a");
    assert_int_equal(watch_phase(watch_on(b)), PHASE_UNKNOWN);
    watched_value(watched, child, 9);
    assert_string_equal(watched_happened(watched), "Rw n1:child:a");
    const struct series_observer observer = watches_observer(&watched->watches);
    assert_true(observer.holds(observer.context, watched_ref(a)));
    assert_false(observer.holds(observer.context, watched_ref(b)));
    assert_false(observer.holds(observer.context, watched_ref(c)));
    uint64_t changes = watched->watches.changes;
    watched_end(watched, a);
    assert_string_equal(watched_happened(watched), "C- lap:high:a");
    assert_string_equal(watched_message(watched), "high: load on a: cleared, it is gone");
    assert_null(a->watches);
    assert_int_equal(watched->watches.changes, changes + 2);
    assert_int_equal(watched->watches.watches.count, 2);
    watched_end(watched, b);
    assert_string_equal(watched_happened(watched), "");
    assert_int_equal(watched->watches.changes, changes + 3);
    assert_int_equal(watched->watches.watches.count, 1);
}

/* What a watch costs is charged to its series, and given back, to the octet. */
static void what_it_costs(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "total");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    const struct watch *watch = watch_on(load);
    const ptrdiff_t plain = (ptrdiff_t)(sizeof *watch + watch->node.key_len * sizeof(uint32_t));
    assert_int_equal(load->charged, plain);
    watched_value(watched, load, 9);
    assert_int_equal(load->charged, plain + (ptrdiff_t)sizeof(struct alarm));
    watched_value(watched, load, 1);
    assert_int_equal(load->charged, plain);
    watched_value(watched, load, 9);
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";absence=10s");
    watched_sync(watched);
    assert_int_equal(load->charged, plain + (ptrdiff_t)sizeof(struct watch_special));
    watched_value(watched, load, 9);
    watched_end(watched, load);
    assert_int_equal(load->charged, 0);
}

/* A rule counts the alarms of its watches; how many rules have any is counted, too. */
static void raised_are_counted(void **state)
{
    struct watched *watched = *state;
    struct fake_series *a = watched_series(watched, NULL, "load", "a");
    struct fake_series *b = watched_series(watched, NULL, "load", "b");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_row(watched, ROW_THRESHOLD, "u", HIGH ";instances=a");
    watched_sync(watched);
    const struct watch_rule *t = watches_find(&watched->watches, "t");
    watched_value(watched, b, 9);
    assert_int_equal(t->raised, 1);
    assert_int_equal(watched->watches.n_raised, 1);
    watched_value(watched, a, 9);
    assert_int_equal(t->raised, 2);
    assert_int_equal(watched->watches.n_raised, 2);
    watched_value(watched, b, 1);
    assert_int_equal(t->raised, 1);
    assert_int_equal(watched->watches.n_raised, 2);
    watched_value(watched, a, 1);
    assert_int_equal(t->raised, 0);
    assert_int_equal(watched->watches.n_raised, 0);
}

/* A sensor and an aggregate of one name: the first one stands. */
static void one_watch_of_a_name(void **state)
{
    struct watched *watched = *state;
    struct fake_series *first = watched_series(watched, NULL, "load", "a");
    struct fake_series *second = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    assert_non_null(first->watches);
    assert_null(second->watches);
    watched_begin(watched, first); /* nor is one series watched twice */
    assert_null(first->watches->next_of_series);
    assert_int_equal(watched->watches.watches.count, 1);
}

/* Another series takes over the watches of one; their windows are counted anew. */
static void series_that_moves(void **state)
{
    struct watched *watched = *state;
    struct fake_series *from = watched_series(watched, "n1", "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";children=*");
    watched_row(watched, ROW_THRESHOLD, "w", HIGH ";children=*;source=mean");
    watched_sync(watched);
    watched_window(watched, from, 9);
    assert_string_equal(watched_happened(watched), "Rw n1:w:a");
    assert_string_equal(watched_message(watched), "w: mean of load on a of n1 is 9 (limit > 5)");
    struct fake_series *to = watched_series(watched, "n1", "load", "a");
    const struct series_observer observer = watches_observer(&watched->watches);
    observer.moved(observer.context, watched_ref(from), watched_ref(to));
    assert_null(from->watches);
    watched_window(watched, to, 1); /* it has the number of the one before */
    assert_string_equal(watched_happened(watched), "C- n1:w:a");
    watched_value(watched, to, 9);
    assert_string_equal(watched_happened(watched), "Rw n1:t:a");
}

/* A window is looked at once, and is nothing to a rule on values. */
static void windows_and_values(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";absence=10s");
    watched_row(watched, ROW_THRESHOLD, "w", HIGH ";source=mean;match=2;window=2");
    watched_sync(watched);
    watched_value(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw lap:t:a");
    watched_wait(watched, 2 * NS_PER_S);
    watched_window(watched, load, 9);
    watched_value(watched, load, 9); /* the same window */
    assert_string_equal(watched_happened(watched), "");
    watched_window(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw lap:w:a");
    watched_value(watched, load, 1);
    assert_string_equal(watched_happened(watched), "C- lap:t:a");
    assert_int_equal(watches_find(&watched->watches, "t")->watches->special->valued_ns,
                     watched->now.mono_ns);
    uint64_t valued_ns = watched->now.mono_ns;
    watched_wait(watched, NS_PER_S);
    watched_window(watched, load, 1);
    assert_int_equal(watches_find(&watched->watches, "t")->watches->special->valued_ns, valued_ns);
    assert_string_equal(watched_happened(watched), "C- lap:w:a");
}

/* A window that was reported without its histogram has moments, but no percentiles. */
static void windows_without_histograms(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, "n1", "load", "a");
    watched_row(watched, ROW_THRESHOLD, "p", HIGH ";children=*;source=p50");
    watched_row(watched, ROW_THRESHOLD, "m", HIGH ";children=*;source=max");
    watched_sync(watched);
    watched_window(watched, load, 9);
    assert_string_equal(watched_happened(watched), "Rw n1:m:a");
    assert_int_equal(watch_phase(watches_find(&watched->watches, "p")->watches), PHASE_UNKNOWN);
}

/* What the observer says after each value and window, of both. */
static void what_breaches(void **state)
{
    static const struct {
        const char *rule;
        double value, window; /* 0: none */
        bool breaches, window_breaches;
    } rows[] = {
        {HIGH, 1, 0, false, false},
        {HIGH, 9, 0, true, false},
        {HIGH, 1, 9, false, false},
        {HIGH ";duration=1m", 9, 0, true, false},
        {HIGH ";match=2;window=2", 9, 0, true, false},
        {HIGH ";source=mean", 9, 0, false, false},
        {HIGH ";source=mean", 9, 1, false, false},
        {HIGH ";source=mean", 1, 9, true, true}, /* there is an alarm */
        {HIGH ";source=mean;match=2;window=2", 1, 9, false, true},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        struct fake_series *load = watched_series(watched, NULL, "load", "a");
        const struct series_observer observer = watches_observer(&watched->watches);
        assert_false(observer.breaches(observer.context, watched_ref(load), false));
        watched_row(watched, ROW_THRESHOLD, "t", rows[i].rule);
        watched_sync(watched);
        assert_false(observer.breaches(observer.context, watched_ref(load), false));
        assert_false(observer.breaches(observer.context, watched_ref(load), true));
        watched_value(watched, load, rows[i].value);
        if (rows[i].window > 0)
            watched_window(watched, load, rows[i].window);
        if (observer.breaches(observer.context, watched_ref(load), false) != rows[i].breaches ||
            observer.breaches(observer.context, watched_ref(load), true) != rows[i].window_breaches)
            fail_msg("row %zu", i);
        watched_free(watched);
    }
}

/* -- Changes of a rule ---------------------------------------------------------------------- */

static void another_severity(void **state)
{
    struct watched *watched = *state;
    struct fake_series *a = watched_series(watched, NULL, "load", "a");
    struct fake_series *b = watched_series(watched, NULL, "load", "b");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_sync(watched);
    watched_value(watched, a, 9);
    watched_value(watched, b, 1);
    assert_string_equal(watched_happened(watched), "Rw lap:t:a");
    uint64_t transitions = watched->watches.transitions;
    watched_wait(watched, NS_PER_S);
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";severity=critical");
    watched_sync(watched);
    assert_string_equal(watched_happened(watched), "Hc lap:t:a");
    assert_string_equal(watched_message(watched),
                        "t: load on a: the threshold has another severity");
    assert_string_equal(alarm_find(&watched->alarms, "lap:t:a")->facts.value, "9");
    assert_int_equal(watched->watches.transitions, transitions + 1);
    watched_sync(watched);
    assert_string_equal(watched_happened(watched), "");
    a->result.state = RESULT_UNAVAILABLE;
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";severity=info");
    watched_sync(watched);
    assert_string_equal(watched_happened(watched), "Hi lap:t:a");
    assert_string_equal(alarm_find(&watched->alarms, "lap:t:a")->facts.value, "");
    struct row *row = config_find(watched->config, ROW_THRESHOLD, "t");
    row->status = ROW_NOT_IN_SERVICE;
    watched_sync(watched);
    assert_string_equal(watched_happened(watched), "C- lap:t:a");
    assert_string_equal(watched_message(watched), "t: load on a: cleared, the threshold is paused");
}

/* -- Words ---------------------------------------------------------------------------------- */

static void messages(void **state)
{
    static const struct {
        const char *fields, *unit;
        double value;
        const char *message, *limit;
    } rows[] = {
        {HIGH, "%", 9.25, "t: load on a is 9.25% (limit > 5)", "> 5"},
        {HIGH, "s", 9, "t: load on a is 9 s (limit > 5)", "> 5"},
        {HIGH ";description=Too much", "", 9, "Too much: load on a is 9 (limit > 5)", "> 5"},
        {"sensor=load;operator=ge;limit=9", "", 9, "t: load on a is 9 (limit >= 9)", ">= 9"},
        {"sensor=load;operator=lt;limit=9", "", 8, "t: load on a is 8 (limit < 9)", "< 9"},
        {"sensor=load;operator=le;limit=9", "", 9, "t: load on a is 9 (limit <= 9)", "<= 9"},
        {"sensor=load;operator=eq;limit=9", "", 9, "t: load on a is 9 (limit = 9)", "= 9"},
        {"sensor=load;operator=ne;limit=9", "", 7, "t: load on a is 7 (limit != 9)", "!= 9"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        struct fake_series *load = watched_series(watched, NULL, "load", "a");
        load->unit = rows[i].unit;
        watched_row(watched, ROW_THRESHOLD, "t", rows[i].fields);
        watched_sync(watched);
        watched_value(watched, load, rows[i].value);
        assert_string_equal(watched_message(watched), rows[i].message);
        assert_string_equal(alarm_find(&watched->alarms, "lap:t:a")->facts.limit, rows[i].limit);
        watched_free(watched);
    }
}

static void rate_and_forecast(void **state)
{
    struct watched *watched = *state;
    struct fake_series *disk = watched_series(watched, NULL, "disk", "a");
    disk->unit = "B";
    watched_row(watched, ROW_THRESHOLD, "r",
                "sensor=disk;operator=gt;limit=5;source=rate;span=10s");
    watched_row(watched, ROW_THRESHOLD, "f",
                "sensor=disk;operator=gt;limit=500;source=forecast;span=10s;horizon=60s;"
                "confidence=0.9");
    watched_sync(watched);
    for (int second = 0; second < 10; second++) {
        watched_value(watched, disk, 10.0 * second);
        watched_wait(watched, NS_PER_S);
    }
    const struct alarm *rate = alarm_find(&watched->alarms, "lap:r:a");
    const struct alarm *forecast = alarm_find(&watched->alarms, "lap:f:a");
    assert_non_null(rate);
    assert_non_null(forecast);
    assert_string_equal(rate->facts.message, "r: rate of disk on a is 10 B/s (limit > 5)");
    assert_non_null(strstr(forecast->facts.message, "f: forecast of disk on a is "));
    assert_non_null(strstr(forecast->facts.message, " B in 1m, R2 1.00 (limit > 500)"));
}

/* A season of 20 seconds; "a" is as it always is at its time, until it is not. */
static double usual_at(int64_t wall_ms, int i)
{
    return (wall_ms / 1000 % 20 < 10 ? 40 : 90) + (i % 2 ? 1 : -1);
}

static void give_seasons(struct watched *watched, struct fake_series *series, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        watched_value(watched, series, usual_at(watched->now.wall_ms, i));
        watched_wait(watched, NS_PER_S);
    }
}

static void deviation_from_the_season(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    load->unit = "%";
    watched_row(watched, ROW_THRESHOLD, "d",
                "sensor=load;operator=gt;limit=5;critical-limit=30;source=deviation;span=20s");
    watched_row(watched, ROW_THRESHOLD, "l",
                "sensor=load;operator=lt;limit=-5;source=deviation;span=20s");
    watched_sync(watched);
    while (watched->now.wall_ms / 1000 % 20)
        watched_wait(watched, NS_PER_S);
    give_seasons(watched, load, 30);
    watched_value(watched, load, 1000); /* it still learns */
    assert_string_equal(watched_happened(watched), "");
    give_seasons(watched, load, 190);
    assert_string_equal(watched_happened(watched), "");
    assert_int_equal(watched->now.wall_ms / 1000 % 20, 0);
    watched_value(watched, load, 80); /* which is usual, at another time */
    assert_string_equal(watched_happened(watched), "Rw lap:d:a");
    const char *message = alarm_find(&watched->alarms, "lap:d:a")->facts.message;
    assert_int_equal(strncmp(message, "d: deviation of load on a is ", 29), 0);
    assert_non_null(strstr(message, " usual deviations, 80% where "));
    assert_non_null(strstr(message, "% was expected (limit > 5)"));
    double value = strtod(alarm_find(&watched->alarms, "lap:d:a")->facts.value, NULL);
    assert_true(value > 5 && value < 30);
    watched_value(watched, load, 300);
    assert_string_equal(watched_happened(watched), "Hc lap:d:a");
    watched_value(watched, load, -400);
    assert_string_equal(watched_happened(watched), "Rw lap:l:a, C- lap:d:a");
    watched_value(watched, load, 40);
    assert_string_equal(watched_happened(watched), "C- lap:l:a");
    assert_non_null(strstr(watched_message(watched), " usual deviations, 40% where "));
}

/* An alarm by what is not known any more is cleared, for nothing else would for two seasons; what
 * breached before that does not count with what breaches afterwards. */
static void what_is_learnt_anew(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "d",
                "sensor=load;operator=gt;limit=5;source=deviation;span=20s;hold-off=100s");
    watched_row(watched, ROW_THRESHOLD, "m",
                "sensor=load;operator=gt;limit=5;source=deviation;span=20s;match=2;window=2");
    watched_sync(watched);
    give_seasons(watched, load, 220);
    watched_value(watched, load, 200);
    assert_string_equal(watched_happened(watched), "Rw lap:d:a");
    watched_value(watched, load, NAN); /* which says nothing */
    assert_string_equal(watched_happened(watched), "");
    watched_wait(watched, 200 * NS_PER_S);
    watched_value(watched, load, 200);
    assert_string_equal(watched_happened(watched), "C- lap:d:a");
    assert_string_equal(watched_message(watched),
                        "d: deviation of load on a: cleared, what is usual is being learnt");
    for (const struct watch *watch = load->watches; watch; watch = watch->next_of_series)
        assert_int_equal(watch_phase(watch), PHASE_UNKNOWN);
    give_seasons(watched, load, 40);
    watched_value(watched, load, 200); /* the first sample, of two for m; d is held off */
    assert_string_equal(watched_happened(watched), "");
    watched_value(watched, load, 200);
    assert_string_equal(watched_happened(watched), "Rw lap:m:a");
    watched_wait(watched, 60 * NS_PER_S);
    watched_value(watched, load, 200);
    assert_string_equal(watched_happened(watched), "Rw lap:d:a");
}

/* An alarm for the lack of a value is cleared by one, though nothing is known of it. */
static void absent_while_it_learns(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "d",
                "sensor=load;operator=gt;limit=5;source=deviation;span=20s;absence=10s");
    watched_sync(watched);
    watched_value(watched, load, 40);
    watched_wait(watched, 10 * NS_PER_S);
    watches_tick(&watched->watches, watched->now);
    assert_string_equal(watched_happened(watched), "Rw lap:d:a");
    watched_value(watched, load, 40);
    assert_string_equal(watched_happened(watched), "C- lap:d:a");
    assert_non_null(strstr(watched_message(watched), "cleared, what is usual is being learnt"));
}

/* What a child has kept during an outage comes at once: each value is judged, and learnt, by what
 * is usual at its own time. */
static void values_that_come_late(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, "web", "load", "a");
    watched_row(watched, ROW_THRESHOLD, "d",
                "sensor=load;children=*;operator=gt;limit=5;source=deviation;span=20s");
    watched_row(watched, ROW_THRESHOLD, "l",
                "sensor=load;children=*;operator=lt;limit=-5;source=deviation;span=20s");
    watched_sync(watched);
    give_seasons(watched, load, 220);
    load->wall_ms = watched->now.wall_ms;
    watched_wait(watched, 60 * NS_PER_S);
    for (int i = 0; i < 60; i++, load->wall_ms += 1000)
        watched_value(watched, load, usual_at(load->wall_ms, i));
    assert_string_equal(watched_happened(watched), "");
    load->wall_ms = 0;
    give_seasons(watched, load, 40);
    assert_string_equal(watched_happened(watched), "");
}

/* A unit is a word; a percentage is not. A day is what a season has that does not say. */
static void seasons_of_a_day(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    load->unit = "B/s";
    watched_row(watched, ROW_THRESHOLD, "d", "sensor=load;operator=gt;limit=3;source=deviation");
    watched_sync(watched);
    assert_int_equal(season_span(load->watches->special->season), 86400000);
    for (int i = 0; i < 300; i++) {
        watched_value(watched, load, i == 299 ? 7.5 : 5);
        assert_string_equal(watched_happened(watched), i == 299 ? "Rw lap:d:a" : "");
        watched_wait(watched, 600 * NS_PER_S);
    }
    assert_string_equal(watched_message(watched),
                        "d: deviation of load on a is 500 usual deviations, 7.5 B/s where 5 B/s "
                        "was expected (limit > 3)");
}

/* -- Dampening ------------------------------------------------------------------------------ */

static void flapping_is_told(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH ";flap-count=3;flap-time=60s");
    watched_sync(watched);
    const struct alarm_facts facts = {.threshold = "t", .node = "lap", .instance = "a"};
    const struct alarm_facts other = {.threshold = "t", .node = "lap", .instance = "b"};
    static const char *const happened[] = {"Rw lap:t:a", "C- lap:t:a", "Rw lap:t:a", "C- lap:t:a",
                                           "Rw lap:t:a, Fw lap:t:a"};
    for (size_t i = 0; i < N_OF(happened); i++) {
        assert_int_equal(watches_verdict(&watched->watches, &facts, watched->now.mono_ns),
                         i < 4 ? DAMPER_TELL : DAMPER_FLAPPING);
        watched_wait(watched, NS_PER_S);
        watched_value(watched, load, i % 2 ? 1 : 9);
        assert_string_equal(watched_happened(watched), happened[i]);
    }
    assert_string_equal(watched_message(watched),
                        "t: load on a: flapping, 5 changes  nothing is told until it is stable");
    assert_int_equal(watches_verdict(&watched->watches, &facts, watched->now.mono_ns),
                     DAMPER_FLAPPING);
    assert_int_equal(watches_verdict(&watched->watches, &other, watched->now.mono_ns), DAMPER_TELL);
}

/* -- Memory --------------------------------------------------------------------------------- */

static void play_all(void)
{
    struct watched *watched = watched_new();
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", HIGH);
    watched_row(watched, ROW_THRESHOLD, "s", HIGH ";absence=10s;flap-count=3;flap-time=60s");
    watched_row(watched, ROW_THRESHOLD, "f",
                "sensor=load;operator=gt;limit=5;source=forecast;span=10s;horizon=60s");
    watched_row(watched, ROW_THRESHOLD, "d", "sensor=load;operator=gt;limit=5;source=deviation");
    watched_sync(watched);
    watched_value(watched, load, 9);
    watched_remove(watched, ROW_THRESHOLD, "s");
    watched_sync(watched);
    watched_free(watched);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        watched_test(phases_of_a_plain_rule),
        watched_test(match_of_window),
        watched_test(limits_of_three_severities),
        watched_test(absence_to_the_nanosecond),
        watched_test(absent_from_the_beginning),
        watched_test(hold_off_to_the_nanosecond),
        watched_test(duration_within_hold_off),
        watched_test(disabled_by_the_same_instance),
        watched_test(disabled_by_another_instance),
        watched_test(series_come_and_go),
        watched_test(what_it_costs),
        watched_test(raised_are_counted),
        watched_test(one_watch_of_a_name),
        watched_test(series_that_moves),
        watched_test(windows_and_values),
        watched_test(windows_without_histograms),
        watched_test(what_breaches),
        watched_test(another_severity),
        cmocka_unit_test(messages),
        watched_test(rate_and_forecast),
        watched_test(deviation_from_the_season),
        watched_test(what_is_learnt_anew),
        watched_test(absent_while_it_learns),
        watched_test(values_that_come_late),
        watched_test(seasons_of_a_day),
        watched_test(flapping_is_told),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
