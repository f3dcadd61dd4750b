/* Cursors of streams, for as long as a publisher is connected: nodes begin new boots all the time.
 */
#include <stdio.h>

#include "outlet/cursors.h"
#include "scarce.h"
#include "unit.h"

static const uint8_t engine[] = {1, 2, 3, 4, 5}, other_engine[] = {1, 2, 3, 4, 6};

static int setup(void **state)
{
    static struct cursors cursors;
    cursors = (struct cursors){.entries = NULL};
    *state = &cursors;
    return 0;
}

static int teardown(void **state)
{
    scarce_stop();
    cursors_release(*state);
    return 0;
}

static bool add(struct cursors *cursors, unsigned node, uint32_t boot, uint32_t next)
{
    char path[32];
    snprintf(path, sizeof path, "node%u", node);
    return cursors_add(cursors, path, engine, sizeof engine, boot, next);
}

static uint32_t find(const struct cursors *cursors, unsigned node, uint32_t boot)
{
    char path[32];
    snprintf(path, sizeof path, "node%u", node);
    return cursors_find(cursors, path, engine, sizeof engine, boot);
}

static void a_stream_is_path_engine_and_boot(void **state)
{
    struct cursors *cursors = *state;
    assert_int_equal(find(cursors, 1, 7), 0);
    assert_true(add(cursors, 1, 7, 12));
    assert_int_equal(find(cursors, 1, 7), 12);
    assert_int_equal(find(cursors, 2, 7), 0);
    assert_int_equal(find(cursors, 1, 8), 0);
    assert_int_equal(cursors_find(cursors, "node1", other_engine, sizeof other_engine, 7), 0);
    assert_int_equal(cursors_find(cursors, "node1", engine, sizeof engine - 1, 7), 0);
}

static void the_last_one_counts(void **state)
{
    struct cursors *cursors = *state;
    assert_true(add(cursors, 1, 7, 12));
    assert_true(add(cursors, 1, 7, 0)); /* that is the first block */
    assert_int_equal(find(cursors, 1, 7), 1);
    assert_true(add(cursors, 1, 7, 5));
    assert_int_equal(find(cursors, 1, 7), 5);
}

/* A publisher that stays for months hears of the same streams again and again. */
static void a_stream_takes_one_place_however_often_it_is_added(void **state)
{
    struct cursors *cursors = *state;
    for (uint32_t i = 1; i <= CURSORS_MAX + 10; i++)
        assert_true(add(cursors, i % 10, 7, i));
    for (unsigned node = 0; node < 10; node++)
        assert_in_range(find(cursors, node, 7), CURSORS_MAX + 1, CURSORS_MAX + 10);
}

/* Thousands that begin another boot at once: each is found among all others. */
static void many_nodes_boot(void **state)
{
    struct cursors *cursors = *state;
    const unsigned nodes = 10000;
    for (unsigned node = 0; node < nodes; node++)
        assert_true(add(cursors, node, 1, node + 1));
    for (unsigned node = 0; node < nodes; node++) {
        assert_int_equal(find(cursors, node, 2), 0);
        assert_true(add(cursors, node, 2, 2 * node + 1));
    }
    for (unsigned node = 0; node < nodes; node++) {
        assert_int_equal(find(cursors, node, 1), node + 1);
        assert_int_equal(find(cursors, node, 2), 2 * node + 1);
    }
}

static void there_are_no_more_than_may_be(void **state)
{
    struct cursors *cursors = *state;
    for (unsigned node = 0; node < CURSORS_MAX; node++)
        assert_true(add(cursors, node, 7, node + 1));
    assert_false(add(cursors, CURSORS_MAX, 7, 1));
    assert_true(add(cursors, 5, 7, 99));
    assert_int_equal(find(cursors, 5, 7), 99);
    assert_int_equal(find(cursors, CURSORS_MAX, 7), 0);
}

/* Whichever allocation fails: one that is not taken is not there, and all others are. */
static void memory_fails(void **state)
{
    struct cursors *cursors = *state;
    const unsigned nodes = 200;
    size_t refused = 0;
    for (unsigned node = 0; node < nodes; node++) {
        scarce_fail(1 + node % 3);
        bool taken = add(cursors, node, 7, node + 1);
        refused += scarce_stop();
        assert_int_equal(find(cursors, node, 7), taken ? node + 1 : 0);
        assert_true(add(cursors, node, 7, node + 1));
    }
    assert_true(refused >= nodes / 3);
    for (unsigned node = 0; node < nodes; node++)
        assert_int_equal(find(cursors, node, 7), node + 1);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(a_stream_is_path_engine_and_boot),
        T(the_last_one_counts),
        T(a_stream_takes_one_place_however_often_it_is_added),
        T(many_nodes_boot),
        T(there_are_no_more_than_may_be),
        T(memory_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
