/* What was learnt of seasons outlives its watches: rules that change, series that come again, lives
 * of the daemon. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scarce.h"
#include "unit.h"
#include "watch/restart.h"
#include "watched.h"

#define ODD "sensor=load;operator=gt;limit=5;source=deviation;span=20s"

/* Values of so many seconds, as they always are at their time. */
static void give(struct watched *watched, struct fake_series *series, int seconds)
{
    for (int i = 0; i < seconds; i++) {
        int64_t second = watched->now.wall_ms / 1000 % 20;
        watched_value(watched, series, (double)(second < 10 ? 40 : 90) + (i % 2 ? 1 : -1));
        watched_wait(watched, NS_PER_S);
    }
}

/* A series of which all is known. */
static struct fake_series *learn(struct watched *watched, const char *node, const char *instance)
{
    struct fake_series *load = watched_series(watched, node, "load", instance);
    watched_row(watched, ROW_THRESHOLD, "d", node ? ODD ";children=*" : ODD);
    watched_sync(watched);
    give(watched, load, 100);
    assert_string_equal(watched_happened(watched), "");
    return load;
}

static bool knows(struct watched *watched, struct fake_series *series)
{
    struct season_verdict verdict;
    return series->watches && series->watches->special &&
           season_add(series->watches->special->season, 60, watched->now.wall_ms, &verdict);
}

static void a_series_that_comes_again(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = learn(watched, NULL, "a");
    watched_end(watched, load);
    assert_int_equal(load->charged, 0);
    assert_int_equal(watched->watches.learned.n, 1);
    watched_wait(watched, 30 * NS_PER_S);
    watched_begin(watched, load);
    assert_int_equal(watched->watches.learned.n, 0);
    assert_true(knows(watched, load));
}

/* Of another instance or node nothing is known. */
static void whose_it_is(void **state)
{
    struct watched *watched = *state;
    watched_end(watched, learn(watched, "n1", "a"));
    assert_false(knows(watched, watched_series(watched, "n1", "load", "b")));
    struct fake_series *other = watched_series(watched, "n2", "load", "a");
    watched_begin(watched, other);
    assert_false(knows(watched, other));
    struct fake_series *same = watched_series(watched, "n1", "load", "a");
    watched_begin(watched, same);
    assert_true(knows(watched, same));
}

static void rules_that_change(void **state)
{
    static const struct {
        const char *fields;
        bool known;
        size_t kept;
    } rows[] = {{ODD ";limit=6", true, 0},
                {ODD ";match=2;window=3", true, 0},
                {ODD ";critical-limit=9", true, 0},
                {ODD ";span=21s", false, 0},
                {"sensor=disk;operator=gt;limit=5;source=deviation;span=20s", false, 0},
                {"sensor=load;operator=gt;limit=5", false, 0},
                {NULL, false, 0}};
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct watched *watched = watched_new();
        struct fake_series *load = learn(watched, NULL, "a");
        watched_remove(watched, ROW_THRESHOLD, "d");
        if (rows[i].fields)
            watched_row(watched, ROW_THRESHOLD, "d", rows[i].fields);
        watched_sync(watched);
        assert_int_equal(knows(watched, load), rows[i].known);
        assert_int_equal(watched->watches.learned.n, rows[i].kept);
        watched_free(watched);
    }
}

/* What a rule that changes knows is not bounded as what has ended is. */
static void very_many_series(void **state)
{
    struct watched *watched = *state;
    static char names[LEARNED_MAX + 5][8];
    watched_row(watched, ROW_THRESHOLD, "d", ODD);
    watched_sync(watched);
    for (size_t i = 0; i < N_OF(names); i++) {
        snprintf(names[i], sizeof names[i], "%zu", i);
        watched_begin(watched, watched_series(watched, NULL, "load", names[i]));
    }
    for (int second = 0; second < 45; second++) {
        for (size_t i = 0; i < N_OF(names); i++)
            watched_value(watched, &watched->series[i], second % 20 < 10 ? 40 : 90);
        watched_wait(watched, NS_PER_S);
    }
    watched_row(watched, ROW_THRESHOLD, "d", ODD ";limit=6");
    watched_sync(watched);
    for (size_t i = 0; i < N_OF(names); i++)
        assert_true(knows(watched, &watched->series[i]));
    assert_int_equal(watched->watches.learned.n, 0);
}

