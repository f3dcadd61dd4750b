/* What a history has: its nodes, the series of each, and from when to when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "publish/catalog.h"
#include "publish/database.h"
#include "publish/history.h"
#include "tests/unit/scribe.h"
#include "remove_all.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */

struct world {
    char directory[64];
    struct scribe *scribe;
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    strcpy(world->directory, "/tmp/dcamp-catalog.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->scribe = scribe_open(world->directory, START_MS);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    scribe_close(world->scribe);
    remove_all(world->directory);
    free(world);
    return 0;
}

static void value(struct world *world, const char *path, const char *sensor, const char *instance,
                  int64_t after_ms)
{
    const struct scribe_words words = {path, sensor, instance, "cpu.busy", "%"};
    scribe_value(world->scribe, &words, START_MS + after_ms, 1);
}

static struct history *open_history(const struct world *world)
{
    int error;
    struct history *history = history_open(world->directory, &error);
    assert_non_null(history);
    return history;
}

static void nodes_by_their_paths(void **state)
{
    struct world *world = *state;
    struct catalog_nodes nodes;
    value(world, "node2", "a", "total", 0);
    value(world, "collector1/node7", "a", "total", 0);
    value(world, "", "a", "total", 0);
    value(world, "node1", "a", "total", 0);
    scribe_commit(world->scribe, START_MS, true);
    /* Another month: a file of its own, which has node1, too. */
    value(world, "node1", "a", "total", 10 * DAY_MS);
    scribe_commit(world->scribe, START_MS + 10 * DAY_MS, true);
    struct history *history = open_history(world);
    assert_int_equal(catalog_nodes(history, &nodes), 0);
    assert_int_equal(nodes.n, 4);
    assert_string_equal(nodes.list[0].path, "");
    assert_string_equal(nodes.list[1].path, "collector1/node7");
    assert_string_equal(nodes.list[2].path, "node1");
    assert_string_equal(nodes.list[3].path, "node2");
    catalog_nodes_release(&nodes);
    history_close(history);
}

/* As a sort may do it that does not keep the order of equals: they are turned round before. */
void __real_qsort(void *at, size_t n, size_t size, int (*order)(const void *, const void *));
void __wrap_qsort(void *at, size_t n, size_t size, int (*order)(const void *, const void *));

void __wrap_qsort(void *at, size_t n, size_t size, int (*order)(const void *, const void *))
{
    char *low = at, *high = low + (n > 0 ? (n - 1) * size : 0);
    for (; low < high; low += size, high -= size) {
        for (size_t i = 0; i < size; i++) {
            char one = low[i];
            low[i] = high[i];
            high[i] = one;
        }
    }
    __real_qsort(at, n, size, order);
}

/* Files of three months, in each of which the node and its series are called otherwise. */
static void the_last_words_count(void **state)
{
    struct world *world = *state;
    static const char *const words[] = {"zero", "one", "two"};
    struct catalog_series_list series;
    struct catalog_nodes nodes;
    for (int i = 0; i < (int)N_OF(words); i++) {
        int64_t after_ms = (int64_t)i * 31 * DAY_MS;
        value(world, "node1", "a", "total", after_ms);
        scribe_commit(world->scribe, START_MS + after_ms, true);
    }
    for (int i = 0; i < (int)N_OF(words); i++) {
        char name[DATABASE_NAME_SIZE], path[128 + DATABASE_NAME_SIZE], change[160];
        sqlite3 *db;
        database_file_name(START_MS + (int64_t)i * 31 * DAY_MS, name);
        snprintf(path, sizeof path, "%s/%s", world->directory, name);
        snprintf(change, sizeof change,
                 "UPDATE source SET name = '%s'; UPDATE series SET unit = '%s'", words[i],
                 words[i]);
        assert_int_equal(database_open(path, true, &db), SQLITE_OK);
        assert_int_equal(database_run(db, change), SQLITE_OK);
        database_close(db);
    }
    struct history *history = open_history(world);
    assert_int_equal(catalog_nodes(history, &nodes), 0);
    assert_int_equal(nodes.n, 1);
    assert_string_equal(nodes.list[0].name, "two");
    catalog_nodes_release(&nodes);
    assert_int_equal(catalog_series(history, "node1", &series), 0);
    assert_int_equal(series.n, 1);
    assert_string_equal(series.list[0].unit, "two");
    catalog_series_release(&series);
    history_close(history);
}

static void who_is_meant(void **state)
{
    (void)state;
    const struct catalog_node node = {.path = "collector1/node7", .name = "seven", .group = ""};
    const struct catalog_node self = {.path = "", .name = "root1", .group = ""};
    assert_true(catalog_is_meant(&node, "collector1/node7"));
    assert_true(catalog_is_meant(&node, "node7"));
    assert_true(catalog_is_meant(&node, "seven"));
    assert_true(catalog_is_meant(&node, "collector1/*"));
    assert_true(catalog_is_meant(&node, "node?"));
    assert_false(catalog_is_meant(&node, "node"));
    assert_false(catalog_is_meant(&node, "collector1"));
    assert_true(catalog_is_meant(&self, "root1"));
    assert_true(catalog_is_meant(&self, ""));
    assert_false(catalog_is_meant(&self, "node7"));
}

static void check_times(const struct world *world, int64_t first_ms, int64_t last_ms)
{
    struct catalog_series_list series;
    struct history *history = open_history(world);
    assert_int_equal(catalog_series(history, "node1", &series), 0);
    assert_int_equal(series.n, 3);
    assert_string_equal(series.list[0].sensor, "a");
    assert_string_equal(series.list[0].instance, "sda");
    assert_string_equal(series.list[0].metric, "cpu.busy");
    assert_string_equal(series.list[0].unit, "%");
    assert_string_equal(series.list[1].instance, "total");
    assert_string_equal(series.list[2].sensor, "b");
    assert_int_equal(series.list[1].first_ms, first_ms);
    assert_int_equal(series.list[1].last_ms, last_ms);
    catalog_series_release(&series);
    assert_int_equal(catalog_series(history, "node2", &series), 0);
    assert_int_equal(series.n, 1);
    catalog_series_release(&series);
    assert_int_equal(catalog_series(history, "node3", &series), 0);
    assert_int_equal(series.n, 0);
    catalog_series_release(&series);
    history_close(history);
}

static void series_from_when_to_when(void **state)
{
    struct world *world = *state;
    for (int i = 0; i < 5000; i++)
        value(world, "node1", "a", "total", 1234 + i * 1000);
    value(world, "node1", "b", "total", 5);
    value(world, "node1", "a", "sda", 6);
    value(world, "node2", "a", "total", 9999999);
    scribe_commit(world->scribe, START_MS, false);
    check_times(world, START_MS + 1234, START_MS + 1234 + 4999000);
    scribe_commit(world->scribe, START_MS + 2 * HOUR_MS, true);
    check_times(world, START_MS + 1234, START_MS + 1234 + 4999000);
    value(world, "node1", "a", "total", 6000000);
    scribe_commit(world->scribe, START_MS + 2 * HOUR_MS, false);
    check_times(world, START_MS + 1234, START_MS + 6000000);
}

/* Where values are not kept any more, the hours say it. */
static void series_that_are_hours_only(void **state)
{
    struct world *world = *state;
    struct catalog_series_list series;
    value(world, "node1", "a", "total", 1234);
    scribe_commit(world->scribe, START_MS + 10 * DAY_MS, true);
    struct history *history = open_history(world);
    assert_int_equal(catalog_series(history, "node1", &series), 0);
    assert_int_equal(series.n, 1);
    assert_int_equal(series.list[0].first_ms, START_MS);
    assert_int_equal(series.list[0].last_ms, START_MS + HOUR_MS - 1);
    catalog_series_release(&series);
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nodes_by_their_paths, setup, teardown),
        cmocka_unit_test_setup_teardown(the_last_words_count, setup, teardown),
        cmocka_unit_test(who_is_meant),
        cmocka_unit_test_setup_teardown(series_from_when_to_when, setup, teardown),
        cmocka_unit_test_setup_teardown(series_that_are_hours_only, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
