/* Whatever a child sends: it is counted, the child is refused, and nobody else is harmed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "polled.h"

static void give_block(struct polled *polled, const struct child *child, uint32_t sequence,
                       const void *bytes, size_t len)
{
    struct answer *answer = answer_new(child->id, 7);
    answer_add(answer, sequence, bytes, len);
    answer_give(polled, answer);
}

/* Every beginning of a good block, and blocks that say they are another. */
static void bad_blocks(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7), *other_boot = ring_new(6), *healthy = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    struct child *other = reporting_child(polled, "other", healthy);
    const struct child_series *series = series_at(polled, "leaf", "load", "total");
    ring_value(ring, 1, 99);
    ring_value(other_boot, 1, 99);
    const struct report_block *block =
        (struct report_block *)index_find(&ring->index, &(uint32_t){2}, 1);
    const struct report_block *old =
        (struct report_block *)index_find(&other_boot->index, &(uint32_t){1}, 1);
    uint64_t bad = 0;
    uint32_t sequence = 2;
    for (size_t len = 0; len < block->len; len++) {
        give_block(polled, child, sequence, block->bytes, len);
        assert_int_equal(child->contact.bad, ++bad);
        assert_int_equal(child->cursor.next_block, ++sequence);
        assert_int_equal(child->contact.state, CHILD_REFUSED);
        assert_true(strlen(child_error(child)) > 0);
    }
    give_block(polled, child, sequence++, block->bytes, block->len); /* says that it is 2 */
    assert_string_equal(strchr(child_error(child), ':'), ": it says that it is another block");
    give_block(polled, child, sequence++, old->bytes, old->len);
    assert_string_equal(strchr(child_error(child), ':'), ": it says that it is of another boot");
    assert_int_equal(child->contact.bad, bad + 2);
    assert_true(series->value == 1.5);
    assert_false(child_series_live(series));
    assert_int_equal(child->cursor.blocks, 1);
    /* It stays refused until a good block comes, and is not lost: it answers. */
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    assert_told(polled, "leaf:node-lost:", 0, 1);
    while (ring->last < sequence)
        ring_value(ring, 1, 3);
    polled_answer(polled, child, 7, ring, sequence);
    assert_int_equal(child->contact.state, CHILD_UP);
    assert_string_equal(child_error(child), "");
    assert_true(series->value == 3);
    assert_told(polled, "leaf:node-lost:", 0, 1);
    /* The other one has noticed nothing. */
    assert_int_equal(other->contact.state, CHILD_UP);
    assert_int_equal(other->contact.bad, 0);
    assert_true(series_at(polled, "other", "load", "total")->value == 1.5);
    ring_free(healthy);
    ring_free(other_boot);
    ring_free(ring);
}

/* A child whose first block is bad has not joined. */
static void bad_from_the_beginning(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    give_block(polled, child, 1, "x", 1);
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    assert_told(polled, "leaf:node-lost:", 0, 0);
}

/* Blocks with some octets changed: whatever they are, the books balance. */
static void mutated_blocks(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = reporting_child(polled, "leaf", ring);
    struct statistics_window window = {0};
    for (int i = 1; i < 6; i++)
        assert_int_equal(statistics_window_add(&window, i), 0);
    report_add_window(ring, 1, 1700000010000, 10000, &window);
    report_add_record(ring, 1, 1700000010000,
                      &(struct report_record){.start_ns = 1000, .result = 1});
    for (uint32_t i = 1; i < 9; i++)
        report_add(ring, i, 1700000010000, &(struct result){RESULT_VALID, i * 1.25});
    report_flush(ring);
    const struct report_block *block =
        (struct report_block *)index_find(&ring->index, &(uint32_t){2}, 1);
    uint64_t seed = 42;
    for (uint32_t i = 0; i < 20000; i++) {
        uint8_t bytes[REPORT_BLOCK_MAX];
        memcpy(bytes, block->bytes, block->len);
        for (int changes = 0; changes < 3; changes++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
            bytes[(seed >> 33) % block->len] ^= (uint8_t)(1u << (seed >> 61));
        }
        child->cursor.next_block = 0; /* it is always the second block */
        give_block(polled, child, 2, bytes, block->len);
        assert_int_equal(child->cursor.blocks + child->contact.bad, i + 2);
        if (child->dictionary.n_asked == 0)
            continue;
        char instance[16];
        uint32_t number = 2 + (uint32_t)(seed >> 40) % 12;
        snprintf(instance, sizeof instance, "%u", number);
        polled_name(polled, child, number, "fuzz", instance);
    }
    assert_true(child->contact.bad > 1000 && child->cursor.blocks > 100);
    assert_true(child->series.numbers.n <= CHILD_SERIES_MAX);
    statistics_window_release(&window);
    ring_free(ring);
}

