/* Which series of one run is which of another. */
#include <string.h>

#include "runs/pairs.h"
#include "tests/unit/made_run.h"
#include "unit.h"

struct world {
    struct run a, b;
    struct pairs pairs;
    char error[PAIRS_ERROR_SIZE];
};

static void begin(struct world *world)
{
    *world = (struct world){.error = ""};
    made_run(&world->a, "a", 60);
    made_run(&world->b, "b", 60);
}

static void end(struct world *world)
{
    pairs_release(&world->pairs);
    run_release(&world->a);
    run_release(&world->b);
}

static void add(struct run *run, const char *node, const char *sensor, const char *instance)
{
    made_series(run, node, sensor, instance, "m", "");
}

static void find(struct world *world, const char *map, size_t both, size_t only_a, size_t only_b)
{
    assert_true(pairs_find(&world->a, &world->b, map, &world->pairs, world->error));
    assert_int_equal(world->pairs.n_both, both);
    assert_int_equal(world->pairs.only_a, only_a);
    assert_int_equal(world->pairs.only_b, only_b);
    assert_int_equal(world->pairs.n, both + only_a + only_b);
}

static void by_node_sensor_and_instance(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    add(&world.a, "n2", "cpu", "total");
    add(&world.a, "n1", "cpu", "total");
    add(&world.a, "n1", "disk", "sda");
    add(&world.b, "n1", "cpu", "total");
    add(&world.b, "n2", "cpu", "total");
    add(&world.b, "n2", "cpu", "0");
    add(&world.b, "n1", "disk", "sdb");
    find(&world, NULL, 2, 1, 2);
    for (size_t i = 0; i < world.pairs.n; i++) {
        const struct pair *pair = &world.pairs.list[i];
        if (pair->a && pair->b) {
            assert_string_equal(pair->a->node, pair->b->node);
            assert_string_equal(pair->a->sensor, pair->b->sensor);
            assert_string_equal(pair->a->instance, pair->b->instance);
        }
    }
    assert_false(world.pairs.ignores_nodes);
    end(&world);
}

static void one_node_each_is_the_same_node(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    add(&world.a, "old", "cpu", "total");
    add(&world.b, "new", "cpu", "total");
    find(&world, NULL, 1, 0, 0);
    assert_true(world.pairs.ignores_nodes);
    pairs_release(&world.pairs);
    add(&world.b, "another", "cpu", "total");
    find(&world, NULL, 0, 1, 2);
    assert_false(world.pairs.ignores_nodes);
    end(&world);
}

static void nodes_are_mapped(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    add(&world.a, "n1", "cpu", "total");
    add(&world.a, "n2", "cpu", "total");
    add(&world.b, "m1", "cpu", "total");
    add(&world.b, "m2", "cpu", "total");
    find(&world, "n1=m2,n2=m1", 2, 0, 0);
    for (size_t i = 0; i < 2; i++)
        assert_true((strcmp(world.pairs.list[i].a->node, "n1") == 0) ==
                    (strcmp(world.pairs.list[i].b->node, "m2") == 0));
    pairs_release(&world.pairs);
    find(&world, "n1=m2", 1, 1, 1);
    end(&world);
}

/* Two nodes may change places. */
static void nodes_change_places(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    add(&world.a, "n1", "cpu", "total");
    add(&world.a, "n2", "cpu", "total");
    add(&world.b, "n1", "cpu", "total");
    add(&world.b, "n2", "cpu", "total");
    find(&world, "n1=n2,n2=n1", 2, 0, 0);
    for (size_t i = 0; i < 2; i++)
        assert_string_not_equal(world.pairs.list[i].a->node, world.pairs.list[i].b->node);
    end(&world);
}

static void refuses(struct world *world, const char *map, const char *error)
{
    assert_false(pairs_find(&world->a, &world->b, map, &world->pairs, world->error));
    assert_string_equal(world->error, error);
    pairs_release(&world->pairs);
}

static void maps_that_are_none(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    add(&world.a, "n1", "cpu", "total");
    add(&world.b, "m1", "cpu", "total");
    refuses(&world, "n1", "--map n1: expected NODE=NODE");
    refuses(&world, "", "--map : expected NODE=NODE");
    refuses(&world, "n2=m1", "--map n2=m1: a has no node n2");
    refuses(&world, "n1=m2", "--map n1=m2: b has no node m2");
    end(&world);
}

static void of_nothing_there_are_none(void **state)
{
    struct world world;
    (void)state;
    begin(&world);
    find(&world, NULL, 0, 0, 0);
    end(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_node_sensor_and_instance),
        cmocka_unit_test(one_node_each_is_the_same_node),
        cmocka_unit_test(nodes_are_mapped),
        cmocka_unit_test(nodes_change_places),
        cmocka_unit_test(maps_that_are_none),
        cmocka_unit_test(of_nothing_there_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
