#include "application/steps.h"

#include <string.h>

static uint64_t bit_of(uint64_t number)
{
    return UINT64_C(1) << number % 64;
}

static uint64_t *word_of(struct steps *steps, uint64_t number)
{
    return &steps->taken[number / 64 % (SEGMENT_RING / 64)];
}

bool steps_was_taken(const struct steps *steps, uint64_t number)
{
    return steps->taken[number / 64 % (SEGMENT_RING / 64)] & bit_of(number);
}

void steps_take(struct steps *steps, uint64_t number)
{
    *word_of(steps, number) |= bit_of(number);
}

void steps_skip(struct steps *steps, uint64_t head)
{
    *steps = (struct steps){.head = head, .base = head};
}

/* The place of the record in the ring belongs to a later one from now on. */
static bool give_up(struct steps *steps, uint64_t number)
{
    bool was_taken = steps_was_taken(steps, number);
    *word_of(steps, number) &= ~bit_of(number);
    return !was_taken;
}

uint64_t steps_advance(struct steps *steps, uint64_t head)
{
    if (head < steps->head) {
        steps_skip(steps, head);
        return 0;
    }
    uint64_t oldest = head > SEGMENT_RING ? head - SEGMENT_RING : 0, lost = 0;
    while (steps->base < oldest && steps->base < steps->head)
        lost += give_up(steps, ++steps->base);
    if (steps->base < oldest) {
        lost += oldest - steps->base;
        steps->base = oldest;
    }
    steps->head = head;
    return lost;
}
