/* Conditions: which alarms of thresholds make one, to the last member. */
#include <stdio.h>
#include <string.h>

#include "heap.h"
#include "watch/conditions.h"
#include "watched.h"

#define OVER(sensor) "sensor=" sensor ";operator=gt;limit=5"

static void step(struct watched *watched, struct conditions *conditions)
{
    conditions_step(conditions, &watched->watches, watched->config, watched->now);
}

/* Rules a, b and c on sensors of their names, on instances x and y. */
struct scene {
    struct watched *watched;
    struct fake_series *series[3][2];
    struct conditions conditions;
};

static void scene_open(struct scene *scene, const char *condition)
{
    static const char *const names[] = {"a", "b", "c"};
    static const char *const rules[] = {OVER("a"), OVER("b"), OVER("c")};
    *scene = (struct scene){.watched = watched_new()};
    scene->watched->watches.all_began = true;
    for (size_t i = 0; i < 3; i++) {
        watched_row(scene->watched, ROW_THRESHOLD, names[i], rules[i]);
        scene->series[i][0] = watched_series(scene->watched, NULL, names[i], "x");
        scene->series[i][1] = watched_series(scene->watched, NULL, names[i], "y");
    }
    watched_row(scene->watched, ROW_CONDITION, "cond", condition);
    watched_sync(scene->watched);
}

/* Raised or not, a to c on x, then on y: "+--+--". */
static void scene_play(struct scene *scene, const char *members)
{
    for (size_t i = 0; i < 6; i++)
        watched_value(scene->watched, scene->series[i % 3][i / 3], members[i] == '+' ? 9 : 1);
    step(scene->watched, &scene->conditions);
}

static size_t count(const struct scene *scene, char *keys)
{
    size_t n = 0;
    keys[0] = '\0';
    for (struct index_node *node = index_first(&scene->watched->alarms.active); node;
         node = index_next(node)) {
        const struct alarm *alarm = (const struct alarm *)node;
        if (alarm->facts.kind != ALARM_OF_CONDITION)
            continue;
        strcat(keys, n++ ? " " : "");
        strcat(keys, alarm->facts.key);
    }
    return n;
}

