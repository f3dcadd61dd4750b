/* The history in SQLite, in files: what was stored is read back, whatever happened meanwhile. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "publish/history.h"
#include "publish/chronicle.h"
#include "publish/database.h"
#include "report/report.h"
#include "unit.h"

#define START_MS INT64_C(1795730400000) /* 2026-11-26 22:00:00 UTC */
#define SECOND_MS INT64_C(1000)
#define BOOT 7
#define KEEP 100000

/* -- A directory, and blocks ----------------------------------------------------------------- */

struct world {
    char directory[64];
    struct chronicle_settings settings;
    struct chronicle *chronicle;
    struct report_ring ring;
    uint32_t told; /* the last block that was given to the chronicle */
    struct sink_stream stream;
    const char *sensors[64]; /* by their numbers; NULL: nobody knows */
    const char *below; /* the node whose series they are, which the node relays; NULL: its own */
};

/* A sink_block's words. */
static const struct sink_words *words_of(const void *context, uint32_t number)
{
    static struct sink_words words;
    const struct world *world = context;
    if (number >= N_OF(world->sensors) || !world->sensors[number])
        return NULL;
    words = (struct sink_words){world->sensors[number], "total", "cpu.busy", "%",
                                world->below ? world->below : ""};
    return &words;
}

static int tell_block(struct world *world, uint32_t number, const uint8_t *octets, size_t len,
                      int64_t now_ms)
{
    const struct sink_block block = {.stream = &world->stream,
                                     .number = number,
                                     .octets = octets,
                                     .len = len,
                                     .words = words_of,
                                     .context = world};
    return chronicle_block(world->chronicle, &block, now_ms);
}

static void open_chronicle(struct world *world, int64_t now_ms)
{
    char error[CHRONICLE_ERROR_SIZE] = "";
    world->chronicle = chronicle_open(&world->settings, now_ms, error);
    assert_string_equal(error, "");
    assert_non_null(world->chronicle);
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    strcpy(world->directory, "/tmp/dcamp-chronicle.XXXXXX");
    assert_non_null(mkdtemp(world->directory));
    world->settings = (struct chronicle_settings){.directory = world->directory,
                                                  .raw_ms = 2 * DAY_MS,
                                                  .minute_ms = 60 * DAY_MS,
                                                  .hour_ms = 730 * DAY_MS,
                                                  .inbox_octets = 64 << 10,
                                                  .inbox_ms = HOUR_MS};
    world->stream = (struct sink_stream){.boot = BOOT,
                                         .path = "node1",
                                         .name = "node1",
                                         .group = "web",
                                         .engine_id = (const uint8_t *)"engine1",
                                         .engine_id_len = 7};
    assert_int_equal(report_open(&world->ring, BOOT, KEEP, 1200), 0);
    open_chronicle(world, START_MS);
    *state = world;
    return 0;
}

static int remove_one(const char *path, const struct stat *file, int type, struct FTW *where)
{
    (void)file;
    (void)type;
    (void)where;
    return remove(path);
}

