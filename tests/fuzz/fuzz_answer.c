/* Fuzz target: any octets as the PDU that a child answers with, to a poll or to a question about
 * its dictionary; up to the tables of the collector. The first octet says what was asked for. */
#include "poller/query.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "children/children.h"
#include "main.h"

#define BOOT 7

static void expect(bool holds)
{
    if (!holds)
        abort();
}

/* A collector with two children: one answers, the other must not notice. */
struct world {
    struct config *config;
    struct alarms alarms;
    struct children children;
    struct child *child, *witness;
    struct moment now;
};

static bool ignore(void *context, uint32_t id, const struct message *message)
{
    (void)context;
    expect(id != 0 && message->length >= sizeof *message);
    return true;
}

static struct child *add_child(struct world *world, const char *name)
{
    struct row *row = row_new(ROW_CHILD, name);
    static const char address[] = "udp:127.0.0.1:1161", credential[] = "lab";
    field_set_text(row, row_field(ROW_CHILD, "address"), address, sizeof address - 1);
    field_set_text(row, row_field(ROW_CHILD, "credential"), credential, sizeof credential - 1);
    row->status = ROW_ACTIVE;
    expect(config_add(world->config, row));
    children_sync(&world->children, world->config, world->now);
    return children_find(&world->children, name);
}

/* One block with the values of two series, as a node makes it. */
static struct message_answer *new_answer(uint32_t id, size_t room)
{
    struct message_answer *answer = calloc(1, sizeof *answer + 8 + room);
    expect(answer != NULL);
    answer->head.kind = MESSAGE_ANSWER;
    answer->head.length = (sizeof *answer + 7) & ~7u;
    answer->id = id;
    answer->engine_id_len = 5;
    answer->engine_boots = 1;
    answer->report_boot = BOOT;
    return answer;
}

static void add_block(struct message_answer *answer, uint32_t sequence, const void *octets,
                      size_t len)
{
    struct message_block *block = (struct message_block *)((char *)answer + answer->head.length);
    block->sequence = sequence;
    block->length = (uint32_t)len;
    memcpy(block->bytes, octets, len);
    answer->head.length += (uint32_t)((sizeof *block + len + 7) & ~(size_t)7);
    answer->n_blocks++;
    answer->last = sequence;
}

#define BLOCK_ROOM (sizeof(struct message_block) + REPORT_BLOCK_MAX + 8)

static void give(struct world *world, struct message_answer *answer)
{
    children_message(&world->children, &answer->head, world->now);
    free(answer);
}

static void give_name(struct world *world, const struct message_series *entry, uint32_t id)
{
    struct message_series message = *entry;
    message.head = (struct message){.kind = MESSAGE_SERIES, .length = sizeof message};
    message.id = id;
    children_message(&world->children, &message.head, world->now);
}

/* Both report series 1 and 2; that of the witness has a name. */
static void report(struct world *world)
{
    struct report_ring ring;
    const struct result result = {.state = RESULT_VALID, .value = 1.5};
    expect(report_open(&ring, BOOT, 10, REPORT_BLOCK_MIN) == 0);
    expect(report_add(&ring, 1, 1, &result) == 0 && report_add(&ring, 2, 1, &result) == 0);
    expect(report_flush(&ring) == 0);
    const struct report_block *block = (const struct report_block *)index_first(&ring.index);
    struct child *const both[] = {world->child, world->witness};
    for (size_t i = 0; i < 2; i++) {
        struct message_answer *answer = new_answer(both[i]->id, BLOCK_ROOM);
        add_block(answer, 1, block->bytes, block->len);
        give(world, answer);
    }
    report_close(&ring);
    give_name(world,
              &(struct message_series){.report_boot = BOOT,
                                       .series = 1,
                                       .exists = true,
                                       .sensor = "load",
                                       .instance = "total",
                                       .metric = "load.1"},
              world->witness->id);
}

static void open_world(struct world *world)
{
    static const struct alarm_limits limits = {
        .log_size = 10, .rate = 1000, .period_ms = 1000, .queue = 10};
    *world = (struct world){.config = config_new(),
                            .now = {.mono_ns = NS_PER_S, .wall_ms = INT64_C(1700000000000)}};
    alarms_open(&world->alarms, &limits, world->now.mono_ns);
    children_open(&world->children, &world->alarms);
    world->children.send = ignore;
    world->child = add_child(world, "child");
    world->witness = add_child(world, "witness");
    report(world);
}

static void close_world(struct world *world)
{
    const struct child *witness = world->witness;
    expect(witness->contact.state == CHILD_UP && witness->series.n_named == 1 &&
           witness->contact.bad == 0);
    expect(world->children.index.count == 2);
    const struct child_series *series = children_series_after(&world->children, NULL, 0);
    for (; series; series = children_series_next(series)) {
        expect(series->child == witness || series->child == world->child);
        expect(text_is_name(series->name->sensor, strlen(series->name->sensor)));
    }
    children_close(&world->children);
    alarms_close(&world->alarms);
    config_free(world->config);
}

static void poll(struct world *world, const netsnmp_pdu *pdu, uint32_t n)
{
    struct query_blocks blocks;
    struct query_error error = query_read_poll(pdu, 2, n, &blocks);
    expect(!error.failure == !error.text);
    if (error.failure)
        return;
    struct message_answer *answer = new_answer(world->child->id, n * BLOCK_ROOM);
    answer->report_boot = blocks.head.boot;
    answer->first = blocks.head.first;
    for (uint32_t i = 0; i < n && blocks.present & UINT32_C(1) << i; i++)
        add_block(answer, 2 + i, blocks.at[i].octets, blocks.at[i].len);
    answer->last = blocks.head.last;
    give(world, answer);
}

static void look_up(struct world *world, const netsnmp_pdu *pdu, uint32_t n)
{
    uint32_t series[QUERY_SERIES_MAX];
    struct message_series entries[QUERY_SERIES_MAX];
    for (uint32_t i = 0; i < n; i++)
        series[i] = 1 + i;
    struct query_error error = query_read_series(pdu, series, n, entries);
    expect(!error.failure == !error.text);
    for (uint32_t i = 0; !error.failure && i < n; i++)
        give_name(world, &entries[i], world->child->id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    netsnmp_pdu pdu = {.version = SNMP_VERSION_3};
    if (size < 2)
        return 0;
    size_t len = size - 1;
    u_char *octets = malloc(len); /* the library's parser may write */
    expect(octets != NULL);
    memcpy(octets, data + 1, len);
    if (snmp_pdu_parse(&pdu, octets, &len) == 0) {
        struct world world;
        open_world(&world);
        if (data[0] & 0x80)
            look_up(&world, &pdu, 1 + (data[0] & 0x7fu) % QUERY_SERIES_MAX);
        else
            poll(&world, &pdu, data[0] % (CURSOR_BLOCKS_MAX + 1));
        close_world(&world);
    }
    snmp_free_varbind(pdu.variables);
    free(pdu.enterprise);
    free(octets);
    return 0;
}