/* One that is paused knows all when it goes on. */
static void a_rule_that_is_paused(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = learn(watched, NULL, "a");
    watched_row(watched, ROW_THRESHOLD, "d", ODD)->status = ROW_NOT_IN_SERVICE;
    watched_sync(watched);
    assert_null(load->watches);
    assert_int_equal(watched->watches.learned.n, 1);
    watched_row(watched, ROW_THRESHOLD, "d", ODD);
    watched_sync(watched);
    assert_true(knows(watched, load));
}

/* No rule on deviations: nothing is kept, and no octet is. */
static void other_rules(void **state)
{
    struct watched *watched = *state;
    struct octets octets = {.most = SIZE_MAX};
    struct fake_series *load = watched_series(watched, NULL, "load", "a");
    watched_row(watched, ROW_THRESHOLD, "t", "sensor=load;operator=gt;limit=5;absence=10s");
    watched_sync(watched);
    assert_null(load->watches->special->season);
    watched_end(watched, load);
    assert_int_equal(watched->watches.learned.n, 0);
    assert_int_equal(watches_pack_learned(&watched->watches, &octets), 0);
    assert_null(octets.at);
}

/* -- Lives of the daemon --------------------------------------------------------------------- */

static void another_life(void **state)
{
    struct watched *watched = *state;
    struct fake_series *here = learn(watched, NULL, "a");
    struct fake_series *away = watched_series(watched, NULL, "load", "b/\xc3\xbc");
    watched_begin(watched, away);
    give(watched, away, 100);
    watched_end(watched, away);
    give(watched, here, 100);
    struct octets octets = {.most = SIZE_MAX};
    assert_int_equal(watches_pack_learned(&watched->watches, &octets), 0);
    struct watched *next = watched_new();
    next->now = watched->now;
    assert_int_equal(learned_unpack(&next->watches.learned, octets.at, octets.n), 0);
    assert_int_equal(next->watches.learned.n, 2);
    struct fake_series *load = watched_series(next, NULL, "load", "a");
    watched_row(next, ROW_THRESHOLD, "d", ODD);
    watched_sync(next);
    assert_true(knows(next, load));
    /* What waits is saved again, as it was. */
    struct octets again = {.most = SIZE_MAX};
    assert_int_equal(learned_pack(&next->watches.learned, &again), 0);
    assert_true(again.n > 0 && again.n < octets.n);
    assert_memory_equal(again.at, octets.at, again.n);
    learned_forget_old(&next->watches.learned, next->now.wall_ms);
    assert_int_equal(next->watches.learned.n, 1);
    learned_forget_old(&next->watches.learned, next->now.wall_ms + 60000);
    assert_int_equal(next->watches.learned.n, 0);
    free(octets.at);
    free(again.at);
    watched_free(next);
}

static void broken_octets(void **state)
{
    struct watched *watched = *state;
    struct octets octets = {.most = SIZE_MAX};
    struct learned learned = {.n = 0};
    learn(watched, NULL, "a");
    assert_int_equal(watches_pack_learned(&watched->watches, &octets), 0);
    for (size_t cut = 1; cut < octets.n; cut++) {
        assert_int_equal(learned_unpack(&learned, octets.at, cut), EBADMSG);
        assert_int_equal(learned.n, 0);
    }
    for (size_t at = 0; at < 8 * 200; at++) {
        octets.at[at / 8] ^= (uint8_t)(1u << at % 8);
        int error = learned_unpack(&learned, octets.at, octets.n);
        assert_true(error == 0 || error == EBADMSG);
        learned_release(&learned);
        octets.at[at / 8] ^= (uint8_t)(1u << at % 8);
    }
    assert_int_equal(learned_unpack(&learned, octets.at, octets.n), 0);
    learned_release(&learned);
    free(octets.at);
}

static struct season *season_of(uint32_t span_ms, double value)
{
    struct season_verdict verdict;
    struct season *season = season_new(span_ms);
    season_add(season, value, 1000000, &verdict);
    return season;
}

static struct saved_series number(int i)
{
    struct saved_series name = {.threshold = "d", .sensor = "load"};
    snprintf(name.instance, sizeof name.instance, "%d", i);
    return name;
}

/* Those of series that end are bounded; a full store is not searched for each of them. */
static void not_too_many(void **state)
{
    (void)state;
    struct learned learned = {.n = 0};
    struct moment now = {.mono_ns = 5 * NS_PER_S, .wall_ms = 1000000};
    for (int i = 0; i < LEARNED_MAX + 10; i++) {
        const struct saved_series name = number(i);
        learned_keep_ended(&learned, &name, season_of(10000, 1), now);
    }
    assert_int_equal(learned.n, LEARNED_MAX);
    now.wall_ms += 1000000; /* they are old by then */
    for (int i = 0; i < 2; i++) {
        const struct saved_series name = number(LEARNED_MAX + i);
        learned_keep_ended(&learned, &name, season_of(10000, 1), now);
        assert_int_equal(learned.n, i == 0 ? LEARNED_MAX : 1);
        now.mono_ns += 60 * NS_PER_S;
    }
    learned_release(&learned);
}

