/* The history in SQLite: what comes late, and what goes since it is old, or too much. */
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "chronicle_world.h"
#include "unit.h"

/* -- Late blocks, days, months --------------------------------------------------------------- */

static void late_values_fill_their_gap(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    for (int part = 0; part < 3; part++) {
        static const int order[] = {0, 2, 1};
        for (int i = 1000 * order[part]; i < 1000 * (order[part] + 1); i++)
            world_add(world, 1, START_MS + i * SECOND_MS, world_value(i));
        world_tell_all(world, START_MS + HOUR_MS);
        world_digest_all(world, START_MS + HOUR_MS);
    }
    world_are_values(world_points(world, "a"), 3000);
    world_cells_are(world, &tier_minute, 3000);
}

/* A chunk that begins when another one did is another one. */
static void two_chunks_of_one_time(void **state)
{
    struct world *world = *state;
    world_name(world, 1, "a");
    for (int i = 0; i < 5; i++) {
        world_add(world, 1, START_MS, i);
        world_tell_all(world, START_MS);
        world_digest_all(world, START_MS);
    }
    world_has_points(world, "a", 5);
}

/* Raw values of five weeks, one each hour, and what is left of them then and later. */
static void what_is_old_goes(void **state)
{
    struct world *world = *state;
    int64_t now_ms = START_MS;
    bool more;
    world_name(world, 1, "a");
    for (int hour = 0; hour < 35 * 24; hour++, now_ms += HOUR_MS) {
        world_add(world, 1, now_ms, hour);
        world_tell_all(world, now_ms);
        world_digest_all(world, now_ms);
        if (hour % 100 == 0)
            world_reopen(world, now_ms);
    }
    assert_true(world_has_file(world, "history-2026-11.db"));
    assert_true(world_has_file(world, "history-2026-12.db"));
    assert_false(world_has_file(world, "history-2027-01.db"));
    assert_in_range(world_points(world, "a")->n, 2 * 24, 3 * 24 + 1);
    assert_int_equal(world_ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 35 * 24);
    assert_int_equal(world_ask(world, "a", START_MS, now_ms, &tier_minute)->n_cells, 35 * 24);
    now_ms += 50 * DAY_MS;
    world_digest_all(world, now_ms);
    world_digest_all(world, now_ms + HOUR_MS); /* before, the clock is not believed */
    assert_int_equal(chronicle_step(world->chronicle, now_ms, false, &more), 0);
    assert_int_equal(world_points(world, "a")->n, 0);
    assert_int_equal(world_ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 35 * 24);
    assert_in_range(world_ask(world, "a", START_MS, now_ms, &tier_minute)->n_cells, 30 * 24,
                    31 * 24);
    now_ms = START_MS + (730 + 31) * DAY_MS;
    world_digest_all(world, now_ms);
    assert_true(world_has_file(world, "history-2026-11.db"));
    world_digest_all(world, now_ms + HOUR_MS);
    assert_false(world_has_file(world, "history-2026-11.db"));
    assert_true(world_has_file(world, "history-2026-12.db"));
    assert_int_equal(world_cursor(world).next, 35 * 24 + 1);
}

/* The clock is wrong by three years, for less than an hour, twice; then it is right. */
static void a_wrong_clock_takes_nothing_away(void **state)
{
    struct world *world = *state;
    int64_t now_ms = START_MS, wrong_ms = 3 * 365 * DAY_MS;
    world_name(world, 1, "a");
    for (int i = 0; i < 100; i++, now_ms += MINUTE_MS)
        world_add(world, 1, now_ms, i);
    world_tell_all(world, now_ms);
    world_digest_all(world, now_ms);
    for (int i = 0; i < 2; i++, now_ms += MINUTE_MS) {
        world_digest_all(world, now_ms + wrong_ms);
        world_digest_all(world, now_ms + wrong_ms + HOUR_MS - 1);
        world_digest_all(world, now_ms);
    }
    assert_int_equal(world_points(world, "a")->n, 100);
    assert_int_equal(world_ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 2);
    world_digest_all(world, now_ms + wrong_ms);
    world_digest_all(world, now_ms + wrong_ms + HOUR_MS);
    assert_int_equal(world_points(world, "a")->n, 0);
}

