#include "tests/unit/scribe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/chronicle.h"
#include "publish/database.h"
#include "report/report.h"

#define BOOT 7

struct scribe_series {
    struct scribe_words words;
    uint32_t number;
};

struct scribe_node {
    char *path;
    struct report_ring ring;
    uint32_t told; /* the last block that the writer has */
    struct scribe_series *series;
    uint32_t n;
    int64_t last_ms;
};

struct scribe {
    struct chronicle *chronicle;
    struct scribe_node *nodes[10000];
    size_t n;
};

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "scribe: %s\n", what);
    exit(99);
}

struct scribe *scribe_open(const char *directory, int64_t now_ms)
{
    const struct chronicle_settings settings = {.directory = directory,
                                                .raw_ms = 2 * DAY_MS,
                                                .minute_ms = 60 * DAY_MS,
                                                .hour_ms = 730 * DAY_MS,
                                                .inbox_octets = 64 << 10,
                                                .inbox_ms = HOUR_MS};
    char error[CHRONICLE_ERROR_SIZE] = "";
    struct scribe *scribe = calloc(1, sizeof *scribe);
    must(scribe, "no memory");
    scribe->chronicle = chronicle_open(&settings, now_ms, error);
    must(scribe->chronicle, error);
    return scribe;
}

static struct scribe_node *node_of(struct scribe *scribe, const char *path)
{
    for (size_t i = 0; i < scribe->n; i++)
        if (strcmp(scribe->nodes[i]->path, path) == 0)
            return scribe->nodes[i];
    struct scribe_node *node = calloc(1, sizeof *node);
    must(node && scribe->n < sizeof scribe->nodes / sizeof *scribe->nodes, "no memory");
    node->path = strdup(path);
    must(node->path && report_open(&node->ring, BOOT, 1000000, 1200) == 0, "no memory");
    scribe->nodes[scribe->n++] = node;
    return node;
}

static uint32_t number_of(struct scribe_node *node, const struct scribe_words *words)
{
    for (uint32_t i = 0; i < node->n; i++)
        if (strcmp(node->series[i].words.sensor, words->sensor) == 0 &&
            strcmp(node->series[i].words.instance, words->instance) == 0)
            return node->series[i].number;
    node->series = reallocarray(node->series, node->n + 1, sizeof *node->series);
    must(node->series, "no memory");
    struct scribe_series *series = &node->series[node->n];
    *series = (struct scribe_series){.words = {.sensor = strdup(words->sensor),
                                               .instance = strdup(words->instance),
                                               .metric = strdup(words->metric),
                                               .unit = strdup(words->unit)},
                                     .number = ++node->n};
    return series->number;
}

void scribe_value(struct scribe *scribe, const struct scribe_words *words, int64_t wall_ms,
                  double value)
{
    struct scribe_node *node = node_of(scribe, words->path);
    uint32_t number = number_of(node, words);
    const struct result result = {isnan(value) ? RESULT_GAP : RESULT_VALID,
                                  isnan(value) ? 0 : value};
    must(report_add(&node->ring, number, wall_ms, &result) == 0, "value");
}

void scribe_moments(struct scribe *scribe, const struct scribe_words *words, int64_t wall_ms,
                    const struct statistics_window *window)
{
    struct scribe_node *node = node_of(scribe, words->path);
    must(report_add_moments(&node->ring, number_of(node, words), wall_ms, MINUTE_MS, window) == 0,
         "moments");
}

/* A sink_block's words. */
static const struct sink_words *words_of(const void *context, uint32_t number)
{
    static struct sink_words words;
    const struct scribe_node *node = context;
    if (number == 0 || number > node->n)
        return NULL;
    const struct scribe_words *is = &node->series[number - 1].words;
    words = (struct sink_words){is->sensor, is->instance, is->metric, is->unit, ""};
    return &words;
}

/* A node is called as the last part of its path. */
static struct sink_stream stream_of(const struct scribe_node *node)
{
    const char *last = strrchr(node->path, '/');
    return (struct sink_stream){.boot = BOOT,
                                .path = node->path,
                                .name = !*node->path ? "root1"
                                        : last       ? last + 1
                                                     : node->path,
                                .group = "web",
                                .engine_id = (const uint8_t *)"engine1",
                                .engine_id_len = 7};
}

static void tell_blocks(struct scribe *scribe, struct scribe_node *node, int64_t now_ms)
{
    const struct sink_stream stream = stream_of(node);
    must(report_flush(&node->ring) == 0, "flush");
    for (struct index_node *at = index_first(&node->ring.index); at; at = index_next(at)) {
        const struct report_block *block = (const struct report_block *)at;
        if (block->sequence <= node->told)
            continue;
        const struct sink_block told = {.stream = &stream,
                                        .number = block->sequence,
                                        .octets = block->bytes,
                                        .len = block->len,
                                        .words = words_of,
                                        .context = node};
        must(chronicle_block(scribe->chronicle, &told, now_ms) == 0,
             chronicle_error(scribe->chronicle));
        node->told = block->sequence;
    }
}

void scribe_commit(struct scribe *scribe, int64_t now_ms, bool digest)
{
    bool more = digest;
    for (size_t i = 0; i < scribe->n; i++)
        tell_blocks(scribe, scribe->nodes[i], now_ms);
    must(chronicle_commit(scribe->chronicle, now_ms) == 0, "commit");
    while (more)
        must(chronicle_step(scribe->chronicle, now_ms, true, &more) == 0, "step");
}

static void free_node(struct scribe_node *node)
{
    for (uint32_t i = 0; i < node->n; i++) {
        free((char *)node->series[i].words.sensor);
        free((char *)node->series[i].words.instance);
        free((char *)node->series[i].words.metric);
        free((char *)node->series[i].words.unit);
    }
    free(node->series);
    report_close(&node->ring);
    free(node->path);
    free(node);
}

void scribe_close(struct scribe *scribe)
{
    if (!scribe)
        return;
    for (size_t i = 0; i < scribe->n; i++)
        free_node(scribe->nodes[i]);
    chronicle_close(scribe->chronicle);
    free(scribe);
}
