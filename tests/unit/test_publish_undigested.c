/* What waits in the inbox of a history, as a reader has it: in any order of writing, digesting and
 * asking it is what was told and not digested, and it is read once as long as nothing is written.
 */
#include "publish/undigested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/chronicle.h"
#include "report/report.h"
#include "remove_all.h"
#include "scarce.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define NODES 3
#define BOOTS 2
#define SENSORS 4
#define TOLD_MAX 4000
#define KEEP 100000

/* This node has many series, of which nothing waits but of the first ones. */
#define NODE_OF_MANY 2
#define FIRST_OF_MANY 1000

static const char *const paths[NODES] = {"", "node1", "node1/leaf"};
static const char *const sensors[SENSORS] = {"s0", "s1", "s2", "s3"};

/* One boot of a node; numbers mean other sensors in each. */
struct teller {
    struct sink_stream stream;
    struct report_ring ring;
    uint32_t told, boot;
};

/* What was told and not digested. */
struct told {
    int node, sensor;
    int64_t wall_ms;
    double value;
};

struct world {
    char directory[64], path[128];
    struct chronicle *chronicle;
    struct teller tellers[NODES][BOOTS];
    struct told told[TOLD_MAX];
    size_t n_told;
    int64_t now_ms;
    /* The reader. */
    struct statements sql;
    struct undigested undigested;
};

static const struct sink_words *words_of(const void *context, uint32_t number)
{
    static struct sink_words words;
    static char instance[16];
    const struct teller *teller = context;
    snprintf(instance, sizeof instance, number < FIRST_OF_MANY ? "total" : "%u", number);
    words = (struct sink_words){sensors[(number + teller->boot) % SENSORS], instance, "", "%", ""};
    return &words;
}

static void begin_teller(struct teller *teller, int node, uint32_t boot)
{
    teller->boot = boot;
    teller->stream = (struct sink_stream){
        .boot = boot + 1, .path = paths[node], .name = paths[node], .group = ""};
    assert_int_equal(report_open(&teller->ring, boot + 1, KEEP, 1200), 0);
}

static void end_reader(struct world *world)
{
    undigested_release(&world->undigested);
    statements_release(&world->sql);
    database_close(world->sql.db);
    world->sql.db = NULL;
}

static int teardown(void **state)
{
    struct world *world = *state;
    end_reader(world);
    chronicle_close(world->chronicle);
    for (int node = 0; node < NODES; node++)
        for (uint32_t boot = 0; boot < BOOTS; boot++)
            report_close(&world->tellers[node][boot].ring);
    remove_all(world->directory);
    free(world);
    return 0;
}

/* -- Writing --------------------------------------------------------------------------------- */

/* As far as there is room, it is noted. */
static void add(struct world *world, int node, int boot, uint32_t number, double value)
{
    const struct result result = {RESULT_VALID, value};
    world->now_ms += 10;
    assert_int_equal(report_add(&world->tellers[node][boot].ring, number, world->now_ms, &result),
                     0);
    if (world->n_told < TOLD_MAX)
        world->told[world->n_told++] =
            (struct told){node, (int)((number + (uint32_t)boot) % SENSORS), world->now_ms, value};
}

static void give(struct world *world, struct teller *teller, uint32_t number, const void *octets,
                 size_t len)
{
    const struct sink_block block = {.stream = &teller->stream,
                                     .number = number,
                                     .octets = octets,
                                     .len = len,
                                     .words = words_of,
                                     .context = teller};
    assert_int_equal(chronicle_block(world->chronicle, &block, world->now_ms), 0);
}

static void tell(struct world *world, int node, int boot)
{
    struct teller *teller = &world->tellers[node][boot];
    assert_int_equal(report_flush(&teller->ring), 0);
    for (struct index_node *at = index_first(&teller->ring.index); at; at = index_next(at)) {
        const struct report_block *block = (const struct report_block *)at;
        if (block->sequence <= teller->told)
            continue;
        give(world, teller, block->sequence, block->bytes, block->len);
        teller->told = block->sequence;
    }
    assert_int_equal(chronicle_commit(world->chronicle, world->now_ms), 0);
}

