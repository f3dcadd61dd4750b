/* Children, when some allocation fails while they are set up, while an answer with blocks is taken,
 * and while its series are named: nothing is lost for good, and what comes next is taken. */
#include <stdio.h>
#include <stdlib.h>

#include "polled.h"
#include "scarce.h"

#define SERIES 40

/* Values of more series than the first room holds. */
static void fill(struct report_ring *ring, double value)
{
    for (uint32_t number = 1; number <= SERIES; number++)
        ring_value(ring, number, value);
}

static void name_all(struct polled *polled, const struct child *child)
{
    char instance[16];
    for (uint32_t number = 1; number <= SERIES; number++) {
        snprintf(instance, sizeof instance, "i%u", number);
        polled_name(polled, child, number, "load", instance);
    }
}

/* All are there, with that value. */
static void assert_all(struct polled *polled, double value, size_t nth)
{
    char instance[16];
    for (uint32_t number = 1; number <= SERIES; number++) {
        snprintf(instance, sizeof instance, "i%u", number);
        const struct child_series *series = series_at(polled, "leaf", "load", instance);
        if (!series)
            fail_msg("allocation %zu: series %u is not there", nth, number);
        if (series->result.state != RESULT_VALID || series->result.value != value)
            fail_msg("allocation %zu: series %u has %g, not %g", nth, number, series->result.value,
                     value);
    }
}

/* One round with the nth allocation failing, then one with memory. Whether any failed. */
static bool two_rounds(size_t nth)
{
    struct polled *polled = polled_new();
    struct report_ring *ring = ring_new(7);
    polled_row(polled, "leaf");
    fill(ring, 1.5);
    struct answer *answer = NULL;
    scarce_fail(nth);
    polled_sync(polled);
    bool failed = scarce_stop();
    polled_sync(polled); /* as the next SET or reload does */
    struct child *child = children_find(&polled->children, "leaf");
    if (!child)
        fail_msg("allocation %zu: the child is not there", nth);
    answer = answer_new(child->id, 7);
    for (struct index_node *node = index_first(&ring->index); node; node = index_next(node)) {
        const struct report_block *block = (struct report_block *)node;
        answer_add(answer, block->sequence, block->bytes, block->len);
    }
    size_t rest = nth > scarce_count() ? nth - scarce_count() : SIZE_MAX;
    scarce_fail(failed ? 0 : rest);
    children_message(&polled->children, &answer->head.head, polled->now);
    name_all(polled, child);
    failed |= scarce_stop();
    free(answer);
    uint32_t next = ring->last + 1;
    fill(ring, 2.5);
    polled_wait(polled, 1000);
    polled_answer(polled, child, 7, ring, next);
    name_all(polled, child);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_all(polled, 2.5, nth);
    ring_free(ring);
    polled_free(polled);
    return failed;
}

static void the_next_answer_is_taken(void **state)
{
    (void)state;
    size_t nth = 1;
    while (two_rounds(nth))
        nth++;
    assert_true(nth > SERIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_answer_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
