/* The history in SQLite, in files: what was stored is read back, and each block is taken once. */
#include "chronicle_world.h"
#include "unit.h"

/* -- What was stored is read ----------------------------------------------------------------- */

static void values_before_and_after_they_are_digested(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    world_name(world, 2, "b");
    for (int i = 0; i < 5000; i++) {
        world_add(world, 1, START_MS + i * SECOND_MS, world_value(i));
        if (i % 10 == 0)
            world_add(world, 2, START_MS + i * SECOND_MS, -1);
    }
    world_tell_all(world, START_MS + 5000 * SECOND_MS);
    world_are_values(world_points(world, "a"), 5000);
    world_has_points(world, "b", 500);
    world_digest_all(world, START_MS + 5000 * SECOND_MS);
    world_are_values(world_points(world, "a"), 5000);
    world_has_points(world, "b", 500);
    world_has_points(world, "c", 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 5500);
    assert_int_equal(world_ask(world, "a", START_MS + 100000, START_MS + 199999, NULL)->n, 100);
}

static void an_inbox_is_digested_when_it_is_large_or_old(void **state)
{
    struct world *world = *state;
    bool more;
    world_name(world, 1, "a");
    world_add(world, 1, START_MS, 1);
    world_tell_all(world, START_MS);
    assert_int_equal(chronicle_step(world->chronicle, START_MS + HOUR_MS - 1, false, &more), 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 0);
    assert_int_equal(chronicle_step(world->chronicle, START_MS + HOUR_MS, false, &more), 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 1);
    for (int i = 1; i < 30000; i++)
        world_add(world, 1, START_MS + i, 1 / 3.0);
    world_tell_all(world, START_MS);
    assert_int_equal(chronicle_step(world->chronicle, START_MS, false, &more), 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 30000);
}

/* What came since the last question is read by the next one. */
static void a_history_that_stays_open(void **state)
{
    struct world *world = *state;
    static struct found found;
    const struct history_question question = {"node1",           "a",  "total", START_MS,
                                              START_MS + DAY_MS, false};
    int error;
    struct history *history = history_open(world->directory, &error);
    assert_non_null(history);
    world_name(world, 1, "a");
    for (int i = 0; i < 10; i++) {
        world_add(world, 1, START_MS + i, i);
        world_tell_all(world, START_MS);
        if (i % 3 == 0)
            world_digest_all(world, START_MS);
        found.n = 0;
        assert_int_equal(history_points(history, &question, world_take_point, &found), 0);
        assert_int_equal(found.n, i + 1);
    }
    history_close(history);
}

static void gaps_and_what_is_unavailable_are_read(void **state)
{
    struct world *world = *state;
    static const enum result_state states[] = {RESULT_VALID, RESULT_GAP, RESULT_UNAVAILABLE};
    world_name(world, 1, "a");
    for (int i = 0; i < 30; i++) {
        const struct result result = {states[i % 3], 0};
        assert_int_equal(report_add(&world->ring, 1, START_MS + i, &result), 0);
    }
    world_tell_all(world, START_MS);
    world_digest_all(world, START_MS);
    const struct found *found = world_points(world, "a");
    assert_int_equal(found->n, 30);
    for (int i = 0; i < 30; i++)
        assert_int_equal(found->points[i].result.state, states[i % 3]);
    found = world_ask(world, "a", START_MS, START_MS, &tier_minute);
    assert_int_equal(found->n_cells, 1);
    assert_int_equal(found->cells[0].count, 10);
}

/* -- Cells ----------------------------------------------------------------------------------- */

/* Digested in three parts, the last of which is in the inbox still. */
static void cells_are_what_the_values_say(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    for (int i = 0; i < 9000; i++) {
        world_add(world, 1, START_MS + i * SECOND_MS, world_value(i));
        if (i % 4000 == 3999) {
            world_tell_all(world, START_MS);
            world_cells_are(world, &tier_minute, i + 1);
            world_digest_all(world, START_MS + 4 * HOUR_MS);
        }
    }
    world_tell_all(world, START_MS);
    world_cells_are(world, &tier_minute, 9000);
    world_cells_are(world, &tier_hour, 9000);
    world_digest_all(world, START_MS + 4 * HOUR_MS);
    world_cells_are(world, &tier_minute, 9000);
    world_cells_are(world, &tier_hour, 9000);
}

