/* Alarms, executions of steps and tops of a history: what blocks of real report rings say becomes
 * one row each, however often and by whomever it is told. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/chronicle.h"
#include "publish/database.h"
#include "report/report.h"
#include "remove_all.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define NEXT_MONTH_MS (START_MS + 6 * DAY_MS)
#define SINCE_MS (START_MS - 5000)
#define BOOT 7

/* -- A chronicle, and those who tell --------------------------------------------------------- */

struct world {
    char directory[64];
    struct chronicle *chronicle;
};

/* A node with one boot, as its stream comes to who publishes. */
struct teller {
    struct sink_stream stream;
    struct report_ring ring;
    uint32_t told; /* the last block that the chronicle has */
};

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    char error[CHRONICLE_ERROR_SIZE] = "";
    strcpy(world->directory, "/tmp/dcamp-events.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    const struct chronicle_settings settings = {.directory = world->directory,
                                                .raw_ms = 2 * DAY_MS,
                                                .minute_ms = 60 * DAY_MS,
                                                .hour_ms = 730 * DAY_MS,
                                                .inbox_octets = 64 << 10,
                                                .inbox_ms = HOUR_MS};
    world->chronicle = chronicle_open(&settings, START_MS, error);
    assert_string_equal(error, "");
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;
    chronicle_close(world->chronicle);
    remove_all(world->directory);
    free(world);
    return 0;
}

static void begin(struct teller *teller, const char *path, uint32_t boot)
{
    *teller = (struct teller){.stream = {.boot = boot,
                                         .path = path,
                                         .name = *path ? path : "root1",
                                         .group = "web",
                                         .engine_id = (const uint8_t *)"engine1",
                                         .engine_id_len = 7}};
    assert_int_equal(report_open(&teller->ring, boot, 1000, 1200), 0);
}

/* A sink_block's words. */
static const struct sink_words *words_of(const void *context, uint32_t number)
{
    static const struct sink_words words = {"requests", "total", "requests", "1", ""};
    (void)context;
    return number == 1 ? &words : NULL;
}

/* Tells what was added since, all of it in one block. */
static void tell(struct world *world, struct teller *teller)
{
    assert_int_equal(report_flush(&teller->ring), 0);
    for (struct index_node *at = index_first(&teller->ring.index); at; at = index_next(at)) {
        const struct report_block *block = (const struct report_block *)at;
        const struct sink_block told = {.stream = &teller->stream,
                                        .number = block->sequence,
                                        .octets = block->bytes,
                                        .len = block->len,
                                        .words = words_of};
        if (block->sequence <= teller->told)
            continue;
        assert_int_equal(chronicle_block(world->chronicle, &told, START_MS), 0);
        teller->told = block->sequence;
    }
    assert_int_equal(chronicle_commit(world->chronicle, START_MS), 0);
}

/* What was added since becomes a block that never comes. */
static void lose(struct teller *teller)
{
    assert_int_equal(report_flush(&teller->ring), 0);
    teller->told++;
}

