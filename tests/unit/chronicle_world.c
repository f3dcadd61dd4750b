#include "chronicle_world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "remove_all.h"
#include "unit.h"

/* -- A directory, and blocks ----------------------------------------------------------------- */

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

int world_tell_block(struct world *world, uint32_t number, const uint8_t *octets, size_t len,
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

void world_open(struct world *world, int64_t now_ms)
{
    char error[CHRONICLE_ERROR_SIZE] = "";
    world->chronicle = chronicle_open(&world->settings, now_ms, error);
    assert_string_equal(error, "");
    assert_non_null(world->chronicle);
}

int world_setup(void **state)
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
    world_open(world, START_MS);
    *state = world;
    return 0;
}

int world_teardown(void **state)
{
    struct world *world = *state;
    chronicle_close(world->chronicle);
    report_close(&world->ring);
    remove_all(world->directory);
    free(world);
    return 0;
}

void world_reopen(struct world *world, int64_t now_ms)
{
    chronicle_close(world->chronicle);
    world_open(world, now_ms);
}

void world_name(struct world *world, uint32_t number, const char *sensor)
{
    world->sensors[number] = sensor;
}

void world_add(struct world *world, uint32_t number, int64_t wall_ms, double value)
{
    const struct result result = {RESULT_VALID, value};
    assert_int_equal(report_add(&world->ring, number, wall_ms, &result), 0);
}

int world_tell(struct world *world, int64_t now_ms)
{
    assert_int_equal(report_flush(&world->ring), 0);
    for (struct index_node *at = index_first(&world->ring.index); at; at = index_next(at)) {
        const struct report_block *block = (const struct report_block *)at;
        if (block->sequence <= world->told)
            continue;
        int error = world_tell_block(world, block->sequence, block->bytes, block->len, now_ms);
        if (error)
            return error;
        world->told = block->sequence;
    }
    return 0;
}

void world_tell_all(struct world *world, int64_t now_ms)
{
    assert_int_equal(world_tell(world, now_ms), 0);
    assert_int_equal(chronicle_commit(world->chronicle, now_ms), 0);
}

void world_digest_all(struct world *world, int64_t now_ms)
{
    bool more = true;
    while (more)
        assert_int_equal(chronicle_step(world->chronicle, now_ms, true, &more), 0);
}

/* -- What is read ---------------------------------------------------------------------------- */

void world_take_point(void *context, const struct point *point)
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

struct found *world_ask(const struct world *world, const char *sensor, int64_t from_ms,
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
        assert_int_equal(history_points(history, &question, world_take_point, &found), 0);
    history_close(history);
    return &found;
}

struct found *world_points(const struct world *world, const char *sensor)
{
    return world_ask(world, sensor, INT64_MIN / 2, INT64_MAX / 2, NULL);
}

void world_has_points(const struct world *world, const char *sensor, size_t n)
{
    assert_int_equal(world_points(world, sensor)->n, n);
}

double world_value(int i)
{
    return i % 2 ? i / 3.0 : i * 0.25;
}

void world_are_values(const struct found *found, int n)
{
    assert_int_equal(found->n, n);
    for (int i = 0; i < n; i++) {
        double value = world_value(i);
        assert_int_equal(found->points[i].wall_ms, START_MS + i * SECOND_MS);
        assert_memory_equal(&found->points[i].result.value, &value, sizeof value);
    }
}

void world_cells_are(const struct world *world, const struct tier *tier, int n)
{
    const struct found *found = world_ask(world, "a", START_MS, START_MS + n * SECOND_MS, tier);
    int per_cell = (int)(tier->cell_ms / SECOND_MS);
    assert_int_equal(found->n_cells, (n + per_cell - 1) / per_cell);
    for (int c = 0; c * per_cell < n; c++) {
        struct statistics_window window = {0};
        for (int i = c * per_cell; i < n && i < (c + 1) * per_cell; i++)
            assert_int_equal(statistics_window_add(&window, world_value(i)), 0);
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

static void take_cursor(void *context, const struct sink_stream *stream, uint32_t next)
{
    struct cursor *cursor = context;
    assert_string_equal(stream->path, "node1");
    assert_string_equal(stream->group, "web");
    *cursor = (struct cursor){stream->boot, next, cursor->n + 1};
}

struct cursor world_cursor(const struct world *world)
{
    struct cursor cursor = {0};
    chronicle_cursors(world->chronicle, take_cursor, &cursor);
    return cursor;
}

bool world_has_file(const struct world *world, const char *which)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", world->directory, which);
    return access(path, F_OK) == 0;
}
