/* Records of steps that children report: each comes to who takes them once, with the name of its
 * series, and what is lost is counted. */
#include "children/records.h"

#include <stdio.h>
#include <string.h>

#include "polled.h"

#define WALL INT64_C(1700000000123)

static struct {
    bool wanted;
    size_t n;
    uint32_t child; /* of the last one */
    char node[ALARM_PATH_SIZE];
    char instance[INSTANCE_SIZE];
    uint64_t sequences; /* one after the other, as decimal digits */
} taken;

static bool wants(void *context)
{
    assert_ptr_equal(context, &taken);
    return taken.wanted;
}

static void take(void *context, uint32_t child, const char *instance,
                 const struct report_record *record, uint64_t now_ns)
{
    assert_ptr_equal(context, &taken);
    assert_true(now_ns > 0);
    taken.n++;
    taken.child = child;
    snprintf(taken.node, sizeof taken.node, "%.*s", (int)record->node_len, record->node);
    snprintf(taken.instance, sizeof taken.instance, "%s", instance);
    taken.sequences = taken.sequences * 10 + record->sequence;
}

static const struct record_taker taker = {wants, take, &taken};

static struct child *begin(struct polled *polled, struct report_ring *ring)
{
    memset(&taken, 0, sizeof taken);
    taken.wanted = true;
    polled->children.taker = &taker;
    return reporting_child(polled, "leaf", ring);
}

static void put(struct report_ring *ring, uint32_t series, uint64_t sequence)
{
    const struct report_record record = {.sequence = sequence, .duration_ns = 5};
    assert_int_equal(report_add_record(ring, series, WALL, &record), 0);
}

static void give(struct polled *polled, struct child *child, struct report_ring *ring)
{
    report_flush(ring);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
}

static void records_of_a_series_with_a_name(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = begin(polled, ring);
    put(ring, 1, 4);
    put(ring, 1, 2);
    give(polled, child, ring);
    assert_int_equal(taken.sequences, 42);
    assert_int_equal(taken.child, child->id);
    assert_string_equal(taken.instance, "total");
    polled_answer(polled, child, 7, ring, 1);
    assert_int_equal(taken.n, 2);
    assert_int_equal(polled->children.records_lost, 0);
    assert_null(child->records);
    ring_free(ring);
}

static void put_of(struct report_ring *ring, uint32_t series, const char *node, size_t node_len)
{
    const struct report_record record = {.sequence = 1, .node = node, .node_len = node_len};
    assert_int_equal(report_add_record(ring, series, WALL, &record), 0);
}

/* Of the child itself, and of a node below; taken at once, or after their names have come. */
static void records_are_of_nodes(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = begin(polled, ring);
    size_t memory = child->cost.memory;
    put(ring, 1, 4);
    give(polled, child, ring);
    assert_string_equal(taken.node, "leaf");
    put_of(ring, 1, "a/b", 3);
    give(polled, child, ring);
    assert_string_equal(taken.node, "leaf/a/b");
    put_of(ring, 2, "a/c", 3);
    give(polled, child, ring);
    assert_string_equal(taken.node, "leaf/a/b");
    assert_true(child->cost.memory > memory + 3);
    polled_name(polled, child, 2, "executions", "u/shop:pay");
    assert_string_equal(taken.node, "leaf/a/c");
    assert_int_equal(taken.n, 3);
    assert_int_equal(polled->children.records_lost, 0);
    ring_free(ring);
}

/* Nodes that poll each other in a circle do not pass records on for ever. */
static void paths_that_are_too_long(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = begin(polled, ring);
    char node[ALARM_PATH_SIZE];
    size_t longest = ALARM_PATH_SIZE - 1 - strlen("leaf/");
    memset(node, 'n', sizeof node);
    put_of(ring, 1, node, longest);
    give(polled, child, ring);
    assert_int_equal(strlen(taken.node), ALARM_PATH_SIZE - 1);
    assert_int_equal(polled->children.records_lost, 0);
    put_of(ring, 1, node, longest + 1);
    put_of(ring, 2, node, longest + 1);
    give(polled, child, ring);
    assert_int_equal(polled->children.records_lost, 1);
    polled_name(polled, child, 2, "executions", "u/shop:pay");
    assert_int_equal(polled->children.records_lost, 2);
    assert_int_equal(taken.n, 1);
    assert_null(child->records);
    ring_free(ring);
}

