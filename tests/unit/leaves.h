/* A node with two children, for tests: their answers, their silence, their restarts and its own. */
#ifndef DCAMP_TESTS_LEAVES_H
#define DCAMP_TESTS_LEAVES_H

#include "events.h"
#include "polled.h"

#define CHILD(name, group)                                                                         \
    "<child name=\"" name "\" address=\"udp:127.0.0.1:1161\" credential=\"lab\" group=\"" group    \
    "\"/>"
#define BUSY "<threshold name=\"busy\" sensor=\"cpu\" children=\"*\" operator=\"gt\" limit=\"90\" "
#define CONFIG(thresholds, children)                                                               \
    "<sensors><sensor name=\"load\" metric=\"load.1\"/></sensors><thresholds>" thresholds          \
    "</thresholds><credentials><credential name=\"lab\" user=\"dcamp\" secrets=\"/nowhere\"/>"     \
    "</credentials><children>" children "</children>"
#define BOTH CHILD("a", "red") CHILD("b", "blue")
#define ANY_BUSY "<conditions><condition name=\"c\" thresholds=\"busy\"/></conditions>"

/* Two children, each with its reports. */
struct world {
    struct node *node;
    struct leaf {
        const char *name;
        struct report_ring *ring;
        uint32_t boot, sent;
    } a, b;
};

static inline int begin(void **state, const char *elements)
{
    struct world *world = calloc(1, sizeof *world);
    world->node = node_new(elements);
    world->a = (struct leaf){.name = "a", .ring = ring_new(1), .boot = 1};
    world->b = (struct leaf){.name = "b", .ring = ring_new(1), .boot = 1};
    node_cycle(world->node, 0);
    *state = world;
    return 0;
}

static inline int setup(void **state)
{
    return begin(state, CONFIG(BUSY "clear=\"80\"/>", BOTH));
}

static inline int teardown(void **state)
{
    struct world *world = *state;
    ring_free(world->a.ring);
    ring_free(world->b.ring);
    node_free(world->node);
    free(world);
    return 0;
}

static inline struct child *child_at(const struct world *world, const struct leaf *leaf)
{
    return children_find(&world->node->daemon->children, leaf->name);
}

static inline void give(struct world *world, const struct leaf *leaf, struct answer *answer)
{
    children_message(&world->node->daemon->children, &answer->head.head, world->node->now);
    free(answer);
    assert_int_equal(child_at(world, leaf)->state, CHILD_UP);
}

/* Up to n blocks that were not sent yet; the head tells of all. */
static inline void answers(struct world *world, struct leaf *leaf, size_t n)
{
    struct answer *answer = answer_new(child_at(world, leaf)->id, leaf->boot);
    for (struct index_node *node = index_first(&leaf->ring->index); node && n > 0;
         node = index_next(node)) {
        const struct report_block *block = (struct report_block *)node;
        if (block->sequence <= leaf->sent)
            continue;
        answer_add(answer, block->sequence, block->bytes, block->len);
        leaf->sent = block->sequence;
        n--;
    }
    answer->head.last = leaf->ring->last;
    give(world, leaf, answer);
}

static inline void names(struct world *world, const struct leaf *leaf, const char *sensor,
                         const char *instance)
{
    struct message_series series = series_of(child_at(world, leaf), 1, sensor, instance);
    children_message(&world->node->daemon->children, &series.head, world->node->now);
}

/* Series 1 is cpu of total. */
static inline void says(struct world *world, struct leaf *leaf, double value)
{
    ring_value(leaf->ring, 1, value);
    answers(world, leaf, SIZE_MAX);
    names(world, leaf, "cpu", "total");
    node_cycle(world->node, 1000);
}

static inline void silent(struct world *world, const struct leaf *leaf)
{
    struct message_silent message = {.head = {.kind = MESSAGE_SILENT, .length = sizeof message},
                                     .id = child_at(world, leaf)->id,
                                     .failure = POLL_TIMEOUT};
    for (int i = 0; i < CHILD_LOST_AFTER; i++)
        children_message(&world->node->daemon->children, &message.head, world->node->now);
    assert_int_equal(child_at(world, leaf)->state, CHILD_DOWN);
    node_cycle(world->node, 1000);
}

static inline void reboots(struct leaf *leaf)
{
    ring_free(leaf->ring);
    leaf->ring = ring_new(++leaf->boot);
    leaf->sent = 0;
}

/* This node dies, and asks for everything that its children keep. */
static inline void restart(struct world *world, bool killed)
{
    if (killed) {
        node_cycle(world->node, 1500);
        node_wait_saved(world->node);
        dcampd_free(world->node->daemon);
        node_start(world->node);
    } else {
        node_restart(world->node);
    }
    world->a.sent = world->b.sent = 0;
    node_cycle(world->node, 1000);
}

static inline enum threshold_phase phase(struct world *world, const char *child)
{
    struct mib_oid oid = {.len = mib_objects[MIB_dcampThresholdStatePhase].oid_len};
    struct mib_value value;
    memcpy(oid.id, mib_objects[MIB_dcampThresholdStatePhase].oid, oid.len * sizeof *oid.id);
    const char *const parts[] = {"busy", child, "total"};
    for (size_t i = 0; i < N_OF(parts); i++)
        oid.len += index_key_text(oid.id + oid.len, parts[i]);
    return node_get(world->node, &oid, &value) == ENGINE_OK ? (enum threshold_phase)value.integer
                                                            : 0;
}

static inline void assert_ended(struct world *world, const char *key, const char *why)
{
    const struct alarm_entry *entry = last_event(world->node);
    assert_string_equal(entry->facts.key, key);
    assert_int_equal(entry->facts.event, ALARM_CLEARED);
    if (!strstr(entry->facts.message, why))
        fail_msg("\"%s\" does not say that %s", entry->facts.message, why);
}

#endif
