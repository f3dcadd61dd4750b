/* What a collector pays for a value of a child that it relays, beside one that it only takes and
 * one of its own.
 *
 *   relaying SERIES ROUNDS
 *
 * A child reports SERIES values a block's worth at a time; a round is one value of each. Prints
 * the median nanoseconds of a value that is taken and not relayed, of one that is taken and
 * relayed, and of one of the node's own that goes into the blocks, with the octets that both have
 * there, a line each: NAME NANOSECONDS OCTETS. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"
#include "children/children.h"
#include "relay/relays.h"

#define PACKET_MAX (64 * 1024)

struct world {
    struct config *config;
    struct alarms alarms;
    struct children children;
    struct publisher publisher;
    struct report_ring report, leaf;
    struct relays relays;
    struct child *child;
    struct moment now;
    uint32_t series;
};

static void fail(const char *what)
{
    fprintf(stderr, "relaying: %s\n", what);
    exit(1);
}

static void add_row(struct config *config, enum row_kind kind, const char *name)
{
    struct row *row = row_new(kind, name);
    if (!row || !config_add(config, row))
        fail("there is no memory");
    row->status = ROW_ACTIVE;
}

static void open_world(struct world *world, uint32_t series, bool relays)
{
    static const struct alarm_limits limits = {
        .log_size = 100, .rate = 100, .period_ms = 1000, .queue = 100};
    *world = (struct world){.series = series, .config = config_new()};
    world->now = (struct moment){1000 * NS_PER_S, INT64_C(1700000000000)};
    alarms_open(&world->alarms, &limits, world->now.mono_ns);
    children_open(&world->children, &world->alarms);
    dictionary_open(&world->publisher.dictionary);
    if (report_open(&world->report, 1, 65536, 4096) || report_open(&world->leaf, 1, 65536, 1000))
        fail("there is no memory");
    world->publisher.report = &world->report;
    relays_open(&world->relays, &world->children, &world->publisher);
    snprintf(world->config->node.name, sizeof world->config->node.name, "collector");
    add_row(world->config, ROW_CHILD, "leaf");
    if (relays)
        add_row(world->config, ROW_RELAY, "all");
    children_sync(&world->children, world->config, world->now);
    relays_sync(&world->relays, world->config, world->now);
    world->child = children_find(&world->children, "leaf");
}

static void close_world(struct world *world)
{
    relays_close(&world->relays);
    children_close(&world->children);
    dictionary_close(&world->publisher.dictionary);
    report_close(&world->report);
    report_close(&world->leaf);
    alarms_close(&world->alarms);
    config_free(world->config);
}

/* The child answers with one block. */
static void answer(struct world *world, const struct report_block *block)
{
    static _Alignas(8) uint8_t packet[PACKET_MAX];
    struct message_answer *head = (struct message_answer *)packet;
    *head = (struct message_answer){.id = world->child->id,
                                    .report_boot = 1,
                                    .engine_id = {1, 2, 3, 4, 5},
                                    .engine_id_len = 5,
                                    .engine_boots = 1,
                                    .first = 1,
                                    .last = block->sequence,
                                    .n_blocks = 1};
    size_t at = (sizeof *head + 7) & ~(size_t)7;
    struct message_block *content = (struct message_block *)(packet + at);
    content->sequence = block->sequence;
    content->length = (uint32_t)block->len;
    memcpy(content->bytes, block->bytes, block->len);
    head->head = (struct message){MESSAGE_ANSWER,
                                  (uint32_t)(at + ((sizeof *content + block->len + 7) & ~7u))};
    children_message(&world->children, &head->head, world->now);
}

static void answer_from(struct world *world, uint32_t first)
{
    struct index_node *node = index_first(&world->leaf.index);
    for (; node; node = index_next(node))
        if (((struct report_block *)node)->sequence >= first)
            answer(world, (struct report_block *)node);
}

static void name_all(struct world *world)
{
    for (uint32_t i = 1; i <= world->series; i++) {
        struct message_series series = {.head = {MESSAGE_SERIES, sizeof series},
                                        .id = world->child->id,
                                        .report_boot = 1,
                                        .series = i,
                                        .exists = true};
        snprintf(series.sensor, sizeof series.sensor, "sensor%u", i / 8);
        snprintf(series.instance, sizeof series.instance, "i%u", i % 8);
        children_message(&world->children, &series.head, world->now);
    }
}

static void put(struct world *world, struct report_ring *ring, uint32_t round)
{
    for (uint32_t i = 1; i <= world->series; i++) {
        const struct result result = {RESULT_VALID, (double)(round * 7 % 1000 + i) / 8};
        report_add(ring, i, world->now.wall_ms, &result);
    }
    report_flush(ring);
}

static int by_size(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

static void print(const char *name, uint64_t *ns, uint32_t rounds, const struct world *world)
{
    double values = (double)world->series;
    qsort(ns, rounds, sizeof *ns, by_size);
    printf("%s %.1f %.2f\n", name, (double)ns[rounds / 2] / values,
           (double)world->report.bytes / values / rounds);
}

static void begin_round(struct world *world)
{
    world->now.mono_ns += NS_PER_S;
    world->now.wall_ms += 1000;
    relays_begin(&world->relays, world->now.mono_ns);
}

/* Values of the child. */
static void take(const char *name, uint32_t series, uint32_t rounds, bool relays)
{
    struct world world;
    uint64_t *ns = calloc(rounds, sizeof *ns);
    open_world(&world, series, relays);
    begin_round(&world);
    put(&world, &world.leaf, 0);
    answer_from(&world, 1);
    name_all(&world);
    answer_from(&world, 1);
    for (uint32_t i = 0; i < rounds; i++) {
        uint32_t next = world.leaf.last + 1;
        begin_round(&world);
        put(&world, &world.leaf, i);
        uint64_t begin = clock_mono_ns();
        answer_from(&world, next);
        report_flush(&world.report);
        ns[i] = clock_mono_ns() - begin;
    }
    if (relays && relays_find(&world.relays, "all")->passed < (uint64_t)series * rounds)
        fail("values were not relayed");
    print(name, ns, rounds, &world);
    close_world(&world);
    free(ns);
}

/* Values of the node's own. */
static void tell(const char *name, uint32_t series, uint32_t rounds)
{
    struct world world;
    uint64_t *ns = calloc(rounds, sizeof *ns);
    open_world(&world, series, false);
    for (uint32_t i = 0; i < rounds; i++) {
        begin_round(&world);
        uint64_t begin = clock_mono_ns();
        put(&world, &world.report, i);
        ns[i] = clock_mono_ns() - begin;
    }
    print(name, ns, rounds, &world);
    close_world(&world);
    free(ns);
}

int main(int argc, char **argv)
{
    uint32_t series = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0;
    if (series == 0 || series > 5000 || rounds == 0)
        fail("usage: relaying SERIES ROUNDS");
    take("taken", series, rounds, false);
    take("relayed", series, rounds, true);
    tell("own", series, rounds);
    return 0;
}