/* Some values of some sensors, in one block. */
static void tell_some(struct world *world, int node, int boot)
{
    for (long n = 1 + random() % 5; n > 0; n--)
        add(world, node, boot, 1 + (uint32_t)random() % (2 * SENSORS),
            (double)(random() % 1000) / 4);
    assert_true(world->n_told < TOLD_MAX);
    tell(world, node, boot);
}

static void digest_all(struct world *world)
{
    bool more = true;
    while (more)
        assert_int_equal(chronicle_step(world->chronicle, world->now_ms, true, &more), 0);
    world->n_told = 0;
}

static void tell_many(struct world *world)
{
    for (uint32_t i = 0; i <= UNDIGESTED_FEW; i++)
        add(world, NODE_OF_MANY, 0, FIRST_OF_MANY + i, i);
    tell(world, NODE_OF_MANY, 0);
    digest_all(world);
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    char error[CHRONICLE_ERROR_SIZE] = "";
    strcpy(world->directory, "/tmp/dcamp-undigested.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    snprintf(world->path, sizeof world->path, "%s/history-2026-11.db", world->directory);
    world->now_ms = START_MS;
    const struct chronicle_settings settings = {.directory = world->directory,
                                                .raw_ms = 2 * DAY_MS,
                                                .minute_ms = 60 * DAY_MS,
                                                .hour_ms = 730 * DAY_MS,
                                                .inbox_octets = 64 << 20,
                                                .inbox_ms = DAY_MS};
    world->chronicle = chronicle_open(&settings, START_MS, error);
    assert_string_equal(error, "");
    for (int node = 0; node < NODES; node++)
        for (uint32_t boot = 0; boot < BOOTS; boot++)
            begin_teller(&world->tellers[node][boot], node, boot);
    tell_many(world);
    *state = world;
    return 0;
}

/* -- Asking ---------------------------------------------------------------------------------- */

static void begin_reader(struct world *world)
{
    bool is_frozen;
    struct database_stamp stamp;
    if (!world->sql.db)
        assert_int_equal(database_read(world->path, &world->sql.db, &is_frozen, &stamp), 0);
    assert_int_equal(database_run(world->sql.db, "BEGIN"), 0);
}

static int64_t source_of(struct world *world, int node)
{
    int64_t id;
    assert_int_equal(
        statements_find(&world->sql, &id, "SELECT id FROM source WHERE path = ?", "t", paths[node]),
        0);
    return id;
}

static int64_t series_of(struct world *world, int node, int sensor)
{
    int64_t id;
    assert_int_equal(statements_find(&world->sql, &id,
                                     "SELECT id FROM series WHERE source = ? AND sensor = ?"
                                     " AND instance = 'total'",
                                     "it", source_of(world, node), sensors[sensor]),
                     0);
    return id;
}

static const struct digest *ask(struct world *world, int node, int sensor, int *code)
{
    return undigested_of(&world->undigested, &world->sql, source_of(world, node),
                         series_of(world, node, sensor), code);
}

/* The series has all that waits of it, in the order of its times. */
static void has_told(struct world *world, const struct digest *digest, int node, int sensor)
{
    int64_t series = series_of(world, node, sensor);
    size_t at = 0;
    for (size_t i = 0; i < world->n_told; i++) {
        const struct told *told = &world->told[i];
        if (told->node != node || told->sensor != sensor)
            continue;
        while (at < digest->n_samples && digest->samples[at].series != series)
            at++;
        assert_true(at < digest->n_samples);
        assert_int_equal(digest->samples[at].point.wall_ms, told->wall_ms);
        assert_true(digest->samples[at++].point.result.value == told->value);
    }
    for (; at < digest->n_samples; at++)
        assert_int_not_equal(digest->samples[at].series, series);
}

/* Asked for one series, it has that one or all. */
static const struct digest *check(struct world *world, int node, int sensor)
{
    int code;
    begin_reader(world);
    const struct digest *digest = ask(world, node, sensor, &code);
    assert_int_equal(code, SQLITE_OK);
    assert_non_null(digest);
    int64_t series = series_of(world, node, sensor);
    assert_true(digest->only == 0 || digest->only == series);
    for (int other = 0; other < SENSORS; other++)
        if (other == sensor || digest->only == 0)
            has_told(world, digest, node, other);
    for (size_t i = 1; i < digest->n_samples; i++)
        assert_true(digest->samples[i - 1].series <= digest->samples[i].series);
    assert_int_equal(database_run(world->sql.db, "COMMIT"), 0);
    return digest;
}

/* -- Tests ----------------------------------------------------------------------------------- */

static void in_any_order(void **state)
{
    struct world *world = *state;
    srandom(27);
    for (int node = 0; node < NODES; node++)
        for (int boot = 0; boot < BOOTS; boot++)
            tell_some(world, node, boot);
    for (int i = 0; i < CASES(4000); i++) {
        int what = (int)(random() % 20), node = (int)(random() % NODES);
        if (what < 4 && world->n_told + 8 < TOLD_MAX)
            tell_some(world, node, (int)(random() % BOOTS));
        else if (what == 4 && random() % 4 == 0)
            digest_all(world);
        else if (what == 5)
            end_reader(world);
        else
            check(world, node, (int)(random() % SENSORS));
    }
}

static void ask_node(struct world *world, int node, int other)
{
    const struct digest_point *samples = check(world, node, 1)->samples;
    for (int sensor = 0; sensor < SENSORS; sensor++) {
        const struct digest *digest = check(world, node, sensor);
        assert_int_equal(digest->only, 0);
        assert_int_equal(digest->n_samples, SENSORS);
        assert_ptr_equal(digest->samples, samples);
        assert_int_equal(check(world, other, 1)->n_samples, 1); /* is kept beside it */
    }
}

/* Of many series first only what is asked for; with the second question, as of few ones with the
 * first, all; and then nothing is read again. */
static void it_is_read_once(struct world *world, int node, int other)
{
    for (uint32_t number = 1; number <= SENSORS; number++)
        add(world, node, 0, number, number);
    add(world, other, 0, 1, 7);
    tell(world, node, 0);
    tell(world, other, 0);
    const struct digest *digest = check(world, node, 0);
    assert_int_equal(digest->only != 0, node == NODE_OF_MANY);
    assert_int_equal(digest->n_samples, node == NODE_OF_MANY ? 1 : SENSORS);
    for (int round = 0; round < 3; round++)
        ask_node(world, node, other);
    assert_int_equal(world->undigested.n, 2);
    assert_int_equal(world->undigested.n_entries, SENSORS + 1);
    add(world, other, 0, 1, 8); /* whoever it is of: what was kept may be of before */
    tell(world, other, 0);
    assert_int_equal(check(world, other, 1)->n_samples, 2);
    assert_int_equal(world->undigested.n, 1);
}

static void few_series_are_read_once(void **state)
{
    it_is_read_once(*state, 1, NODE_OF_MANY);
}

static void many_series_are_read_once(void **state)
{
    it_is_read_once(*state, NODE_OF_MANY, 1);
}

/* What was no block was counted when it came, and windows are there beside samples. */
static void blocks_that_are_none_and_windows(void **state)
{
    struct world *world = *state;
    struct teller *teller = &world->tellers[1][0];
    struct statistics_window window = {0};
    for (int i = 0; i < 60; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    add(world, 1, 0, 1, 1);
    assert_int_equal(report_add_window(&teller->ring, 1, world->now_ms, 60000, &window), 0);
    tell(world, 1, 0);
    give(world, teller, teller->told + 1, "nonsense", 8);
    give(world, teller, teller->told + 2, "", 0);
    assert_int_equal(chronicle_commit(world->chronicle, world->now_ms), 0);
    const struct digest *digest = check(world, 1, 1);
    assert_int_equal(digest->n_samples, 1);
    assert_int_equal(digest->n_windows, 1);
    assert_int_equal(digest->windows[0].window.count, 60);
    assert_int_equal(digest->windows[0].window.histogram.count, 60);
    assert_int_equal(check(world, 1, 1)->n_windows, 1);
    statistics_window_release(&window);
}

/* A node of which nothing waits, and one that the file does not have. */
static void nothing_waits(void **state)
{
    struct world *world = *state;
    int code;
    add(world, 1, 0, 1, 1);
    tell(world, 1, 0);
    digest_all(world);
    assert_int_equal(check(world, 1, 1)->n_samples, 0);
    begin_reader(world);
    const struct digest *digest = undigested_of(&world->undigested, &world->sql, 4711, 1, &code);
    assert_non_null(digest);
    assert_int_equal(digest->n_samples + digest->n_windows, 0);
    assert_int_equal(database_run(world->sql.db, "COMMIT"), 0);
}

#define MANY 1050000

/* So much of a node is kept, whatever it is, but not of several. */
static void what_is_kept_is_bounded(void **state)
{
    struct world *world = *state;
    assert_true(MANY < UNDIGESTED_MAX && 2 * MANY > UNDIGESTED_MAX);
    for (int i = 0; i < MANY; i++)
        for (int node = 1; node < NODES; node++)
            add(world, node, 0, 1 + (uint32_t)i % SENSORS, i);
    tell(world, 1, 0);
    tell(world, 2, 0);
    begin_reader(world);
    for (int round = 0; round < 2; round++)
        for (int node = 1; node < NODES; node++) {
            int code;
            ask(world, node, 0, &code);
            const struct digest *digest = ask(world, node, 1, &code);
            assert_non_null(digest);
            assert_int_equal(digest->n_samples, MANY);
            assert_int_equal(world->undigested.n, 1);
            assert_int_equal(world->undigested.n_entries, MANY);
        }
    assert_int_equal(database_run(world->sql.db, "COMMIT"), 0);
}

/* Another than the first sensor is a second question. */
static void memory_fails_for(struct world *world, int node, int sensor)
{
    bool has_failed = true;
    size_t nth = 1;
    for (; has_failed; nth++) {
        int code = SQLITE_OK;
        begin_reader(world);
        undigested_release(&world->undigested);
        if (sensor > 0)
            assert_non_null(ask(world, node, 0, &code));
        scarce_fail(nth);
        const struct digest *digest = ask(world, node, sensor, &code);
        has_failed = scarce_stop();
        assert_int_equal(code, digest ? SQLITE_OK : SQLITE_NOMEM);
        if (digest)
            has_told(world, digest, node, sensor);
        assert_int_equal(database_run(world->sql.db, "COMMIT"), 0);
        for (int other = 0; other < NODES; other++)
            check(world, other, sensor);
    }
    assert_true(nth > 3);
}

/* It says so, or has all; and what was kept before is forgotten or right. */
static void memory_fails(void **state)
{
    struct world *world = *state;
    for (int node = 1; node < NODES; node++)
        for (int i = 0; i < 20; i++)
            tell_some(world, node, i % BOOTS);
    memory_fails_for(world, 1, 0);
    memory_fails_for(world, NODE_OF_MANY, 0);
    memory_fails_for(world, NODE_OF_MANY, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_any_order, setup, teardown),
        cmocka_unit_test_setup_teardown(few_series_are_read_once, setup, teardown),
        cmocka_unit_test_setup_teardown(many_series_are_read_once, setup, teardown),
        cmocka_unit_test_setup_teardown(blocks_that_are_none_and_windows, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_waits, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_kept_is_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_fails, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
