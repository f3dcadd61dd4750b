/* What a manager sees of children: their tables, and the role of who has some; through a restart of
 * the daemon, too. */
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "polled.h"

static const char elements[] =
    "<alarms rate=\"1000\" per=\"1s\" queue=\"1000\"/>\n<children>"
    "<child name=\"leaf\" address=\"udp:127.0.0.1:1161\" credential=\"lab\"/>"
    "<child name=\"other\" address=\"udp6:[::1]:1161\" credential=\"lab\" period=\"1s\"/>"
    "</children><credentials><credential name=\"lab\" user=\"u\" secrets=\"/nowhere\"/>"
    "</credentials>";
static const char lost_key[] = "leaf:node-lost:";

static int node_setup(void **state)
{
    *state = node_new(elements);
    node_cycle(*state, 0);
    return 0;
}

static struct child *leaf_of(struct node *node)
{
    struct child *child = children_find(&node->daemon->children, "leaf");
    assert_non_null(child);
    return child;
}

static void answer(struct node *node, const struct report_ring *ring)
{
    struct answer *answer = answer_new(leaf_of(node)->id, 7);
    answer->head.lost = 2;
    for (struct index_node *i = ring ? index_first(&ring->index) : NULL; i; i = index_next(i)) {
        const struct report_block *block = (struct report_block *)i;
        answer_add(answer, block->sequence, block->bytes, block->len);
    }
    children_message(&node->daemon->children, &answer->head.head, node->now);
    free(answer);
    node_cycle(node, 1000);
}

static void silence(struct node *node, enum poll_failure failure)
{
    struct message_silent silent = {.head = {.kind = MESSAGE_SILENT, .length = sizeof silent},
                                    .id = leaf_of(node)->id,
                                    .failure = failure,
                                    .text = "no answer within 1 s"};
    children_message(&node->daemon->children, &silent.head, node->now);
    node_cycle(node, 1000);
}

static void lose(struct node *node)
{
    for (int i = 0; i < 4; i++)
        silence(node, POLL_TIMEOUT);
}

static void the_table_of_children(void **state)
{
    struct node *node = *state;
    struct mib_value value;
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), dcampNodeRole_collector);
    assert_cell_text(node, MIB_dcampChildAddress, "other", NULL, "udp6:[::1]:1161");
    assert_cell_text(node, MIB_dcampChildCredential, "other", NULL, "lab");
    assert_cell_text(node, MIB_dcampChildGroup, "other", NULL, "default");
    assert_int_equal(number_at(node, MIB_dcampChildPeriod, "other", NULL), 1000);
    assert_int_equal(number_at(node, MIB_dcampChildState, "leaf", NULL), CHILD_DISCOVERING);
    assert_cell_text(node, MIB_dcampChildEngineId, "leaf", NULL, "");
    assert_false(node_has(node, MIB_dcampChildLastContact, "leaf", NULL));
    assert_false(node_has(node, MIB_dcampChildRoundTrip, "leaf", NULL));
    assert_int_equal(number_at(node, MIB_dcampChildBoot, "leaf", NULL), 0);
    struct report_ring *ring = ring_new(7);
    ring_value(ring, 1, 1.5);
    answer(node, ring);
    silence(node, POLL_TIMEOUT);
    assert_int_equal(number_at(node, MIB_dcampChildState, "leaf", NULL), CHILD_LATE);
    assert_cell_text(node, MIB_dcampChildError, "leaf", NULL, "no answer within 1 s");
    struct mib_oid cell = cell_of(MIB_dcampChildEngineId, "leaf", NULL);
    assert_int_equal(node_get(node, &cell, &value), ENGINE_OK);
    assert_int_equal(value.octets.len, 5);
    assert_int_equal(number_at(node, MIB_dcampChildBoot, "leaf", NULL), 7);
    assert_true(node_has(node, MIB_dcampChildLastContact, "leaf", NULL));
    assert_int_equal(number_at(node, MIB_dcampChildRoundTrip, "leaf", NULL), 321);
    assert_int_equal(number_at(node, MIB_dcampChildPolls, "leaf", NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampChildMissed, "leaf", NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampChildBlocks, "leaf", NULL), 1);
    assert_int_equal(number_at(node, MIB_dcampChildLostBlocks, "leaf", NULL), 2);
    assert_int_equal(number_at(node, MIB_dcampChildBadBlocks, "leaf", NULL), 0);
    assert_int_equal(number_at(node, MIB_dcampChildSeries, "leaf", NULL), 0);
    ring_free(ring);
}

static void a_child_that_is_set(void **state)
{
    struct node *node = *state;
    const struct bind binds[] = {
        {MIB_dcampChildRowStatus, "new", dcampChildRowStatus_createAndGo, NULL},
        {MIB_dcampChildAddress, "new", 0, "udp:127.0.0.1:1162"},
        {MIB_dcampChildCredential, "new", 0, "lab"}};
    assert_int_equal(node_set(node, binds, 3), SET_OK);
    assert_int_equal(number_at(node, MIB_dcampChildState, "new", NULL), CHILD_DISCOVERING);
    node_cycle(node, 0);
    assert_non_null(children_find(&node->daemon->children, "new"));
    struct bind bad = {MIB_dcampChildAddress, "new", 0, "localhost:161"};
    assert_int_equal(node_set(node, &bad, 1), SET_WRONG_VALUE);
    static const char *const names[] = {"new", "leaf", "other"};
    for (size_t i = 0; i < N_OF(names); i++) {
        node_set_one(node, MIB_dcampChildRowStatus, names[i], dcampChildRowStatus_notInService,
                     NULL);
        node_cycle(node, 0);
        assert_null(children_find(&node->daemon->children, names[i]));
        assert_int_equal(number_at(node, MIB_dcampChildState, names[i], NULL), CHILD_PAUSED);
        assert_int_equal(number_at(node, MIB_dcampChildPolls, names[i], NULL), 0);
    }
    assert_int_equal(number_at(node, MIB_dcampNodeRole, NULL, NULL), dcampNodeRole_base);
}

