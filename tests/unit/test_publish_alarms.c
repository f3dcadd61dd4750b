/* The alarms of a history, and what comes into it while somebody follows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/alarms.h"
#include "publish/database.h"
#include "publish/follow.h"
#include "publish/history.h"
#include "tests/unit/scribe.h"
#include "remove_all.h"
#include "unit.h"

#define NOVEMBER_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define DECEMBER_MS (NOVEMBER_MS + 6 * DAY_MS)

struct world {
    char directory[64];
    struct scribe *scribe;
    struct history *history;
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    strcpy(world->directory, "/tmp/dcamp-alarms.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->scribe = scribe_open(world->directory, NOVEMBER_MS);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    if (world->history)
        history_close(world->history);
    scribe_close(world->scribe);
    remove_all(world->directory);
    free(world);
    return 0;
}

static void open_history(struct world *world)
{
    int error;
    world->history = history_open(world->directory, &error);
    assert_non_null(world->history);
}

/* -- Alarms ---------------------------------------------------------------------------------- */

/* A row as publish/events.h writes it; cleared is a number or NULL. */
static void put_alarm(const struct world *world, const char *file, const char *key,
                      int64_t since_ms, const char *cleared)
{
    char path[128], sql[1024];
    sqlite3 *db;
    snprintf(path, sizeof path, "%s/%s", world->directory, file);
    assert_int_equal(database_open(path, true, &db), SQLITE_OK);
    snprintf(sql, sizeof sql,
             "INSERT INTO alarm(path, alarm_key, since, severity, worst, changed, cleared, node,"
             " threshold, sensor, instance, value, limit_value, message, acknowledged_by,"
             " acknowledged) VALUES('node1', '%s', %lld, 3, 4, %lld, %s, 'node1', 'hot', 'a',"
             " 'total', '99', '90', '<b>hot</b>', 'ann: seen', 7)",
             key, (long long)since_ms, (long long)since_ms, cleared);
    assert_int_equal(database_run(db, sql), SQLITE_OK);
    database_close(db);
}

static const char november[] = "history-2026-11.db", december[] = "history-2026-12.db";

static void test_range(void **state)
{
    struct world *world = *state;
    struct alarm_list alarms;
    put_alarm(world, november, "active", 2000, "NULL");
    put_alarm(world, november, "before", 1000, "1500");
    put_alarm(world, november, "over", 1000, "3000");
    put_alarm(world, november, "later", 5000, "NULL");
    open_history(world);
    assert_int_equal(alarms_read(world->history, 1600, 4000, false, &alarms), 0);
    assert_int_equal(alarms.n, 2);
    assert_string_equal(alarms.list[0].text[ALARM_KEY], "active");
    assert_int_equal(alarms.list[0].cleared_ms, 0);
    assert_string_equal(alarms.list[1].text[ALARM_KEY], "over");
    assert_int_equal(alarms.list[1].cleared_ms, 3000);
    assert_string_equal(alarms.list[1].text[ALARM_PATH], "node1");
    assert_string_equal(alarms.list[1].text[ALARM_NODE], "node1");
    assert_string_equal(alarms.list[1].text[ALARM_THRESHOLD], "hot");
    assert_string_equal(alarms.list[1].text[ALARM_SENSOR], "a");
    assert_string_equal(alarms.list[1].text[ALARM_INSTANCE], "total");
    assert_string_equal(alarms.list[1].text[ALARM_VALUE], "99");
    assert_string_equal(alarms.list[1].text[ALARM_LIMIT], "90");
    assert_string_equal(alarms.list[1].text[ALARM_MESSAGE], "<b>hot</b>");
    assert_string_equal(alarms.list[1].text[ALARM_ACKNOWLEDGED], "ann: seen");
    assert_int_equal(alarms.list[1].acknowledged_ms, 7);
    assert_int_equal(alarms.list[1].severity, 3);
    alarms_release(&alarms);
    assert_int_equal(alarms_read(world->history, 0, 9000, true, &alarms), 0);
    assert_int_equal(alarms.n, 2);
    assert_string_equal(alarms.list[0].text[ALARM_KEY], "active");
    assert_string_equal(alarms.list[1].text[ALARM_KEY], "later");
    alarms_release(&alarms);
}

