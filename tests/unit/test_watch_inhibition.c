/* What holds an alarm back, and what goes before what. */
#include <string.h>

#include "watch/inhibition.h"
#include "watched.h"

#define RULE "sensor=load;operator=gt;limit=5"

static bool always(const void *context, const struct alarm_facts *facts)
{
    (void)facts;
    return *(const bool *)context;
}

/* A rule on one series; each of what may hold its alarm may be there. */
struct scene {
    struct watched *watched;
    struct fake_series *load;
    struct inhibition inhibition;
    struct alarm_facts facts;
    bool follows;
};

static void scene_open(struct scene *scene, const char *fields)
{
    *scene = (struct scene){.watched = watched_new()};
    scene->load = watched_series(scene->watched, NULL, "load", "a");
    watched_row(scene->watched, ROW_THRESHOLD, "t", fields);
    watched_sync(scene->watched);
    scene->inhibition =
        (struct inhibition){.watches = &scene->watched->watches,
                            .config = (const struct config *const *)&scene->watched->config,
                            .follows = always,
                            .context = &scene->follows};
    scene->facts = (struct alarm_facts){.kind = ALARM_OF_THRESHOLD};
    strcpy(scene->facts.node, "lap");
    strcpy(scene->facts.threshold, "t");
    strcpy(scene->facts.instance, "a");
}

static struct alarm_verdict judge(struct scene *scene, enum alarm_event event)
{
    return inhibition_judge(&scene->inhibition, &scene->facts, event, scene->watched->now);
}

static void flap(struct scene *scene)
{
    for (int i = 0; i < 6; i++)
        watched_value(scene->watched, scene->load, i % 2 ? 1 : 9);
}

static void maintain(struct scene *scene)
{
    struct maintenance_row *row = (struct maintenance_row *)watched_row(
        scene->watched, ROW_MAINTENANCE, "m", "days=mon;time=00:00;duration=1h");
    row->days = 0;
    row->begin_ms = scene->watched->now.wall_ms;
    row->end_ms = scene->watched->now.wall_ms + 60000;
}

/* Each row lacks one more than the row before it. */
static void order_of_precedence(void **state)
{
    static const struct {
        const char *fields;
        bool flaps, maintained, follows;
        enum alarm_hold raised, cleared;
    } rows[] = {
        {RULE ";notify=false;flap-count=3;flap-time=60s", true, true, true, HOLD_QUIET, HOLD_NONE},
        {RULE ";flap-count=3;flap-time=60s", true, true, true, HOLD_FLAPPING, HOLD_FLAPPING},
        {RULE ";dampening=everyNth;dampening-count=2", false, true, true, HOLD_DAMPENED, HOLD_NONE},
        {RULE, false, true, true, HOLD_MAINTENANCE, HOLD_NONE},
        {RULE, false, false, true, HOLD_DEPENDENCY, HOLD_NONE},
        {RULE, false, false, false, HOLD_NONE, HOLD_NONE},
    };
    static const enum alarm_event events[] = {ALARM_RAISED, ALARM_CHANGED, ALARM_REPEATED};
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        scene_open(&scene, rows[i].fields);
        if (rows[i].flaps)
            flap(&scene);
        else
            watched_value(scene.watched, scene.load, 9);
        if (rows[i].maintained)
            maintain(&scene);
        scene.follows = rows[i].follows;
        for (size_t k = 0; k < N_OF(events); k++)
            if (judge(&scene, events[k]).hold != rows[i].raised)
                fail_msg("row %zu: %d", i, judge(&scene, events[k]).hold);
        assert_int_equal(judge(&scene, ALARM_CLEARED).hold, rows[i].cleared);
        watched_free(scene.watched);
    }
}

static void no_one_to_ask(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, RULE);
    scene.inhibition.follows = NULL;
    assert_int_equal(judge(&scene, ALARM_RAISED).hold, HOLD_NONE);
    watched_free(scene.watched);
}

static void repetitions(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, RULE ";repeat=5m");
    watched_row(scene.watched, ROW_CONDITION, "c", "thresholds=t;require=any;by=node;repeat=7m");
    assert_int_equal(judge(&scene, ALARM_RAISED).repeat_ms, 300000);
    assert_int_equal(judge(&scene, ALARM_CLEARED).repeat_ms, 300000);
    scene.facts.kind = ALARM_OF_NODE;
    assert_int_equal(judge(&scene, ALARM_RAISED).repeat_ms, 0);
    scene.facts.kind = ALARM_OF_CONDITION;
    assert_int_equal(judge(&scene, ALARM_RAISED).repeat_ms, 0); /* none of that name */
    strcpy(scene.facts.threshold, "c");
    assert_int_equal(judge(&scene, ALARM_RAISED).repeat_ms, 420000);
    scene.facts.kind = ALARM_OF_THRESHOLD;
    assert_int_equal(judge(&scene, ALARM_RAISED).repeat_ms, 0);
    watched_free(scene.watched);
}

/* A rule that tells nobody says nothing of a condition or a node of the same name. */
static void of_rules_alone(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, RULE ";notify=false");
    assert_int_equal(judge(&scene, ALARM_RAISED).hold, HOLD_QUIET);
    scene.facts.kind = ALARM_OF_CONDITION;
    assert_int_equal(judge(&scene, ALARM_RAISED).hold, HOLD_NONE);
    scene.facts.kind = ALARM_OF_NODE;
    assert_int_equal(judge(&scene, ALARM_RAISED).hold, HOLD_NONE);
    watched_free(scene.watched);
}

static void maintenance_to_the_millisecond(void **state)
{
    static const struct {
        int64_t after_ms;
        const char *nodes, *thresholds;
        enum row_status status;
        enum alarm_hold hold;
    } rows[] = {
        {-1, "*", "*", ROW_ACTIVE, HOLD_NONE},
        {0, "*", "*", ROW_ACTIVE, HOLD_MAINTENANCE},
        {59999, "*", "*", ROW_ACTIVE, HOLD_MAINTENANCE},
        {60000, "*", "*", ROW_ACTIVE, HOLD_NONE},
        {0, "lap", "t u", ROW_ACTIVE, HOLD_MAINTENANCE},
        {0, "!lap *", "*", ROW_ACTIVE, HOLD_NONE},
        {0, "*", "u", ROW_ACTIVE, HOLD_NONE},
        {0, "*", "*", ROW_NOT_IN_SERVICE, HOLD_NONE},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(rows); i++) {
        struct scene scene;
        scene_open(&scene, RULE);
        maintain(&scene);
        watched_row(scene.watched, ROW_MAINTENANCE, "zz",
                    "nodes=other;days=mon;time=00:00;duration=1h");
        struct maintenance_row *row =
            (struct maintenance_row *)config_find(scene.watched->config, ROW_MAINTENANCE, "m");
        strcpy(row->nodes, rows[i].nodes);
        strcpy(row->thresholds, rows[i].thresholds);
        row->row.status = rows[i].status;
        scene.watched->now.wall_ms += rows[i].after_ms;
        if (judge(&scene, ALARM_RAISED).hold != rows[i].hold)
            fail_msg("row %zu", i);
        watched_free(scene.watched);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_of_precedence),
        cmocka_unit_test(no_one_to_ask),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(of_rules_alone),
        cmocka_unit_test(maintenance_to_the_millisecond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