static struct mib_oid value_cell(enum mib_object object)
{
    struct mib_oid oid = cell_of(object, "leaf", "load");
    oid.len += index_key_text(oid.id + oid.len, "total");
    return oid;
}

#define NO_MILLI INT64_MAX /* an Integer32 cannot hold the thousandths */

static void assert_value(struct node *node, int state, const char *text, int64_t milli,
                         int64_t age_ms)
{
    struct mib_value value;
    struct mib_oid oid = value_cell(MIB_dcampChildValueState);
    assert_int_equal(node_get(node, &oid, &value), ENGINE_OK);
    assert_int_equal(value.integer, state);
    oid = value_cell(MIB_dcampChildValueText);
    assert_int_equal(node_get(node, &oid, &value), text ? ENGINE_OK : ENGINE_NO_INSTANCE);
    if (text)
        assert_memory_equal(value.octets.at, text, strlen(text));
    bool has_milli = text && milli != NO_MILLI;
    oid = value_cell(MIB_dcampChildValueMilli);
    assert_int_equal(node_get(node, &oid, &value), has_milli ? ENGINE_OK : ENGINE_NO_INSTANCE);
    assert_true(!has_milli || value.integer == milli);
    oid = value_cell(MIB_dcampChildValueAge);
    assert_int_equal(node_get(node, &oid, &value), age_ms < 0 ? ENGINE_NO_INSTANCE : ENGINE_OK);
    assert_true(age_ms < 0 || value.integer == age_ms);
    oid = value_cell(MIB_dcampChildValueTime);
    assert_int_equal(node_get(node, &oid, &value), age_ms < 0 ? ENGINE_NO_INSTANCE : ENGINE_OK);
}

static void the_table_of_values(void **state)
{
    struct node *node = *state;
    struct report_ring *ring = ring_new(7);
    ring_value(ring, 1, -1e7);
    answer(node, ring);
    struct message_series name = series_of(leaf_of(node), 1, "load", "total");
    children_message(&node->daemon->children, &name.head, node->now);
    assert_value(node, RESULT_VALID, "-10000000", NO_MILLI, 1000);
    struct mib_value value;
    struct mib_oid unit = value_cell(MIB_dcampChildValueUnit);
    assert_int_equal(node_get(node, &unit, &value), ENGINE_OK);
    assert_memory_equal(value.octets.at, "tasks", 5);
    silence(node, POLL_TIMEOUT);
    assert_value(node, RESULT_VALID, "-10000000", NO_MILLI, 2000);
    silence(node, POLL_WRONG_KEY);
    assert_value(node, dcampChildValueState_stale, "-10000000", NO_MILLI, 3000);
    answer(node, NULL);
    report_add(ring, 1, 0, &(struct result){.state = RESULT_GAP});
    report_flush(ring);
    answer(node, ring);
    assert_value(node, RESULT_GAP, NULL, 0, 1000);
    struct answer *anew = answer_new(leaf_of(node)->id, 8);
    children_message(&node->daemon->children, &anew->head.head, node->now);
    free(anew);
    assert_value(node, RESULT_WAITING, NULL, 0, -1);
    ring_free(ring);
}

/* -- Restart --------------------------------------------------------------------------------- */

static void lost_through_a_restart(void **state)
{
    struct node *node = *state;
    answer(node, NULL);
    lose(node);
    assert_int_equal(events_of(node, lost_key, ALARM_RAISED), 1);
    node_start_again(node);
    node_cycle(node, 0);
    assert_int_equal(active_alarm(node, lost_key)->facts.kind, ALARM_OF_NODE);
    lose(node);
    node_cycle(node, 60000);
    assert_int_equal(events_of(node, lost_key, ALARM_RAISED), 1);
    const struct notification *queued = node_told(node)->next;
    assert_int_equal(queued->facts.event, ALARM_RAISED);
    assert_int_equal(queued->facts.kind, ALARM_OF_NODE);
    answer(node, NULL);
    assert_int_equal(events_of(node, lost_key, ALARM_CLEARED), 2);
    assert_null(active_alarm(node, lost_key));
    node_start_again(node);
    node_cycle(node, 0);
    answer(node, NULL);
    assert_int_equal(events_of(node, lost_key, ALARM_CLEARED), 2); /* it has joined before */
}

static void removed_between(void **state)
{
    struct node *node = *state;
    lose(node);
    node_stop(node);
    node_configure(node, "lap", "");
    node_start(node);
    assert_non_null(active_alarm(node, lost_key));
    node_cycle(node, 0);
    assert_null(active_alarm(node, lost_key));
    assert_int_equal(events_of(node, lost_key, ALARM_CLEARED), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        node_test(the_table_of_children), node_test(a_child_that_is_set),
        node_test(the_table_of_values),   node_test(lost_through_a_restart),
        node_test(removed_between),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
