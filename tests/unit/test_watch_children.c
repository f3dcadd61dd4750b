/* Thresholds on the series of children: the alarm is the child's, and outlives what the child and
 * this node go through. */

#include "leaves.h"

/* -- Raised and cleared --------------------------------------------------------------------- */

static void the_alarm_is_the_childs(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 50);
    leaves_say(world, &world->b, 50);
    assert_int_equal(leaves_phase(world, "a"), PHASE_CLEAR);
    leaves_say(world, &world->b, 95.5);
    leaves_say(world, &world->b, 99);
    assert_events(world->node, "b:busy:total", 1, 0);
    const struct alarm_facts *facts = &active_alarm(world->node, "b:busy:total")->facts;
    assert_string_equal(facts->node, "b");
    assert_string_equal(facts->sensor, "cpu");
    assert_string_equal(facts->value, "95.5");
    assert_string_equal(facts->message, "busy: cpu on total of b is 95.5 tasks (limit > 90)");
    assert_int_equal(leaves_phase(world, "a"), PHASE_CLEAR);
    assert_int_equal(leaves_phase(world, "b"), PHASE_RAISED);
    assert_int_equal(number_at(world->node, MIB_dcampThresholdRaised, "busy", NULL), 1);
    leaves_say(world, &world->b, 85);
    assert_events(world->node, "b:busy:total", 1, 0);
    leaves_say(world, &world->b, 80);
    assert_events(world->node, "b:busy:total", 1, 1);
    assert_string_equal(last_event(world->node)->facts.node, "b");
    assert_int_equal(events_of(world->node, "a:busy:total", 0), 0);
    assert_int_equal(events_of(world->node, "lap:busy:total", 0), 0);
}

/* Each value of a report is a sample. */
static void samples_and_durations(void **state)
{
    struct world *world = *state;
    static const struct bind binds[] = {{MIB_dcampThresholdMatch, "busy", 2, NULL},
                                        {MIB_dcampThresholdWindow, "busy", 3, NULL},
                                        {MIB_dcampThresholdDuration, "busy", 2000, NULL}};
    assert_int_equal(node_set(world->node, binds, N_OF(binds)), SET_OK);
    leaves_say(world, &world->a, 50);
    ring_value(world->a.ring, 1, 95);
    ring_value(world->a.ring, 1, 10);
    leaves_say(world, &world->a, 95);
    assert_int_equal(leaves_phase(world, "a"), PHASE_PENDING);
    leaves_say(world, &world->a, 95);
    assert_int_equal(leaves_phase(world, "a"), PHASE_PENDING);
    leaves_say(world, &world->a, 95);
    assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
    assert_events(world->node, "a:busy:total", 1, 0);
}

/* Rules on a child's series, and their alarms, are on its account; nothing is left on it. */
static void what_rules_cost(void **state)
{
    struct world *world = *state;
    struct children *children = &world->node->daemon->children;
    leaves_say(world, &world->a, 50);
    struct child *child = children_find(children, "a");
    size_t watched = child->cost.memory;
    leaves_say(world, &world->a, 95);
    assert_int_equal(child->cost.memory, watched + sizeof(struct alarm));
    leaves_say(world, &world->a, 80);
    assert_int_equal(child->cost.memory, watched);
    leaves_say(world, &world->a, 95);
    const struct bind pause = {MIB_dcampThresholdRowStatus, "busy",
                               dcampThresholdRowStatus_notInService, NULL};
    assert_int_equal(node_set(world->node, &pause, 1), SET_OK);
    node_cycle(world->node, 1000);
    assert_true(child->cost.memory > 0 && child->cost.memory <= watched - sizeof(struct watch));
    child_end_series(children, child, "the test ends them", world->node->now);
    assert_int_equal(child->cost.memory, 0);
}