/* -- Too much -------------------------------------------------------------------------------- */

static uint64_t octets_of(const struct world *world)
{
    uint64_t octets = 0;
    static const char *const names[] = {"history-2026-11.db", "history-2026-11.db-wal",
                                        "history-2026-12.db", "history-2026-12.db-wal"};
    for (size_t i = 0; i < N_OF(names); i++) {
        char path[256];
        struct stat file;
        snprintf(path, sizeof path, "%s/%s", world->directory, names[i]);
        octets += stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    }
    return octets;
}

#define LIMIT (800 << 10)

static void files_have_a_limit(void **state)
{
    struct world *world = *state;
    int64_t now_ms = START_MS;
    world->settings.octets = LIMIT;
    world_reopen(world, now_ms);
    world_name(world, 1, "a");
    for (int round = 0; round < 24; round++, now_ms += HOUR_MS) {
        for (int i = 0; i < 3600; i++)
            world_add(world, 1, now_ms + i * SECOND_MS, sqrt(i + 1));
        world_tell_all(world, now_ms + HOUR_MS);
        world_digest_all(world, now_ms + HOUR_MS);
        assert_in_range(octets_of(world), 1, LIMIT);
    }
    assert_in_range(chronicle_counters(world->chronicle)->evicted, 1, 24);
    assert_int_equal(world_ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 24);
}

/* Minutes alone are too many: when there are no values any more that could go, the oldest of them
 * do, while hours stay. */
static void minutes_have_it_too(void **state)
{
    enum { SERIES = 40, HOURS = 24 };
    char texts[SERIES + 1][8];
    struct world *world = *state;
    int64_t now_ms = START_MS;
    world->settings.octets = LIMIT;
    world_reopen(world, now_ms);
    for (uint32_t i = 1; i <= SERIES; i++) {
        snprintf(texts[i], sizeof texts[i], "s%u", i);
        world_name(world, i, texts[i]);
    }
    for (int round = 0; round < HOURS; round++, now_ms += HOUR_MS) {
        for (int minute = 0; minute < 60; minute++)
            for (uint32_t i = 1; i <= SERIES; i++)
                world_add(world, i, now_ms + minute * MINUTE_MS, sqrt(round + minute + (int)i));
        world_tell_all(world, now_ms + HOUR_MS);
        world_digest_all(world, now_ms + HOUR_MS);
        assert_in_range(octets_of(world), 1, LIMIT);
    }
    assert_int_equal(world_points(world, "s7")->n, 0);
    assert_int_equal(world_ask(world, "s7", START_MS, now_ms, &tier_hour)->n_cells, HOURS);
    assert_in_range(world_ask(world, "s7", START_MS, now_ms, &tier_minute)->n_cells, 60,
                    60 * (HOURS - 1));
    assert_int_equal(world_ask(world, "s7", now_ms - HOUR_MS, now_ms - 1, &tier_minute)->n_cells,
                     60);
}

/* Steps, one each second up to a time, as publish/events.h writes them, and how many there are. */
static void put_steps(const struct world *world, int n, int64_t latest_ms)
{
    char path[256], sql[512];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/history-2026-11.db", world->directory);
    assert_int_equal(database_open(path, true, &db), SQLITE_OK);
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE i(n) AS (SELECT %d UNION ALL SELECT n - 1 FROM i WHERE n > 0)"
             " INSERT INTO step SELECT (%lld - n * 1000) * 1000000, 1, 'node1', 1, n, 0, 0, 0"
             " FROM i",
             n - 1, (long long)latest_ms);
    assert_int_equal(database_run(db, sql), SQLITE_OK);
    database_close(db);
}

