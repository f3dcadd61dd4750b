#include "children/numbers.h"

#include "children/series.h"

static bool is_at(const struct child_list *numbers, uint32_t place, uint32_t number)
{
    return place < numbers->n && numbers->at[place]->number == number;
}

/* The place where a number is, or would be. Children number their series from 1 on, mostly without
 * gaps: then the first look finds it. */
static uint32_t place_of(const struct child_list *numbers, uint32_t number)
{
    uint32_t low = 0, high = numbers->n;
    if (number > 0 && is_at(numbers, number - 1, number))
        return number - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (numbers->at[middle]->number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct child_series *numbers_find(const struct child_list *numbers, uint32_t number)
{
    uint32_t place = place_of(numbers, number);
    return is_at(numbers, place, number) ? numbers->at[place] : NULL;
}

bool numbers_add(struct child_list *numbers, struct child_series *series)
{
    if (!list_reserve(numbers))
        return false;
    list_insert(numbers, place_of(numbers, series->number), series);
    return true;
}

void numbers_remove(struct child_list *numbers, uint32_t number)
{
    uint32_t place = place_of(numbers, number);
    if (is_at(numbers, place, number))
        list_remove(numbers, place);
}