/* -- Which ---------------------------------------------------------------------------------- */

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *children, *groups, *instances;
        bool a, b;
    } cases[] = {
        {"*", "", "*", true, true},      {"", "*", "*", true, true},
        {"a", "", "*", true, false},     {"!a", "", "*", false, true},
        {"", "blue", "*", false, true},  {"a", "blue", "*", false, false},
        {"*", "blue", "*", false, true}, {"?", "*", "tot*", true, true},
        {"*", "", "cpu*", false, false}, {"", "", "*", false, false},
    };
    void *own;
    leaves_begin(&own, CONFIG("", BOTH));
    struct world *world = own;
    leaves_say(world, &world->a, 95);
    leaves_say(world, &world->b, 95);
    const struct bind made[] = {
        {MIB_dcampThresholdRowStatus, "busy", dcampThresholdRowStatus_createAndGo, NULL},
        {MIB_dcampThresholdSensor, "busy", 0, "cpu"},
        {MIB_dcampThresholdOperator, "busy", dcampThresholdOperator_gt, NULL},
        {MIB_dcampThresholdLimit, "busy", 0, "90"}};
    assert_int_equal(node_set(world->node, made, N_OF(made)), SET_OK);
    for (size_t i = 0; i < N_OF(cases); i++) {
        const struct bind binds[] = {{MIB_dcampThresholdChildren, "busy", 0, cases[i].children},
                                     {MIB_dcampThresholdGroups, "busy", 0, cases[i].groups},
                                     {MIB_dcampThresholdInstances, "busy", 0, cases[i].instances}};
        assert_int_equal(node_set(world->node, binds, N_OF(binds)), SET_OK);
        assert_cell_text(world->node, MIB_dcampThresholdGroups, "busy", NULL, cases[i].groups);
        node_cycle(world->node, 1000);
        if (leaves_phase(world, "a") != (cases[i].a ? PHASE_RAISED : 0) ||
            leaves_phase(world, "b") != (cases[i].b ? PHASE_RAISED : 0))
            fail_msg("case %zu: %d, %d", i, (int)leaves_phase(world, "a"),
                     (int)leaves_phase(world, "b"));
        assert_int_equal(active_alarm(world->node, "a:busy:total") != NULL, cases[i].a);
        assert_int_equal(active_alarm(world->node, "b:busy:total") != NULL, cases[i].b);
    }
    leaves_teardown(&own);
}

/* A sensor that this node and its children have. */
static void own_series_are_apart(void **state)
{
    (void)state;
    void *own;
    leaves_begin(&own,
                 CONFIG("<threshold name=\"own\" sensor=\"load\" operator=\"ge\" limit=\"0\"/>"
                        "<threshold name=\"theirs\" sensor=\"load\" groups=\"*\" operator=\"ge\" "
                        "limit=\"0\"/>",
                        BOTH));
    struct world *world = own;
    ring_value(world->a.ring, 1, 3);
    leaves_answer(world, &world->a, SIZE_MAX);
    leaves_name(world, &world->a, "load", "total");
    node_cycle(world->node, 1000);
    assert_non_null(active_alarm(world->node, "lap:own:total"));
    assert_non_null(active_alarm(world->node, "a:theirs:total"));
    assert_int_equal(world->node->daemon->alarms.active.count, 2);
    leaves_teardown(&own);
}

static void long_instances_have_rows(void **state)
{
    struct world *world = *state;
    const char *instance = "0123456789012345678901234567890123456789-12345678901234567890123";
    ring_value(world->a.ring, 1, 95);
    leaves_answer(world, &world->a, SIZE_MAX);
    leaves_name(world, &world->a, "cpu", instance);
    const struct watch *watch = (struct watch *)index_first(&world->node->daemon->watches.watches);
    assert_int_equal(watch->node.key_len, 1 + 4 + 1 + 1 + 1 + INSTANCE_KEY_MAX);
    assert_int_equal(watch->state.phase, PHASE_RAISED);
    char key[ALARM_KEY_SIZE];
    alarm_key(key, "a", "busy", instance);
    assert_non_null(active_alarm(world->node, key));
    leaves_restart(world, true);
    leaves_answer(world, &world->a, SIZE_MAX);
    leaves_name(world, &world->a, "cpu", instance);
    node_cycle(world->node, 200000);
    assert_events(world->node, key, 1, 0);
}