/* What a question that has one row of one column finds in a file. */
static void finds(const struct world *world, const char *file, const char *sql,
                  const char *expected)
{
    char path[128];
    sqlite3 *db;
    sqlite3_stmt *select;
    snprintf(path, sizeof path, "%s/%s", world->directory, file);
    assert_int_equal(database_open(path, true, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &select, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(select), SQLITE_ROW);
    const unsigned char *found = sqlite3_column_text(select, 0);
    assert_string_equal(found ? (const char *)found : "", expected);
    sqlite3_finalize(select);
    database_close(db);
}

static const char november[] = "history-2026-11.db", december[] = "history-2026-12.db";

/* -- Alarms ---------------------------------------------------------------------------------- */

/* Times are in milliseconds behind SINCE_MS; one that is active has "-". */
static void alarms_are(const struct world *world, const char *file, const char *expected)
{
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT group_concat(line, ' ') FROM (SELECT path || ':' || alarm_key || ':' ||"
             " (since - %lld) || ':' || severity || ':' || worst || ':' ||"
             " coalesce(cleared - %lld, '-') AS line FROM alarm ORDER BY path, alarm_key, since)",
             (long long)SINCE_MS, (long long)SINCE_MS);
    finds(world, file, sql, expected);
}

static struct report_alarm alarm_of(uint32_t id, const char *path, const char *key,
                                    uint32_t severity)
{
    const char *texts[REPORT_ALARM_TEXTS] = {
        path, key, "node1", "hot", "cpu.busy", "total", "99", "90", "cpu.busy is 99", ""};
    struct report_alarm alarm = {.id = id, .index = 8, .severity = severity, .since_ms = SINCE_MS};
    for (size_t i = 0; i < REPORT_ALARM_TEXTS; i++) {
        alarm.text[i].at = texts[i];
        alarm.text[i].len = strlen(texts[i]);
    }
    return alarm;
}

/* Returns its hash, for the digest of all. */
static uint32_t add_alarm(struct teller *teller, const struct report_alarm *alarm, int after_ms)
{
    struct report_written written;
    assert_int_equal(report_add_alarm(&teller->ring, SINCE_MS + after_ms, alarm, &written), 0);
    return written.hash;
}

static uint32_t add(struct teller *teller, uint32_t id, const char *path, const char *key,
                    int after_ms)
{
    const struct report_alarm alarm = alarm_of(id, path, key, 3);
    return add_alarm(teller, &alarm, after_ms);
}

static void add_cleared(struct teller *teller, uint32_t id, int after_ms)
{
    assert_int_equal(report_add_alarm_cleared(&teller->ring, SINCE_MS + after_ms, id), 0);
}

static void add_all(struct teller *teller, bool complete, uint32_t digest, uint32_t n, int after_ms)
{
    const struct report_alarms all = {.complete = complete, .digest = digest, .told = n};
    struct report_written written;
    assert_int_equal(report_add_alarms(&teller->ring, SINCE_MS + after_ms, &all, &written), 0);
}

static void an_activation_is_one_row(void **state)
{
    struct world *world = *state;
    struct teller node;
    begin(&node, "node1", BOOT);
    struct report_alarm alarm = alarm_of(1, "", "hot", 3);
    for (int i = 0; i < 3; i++) {
        add_alarm(&node, &alarm, 100 + i);
        tell(world, &node);
        alarms_are(world, november, "node1:hot:0:3:3:-");
    }
    alarm.severity = 4;
    add_alarm(&node, &alarm, 200);
    tell(world, &node);
    alarms_are(world, november, "node1:hot:0:4:4:-");
    alarm.severity = 2;
    alarm.acknowledged_ms = SINCE_MS + 250;
    alarm.text[REPORT_ALARM_ACKNOWLEDGED].at = "ann";
    alarm.text[REPORT_ALARM_ACKNOWLEDGED].len = 3;
    add_alarm(&node, &alarm, 300);
    tell(world, &node);
    alarms_are(world, november, "node1:hot:0:2:4:-");
    finds(world, november, "SELECT acknowledged_by || (acknowledged - since) FROM alarm", "ann250");
    add_cleared(&node, 1, 400);
    add_cleared(&node, 1, 500); /* as a ring may repeat it */
    tell(world, &node);
    alarms_are(world, november, "node1:hot:0:2:4:400");
    alarm.since_ms += 600;
    add_alarm(&node, &alarm, 600);
    tell(world, &node);
    alarms_are(world, november, "node1:hot:0:2:4:400 node1:hot:600:2:2:-");
    report_close(&node.ring);
}

/* The child itself, and the collector that relays what it heard of it. */
static void two_who_tell_of_one_alarm(void **state)
{
    struct world *world = *state;
    struct teller child, collector;
    begin(&child, "node1", BOOT);
    begin(&collector, "", BOOT);
    add(&collector, 9, "node1", "hot", 100);
    add(&child, 1, "", "hot", 110);
    tell(world, &child);
    tell(world, &collector);
    alarms_are(world, november, "node1:hot:0:3:3:-");
    add_cleared(&child, 1, 200);
    tell(world, &child);
    add_cleared(&collector, 9, 250);
    tell(world, &collector);
    alarms_are(world, november, "node1:hot:0:3:3:200");
    report_close(&child.ring);
    report_close(&collector.ring);
}

/* A number that is given to another alarm says that the one that had it has ended. */
static void a_number_is_given_away(void **state)
{
    struct world *world = *state;
    struct teller node;
    begin(&node, "node1", BOOT);
    add(&node, 1, "", "cold", 100);
    tell(world, &node);
    add(&node, 1, "", "hot", 200);
    tell(world, &node);
    alarms_are(world, november, "node1:cold:0:3:3:200 node1:hot:0:3:3:-");
    report_close(&node.ring);
}

/* That one has ended was in a block that is missing: what is told again is all that there is. */
static void what_vanishes_with_a_block_is_ended(void **state)
{
    struct world *world = *state;
    struct teller node;
    begin(&node, "node1", BOOT);
    add(&node, 1, "", "cold", 100);
    uint32_t hash = add(&node, 2, "", "hot", 100);
    tell(world, &node);
    add_cleared(&node, 1, 200);
    lose(&node);
    add_all(&node, true, hash, 1, 300); /* "hot" was not told again yet */
    tell(world, &node);
    alarms_are(world, november, "node1:cold:0:3:3:- node1:hot:0:3:3:-");
    add(&node, 2, "", "hot", 400);
    add_all(&node, false, hash, 1, 400); /* it does not know of all yet */
    tell(world, &node);
    alarms_are(world, november, "node1:cold:0:3:3:- node1:hot:0:3:3:-");
    add_all(&node, true, hash, 1, 500);
    tell(world, &node);
    alarms_are(world, november, "node1:cold:0:3:3:500 node1:hot:0:3:3:-");
    report_close(&node.ring);
}

/* The next boot tells again what goes on. */
static void what_ends_with_a_boot_is_ended(void **state)
{
    struct world *world = *state;
    struct teller before, node;
    begin(&before, "node1", BOOT);
    add(&before, 1, "", "cold", 100);
    add(&before, 2, "", "hot", 100);
    tell(world, &before);
    begin(&node, "node1", BOOT + 1);
    uint32_t hash = add(&node, 1, "", "hot", 300);
    tell(world, &node);
    alarms_are(world, november, "node1:cold:0:3:3:- node1:hot:0:3:3:-");
    add_all(&node, true, hash, 1, 400);
    tell(world, &node);
    alarms_are(world, november, "node1:cold:0:3:3:400 node1:hot:0:3:3:-");
    report_close(&before.ring);
    report_close(&node.ring);
}

/* In the file of the next month it goes on: by the same numbers, and told again it is one row. */
static void an_alarm_that_is_active_when_a_month_ends(void **state)
{
    struct world *world = *state;
    struct teller node;
    bool more;
    begin(&node, "node1", BOOT);
    add(&node, 1, "", "cold", 100);
    add(&node, 2, "", "hot", 100);
    add_cleared(&node, 1, 200);
    tell(world, &node);
    assert_int_equal(chronicle_step(world->chronicle, NEXT_MONTH_MS, false, &more), 0);
    alarms_are(world, december, "node1:hot:0:3:3:-");
    add(&node, 2, "", "hot", 300);
    tell(world, &node);
    alarms_are(world, december, "node1:hot:0:3:3:-");
    add_cleared(&node, 2, 400);
    tell(world, &node);
    alarms_are(world, december, "node1:hot:0:3:3:400");
    alarms_are(world, november, "node1:cold:0:3:3:200 node1:hot:0:3:3:-");
    report_close(&node.ring);
}

/* -- Steps and tops -------------------------------------------------------------------------- */

static void add_step(struct teller *teller, uint64_t start_ns, const char *node)
{
    const struct report_record record = {.start_ns = start_ns,
                                         .duration_ns = 20,
                                         .sequence = 3,
                                         .result = -4,
                                         .has_cpu = true,
                                         .cpu_ns = 5,
                                         .node = node,
                                         .node_len = strlen(node)};
    assert_int_equal(report_add_record(&teller->ring, 1, START_MS, &record), 0);
}

/* What the publishing node relays comes in the blocks of the child, too: that is the one row. */
static void an_execution_is_one_row(void **state)
{
    struct world *world = *state;
    struct teller root, child;
    begin(&root, "", BOOT);
    begin(&child, "collector1", BOOT);
    add_step(&root, 1, "");
    add_step(&root, 2, "collector1");
    add_step(&child, 2, "");
    add_step(&child, 3, "node7");
    tell(world, &root);
    tell(world, &child);
    finds(world, november,
          "SELECT group_concat(start || ':' || path || ':' || duration || ':' || sequence || ':' ||"
          " result || ':' || cpu || ':' || coalesce(allocated, '-'), ' ') FROM"
          " (SELECT * FROM step ORDER BY start)",
          "1::20:3:-4:5:- 2:collector1:20:3:-4:5:- 3:collector1/node7:20:3:-4:5:-");
    assert_int_equal(chronicle_counters(world->chronicle)->records, 3);
    report_close(&root.ring);
    report_close(&child.ring);
}

static void add_top(struct teller *teller, int64_t wall_ms, uint64_t count)
{
    struct top_key key = {.count = count, .octets = "key"};
    const struct top_keys keys = {.key = &key, .size = 1};
    assert_int_equal(report_add_keys(&teller->ring, 1, wall_ms, &keys), 0);
}

/* Of each minute, what was told last. */
static void a_top_is_one_row_a_minute(void **state)
{
    struct world *world = *state;
    struct teller node;
    begin(&node, "node1", BOOT);
    for (int i = 0; i < 9; i++)
        add_top(&node, START_MS + i * MINUTE_MS / 4, 1);
    tell(world, &node);
    char expected[64], sql[256];
    snprintf(sql, sizeof sql,
             "SELECT group_concat((minute - %lld) || ':' || part || ':' || (latest - minute), ' ')"
             " FROM (SELECT * FROM top ORDER BY minute)",
             (long long)START_MS);
    snprintf(expected, sizeof expected, "0:0:45000 60000:0:45000 120000:0:0");
    finds(world, november, sql, expected);
    report_close(&node.ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_activation_is_one_row, setup, teardown),
        cmocka_unit_test_setup_teardown(two_who_tell_of_one_alarm, setup, teardown),
        cmocka_unit_test_setup_teardown(a_number_is_given_away, setup, teardown),
        cmocka_unit_test_setup_teardown(what_vanishes_with_a_block_is_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(what_ends_with_a_boot_is_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(an_alarm_that_is_active_when_a_month_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(an_execution_is_one_row, setup, teardown),
        cmocka_unit_test_setup_teardown(a_top_is_one_row_a_minute, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
