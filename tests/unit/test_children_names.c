/* How the series of children are kept: by number, and with the names that many share. */
#include <stdio.h>

#include "base/text.h"

#include "polled.h"

/* Numbers in any order, with gaps, up to the largest. */
static void numbers_in_any_order(void **state)
{
    struct polled *polled = *state;
    static const uint32_t numbers[] = {7, UINT32_MAX, 2, 0, 3, 1, 1000000, 5, 4, 8, 6, 9, 10, 12};
    struct report_ring *ring = ring_new(7);
    struct child *child = polled_child(polled, "leaf");
    for (size_t i = 0; i < N_OF(numbers); i++)
        ring_value(ring, numbers[i], numbers[i]);
    for (uint32_t from = 1; from <= N_OF(numbers); from += 4)
        polled_answer(polled, child, 7, ring, from);
    assert_int_equal(child->series.numbers.n, N_OF(numbers));
    for (size_t i = 0; i < N_OF(numbers); i++) {
        char instance[16];
        snprintf(instance, sizeof instance, "i%u", numbers[i]);
        polled_name(polled, child, numbers[i], "s", instance);
        assert_true(series_at(polled, "leaf", "s", instance)->value == numbers[i]);
    }
    for (size_t i = 0; i < N_OF(numbers); i++) {
        polled_name(polled, child, numbers[i], NULL, NULL);
        assert_int_equal(child->series.numbers.n, N_OF(numbers) - 1 - i);
    }
    assert_int_equal(child->series.n_named, 0);
    ring_free(ring);
}

/* What children call the same is kept once, and as long as anybody does. */
static void names_are_shared(void **state)
{
    struct polled *polled = *state;
    struct report_ring *ring = ring_new(7);
    struct child *a = reporting_child(polled, "a", ring), *b = polled_child(polled, "b");
    const struct child_series *of_a = series_at(polled, "a", "load", "total");
    polled_answer(polled, b, 7, ring, 1);
    struct message_series other = series_of(b, 1, "load", "total");
    text_format(other.unit, sizeof other.unit, "others");
    children_message(&polled->children, &other.head, polled->now);
    assert_int_equal(HASH_COUNT(polled->children.names), 2);
    assert_string_equal(series_at(polled, "b", "load", "total")->name->unit, "others");
    ring_value(ring, 2, 2);
    polled_answer(polled, b, 7, ring, 2);
    polled_name(polled, b, 2, "load", "total");
    const struct child_series *of_b = series_at(polled, "b", "load", "total");
    assert_ptr_equal(of_b->name, of_a->name);
    assert_true(of_b->value == 2 && of_a->value == 1.5);
    assert_int_equal(HASH_COUNT(polled->children.names), 1);
    polled_name(polled, a, 1, NULL, NULL);
    assert_string_equal(of_b->name->sensor, "load");
    polled_name(polled, b, 2, NULL, NULL);
    assert_null(polled->children.names);
    ring_free(ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        polled_test(numbers_in_any_order),
        polled_test(names_are_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