static void bad_names(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *child = polled_child(polled, "leaf");
    static const struct {
        size_t at, size;
        const char *text;
    } cases[] = {
        {offsetof(struct message_series, sensor), NAME_SIZE, ""},
        {offsetof(struct message_series, sensor), NAME_SIZE, "a b"},
        {offsetof(struct message_series, sensor), NAME_SIZE, "a\n"},
        {offsetof(struct message_series, sensor), NAME_SIZE, NULL},
        {offsetof(struct message_series, instance), INSTANCE_SIZE, ""},
        {offsetof(struct message_series, instance), INSTANCE_SIZE, NULL},
        {offsetof(struct message_series, metric), NAME_SIZE, "\001"},
        {offsetof(struct message_series, metric), NAME_SIZE, NULL},
        {offsetof(struct message_series, unit), NAME_SIZE, "\377"},
        {offsetof(struct message_series, unit), NAME_SIZE, NULL},
    };
    for (uint32_t i = 0; i < N_OF(cases); i++) {
        ring_value(ring, i + 1, 1);
        polled_answer(polled, child, 7, ring, i + 1);
        assert_int_equal(child->contact.state, i == 0 ? CHILD_UP : CHILD_REFUSED);
        struct message_series series = series_of(child, i + 1, "load", "total");
        char *text = (char *)&series + cases[i].at;
        memset(text, 'a', cases[i].size); /* not terminated */
        if (cases[i].text)
            strcpy(text, cases[i].text);
        children_message(&polled->children, &series.head, polled->now);
        assert_int_equal(child->contact.bad, i + 1);
        assert_int_equal(child->contact.state, CHILD_REFUSED);
        assert_int_equal(child->series.n_named, 0);
        assert_int_equal(child->series.numbers.n, 0); /* asked again when it is reported again */
    }
    ring_value(ring, 100, 1);
    polled_answer(polled, child, 7, ring, child->cursor.next_block);
    polled_name(polled, child, 100, "load", "total");
    polled_answer(polled, child, 7, NULL, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    /* Another name for a number in the same boot. */
    polled_name(polled, child, 100, "load", "other");
    assert_int_equal(child->contact.state, CHILD_REFUSED);
    assert_int_equal(child->series.n_named, 0);
    assert_null(series_at(polled, "leaf", "load", "other"));
    /* What nobody has asked about. */
    polled_name(polled, child, 12345, "load", "total");
    assert_int_equal(child->series.n_named, 0);
    ring_free(ring);
}

/* A block may name any number; 10,000 of them are kept. */
static void too_many_series(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = calloc(1, sizeof *ring);
    struct child *child = polled_child(polled, "leaf"), *other = polled_child(polled, "other");
    const struct result result = {.state = RESULT_VALID, .value = 1};
    assert_int_equal(report_open(ring, 7, 1000, REPORT_BLOCK_MAX), 0);
    for (uint32_t i = 0; i < CHILD_SERIES_MAX + 500; i++)
        assert_int_equal(report_add(ring, i * 400000, 1700000000000, &result), 0);
    assert_int_equal(report_flush(ring), 0);
    for (uint32_t i = 1; i <= ring->last; i++) {
        const struct report_block *block = (struct report_block *)index_find(&ring->index, &i, 1);
        give_block(polled, child, i, block->bytes, block->len);
    }
    assert_int_equal(child->series.numbers.n, CHILD_SERIES_MAX);
    assert_int_equal(child->contact.bad, 0);
    assert_int_equal(child->contact.state, CHILD_UP);
    size_t n;
    polled_sent(polled, MESSAGE_LOOK_UP, &n);
    assert_int_equal(n, 1);
    assert_int_equal(other->series.numbers.n, 0);
    /* A new boot lets go of all of them. */
    polled_answer(polled, child, 8, NULL, 0);
    assert_int_equal(child->series.numbers.n, 0);
    ring_free(ring);
}

static void strange_messages(void **state)
{
    struct polled *polled = *state;
    struct child *child = polled_child(polled, "leaf");
    struct message_series series = series_of(child, 1, "load", "total");
    struct message_look_up odd = {.head = {.kind = MESSAGE_LOOK_UP, .length = sizeof odd},
                                  .id = child->id};
    children_message(&polled->children, &series.head, polled->now);
    children_message(&polled->children, &odd.head, polled->now);
    odd.head.kind = 77;
    children_message(&polled->children, &odd.head, polled->now);
    for (uint32_t id = 0; id < 5; id++)
        if (id != child->id)
            answer_give(polled, answer_new(id, 7));
    assert_int_equal(child->contact.polls + child->contact.missed, 0);
    assert_int_equal(child->contact.state, CHILD_DISCOVERING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(bad_blocks), polled_test(bad_from_the_beginning), polled_test(mutated_blocks),
        polled_test(bad_names),  polled_test(too_many_series),        polled_test(strange_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
