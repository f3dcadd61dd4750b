/* What of the history is copied into the file of a run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/database.h"
#include "publish/history.h"
#include "runs/copy.h"
#include "tests/unit/scribe.h"
#include "remove_all.h"
#include "unit.h"

#define NOVEMBER_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define DECEMBER_MS (NOVEMBER_MS + 6 * DAY_MS)

struct world {
    char directory[64], path[128];
    struct scribe *scribe;
    struct run run;
};

static const struct scribe_words cpu = {"node1", "cpu.busy", "total", "cpu.busy", "%"};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    strcpy(world->directory, "/tmp/dcamp-runs-copy.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    snprintf(world->path, sizeof world->path, "%s/first.run", world->directory);
    world->scribe = scribe_open(world->directory, NOVEMBER_MS);
    world->run =
        (struct run){.name = "first", .start_ms = NOVEMBER_MS, .stop_ms = DECEMBER_MS + MINUTE_MS};
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

/* What has gone of the file of November when its minutes were too old. */
static void drop_minutes(const struct world *world)
{
    char path[128];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/history-2026-11.db", world->directory);
    assert_int_equal(database_open_old(path, &db), SQLITE_OK);
    assert_int_equal(
        database_run(db, "DROP TABLE minute; DROP TABLE alarm; DROP TABLE step; DROP TABLE top"),
        SQLITE_OK);
    database_close(db);
}

/* Executions of steps of that month are not known any more; the others, and values, are copied, and
 * nothing is to be warned of. */
static void a_month_without_minutes(void **state)
{
    struct world *world = *state;
    char warning[RUN_ERROR_SIZE] = "", error[RUN_ERROR_SIZE] = "";
    size_t n_series = 0;
    int code;
    scribe_value(world->scribe, &cpu, NOVEMBER_MS, 1);
    scribe_commit(world->scribe, NOVEMBER_MS, true);
    scribe_value(world->scribe, &cpu, DECEMBER_MS, 2);
    scribe_commit(world->scribe, DECEMBER_MS, true);
    drop_minutes(world);
    struct history *history = history_open(world->directory, &code);
    assert_non_null(history);
    struct run_file *file = run_file_create(world->path, &world->run, world->directory, error);
    assert_non_null(file);
    assert_true(run_file_stop(file, world->run.stop_ms, error));
    assert_true(copy_run(history, &world->run, NULL, file, RUN_STOPPED, &n_series, warning, error));
    assert_string_equal(warning, "");
    assert_int_equal(n_series, 1);
    run_file_close(file);
    history_close(history);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_month_without_minutes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
