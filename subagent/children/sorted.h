/* Series of a child by their names: in the order of their keys, which are sensor and instance. */
#ifndef DCAMP_CHILDREN_SORTED_H
#define DCAMP_CHILDREN_SORTED_H

#include <stddef.h>

#include "children/list.h"

/* How many of the series are before that key. */
uint32_t sorted_place(const struct child_list *sorted, const uint32_t *key, size_t len);

/* The series at that place if it has that very key, else NULL. */
struct child_series *sorted_at(const struct child_list *sorted, uint32_t place, const uint32_t *key,
                               size_t len);

/* The place of a series that is there; where it is not, whose key another one may have, n. */
uint32_t sorted_find(const struct child_list *sorted, const struct child_series *series);

/* Takes out all series that end. */
void sorted_sweep(struct child_list *sorted);

#endif
