/* The alarm of a sink that is not up for five minutes. */
#include <string.h>

#include "manager.h"
#include "unit.h"

#define KEY "lap:sink-down:history"

static const char elements[] = "<sinks><sink name=\"history\" kind=\"sqlite\"/></sinks>";

static int node_setup(void **state)
{
    *state = node_new(elements);
    node_cycle(*state, 0);
    return 0;
}

static struct outlet_sink_row *history(struct node *node)
{
    return (struct outlet_sink_row *)index_first(&node->daemon->outlet.sinks);
}

/* As a process says it, or when it has gone. */
static void say(struct node *node, enum outlet_sink_state state, const char *error)
{
    struct outlet_sink_row *sink = history(node);
    sink->since_ns = node->now.mono_ns;
    sink->state.state = state;
    strcpy(sink->state.error, error);
}

static const struct alarm *active(struct node *node)
{
    return alarm_find(&node->daemon->alarms, KEY);
}

static void after_five_minutes(void **state)
{
    struct node *node = *state;
    say(node, OUTLET_SINK_FAILING, "disk full");
    assert_true(node_cycle(node, 1000) <= (int64_t)SINK_DOWN_MS * (int64_t)NS_PER_MS);
    node_cycle(node, SINK_DOWN_MS - 1);
    assert_null(active(node));
    say(node, OUTLET_SINK_ABSENT, "disk full"); /* whatever it is, it is not up */
    node_cycle(node, 1);
    const struct alarm *alarm = active(node);
    assert_non_null(alarm);
    assert_int_equal(alarm->facts.severity, SEVERITY_WARNING);
    assert_string_equal(alarm->facts.threshold, "sink-down");
    assert_string_equal(alarm->facts.instance, "history");
    assert_string_equal(alarm->facts.message,
                        "sink history had no process of dcamp-publish for 5 minutes: disk full");
    node_cycle(node, SINK_DOWN_MS);
    assert_ptr_equal(active(node), alarm); /* once */
    say(node, OUTLET_SINK_UP, "");
    node_cycle(node, 1);
    assert_null(active(node));
}

/* Each time counts from its own beginning. */
static void up_between(void **state)
{
    struct node *node = *state;
    say(node, OUTLET_SINK_FAILING, "");
    node_cycle(node, 0);
    node_cycle(node, SINK_DOWN_MS - 1);
    say(node, OUTLET_SINK_UP, "");
    node_cycle(node, 1);
    say(node, OUTLET_SINK_FAILING, "");
    node_cycle(node, 1);
    node_cycle(node, SINK_DOWN_MS - 1);
    assert_null(active(node));
    node_cycle(node, 1);
    assert_string_equal(active(node)->facts.message,
                        "sink history has taken nothing for 5 minutes");
}

static void where_nobody_was_ever_there(void **state)
{
    struct node *node = *state;
    node_cycle(node, 2 * SINK_DOWN_MS);
    node_cycle(node, 2 * SINK_DOWN_MS);
    assert_null(active(node));
}

/* Without a process at first, and with one that is up. */
static void over_a_restart(void **state)
{
    struct node *node = *state;
    say(node, OUTLET_SINK_FAILING, "");
    node_cycle(node, 0);
    node_cycle(node, SINK_DOWN_MS);
    assert_non_null(active(node));
    node_start_again(node);
    node_cycle(node, 0);
    node_cycle(node, 2 * SINK_DOWN_MS);
    assert_non_null(active(node));
    say(node, OUTLET_SINK_UP, "");
    node_cycle(node, 0);
    assert_null(active(node));
}

static void not_configured_any_more(void **state)
{
    char error[1024];
    struct node *node = *state;
    for (int restarts = 0; restarts < 2; restarts++) {
        node_configure(node, "lap", elements);
        assert_true(dcampd_reload(node->daemon, error));
        node_cycle(node, 0);
        say(node, OUTLET_SINK_FAILING, "");
        node_cycle(node, 0);
        node_cycle(node, SINK_DOWN_MS);
        assert_non_null(active(node));
        node_configure(node, "lap", "");
        if (restarts)
            node_start_again(node);
        else
            assert_true(dcampd_reload(node->daemon, error));
        node_cycle(node, 0);
        assert_null(active(node));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(after_five_minutes),          node_test(up_between),
        node_test(where_nobody_was_ever_there), node_test(over_a_restart),
        node_test(not_configured_any_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
