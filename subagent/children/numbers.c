#include "children/numbers.h"

#include <stdlib.h>
#include <string.h>

/* The array grows by half of its size, and by so many. */
#define NUMBERS_MORE 8

/* Where a number is, or would be. Children count their series from 1 on, mostly without gaps: then
 * the first look finds it. */
static uint32_t place_of(const struct child_numbers *numbers, uint32_t number)
{
    uint32_t low = 0, high = numbers->n;
    if (number > 0 && number <= high && numbers->list[number - 1].number == number)
        return number - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (numbers->list[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(const struct child_numbers *numbers, uint32_t place, uint32_t number)
{
    return place < numbers->n && numbers->list[place].number == number;
}

struct child_series *numbers_find(const struct child_numbers *numbers, uint32_t number)
{
    uint32_t place = place_of(numbers, number);
    return is_at(numbers, place, number) ? numbers->list[place].series : NULL;
}

static bool grow_numbers(struct child_numbers *numbers)
{
    uint32_t room = numbers->room + numbers->room / 2 + NUMBERS_MORE;
    struct child_number *list = reallocarray(numbers->list, room, sizeof *list);
    if (!list)
        return false;
    numbers->list = list;
    numbers->room = room;
    return true;
}

bool numbers_add(struct child_numbers *numbers, uint32_t number, struct child_series *series)
{
    if (numbers->n == numbers->room && !grow_numbers(numbers))
        return false;
    struct child_number *at = &numbers->list[place_of(numbers, number)];
    memmove(at + 1, at, (size_t)(&numbers->list[numbers->n++] - at) * sizeof *at);
    *at = (struct child_number){number, series};
    return true;
}

void numbers_remove(struct child_numbers *numbers, uint32_t number)
{
    uint32_t place = place_of(numbers, number);
    if (!is_at(numbers, place, number))
        return;
    struct child_number *at = &numbers->list[place];
    memmove(at, at + 1, (--numbers->n - place) * sizeof *at);
}

void numbers_clear(struct child_numbers *numbers)
{
    numbers->n = 0;
}

void numbers_release(struct child_numbers *numbers)
{
    free(numbers->list);
    *numbers = (struct child_numbers){0};
}