static void records_wait_for_a_name(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = begin(polled, ring);
    put(ring, 2, 1);
    put(ring, 3, 9);
    put(ring, 2, 2);
    give(polled, child, ring);
    size_t memory = child->cost.memory;
    assert_int_equal(taken.n, 0);
    assert_non_null(child->records);
    polled_name(polled, child, 2, "executions", "u/shop:pay");
    assert_int_equal(taken.sequences, 12);
    assert_string_equal(taken.instance, "u/shop:pay");
    polled_name(polled, child, 3, "executions", "u/shop:cook");
    assert_int_equal(taken.sequences, 129);
    assert_string_equal(taken.instance, "u/shop:cook");
    assert_null(child->records);
    assert_true(child->cost.memory != memory);
    assert_int_equal(polled->children.records_lost, 0);
    ring_free(ring);
}

/* What a node has kept from before it was polled may have been taken before, and is counted. */
static void records_from_before(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    memset(&taken, 0, sizeof taken);
    taken.wanted = true;
    polled->children.taker = &taker;
    put(ring, 1, 5);
    struct child *child = reporting_child(polled, "leaf", ring);
    assert_int_equal(taken.n, 0);
    assert_int_equal(polled->children.records_before, 1);
    put(ring, 1, 6);
    give(polled, child, ring);
    assert_int_equal(taken.sequences, 6);
    assert_int_equal(polled->children.records_before, 1);
    assert_int_equal(polled->children.records_lost, 0);
    ring_free(ring);
}

/* A collector that is started again reads what its child has kept in several answers: what comes to
 * that meanwhile is new, and is taken. */
static void records_while_it_catches_up(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7), *next = ring_new(8);
    memset(&taken, 0, sizeof taken);
    taken.wanted = true;
    polled->children.taker = &taker;
    for (uint64_t i = 1; i <= 3; i++) {
        put(ring, 1, i);
        report_flush(ring);
    }
    struct child *child = polled_child(polled, "leaf");
    struct answer *answer = answer_of_ring(child, 7, ring, 1);
    answer->head.n_blocks = 2; /* the third one did not fit */
    answer_give(polled, answer);
    assert_true(child->cursor.replays);
    assert_int_equal(polled->children.records_before, 2);
    put(ring, 1, 4);
    report_flush(ring);
    answer = answer_of_ring(child, 7, ring, 3);
    answer->head.last = 5; /* and there is another one behind it */
    answer_give(polled, answer);
    assert_true(child->cursor.replays);
    assert_int_equal(polled->children.records_before, 3);
    polled_name(polled, child, 1, "executions", "u/shop:pay");
    assert_int_equal(taken.sequences, 4);
    put(next, 1, 6);
    report_flush(next);
    polled_answer(polled, child, 8, next, 1);
    polled_name(polled, child, 1, "executions", "u/shop:pay");
    assert_int_equal(taken.sequences, 46);
    assert_int_equal(polled->children.records_before, 3);
    ring_free(ring);
    ring_free(next);
}

static void records_of_another_boot(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7), *next = ring_new(8);
    struct child *child = begin(polled, ring);
    put(ring, 2, 1);
    give(polled, child, ring);
    put(next, 1, 3);
    report_flush(next);
    polled_answer(polled, child, 8, next, 1);
    assert_int_equal(polled->children.records_lost, 1);
    assert_int_equal(taken.n, 0);
    polled_name(polled, child, 1, "executions", "u/shop:pay");
    assert_int_equal(taken.sequences, 3);
    ring_free(ring);
    ring_free(next);
}

static void too_many_wait(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = begin(polled, ring);
    for (unsigned i = 0; i < CHILD_RECORDS_MAX + 10; i++) {
        put(ring, 2, 1);
        if (i % 100 == 99)
            give(polled, child, ring);
    }
    give(polled, child, ring);
    assert_int_equal(polled->children.records_lost, 10);
    polled_name(polled, child, 2, "executions", "u/shop:pay");
    assert_int_equal(taken.n, CHILD_RECORDS_MAX);
    ring_free(ring);
}

static void records_nobody_wants(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = begin(polled, ring);
    uint32_t known = child->series.numbers.n;
    taken.wanted = false;
    put(ring, 1, 1);
    put(ring, 2, 1);
    give(polled, child, ring);
    assert_int_equal(taken.n, 0);
    assert_int_equal(child->series.numbers.n, known);
    assert_int_equal(polled->children.records_lost, 0);
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(records_of_a_series_with_a_name),
        polled_test(records_are_of_nodes),
        polled_test(paths_that_are_too_long),
        polled_test(records_wait_for_a_name),
        polled_test(records_from_before),
        polled_test(records_while_it_catches_up),
        polled_test(records_of_another_boot),
        polled_test(too_many_wait),
        polled_test(records_nobody_wants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
