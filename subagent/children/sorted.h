/* Series of a child by their names: in the order of their keys, which are sensor and instance. */
#ifndef DCAMP_CHILDREN_SORTED_H
#define DCAMP_CHILDREN_SORTED_H

#include <stddef.h>

#include "children/list.h"

/* How many of the series come before that key. */
uint32_t sorted_place(const struct child_list *sorted, const uint32_t *key, size_t len);

/* The series at that place if it has exactly that key, else NULL. */
struct child_series *sorted_at(const struct child_list *sorted, uint32_t place, const uint32_t *key,
                               size_t len);

/* The place of a series; n if it is not there, in which case another one may have its key. */
uint32_t sorted_find(const struct child_list *sorted, const struct child_series *series);

/* Takes out all series whose ends is set. */
void sorted_sweep(struct child_list *sorted);

#endif