static void which_members_do(void **state)
{
    static const struct {
        const char *condition, *members, *keys;
    } rows[] = {
        {"thresholds=a b;require=any;by=instance", "------", ""},
        {"thresholds=a b;require=any;by=instance", "--+--+", ""},
        {"thresholds=a b;require=any;by=instance", "+-----", "lap:cond:x"},
        {"thresholds=a b;require=any;by=instance", "+---+-", "lap:cond:x lap:cond:y"},
        {"thresholds=a b;require=all;by=instance", "+-----", ""},
        {"thresholds=a b;require=all;by=instance", "+---+-", ""},
        {"thresholds=a b;require=all;by=instance", "++-+--", "lap:cond:x"},
        {"thresholds=a b;require=all;by=instance", "+++++-", "lap:cond:y lap:cond:x"},
        {"thresholds=a b;require=all;by=node", "+---+-", "lap:cond:"},
        {"thresholds=a b;require=all;by=node", "+--+--", ""}, /* one rule counts once */
        {"thresholds=a b;require=any;by=node", "---+--", "lap:cond:"},
        {"thresholds=*;require=all;by=all", "++-++-", ""},
        {"thresholds=*;require=all;by=all", "+---++", "lap:cond:"},
        {"thresholds=none;require=all;by=all", "++++++", ""},
        {"thresholds=none;require=any;by=all", "++++++", ""},
        {"thresholds=b;require=all;by=instance", "-+----", "lap:cond:x"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        char keys[256];
        scene_open(&scene, rows[i].condition);
        scene_play(&scene, rows[i].members);
        count(&scene, keys);
        if (strcmp(keys, rows[i].keys) != 0)
            fail_msg("row %zu: \"%s\"", i, keys);
        scene_play(&scene, "------");
        assert_int_equal(count(&scene, keys), 0);
        watched_free(scene.watched);
    }
}

static void what_it_says(void **state)
{
    static const struct {
        const char *condition, *members, *key, *value, *limit, *message;
    } rows[] = {
        {"thresholds=a b c;require=all;by=instance;severity=critical;description=Much", "+++---",
         "lap:cond:x", "3", "all of 3", "Much: raised a, b, c on x"},
        {"thresholds=a b c;require=any;by=instance;severity=critical", "+-+---", "lap:cond:x", "2",
         "any of 3", "cond: raised a, c on x"},
        {"thresholds=a b;require=any;by=node;severity=critical", "-+--+-", "lap:cond:", "1",
         "any of 2", "cond: raised b"},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        scene_open(&scene, rows[i].condition);
        scene_play(&scene, rows[i].members);
        const struct alarm *alarm = alarm_find(&scene.watched->alarms, rows[i].key);
        assert_non_null(alarm);
        assert_int_equal(alarm->facts.severity, SEVERITY_CRITICAL);
        assert_int_equal(alarm->facts.kind, ALARM_OF_CONDITION);
        assert_string_equal(alarm->facts.threshold, "cond");
        assert_string_equal(alarm->facts.node, "lap");
        assert_string_equal(alarm->facts.value, rows[i].value);
        assert_string_equal(alarm->facts.limit, rows[i].limit);
        assert_string_equal(alarm->facts.message, rows[i].message);
        watched_free(scene.watched);
    }
}

static void what_ends_it(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "thresholds=a;require=any;by=instance");
    scene_play(&scene, "+-----");
    assert_string_equal(watched_happened(scene.watched), "Rw lap:a:x, Rw lap:cond:x");
    watched_row(scene.watched, ROW_CONDITION, "cond",
                "thresholds=a;require=any;by=instance;severity=critical");
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "Hc lap:cond:x");
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "");
    scene_play(&scene, "------");
    assert_string_equal(watched_happened(scene.watched), "C- lap:a:x, C- lap:cond:x");
    assert_string_equal(watched_message(scene.watched),
                        "cond on x: cleared, its thresholds have recovered");
    scene_play(&scene, "+-----");
    watched_happened(scene.watched);
    config_find(scene.watched->config, ROW_CONDITION, "cond")->status = ROW_NOT_IN_SERVICE;
    config_touch(scene.watched->config);
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "C- lap:cond:x");
    assert_string_equal(watched_message(scene.watched),
                        "cond on x: cleared, there is no such condition any more");
    watched_row(scene.watched, ROW_CONDITION, "cond", "thresholds=a;require=any;by=node");
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "Rw lap:cond:");
    watched_row(scene.watched, ROW_CONDITION, "other", "thresholds=b;require=any;by=node");
    watched_remove(scene.watched, ROW_CONDITION, "cond");
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "C- lap:cond:");
    assert_string_equal(watched_message(scene.watched),
                        "cond: cleared, there is no such condition any more");
    watched_free(scene.watched);
}

static void paused_from_the_beginning(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "thresholds=a;require=any;by=instance");
    config_find(scene.watched->config, ROW_CONDITION, "cond")->status = ROW_NOT_IN_SERVICE;
    config_touch(scene.watched->config);
    scene_play(&scene, "+-----");
    assert_string_equal(watched_happened(scene.watched), "Rw lap:a:x");
    watched_free(scene.watched);
}

/* One condition does not end what another one has. */
static void each_on_its_own(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "thresholds=a;require=any;by=instance");
    watched_row(scene.watched, ROW_CONDITION, "second", "thresholds=b;require=any;by=instance");
    scene_play(&scene, "++----");
    assert_string_equal(watched_happened(scene.watched),
                        "Rw lap:a:x, Rw lap:b:x, Rw lap:cond:x, Rw lap:second:x");
    scene_play(&scene, "-+----");
    assert_string_equal(watched_happened(scene.watched), "C- lap:a:x, C- lap:cond:x");
    scene_play(&scene, "-+--+-");
    assert_string_equal(watched_happened(scene.watched), "Rw lap:b:y, Rw lap:second:y");
    watched_free(scene.watched);
}

/* Nodes: on each its own, or all together under the name of this one. */
static void of_children(void **state)
{
    struct watched *watched = *state;
    struct conditions conditions = {.looked = false};
    struct fake_series *one = watched_series(watched, "n1", "a", "x");
    struct fake_series *two = watched_series(watched, "n2", "b", "x");
    watched->watches.all_began = true;
    watched_row(watched, ROW_THRESHOLD, "a", OVER("a") ";children=*");
    watched_row(watched, ROW_THRESHOLD, "b", OVER("b") ";children=*");
    watched_row(watched, ROW_CONDITION, "node", "thresholds=a b;require=all;by=node");
    watched_row(watched, ROW_CONDITION, "all", "thresholds=a b;require=all;by=all");
    watched_sync(watched);
    watched_value(watched, one, 9);
    watched_value(watched, two, 9);
    step(watched, &conditions);
    assert_string_equal(watched_happened(watched), "Rw n1:a:x, Rw n2:b:x, Rw lap:all:");
    struct fake_series *both = watched_series(watched, "n2", "a", "y");
    watched_begin(watched, both);
    watched_value(watched, both, 9);
    step(watched, &conditions);
    assert_string_equal(watched_happened(watched), "Rw n2:a:y, Rw n2:node:");
}

