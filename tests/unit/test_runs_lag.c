/* Whether a history has come to the end of a run. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "publish/history.h"
#include "runs/copy.h"
#include "tests/unit/scribe.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000)
#define STOP_MS (START_MS + 63000)

struct world {
    char directory[64];
    struct scribe *scribe;
};

static const struct scribe_words cpu = {"n1", "cpu", "total", "cpu.busy", "%"};
static const struct scribe_words executed = {"n1", "executed", "u/web:get", "app.records", ""};

static int setup(void **state)
{
    static struct world world;
    world = (struct world){.directory = "/tmp/dcamp-runs-copy.XXXXXX"};
    assert_non_null(mkdtemp(world.directory));
    world.scribe = scribe_open(world.directory, START_MS);
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    char command[128];
    scribe_close(world->scribe);
    text_format(command, sizeof command, "rm -r '%s'", world->directory);
    return system(command);
}

/* Values each so many seconds, of the times after one until another one, since the start. */
static void tell(struct world *world, const struct scribe_words *words, int every, int from, int to)
{
    for (int at = from + every; at <= to; at += every)
        scribe_value(world->scribe, words, START_MS + at * INT64_C(1000), at);
    scribe_commit(world->scribe, START_MS + to * INT64_C(1000), false);
}

static void look(struct world *world, struct copy_lag *lag)
{
    int error;
    struct history *history = history_open(world->directory, &error);
    assert_non_null(history);
    assert_int_equal(copy_look(history, START_MS, STOP_MS, lag), 0);
    history_close(history);
}

static void a_node_has_come_with_its_first_value_after_the_stop(void **state)
{
    struct world *world = *state;
    struct copy_lag lag;
    tell(world, &cpu, 1, 0, 62);
    look(world, &lag);
    assert_int_equal(lag.nodes, 1);
    assert_string_equal(lag.node, "n1");
    assert_int_equal(lag.last_ms, START_MS + 62000);
    tell(world, &cpu, 1, 62, 63);
    look(world, &lag);
    assert_int_equal(lag.nodes + lag.records, 0);
}

/* The value at 60 s has all until then; that of 70 s, the last 3 s of the run. */
static void executions_come_with_the_next_value_of_their_sensor(void **state)
{
    struct world *world = *state;
    struct copy_lag lag;
    tell(world, &executed, 10, 0, 60);
    tell(world, &cpu, 1, 0, 69);
    look(world, &lag);
    assert_int_equal(lag.nodes, 0);
    assert_int_equal(lag.records, 1);
    assert_string_equal(lag.records_node, "n1");
    assert_int_equal(lag.records_ms, START_MS + 60000);
    tell(world, &executed, 10, 60, 70);
    look(world, &lag);
    assert_int_equal(lag.nodes + lag.records, 0);
}

/* It is not waited for longer than until it should have had a value. */
static void programs_that_have_ended_are_not_waited_for(void **state)
{
    struct world *world = *state;
    struct copy_lag lag;
    tell(world, &executed, 10, 0, 60);
    tell(world, &cpu, 1, 0, 72);
    look(world, &lag);
    assert_int_equal(lag.records, 1);
    tell(world, &cpu, 1, 72, 73);
    look(world, &lag);
    assert_int_equal(lag.nodes + lag.records, 0);
}

static void programs_that_ended_before_are_not_waited_for(void **state)
{
    struct world *world = *state;
    struct copy_lag lag;
    tell(world, &executed, 10, 0, 40);
    tell(world, &cpu, 1, 0, 63);
    look(world, &lag);
    assert_int_equal(lag.nodes + lag.records, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_node_has_come_with_its_first_value_after_the_stop),
        TEST(executions_come_with_the_next_value_of_their_sensor),
        TEST(programs_that_have_ended_are_not_waited_for),
        TEST(programs_that_ended_before_are_not_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