static int64_t steps_from(const struct world *world, int64_t from_ms)
{
    char path[256];
    int64_t n;
    struct statements sql = {0};
    snprintf(path, sizeof path, "%s/history-2026-11.db", world->directory);
    assert_int_equal(database_open(path, true, &sql.db), SQLITE_OK);
    assert_int_equal(statements_find(&sql, &n,
                                     "SELECT count(*) FROM step WHERE start / 1000000 >= ?", "i",
                                     from_ms),
                     SQLITE_OK);
    statements_release(&sql);
    database_close(sql.db);
    return n;
}

/* Steps alone are too many: the oldest of them go, whether there are minutes or not. */
static void steps_have_it_too(void **state)
{
    enum { STEPS = 20000 };
    struct world *world = *state;
    int64_t now_ms = START_MS + 6 * HOUR_MS;
    bool more;
    world->settings.octets = LIMIT;
    world_reopen(world, now_ms);
    put_steps(world, STEPS, now_ms);
    assert_int_equal(steps_from(world, 0), STEPS);
    assert_int_equal(chronicle_step(world->chronicle, now_ms, true, &more), 0);
    assert_in_range(octets_of(world), 1, LIMIT);
    assert_in_range(steps_from(world, 0), STEPS / 20, STEPS / 2);
    assert_int_equal(steps_from(world, now_ms - 100 * SECOND_MS), 101);
    world_name(world, 1, "a");
    world_add(world, 1, now_ms - 100 * SECOND_MS, 1);
    world_tell_all(world, now_ms);
    world_digest_all(world, now_ms);
    put_steps(world, STEPS, now_ms + MINUTE_MS);
    assert_int_equal(chronicle_step(world->chronicle, now_ms + MINUTE_MS, true, &more), 0);
    assert_in_range(octets_of(world), 1, LIMIT);
    assert_int_not_equal(steps_from(world, 0), 0);
}

static size_t minutes_of_day(const struct world *world, int64_t from_ms)
{
    return world_ask(world, "a", from_ms, from_ms + DAY_MS - 1, &tier_minute)->n_cells;
}

/* Of two months: values go first, then the minutes of the earlier one, then of the other the
 * oldest; the hours of both stay. */
static void details_go_first(void **state)
{
    enum { HOURS = 15 * 24 };
    struct world *world = *state;
    int64_t now_ms = START_MS;
    bool more;
    world_name(world, 1, "a");
    for (int hour = 0; hour < HOURS; hour++, now_ms += HOUR_MS) {
        for (int i = 0; i < 60; i++)
            world_add(world, 1, now_ms + i * MINUTE_MS, sqrt(hour + i));
        world_tell_all(world, now_ms + HOUR_MS);
        world_digest_all(world, now_ms + HOUR_MS);
    }
    assert_true(world_has_file(world, "history-2026-12.db"));
    assert_int_equal(minutes_of_day(world, START_MS), DAY_MS / MINUTE_MS);
    chronicle_close(world->chronicle); /* its log is no part of what there is then */
    world->settings.octets = octets_of(world) * 7 / 10;
    world_open(world, now_ms);
    assert_int_equal(chronicle_step(world->chronicle, now_ms, false, &more), 0);
    assert_in_range(octets_of(world), 1, world->settings.octets);
    assert_int_equal(world_points(world, "a")->n, 0);
    assert_true(world_has_file(world, "history-2026-11.db"));
    assert_int_equal(world_ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, HOURS);
    for (int day = 0; day < 4; day++)
        assert_int_equal(minutes_of_day(world, START_MS + day * DAY_MS), 0);
    assert_int_equal(minutes_of_day(world, START_MS + 4 * DAY_MS + 2 * HOUR_MS), 0);
    assert_int_equal(minutes_of_day(world, now_ms - DAY_MS), DAY_MS / MINUTE_MS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(late_values_fill_their_gap, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(two_chunks_of_one_time, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(what_is_old_goes, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(a_wrong_clock_takes_nothing_away, world_setup,
                                        world_teardown),
        cmocka_unit_test_setup_teardown(files_have_a_limit, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(minutes_have_it_too, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(steps_have_it_too, world_setup, world_teardown),
        cmocka_unit_test_setup_teardown(details_go_first, world_setup, world_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