/* -- What was before ------------------------------------------------------------------------ */

/* What a child has kept from before this node polls it has been: only its end is. */
static void history_is_no_news(void **state)
{
    struct world *world = *state;
    static const double values[] = {95, 10, 99, 50};
    for (size_t i = 0; i < N_OF(values); i++)
        ring_value(world->a.ring, 1, values[i]);
    leaves_answer(world, &world->a, 1);
    leaves_name(world, &world->a, "cpu", "total");
    assert_int_equal(leaves_phase(world, "a"), PHASE_UNKNOWN);
    leaves_answer(world, &world->a, 2);
    assert_int_equal(leaves_phase(world, "a"), PHASE_UNKNOWN);
    leaves_answer(world, &world->a, 1);
    assert_int_equal(leaves_phase(world, "a"), PHASE_CLEAR);
    assert_int_equal(events_of(world->node, "a:busy:total", 0), 0);
    leaves_say(world, &world->a, 91);
    assert_events(world->node, "a:busy:total", 1, 0);
}

static void a_threshold_that_comes_later(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 85);
    leaves_say(world, &world->b, 85);
    leaves_silent(world, &world->b);
    node_set_one(world->node, MIB_dcampThresholdLimit, "busy", 0, "84");
    node_cycle(world->node, 1000);
    assert_events(world->node, "a:busy:total", 1, 0);
    assert_int_equal(leaves_phase(world, "b"), PHASE_UNKNOWN); /* that value is of the past */
    leaves_say(world, &world->b, 85);
    assert_events(world->node, "b:busy:total", 1, 0);
    node_set_one(world->node, MIB_dcampThresholdRowStatus, "busy",
                 dcampThresholdRowStatus_notInService, NULL);
    node_cycle(world->node, 1000);
    assert_events(world->node, "a:busy:total", 1, 1);
    assert_events(world->node, "b:busy:total", 1, 1);
    leaves_say(world, &world->a, 99);
    assert_int_equal(world->node->daemon->watches.watches.count, 0);
}

/* -- Children that go and come -------------------------------------------------------------- */

static void a_lost_child_keeps_its_alarms(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    leaves_silent(world, &world->a);
    node_cycle(world->node, 3600000);
    assert_events(world->node, "a:busy:total", 1, 0);
    assert_non_null(active_alarm(world->node, "a:node-lost:"));
    assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
    leaves_say(world, &world->a, 96);
    assert_events(world->node, "a:busy:total", 1, 0);
    assert_null(active_alarm(world->node, "a:node-lost:"));
    leaves_say(world, &world->a, 5);
    assert_events(world->node, "a:busy:total", 1, 1);
}

static void a_child_that_starts_again(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    for (int i = 0; i < 3; i++) {
        leaves_reboot(&world->a);
        leaves_answer(world, &world->a, SIZE_MAX);
        node_cycle(world->node, 300000);
        assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
        leaves_say(world, &world->a, 95);
        assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
    }
    assert_events(world->node, "a:busy:total", 1, 0);
    leaves_reboot(&world->a);
    leaves_say(world, &world->a, 10);
    assert_events(world->node, "a:busy:total", 1, 1);
    leaves_say(world, &world->a, 95);
    assert_events(world->node, "a:busy:total", 2, 1);
}