/* Windows have the samples that a filter held back, and are not counted beside the values. */
static void windows_count_where_there_are_any(void **state)
{
    struct world *world = *state;
    struct statistics_window window = {0};
    for (int i = 0; i < 60; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    world_name(world, 1, "a");
    world_add(world, 1, START_MS + 10 * SECOND_MS, 1000);
    world_add(world, 1, START_MS + 70 * SECOND_MS, 2000);
    assert_int_equal(report_add_window(&world->ring, 1, START_MS + 61 * SECOND_MS, 60000, &window),
                     0);
    world_tell_all(world, START_MS);
    for (int round = 0; round < 2; round++) {
        const struct found *found =
            world_ask(world, "a", START_MS, START_MS + HOUR_MS, &tier_minute);
        assert_int_equal(found->n_cells, 2);
        assert_int_equal(found->cells[0].count, 60);
        assert_true(found->cells[0].max == 59 && found->cells[0].mean == 29.5);
        assert_int_equal(found->cells[1].count, 1);
        assert_true(found->cells[1].max == 2000);
        world_digest_all(world, START_MS);
    }
    statistics_window_release(&window);
}

/* -- How far it was read --------------------------------------------------------------------- */

static void a_block_is_taken_once(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    for (int i = 0; i < 1000; i++)
        world_add(world, 1, START_MS + i * SECOND_MS, world_value(i));
    for (int round = 0; round < 4; round++) {
        world->told = 0;
        world_tell_all(world, START_MS);
        if (round == 1)
            world_reopen(world, START_MS);
        if (round == 2)
            world_digest_all(world, START_MS + HOUR_MS);
        world_are_values(world_points(world, "a"), 1000);
        assert_int_equal(world_cursor(world).next, world->ring.last + 1);
        assert_int_equal(world_cursor(world).boot, BOOT);
    }
}

static uint64_t counted(const struct world *world)
{
    const struct found *found = world_ask(world, "cpu", START_MS, START_MS + HOUR_MS, &tier_minute);
    uint64_t n = 0;
    for (size_t i = 0; i < found->n_cells; i++)
        n += found->cells[i].count;
    return n;
}

/* The collector that relays has begun again. */
static void begin_again(struct world *world)
{
    world->stream.boot++;
    report_close(&world->ring);
    assert_int_equal(report_open(&world->ring, world->stream.boot, KEEP, 1200), 0);
    world->told = 0;
}

static void add_values(struct world *world, uint32_t number, int first, int end)
{
    world_name(world, number, "cpu");
    for (int i = first; i < end; i++)
        world_add(world, number, START_MS + i * SECOND_MS, world_value(i));
}

/* A collector that was killed relays again what its children keep still, under other numbers. */
static void what_is_relayed_again_is_taken_once(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    add_values(world, 1, 0, 10);
    world_tell_all(world, START_MS + 10 * SECOND_MS);
    world_has_points(world, "cpu", 10);
    world->below = NULL;
    world_has_points(world, "cpu", 0); /* none is of the collector itself */

    world->below = "leaf";
    begin_again(world);
    add_values(world, 3, 4, 15);
    world_tell_all(world, START_MS + 15 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
    world_reopen(world, START_MS + 15 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    world_digest_all(world, START_MS + 16 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
    assert_int_equal(chronicle_counters(world->chronicle)->nameless, 0);
}

/* The one that was killed is below the collector that is polled, which goes on in its boot. */
static void what_is_relayed_again_under_another_number(void **state)
{
    struct world *world = *state;
    world->below = "collector2/leaf";
    add_values(world, 1, 0, 10);
    world_tell_all(world, START_MS + 10 * SECOND_MS);
    add_values(world, 3, 4, 15);
    world_tell_all(world, START_MS + 15 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
    world_digest_all(world, START_MS + 16 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
}

/* The node at the address is another one, which is called as the one before. */
static void what_is_relayed_again_by_another_engine(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    add_values(world, 1, 0, 10);
    world_tell_all(world, START_MS + 10 * SECOND_MS);
    begin_again(world);
    world->stream.engine_id = (const uint8_t *)"engine2";
    add_values(world, 3, 4, 15);
    world_tell_all(world, START_MS + 15 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    world_digest_all(world, START_MS + 16 * SECOND_MS);
    world_are_values(world_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
}

/* Nothing but cells is kept. */
static void what_is_relayed_again_without_values_of_the_past(void **state)
{
    struct world *world = *state;
    world->settings.raw_ms = 0;
    world_reopen(world, START_MS);
    world->below = "leaf";
    add_values(world, 1, 0, 10);
    world_tell_all(world, START_MS + 10 * SECOND_MS);
    begin_again(world);
    add_values(world, 3, 4, 15);
    world_tell_all(world, START_MS + 15 * SECOND_MS);
    assert_int_equal(counted(world), 15);
    world_digest_all(world, START_MS + 16 * SECOND_MS);
    assert_int_equal(counted(world), 15);
}

#define MONTH_MS (START_MS + 98 * HOUR_MS) /* 2026-12-01 00:00:00 UTC */

/* What was told before is in the file of the month before. */
static void what_is_relayed_again_in_another_month(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    world_name(world, 1, "cpu");
    for (int i = 0; i < 10; i++)
        world_add(world, 1, MONTH_MS + (i - 10) * SECOND_MS, i);
    world_tell_all(world, MONTH_MS - SECOND_MS);
    world_digest_all(world, MONTH_MS - SECOND_MS);
    world_digest_all(world, MONTH_MS);
    begin_again(world);
    world_name(world, 3, "cpu");
    for (int i = 4; i < 15; i++)
        world_add(world, 3, MONTH_MS + (i - 10) * SECOND_MS, i);
    world_tell_all(world, MONTH_MS + 5 * SECOND_MS);
    world_has_points(world, "cpu", 15);
    world_digest_all(world, MONTH_MS + 6 * SECOND_MS);
    world_has_points(world, "cpu", 15);
}

/* What the leaf tells after its clock was set right is news, though it has told later times. */
static void a_clock_that_was_ahead(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    world_name(world, 1, "cpu");
    for (int i = 0; i < 10; i++)
        world_add(world, 1, START_MS + 30 * MINUTE_MS + i * SECOND_MS, i);
    world_tell_all(world, START_MS + 10 * SECOND_MS);
    begin_again(world);
    world_name(world, 3, "cpu");
    for (int i = 0; i < 10; i++)
        world_add(world, 3, START_MS + 21 * SECOND_MS + i * SECOND_MS, i);
    world_tell_all(world, START_MS + 20 * SECOND_MS);
    world_has_points(world, "cpu", 20);
    world_digest_all(world, START_MS + 40 * SECOND_MS);
    world_has_points(world, "cpu", 20);
}

static void add_windows(struct world *world, uint32_t number, int first, int end)
{
    struct statistics_window window = {0};
    for (int i = 0; i < 60; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    world_name(world, number, "cpu");
    for (int i = first; i < end; i++)
        assert_int_equal(
            report_add_window(&world->ring, number, START_MS + (i + 1) * MINUTE_MS, 60000, &window),
            0);
    statistics_window_release(&window);
}

/* A filter has held the values back. */
static void windows_that_are_relayed_again_are_taken_once(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    add_windows(world, 1, 0, 5);
    world_tell_all(world, START_MS + 5 * MINUTE_MS);
    begin_again(world);
    add_windows(world, 3, 2, 7);
    world_tell_all(world, START_MS + 7 * MINUTE_MS);
    assert_int_equal(counted(world), 7 * 60);
    world_digest_all(world, START_MS + 8 * MINUTE_MS);
    assert_int_equal(counted(world), 7 * 60);
}

/* The window that ends with a value comes behind it, and was not told yet. */
static void a_window_of_the_time_of_a_value_is_taken(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    world_name(world, 1, "cpu");
    world_add(world, 1, START_MS + MINUTE_MS, 1);
    world_tell_all(world, START_MS + MINUTE_MS);
    begin_again(world);
    world_name(world, 3, "cpu");
    world_add(world, 3, START_MS + MINUTE_MS, 1);
    add_windows(world, 3, 0, 1);
    world_tell_all(world, START_MS + 2 * MINUTE_MS);
    world_has_points(world, "cpu", 1);
    assert_int_equal(counted(world), 60 + 1);
    world_digest_all(world, START_MS + 2 * MINUTE_MS);
    world_has_points(world, "cpu", 1);
    assert_int_equal(counted(world), 60 + 1);
}

static void what_was_not_committed_is_not_there(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    world_add(world, 1, START_MS, 1);
    assert_int_equal(world_tell(world, START_MS), 0);
    world_reopen(world, START_MS);
    assert_int_equal(world_cursor(world).n, 0);
    world_has_points(world, "a", 0);
}

/* Each block is good or bad for itself. */
static void what_is_no_block_is_counted(void **state)
{
    struct world *world = *state;
    static const uint8_t octets[] = {1, 2, 3};
    world_name(world, 1, "a");
    assert_int_equal(world_tell_block(world, 1, octets, sizeof octets, START_MS), 0);
    world->told = 1;
    world_add(world, 1, START_MS, 1);
    assert_int_equal(report_flush(&world->ring), 0);
    world_add(world, 1, START_MS, 2);
    world_tell_all(world, START_MS);
    world_digest_all(world, START_MS);
    assert_int_equal(chronicle_counters(world->chronicle)->bad, 1);
    world_has_points(world, "a", 1);
}

static void what_has_no_name_and_another_time_is_counted(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    world_add(world, 1, START_MS, 1);
    world_add(world, 2, START_MS, 1);
    world_add(world, 1, START_MS + 2 * HOUR_MS, 1);
    world_add(world, 1, START_MS - 800 * DAY_MS, 1);
    world_tell_all(world, START_MS);
    world_digest_all(world, START_MS);
    assert_int_equal(chronicle_counters(world->chronicle)->nameless, 1);
    assert_int_equal(chronicle_counters(world->chronicle)->beyond, 2);
    world_has_points(world, "a", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_before_and_after_they_are_digested, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(an_inbox_is_digested_when_it_is_large_or_old, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_history_that_stays_open, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(gaps_and_what_is_unavailable_are_read, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(cells_are_what_the_values_say, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(windows_count_where_there_are_any, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_block_is_taken_once, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_is_taken_once, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_under_another_number, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_by_another_engine, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_without_values_of_the_past,
                                        world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_in_another_month, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_clock_that_was_ahead, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(windows_that_are_relayed_again_are_taken_once, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(a_window_of_the_time_of_a_value_is_taken, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(what_was_not_committed_is_not_there, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(what_is_no_block_is_counted, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(what_has_no_name_and_another_time_is_counted, world_setup,
                                        world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