/* What November says is active, December knows to have ended, perhaps before what is asked for. */
static void test_months(void **state)
{
    struct world *world = *state;
    struct alarm_list alarms;
    char cleared[32];
    put_alarm(world, november, "over", NOVEMBER_MS, "NULL");
    put_alarm(world, november, "active", NOVEMBER_MS, "NULL");
    snprintf(cleared, sizeof cleared, "%lld", (long long)DECEMBER_MS);
    put_alarm(world, december, "over", NOVEMBER_MS, cleared);
    put_alarm(world, december, "active", NOVEMBER_MS, "NULL");
    open_history(world);
    assert_int_equal(alarms_read(world->history, 0, DECEMBER_MS + 1000, true, &alarms), 0);
    assert_int_equal(alarms.n, 1);
    assert_string_equal(alarms.list[0].text[ALARM_KEY], "active");
    alarms_release(&alarms);
    assert_int_equal(
        alarms_read(world->history, DECEMBER_MS + 1, DECEMBER_MS + 1000, false, &alarms), 0);
    assert_int_equal(alarms.n, 1);
    assert_string_equal(alarms.list[0].text[ALARM_KEY], "active");
    alarms_release(&alarms);
    assert_int_equal(alarms_read(world->history, 0, DECEMBER_MS + 1000, false, &alarms), 0);
    assert_int_equal(alarms.n, 2);
    alarms_release(&alarms);
}

/* Alarms of a month go with its minutes, while its file and the hours in it stay. */
static void test_month_without_alarms(void **state)
{
    struct world *world = *state;
    struct alarm_list alarms;
    char path[128];
    sqlite3 *db;
    put_alarm(world, november, "gone", NOVEMBER_MS, "NULL");
    put_alarm(world, december, "known", DECEMBER_MS, "NULL");
    snprintf(path, sizeof path, "%s/%s", world->directory, november);
    assert_int_equal(database_open_old(path, &db), SQLITE_OK);
    assert_int_equal(database_run(db, "DROP TABLE alarm"), SQLITE_OK);
    database_close(db);
    open_history(world);
    assert_int_equal(alarms_read(world->history, 0, DECEMBER_MS + 1000, false, &alarms), 0);
    assert_int_equal(alarms.n, 1);
    assert_string_equal(alarms.list[0].text[ALARM_KEY], "known");
    alarms_release(&alarms);
}

/* -- Following ------------------------------------------------------------------------------- */

static const struct scribe_words cpu = {"node1", "cpu.busy", "total", "cpu.busy", "%"},
                                 memory = {"", "mem.used", "total", "mem.used", "%"};

struct heard {
    struct follow *follow;
    char text[200];
};

/* A follow_point_fn. */
static void hear(void *context, size_t place, const struct point *point)
{
    struct heard *heard = context;
    const struct follow_series *series = follow_series(heard->follow, place);
    size_t len = strlen(heard->text);
    snprintf(heard->text + len, sizeof heard->text - len, "%s %s %g;", series->node->path,
             series->sensor, point->result.state == RESULT_VALID ? point->result.value : -1);
}

static void step(struct world *world, struct heard *heard, const char *expected)
{
    heard->text[0] = '\0';
    assert_int_equal(
        follow_step(heard->follow, world->history, NOVEMBER_MS + MINUTE_MS, hear, heard), 0);
    assert_string_equal(heard->text, expected);
}

static void test_follow(void **state)
{
    struct world *world = *state;
    struct heard heard = {.follow = follow_open()};
    scribe_value(world->scribe, &cpu, NOVEMBER_MS, 1);
    scribe_commit(world->scribe, NOVEMBER_MS, true); /* in a chunk */
    scribe_value(world->scribe, &memory, NOVEMBER_MS + 10, 2);
    scribe_commit(world->scribe, NOVEMBER_MS + 10, false); /* in the inbox */
    open_history(world);
    step(world, &heard, "");
    assert_int_equal(follow_n_nodes(heard.follow), 2);
    size_t place = follow_find(heard.follow, "node1", "cpu.busy", "total");
    assert_true(place != SIZE_MAX);
    assert_float_equal(follow_series(heard.follow, place)->latest.result.value, 1, 0);
    assert_string_equal(follow_series(heard.follow, place)->unit, "%");
    place = follow_find(heard.follow, "", "mem.used", "total");
    assert_float_equal(follow_series(heard.follow, place)->latest.result.value, 2, 0);
    assert_string_equal(follow_series(heard.follow, place)->node->name, "root1");
    assert_int_equal(follow_series(heard.follow, place)->node->came_ms, NOVEMBER_MS + 10);
    assert_int_equal(follow_find(heard.follow, "node1", "mem.used", "total"), SIZE_MAX);

    step(world, &heard, "");
    scribe_value(world->scribe, &cpu, NOVEMBER_MS + 20, 3);
    scribe_value(world->scribe, &cpu, NOVEMBER_MS + 5, 9); /* late: not news */
    scribe_commit(world->scribe, NOVEMBER_MS + 20, false);
    step(world, &heard, "node1 cpu.busy 3;");
    scribe_value(world->scribe, &memory, NOVEMBER_MS + 30, NAN);
    scribe_commit(world->scribe, NOVEMBER_MS + 30, false);
    step(world, &heard, " mem.used -1;");
    step(world, &heard, "");
    follow_close(heard.follow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_range, setup, teardown),
        cmocka_unit_test_setup_teardown(test_months, setup, teardown),
        cmocka_unit_test_setup_teardown(test_month_without_alarms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_follow, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