/* It has started again without that series, which ends after a while. */
static void a_child_without_its_series(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    leaves_reboot(&world->a);
    leaves_answer(world, &world->a, SIZE_MAX);
    node_cycle(world->node, 600000);
    leaves_answer(world, &world->a, SIZE_MAX);
    assert_events(world->node, "a:busy:total", 1, 0);
    node_cycle(world->node, 300000);
    leaves_answer(world, &world->a, SIZE_MAX);
    assert_events(world->node, "a:busy:total", 1, 1);
    assert_leaf_ended(world, "a:busy:total", "the child has the series no more");
    assert_int_equal(leaves_child(world, &world->a)->series.n_named, 0);
}

static void ends_with_a_reason(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    struct message_series series = series_of(leaves_child(world, &world->a), 1, NULL, NULL);
    children_message(&world->node->daemon->children, &series.head, world->node->now);
    assert_leaf_ended(world, "a:busy:total", "the child has the series no more");
    leaves_say(world, &world->a, 96);
    node_set_one(world->node, MIB_dcampChildGroup, "a", 0, "other");
    node_cycle(world->node, 1000);
    assert_leaf_ended(world, "a:busy:total", "the child was changed");
    world->a.sent = 0;
    leaves_say(world, &world->a, 97);
    leaves_say(world, &world->b, 97);
    node_set_one(world->node, MIB_dcampChildRowStatus, "a", dcampChildRowStatus_notInService, NULL);
    node_cycle(world->node, 1000);
    assert_leaf_ended(world, "a:busy:total", "the child is paused");
    assert_events(world->node, "a:busy:total", 3, 3);
    /* A node whose last child is gone has another role, and tells of that last. */
    node_set_one(world->node, MIB_dcampChildRowStatus, "a", dcampChildRowStatus_active, NULL);
    node_configure(world->node, "lap", CONFIG(BUSY "clear=\"80\"/>", CHILD("a", "red")));
    char error[1024];
    assert_true(dcampd_reload(world->node->daemon, error));
    node_cycle(world->node, 1000);
    assert_leaf_ended(world, "b:busy:total", "the child was removed");
}

/* What the child has kept while it could not be reached: 40 seconds of it, two values a second. */
static void add_swing(struct world *world)
{
    for (int64_t at = 0; at < 40000; at += 500) {
        const struct result result = {RESULT_VALID, at % 10000 < 5000 ? 20 : 60};
        int64_t wall_ms = world->node->now.wall_ms / 10000 * 10000 + at;
        assert_int_equal(report_add(world->a.ring, 1, wall_ms, &result), 0);
    }
    assert_int_equal(report_flush(world->a.ring), 0);
}

/* It comes at once, and is four seasons to a model all the same. */
static void seasons_by_the_clock_of_the_child(void **state)
{
    assert_int_equal(leaves_begin(state, CONFIG("<threshold name=\"busy\" sensor=\"cpu\" "
                                                "children=\"*\" operator=\"gt\" limit=\"5\" "
                                                "source=\"deviation\" span=\"10s\"/>",
                                                BOTH)),
                     0);
    struct world *world = *state;
    leaves_answer(world, &world->a, SIZE_MAX);
    add_swing(world);
    leaves_answer(world, &world->a, SIZE_MAX);
    leaves_name(world, &world->a, "cpu", "total");
    assert_int_equal(leaves_phase(world, "a"), PHASE_UNKNOWN);
    node_cycle(world->node, 60000);
    add_swing(world);
    leaves_answer(world, &world->a, SIZE_MAX);
    assert_int_equal(leaves_phase(world, "a"), PHASE_CLEAR);
    assert_int_equal(events_of(world->node, "a:busy:total", 0), 0);
    assert_int_equal(leaves_teardown(state), 0);
}

/* -- This node comes again ------------------------------------------------------------------ */

