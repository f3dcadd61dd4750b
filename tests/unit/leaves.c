#include "leaves.h"

int leaves_begin(void **state, const char *elements)
{
    struct world *world = calloc(1, sizeof *world);
    world->node = node_new(elements);
    world->a = (struct leaf){.name = "a", .ring = ring_new(1), .boot = 1};
    world->b = (struct leaf){.name = "b", .ring = ring_new(1), .boot = 1};
    node_cycle(world->node, 0);
    *state = world;
    return 0;
}

int leaves_setup(void **state)
{
    return leaves_begin(state, CONFIG(BUSY "clear=\"80\"/>", BOTH));
}

int leaves_teardown(void **state)
{
    struct world *world = *state;
    ring_free(world->a.ring);
    ring_free(world->b.ring);
    node_free(world->node);
    free(world);
    return 0;
}

struct child *leaves_child(const struct world *world, const struct leaf *leaf)
{
    return children_find(&world->node->daemon->children, leaf->name);
}

static void leaves_give(struct world *world, const struct leaf *leaf, struct answer *answer)
{
    children_message(&world->node->daemon->children, &answer->head.head, world->node->now);
    free(answer);
    assert_int_equal(leaves_child(world, leaf)->contact.state, CHILD_UP);
}

void leaves_answer(struct world *world, struct leaf *leaf, size_t n)
{
    struct answer *answer = answer_new(leaves_child(world, leaf)->id, leaf->boot);
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
    leaves_give(world, leaf, answer);
}

void leaves_name(struct world *world, const struct leaf *leaf, const char *sensor,
                 const char *instance)
{
    struct message_series series = series_of(leaves_child(world, leaf), 1, sensor, instance);
    children_message(&world->node->daemon->children, &series.head, world->node->now);
}

void leaves_say(struct world *world, struct leaf *leaf, double value)
{
    ring_value(leaf->ring, 1, value);
    leaves_answer(world, leaf, SIZE_MAX);
    leaves_name(world, leaf, "cpu", "total");
    node_cycle(world->node, 1000);
}

void leaves_silent(struct world *world, const struct leaf *leaf)
{
    struct message_silent message = {.head = {.kind = MESSAGE_SILENT, .length = sizeof message},
                                     .id = leaves_child(world, leaf)->id,
                                     .failure = POLL_TIMEOUT};
    for (int i = 0; i < CHILD_LOST_AFTER; i++)
        children_message(&world->node->daemon->children, &message.head, world->node->now);
    assert_int_equal(leaves_child(world, leaf)->contact.state, CHILD_DOWN);
    node_cycle(world->node, 1000);
}

void leaves_reboot(struct leaf *leaf)
{
    ring_free(leaf->ring);
    leaf->ring = ring_new(++leaf->boot);
    leaf->sent = 0;
}

void leaves_restart(struct world *world, bool killed)
{
    if (killed) {
        node_cycle(world->node, 1500);
        node_wait_saved(world->node);
        dcampd_free(world->node->daemon);
        node_start(world->node);
    } else {
        node_start_again(world->node);
    }
    world->a.sent = world->b.sent = 0;
    node_cycle(world->node, 1000);
}

enum threshold_phase leaves_phase(struct world *world, const char *child)
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

void assert_leaf_ended(struct world *world, const char *key, const char *why)
{
    const struct alarm_entry *entry = last_event(world->node);
    assert_string_equal(entry->facts.key, key);
    assert_int_equal(entry->facts.event, ALARM_CLEARED);
    if (!strstr(entry->facts.message, why))
        fail_msg("\"%s\" does not say that %s", entry->facts.message, why);
}