/* Those that a former life has left are not lost for it, and the later one of a name stays. */
static void many_of_a_former_life(void **state)
{
    (void)state;
    struct learned before = {.n = 0}, learned = {.n = 0};
    struct octets octets = {.most = SIZE_MAX};
    const struct moment now = {.mono_ns = 5 * NS_PER_S, .wall_ms = 1000000};
    for (int i = 0; i < LEARNED_MAX + 10; i++) {
        const struct saved_series name = number(i);
        learned_keep(&before, &name, season_of(10000, 1));
    }
    assert_int_equal(before.n, LEARNED_MAX + 10);
    assert_int_equal(learned_pack(&before, &octets), 0);
    assert_int_equal(learned_unpack(&learned, octets.at, octets.n), 0);
    assert_int_equal(learned.n, LEARNED_MAX + 10);
    const struct saved_series one = number(7), other = number(LEARNED_MAX + 10);
    learned_keep_ended(&learned, &one, season_of(20000, 1), now);
    learned_keep_ended(&learned, &other, season_of(20000, 1), now);
    assert_int_equal(learned.n, LEARNED_MAX + 10);
    struct watch_rule rule = {.row = {.sensor = "load", .span_ms = 20000}};
    const struct series_view seven = {.sensor = "load", .instance = "7"};
    memcpy(rule.row.row.name, "d", sizeof "d");
    struct season *season = learned_take(&learned, &rule, &seven);
    assert_non_null(season);
    season_free(season);
    free(octets.at);
    learned_release(&before);
    learned_release(&learned);
}

/* What has no room is left out, and all else is whole. */
static void no_more_octets_than(void **state)
{
    (void)state;
    struct learned before = {.n = 0}, learned = {.n = 0};
    struct octets all = {.most = SIZE_MAX}, some = {.most = 20000};
    for (int i = 0; i < 100; i++) {
        const struct saved_series name = number(i);
        learned_keep(&before, &name, season_of(10000, 1));
    }
    assert_int_equal(learned_pack(&before, &all), 0);
    assert_int_equal(all.left_out, 0);
    assert_true(all.n > some.most);
    assert_int_equal(learned_pack(&before, &some), 0);
    assert_true(some.n <= some.most && some.room <= some.most);
    assert_in_range(some.left_out, 1, 99);
    assert_memory_equal(some.at, all.at, some.n);
    assert_int_equal(learned_unpack(&learned, some.at, some.n), 0);
    assert_int_equal(learned.n, 100 - some.left_out);
    free(all.at);
    free(some.at);
    learned_release(&before);
    learned_release(&learned);
}

/* -- Memory ---------------------------------------------------------------------------------- */

static void memory_that_fails(void **state)
{
    struct watched *watched = *state;
    struct fake_series *load = learn(watched, NULL, "a");
    struct octets octets = {.most = SIZE_MAX};
    scarce_fail(1);
    assert_int_equal(watches_pack_learned(&watched->watches, &octets), ENOMEM);
    assert_true(scarce_stop());
    assert_int_equal(octets.n, 0);
    assert_int_equal(watches_pack_learned(&watched->watches, &octets), 0);
    bool failed = true;
    for (size_t nth = 1; failed; nth++) {
        struct learned learned = {.n = 0};
        scarce_fail(nth);
        int error = learned_unpack(&learned, octets.at, octets.n);
        failed = scarce_stop();
        assert_int_equal(error, failed ? ENOMEM : 0);
        assert_int_equal(learned.n, failed ? 0 : 1);
        learned_release(&learned);
    }
    scarce_fail(1); /* a model that cannot be kept is lost, and nothing else */
    watched_end(watched, load);
    assert_true(scarce_stop());
    assert_int_equal(watched->watches.learned.n, 0);
    watched_begin(watched, load);
    assert_false(knows(watched, load));
    free(octets.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        watched_test(a_series_that_comes_again),
        watched_test(whose_it_is),
        cmocka_unit_test(rules_that_change),
        watched_test(very_many_series),
        watched_test(a_rule_that_is_paused),
        watched_test(other_rules),
        watched_test(another_life),
        watched_test(broken_octets),
        cmocka_unit_test(not_too_many),
        cmocka_unit_test(many_of_a_former_life),
        cmocka_unit_test(no_more_octets_than),
        watched_test(memory_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