static int teardown(void **state)
{
    struct world *world = *state;
    chronicle_close(world->chronicle);
    report_close(&world->ring);
    nftw(world->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(world);
    return 0;
}

static void reopen(struct world *world, int64_t now_ms)
{
    chronicle_close(world->chronicle);
    open_chronicle(world, now_ms);
}

static void name(struct world *world, uint32_t number, const char *sensor)
{
    world->sensors[number] = sensor;
}

static void add(struct world *world, uint32_t number, int64_t wall_ms, double value)
{
    const struct result result = {RESULT_VALID, value};
    assert_int_equal(report_add(&world->ring, number, wall_ms, &result), 0);
}

/* The blocks that were not told yet. */
static int tell(struct world *world, int64_t now_ms)
{
    assert_int_equal(report_flush(&world->ring), 0);
    for (struct index_node *at = index_first(&world->ring.index); at; at = index_next(at)) {
        const struct report_block *block = (const struct report_block *)at;
        if (block->sequence <= world->told)
            continue;
        int error = tell_block(world, block->sequence, block->bytes, block->len, now_ms);
        if (error)
            return error;
        world->told = block->sequence;
    }
    return 0;
}

static void tell_all(struct world *world, int64_t now_ms)
{
    assert_int_equal(tell(world, now_ms), 0);
    assert_int_equal(chronicle_commit(world->chronicle, now_ms), 0);
}

static void digest_all(struct world *world, int64_t now_ms)
{
    bool more = true;
    while (more)
        assert_int_equal(chronicle_step(world->chronicle, now_ms, true, &more), 0);
}

/* -- What is read ---------------------------------------------------------------------------- */

struct found {
    struct point points[20000];
    size_t n;
    struct {
        int64_t start_ms;
        uint64_t count;
        double min, max, mean, m2, median;
        uint64_t in_histogram;
    } cells[2000];
    size_t n_cells;
};

static void take_point(void *context, const struct point *point)
{
    struct found *found = context;
    assert_in_range(found->n, 0, N_OF(found->points) - 1);
    found->points[found->n++] = *point;
}

static void take_cell(void *context, int64_t start_ms, const struct statistics_window *window)
{
    struct found *found = context;
    assert_in_range(found->n_cells, 0, N_OF(found->cells) - 1);
    found->cells[found->n_cells].start_ms = start_ms;
    found->cells[found->n_cells].count = window->count;
    found->cells[found->n_cells].min = window->min;
    found->cells[found->n_cells].max = window->max;
    found->cells[found->n_cells].mean = window->mean;
    found->cells[found->n_cells].m2 = window->m2;
    found->cells[found->n_cells].median = statistics_quantile(window, 0.5);
    found->cells[found->n_cells++].in_histogram = window->histogram.count;
}

static struct found *ask(const struct world *world, const char *sensor, int64_t from_ms,
                         int64_t to_ms, const struct tier *tier)
{
    static struct found found;
    char path[64];
    snprintf(path, sizeof path, "node1%s%s", world->below ? "/" : "",
             world->below ? world->below : "");
    const struct history_question question = {path, sensor, "total", from_ms, to_ms, false};
    int error;
    struct history *history = history_open(world->directory, &error);
    assert_non_null(history);
    found.n = found.n_cells = 0;
    if (tier)
        assert_int_equal(history_cells(history, &question, tier, take_cell, &found), 0);
    else
        assert_int_equal(history_points(history, &question, take_point, &found), 0);
    history_close(history);
    return &found;
}

static struct found *all_points(const struct world *world, const char *sensor)
{
    return ask(world, sensor, INT64_MIN / 2, INT64_MAX / 2, NULL);
}

static void has_points(const struct world *world, const char *sensor, size_t n)
{
    assert_int_equal(all_points(world, sensor)->n, n);
}

/* -- What was stored is read ----------------------------------------------------------------- */

static double value_of(int i)
{
    return i % 2 ? i / 3.0 : i * 0.25;
}

static void are_values(const struct found *found, int n)
{
    assert_int_equal(found->n, n);
    for (int i = 0; i < n; i++) {
        double value = value_of(i);
        assert_int_equal(found->points[i].wall_ms, START_MS + i * SECOND_MS);
        assert_memory_equal(&found->points[i].result.value, &value, sizeof value);
    }
}

static void values_before_and_after_they_are_digested(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    name(world, 2, "b");
    for (int i = 0; i < 5000; i++) {
        add(world, 1, START_MS + i * SECOND_MS, value_of(i));
        if (i % 10 == 0)
            add(world, 2, START_MS + i * SECOND_MS, -1);
    }
    tell_all(world, START_MS + 5000 * SECOND_MS);
    are_values(all_points(world, "a"), 5000);
    has_points(world, "b", 500);
    digest_all(world, START_MS + 5000 * SECOND_MS);
    are_values(all_points(world, "a"), 5000);
    has_points(world, "b", 500);
    has_points(world, "c", 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 5500);
    assert_int_equal(ask(world, "a", START_MS + 100000, START_MS + 199999, NULL)->n, 100);
}

static void an_inbox_is_digested_when_it_is_large_or_old(void **state)
{
    struct world *world = *state;
    bool more;
    name(world, 1, "a");
    add(world, 1, START_MS, 1);
    tell_all(world, START_MS);
    assert_int_equal(chronicle_step(world->chronicle, START_MS + HOUR_MS - 1, false, &more), 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 0);
    assert_int_equal(chronicle_step(world->chronicle, START_MS + HOUR_MS, false, &more), 0);
    assert_int_equal(chronicle_counters(world->chronicle)->samples, 1);
    for (int i = 1; i < 30000; i++)
        add(world, 1, START_MS + i, 1 / 3.0);
    tell_all(world, START_MS);
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
    name(world, 1, "a");
    for (int i = 0; i < 10; i++) {
        add(world, 1, START_MS + i, i);
        tell_all(world, START_MS);
        if (i % 3 == 0)
            digest_all(world, START_MS);
        found.n = 0;
        assert_int_equal(history_points(history, &question, take_point, &found), 0);
        assert_int_equal(found.n, i + 1);
    }
    history_close(history);
}

static void gaps_and_what_is_unavailable_are_read(void **state)
{
    struct world *world = *state;
    static const enum result_state states[] = {RESULT_VALID, RESULT_GAP, RESULT_UNAVAILABLE};
    name(world, 1, "a");
    for (int i = 0; i < 30; i++) {
        const struct result result = {states[i % 3], 0};
        assert_int_equal(report_add(&world->ring, 1, START_MS + i, &result), 0);
    }
    tell_all(world, START_MS);
    digest_all(world, START_MS);
    const struct found *found = all_points(world, "a");
    assert_int_equal(found->n, 30);
    for (int i = 0; i < 30; i++)
        assert_int_equal(found->points[i].result.state, states[i % 3]);
    found = ask(world, "a", START_MS, START_MS, &tier_minute);
    assert_int_equal(found->n_cells, 1);
    assert_int_equal(found->cells[0].count, 10);
}

/* -- Cells ----------------------------------------------------------------------------------- */

/* The cells of a tier are those of the values, however they came to be there. */
static void cells_are(const struct world *world, const struct tier *tier, int n)
{
    const struct found *found = ask(world, "a", START_MS, START_MS + n * SECOND_MS, tier);
    int per_cell = (int)(tier->cell_ms / SECOND_MS);
    assert_int_equal(found->n_cells, (n + per_cell - 1) / per_cell);
    for (int c = 0; c * per_cell < n; c++) {
        struct statistics_window window = {0};
        for (int i = c * per_cell; i < n && i < (c + 1) * per_cell; i++)
            assert_int_equal(statistics_window_add(&window, value_of(i)), 0);
        assert_int_equal(found->cells[c].start_ms, START_MS + c * tier->cell_ms);
        assert_int_equal(found->cells[c].count, window.count);
        assert_int_equal(found->cells[c].in_histogram, window.count);
        assert_true(found->cells[c].min == window.min && found->cells[c].max == window.max);
        assert_true(found->cells[c].median == statistics_quantile(&window, 0.5));
        assert_true(fabs(found->cells[c].mean - window.mean) <= 1e-12 * fabs(window.mean));
        assert_true(fabs(found->cells[c].m2 - window.m2) <= 1e-9 * window.m2);
        statistics_window_release(&window);
    }
}

/* Digested in three parts, the last of which is in the inbox still. */
static void cells_are_what_the_values_say(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    for (int i = 0; i < 9000; i++) {
        add(world, 1, START_MS + i * SECOND_MS, value_of(i));
        if (i % 4000 == 3999) {
            tell_all(world, START_MS);
            cells_are(world, &tier_minute, i + 1);
            digest_all(world, START_MS + 4 * HOUR_MS);
        }
    }
    tell_all(world, START_MS);
    cells_are(world, &tier_minute, 9000);
    cells_are(world, &tier_hour, 9000);
    digest_all(world, START_MS + 4 * HOUR_MS);
    cells_are(world, &tier_minute, 9000);
    cells_are(world, &tier_hour, 9000);
}

/* Windows have the samples that a filter held back, and are not counted beside the values. */
static void windows_count_where_there_are_any(void **state)
{
    struct world *world = *state;
    struct statistics_window window = {0};
    for (int i = 0; i < 60; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    name(world, 1, "a");
    add(world, 1, START_MS + 10 * SECOND_MS, 1000);
    add(world, 1, START_MS + 70 * SECOND_MS, 2000);
    assert_int_equal(report_add_window(&world->ring, 1, START_MS + 61 * SECOND_MS, 60000, &window),
                     0);
    tell_all(world, START_MS);
    for (int round = 0; round < 2; round++) {
        const struct found *found = ask(world, "a", START_MS, START_MS + HOUR_MS, &tier_minute);
        assert_int_equal(found->n_cells, 2);
        assert_int_equal(found->cells[0].count, 60);
        assert_true(found->cells[0].max == 59 && found->cells[0].mean == 29.5);
        assert_int_equal(found->cells[1].count, 1);
        assert_true(found->cells[1].max == 2000);
        digest_all(world, START_MS);
    }
    statistics_window_release(&window);
}

/* -- How far it was read --------------------------------------------------------------------- */

struct cursor {
    uint32_t boot, next;
    unsigned n;
};

static void take_cursor(void *context, const struct sink_stream *stream, uint32_t next)
{
    struct cursor *cursor = context;
    assert_string_equal(stream->path, "node1");
    assert_string_equal(stream->group, "web");
    *cursor = (struct cursor){stream->boot, next, cursor->n + 1};
}

static struct cursor cursor_of(struct chronicle *chronicle)
{
    struct cursor cursor = {0};
    chronicle_cursors(chronicle, take_cursor, &cursor);
    return cursor;
}

static void a_block_is_taken_once(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    for (int i = 0; i < 1000; i++)
        add(world, 1, START_MS + i * SECOND_MS, value_of(i));
    for (int round = 0; round < 4; round++) {
        world->told = 0;
        tell_all(world, START_MS);
        if (round == 1)
            reopen(world, START_MS);
        if (round == 2)
            digest_all(world, START_MS + HOUR_MS);
        are_values(all_points(world, "a"), 1000);
        assert_int_equal(cursor_of(world->chronicle).next, world->ring.last + 1);
        assert_int_equal(cursor_of(world->chronicle).boot, BOOT);
    }
}

static uint64_t counted(const struct world *world)
{
    const struct found *found = ask(world, "cpu", START_MS, START_MS + HOUR_MS, &tier_minute);
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
    name(world, number, "cpu");
    for (int i = first; i < end; i++)
        add(world, number, START_MS + i * SECOND_MS, value_of(i));
}

/* A collector that was killed relays again what its children keep still, under other numbers. */
static void what_is_relayed_again_is_taken_once(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    add_values(world, 1, 0, 10);
    tell_all(world, START_MS + 10 * SECOND_MS);
    has_points(world, "cpu", 10);
    world->below = NULL;
    has_points(world, "cpu", 0); /* none is of the collector itself */

    world->below = "leaf";
    begin_again(world);
    add_values(world, 3, 4, 15);
    tell_all(world, START_MS + 15 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
    reopen(world, START_MS + 15 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    digest_all(world, START_MS + 16 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
    assert_int_equal(chronicle_counters(world->chronicle)->nameless, 0);
}

/* The one that was killed is below the collector that is polled, which goes on in its boot. */
static void what_is_relayed_again_under_another_number(void **state)
{
    struct world *world = *state;
    world->below = "collector2/leaf";
    add_values(world, 1, 0, 10);
    tell_all(world, START_MS + 10 * SECOND_MS);
    add_values(world, 3, 4, 15);
    tell_all(world, START_MS + 15 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
    digest_all(world, START_MS + 16 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
}

/* The node at the address is another one, which is called as the one before. */
static void what_is_relayed_again_by_another_engine(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    add_values(world, 1, 0, 10);
    tell_all(world, START_MS + 10 * SECOND_MS);
    begin_again(world);
    world->stream.engine_id = (const uint8_t *)"engine2";
    add_values(world, 3, 4, 15);
    tell_all(world, START_MS + 15 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    digest_all(world, START_MS + 16 * SECOND_MS);
    are_values(all_points(world, "cpu"), 15);
    assert_int_equal(counted(world), 15);
}

/* Nothing but cells is kept. */
static void what_is_relayed_again_without_values_of_the_past(void **state)
{
    struct world *world = *state;
    world->settings.raw_ms = 0;
    reopen(world, START_MS);
    world->below = "leaf";
    add_values(world, 1, 0, 10);
    tell_all(world, START_MS + 10 * SECOND_MS);
    begin_again(world);
    add_values(world, 3, 4, 15);
    tell_all(world, START_MS + 15 * SECOND_MS);
    assert_int_equal(counted(world), 15);
    digest_all(world, START_MS + 16 * SECOND_MS);
    assert_int_equal(counted(world), 15);
}

#define MONTH_MS (START_MS + 98 * HOUR_MS) /* 2026-12-01 00:00:00 UTC */

/* What was told before is in the file of the month before. */
static void what_is_relayed_again_in_another_month(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    name(world, 1, "cpu");
    for (int i = 0; i < 10; i++)
        add(world, 1, MONTH_MS + (i - 10) * SECOND_MS, i);
    tell_all(world, MONTH_MS - SECOND_MS);
    digest_all(world, MONTH_MS - SECOND_MS);
    digest_all(world, MONTH_MS);
    begin_again(world);
    name(world, 3, "cpu");
    for (int i = 4; i < 15; i++)
        add(world, 3, MONTH_MS + (i - 10) * SECOND_MS, i);
    tell_all(world, MONTH_MS + 5 * SECOND_MS);
    has_points(world, "cpu", 15);
    digest_all(world, MONTH_MS + 6 * SECOND_MS);
    has_points(world, "cpu", 15);
}

/* What the leaf tells after its clock was set right is news, though it has told later times. */
static void a_clock_that_was_ahead(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    name(world, 1, "cpu");
    for (int i = 0; i < 10; i++)
        add(world, 1, START_MS + 30 * MINUTE_MS + i * SECOND_MS, i);
    tell_all(world, START_MS + 10 * SECOND_MS);
    begin_again(world);
    name(world, 3, "cpu");
    for (int i = 0; i < 10; i++)
        add(world, 3, START_MS + 21 * SECOND_MS + i * SECOND_MS, i);
    tell_all(world, START_MS + 20 * SECOND_MS);
    has_points(world, "cpu", 20);
    digest_all(world, START_MS + 40 * SECOND_MS);
    has_points(world, "cpu", 20);
}

static void add_windows(struct world *world, uint32_t number, int first, int end)
{
    struct statistics_window window = {0};
    for (int i = 0; i < 60; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    name(world, number, "cpu");
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
    tell_all(world, START_MS + 5 * MINUTE_MS);
    begin_again(world);
    add_windows(world, 3, 2, 7);
    tell_all(world, START_MS + 7 * MINUTE_MS);
    assert_int_equal(counted(world), 7 * 60);
    digest_all(world, START_MS + 8 * MINUTE_MS);
    assert_int_equal(counted(world), 7 * 60);
}

/* The window that ends with a value comes behind it, and was not told yet. */
static void a_window_of_the_time_of_a_value_is_taken(void **state)
{
    struct world *world = *state;
    world->below = "leaf";
    name(world, 1, "cpu");
    add(world, 1, START_MS + MINUTE_MS, 1);
    tell_all(world, START_MS + MINUTE_MS);
    begin_again(world);
    name(world, 3, "cpu");
    add(world, 3, START_MS + MINUTE_MS, 1);
    add_windows(world, 3, 0, 1);
    tell_all(world, START_MS + 2 * MINUTE_MS);
    has_points(world, "cpu", 1);
    assert_int_equal(counted(world), 60 + 1);
    digest_all(world, START_MS + 2 * MINUTE_MS);
    has_points(world, "cpu", 1);
    assert_int_equal(counted(world), 60 + 1);
}

static void what_was_not_committed_is_not_there(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    add(world, 1, START_MS, 1);
    assert_int_equal(tell(world, START_MS), 0);
    reopen(world, START_MS);
    assert_int_equal(cursor_of(world->chronicle).n, 0);
    has_points(world, "a", 0);
}

/* Each block is good or bad for itself. */
static void what_is_no_block_is_counted(void **state)
{
    struct world *world = *state;
    static const uint8_t octets[] = {1, 2, 3};
    name(world, 1, "a");
    assert_int_equal(tell_block(world, 1, octets, sizeof octets, START_MS), 0);
    world->told = 1;
    add(world, 1, START_MS, 1);
    assert_int_equal(report_flush(&world->ring), 0);
    add(world, 1, START_MS, 2);
    tell_all(world, START_MS);
    digest_all(world, START_MS);
    assert_int_equal(chronicle_counters(world->chronicle)->bad, 1);
    has_points(world, "a", 1);
}

static void what_has_no_name_and_another_time_is_counted(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    add(world, 1, START_MS, 1);
    add(world, 2, START_MS, 1);
    add(world, 1, START_MS + 2 * HOUR_MS, 1);
    add(world, 1, START_MS - 800 * DAY_MS, 1);
    tell_all(world, START_MS);
    digest_all(world, START_MS);
    assert_int_equal(chronicle_counters(world->chronicle)->nameless, 1);
    assert_int_equal(chronicle_counters(world->chronicle)->beyond, 2);
    has_points(world, "a", 1);
}

/* -- Late blocks, days, months --------------------------------------------------------------- */

static void late_values_fill_their_gap(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    for (int part = 0; part < 3; part++) {
        static const int order[] = {0, 2, 1};
        for (int i = 1000 * order[part]; i < 1000 * (order[part] + 1); i++)
            add(world, 1, START_MS + i * SECOND_MS, value_of(i));
        tell_all(world, START_MS + HOUR_MS);
        digest_all(world, START_MS + HOUR_MS);
    }
    are_values(all_points(world, "a"), 3000);
    cells_are(world, &tier_minute, 3000);
}

/* A chunk that begins when another one did is another one. */
static void two_chunks_of_one_time(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    for (int i = 0; i < 5; i++) {
        add(world, 1, START_MS, i);
        tell_all(world, START_MS);
        digest_all(world, START_MS);
    }
    has_points(world, "a", 5);
}

static bool has_file(const struct world *world, const char *which)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", world->directory, which);
    return access(path, F_OK) == 0;
}

/* Raw values of five weeks, one each hour, and what is left of them then and later. */
static void what_is_old_goes(void **state)
{
    struct world *world = *state;
    int64_t now_ms = START_MS;
    bool more;
    name(world, 1, "a");
    for (int hour = 0; hour < 35 * 24; hour++, now_ms += HOUR_MS) {
        add(world, 1, now_ms, hour);
        tell_all(world, now_ms);
        digest_all(world, now_ms);
        if (hour % 100 == 0)
            reopen(world, now_ms);
    }
    assert_true(has_file(world, "history-2026-11.db"));
    assert_true(has_file(world, "history-2026-12.db"));
    assert_false(has_file(world, "history-2027-01.db"));
    assert_in_range(all_points(world, "a")->n, 2 * 24, 3 * 24 + 1);
    assert_int_equal(ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 35 * 24);
    assert_int_equal(ask(world, "a", START_MS, now_ms, &tier_minute)->n_cells, 35 * 24);
    now_ms += 50 * DAY_MS;
    digest_all(world, now_ms);
    digest_all(world, now_ms + HOUR_MS); /* before, the clock is not believed */
    assert_int_equal(chronicle_step(world->chronicle, now_ms, false, &more), 0);
    assert_int_equal(all_points(world, "a")->n, 0);
    assert_int_equal(ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 35 * 24);
    assert_in_range(ask(world, "a", START_MS, now_ms, &tier_minute)->n_cells, 30 * 24, 31 * 24);
    now_ms = START_MS + (730 + 31) * DAY_MS;
    digest_all(world, now_ms);
    assert_true(has_file(world, "history-2026-11.db"));
    digest_all(world, now_ms + HOUR_MS);
    assert_false(has_file(world, "history-2026-11.db"));
    assert_true(has_file(world, "history-2026-12.db"));
    assert_int_equal(cursor_of(world->chronicle).next, 35 * 24 + 1);
}

/* The clock is wrong by three years, for less than an hour, twice; then it is right. */
static void a_wrong_clock_takes_nothing_away(void **state)
{
    struct world *world = *state;
    int64_t now_ms = START_MS, wrong_ms = 3 * 365 * DAY_MS;
    name(world, 1, "a");
    for (int i = 0; i < 100; i++, now_ms += MINUTE_MS)
        add(world, 1, now_ms, i);
    tell_all(world, now_ms);
    digest_all(world, now_ms);
    for (int i = 0; i < 2; i++, now_ms += MINUTE_MS) {
        digest_all(world, now_ms + wrong_ms);
        digest_all(world, now_ms + wrong_ms + HOUR_MS - 1);
        digest_all(world, now_ms);
    }
    assert_int_equal(all_points(world, "a")->n, 100);
    assert_int_equal(ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 2);
    digest_all(world, now_ms + wrong_ms);
    digest_all(world, now_ms + wrong_ms + HOUR_MS);
    assert_int_equal(all_points(world, "a")->n, 0);
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
    reopen(world, now_ms);
    name(world, 1, "a");
    for (int round = 0; round < 24; round++, now_ms += HOUR_MS) {
        for (int i = 0; i < 3600; i++)
            add(world, 1, now_ms + i * SECOND_MS, sqrt(i + 1));
        tell_all(world, now_ms + HOUR_MS);
        digest_all(world, now_ms + HOUR_MS);
        assert_in_range(octets_of(world), 1, LIMIT);
    }
    assert_in_range(chronicle_counters(world->chronicle)->evicted, 1, 24);
    assert_int_equal(ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, 24);
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
    reopen(world, now_ms);
    for (uint32_t i = 1; i <= SERIES; i++) {
        snprintf(texts[i], sizeof texts[i], "s%u", i);
        name(world, i, texts[i]);
    }
    for (int round = 0; round < HOURS; round++, now_ms += HOUR_MS) {
        for (int minute = 0; minute < 60; minute++)
            for (uint32_t i = 1; i <= SERIES; i++)
                add(world, i, now_ms + minute * MINUTE_MS, sqrt(round + minute + (int)i));
        tell_all(world, now_ms + HOUR_MS);
        digest_all(world, now_ms + HOUR_MS);
        assert_in_range(octets_of(world), 1, LIMIT);
    }
    assert_int_equal(all_points(world, "s7")->n, 0);
    assert_int_equal(ask(world, "s7", START_MS, now_ms, &tier_hour)->n_cells, HOURS);
    assert_in_range(ask(world, "s7", START_MS, now_ms, &tier_minute)->n_cells, 60,
                    60 * (HOURS - 1));
    assert_int_equal(ask(world, "s7", now_ms - HOUR_MS, now_ms - 1, &tier_minute)->n_cells, 60);
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
    reopen(world, now_ms);
    put_steps(world, STEPS, now_ms);
    assert_int_equal(steps_from(world, 0), STEPS);
    assert_int_equal(chronicle_step(world->chronicle, now_ms, true, &more), 0);
    assert_in_range(octets_of(world), 1, LIMIT);
    assert_in_range(steps_from(world, 0), STEPS / 20, STEPS / 2);
    assert_int_equal(steps_from(world, now_ms - 100 * SECOND_MS), 101);
    name(world, 1, "a");
    add(world, 1, now_ms - 100 * SECOND_MS, 1);
    tell_all(world, now_ms);
    digest_all(world, now_ms);
    put_steps(world, STEPS, now_ms + MINUTE_MS);
    assert_int_equal(chronicle_step(world->chronicle, now_ms + MINUTE_MS, true, &more), 0);
    assert_in_range(octets_of(world), 1, LIMIT);
    assert_int_not_equal(steps_from(world, 0), 0);
}

static size_t minutes_of_day(const struct world *world, int64_t from_ms)
{
    return ask(world, "a", from_ms, from_ms + DAY_MS - 1, &tier_minute)->n_cells;
}

/* Of two months: values go first, then the minutes of the earlier one, then of the other the
 * oldest; the hours of both stay. */
static void details_go_first(void **state)
{
    enum { HOURS = 15 * 24 };
    struct world *world = *state;
    int64_t now_ms = START_MS;
    bool more;
    name(world, 1, "a");
    for (int hour = 0; hour < HOURS; hour++, now_ms += HOUR_MS) {
        for (int i = 0; i < 60; i++)
            add(world, 1, now_ms + i * MINUTE_MS, sqrt(hour + i));
        tell_all(world, now_ms + HOUR_MS);
        digest_all(world, now_ms + HOUR_MS);
    }
    assert_true(has_file(world, "history-2026-12.db"));
    assert_int_equal(minutes_of_day(world, START_MS), DAY_MS / MINUTE_MS);
    chronicle_close(world->chronicle); /* its log is no part of what there is then */
    world->settings.octets = octets_of(world) * 7 / 10;
    open_chronicle(world, now_ms);
    assert_int_equal(chronicle_step(world->chronicle, now_ms, false, &more), 0);
    assert_in_range(octets_of(world), 1, world->settings.octets);
    assert_int_equal(all_points(world, "a")->n, 0);
    assert_true(has_file(world, "history-2026-11.db"));
    assert_int_equal(ask(world, "a", START_MS, now_ms, &tier_hour)->n_cells, HOURS);
    for (int day = 0; day < 4; day++)
        assert_int_equal(minutes_of_day(world, START_MS + day * DAY_MS), 0);
    assert_int_equal(minutes_of_day(world, START_MS + 4 * DAY_MS + 2 * HOUR_MS), 0);
    assert_int_equal(minutes_of_day(world, now_ms - DAY_MS), DAY_MS / MINUTE_MS);
}

/* -- Files that are not what they should be -------------------------------------------------- */

static void write_file(const struct world *world, const char *which, off_t at, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", world->directory, which);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0 && pwrite(fd, text, strlen(text), at) == (ssize_t)strlen(text));
    close(fd);
}

static unsigned count_aside(const struct world *world, const char *word)
{
    char command[256];
    snprintf(command, sizeof command, "ls %s | grep -c 'db.%s-[0-9]*$'", world->directory, word);
    FILE *pipe = popen(command, "r");
    unsigned n = 0;
    assert_int_equal(fscanf(pipe, "%u", &n), 1);
    pclose(pipe);
    return n;
}

static void a_broken_file_is_put_aside(void **state)
{
    struct world *world = *state;
    name(world, 1, "a");
    add(world, 1, START_MS, 1);
    tell_all(world, START_MS);
    chronicle_close(world->chronicle);
    write_file(world, "history-2026-11.db", 0, "This is no database, though it was one.");
    open_chronicle(world, START_MS);
    assert_int_equal(count_aside(world, "broken"), 1);
    assert_int_equal(chronicle_counters(world->chronicle)->broken, 1);
    assert_int_equal(cursor_of(world->chronicle).n, 0);
    name(world, 1, "a");
    world->told = 0;
    tell_all(world, START_MS);
    has_points(world, "a", 1);
}

/* What the tables of another version say is not known. */
static void a_file_of_another_version_is_put_aside(void **state)
{
    struct world *world = *state;
    char path[4352];
    sqlite3 *db;
    name(world, 1, "a");
    add(world, 1, START_MS, 1);
    tell_all(world, START_MS);
    chronicle_close(world->chronicle);
    snprintf(path, sizeof path, "%s/history-2026-11.db", world->settings.directory);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(database_run(db, "PRAGMA user_version=2"), SQLITE_OK);
    sqlite3_close(db);
    open_chronicle(world, START_MS);
    assert_int_equal(count_aside(world, "version"), 1);
    assert_int_equal(count_aside(world, "broken"), 0);
    assert_int_equal(cursor_of(world->chronicle).n, 0);
    name(world, 1, "a");
    world->told = 0;
    tell_all(world, START_MS);
    has_points(world, "a", 1);
}

/* Its first page is as it should be, what follows is not. */
static void a_file_that_breaks_meanwhile_is_put_aside(void **state)
{
    struct world *world = *state;
    static char rubbish[4096];
    name(world, 1, "a");
    add(world, 1, START_MS, 1);
    tell_all(world, START_MS);
    chronicle_close(world->chronicle);
    memset(rubbish, 'x', sizeof rubbish - 1);
    for (off_t page = 1; page < 16; page++)
        write_file(world, "history-2026-11.db", page * 4096, rubbish);
    open_chronicle(world, START_MS);
    world->told = 0;
    int error = tell(world, START_MS);
    assert_true(error == EBADMSG || chronicle_counters(world->chronicle)->broken == 1);
    assert_int_equal(count_aside(world, "broken"), 1);
    name(world, 1, "a");
    world->told = 0;
    tell_all(world, START_MS);
    has_points(world, "a", 1);
}

static void a_second_writer_is_refused(void **state)
{
    struct world *world = *state;
    char error[CHRONICLE_ERROR_SIZE];
    assert_null(chronicle_open(&world->settings, START_MS, error));
    assert_non_null(strstr(error, "writes there"));
}

static void a_directory_that_is_not_there(void **state)
{
    (void)state;
    char error[CHRONICLE_ERROR_SIZE];
    const struct chronicle_settings settings = {.directory = "/nonexistent/history"};
    assert_null(chronicle_open(&settings, START_MS, error));
    assert_string_equal(error, "/nonexistent/history: No such file or directory");
    int code;
    assert_null(history_open("/nonexistent/history", &code));
    assert_int_equal(code, ENOENT);
}

/* A file may not grow, as on a full disk: nothing is taken, and all of it later. */
static void a_full_disk(void **state)
{
    struct world *world = *state;
    struct rlimit before, none = {.rlim_cur = 8192};
    name(world, 1, "a");
    tell_all(world, START_MS);
    for (int i = 0; i < 5000; i++)
        add(world, 1, START_MS + i * SECOND_MS, value_of(i));
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    int error = tell(world, START_MS);
    if (!error)
        error = chronicle_commit(world->chronicle, START_MS);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_not_equal(error, 0);
    assert_string_not_equal(chronicle_error(world->chronicle), "");
    assert_int_equal(cursor_of(world->chronicle).next, 0);
    name(world, 1, "a");
    world->told = 0;
    tell_all(world, START_MS);
    are_values(all_points(world, "a"), 5000);
}

static const char made_file[] = "history-2026-12.db.new";
static bool is_made_full;
static int (*usual_open)(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                         int *given);
static const sqlite3_io_methods *usual_methods;

/* The first page makes it a file with a log: what is in the log does not fit into the file. */
static int write_made(sqlite3_file *file, const void *octets, int len, sqlite3_int64 at)
{
    return is_made_full && at > 0 ? SQLITE_FULL : usual_methods->xWrite(file, octets, len, at);
}

static int open_made(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *file, int flags,
                     int *given)
{
    static sqlite3_io_methods methods;
    int code = usual_open(vfs, path, file, flags, given);
    size_t len = path ? strlen(path) : 0, end = strlen(made_file);
    if (code != SQLITE_OK || len < end || strcmp(path + len - end, made_file) != 0)
        return code;
    usual_methods = file->pMethods;
    methods = *usual_methods;
    methods.xWrite = write_made;
    file->pMethods = &methods;
    return code;
}

/* The disk has room for the log of the file of another month, but not for the file: nothing is
 * lost, and the file of the month before goes on until there is room. */
static void a_disk_that_is_full_when_the_month_ends(void **state)
{
    struct world *world = *state;
    int64_t december_ms = START_MS + 6 * DAY_MS;
    bool more;
    static sqlite3_vfs vfs;
    vfs = *sqlite3_vfs_find(NULL);
    usual_open = vfs.xOpen;
    vfs.xOpen = open_made;
    vfs.zName = "full";
    world->settings.raw_ms = 30 * DAY_MS;
    reopen(world, START_MS);
    name(world, 1, "a");
    for (int i = 0; i < 5000; i++)
        add(world, 1, START_MS + i * SECOND_MS, value_of(i));
    tell_all(world, START_MS);
    assert_int_equal(sqlite3_vfs_register(&vfs, true), SQLITE_OK);
    is_made_full = true;
    int error = chronicle_step(world->chronicle, december_ms, false, &more);
    is_made_full = false;
    assert_false(has_file(world, made_file));
    are_values(all_points(world, "a"), 5000);
    assert_int_equal(error, ENOSPC);
    assert_false(has_file(world, "history-2026-12.db"));
    digest_all(world, december_ms);
    chronicle_close(world->chronicle);
    assert_int_equal(sqlite3_vfs_unregister(&vfs), SQLITE_OK);
    open_chronicle(world, december_ms);
    assert_true(has_file(world, "history-2026-12.db"));
    are_values(all_points(world, "a"), 5000);
    assert_int_equal(cursor_of(world->chronicle).next, world->told + 1);
}

/* -- Killed at any point --------------------------------------------------------------------- */

#define KILLS 20
#define PER_BLOCK 50
#define BLOCKS_MAX 18 /* in one life: what all tell fits into struct found */
#define BLOCKS_READ 350

/* Tells block after block, digests in between, and says which ones are committed; then waits to be
 * killed. */
static void run_writer(struct world *world, uint32_t blocks, int out)
{
    uint32_t next = cursor_of(world->chronicle).next;
    uint32_t first = next ? next : 1;
    for (uint32_t block = first; block < first + blocks; block++) {
        bool more;
        for (int i = 0; i < PER_BLOCK; i++) {
            int at = (int)(block - 1) * PER_BLOCK + i;
            add(world, 1, START_MS + at * SECOND_MS, value_of(at));
        }
        if (report_flush(&world->ring) != 0)
            _exit(1);
        const struct report_block *made =
            (const struct report_block *)index_find(&world->ring.index, &world->ring.last, 1);
        if (tell_block(world, block, made->bytes, made->len, START_MS) ||
            chronicle_commit(world->chronicle, START_MS) ||
            chronicle_step(world->chronicle, START_MS + DAY_MS, block % 3 == 0, &more) ||
            write(out, &block, sizeof block) != sizeof block)
            _exit(1);
    }
    pause();
}

/* *in: where it says them. */
static pid_t start_writer(struct world *world, uint32_t blocks, int *in)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char error[CHRONICLE_ERROR_SIZE];
        close(ends[0]);
        world->sensors[1] = "a";
        world->chronicle = chronicle_open(&world->settings, START_MS, error);
        if (!world->chronicle)
            _exit(1);
        run_writer(world, blocks, ends[1]);
    }
    close(ends[1]);
    *in = ends[0];
    return pid;
}

static void end_writer(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
}

/* Returns the last block that it has said to be committed. */
static uint32_t kill_writer(struct world *world, int round)
{
    int in;
    uint32_t said = 0, block;
    pid_t pid = start_writer(world, BLOCKS_MAX, &in);
    for (int i = 0; i <= round % 7 && read(in, &block, sizeof block) == sizeof block; i++)
        said = block;
    usleep((useconds_t)(round * 137 % 2000));
    end_writer(pid);
    while (read(in, &block, sizeof block) == sizeof block)
        said = block;
    close(in);
    return said;
}

static void killed_at_any_point(void **state)
{
    struct world *world = *state;
    world->settings.raw_ms = 100 * DAY_MS;
    chronicle_close(world->chronicle);
    world->chronicle = NULL;
    for (int round = 0; round < KILLS; round++) {
        uint32_t said = kill_writer(world, round);
        open_chronicle(world, START_MS);
        uint32_t next = cursor_of(world->chronicle).next;
        assert_true(next > said);
        are_values(all_points(world, "a"), (int)(next - 1) * PER_BLOCK);
        cells_are(world, &tier_minute, (int)(next - 1) * PER_BLOCK);
        chronicle_close(world->chronicle);
        world->chronicle = NULL;
    }
}

/* What is read is what there was at one moment, though what was in the inbox is digested meanwhile.
 */
static void read_while_it_is_written(void **state)
{
    struct world *world = *state;
    int in;
    uint32_t block = 0;
    world->settings.raw_ms = 100 * DAY_MS;
    chronicle_close(world->chronicle);
    world->chronicle = NULL;
    pid_t pid = start_writer(world, BLOCKS_READ, &in);
    while (block < BLOCKS_READ && read(in, &block, sizeof block) == sizeof block) {
        const struct found *found = all_points(world, "a");
        assert_true(found->n >= block * PER_BLOCK);
        are_values(found, (int)found->n);
    }
    assert_int_equal(block, BLOCKS_READ);
    end_writer(pid);
    close(in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_before_and_after_they_are_digested, setup, teardown),
        cmocka_unit_test_setup_teardown(an_inbox_is_digested_when_it_is_large_or_old, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_history_that_stays_open, setup, teardown),
        cmocka_unit_test_setup_teardown(gaps_and_what_is_unavailable_are_read, setup, teardown),
        cmocka_unit_test_setup_teardown(cells_are_what_the_values_say, setup, teardown),
        cmocka_unit_test_setup_teardown(windows_count_where_there_are_any, setup, teardown),
        cmocka_unit_test_setup_teardown(a_block_is_taken_once, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_is_taken_once, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_under_another_number, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_by_another_engine, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_without_values_of_the_past, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(what_is_relayed_again_in_another_month, setup, teardown),
        cmocka_unit_test_setup_teardown(a_clock_that_was_ahead, setup, teardown),
        cmocka_unit_test_setup_teardown(windows_that_are_relayed_again_are_taken_once, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_window_of_the_time_of_a_value_is_taken, setup, teardown),
        cmocka_unit_test_setup_teardown(what_was_not_committed_is_not_there, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_block_is_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(what_has_no_name_and_another_time_is_counted, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(late_values_fill_their_gap, setup, teardown),
        cmocka_unit_test_setup_teardown(two_chunks_of_one_time, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_old_goes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_wrong_clock_takes_nothing_away, setup, teardown),
        cmocka_unit_test_setup_teardown(files_have_a_limit, setup, teardown),
        cmocka_unit_test_setup_teardown(minutes_have_it_too, setup, teardown),
        cmocka_unit_test_setup_teardown(steps_have_it_too, setup, teardown),
        cmocka_unit_test_setup_teardown(details_go_first, setup, teardown),
        cmocka_unit_test_setup_teardown(a_broken_file_is_put_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_of_another_version_is_put_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_breaks_meanwhile_is_put_aside, setup, teardown),
        cmocka_unit_test_setup_teardown(a_second_writer_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(a_directory_that_is_not_there, setup, teardown),
        cmocka_unit_test_setup_teardown(a_full_disk, setup, teardown),
        cmocka_unit_test_setup_teardown(a_disk_that_is_full_when_the_month_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(killed_at_any_point, setup, teardown),
        cmocka_unit_test_setup_teardown(read_while_it_is_written, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
