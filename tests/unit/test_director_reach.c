/* When a node gets another parent because the one that it has does not reach it. */

#include <string.h>

#include "base/clock.h"
#include "director/reach.h"

#include "unit.h"

#define SECOND NS_PER_S
#define MINUTE (60 * SECOND)

static const struct reach_rules rules = {.heartbeat_ns = SECOND, .period_ns = SECOND};

/* A node that has answered for an hour, and a root that looks at its parent each heartbeat. */
struct play {
    struct reach reach;
    struct reach_rules rules;
    uint64_t now, seen_ns;
    const char *parent;
};

static struct play play_of_an_hour(void)
{
    struct play play = {.rules = rules, .now = 10000 * SECOND, .parent = "c1"};
    reach_answered(&play.reach, play.now);
    play.now += 3600 * SECOND;
    return play;
}

/* The parent says it for so long at most; the node is looked at where that is asked for. Returns
 * after how long it is to move; UINT64_MAX: not at all. */
static uint64_t say(struct play *play, uint64_t span)
{
    uint64_t began = play->now;
    for (; play->now < began + span; play->now += play->rules.heartbeat_ns)
        switch (reach_told(&play->reach, play->parent, play->seen_ns, &play->rules, play->now)) {
        case REACH_LOOK:
            play->seen_ns = play->now;
            break;
        case REACH_MOVE:
            return play->now - began;
        default:
            break;
        }
    return UINT64_MAX;
}

static void after_three_heartbeats_and_a_look(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    assert_string_equal(reach_avoids(&play.reach, play.now), "");
    assert_int_equal(say(&play, MINUTE), 4 * SECOND);
    assert_string_equal(reach_avoids(&play.reach, play.now), "c1");
}

/* Another answer than the one that was asked for does not decide. */
static void an_old_look_says_nothing(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    for (int i = 0; i < 100; i++, play.now += SECOND)
        assert_int_equal(reach_told(&play.reach, "c1", play.now - 200 * SECOND, &rules, play.now),
                         i < 3 ? REACH_WAIT : REACH_LOOK);
}

static void not_while_it_is_silent(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    reach_missed(&play.reach);
    assert_int_equal(say(&play, 10 * MINUTE), UINT64_MAX);
    reach_answered(&play.reach, play.now);
    reach_answered(&play.reach, play.now + SECOND); /* it is the first one that counts */
    assert_int_equal(say(&play, 10 * MINUTE), 36 * SECOND);
}

/* A parent that polls seldom takes longer to find it again. */
static void a_long_period(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    play.rules.period_ns = 2 * MINUTE;
    reach_missed(&play.reach);
    reach_answered(&play.reach, play.now);
    assert_int_equal(say(&play, 10 * MINUTE), 126 * SECOND);
}

static void what_is_said_now_and_then_does_not_count(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    for (int i = 0; i < 100; i++) {
        assert_int_equal(say(&play, 3 * SECOND), UINT64_MAX);
        play.now += 4 * SECOND;
    }
    assert_int_equal(say(&play, MINUTE), 4 * SECOND);
}

/* It does not go round and round: the second time after a minute, then after two, up to an hour and
 * four minutes. */
static void less_and_less_often(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    uint64_t pause = 0;
    for (int i = 0; i < 12; i++) {
        uint64_t moved = play.now;
        play.parent = i % 2 ? "c2" : "c1";
        uint64_t span = say(&play, 4 * 3600 * SECOND);
        assert_int_not_equal(span, UINT64_MAX);
        if (i > 0)
            assert_in_range(play.now - moved, pause, pause + 5 * SECOND);
        assert_string_equal(reach_avoids(&play.reach, play.now), play.parent);
        pause = i == 0 ? MINUTE : pause < 64 * MINUTE ? 2 * pause : pause;
    }
}

static void after_an_hour_it_is_forgotten(void **state)
{
    (void)state;
    struct play play = play_of_an_hour();
    say(&play, MINUTE);
    uint64_t moved = play.now;
    assert_string_equal(reach_avoids(&play.reach, moved + 3600 * SECOND - 1), "c1");
    assert_string_equal(reach_avoids(&play.reach, moved + 3600 * SECOND), "");
    play.now = moved + 3600 * SECOND;
    assert_int_equal(say(&play, MINUTE), 4 * SECOND);
    play.now += 30 * SECOND;
    assert_int_equal(say(&play, MINUTE), 30 * SECOND + SECOND); /* as after the first move */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_three_heartbeats_and_a_look),
        cmocka_unit_test(an_old_look_says_nothing),
        cmocka_unit_test(not_while_it_is_silent),
        cmocka_unit_test(a_long_period),
        cmocka_unit_test(what_is_said_now_and_then_does_not_count),
        cmocka_unit_test(less_and_less_often),
        cmocka_unit_test(after_an_hour_it_is_forgotten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
