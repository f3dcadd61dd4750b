#include "children/sorted.h"

#include "base/oid.h"
#include "children/series.h"

/* Compares the key of the series with that one, as strcmp(3) does. */
static int compare_key(const struct child_series *series, const uint32_t *key, size_t len)
{
    const struct index_tail *own = &series->name->tail;
    return own->key == key ? 0 : oid_compare(own->key, own->len, key, len);
}

uint32_t sorted_place(const struct child_list *sorted, const uint32_t *key, size_t len)
{
    uint32_t low = 0, high = sorted->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_key(sorted->at[middle], key, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct child_series *sorted_at(const struct child_list *sorted, uint32_t place, const uint32_t *key,
                               size_t len)
{
    bool is_same = place < sorted->n && compare_key(sorted->at[place], key, len) == 0;
    return is_same ? sorted->at[place] : NULL;
}

uint32_t sorted_find(const struct child_list *sorted, const struct child_series *series)
{
    const struct index_tail *own = &series->name->tail;
    uint32_t place = sorted_place(sorted, own->key, own->len);
    return place < sorted->n && sorted->at[place] == series ? place : sorted->n;
}

void sorted_sweep(struct child_list *sorted)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < sorted->n; i++)
        if (!sorted->at[i]->ends)
            sorted->at[n++] = sorted->at[i];
    sorted->n = n;
}
