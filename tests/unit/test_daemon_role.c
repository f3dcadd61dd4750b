/* What a node does, why, and when that is told. */
#include <stdio.h>
#include <string.h>

#include "alarm/alarm.h"
#include "daemon/role.h"
#include "dcamp_mib.h"
#include "tree/message.h"

#include "unit.h"

struct place {
    struct role role;
    struct assignment share;
    struct role_basis basis;
    struct alarms alarms;
    struct moment now;
};

static int place_setup(void **state)
{
    static const struct alarm_limits limits = {.log_size = 10, .queue = 10};
    struct place *place = calloc(1, sizeof *place);
    assert_non_null(place);
    place->now = (struct moment){.mono_ns = NS_PER_S, .wall_ms = 1000};
    place->basis.assignment = &place->share;
    alarms_open(&place->alarms, &limits, place->now.mono_ns);
    *state = place;
    return 0;
}

static int place_teardown(void **state)
{
    struct place *place = *state;
    alarms_close(&place->alarms);
    free(place);
    return 0;
}

static void step(struct place *place)
{
    role_step(&place->role, &place->basis, &place->alarms, "n", place->now);
    alarms_tick(&place->alarms, place->now);
}

static void share(struct place *place, enum share_role role, const char *root, uint32_t term)
{
    struct order order = {.term = term, .is_empty = role == 0};
    snprintf(order.root, sizeof order.root, "%s", root);
    place->share = (struct assignment){.role = role};
    snprintf(place->share.root, sizeof place->share.root, "%s", root);
    snprintf(place->share.reason, sizeof place->share.reason, "as planned");
    role_ordered(&place->role, &order);
    step(place);
}

/* NULL: nothing was told. */
static void assert_told(struct place *place, const char *role, const char *message)
{
    const struct notification *told = alarms_peek(&place->alarms);
    if (!message) {
        assert_null(told);
        return;
    }
    assert_non_null(told);
    assert_int_equal(told->facts.kind, ALARM_OF_ROLE);
    assert_string_equal(told->facts.instance, role);
    assert_string_equal(told->facts.message, message);
    assert_string_equal(strstr(message, ": ") + 2, place->role.reason);
    alarms_pop(&place->alarms, true);
    assert_null(alarms_peek(&place->alarms));
}

static void words_are_those_of_the_mib(void **state)
{
    const struct mib_info *info = &mib_objects[MIB_dcampNodeRole];
    (void)state;
    assert_int_equal(info->n_labels, 4);
    for (size_t i = 0; i < info->n_labels; i++)
        assert_string_equal(role_word((enum node_role)info->labels[i].value), info->labels[i].name);
}

static void how_it_begins_is_no_change(void **state)
{
    struct place *place = *state;
    share(place, SHARE_ROOT, "n", 3);
    assert_told(place, NULL, NULL);
    assert_string_equal(place->role.reason, "as planned, ordered by \"n\" in term 3");
    step(place);
    assert_told(place, NULL, NULL);
}

static void the_configuration(void **state)
{
    struct place *place = *state;
    step(place);
    assert_int_equal(place->role.is, ROLE_BASE);
    assert_string_equal(place->role.reason, "no share, the node works by its configuration file");
    place->basis.sensors = 1;
    step(place);
    assert_told(place, "metric", "n is metric, was base: its configuration was changed");
    place->basis.children = 1;
    place->basis.level = 1;
    step(place);
    assert_told(place, "collector", "n is collector, was metric: its configuration was changed");
    place->basis.level = 0;
    step(place);
    assert_told(place, "root", "n is root, was collector: its configuration was changed");
}

static void a_tree_from_beginning_to_end(void **state)
{
    struct place *place = *state;
    step(place);
    share(place, SHARE_METRIC, "r1", 1);
    assert_told(place, "metric", "n is metric, was base: as planned, ordered by \"r1\" in term 1");
    share(place, SHARE_METRIC, "r1", 2);
    assert_told(place, NULL, NULL);
    share(place, SHARE_COLLECTOR, "r1", 2);
    assert_told(place, "collector",
                "n is collector, was metric: as planned, ordered by \"r1\" in term 2");
    share(place, 0, "r1", 3);
    assert_told(place, "base",
                "n is base, was collector: \"r1\" has ended the share in term 3, the node works by "
                "its configuration file");
}

static void a_standby_takes_over_and_steps_down(void **state)
{
    struct place *place = *state;
    struct tree_message_role heard = {.reason = "r1 is silent"};
    share(place, SHARE_METRIC, "r1", 1);
    role_heard(&place->role, &heard);
    share(place, SHARE_ROOT, "n", 18);
    assert_told(place, "root",
                "n is root, was metric: it takes over from \"r1\" in term 18: r1 is silent");
    share(place, SHARE_COLLECTOR, "r1", 33);
    assert_told(
        place, "collector",
        "n is collector, was root: a higher term was seen: 33 of \"r1\", after its own term "
        "18");
    share(place, SHARE_ROOT, "n", 34);
    assert_told(place, "root", "n is root, was collector: it takes over from \"r1\" in term 34");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_those_of_the_mib),
        cmocka_unit_test_setup_teardown(how_it_begins_is_no_change, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(the_configuration, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(a_tree_from_beginning_to_end, place_setup, place_teardown),
        cmocka_unit_test_setup_teardown(a_standby_takes_over_and_steps_down, place_setup,
                                        place_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