/* Nothing is looked at where nothing has changed. */
static void when_it_looks(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, "thresholds=a;require=any;by=instance");
    scene_play(&scene, "+-----");
    assert_true(scene.conditions.looked);
    assert_int_equal(scene.conditions.transitions, scene.watched->watches.transitions);
    assert_int_equal(scene.conditions.serial, scene.watched->config->serial);
    struct alarm_facts facts = alarm_find(&scene.watched->alarms, "lap:cond:x")->facts;
    assert_true(alarm_clear(&scene.watched->alarms, &facts, scene.watched->now));
    watched_happened(scene.watched);
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "");
    scene.watched->watches.transitions++;
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "Rw lap:cond:x");
    facts = alarm_find(&scene.watched->alarms, "lap:cond:x")->facts;
    assert_true(alarm_clear(&scene.watched->alarms, &facts, scene.watched->now));
    watched_happened(scene.watched);
    config_touch(scene.watched->config);
    step(scene.watched, &scene.conditions);
    assert_string_equal(watched_happened(scene.watched), "Rw lap:cond:x");
    scene.watched->watches.all_began = false; /* then it looks each time */
    scene.watched->watches.transitions++;
    step(scene.watched, &scene.conditions);
    assert_false(scene.conditions.looked);
    watched_free(scene.watched);
}

/* While a member of before a restart may come back, its condition is not cleared. */
static void members_that_may_come(void **state)
{
    static const struct {
        bool all_began;
        const char *threshold, *node;
        bool taken;
        const char *by;
        bool stays;
    } rows[] = {
        {false, "none", "", false, "instance", true}, {true, "a", "", false, "instance", true},
        {true, "a", "lap", false, "instance", true},  {true, "a", "", true, "instance", false},
        {true, "b", "", false, "instance", false},    {true, "a", "n1", false, "instance", false},
        {true, "a", "n1", false, "node", false},      {true, "a", "n1", false, "all", true},
        {true, "b", "n1", false, "all", false},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        char condition[64], keys[256];
        snprintf(condition, sizeof condition, "thresholds=a;require=any;by=%s", rows[i].by);
        scene_open(&scene, condition);
        scene_play(&scene, "+-----");
        struct watches *watches = &scene.watched->watches;
        watches->all_began = rows[i].all_began;
        struct saved_series saved = {.taken = rows[i].taken};
        snprintf(saved.threshold, sizeof saved.threshold, "%s", rows[i].threshold);
        snprintf(saved.node, sizeof saved.node, "%s", rows[i].node);
        assert_int_equal(state_add_series(&watches->saved, &saved), 0);
        scene_play(&scene, "------");
        if (count(&scene, keys) != rows[i].stays)
            fail_msg("row %zu", i);
        assert_int_equal(scene.conditions.looked, !rows[i].stays);
        watches->all_began = true;
        watches->saved.n_series = 0;
        step(scene.watched, &scene.conditions);
        assert_int_equal(count(&scene, keys), 0);
        assert_true(scene.conditions.looked);
        watched_free(scene.watched);
    }
}

static void play_all(void)
{
    struct scene scene;
    scene_open(&scene, "thresholds=a b;require=any;by=instance");
    scene_play(&scene, "++++++");
    scene_play(&scene, "------");
    watched_free(scene.watched);
}

static void all_is_given_back(void **state)
{
    (void)state;
    assert_keeps_nothing(play_all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_members_do),  cmocka_unit_test(what_it_says),
        cmocka_unit_test(what_ends_it),      cmocka_unit_test(paused_from_the_beginning),
        cmocka_unit_test(each_on_its_own),   watched_test(of_children),
        cmocka_unit_test(when_it_looks),     cmocka_unit_test(members_that_may_come),
        cmocka_unit_test(all_is_given_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