static void outlives_a_restart(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 10);
    leaves_say(world, &world->a, 95);
    for (int life = 0; life < 4; life++) {
        leaves_restart(world, life % 2);
        leaves_answer(world, &world->a, 1); /* the old 10: history */
        leaves_name(world, &world->a, "cpu", "total");
        node_cycle(world->node, 1000);
        assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
        leaves_answer(world, &world->a, SIZE_MAX);
        node_cycle(world->node, 300000);
        assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
        assert_events(world->node, "a:busy:total", 1, 0);
        assert_int_equal(number_at(world->node, MIB_dcampThresholdRaised, "busy", NULL), 1);
    }
    leaves_say(world, &world->a, 10);
    assert_events(world->node, "a:busy:total", 1, 1);
}

/* However long nothing is heard of it. */
static void waits_for_a_lost_child(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    for (int life = 0; life < 3; life++) {
        leaves_restart(world, life == 1);
        leaves_silent(world, &world->a);
        node_cycle(world->node, 3600000);
        node_cycle(world->node, 3600000);
        assert_events(world->node, "a:busy:total", 1, 0);
    }
    leaves_say(world, &world->a, 95);
    assert_events(world->node, "a:busy:total", 1, 0);
    assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
    assert_true(world->node->daemon->settled);
}

static void others_recover(void **state)
{
    leaves_begin(state, CONFIG(BUSY "/>", BOTH) ANY_BUSY);
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    leaves_say(world, &world->b, 95);
    leaves_restart(world, false);
    leaves_silent(world, &world->a);
    leaves_say(world, &world->b, 10);
    assert_events(world->node, "b:c:", 1, 1);
    leaves_teardown(state);
}

static void does_not_come_again(void **state)
{
    struct world *world = *state;
    leaves_say(world, &world->a, 95);
    leaves_say(world, &world->b, 95);
    leaves_restart(world, false);
    node_cycle(world->node, 300000);
    assert_int_equal(world->node->daemon->alarms.active.count, 2);
    node_set_one(world->node, MIB_dcampChildRowStatus, "b", dcampChildRowStatus_notInService, NULL);
    node_cycle(world->node, 2000);
    assert_leaf_ended(world, "b:busy:total", "gone after a restart");
    leaves_reboot(&world->a);
    leaves_answer(world, &world->a, SIZE_MAX);
    node_cycle(world->node, 100000);
    assert_events(world->node, "a:busy:total", 1, 0);
    node_cycle(world->node, 100000);
    assert_leaf_ended(world, "a:busy:total", "gone after a restart");
    assert_true(world->node->daemon->settled);
}

/* Also while a filter holds the values back; and the first one after a start. */
static void windows(void **state)
{
    assert_int_equal(leaves_begin(state, CONFIG(BUSY "source=\"mean\"/>", BOTH)), 0);
    struct world *world = *state;
    leaves_say(world, &world->a, 50);
    ring_window(world->a.ring, 1, 95);
    leaves_answer(world, &world->a, SIZE_MAX);
    assert_int_equal(leaves_phase(world, "a"), PHASE_RAISED);
    leaves_reboot(&world->a);
    leaves_say(world, &world->a, 50);
    ring_window(world->a.ring, 1, 50);
    leaves_answer(world, &world->a, SIZE_MAX);
    assert_int_equal(leaves_phase(world, "a"), PHASE_CLEAR);
    assert_int_equal(leaves_teardown(state), 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, leaves_setup, leaves_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(the_alarm_is_the_childs),
        test(samples_and_durations),
        test(what_rules_cost),
        cmocka_unit_test(patterns),
        cmocka_unit_test(own_series_are_apart),
        test(long_instances_have_rows),
        test(history_is_no_news),
        test(a_threshold_that_comes_later),
        test(a_lost_child_keeps_its_alarms),
        test(a_child_that_starts_again),
        test(a_child_without_its_series),
        test(ends_with_a_reason),
        test(outlives_a_restart),
        test(waits_for_a_lost_child),
        test(does_not_come_again),
        cmocka_unit_test(seasons_by_the_clock_of_the_child),
        cmocka_unit_test(windows),
        cmocka_unit_test(others_recover),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
